"""Outputs and references, line by line."""
