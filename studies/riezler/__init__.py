"""Riezler and Maxwell (2005): pitfalls in evaluation and significance testing for translation."""
