"""Tests of blockwit.cli."""
