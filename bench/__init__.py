"""Measurements: one script a question, run as `python -m bench.NAME`; see bench/README.md."""
