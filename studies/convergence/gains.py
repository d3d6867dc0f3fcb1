"""Gains of a system on a test set that its makers worked with, and on one that nobody looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.core import scores_of
from tellapart.comparison.testing import Work, resampled_scores
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError
from tellapart.metrics.runs import average_runs
from tellapart.stats.streams import open_pool
from tellapart.words import listed

LEVEL: Final = 0.95
RESAMPLES: Final = 9_999
FEWEST_ITEMS: Final = 20
"""With fewer, an interval would be too rough to be given"""
_TAIL: Final = (1 - LEVEL) / 2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gain:
    """The score of a system before and after, on one test set."""

    items: int
    before: float
    after: float
    gain: float
    """Positive is better, also where lower scores are"""
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Convergence:
    """The gains on a seen and on an unseen test set, and their ratio where it can be told."""

    metric: str
    seen: Gain
    unseen: Gain
    ratio: float | None
    """Unseen over seen; None where nothing was gained on the seen set"""
    interval: tuple[float, float] | None
    """None where the gain on the seen set is not clearly above zero: any ratio is possible"""
    no_gain: float
    """The share of resamples in which nothing was gained on the seen set"""


def converge(
    seen: Sequence[Counts],
    unseen: Sequence[Counts],
    metric: str,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Convergence:
    """Return the gains on two test sets, each given as the counts before and after.

    Items are drawn with replacement, before and after together; the two sets independently.

    >>> before, after = ({"A": [0, 0, 0, 1] * 10}, {"A": [1, 1, 0, 1] * 10})
    >>> seen = [Counts.from_arrays(each) for each in (before, after)]
    >>> unseen = [Counts.from_arrays({"A": [0, 0, 1, 1] * 10}), seen[1]]
    >>> found = converge(seen, unseen, "mean", resamples=999)
    >>> found.seen.gain, found.unseen.gain, found.ratio
    (0.5, 0.25, 0.5)
    """
    # The same draws on both sets would make them dependent.
    second = int(np.random.SeedSequence((seed, 1)).generate_state(1, np.uint32)[0])
    seen_gain, seen_draws = _gain(seen, "seen", metric, resamples, seed)
    unseen_gain, unseen_draws = _gain(unseen, "unseen", metric, resamples, second)
    no_gain = float((seen_draws <= 0).mean())
    ratio = interval = None
    if seen_gain.gain > 0:
        ratio = unseen_gain.gain / seen_gain.gain
        if no_gain <= _TAIL:
            angle = math.atan2(unseen_gain.gain, seen_gain.gain)
            interval = _ratio_interval(angle, np.arctan2(unseen_draws, seen_draws))
    return Convergence(metric, seen_gain, unseen_gain, ratio, interval, no_gain)


def _gain(
    tables: Sequence[Counts], name: str, metric: str, resamples: int, seed: int
) -> tuple[Gain, Floats]:
    """Return the gain on one test set, and what it is in resamples of its items."""
    before_counts, after_counts = tables
    scores = scores_of(_joined(before_counts, after_counts, name), metric)
    with open_pool() as pool:
        (drawn_before, drawn_after), _ = resampled_scores(scores, resamples, seed, Work(pool))
    sign = 1 if scores.metric.higher_is_better else -1
    drawn = sign * (drawn_after - drawn_before)
    before, after = scores.values.tolist()
    low, high = np.quantile(drawn, [_TAIL, 1 - _TAIL]).tolist()
    gain = round(sign * (after - before), 12)
    return Gain(scores.n, before, after, gain, (low, high)), drawn


def _joined(before: Counts, after: Counts, name: str) -> Counts:
    """Return the two tables of one test set together, item by item."""
    alone = sorted(set(before.items) ^ set(after.items))
    if alone:
        raise DataError(
            f"the tables before and after of the {name} set do not have the same items "
            f"({listed(alone, most=5)}); score the same ones twice"
        )
    if before.columns != after.columns or before.form != after.form:
        raise DataError(
            f"the tables before and after of the {name} set have different columns: "
            f"{listed(before.columns)}, and {listed(after.columns)}"
        )
    if len(before.items) < FEWEST_ITEMS:
        raise DataError(
            f"the {name} set has {len(before.items)} items: give {FEWEST_ITEMS} or more"
        )
    return in_order(average_runs({"before": [before], "after": [after]}))


def _ratio_interval(measured: float, drawn: Floats) -> tuple[float, float] | None:
    """Return the ratios left when the tails of the directions of the two gains are cut off.

    Directions are angles with the gain on the seen set across and that on the unseen one up. Where
    nearly all gains on the seen set are positive this is the percentile interval of the ratio, and
    it is also the set of ratios that the resamples do not rule out (as Fieller's is). Steep
    directions turn over, and then no ratio can be ruled out.
    """
    turned = (drawn - measured + np.pi) % (2 * np.pi) - np.pi
    low, high = (measured + np.quantile(turned, [_TAIL, 1 - _TAIL])).tolist()
    if max(abs(low), abs(high)) >= math.pi / 2:
        return None
    return math.tan(low), math.tan(high)
