"""Tests of blockwit.games."""
