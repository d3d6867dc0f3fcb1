"""Margins in a comparison: whether a loss that would matter is ruled out, for all pairs at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tellapart.comparison.options import JOINT
from tellapart.comparison.scored import Scored, Tested
from tellapart.metrics.contributions import item_range, range_of
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.corrections import adjust
from tellapart.stats.intervals import BoundedMean
from tellapart.stats.margins import RightOrWrong
from tellapart.stats.result import SMALLEST_P, Floats, Interval, Ints
from tellapart.stats.runs import Spread

_FIELDS = (
    "a_no_worse", "b_no_worse", "p_a_no_worse", "p_b_no_worse", "p_a_adjusted", "p_b_adjusted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeadOfRuns:
    """What these runs of the systems say, and the spread of runs that could be others."""

    these_runs: RightOrWrong | BoundedMean
    spread: Spread
    method: str = "runs"

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""
        return max(self.these_runs.p_loss(margin), self.spread.p(1, -margin))

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that is not rejected: by these runs, or for others."""
        low = self.spread.interval(1 - 2 * alpha).low
        return min(self.these_runs.low_end(alpha), -math.inf if low is None else low)

    def mirrored(self) -> LeadOfRuns:
        """Return the same seen from the other system."""
        return LeadOfRuns(self.these_runs.mirrored(), self.spread.turned())


Lead: TypeAlias = RightOrWrong | BoundedMean | LeadOfRuns
"""What items say about how far one system is ahead of another, upwards being better"""
MarginDecision: TypeAlias = tuple[Interval | None, dict[str, Any]]
"""The interval that decides, and fields of the pair's record; none where nothing is told"""


def decide_margins(scored: Scored, tested: Tested) -> list[MarginDecision]:
    """Return for every pair what is shown of the margin, and the interval that decides it."""
    scores, options, size, pairs = scored.scores, scored.options, scored.family_size, tested.pairs
    assert options.margin is not None
    names = scores.systems
    # Of two systems the last is in question, as against a baseline.
    baseline = options.baseline or (names[0] if len(names) == 2 else None)
    leads: dict[int, Lead] = {}
    for k, ((a, b, _), spread) in enumerate(zip(pairs, tested.spreads, strict=True)):
        if (found := lead(scores, a, b, spread)) is not None:
            leads[k] = found
    losses = [(own.p_loss(options.margin), own.mirrored().p_loss(options.margin))
              for own in leads.values()]  # fmt: skip
    p_values = np.maximum(np.array(losses).reshape(-1, 2), SMALLEST_P)
    second = None
    if baseline is not None:
        second = np.array([names[pairs.a[k]] == baseline for k in leads], np.int64)
    adjusted = _adjusted(p_values, second, options.correction, size)
    decisions: list[MarginDecision] = [(None, {})] * len(pairs)
    both = zip(p_values.tolist(), adjusted.tolist(), strict=True)
    for (k, own), (raw, corrected) in zip(leads.items(), both, strict=True):
        a, b, _ = pairs[k]
        if scored.has_no_bound(a, b):
            continue
        interval = None
        if options.intervals and scored.strict_level < 0.5:
            interval = _interval(scores, a, b, own, scored.strict_level, options.margin)
        kept = (p <= options.alpha for p in corrected)
        decisions[k] = interval, dict(zip(_FIELDS, (*kept, *raw, *corrected), strict=True))
    return decisions


def _adjusted(p: Floats, in_question: Ints | None, correction: str, size: int) -> Floats:
    """Return adjusted p-values for the first and the second system of each pair: pairs × 2.

    In question is the system that is held against a baseline (0 for the first of a pair, 1 for the
    second) or, without one, whether two systems are equivalent: those claims are corrected as the
    option says (by Holm where it needs shuffles), the others one by one. No two claims about a pair
    can both be wrong, so that a family has as many as it has pairs.
    """
    correction, pairs = "holm" if correction in JOINT else correction, np.arange(len(p))
    adjusted = np.minimum(1.0, p if correction == "none" else size * p)
    asked = p.max(axis=1) if in_question is None else p[pairs, in_question]
    missing = np.ones(size - len(p))  # a test that is undefined counts, with p = 1
    joint = adjust(np.concatenate([asked, missing]), correction)[: len(p)]
    if in_question is None:  # two that are equivalent are each no worse than the other
        return np.minimum(adjusted, joint[:, None])
    adjusted[pairs, in_question] = joint
    return adjusted


def _interval(scores: Scores, a: int, b: int, found: Lead, level: float, margin: float) -> Interval:
    """Return the differences that the margin's test does not reject at a level."""
    interval = Interval(found.low_end(level), -found.mirrored().low_end(level), found.method)
    if not scores.metric.higher_is_better:
        interval = interval.scaled(-1)
    if not isinstance(scores, RatioScores):
        return interval
    # Items without an answer weigh nothing in a ratio, so that its test looks beyond what is
    # possible; a margin that is larger than any difference may still have to be passed.
    (low_a, high_a), (low_b, high_b) = (range_of(scores, system) for system in (a, b))
    return interval.within(min(low_a - high_b, -margin), max(high_a - low_b, margin))


def lead(scores: Scores, a: int, b: int, spread: Spread | None = None) -> Lead | None:
    """Return what the items say about a pair, upwards being better; None if that is nothing."""
    own = _right_or_wrong(scores, a, b) or _graded(scores, a, b)
    found = own if own is None or spread is None else LeadOfRuns(own, spread)
    return found if found is None or scores.metric.higher_is_better else found.mirrored()


def _right_or_wrong(scores: Scores, a: int, b: int) -> RightOrWrong | None:
    """Return the discordant items, if each item counts alike and is right or wrong."""
    if not isinstance(scores, RatioScores):
        return None
    values, sizes = scores.columns[:, [a, b]]
    one = int(sizes[0, 0]) / scores.factor  # the numerator of a score of 1
    if one == 0 or one.denominator != 1 or (sizes != sizes[0, 0]).any():
        return None
    right = values == int(one)
    if not (right | (values == 0)).all():
        return None
    times = np.ones(values.shape[1], np.int64) if scores.times is None else scores.times
    won, lost = (int(times[x].sum()) for x in (right[0] & ~right[1], right[1] & ~right[0]))
    return RightOrWrong(won, lost, scores.n)


def _graded(scores: Scores, a: int, b: int) -> BoundedMean | None:
    """Return the differences of the items, where both systems have a score."""
    if not (scores.is_defined(a) and scores.is_defined(b)):
        return None
    first, second = scores.per_item([a, b])
    (worst_a, best_a), (worst_b, best_b) = (item_range(scores, k, v) for k, v in
                                            ((a, first), (b, second)))  # fmt: skip
    apart = first - second
    return BoundedMean.of(apart, worst_a - best_b, best_a - worst_b, scores.times)
