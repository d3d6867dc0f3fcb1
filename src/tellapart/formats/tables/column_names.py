"""The column names that tables are known by."""

from __future__ import annotations

from typing import Final

from tellapart.counts.arrays import KNOWN_COLUMNS

# The item column is the first of these that is there.
ITEM_COLUMNS: Final = ("unit", "item", "id", "message", "segment", "sentence", "query", "doc_id")
# Other spellings of known count columns.
ALIASES: Final = {
    "possible": "pos",
    "actual": "act",
    "correct": "cor",
    "partial": "par",
    "incorrect": "inc",
    "spurious": "spu",
    "missing": "mis",
}
KNOWN_NAMES: Final = frozenset(
    {"system", "run", "metric", "score", *ITEM_COLUMNS, *ALIASES, *KNOWN_COLUMNS}
)
