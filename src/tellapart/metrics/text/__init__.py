"""Metrics of texts: BLEU, NIST, chrF and TER, as counts per segment that add."""

NAMES = ("bleu", "nist", "chrf", "chrf+", "chrf++", "ter")
"""The text metrics by name; `scoring` makes them, and is imported where one is wanted"""
