"""Tests of many pairs at once, from shuffles that all share: step-down maxT and randomized Tukey.

A pair that is no better than chance must do worse than the best of all pairs does by chance. Since
all pairs see the same shuffles, it counts that pairs with a system in common go together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.console import Progress, no_progress
from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.exchange import all_subset_sums
from tellapart.stats.result import Floats, Ints, sample, sign_of, tie_slack
from tellapart.stats.shuffles import SubsetSums
from tellapart.stats.signed_sums import whole_numbers
from tellapart.stats.streams import WorkerPool

MAX_ENUMERATED = 14
"""Items that differ for any pair, up to which all shuffles are walked"""
_TIE = 1e-12  # of a statistic, within which another one ties with it
_PERMUTED = 64  # permutations that share one stream
_GRID = 1 << 30  # steps in the largest number, where numbers are no decimals


@dataclass(frozen=True, slots=True, eq=False)
class JointTest:
    """Adjusted p-values of a family of pairs.

    >>> max_t([[3, 2, 4, 1, 2], [1, -1, 0, 2, 0]]).n_resamples is None  # all signs were walked
    True
    """

    p: Floats
    simultaneous_error: float
    """How often the interval of each pair may miss, so that all intervals hold at once"""
    n_resamples: int | None
    """Shuffles that were drawn; None where all of them were walked"""


def max_t(
    columns: ArrayLike,
    weights: ArrayLike | None = None,
    observed: ArrayLike | None = None,
    *,
    slack: ArrayLike = 0.0,
    alternative: str = "two-sided",
    n_resamples: int = 9_999,
    rng: int = 0,
    alpha: float = 0.05,
    pool: WorkerPool | None = None,
    progress: Progress = no_progress,
) -> JointTest:
    """Return p-values of several pairs, adjusted by Westfall's and Young's step-down maxT.

    Each difference is divided by its root mean square over the shuffles. p is the share of shuffles
    whose largest difference, of this pair and those with smaller ones, reaches the pair's own.

    Args:
        columns: what each item adds to the difference of each pair: pairs × items. Or, with
            `weights`, whole numbers: columns × items.
        weights: of the columns, pairs × columns: the terms of a pair are weighted columns, whose
            signs are flipped.
        observed: with weights, the difference of each pair; by default, the sum of its terms.
        slack: how far a difference may fall short of the observed one and still be tied.
        alternative: ``two-sided``, ``greater`` (the first of each pair is better) or ``less``.
        n_resamples: shuffles to draw; where few items differ, all are walked instead.
        rng: the seed of the shuffles.
        alpha: the level at which the intervals of all pairs are to hold together.
        pool: where the shuffles are made.
        progress: what is told how far they are.

    >>> max_t([[3, 2, 4, 1, 2], [1, -1, 0, 2, 0]]).p
    array([0.0625, 0.75  ])

    """
    sign = sign_of(alternative)
    whole, weighed, actual, terms = _prepared(columns, weights, observed)
    thresholds = _directed(actual, sign) - np.maximum(slack, [tie_slack(x) for x in actual])
    size, moving = _rms(np.square(terms).sum(axis=1)), terms.any(axis=0)

    def reached(sums: Floats) -> tuple[Ints, Floats]:
        null = _directed(actual[:, None] - 2 * (weighed @ sums), sign)
        return _reached(null / size[:, None], thresholds / size)

    if int(moving.sum()) <= MAX_ENUMERATED:
        every = all_subset_sums(whole[:, moving]).astype(np.float64)
        count, largest = reached(every)
        p, drawn = count / every.shape[1], None
    else:
        pool, subsets = pool or WorkerPool(), SubsetSums(whole)
        parts = list(
            pool.map(
                lambda shard: reached(subsets.sums(rng, *shard)),
                streams.shares(n_resamples), progress, "shuffles",
            )
        )  # fmt: skip
        count = np.sum([part[0] for part in parts], axis=0)
        largest = np.concatenate([part[1] for part in parts])
        p, drawn = (count + 1) / (n_resamples + 1), n_resamples
    order = np.argsort(-thresholds / size, kind="stable")
    p[order] = np.maximum.accumulate(p[order])
    return JointTest(p, _error(_upper_end(largest, alpha), alpha, len(p), sign), drawn)


def _prepared(
    columns: ArrayLike, weights: ArrayLike | None, observed: ArrayLike | None
) -> tuple[Ints, Floats, Floats, Floats]:
    """Return whole columns, their weights, the observed differences, and the terms of each pair."""
    values = sample(columns, "columns", 2).astype(np.float64)
    if weights is None:
        values, weights = _terms(values), np.eye(len(values))
    if (values != np.rint(values)).any():
        raise UsageError("columns must hold whole numbers, to be summed exactly")
    weighed = sample(weights, "weights", 2).astype(np.float64)
    if weighed.shape[1] != len(values):
        raise UsageError(f"weights must hold one for each of {len(values)} columns")
    terms = weighed @ values
    actual = terms.sum(axis=1) if observed is None else np.asarray(observed, np.float64)
    # A term that is there by rounding alone is none.
    terms[np.abs(terms) <= _TIE * (np.abs(weighed) @ np.abs(values))] = 0.0
    return values.astype(np.int64), weighed, actual, terms


def _terms(values: Floats) -> Floats:
    """Return terms as whole numbers of their last decimal, or else of a fine grid."""
    whole = whole_numbers(values)
    if (whole == np.rint(whole)).all():
        return whole
    return np.asarray(np.rint(values * (_GRID / np.abs(values).max())))


def _directed(differences: Floats, sign: int) -> Floats:
    """Return differences, the larger ones speaking against the null."""
    return np.asarray(np.abs(differences) if sign == 0 else sign * differences)


def _rms(mean_squares: Floats) -> Floats:
    """Return root mean squares; 1 for identical systems, which never differ."""
    return np.sqrt(np.where(mean_squares == 0, 1.0, mean_squares))


def _reached(null: Floats, thresholds: Floats) -> tuple[Ints, Floats]:
    """Return how many shuffles reach each pair, and the largest difference of each shuffle.

    What reaches a pair is the largest of it and those whose observed differences are smaller.
    """
    ascending = np.argsort(-thresholds, kind="stable")[::-1]
    largest = np.maximum.accumulate(null[ascending], axis=0)
    reach = thresholds - _TIE * np.abs(thresholds)
    counts = np.empty(len(thresholds), np.int64)
    counts[ascending] = np.count_nonzero(largest >= reach[ascending, None], axis=1)
    return counts, largest[-1].copy()


def tukey(
    values: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    n_resamples: int = 9_999,
    rng: int = 0,
    alpha: float = 0.05,
    pool: WorkerPool | None = None,
    progress: Progress = no_progress,
) -> JointTest:
    """Return p-values of several pairs, adjusted by the randomized Tukey test (two-sided).

    The systems' values are permuted within each item. p is the share of permutations in which the
    best and the worst of all systems are as far apart as the pair. It supposes that no system
    differs from any other.

    Args:
        values: what each item adds to the score of each system: systems × items.
        pairs: the systems of each pair; by default, the first with the others, the second with
            those after it, and so on.
        n_resamples: permutations to draw.
        rng: their seed.
        alpha: the level at which the intervals of all pairs are to hold together.
        pool: where the permutations are made.
        progress: what is told how far they are.

    >>> tukey([[3, 2, 4, 1, 2], [1, 1, 3, 1, 0], [2, 1, 2, 1, 2]], n_resamples=999).p.round(2)
    array([0.11, 0.42, 0.82])

    """
    rows = sample(values, "values", 2)
    scores = rows.sum(axis=1).astype(np.float64)
    if pairs is None:
        pairs = list(combinations(range(len(rows)), 2))
    blocks = streams.shares(n_resamples, _PERMUTED)
    permuted = partial(_permuted, rows.T, rng)
    parts = (pool or WorkerPool()).map(permuted, blocks, progress, "permutations")
    ranges, squares = np.concatenate(list(parts)).T
    first, second = scores[np.array(pairs, np.int64).reshape(-1, 2)].T
    # Sums of the same numbers in another order differ by rounding.
    slack = _TIE * float(np.abs(rows).sum())
    ascending = np.sort(ranges)
    reached = len(ranges) - np.searchsorted(ascending, np.abs(first - second) - slack)
    spread = float(_rms(squares.mean()))
    error = _error(_upper_end(ranges, alpha) / spread, alpha, len(pairs), 0)
    return JointTest((reached + 1) / (n_resamples + 1), error, n_resamples)


def _permuted(rows: NDArray[Any], seed: int, block: tuple[int, int]) -> Floats:
    """Return the range of permuted scores, and their mean squared difference: permutations × 2.

    Rows are items × systems.
    """
    number, n = block
    generator = streams.generator(seed, streams.PERMUTATIONS, number)
    scores = np.empty((n, rows.shape[1]))
    for permuted in scores:
        permuted[:] = generator.permuted(rows, axis=1).sum(axis=0)
    ranges = scores.max(axis=1) - scores.min(axis=1)
    return np.stack([ranges, 2 * scores.var(axis=1, ddof=1)], axis=1)


def _upper_end(values: Floats, alpha: float) -> float:
    """Return the value that no more than a share alpha of the shuffles reaches, or nearly so."""
    allowed = max(1, math.floor(alpha * (len(values) + 1)))
    return float(np.partition(values, -allowed)[-allowed])


def _error(largest: float, alpha: float, pairs: int, sign: int) -> float:
    """Return the error of one interval that reaches as far as the largest difference of all pairs.

    That is in root mean squares. Bonferroni's is never too large, and alpha is for one pair alone.
    """
    from scipy.special import ndtr

    both_tails = 2 * float(ndtr(-largest))
    return min(alpha, max(both_tails / (2 if sign else 1), alpha / pairs))
