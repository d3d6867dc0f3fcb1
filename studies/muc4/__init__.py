"""Chinchor (1992): the significance of the results of MUC-4."""
