"""Slow reference implementations of the three games, written straight from the rules."""
