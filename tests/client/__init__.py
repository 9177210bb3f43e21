"""Tests of blockwit.client."""
