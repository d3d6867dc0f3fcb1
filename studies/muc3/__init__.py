"""Chinchor, Hirschman and Lewis (1993)."""
