"""Every figure of a comparison as SVG, drawn from its record and details.

Each module draws one: `draw` gives the SVG (or nothing where there is nothing to draw), its last
argument being the name that keeps ids apart on a page; `sentence` gives the words that stand under
it, which are also its text alternative.
"""
