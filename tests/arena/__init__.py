"""Tests of blockwit.arena."""
