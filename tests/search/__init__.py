"""Tests of blockwit.search and of the compiled searchers."""
