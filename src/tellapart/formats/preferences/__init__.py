"""Preferences: judgments of two systems side by side, as tables and as judges write them."""

from __future__ import annotations

from typing import Final

VERDICTS: Final = (
    "winner", "preference", "preferred", "preferred_model", "verdict", "outcome", "choice", "vote",
    "human_preference", "better", "judgment", "judgement", "result", "label", "annotation",
)  # fmt: skip
"""Columns that may say which of two systems is better"""
TOTALS: Final = frozenset({
    "wins", "wins_a", "wins_b", "a_wins", "b_wins", "ties", "losses", "winner_model_a",
    "winner_model_b",
})  # fmt: skip
"""Columns that count who won, which are no verdicts"""
KNOWN_BY: Final = frozenset({*VERDICTS, *TOTALS})
"""The columns by one of which such a table is known"""
