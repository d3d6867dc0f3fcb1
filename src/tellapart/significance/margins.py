"""Margins: whether a loss that would matter is ruled out, for all candidates, and the interval.

A system is no worse than another if a loss of the margin or more is rejected by a one-sided test;
two are equivalent if that goes for both. Tests are inverted to the interval that is shown, so that
what decides is what is printed. Right and wrong items: the score test of paired proportions, exact
for few items. All else: the score test of a bounded mean, where an item might have lost all. Where
runs of a system vary, their noise must allow it, too. No test supposes that differences are
symmetric, or that items are alike because those seen were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.significance.bootstrap_tests import jackknife
from tellapart.significance.bounded_means import BoundedMean
from tellapart.significance.corrections import adjust, per_comparison_level
from tellapart.significance.dispatch import Settings
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.options import Options
from tellapart.significance.paired_proportions import (
    EXACT_ITEMS,
    exact_low_end,
    exact_p,
    tango_interval,
    tango_p,
)
from tellapart.significance.questions import Question
from tellapart.significance.registry import JOINT
from tellapart.significance.varying_runs import RunNoise, pair_noise

Floats: TypeAlias = NDArray[np.float64]

SMALLEST_P = 5e-324
"""The smallest float above 0: what stands for a p too small for one"""


@dataclass(frozen=True, slots=True)
class MarginDecision:
    """What is shown of one pair and a margin, and the interval that decides it."""

    interval: Interval | None = None
    interval_level: float | None = None
    equivalent: bool | None = None
    a_no_worse: bool | None = None
    b_no_worse: bool | None = None
    p_a_no_worse: float | None = None
    p_b_no_worse: float | None = None
    p_a_no_worse_adjusted: float | None = None
    p_b_no_worse_adjusted: float | None = None


class Evidence(Protocol):
    """What the items say about how far one system is ahead of another, upwards being better."""

    @property
    def method(self) -> str:
        """The name of the test that is inverted."""

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that a one-sided test at alpha does not reject."""

    def mirrored(self) -> Evidence:
        """Return the same seen from the other system."""


@dataclass(frozen=True, slots=True)
class RightOrWrong:
    """Items that one system alone has right, the other alone, and all.

    >>> RightOrWrong(0, 0, 30).p_loss(0.02) > 0.5  # thirty items alike rule out no loss of 0.02
    True
    """

    won: int
    lost: int
    items: int

    @property
    def method(self) -> str:
        """The name of the test that is inverted."""
        return "exact score" if self.items <= EXACT_ITEMS else "score"

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""
        if margin >= 1:  # more than can be lost
            return 0.0 if margin > 1 or self.lost < self.items else 1.0
        if self.items <= EXACT_ITEMS:
            return exact_p(self.won, self.lost, self.items, margin)
        return float(tango_p(self.won, self.lost, self.items, margin))

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that is not rejected."""
        if self.items <= EXACT_ITEMS:
            return exact_low_end(self.won, self.lost, self.items, alpha)
        return float(tango_interval(self.won, self.lost, self.items, 1 - 2 * alpha)[0])

    def mirrored(self) -> RightOrWrong:
        """Return the same seen from the other system."""
        return RightOrWrong(self.lost, self.won, self.items)


@dataclass(frozen=True, slots=True)
class Graded:
    """Differences of items (clusters), and what they might have been, as a bounded mean."""

    differences: BoundedMean
    method: str = "bounded score"

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""
        return self.differences.p_not_above(-margin)

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that is not rejected."""
        return self.differences.low_end(alpha)

    def mirrored(self) -> Graded:
        """Return the same seen from the other system."""
        return Graded(self.differences.mirrored())


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """What these runs of the systems say, and the noise of runs that could be others."""

    of_these: Evidence
    noise: RunNoise
    method: str = "runs"

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""
        return max(self.of_these.p_loss(margin), self.noise.p("greater", -margin))

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that is not rejected: by these runs, or for others."""
        return min(self.of_these.low_end(alpha), self.noise.ends(1 - 2 * alpha)[0])

    def mirrored(self) -> OtherRuns:
        """Return the same seen from the other system."""
        turned = replace(self.noise, difference=-self.noise.difference)
        return OtherRuns(self.of_these.mirrored(), turned)


def decide_margins(
    projection: Projection,
    questions: Sequence[Question],
    families: Sequence[Sequence[int]],
    settings: Settings,
) -> list[MarginDecision]:
    """Return what is shown of every pair and the margin of the options, corrected by family."""
    options, names = settings.options, projection.counts.names
    assert options.margin is not None
    # Of two systems the last is in question, as against a baseline.
    baseline = options.baseline or (names[0] if len(names) == 2 else None)
    found = [evidence(projection, question, settings.runs_vary) for question in questions]
    decisions = [MarginDecision() for _ in questions]
    for family in families:
        known = [k for k in family if found[k] is not None]
        if not known:
            continue
        pairs = [_Tested.of(found[k], options.margin) for k in known]
        first = [names[questions[k].a] == baseline if baseline else None for k in known]
        adjusted = _adjusted(pairs, first, options.correction, len(family))
        level = _single_level(options.correction, options.alpha, len(family))
        for k, pair, p_values in zip(known, pairs, adjusted, strict=True):
            decision = _decision(pair, p_values, options, level)
            higher = questions[k].bound.metric.higher_is_better
            decision = decision if higher else _downwards(decision)
            decisions[k] = _possible(decision, projection, questions[k], options.margin)
    return decisions


@dataclass(frozen=True, slots=True)
class _Tested:
    """The evidence of a pair, and the p-values against a loss of its first and second system."""

    evidence: Evidence
    p_first: float
    p_second: float

    @classmethod
    def of(cls, found: Evidence | None, margin: float) -> _Tested:
        assert found is not None
        p_first, p_second = (each.p_loss(margin) for each in (found, found.mirrored()))
        return cls(found, max(p_first, SMALLEST_P), max(p_second, SMALLEST_P))


def _adjusted(
    pairs: Sequence[_Tested], baseline_first: Sequence[bool | None], correction: str, size: int
) -> list[tuple[float, float]]:
    """Return adjusted p-values for the first and the second system of each pair.

    In question is the system that is held against a baseline or, without one, whether two systems
    are equivalent: those claims are corrected as the option says (by Holm where it needs
    shuffles), the others one by one. No two claims about a pair can both be wrong, so that a family
    has as many as it has pairs.
    """
    correction = "holm" if correction in JOINT else correction
    single = [
        tuple(_one_of(p, correction, size) for p in (pair.p_first, pair.p_second)) for pair in pairs
    ]
    asked = [
        max(pair.p_first, pair.p_second)
        if is_first is None
        else pair.p_second
        if is_first
        else pair.p_first
        for pair, is_first in zip(pairs, baseline_first, strict=True)
    ]
    missing = size - len(pairs)  # a test that is undefined counts, with p = 1
    joint = adjust([*asked, *[1.0] * missing], correction)[: len(pairs)].tolist()
    found = []
    for (p_first, p_second), p, is_first in zip(single, joint, baseline_first, strict=True):
        if is_first is None:
            # Two that are equivalent are each no worse than the other.
            found.append((min(p_first, p), min(p_second, p)))
        else:
            found.append((p_first, p) if is_first else (p, p_second))
    return found


def _one_of(p: float, correction: str, size: int) -> float:
    """Return a p-value corrected for so many claims, whatever those of the others."""
    if correction == "none":
        return p
    if "sidak" in correction:
        return -math.expm1(size * math.log1p(-p)) if p < 1 else 1.0
    return min(1.0, p * size)


def _single_level(correction: str, alpha: float, size: int) -> float:
    """Return the one-sided level of an interval that holds for all pairs of a family at once."""
    if correction == "none":
        return alpha
    return per_comparison_level(alpha, size) if "sidak" in correction else alpha / size


def _decision(
    pair: _Tested, adjusted: tuple[float, float], options: Options, level: float
) -> MarginDecision:
    """Return what is shown of a pair, its interval ended at the margin where that is decided."""
    margin = options.margin or 0.0
    first, second = (p <= options.alpha for p in adjusted)
    interval = None
    if options.intervals and level < 0.5:
        low = _end(pair.evidence, level, margin, kept=first)
        high = -_end(pair.evidence.mirrored(), level, margin, kept=second)
        interval = Interval(low, high, pair.evidence.method)
    return MarginDecision(
        interval,
        None if interval is None else 1 - 2 * level,
        first and second,
        first,
        second,
        pair.p_first,
        pair.p_second,
        *adjusted,
    )


def _end(found: Evidence, level: float, margin: float, *, kept: bool) -> float:
    """Return the lower end; a loss of the margin lies beyond it exactly if that is rejected.

    A step-down correction may reject it where the end at the level of all pairs does not.
    """
    end = found.low_end(level)
    return max(end, -margin) if kept else min(end, -margin)


def _downwards(decision: MarginDecision) -> MarginDecision:
    """Return a decision about scores of which less is better, in terms of first minus second."""
    if decision.interval is None:
        return decision
    low, high = decision.interval.ends
    turned = Interval(None if high is None else -high, None if low is None else -low,
                      decision.interval.method)  # fmt: skip
    return replace(decision, interval=turned)


def _possible(
    decision: MarginDecision, projection: Projection, question: Question, margin: float
) -> MarginDecision:
    """Return a decision with the part of its interval that differences of the metric can have.

    Items without an answer weigh nothing in a ratio, so that its test looks beyond; the interval
    still passes a margin that is larger than any difference, where that is not rejected.
    """
    bound = question.bound
    if decision.interval is None or not isinstance(bound, BoundRatio):
        return decision
    ranges = [_range_of(projection, bound, system) for system in (question.a, question.b)]
    least, most = ranges[0][0] - ranges[1][1], ranges[0][1] - ranges[1][0]
    inside = decision.interval.within(min(least, -margin), max(most, margin))
    return replace(decision, interval=inside)


def evidence(
    projection: Projection, question: Question, runs_vary: bool = False
) -> Evidence | None:
    """Return what the items say about a pair; None where a system or the metric tells nothing."""
    bound, a, b = question.bound, question.a, question.b
    found = _right_or_wrong(projection, bound, a, b) or _graded(projection, bound, a, b)
    noise = pair_noise(projection, bound, a, b) if runs_vary else None
    if found is not None and noise is not None:
        found = OtherRuns(found, noise)
    return found if found is None or bound.metric.higher_is_better else found.mirrored()


def _graded(projection: Projection, bound: Bound, a: int, b: int) -> Evidence | None:
    """Return the differences of the items, where both systems have a score."""
    first, second = (_item_parts(projection, bound, system) for system in (a, b))
    if first is None or second is None:
        return None
    lowest, highest = first.worst - second.best, first.best - second.worst
    return Graded(BoundedMean.of(first.values - second.values, lowest, highest))


def _right_or_wrong(projection: Projection, bound: Bound, a: int, b: int) -> RightOrWrong | None:
    """Return the discordant items, if each item counts alike and is right or wrong."""
    if not isinstance(bound, BoundRatio):
        return None
    values, sizes = (
        projection.forms[form, [a, b]] for form in (bound.numerator, bound.denominator)
    )
    one = int(sizes[0, 0]) / bound.factor  # of a score of 1
    if one == 0 or one.denominator != 1 or (sizes != sizes[0, 0]).any():
        return None
    right = values == int(one)
    if not (right | (values == 0)).all():
        return None
    won, lost = right[0] & ~right[1], right[1] & ~right[0]
    return RightOrWrong(int(won.sum()), int(lost.sum()), values.shape[1])


@dataclass(frozen=True, slots=True)
class _ItemParts:
    """What each item (cluster) contributes to a score, so that the mean is the score; the ends."""

    values: Floats
    worst: float
    best: float


def _item_parts(projection: Projection, bound: Bound, system: int) -> _ItemParts | None:
    """Return what items contribute to a system's score, to the first order."""
    if isinstance(bound.metric, ItemFunction):
        return None
    if not isinstance(bound, BoundRatio):
        return _jackknifed(projection, bound, system)
    factor = float(bound.factor)
    tops = factor * projection.forms[bound.numerator, system].astype(np.float64)
    bottoms = projection.forms[bound.denominator, system].astype(np.float64)
    if bottoms.sum() == 0:
        return None
    score, average = float(tops.sum() / bottoms.sum()), float(bottoms.mean())
    values = score + (tops - score * bottoms) / average
    some = bottoms > 0
    lowest, highest = _range(tops[some] / bottoms[some])
    # Another item of average size, among those that have any, with the worst and the best score.
    size = float(bottoms[some].mean()) / average
    return _ItemParts(values, score + (lowest - score) * size, score + (highest - score) * size)


def _range_of(projection: Projection, bound: BoundRatio, system: int) -> tuple[float, float]:
    """Return the lowest and the highest score that a ratio of sums over such items might have."""
    tops, bottoms = (
        projection.forms[form, system].astype(np.float64)
        for form in (bound.numerator, bound.denominator)
    )
    some = bottoms > 0
    if (bottoms < 0).any() or tops[~some].any() or not some.any():
        return -math.inf, math.inf
    return _range(float(bound.factor) * tops[some] / bottoms[some])


def _jackknifed(projection: Projection, bound: Bound, system: int) -> _ItemParts:
    """Return the jackknife's pseudo-values, moved so that their mean is the score."""
    score, items = float(projection.score(bound, system)), len(projection.counts.items)
    values = np.full(items, score)
    if items > 1:
        left_out = jackknife(projection, bound, system)
        values = score - (items - 1) * (left_out - left_out.mean())
    return _ItemParts(values, *_range(values))


def _range(scores: Floats) -> tuple[float, float]:
    """Return the lowest and the highest score that items might have: 0, and all that were seen.

    Where all lie between 0 and 1 the highest is 1.
    """
    lowest, highest = min(0.0, float(scores.min())), max(0.0, float(scores.max()))
    return (0.0, 1.0) if lowest == 0 and highest <= 1 else (lowest, highest)
