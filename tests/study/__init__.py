"""Tests of blockwit.study."""
