"""Adds a format, a metric, a test and a report to tellapart: one of each, as small as can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import tellapart as ta
from tellapart.files import open_text
from tellapart.formats.head import Head
from tellapart.formats.registry import Format, Sources
from tellapart.formats.sources import system_files
from tellapart.report.formats import ReportWriter

HIT_RATE = ta.ratio("hit-rate", {"hits": 1}, {"hits": 1, "misses": 1})


def recognises(head: Head) -> bool:
    """Return whether a file is of this format, by how it begins."""
    return head.text.startswith("#marks\n")


def read(sources: Sources, _: object) -> ta.Counts:
    """Read lines such as ``q1 ++-``: three tries at an item, two of them hits."""
    # By name: `path`, `NAME=path` or `NAME=run1,run2`, as users may write a system.
    systems = {name: _marks(*paths) for name, paths in system_files(sources.systems).items()}
    items = list(next(iter(systems.values())))
    for name, marks in systems.items():
        if marks.keys() != set(items):
            raise ta.DataError(f"{name} has other items than the rest; give the same to all")
    # Matched by id, never by order.
    arrays = {name: [marks[item] for item in items] for name, marks in systems.items()}
    counts = ta.Counts.from_arrays(arrays, columns=["hits", "misses"], items=items)
    # What to score by where nobody names a metric; those that are named are found by their names.
    return counts if sources.metrics else replace(counts, metrics=(HIT_RATE,))


def _marks(*paths: str) -> dict[str, tuple[int, int]]:
    """Return the hits and misses of each item, over all runs of a system."""
    found: dict[str, tuple[int, int]] = {}
    for path in paths:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 or not line.strip():
                    continue
                item, _, marks = line.strip().partition(" ")
                if not marks or set(marks) - {"+", "-"}:
                    raise ta.DataError(f"{path}:{number}: {line.strip()!r} is no item with marks")
                hits, misses = found.get(item, (0, 0))
                found[item] = hits + marks.count("+"), misses + marks.count("-")
    return found


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
