"""Counts: systems × items × columns, the one data model."""

from tellapart.counts.counts import KNOWN_COLUMNS, Condition, Counts, Items, Systems, errors

__all__ = ["KNOWN_COLUMNS", "Condition", "Counts", "Items", "Systems", "errors"]
