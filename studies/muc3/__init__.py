"""Chinchor, Hirschman and Lewis (1993): an analysis of MUC-3."""
