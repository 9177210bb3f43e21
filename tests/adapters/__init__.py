"""Tests of blockwit.adapters."""
