"""Tests of solver.protocol."""
