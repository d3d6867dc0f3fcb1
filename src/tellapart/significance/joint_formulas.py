"""Formulas of joint corrections: step-down maxT and minP (Westfall and Young), randomized Tukey.

All of them take statistics of which larger ones speak more against the null hypothesis:
absolute differences for two-sided tests. A shuffled statistic reaches an observed one also when it
falls short by rounding (1e-12 of its size), so that ties count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError

_TIE = 1e-12  # rounding within which statistics are tied, of their size

Floats = NDArray[np.float64]


@dataclass(slots=True, eq=False)
class MaxT:
    """Counts of shuffles whose largest statistic reaches each pair's observed one.

    Filled shard by shard with `add`; accumulators of the same observed statistics that ran side
    by side are joined with `merge`. Statistics of pairs are compared with each other, so that the
    caller divides observed and shuffled ones by each pair's root mean square over the shuffles
    (or leaves both as they are).

    >>> tests = MaxT(np.array([3.0, 2.0]), single_step=False)
    >>> tests.add(np.array([[3.0, 0.5], [1.0, 2.5], [0.0, 1.0]]))
    >>> tests.adjusted(enumerated=False)
    array([0.5, 0.5])
    """

    observed: Floats
    single_step: bool
    counts: NDArray[np.int64] = field(init=False)  # per pair, in the order of `observed`
    shuffles: int = field(init=False, default=0)
    _maxima: list[Floats] = field(init=False, repr=False, default_factory=list)
    _order: NDArray[np.intp] = field(init=False, repr=False)  # pairs, largest statistic first

    def __post_init__(self) -> None:
        self.observed = _checked_observed(self.observed)
        self.counts = np.zeros(self.observed.size, dtype=np.int64)
        self._order = np.argsort(-self.observed, kind="stable")

    def add(self, null: NDArray[Any]) -> None:
        """Count a shard of shuffled statistics (shuffles × pairs)."""
        last_first = self._order[::-1]
        largest = _checked_null(null, self.observed)[:, last_first]
        if self.single_step:
            largest = largest.max(axis=1, keepdims=True, initial=-np.inf)
        else:
            # Each column becomes the maximum over its pair and those ranked below it.
            np.maximum.accumulate(largest, axis=1, out=largest)
        self._maxima.append(largest[:, -1].copy())
        reached = largest >= _reach(self.observed)[last_first]  # shuffles × pairs
        self.counts[last_first] += np.count_nonzero(reached, axis=0)
        self.shuffles += len(reached)

    def merge(self, other: MaxT) -> None:
        """Add the counts of another accumulator."""
        if self.single_step != other.single_step or not np.array_equal(
            self.observed, other.observed
        ):
            raise UsageError("only maxT counts of the same statistics and kind can be merged")
        self.counts += other.counts
        self.shuffles += other.shuffles
        self._maxima += other._maxima

    def largest(self, alpha: float) -> float:
        """Return the single-step critical value: what the largest statistic reaches so rarely."""
        return upper_end(np.concatenate(self._maxima), alpha)

    def adjusted(self, enumerated: bool) -> Floats:
        """Return the adjusted p-values, in the order of `observed`.

        With `enumerated` the shuffles were all assignments, each once (the observed one among
        them), or all of one half where the other half mirrors it.
        """
        p_values = _p_values(self.counts, self.shuffles, enumerated)
        if not self.single_step:
            p_values[self._order] = np.maximum.accumulate(p_values[self._order])
        return p_values


def min_p(observed: ArrayLike, null: NDArray[Any], enumerated: bool) -> Floats:
    """Return p adjusted by step-down minP: maxT with each pair's own shuffle p as statistic.

    `null` holds the statistics of all shuffles (shuffles × pairs); pairs need no common scale.

    >>> null = np.array([[1.0, 10.0], [0.0, 30.0], [0.5, 20.0]])
    >>> min_p(np.array([2.0, 15.0]), null, enumerated=False)
    array([0.5 , 0.75])
    """
    return min_p_values(observed, null, enumerated)[0]


def min_p_values(
    observed: ArrayLike, null: NDArray[Any], enumerated: bool
) -> tuple[Floats, Floats]:
    """Return the adjusted p-values, and the smallest raw p over all pairs of each shuffle."""
    statistics = _checked_observed(observed)
    null = _checked_null(null, statistics)
    # Random shuffles: the observed assignment is ranked with them, as one that could have been
    # drawn. Without it the most extreme shuffle of a pair would have a larger p than an observed
    # value beyond all shuffles of another pair, and no number of pairs would raise that one's p.
    rows = null if enumerated else np.vstack([null, statistics])
    ascending = np.sort(rows, axis=0)
    observed_ranks = np.array(
        [_reaching(ascending[:, j], statistics[j]) for j in range(statistics.size)], dtype=np.int64
    )
    order = np.argsort(observed_ranks, kind="stable")  # smallest p first
    smallest = np.full(len(null), len(rows) + 1)  # per shuffle, over the pairs seen so far
    counts = np.zeros(statistics.size, dtype=np.int64)
    for j in order[::-1]:
        smallest = np.minimum(smallest, _reaching(ascending[:, j], null[:, j]))
        counts[j] = np.count_nonzero(smallest <= observed_ranks[j])
    p_values = _p_values(counts, len(null), enumerated)
    p_values[order] = np.maximum.accumulate(p_values[order])
    return p_values, smallest / len(rows)


def upper_end(values: Floats, alpha: float) -> float:
    """Return the value that no more than a share alpha of the shuffles reaches, or nearly so."""
    allowed = max(1, math.floor(alpha * (len(values) + 1)))
    return float(np.partition(values, -allowed)[-allowed])


def tukey(observed_differences: ArrayLike, ranges: ArrayLike, enumerated: bool = False) -> Floats:
    """Return p of randomized Tukey HSD: how often the range of all scores reaches |difference|.

    `ranges` has one range for each permutation of all systems' results within items. It
    supposes the complete null hypothesis, that no system differs from any other.

    >>> tukey([0.5, -0.2], ranges=[0.1, 0.2, 0.3])
    array([0.25, 0.75])
    """
    differences = np.abs(_checked_observed(observed_differences))
    ascending = np.sort(np.asarray(ranges, dtype=np.float64))
    return _p_values(_reaching(ascending, differences), ascending.size, enumerated)


def _reach(values: Floats) -> Floats:
    """Return the least values that count as reaching the given ones."""
    return values - _TIE * np.abs(values)


def _reaching(ascending: Floats, values: Floats) -> NDArray[np.int64]:
    """Return for each value how many of the sorted ones reach it."""
    return ascending.size - np.searchsorted(ascending, _reach(values), side="left")


def _p_values(counts: NDArray[np.int64], shuffles: int, enumerated: bool) -> Floats:
    if not enumerated:
        return (counts + 1) / (shuffles + 1)
    if shuffles == 0 or np.any(counts == 0):
        raise UsageError(
            "an enumeration has the observed assignment among its own, but no statistic reaches "
            "the observed one; give enumerated=False for shuffles drawn at random"
        )
    return counts / shuffles


def _checked_observed(observed: ArrayLike) -> Floats:
    values = np.asarray(observed, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise UsageError("the observed statistics must be a list of finite numbers, one per pair")
    return values


def _checked_null(null: NDArray[Any], observed: Floats) -> Floats:
    values = np.asarray(null, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != observed.size:
        raise UsageError(
            f"shuffled statistics need one column for each of {observed.size} pairs, "
            f"but come as an array of shape {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise UsageError(
            "shuffled statistics must be finite; a pair that no shuffle changes has the "
            "statistic 0, whatever it is divided by"
        )
    return values
