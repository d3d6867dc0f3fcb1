"""Histograms of the null distribution: the test's own shuffles, drawn again and put in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.pair_record import PairResult
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling.ratios import TEST, RatioPair, reached, reaches_threshold, sign_of
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.significance.exchanges import (
    SignedPlan,
    SignedTest,
    float_threshold,
    function_differences,
    ratio_pair,
)
from tellapart.significance.questions import Question, as_tested
from tellapart.significance.registry import RANDOMIZATION
from tellapart.significance.residuals import Residuals
from tellapart.significance.shuffle_tests import shard_sizes

SHUFFLES = 9_999
"""At most so many are drawn: more would not change what a histogram looks like."""
_ARM = 20  # bins on each side of the middle one
_LATTICE_ARM = 30  # the same where bins must fit the steps between values

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Differences under the null hypothesis, counted in bins of equal width."""

    start: float
    """The left edge of the first bin"""
    width: float
    counts: tuple[int, ...]
    extreme: tuple[int, ...]
    """Per bin: how many differ at least as much as the measured difference, on the tested side"""
    shuffles: int

    def mirrored(self) -> Histogram:
        """Return the same seen from the second system."""
        start = 0.0 - (self.start + self.width * len(self.counts))
        return replace(self, start=start, counts=self.counts[::-1], extreme=self.extreme[::-1])


def histograms(
    analysis: Analysis, pairs: Sequence[PairResult], progress: Progress = no_progress
) -> list[Histogram | None]:
    """Return the null distribution of every question, in the order of the pairs.

    Where the test itself drew shuffles, these are the same ones, at most the first 9,999 of them:
    with no more than that the extreme ones are exactly the record's exceedances. Otherwise 9,999
    are drawn. None where nothing can be exchanged, or scoring each shuffle would take too long
    (functions of items).
    """
    if analysis.counts.present is not None or analysis.options.test == "unpaired":
        return [None] * len(pairs)
    drawn = [_drawn(pair, analysis.options.test) for pair in pairs]
    projection, seed = analysis.projection, analysis.options.seed
    questions = as_tested(projection, analysis.questions, analysis.options.test)
    parts = [each.residuals for each in questions if each.residuals is not None]
    plan, signed = ShufflePlan(projection.forms), SignedPlan.of(projection, parts)
    shards = shard_sizes(max(drawn))
    sums, flips = (
        np.concatenate([each.subset_sums(seed, shard, n) for shard, n in shards], axis=1)
        for each in (plan, signed.plan)
    )  # columns of the plan × shuffles
    found: list[Histogram | None] = []
    for k, (question, n) in enumerate(zip(questions, drawn, strict=True)):
        if question.residuals is not None:
            null = _signed_null(projection, question, question.residuals, signed, flips[:, :n])
            found.append(_binned(null))
        else:
            found.append(_histogram(projection, question, plan, sums[:, :n]))
        progress("histograms", k + 1, len(pairs))
    return found


def _drawn(pair: PairResult, test: str) -> int:
    if test in RANDOMIZATION and pair.shuffles is not None:
        return min(pair.shuffles, SHUFFLES)
    return SHUFFLES


def _histogram(
    projection: Projection, question: Question, plan: ShufflePlan, sums: Floats
) -> Histogram | None:
    bound, a, b = question.bound, question.a, question.b
    if isinstance(bound.metric, ItemFunction) or not projection.discordant(bound, a, b).any():
        return None
    if isinstance(bound, BoundRatio):
        null = _ratio_null(projection, question, bound, plan, sums)
    else:
        null = _function_null(projection, question, bound, plan, sums)
    return _binned(null)


@dataclass(frozen=True, slots=True)
class _Null:
    """Shuffled differences, in steps of an item that the bins are made of."""

    values: Floats
    extreme: NDArray[np.bool_]
    item: float = 1.0
    """The difference of scores that a value of 1 is worth"""
    step: float | None = None
    """The distance of neighbouring values where they form a lattice around 0"""


def _ratio_null(
    projection: Projection, question: Question, bound: BoundRatio, plan: ShufflePlan, sums: Floats
) -> _Null:
    a, b = question.a, question.b
    pair, row = ratio_pair(projection, question), np.zeros(1, TEST)[0]
    pair.fill(row)
    c = row["c0"] + 2 * plan.exchanged(sums, bound.numerator, a, b)
    d = row["d0"] + 2 * plan.exchanged(sums, bound.denominator, a, b)
    extreme = reached(pair, row, c, d)
    total = pair.den_a + pair.den_b
    if pair.same_denominators and total:
        shifts = projection.shifts(bound, a, b)[0]
        item = 2 * float(bound.factor) / total
        step = 2.0 * int(np.gcd.reduce(shifts))
        return _Null(c, extreme, item, step)
    return _Null(float(bound.factor) * ratio_differences(pair, c, d), extreme)


def ratio_differences(pair: RatioPair, c: Floats, d: Floats) -> Floats:
    """Return the differences of two ratios whose numerators are c and whose denominators d apart.

    >>> pair = RatioPair(num_a=3, den_a=4, num_b=1, den_b=2)
    >>> ratio_differences(pair, np.array([2.0, -2.0]), np.array([2.0, -2.0])).tolist()
    [0.25, -0.25]
    """
    tn, td = float(pair.num_a + pair.num_b), float(pair.den_a + pair.den_b)
    rest = td * td - d * d
    apart = 2 * (c * td - tn * d) / np.where(rest == 0, 1, rest)
    if not rest.all():
        undefined = float(pair.undefined)
        first = np.where(td + d == 0, undefined, (tn + c) / np.where(td + d == 0, 1, td + d))
        second = np.where(td - d == 0, undefined, (tn - c) / np.where(td - d == 0, 1, td - d))
        apart = np.where(rest == 0, first - second, apart)
    return np.asarray(apart)


def _signed_null(
    projection: Projection, question: Question, parts: Residuals, plan: SignedPlan, sums: Floats
) -> _Null:
    differences = plan.differences(sums, parts, question.a, question.b)
    return _Null(differences, SignedTest.of(projection, question).reached(differences))


def _function_null(
    projection: Projection,
    question: Question,
    bound: BoundFunction,
    plan: ShufflePlan,
    sums: Floats,
) -> _Null:
    a, b = question.a, question.b
    totals = projection.totals[list(bound.forms)]
    differences = function_differences(plan, bound, [(a, b)], totals, sums)[0]
    first, second = (float(projection.score(bound, system)) for system in (a, b))
    threshold = float_threshold(first, second, question.tail)
    extreme = reaches_threshold(differences, threshold, sign_of(question.tail))
    return _Null(differences, extreme)


def _binned(null: _Null) -> Histogram:
    """Return values counted in bins of equal width, alike on both sides of 0.

    0 is in the middle of a bin, except where values lie on a lattice that leaves it out: there it
    is between two bins, so that the points are in the middle of theirs. The measured difference
    may lie beyond the bins.
    """
    reach = float(np.abs(null.values).max())
    skips_zero = null.step is not None and bool(null.values[0] % null.step)
    if null.step is None:
        width = reach / _ARM or 1.0  # if every exchange gives the same score
    else:
        width = _lattice_width(null.step, reach, skips_zero)
    shift = 0.5 if skips_zero else 0.0
    # Rounded to even on an edge, the last digits left out, so that a histogram and its mirror image
    # agree.
    places = np.rint(np.round(null.values / width - shift, 9)).astype(np.int64)
    highest = round(reach / width - shift)
    lowest = -highest - (1 if skips_zero else 0)
    bins = highest - lowest + 1
    return Histogram(
        start=(lowest - 0.5 + shift) * width * null.item,
        width=width * null.item,
        counts=tuple(np.bincount(places - lowest, minlength=bins).tolist()),
        extreme=tuple(np.bincount(places[null.extreme] - lowest, minlength=bins).tolist()),
        shuffles=len(places),
    )


def _lattice_width(step: float, reach: float, skips_zero: bool) -> float:
    """Return the width of bins with equally many lattice points each, or combs would appear.

    The points are all multiples of the step, or all odd multiples of half a step. In the first case
    bins are an odd number of steps wide, so that no point lies on an edge.
    """
    steps = max(1, math.ceil(reach / ((_LATTICE_ARM + 0.5) * step)))
    if steps % 2 == 0 and not skips_zero:
        steps += 1
    return steps * step
