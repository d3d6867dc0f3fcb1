"""Preferences that tests make themselves: judgments from known strengths, and tables of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

Row = dict[str, Any]


def judged(
    strengths: Mapping[str, float],
    prompts: int,
    seed: int,
    *,
    tie: float = 0.0,
    first_place: float = 0.0,
    both_orders: bool = False,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> list[Row]:
    """Return rows of judgments by Bradley and Terry's model, every pair on every prompt.

    `tie` is how often nobody wins, `first_place` what the first place adds to the log-odds.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for prompt in range(prompts):
        for a, b in pairs or combinations(strengths, 2):
            orders = [(a, b), (b, a)] if both_orders else [(a, b) if rng.random() < 0.5 else (b, a)]
            for one, other in orders:
                odds = strengths[one] - strengths[other] + first_place
                word = "model_a" if rng.random() < 1 / (1 + np.exp(-odds)) else "model_b"
                word = "tie" if rng.random() < tie else word
                rows.append({"id": f"q{prompt}", "model_a": one, "model_b": other, "winner": word})
    return rows


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV."""
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    return "".join(f"{line}\n" for line in lines)
