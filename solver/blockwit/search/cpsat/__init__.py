"""The optimizer of NMBR 9: exact proofs, beam and large-neighbourhood search, and the table-game opponent."""
