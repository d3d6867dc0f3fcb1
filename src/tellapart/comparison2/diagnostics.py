"""Diagnostics of pairs: standard error, influence, half of the difference, what could be found."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from tellapart.comparison2.options import Options
from tellapart.comparison2.record import Diagnostics, Influence
from tellapart.comparison2.tests import Pairs, Work, run_tests
from tellapart.metrics.scores import Scores, score_counts
from tellapart.stats.result import Floats

SLOW_ITEMS = 2_000
"""Above this many items a metric of rows is not scored again without each of them"""


def round_off(value: float) -> float:
    """Return a value without its last digits, which depend on how a machine's vector units add up.

    >>> round_off(0.1 + 0.2)
    0.3
    """
    return float(f"{value:.12g}")


def standard_error(scores: Scores, a: int, b: int) -> float | None:
    """Return the standard error of a difference over items (clusters).

    For a mean this is the standard deviation of the paired differences over √n.
    """
    terms = scores.terms(a, b, "own") if scores.n > 1 else None
    if terms is None:
        return None
    apart = terms.values - terms.observed / scores.n
    squares = float(apart @ apart if scores.times is None else scores.times @ apart**2)
    return round_off(math.sqrt(squares * scores.n / (scores.n - 1)))


def influence(scores: Scores, a: int, b: int) -> tuple[Influence, int | None] | None:
    """Return the item that moves a difference most, and how few items make up half of it."""
    slow = not scores.has_sums and scores.n > SLOW_ITEMS
    if scores.n < 2 or slow or scores.times is not None:
        return None
    difference = float(scores.values[a] - scores.values[b])
    moves = difference - (scores.without_item(a) - scores.without_item(b))
    item = int(np.abs(moves).argmax())
    found = Influence(scores.counts.items[item], round_off(difference - moves[item]))
    return found, _half(moves, difference, scores.n)


def _half(moves: Floats, difference: float, n: int) -> int | None:
    """Return how few items make up half of a difference; for a mean, by their own differences."""
    if not difference:
        return None
    parts = (moves * (n - 1) + difference) / n
    toward = np.sort(parts * math.copysign(1, difference))[::-1]
    reached = np.flatnonzero(np.cumsum(toward) >= abs(difference) / 2 * (1 - 1e-9))
    return int(reached[0]) + 1 if len(reached) else None


def decision_without(
    scores: Scores, item: str, pairs: Pairs, options: Options, level: float, work: Work
) -> bool | None:
    """Return whether a pair would be called different without an item; None if it cannot be tested.

    `pairs` is that one pair, `level` what its p is compared with.
    """
    kept = np.array([k for k, name in enumerate(scores.counts.items) if name != item], np.intp)
    if len(kept) < 2:
        return None
    rest = score_counts(scores.counts.keep(kept), scores.metric)
    quick = replace(options, shuffles=options.shuffles or 9_999)
    test = run_tests(rest, pairs, quick, 1, work)[0]
    return None if test.p is None else test.p <= level


def diagnose(scores: Scores, pairs: Pairs, detailed: Collection[int]) -> dict[int, Diagnostics]:
    """Return the diagnostics of some pairs, by their numbers."""
    found = {}
    for k in detailed:
        a, b = int(pairs.a[k]), int(pairs.b[k])
        moved = influence(scores, a, b)
        found[k] = Diagnostics(
            standard_error=standard_error(scores, a, b),
            influence=None if moved is None else moved[0],
            half_items=None if moved is None else moved[1],
        )
    return found
