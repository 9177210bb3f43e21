"""Tests of solver.search and of the compiled searchers."""
