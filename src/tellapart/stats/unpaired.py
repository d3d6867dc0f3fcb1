"""Permutations of labels: systems on different items, a part against the rest, dependence.

Which items are the first system's is drawn anew, keeping how many it has. The difference is divided
by its standard error, each system with a variance of its own, anew in each split (Janssen 1997): p
is exact where the items of both are exchangeable, and with more items holds for any two systems of
equal scores, whichever varies more. Right and wrong items of equal scores are exchangeable: the
difference is then taken as it is. Where systems share their items, a paired test is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.result import Floats, Test, codes, sample, sign_of, tie_slack

MAX_ENUMERATED = 1 << 20
"""Up to so many splits are all counted"""
_CELLS = 1 << 22  # numbers that are held at a time
_ROUNDING, _NOTHING = 1e-9, 1e-12


def unpaired(
    a: ArrayLike,
    b: ArrayLike,
    *,
    undefined: float = 0,
    alternative: str = "two-sided",
    n_resamples: int = 9_999,
    rng: int = 0,
) -> Test:
    """Test whether two systems that were run on different items score alike.

    All splits of the pooled items are counted up to 2^20 of them; of more, `n_resamples` are drawn.

    Args:
        a: a value per item, whose means are compared; or items × 2, what each item adds to the
            two sums whose ratio is the score.
        b: the same of the second system's items.
        undefined: the ratio where the sum of the second column is 0.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.
        n_resamples: splits to draw where there are too many to count.
        rng: the seed of these splits.

    >>> unpaired([9, 8, 7], [1, 2, 3]).p
    0.1
    >>> tp_and_predicted = [[3, 4], [2, 2], [4, 5]], [[1, 4], [0, 5]]
    >>> unpaired(*tp_and_predicted, alternative="greater").p
    0.1

    """
    sign = sign_of(alternative)
    first, second = _rows(a, b)
    if sign < 0:  # the same as if the second were better, by the same splits
        first, second, sign = second, first, 1
    top, bottom = first.sum(axis=0) + second.sum(axis=0)
    middle = top / bottom if bottom else 0.0  # measured from there, squares keep their digits
    x, y = np.concatenate([first, second]).T
    x = x - middle * y
    rows, size = np.stack([x, y, x * x, x * y, y * y], axis=1), len(first)
    splits = math.comb(len(rows), size)
    enumerated = splits <= MAX_ENUMERATED
    if not enumerated and n_resamples < 1:
        raise UsageError(f"n_resamples must be at least 1, not {n_resamples}")
    statistic = _Statistic(rows, size, undefined - middle, sign != 0)
    limit = float(statistic(rows[:size].sum(axis=0)[None])[0])
    limit -= _ROUNDING * max(1.0, abs(limit)) if math.isfinite(limit) else 0.0
    drawn = [_subset_sums(rows, size)] if enumerated else _drawn_sums(rows, size, n_resamples, rng)
    reached = sum(int(np.count_nonzero(statistic(sums) >= limit)) for sums in drawn)
    return Test.counted(reached, splits) if enumerated else Test.drawn(reached, n_resamples)


def _rows(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return the two columns of the ratio for the items of both systems."""
    if np.ndim(a) == 1:
        systems = [np.stack([x, np.ones(len(x))], axis=1) for x in (sample(a, "a"), sample(b, "b"))]
    else:
        systems = [sample(a, "a", 2), sample(b, "b", 2)]
    if any(rows.shape[1:] != (2,) or not len(rows) for rows in systems):
        shapes = " and ".join(str(rows.shape) for rows in systems)
        raise UsageError(f"a and b must hold values, or items × 2 columns; they are {shapes}")
    return systems[0].astype(np.float64), systems[1].astype(np.float64)


class _Statistic:
    """How extreme splits are, by the first system's sums: splits × columns.

    It is the difference of the scores over its standard error; where no item varies, any difference
    is infinitely many of them. Items of two kinds alone, such as right and wrong, vary as their
    score says: then it is the difference itself.
    """

    def __init__(self, rows: Floats, size: int, undefined: float, one_sided: bool) -> None:
        self.total, self.sizes = rows.sum(axis=0), (size, len(rows) - size)
        self.undefined, self.one_sided = undefined, one_sided
        self.two_kinds = len(np.unique(rows, axis=0)) <= 2

    def __call__(self, sums: Floats) -> Floats:
        score_a, variance_a = _score_and_variance(sums, self.sizes[0], self.undefined)
        score_b, variance_b = _score_and_variance(self.total - sums, self.sizes[1], self.undefined)
        difference = score_a - score_b
        error = 1.0 if self.two_kinds else np.sqrt(variance_a + variance_b)
        tied = np.abs(difference) <= tie_slack(float(np.abs(score_a).max()))
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(tied, 0.0, difference / error)
        return np.asarray(statistic if self.one_sided else np.abs(statistic))


def _score_and_variance(sums: Floats, size: int, undefined: float) -> tuple[Floats, Floats]:
    """Return the ratio of each split, and its variance: linear, by the spread of the items."""
    x, y, xx, xy, yy = sums.T
    empty = y == 0
    bottom = np.where(empty, 1.0, y)
    score = np.where(empty, undefined, x / bottom)
    squares = xx - 2 * score * xy + score**2 * yy
    squares = np.where(squares <= _NOTHING * (xx + score**2 * yy), 0.0, squares)
    variance = squares * size / max(size - 1, 1) / bottom**2
    return score, np.where(empty, 0.0, variance)


def _subset_sums(rows: Floats, size: int) -> Floats:
    """Return the sums of the columns over each subset of so many rows: subsets × columns.

    >>> _subset_sums(np.array([[1.0], [2], [4]]), 2).ravel().tolist()
    [6.0, 5.0, 3.0]
    """
    n, smaller = len(rows), min(size, len(rows) - size)
    subsets = math.comb(n, smaller)
    flat = chain.from_iterable(combinations(range(n), smaller))
    members = np.fromiter(flat, np.int32, subsets * smaller).reshape(subsets, smaller)
    sums = np.zeros((subsets, rows.shape[1]))
    for k in range(smaller):
        sums += rows[members[:, k]]
    return np.asarray(sums if smaller == size else rows.sum(axis=0) - sums)


def _drawn_sums(rows: Floats, size: int, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Yield the sums of the first system by random splits: of equal items only the number."""
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    generator = streams.generator(seed, streams.SPLITS, 0)
    few, smaller = 4 * len(kinds) <= len(rows), min(size, len(rows) - size)
    method: Literal["marginals", "count"] = "marginals" if few else "count"
    step = max(1, _CELLS // (len(kinds) + rows.shape[1]))
    for start in range(0, n_resamples, step):
        n = min(step, n_resamples - start)
        sums = generator.multivariate_hypergeometric(times, smaller, n, method) @ kinds
        yield sums if smaller == size else rows.sum(axis=0) - sums


_BATCH = 100  # permutations that are held at a time


def dependence(
    values: ArrayLike,
    labels: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    n_resamples: int = 1_999,
    rng: int = 0,
) -> Test:
    """Test whether the mean of values is the same under all labels, by permutations.

    The statistic is Welch's, each label with a variance of its own, so that one whose values merely
    vary more does not count as another; the variance of all values is added as one item of each
    label, since a label of few items may have none. Permutations suppose that the labels are alike
    in all but their mean, and of few items no statistic makes up for that: p is never below that of
    Welch's F, which supposes it of none.

    Args:
        values: the value of each item.
        labels: the label of each item.
        blocks: which items belong together. Labels of whole blocks are tested by the blocks' means,
            and any others within blocks alone.
        n_resamples: permutations to draw.
        rng: their seed.

    >>> values = [5, 6, 5, 6, 5, 6, 0, 1, 0, 1, 0, 1]
    >>> dependence(values, np.repeat(["x", "y"], 6)).p < 0.01
    True
    >>> dependence(values, np.tile(["x", "x", "y", "y"], 3)).p > 0.3
    True

    """
    scores = sample(values, "values").astype(np.float64)
    groups = codes(labels, len(scores))
    together = np.zeros(len(scores), np.int64)
    if blocks is not None:
        together = codes(blocks, len(scores))
        combined = np.unique(np.stack([together, groups]), axis=1).shape[1]
        if combined == together.max() + 1:  # a block has one label
            first = np.unique(together, return_index=True)[1]
            scores = np.bincount(together, scores) / np.bincount(together)
            groups, together = groups[first], np.zeros(len(first), np.int64)
    centred = scores - scores.mean()
    spread = float(centred @ centred) / len(scores)
    if spread == 0.0:
        return replace(Test.counted(1, 1), statistic=0.0)
    members = np.eye(int(groups.max()) + 1)[groups]  # items × labels
    statistic = float(_welch(centred[None], members, spread)[0])
    least = 0.0 if together.any() else _welch_p(centred, members, spread, statistic)
    generator = streams.generator(rng, streams.DEPENDENCE)
    by_block, reached = np.argsort(together, kind="stable"), 0
    for start in range(0, n_resamples, _BATCH):
        n = min(_BATCH, n_resamples - start)
        order = np.argsort(together + generator.random((n, len(scores))), axis=1)
        permuted = np.empty((n, len(scores)))
        permuted[:, by_block] = centred[order]
        found = _welch(permuted, members, spread)
        reached += int(np.count_nonzero(found >= statistic * (1 - _ROUNDING)))
    test = Test.drawn(reached, n_resamples, statistic=statistic)
    return replace(test, p=max(test.p or 0.0, least))


def _welch(values: Floats, members: Floats, spread: float) -> Floats:
    """Return Welch's statistic of rows of values: the weighted spread of the labels' means."""
    means, weights = _means_and_weights(values, members, spread)
    middle = (weights * means).sum(axis=1) / weights.sum(axis=1)
    return np.asarray((weights * (means - middle[:, None]) ** 2).sum(axis=1))


def _welch_p(values: Floats, members: Floats, spread: float, statistic: float) -> float:
    """Return p of Welch's F (1951), by his degrees of freedom."""
    from scipy.special import fdtrc

    labels = members.shape[1]
    if labels < 2:
        return 1.0
    weights = _means_and_weights(values[None], members, spread)[1][0]
    shares, sizes = weights / weights.sum(), members.sum(axis=0)
    unsure = float(((1 - shares) ** 2 / np.maximum(sizes - 1, 1)).sum())
    ratio = statistic / (labels - 1) / (1 + 2 * (labels - 2) / (labels**2 - 1) * unsure)
    return float(fdtrc(labels - 1, (labels**2 - 1) / (3 * unsure), ratio))


def _means_and_weights(values: Floats, members: Floats, spread: float) -> tuple[Floats, Floats]:
    """Return the mean of each label, rows × labels, and one over its variance."""
    sizes = members.sum(axis=0)
    means = values @ members / sizes
    squares = np.maximum(values**2 @ members - sizes * means**2, 0.0)
    return means, sizes**2 / (squares + spread)
