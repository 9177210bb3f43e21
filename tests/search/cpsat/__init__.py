"""Tests of blockwit.search.cpsat."""
