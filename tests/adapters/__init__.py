"""Tests of solver.adapters."""
