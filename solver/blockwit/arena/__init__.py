"""Engines against engines and people: matches, sequential tests, simulations, a game in the terminal."""
