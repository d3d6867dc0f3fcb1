"""Randomization test for systems that were run on different items, or of a part against the rest.

Which items are the first system's is drawn anew, keeping how many it has in each stratum. The
difference is divided by its standard error, each system with a variance of its own, anew in each
split (Janssen 1997): p is exact where the items of both are exchangeable, and with more items holds
for any two systems of equal scores, whichever varies more. Right and wrong items of equal scores
are exchangeable: the difference is then taken as it is. Where systems share their items, a paired
test is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.result import Flags, Floats, Test, sample, sign_of, tie_slack

MAX_ENUMERATED = 1 << 20
"""Up to so many splits are all counted"""
_CELLS = 1 << 22  # numbers that are held at a time
_COLUMNS = 5  # both of the ratio, and their products
_ROUNDING, _NOTHING = 1e-9, 1e-12

Strata: TypeAlias = tuple[Sequence[Hashable], Sequence[Hashable]]
"""The stratum of each item of the first and of the second system"""
Stratum: TypeAlias = tuple[Floats, int]
"""What its items add to sums, items × columns, and how many of them are the first system's"""


def unpaired(
    a: ArrayLike,
    b: ArrayLike,
    *,
    strata: Strata | None = None,
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
        strata: labels of the items of a, and of b: splits keep how many of a stratum are a's.
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
    top, bottom = first.sum(axis=0) + second.sum(axis=0)
    middle = top / bottom if bottom else 0.0  # measured from there, squares keep their digits
    for rows in (first, second):
        rows[:, 0] -= middle * rows[:, 1]
    undefined -= middle
    groups = _by_stratum(first, second, strata)
    splits = math.prod(math.comb(len(rows), size) for rows, size in groups)
    enumerated = splits <= MAX_ENUMERATED
    if not enumerated and n_resamples < 1:
        raise UsageError(f"n_resamples must be at least 1, not {n_resamples}")
    statistic = _Statistic.of(groups, undefined, sign)
    observed = np.stack([rows[:size].sum(axis=0) for rows, size in groups])
    limit = float(statistic(observed[None])[0])
    limit -= _ROUNDING * max(1.0, abs(limit)) if math.isfinite(limit) else 0.0
    drawn = _all_sums(groups, splits) if enumerated else _drawn_sums(groups, n_resamples, rng)
    reached = sum(int(np.count_nonzero(statistic(sums) >= limit)) for sums in drawn)
    return Test.counted(reached, splits) if enumerated else Test.drawn(reached, n_resamples)


@dataclass(frozen=True, slots=True)
class Arrangements:
    """Ways to choose the items of a part, keeping how many it has in each stratum."""

    labels: Flags
    """Arrangements × items: all of them, or some that were drawn"""
    arrangements: int
    all: bool


def exchanged_labels(
    selected: ArrayLike, strata: ArrayLike, n_resamples: int = 9_999, rng: int = 0
) -> Arrangements:
    """Return which items could be selected: all arrangements, or so many drawn if there are more.

    >>> exchanged_labels([True, False, False], [0, 0, 1]).labels.tolist()
    [[True, False, False], [False, True, False]]
    """
    labels, stratum = np.asarray(selected, np.bool_), np.asarray(strata)
    groups = [np.flatnonzero(stratum == name) for name in np.unique(stratum)]
    number = math.prod(math.comb(len(items), int(labels[items].sum())) for items in groups)
    enumerated = number <= n_resamples
    found = np.tile(labels, (1 if enumerated else n_resamples, 1))
    for k, items in enumerate(groups):
        own = labels[items]
        if own.all() or not own.any():
            continue
        if enumerated:
            subsets = list(combinations(range(len(items)), int(own.sum())))
            chosen = np.zeros((len(subsets), len(items)), np.bool_)
            np.put_along_axis(chosen, np.array(subsets), True, axis=1)
            found = np.repeat(found, len(chosen), axis=0)
            found[:, items] = np.tile(chosen, (len(found) // len(chosen), 1))
        else:
            generator = streams.generator(rng, streams.SPLITS, k)
            found[:, items] = generator.permuted(found[:, items], axis=1)
    return Arrangements(found, number, enumerated)


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


def _by_stratum(a: Floats, b: Floats, strata: Strata | None) -> list[Stratum]:
    """Return what the items of each stratum add to the sums of both columns and their products.

    In the order of the strata's names: what is drawn does not depend on the order of the items.
    """
    pooled = np.concatenate([a, b])
    x, y = pooled.T
    columns = np.stack([x, y, x * x, x * y, y * y], axis=1)
    if strata is None:
        return [(columns, len(a))]
    if (len(strata[0]), len(strata[1])) != (len(a), len(b)):
        raise UsageError(
            f"strata must have a label for each item: {len(a)} and {len(b)}, not "
            f"{len(strata[0])} and {len(strata[1])}"
        )
    members: dict[Hashable, list[int]] = {}
    for item, label in enumerate(chain(*strata)):
        members.setdefault(label, []).append(item)
    ordered = [members[label] for label in sorted(members, key=str)]
    return [(columns[items], sum(item < len(a) for item in items)) for items in ordered]


@dataclass(frozen=True, slots=True, eq=False)
class _Statistic:
    """How extreme splits are, by the first system's sums: splits × strata × columns.

    It is the difference of the scores over its standard error; where no item varies, any difference
    is infinitely many of them. Items of two kinds alone, such as right and wrong, vary as their
    score says: then it is the difference itself.
    """

    total: Floats
    sizes: Floats
    undefined: float
    sign: int
    two_kinds: bool

    @classmethod
    def of(cls, strata: Sequence[Stratum], undefined: float, sign: int) -> _Statistic:
        total = np.stack([rows.sum(axis=0) for rows, _ in strata])
        sizes = np.array([(size, len(rows) - size) for rows, size in strata], np.float64).T
        two_kinds = len(strata) == 1 and len(np.unique(strata[0][0], axis=0)) <= 2
        return cls(total, sizes, undefined, sign, two_kinds)

    def __call__(self, sums: Floats) -> Floats:
        score_a, variance_a = _score_and_variance(sums, self.sizes[0], self.undefined)
        score_b, variance_b = _score_and_variance(self.total - sums, self.sizes[1], self.undefined)
        difference = score_a - score_b
        error = 1.0 if self.two_kinds else np.sqrt(variance_a + variance_b)
        tied = np.abs(difference) <= tie_slack(float(np.abs(score_a).max()))
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(tied, 0.0, difference / error)
        return np.asarray(self.sign * statistic if self.sign else np.abs(statistic))


def _score_and_variance(sums: Floats, sizes: Floats, undefined: float) -> tuple[Floats, Floats]:
    """Return the ratio of each split, and its variance: linear, by the spread within strata."""
    x, y, xx, xy, yy = np.moveaxis(sums, -1, 0)
    bottom = y.sum(axis=1)
    empty = np.abs(bottom) <= _NOTHING * np.abs(y).sum(axis=1)
    bottom = np.where(empty, 1.0, bottom)
    score = np.where(empty, undefined, x.sum(axis=1) / bottom)
    own = score[:, None]
    residuals = (x - own * y) ** 2 / np.maximum(sizes, 1)
    squares = xx - 2 * own * xy + own**2 * yy - residuals
    squares[squares <= _NOTHING * (xx + own**2 * yy)] = 0.0
    variance = (squares * sizes / np.maximum(sizes - 1, 1)).sum(axis=1) / bottom**2
    return score, np.where(empty, 0.0, variance)


def _all_sums(strata: Sequence[Stratum], splits: int) -> Iterator[Floats]:
    """Yield the sums of the first system by all splits, some at a time."""
    subsets = [_subset_sums(rows, size) for rows, size in strata]
    step = max(1, _CELLS // (len(strata) * _COLUMNS))
    for start in range(0, splits, step):
        numbers = np.arange(start, min(start + step, splits))
        chosen = np.unravel_index(numbers, [len(sums) for sums in subsets])
        yield np.stack([own[k] for own, k in zip(subsets, chosen, strict=True)], axis=1)


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


def _drawn_sums(strata: Sequence[Stratum], n_resamples: int, seed: int) -> Iterator[Floats]:
    """Yield the sums of the first system by random splits: of equal items only the number."""
    kinds = [np.unique(rows, axis=0, return_counts=True) for rows, _ in strata]
    generators = [streams.generator(seed, streams.SPLITS, k) for k in range(len(strata))]
    step = max(1, _CELLS // sum(len(own) + _COLUMNS for own, _ in kinds))
    for start in range(0, n_resamples, step):
        n, sums = min(step, n_resamples - start), []
        for (rows, size), (own, times), generator in zip(strata, kinds, generators, strict=True):
            few = 4 * len(own) <= len(rows)
            method: Literal["marginals", "count"] = "marginals" if few else "count"
            sums.append(generator.multivariate_hypergeometric(times, size, n, method) @ own)
        yield np.stack(sums, axis=1)
