"""Figures of a comparison as SVG, drawn from its record and details.

Each module has one: `draw` returns the SVG (or nothing where there is nothing to draw), its last
argument being the name that keeps ids apart on a page; `sentence` returns the words that stand
under it, which are also its text alternative. `svg`, `axes`, `names` and `outlines` are what they
share; `collection` has all of them.
"""
