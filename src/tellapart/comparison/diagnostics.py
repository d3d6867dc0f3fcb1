"""Diagnostics of pairs: standard error, influence, half of the difference, what could be found."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.record import Diagnostics, Influence
from tellapart.comparison.replicates import spread_of_pair
from tellapart.comparison.testing import EXACT_BUDGET, Pairs, Scored, Work, family_size, run_tests
from tellapart.metrics.scores import RatioScores, Scores, score_counts
from tellapart.stats.power import (
    Detectable,
    ItemDifferences,
    Pilot,
    detectable,
    detectable_by_error,
    read_pilot,
)
from tellapart.stats.result import Floats, Test
from tellapart.stats.runs import Spread

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

    For a mean this is the standard deviation of the paired differences over √n; for a function of
    items, what the jackknife says.
    """
    if scores.n < 2:
        return None
    terms = scores.terms(a, b, "own")
    if terms is None:
        if scores.has_sums or scores.n > SLOW_ITEMS or scores.counts.present is not None:
            return None
        without = scores.without_item(a) - scores.without_item(b)
        return round_off(math.sqrt((scores.n - 1) * float(without.var())))
    apart = terms.values - terms.observed / scores.n
    squares = float(apart @ apart if scores.times is None else scores.times @ apart**2)
    return round_off(math.sqrt(squares * scores.n / (scores.n - 1)))


def influence(scores: Scores, a: int, b: int) -> tuple[int, float, int | None] | None:
    """Return the item that moves a difference most, the difference without it, and half of it.

    The last is how few items make up half of the difference.
    """
    slow = not scores.has_sums and scores.n > SLOW_ITEMS
    if scores.n < 2 or slow or scores.times is not None:
        return None
    difference = float(scores.values[a] - scores.values[b])
    moves = difference - (scores.without_item(a) - scores.without_item(b))
    item = int(np.abs(moves).argmax())
    return item, round_off(difference - moves[item]), _half(moves, difference, scores.n)


def _half(moves: Floats, difference: float, n: int) -> int | None:
    """Return how few items make up half of a difference; for a mean, by their own differences."""
    if not difference:
        return None
    parts = (moves * (n - 1) + difference) / n
    toward = np.sort(parts * math.copysign(1, difference))[::-1]
    reached = np.flatnonzero(np.cumsum(toward) >= abs(difference) / 2 * (1 - 1e-9))
    return int(reached[0]) + 1 if len(reached) else None


def decision_without(
    scores: Scores,
    item: int,
    pair: tuple[int, int, int],
    options: Options,
    level: float,
    work: Work,
    budget: float,
) -> bool | None:
    """Return whether a pair would be called different without an item; None if it cannot be tested.

    `pair` has the systems and the sign of its test, `level` is what p is compared with, `budget`
    what counting may cost. Runs count as they do in the test itself.
    """
    kept = np.delete(np.arange(len(scores.counts.items)), item)
    if len(kept) < 2:
        return None
    a, b, sign = pair
    two = scores.counts.systems[scores.systems[a], scores.systems[b]]
    rest = score_counts(two.keep(kept), scores.metric)
    only = Pairs(np.array([0]), np.array([1]), np.array([sign]))
    quick = replace(options, shuffles=options.shuffles or 9_999)
    p = run_tests(rest, only, quick, 1, work, budget)[0].p
    if p is not None and options.test == "auto" and options.runs == "vary":
        spread = spread_of_pair(rest, 0, 1)
        p = p if spread is None else max(p, spread.p(sign))
    return None if p is None else p <= level


def diagnose(
    scored: Scored,
    pairs: Pairs,
    tests: Sequence[Test],
    levels: Sequence[float],
    spreads: Sequence[Spread | None],
    detailed: Collection[int],
    work: Work,
) -> dict[int, Diagnostics]:
    """Return the diagnostics of some pairs, by their numbers."""
    scores, options, found = scored.scores, scored.options, {}
    strict = options.alpha if options.correction == "none" else options.alpha / family_size(scored)
    for k in detailed:
        a, b, sign = int(pairs.a[k]), int(pairs.b[k]), int(pairs.signs[k])
        if scored.adapter is not None:
            difference = scored.adapter.difference(a, b)
            found[k] = _by_error(difference, sign, tests[k], (options.alpha, strict))
            continue
        moved, changes = influence(scores, a, b), None
        test, spread = tests[k], spreads[k]
        if moved is not None and test.p is not None:
            pair, share = (a, b, sign), EXACT_BUDGET / len(detailed)
            without = decision_without(scores, moved[0], pair, options, levels[k], work, share)
            changes = None if without is None else without != (test.p <= levels[k])
        error = standard_error(scores, a, b) if spread is None else round_off(spread.error)
        pilot = None if test.p is None or spread is not None else pilot_of(scores, a, b)
        alone, corrected = (
            what_could_be_found(pilot, sign, level, test, spread)
            for level in (options.alpha, strict)
        )
        name = "" if moved is None else scores.counts.items[moved[0]]
        found[k] = Diagnostics(
            standard_error=error,
            influence=None if moved is None else Influence(name, moved[1], changes),
            half_items=None if moved is None else moved[2],
            detectable=alone.difference,
            detectable_corrected=corrected.difference,
            detectable_missing=corrected.reason,
        )
    return found


def _by_error(difference: float, sign: int, test: Test, levels: tuple[float, float]) -> Diagnostics:
    """Return the diagnostics of a t test whose scores are no sums over items."""
    if not test.statistic or test.df is None:
        return Diagnostics(detectable_missing="other-test")
    error = abs(difference / test.statistic)
    alone, corrected = (
        detectable_by_error(error, test.df, level=level, sign=sign) for level in levels
    )
    return Diagnostics(
        standard_error=round_off(error),
        detectable=alone.difference,
        detectable_corrected=corrected.difference,
        detectable_missing=corrected.reason,
    )


def pilot_of(scores: Scores, a: int, b: int) -> Pilot | None:
    """Return what the items of a pair tell of other items; None where they have no terms."""
    terms = scores.terms(a, b, "own") if scores.times is None else None
    if terms is None or scores.counts.present is not None:
        return None
    values, differing = terms.values * scores.n, scores.differing(a, b)
    if isinstance(scores, RatioScores) and scores.same_denominators(a, b):
        return read_pilot(values, differing=differing)
    return ItemDifferences.of(values, differing)  # of equal size by chance, not wins and losses


def what_could_be_found(
    pilot: Pilot | None, sign: int, level: float, test: Test, spread: Spread | None
) -> Detectable:
    """Return the difference that a test at a level would find four times out of five."""
    if test.p is None:
        return Detectable(None, "no-test")
    if spread is not None:
        found = detectable_by_error(spread.error, spread.df, level=level, sign=sign)
    elif pilot is None:
        return Detectable(None, "other-test")
    else:
        alternative = "two-sided" if sign == 0 else "greater"
        found = detectable(pilot, level=level, alternative=alternative)
    if found.difference is None:
        return found
    return Detectable(round_off(found.difference))
