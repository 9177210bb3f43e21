"""Tests of the NMBR 9 optimizer."""
