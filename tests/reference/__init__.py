"""Slow plain-Python rules, written from the rule texts alone, to check the compiled ones against."""
