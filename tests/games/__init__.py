"""Tests of solver.games."""
