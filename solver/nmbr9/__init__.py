"""The NMBR 9 optimizer."""
