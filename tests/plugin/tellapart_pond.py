"""Adds a test and a report to tellapart, as small as can be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import tellapart as ta
from tellapart.report.formats import ReportWriter


def coin(first: Sequence[float], second: Sequence[float], tail: str) -> float:
    """Return the p-value of a sign test: as if a coin decided who wins an item."""
    won = sum(a > b for a, b in zip(first, second, strict=True))
    lost = sum(a < b for a, b in zip(first, second, strict=True))
    least = {"two": max(won, lost), "greater": won, "less": lost}[tail]
    ways = sum(math.comb(won + lost, k) for k in range(least, won + lost + 1))
    p = ways / (1 << won + lost)
    return min(1.0, 2 * p) if tail == "two" else p


def write(result: ta.Comparison) -> str:
    """Return one line for each pair."""
    return "".join(
        f"{pair.a} - {pair.b}: {pair.difference:+.3f}, p = {pair.p:.4f}\n" for pair in result.pairs
    )


LINE = ReportWriter("line", "one line for each pair", write)
