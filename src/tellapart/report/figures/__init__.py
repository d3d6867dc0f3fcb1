"""Figures of a comparison as SVG: small functions from its record and details.

`layout` is what they share; `systems`, `matrices`, `planes` and `pairs` have the figures,
each with the words that are its text alternative; `collection` has all of them by name.
"""
