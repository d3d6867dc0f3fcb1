"""Adds a format, a metric, a test and a report to tellapart: one of each, as small as can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import tellapart as ta
from tellapart.formats.head import Head
from tellapart.formats.registry import Format, Sources
from tellapart.report.registry import ReportWriter

HIT_RATE = ta.ratio("hit-rate", {"hits": 1}, {"hits": 1, "misses": 1})


def recognises(head: Head) -> bool:
    """Return whether a file is of this format, by how it begins."""
    return head.text.startswith("#marks\n")


def read(sources: Sources, _: object) -> ta.Counts:
    """Read lines such as ``q1 ++-``: three tries at an item, two of them hits."""
    systems, items = {}, []
    for source in sources.systems:
        lines = [line.split() for line in Path(source).read_text().splitlines()[1:]]
        items = [item for item, _ in lines]
        systems[Path(source).stem] = [[marks.count("+"), marks.count("-")] for _, marks in lines]
    counts = ta.Counts.from_arrays(systems, columns=["hits", "misses"], items=items)
    return replace(counts, metrics=(HIT_RATE,))  # the metric to score by where none is named


MARKS = Format(
    names=("marks",),
    about="hits and misses as + and -, one item a line",
    recognises=recognises,
    read=read,
)


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
