"""Randomization test for systems that were run on different items, or of a part against the rest.

Which items are the first system's is drawn anew, keeping how many it has in each stratum. Where
systems share their items, a paired test is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.exchange import RatioPair, Score
from tellapart.stats.result import Flags, Floats, Test, sample, sign_of, tie_slack
from tellapart.stats.shuffles import reaches, thresholds_of
from tellapart.stats.signed_sums import whole_numbers

MAX_ENUMERATED = 1 << 20
"""Up to so many splits are all counted"""
_CELLS = 1 << 22  # numbers that are held at a time

Strata: TypeAlias = tuple[Sequence[Hashable], Sequence[Hashable]]
"""The stratum of each item of the first and of the second system"""
Values: TypeAlias = NDArray[Any]
Compared: TypeAlias = Callable[[Values], Flags]
"""From the first system's sums by some splits, splits × columns, to which are as extreme"""


def unpaired(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Score | None = None,
    strata: Strata | None = None,
    undefined: Fraction | float = 0,
    alternative: str = "two-sided",
    n_resamples: int = 9_999,
    rng: int = 0,
) -> Test:
    """Test whether two systems that were run on different items score alike.

    All splits of the pooled items are counted up to 2^20 of them; of more, `n_resamples` are drawn.

    Args:
        a: a value per item, whose means are compared; or items × columns, what each item adds to
            sums. Whole numbers and decimals are compared exactly.
        b: the same of the second system's items.
        statistic: the score as a vectorised function of sums, which run along the last axis; by
            default, the sum of the first column over that of the second one.
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
    first, second = _columns(a, b)
    if statistic is not None:
        compared = _scores_compared(first, second, statistic, sign)
    elif first.shape[1] != 2:
        raise UsageError(f"a ratio has two columns, not {first.shape[1]}: give a statistic")
    else:
        compared = _ratios_compared(first, second, Fraction(undefined), sign)
    groups = _by_stratum(first, second, strata)
    splits = math.prod(math.comb(len(rows), size) for rows, size in groups)
    enumerated = splits <= MAX_ENUMERATED
    if not enumerated and n_resamples < 1:
        raise UsageError(f"n_resamples must be at least 1, not {n_resamples}")
    sums = _all_sums(groups) if enumerated else _drawn_sums(groups, n_resamples, rng)
    parts = np.array_split(sums, len(sums) // (1 << 16) + 1)
    hits = sum(int(np.count_nonzero(compared(part))) for part in parts)
    return Test.counted(hits, splits) if enumerated else Test.drawn(hits, n_resamples)


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


def _columns(a: ArrayLike, b: ArrayLike) -> tuple[Values, Values]:
    """Return items × columns of both systems; values alone are divided by how many they are."""
    if np.ndim(a) == 1:
        first, second = sample(a, "a"), sample(b, "b")
        pooled = whole_numbers(np.concatenate([first, second]))
        rows = np.stack([pooled, np.ones(len(pooled))], axis=1)
        first, second = rows[: len(first)], rows[len(first) :]
    else:
        first, second = sample(a, "a", 2), sample(b, "b", 2)
    if not len(first) or not len(second) or first.shape[1] != second.shape[1]:
        raise UsageError(
            f"a and b must hold items of the same columns; they are {first.shape} and "
            f"{second.shape}"
        )
    both = np.concatenate([first, second])
    exact = (both == np.rint(both)).all() and np.abs(both).sum(axis=0).max() < 1 << 52
    kind = np.int64 if exact else np.float64
    return first.astype(kind), second.astype(kind)


def _ratios_compared(a: Values, b: Values, undefined: Fraction, sign: int) -> Compared:
    """Return the comparison of ratios: exact, where the columns are whole numbers."""
    if a.dtype.kind == "f" or min(a[:, 1].min(), b[:, 1].min()) < 0:
        none = 1e-12 * float(np.abs(a[:, 1]).sum() + np.abs(b[:, 1]).sum())  # rounding

        def score(sums: Values) -> Floats:
            bottom = sums[..., 1]
            empty = np.abs(bottom) <= none
            ratio = sums[..., 0] / np.where(empty, 1, bottom)
            return np.asarray(np.where(empty, float(undefined), ratio))

        return _scores_compared(a, b, score, sign)
    (num_a, den_a), (num_b, den_b) = a.sum(axis=0).tolist(), b.sum(axis=0).tolist()
    bound = int(np.abs(a[:, 0]).sum() + np.abs(b[:, 0]).sum())
    pair = RatioPair(num_a, den_a, num_b, den_b, sign, undefined, num_bound=bound)
    row, total = pair.row(), np.array([num_a + num_b, den_a + den_b])
    return lambda sums: pair.reached(row, *(2 * sums - total).T.astype(np.float64))


def _scores_compared(a: Values, b: Values, score: Score, sign: int) -> Compared:
    """Return the comparison of scores, which are tied within rounding."""
    total = a.sum(axis=0) + b.sum(axis=0)
    scores = [float(score(rows.sum(axis=0))) for rows in (a, b)]
    limit = float(thresholds_of(scores[0] - scores[1], tie_slack(*scores), sign))
    return lambda sums: reaches(score(sums) - score(total - sums), limit, sign)


def _by_stratum(a: Values, b: Values, strata: Strata | None) -> list[tuple[Values, int]]:
    """Return the items of each stratum, and how many of them are the first system's.

    In the order of the strata's names: what is drawn does not depend on the order of the items.
    """
    pooled = np.concatenate([a, b])
    if strata is None:
        return [(pooled, len(a))]
    if (len(strata[0]), len(strata[1])) != (len(a), len(b)):
        raise UsageError(
            f"strata must have a label for each item: {len(a)} and {len(b)}, not "
            f"{len(strata[0])} and {len(strata[1])}"
        )
    members: dict[Hashable, list[int]] = {}
    for item, label in enumerate(chain(*strata)):
        members.setdefault(label, []).append(item)
    ordered = [members[label] for label in sorted(members, key=str)]
    return [(pooled[items], sum(item < len(a) for item in items)) for items in ordered]


def _all_sums(groups: Sequence[tuple[Values, int]]) -> Values:
    """Return the sums of the first system by all splits: splits × columns."""
    columns = groups[0][0].shape[1]
    sums = np.zeros((1, columns), groups[0][0].dtype)
    for rows, size in groups:
        chosen = _subset_sums(rows, size)
        sums = (sums[:, None, :] + chosen[None, :, :]).reshape(-1, columns)
    return sums


def _subset_sums(rows: Values, size: int) -> Values:
    """Return the sums of the columns over each subset of so many rows: subsets × columns.

    >>> _subset_sums(np.array([[1], [2], [4]]), 2).ravel().tolist()
    [6, 5, 3]
    """
    n, smaller = len(rows), min(size, len(rows) - size)
    subsets = math.comb(n, smaller)
    flat = chain.from_iterable(combinations(range(n), smaller))
    members = np.fromiter(flat, np.int32, subsets * smaller).reshape(subsets, smaller)
    sums = np.zeros((subsets, rows.shape[1]), rows.dtype)
    for k in range(smaller):
        sums += rows[members[:, k]]
    return sums if smaller == size else rows.sum(axis=0) - sums


def _drawn_sums(groups: Sequence[tuple[Values, int]], n_resamples: int, seed: int) -> Values:
    """Return the sums of the first system by random splits: splits × columns.

    Of equal items only the number is drawn.
    """
    sums = np.zeros((n_resamples, groups[0][0].shape[1]), groups[0][0].dtype)
    for number, (rows, size) in enumerate(groups):
        generator = streams.generator(seed, streams.SPLITS, number)
        kinds, times = np.unique(rows, axis=0, return_counts=True)
        method: Literal["marginals", "count"] = (
            "marginals" if 4 * len(kinds) <= len(rows) else "count"
        )
        batch = max(1, _CELLS // len(kinds))
        for start in range(0, n_resamples, batch):
            n = min(batch, n_resamples - start)
            drawn = generator.multivariate_hypergeometric(times, size, n, method)
            sums[start : start + n] += (drawn.astype(np.float64) @ kinds).astype(sums.dtype)
    return sums
