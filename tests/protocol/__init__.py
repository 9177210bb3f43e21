"""Tests of blockwit.protocol."""
