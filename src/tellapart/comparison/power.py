"""Power of a test set to find differences of any size, and how many items more would take.

All figures are those of the test that was made: its tail, its clusters, and the level that the
correction leaves to a pair of which no other helps to pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.record import Comparison
from tellapart.significance.corrections import per_comparison_level
from tellapart.significance.diagnostics import ItemAnalysis, round_off
from tellapart.significance.observed_spread import (
    FEW_ITEMS,
    NO_TEST,
    OTHER_TEST,
    UNREACHABLE,
    Detectable,
    ObservedPair,
    detectable,
    detectable_by_error,
    missing,
    observed_pairs,
)
from tellapart.significance.options import Options
from tellapart.significance.power import WANTED, PowerCurve
from tellapart.significance.questions import Outcome
from tellapart.significance.registry import RANDOMIZATION
from tellapart.significance.varying_runs import RunNoise

_POINTS = 40
_AS_T = ("t", "wilcoxon", "bootstrap", "bootstrap-t")
_SIGNS = ("sign", "mcnemar")
_STRICT = ("none", "bonferroni", "sidak", "holm", "holm-sidak")
"""Corrections by which no pair is shown to differ unless one passes the deciding level"""


@dataclass(frozen=True, slots=True)
class Power:
    """The power of this test set by one metric, for the pair that the headline is about."""

    metric: str
    a: str
    b: str
    detectable: float
    """The difference that would be found four times out of five, all tests counted"""
    items: int
    items_for_half: int | None
    """The number of items that half of that difference would need"""
    curve: tuple[tuple[float, float], ...] = ()
    """Difference and power, from no difference to one that is always found"""


@dataclass(frozen=True, slots=True)
class PairPower:
    """What a pair's test could find four times out of five: alone, and with all tests counted."""

    alone: Detectable
    corrected: Detectable


def deciding_level(alpha: float, correction: str, size: int) -> float:
    """Return the level that the smallest p of a family has to pass.

    Corrections by shared shuffles are about as strict as Bonferroni's.

    >>> deciding_level(0.05, "holm", 10), deciding_level(0.05, "none", 10)
    (0.005, 0.05)
    """
    if correction == "none":
        return alpha
    if correction in ("sidak", "holm-sidak"):
        return per_comparison_level(alpha, size)
    if correction == "by":
        return alpha / (size * math.fsum(1 / k for k in range(1, size + 1)))
    return alpha / size


def corrected_for(result: Comparison) -> int:
    """Return how many tests are counted together."""
    return 1 if result.correction == "none" else int(result.family.size)


def pair_powers(
    analysis: Analysis, views: Sequence[ItemAnalysis], outcomes: Sequence[Outcome]
) -> list[PairPower]:
    """Return what the test of every question could find; `views` are those of the metrics."""
    options = analysis.options
    levels = options.alpha, _level(analysis)
    found: dict[int, PairPower] = {}
    for view in views:
        for k, pair in _observed(analysis, view).items():
            tail, noise = analysis.questions[k].tail, outcomes[k].noise
            if outcomes[k].p is None:
                both = [Detectable(None, NO_TEST)] * 2
            elif noise is None:
                both = [_detectable(options, tail, pair, each) for each in levels]
            else:
                both = [_with_runs(noise, tail, each) for each in levels]
            found[k] = PairPower(*both)
    return [found[k] for k in range(len(analysis.questions))]


def _level(analysis: Analysis) -> float:
    options = analysis.options
    return deciding_level(options.alpha, options.correction, analysis.settings.family_size)


def _observed(analysis: Analysis, view: ItemAnalysis) -> dict[int, ObservedPair | None]:
    """Return the spread of each pair under one metric, by the numbers of the questions."""
    numbers = [k for k, each in enumerate(analysis.questions) if each.bound is view.bound]
    pairs = [(analysis.questions[k].a, analysis.questions[k].b) for k in numbers]
    spreads = observed_pairs(analysis.projection, view.bound, view.terms, pairs)
    return dict(zip(numbers, spreads, strict=True))


def _detectable(options: Options, tail: str, pair: ObservedPair | None, level: float) -> Detectable:
    if pair is None or not _known_test(options.test, pair):
        return Detectable(None, OTHER_TEST)
    found = detectable(pair, _curve(options, tail, pair, level))
    if found.difference is not None:
        return Detectable(round_off(found.difference))
    if found.reason == UNREACHABLE and options.correction not in _STRICT:
        # What one pair cannot reach, several may pass together.
        alone = missing(pair, options.alpha, tail)
        return Detectable(None, UNREACHABLE if alone == UNREACHABLE else FEW_ITEMS)
    return found


def _with_runs(noise: RunNoise, tail: str, level: float) -> Detectable:
    found = detectable_by_error(noise.error, noise.df, level, tail)
    return found if found.difference is None else Detectable(round_off(found.difference))


def _known_test(test: str, pair: ObservedPair) -> bool:
    """Return whether the formulas speak of a test: signs only where items are won or lost."""
    return test in (*RANDOMIZATION, *_AS_T) or (test in _SIGNS and pair.step is not None)


def _curve(options: Options, tail: str, pair: ObservedPair, level: float) -> PowerCurve:
    return PowerCurve(pair, level, tail, exchanges=options.test not in _AS_T)


def power(result: Comparison, number: int) -> Power | None:
    """Return the power of the test set for a pair, given by its place; None where it is not told.

    Nor is there one where runs could be others, which more items do not make up for, or with a
    margin: the test of a difference is then not the one that answers. The middle point of the curve
    is the difference that is found four times out of five.
    """
    pair = result.pairs[number]
    analysis = result.analysis_of(pair.metric)
    sought = pair.diagnostics.detectable_corrected
    if analysis is None or sought is None:
        return None
    if pair.noise is not None or result.margin_of(pair.metric) is not None:
        return None
    names = analysis.counts.names
    number, question = next(
        (k, each)
        for k, each in enumerate(analysis.questions)
        if (names[each.a], names[each.b], each.bound.metric.name) == (pair.a, pair.b, pair.metric)
    )
    view = ItemAnalysis.of(analysis.projection, question.bound)
    spread = _observed(analysis, view)[number]
    assert spread is not None
    curve = _curve(analysis.options, question.tail, spread, _level(analysis))
    sizes = [2 * sought * k / _POINTS for k in range(_POINTS + 1)]
    points = [
        (round_off(size), round_off(curve.power(spread.items, size)))
        for size in sizes
        if size <= spread.largest
    ]
    needed = curve.needed(sought / 2, WANTED)
    half = None if needed is None else _rounded_up(needed)
    return Power(pair.metric, pair.a, pair.b, sought, spread.items, half, tuple(points))


def _rounded_up(number: int) -> int:
    """Return a number of which only the first three digits are not 0, rounded up.

    >>> _rounded_up(288), _rounded_up(12_012)
    (288, 12100)
    """
    step = int(10 ** max(0, len(str(number)) - 3))
    return -(-number // step) * step
