"""Tests of the games: rules, notation, drawing."""
