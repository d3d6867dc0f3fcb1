"""Counts: systems × items × columns, the one data model."""

from tellapart.counts.arrays import KNOWN_COLUMNS
from tellapart.counts.counts import Condition, Counts, ItemTexts, Systems, errors

__all__ = ["KNOWN_COLUMNS", "Condition", "Counts", "ItemTexts", "Systems", "errors"]
