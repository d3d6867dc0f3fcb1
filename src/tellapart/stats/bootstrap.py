"""The bootstrap: sums over items drawn with replacement, the same draw for all systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike

import tellapart.engine as engine
from tellapart.console import Progress, no_progress
from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.exchange import Score, ratio_of_sums, whole_columns
from tellapart.stats.result import Flags, Floats, Interval, Ints, Test, sign_of, tie_slack
from tellapart.stats.shuffles import distinct_rows, reaches, thresholds_of
from tellapart.stats.streams import WorkerPool

RESAMPLES = 9_999
MOST_SUMS = 1 << 30
"""Resampled sums that are kept at a time: 8 GB"""

_BLOCK = 64  # resamples that share one stream
_ENUMERATED = 6  # up to so many items, all n^n resamples are taken
_TASK_SUMS = 1 << 20  # that one task returns at most
_GROUPED_ITEMS = 100_000  # from here on, items with equal rows are drawn together


def bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Score | None = None,
    alternative: str = "two-sided",
    n_resamples: int = RESAMPLES,
    rng: int = 0,
) -> Test:
    """Test whether two systems score alike, by resampling items and shifting to the null.

    p is the share of resamples whose difference is as far from the observed one as that is from 0.

    Args:
        a: whole numbers, items × columns: what each item adds to the first system's sums.
        b: the same for the second system.
        statistic: the score as a vectorised function of sums, which run along the last axis; by
            default, the sum of the first column over that of the second one.
        alternative: ``two-sided``, ``greater`` (a is better) or ``less``.
        n_resamples: how many resamples to draw; all are taken of up to six items.
        rng: the seed.

    >>> tp_and_predicted = [[3, 4], [2, 2], [4, 5]], [[1, 4], [1, 2], [0, 5]]
    >>> round(bootstrap(*tp_and_predicted).p, 4)
    0.037
    """
    columns = whole_columns(a, b).swapaxes(0, 1)  # systems × columns × items
    score, width = statistic or ratio_of_sums, columns.shape[1]
    sums, times = resample(columns.reshape(2 * width, -1).T, n_resamples, rng)
    differences = score(sums[:, :width]) - score(sums[:, width:])
    one, other = (float(score(values.sum(axis=1))) for values in columns)
    return shifted_test(differences, one, other, sign_of(alternative), times)


def shifted_test(
    drawn: Floats, score_a: float, score_b: float, sign: int, times: Ints | None
) -> Test:
    """Return the test of resampled differences, shifted so that their mean is 0."""
    observed = score_a - score_b
    threshold = float(thresholds_of(observed, tie_slack(score_a, score_b), sign))
    return share_reached(reaches(drawn - observed, threshold, sign), times)


def share_reached(reached: Flags, times: Ints | None) -> Test:
    """Return the test of which p is the share of resamples that reach a threshold."""
    if times is None:
        count, total = int(np.count_nonzero(reached)), len(reached)
        p = (count + 1) / (total + 1)
        return Test(p, "bootstrap", n_resamples=total, exceedances=count)
    count, total = int(times[reached].sum()), int(times.sum())
    # All resamples of a few items may fall short of the threshold: even then p is not 0.
    return Test(max(count, 1) / total, "bootstrap", exceedances=count, arrangements=total)


def resample(
    rows: Ints,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    pool: WorkerPool | None = None,
    *,
    strata: Ints | None = None,
    times: Ints | None = None,
    progress: Progress = no_progress,
) -> tuple[Ints, Ints | None]:
    """Return sums of rows (items × columns) over items drawn with replacement: resamples × columns.

    Of a few items all resamples are taken, and beside the sums stands how many each is; else None.
    Every resample keeps the sizes of the numbered `strata`. `times` is how many items each row
    stands for, where data were reduced to their distinct rows.
    """
    if n_resamples * rows.shape[1] > MOST_SUMS:
        raise UsageError(
            f"{n_resamples:,} resamples would not fit in memory: draw at most "
            f"{MOST_SUMS // rows.shape[1]:,}"
        )
    if len(rows) <= _ENUMERATED and strata is None and times is None:
        weights, multiplicities = all_resamples(len(rows))
        return weights @ rows, multiplicities
    if times is None and strata is None and len(rows) >= _GROUPED_ITEMS:
        kinds, counts = np.unique(rows, axis=0, return_counts=True)
        if len(kinds) <= len(rows) // 20:
            rows, times = kinds, counts
    different, places = distinct_rows(rows.T)
    work = _Drawing.of(rows[:, different], strata, times, seed)
    blocks = streams.shares(n_resamples, _BLOCK)
    pool = pool or WorkerPool()
    size = max(1, min(len(blocks) // (4 * pool.count), _TASK_SUMS // (_BLOCK * rows.shape[1])))
    tasks = [blocks[k : k + size] for k in range(0, len(blocks), size)]
    parts = pool.map(work.sums, tasks, progress, "resamples")
    return np.concatenate([part[:, places] for part in parts]), None


def all_resamples(items: int) -> tuple[Ints, Ints]:
    """Return the distinct weights of all n^n resamples of a few items, and their multiplicities.

    >>> weights, times = all_resamples(2)
    >>> weights.tolist(), times.tolist()
    ([[2, 0], [1, 1], [0, 2]], [1, 2, 1])
    """
    draws = combinations_with_replacement(range(items), items)
    weights = np.array([np.bincount(draw, minlength=items) for draw in draws], np.int64)
    factorials = np.array([math.factorial(k) for k in range(items + 1)], np.int64)
    return weights, factorials[items] // factorials[weights].prod(axis=1)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Rows to be drawn with replacement: place j of a resample draws from a stratum of them."""

    rows: Ints  # items × columns, stratum by stratum
    starts: Ints
    """Per place, where its stratum begins"""
    sizes: Ints
    """Per place, how many items its stratum has"""
    times: Ints | None
    seed: int

    @classmethod
    def of(cls, rows: Ints, strata: Ints | None, times: Ints | None, seed: int) -> _Drawing:
        n = len(rows)
        if strata is None:
            starts, sizes = np.zeros(n, np.int64), np.full(n, n)
            return cls(np.ascontiguousarray(rows), starts, sizes, times, seed)
        order = np.argsort(strata, kind="stable")
        times = None if times is None else times[order]
        _, first, counts = np.unique(strata[order], return_index=True, return_counts=True)
        starts = np.repeat(first, counts).astype(np.int64)
        sizes = np.repeat(counts, counts)
        return cls(np.ascontiguousarray(rows[order]), starts, sizes, times, seed)

    def sums(self, blocks: list[tuple[int, int]]) -> Ints:
        """Return the sums of the resamples of some blocks, all but the last of which are whole."""
        if self.times is not None:
            return np.concatenate([self._grouped(*block) for block in blocks])
        seeds = np.stack([streams.seeds(self.seed, k, streams.BOOTSTRAP) for k, _ in blocks])
        if engine.active() == "numpy":
            weights = (self._weights(start, n) for start, (_, n) in zip(seeds, blocks, strict=True))
            return np.array([self.rows.T @ row for block in weights for row in block])
        assert engine.native is not None
        draws = np.full(sum(n for _, n in blocks), len(self.rows))
        out = np.empty((len(draws), self.rows.shape[1]), np.int64)
        engine.native.resample(
            self.rows, self.starts, self.sizes, draws, seeds, out, engine.active()
        )
        return out

    def _weights(self, start: streams.Words, n: int) -> Iterator[Ints]:
        """Yield how often each item is drawn, resample by resample."""
        stream, items = streams.Stream(start), len(self.rows)
        for _ in range(n):
            words = stream.words(-(-items // streams.LANES) * streams.LANES)[:items]
            fractions = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
            drawn = self.starts + (fractions * self.sizes).astype(np.int64)
            yield np.bincount(drawn, minlength=items)

    def _grouped(self, block: int, n: int) -> Ints:
        """Return sums where each row stands for many items: a multinomial draw per stratum."""
        assert self.times is not None
        generator = streams.generator(self.seed, streams.BOOTSTRAP, block)
        sums = np.zeros((n, self.rows.shape[1]), np.int64)
        for start in np.unique(self.starts):
            own = self.starts == start
            times, items = self.times[own], int(self.times[own].sum())
            sums += generator.multinomial(items, times / max(items, 1), n) @ self.rows[own]
        return sums


def bca(
    drawn: Floats,
    observed: float,
    left_out: Floats,
    confidence_level: float = 0.95,
    times: Ints | None = None,
    items: Ints | None = None,
) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval (Efron 1987).

    `left_out` are the values without each item in turn, `items` how many items each stands for, and
    `times` how many resamples each drawn value stands for. Falls back to the percentile interval,
    and says so, where all resamples lie on one side or leaving out an item changes nothing. A level
    that the draws are too few for is reached by widening the interval at one that they allow.

    >>> bca(np.arange(1.0, 1000.0), 500.0, np.array([499.0, 500.0, 501.0])).ends
    (25.0, 975.0)
    """
    from scipy.special import ndtri

    within = min(confidence_level, 1 - 10 / (len(drawn) + 1)) if times is None else confidence_level
    interval = _bca(drawn, observed, left_out, within, times, items)
    if within == confidence_level or interval.low is None or interval.high is None:
        return interval
    factor = float(ndtri((1 + confidence_level) / 2) / ndtri((1 + within) / 2))
    low, high = (observed + factor * (end - observed) for end in (interval.low, interval.high))
    return Interval(low, high, interval.method)


def _bca(
    drawn: Floats,
    observed: float,
    left_out: Floats,
    level: float,
    times: Ints | None,
    items: Ints | None,
) -> Interval:
    from scipy.special import ndtr, ndtri

    weight = np.ones(len(drawn)) if times is None else times
    slack = 1e-12 * max(1.0, abs(observed))
    below = float(weight[drawn < observed - slack].sum())
    tied = float(weight[np.abs(drawn - observed) <= slack].sum())
    fraction = (below + tied / 2) / float(weight.sum())
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    often = np.ones(len(left_out)) if items is None else items
    moves = float(often @ left_out) / float(often.sum()) - left_out
    squares = float(often @ (moves * moves))
    method = "percentile (BCa not possible)"
    if 0 < fraction < 1 and squares > 1e-30 * max(1.0, observed**2):
        acceleration = float(often @ (moves * moves * moves)) / (6 * squares**1.5)
        shifted = float(ndtri(fraction)) + ndtri(tails)
        if (acceleration * shifted < 1).all():
            tails = ndtr(ndtri(fraction) + shifted / (1 - acceleration * shifted))
            method = "bca"
    low, high = quantiles(drawn, tails.tolist(), times)
    return Interval(low, high, method)


def quantiles(drawn: Floats, levels: list[float], times: Ints | None = None) -> list[float]:
    """Return order statistics of drawn values, rounded away from the middle.

    With `times` the distribution is enumerated, and a quantile is the smallest value whose
    cumulative share reaches its level.
    """
    if times is None:
        places = [_order_statistic(level, len(drawn)) - 1 for level in levels]
        ordered = np.partition(drawn, sorted(set(places)))
        return [float(ordered[k]) for k in places]
    order = np.argsort(drawn, kind="stable")
    ordered, reached = drawn[order], np.cumsum(times[order]) / int(times.sum())
    # A level such as 1 - 0.025 is not exact: allow for its last bits.
    places = np.searchsorted(reached, np.array(levels) - 1e-12).tolist()
    return [float(ordered[min(k, len(ordered) - 1)]) for k in places]


def _order_statistic(level: float, n: int) -> int:
    rank = (n + 1) * level
    nearest = round(rank)
    if abs(rank - nearest) > 1e-6:
        nearest = math.floor(rank) if level < 0.5 else math.ceil(rank)
    return min(max(nearest, 1), n)
