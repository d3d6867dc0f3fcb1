"""Preferences: judgments of two systems side by side, as tables and as judges write them."""

from __future__ import annotations

from typing import Final

VERDICTS: Final = (
    "winner", "preference", "preferred", "preferred_model", "verdict", "outcome", "choice", "vote",
    "human_preference", "better", "judgment", "judgement", "result", "label", "annotation",
)  # fmt: skip
"""Columns that may say which of two systems is better"""
ONE_HOT: Final = ("winner_model_a", "winner_model_b", "winner_tie")
"""Columns of 0 and 1 that say who won"""
TOTALS: Final = frozenset({"wins", "wins_a", "wins_b", "a_wins", "b_wins", "ties", "losses"})
KNOWN_BY: Final = frozenset({*VERDICTS, *ONE_HOT, *TOTALS})
"""The columns by one of which such a table is known"""
