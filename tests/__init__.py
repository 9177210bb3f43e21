"""The tests; the layout mirrors that of solver."""
