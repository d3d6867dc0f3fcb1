"""Textbook tests of paired scores: t, sign, McNemar and Wilcoxon's signed ranks.

Differences are first minus second. Decimal scores are compared as decimals, so that ties are exact;
among other floats, differences within 1e-12 of the largest one are tied.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Floats, Test, paired_samples, sign_of, t_p, tail_p
from tellapart.stats.signed_sums import SignedSum, coin_tails, whole_numbers

_ROUNDING = 1e-12  # of the largest difference, below which others are tied


def paired_t(a: ArrayLike, b: ArrayLike | None = None, *, alternative: str = "two-sided") -> Test:
    """Test whether the mean of paired differences is zero, by Student's t.

    Args:
        a: the first system's scores; or, without b, differences.
        b: the second system's scores on the same items.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.

    Differences that are all zero have p = 1. Others that do not vary have no t: p is None, and the
    reason is ``constant``.

    >>> found = paired_t([1, 2, 3], [0, 0, 0])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (3.4641, 2.0, 0.0742)

    """
    sign = sign_of(alternative)
    differences = _differences(a, b)
    n, df = len(differences), float(max(len(differences) - 1, 0))
    if not differences.any():
        return Test(1.0, "t", 0.0, df, n=n)
    if (differences == differences[0]).all():
        return Test(None, "t", n=n, reason="constant")
    mean = math.fsum(differences.tolist()) / n
    squares = math.fsum(np.square(differences - mean).tolist())
    t = mean / math.sqrt(squares / (n * (n - 1)))
    return Test(t_p(t, df, sign), "t", t, df, n=n)


def sign_test(a: ArrayLike, b: ArrayLike | None = None, *, alternative: str = "two-sided") -> Test:
    """Test whether positive and negative differences are equally likely; zeros are left out.

    The statistic is the number of positive differences, and `n` that of positive and negative ones.

    Args:
        a: the first system's scores; or, without b, differences.
        b: the second system's scores on the same items.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.

    >>> sign_test([3, 1, 0, 2, -1]).p
    0.625

    """
    differences = _differences(a, b)
    plus, minus = (int(np.count_nonzero(side)) for side in (differences > 0, differences < 0))
    return mcnemar(plus, minus, alternative=alternative)


def mcnemar(only_a: int, only_b: int, *, alternative: str = "two-sided") -> Test:
    """Return McNemar's exact test of items that only one of two systems has right.

    Args:
        only_a: how many items only the first system has right.
        only_b: how many only the second has right.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.

    >>> round(mcnemar(28, 6).p, 6)
    0.000195

    """
    sign = sign_of(alternative)
    if only_a != int(only_a) or only_b != int(only_b) or min(only_a, only_b) < 0:
        raise UsageError(f"counts must be whole numbers, 0 or more, not {only_a} and {only_b}")
    n = int(only_a) + int(only_b)
    return Test(float(coin_tails(n, int(only_a) - int(only_b), sign)), "exact", float(only_a), n=n)


def mcnemar_range(
    a: tuple[int, int], b: tuple[int, int], *, alternative: str = "two-sided"
) -> tuple[Test, Test]:
    """Return McNemar's exact test with the smallest and the largest p that two totals allow.

    Totals do not tell on how many items two systems differ: on the fewest if the better one has
    all right that the other has, on the most if it is right where the other is wrong. Whatever the
    items, p lies between the two; `n` is how many items differ.

    Args:
        a: how many items the first system has right, and how many there are.
        b: the same of the second system, on the same items.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.

    >>> low, high = mcnemar_range((396, 500), (382, 500))
    >>> low.n, high.n, round(low.p, 5), round(high.p, 3)
    (14, 222, 0.00012, 0.383)

    """
    (right_a, items), (right_b, items_b) = a, b
    if items != items_b:
        raise UsageError(f"both systems must have the same items: they have {items} and {items_b}")
    for right in (right_a, right_b):
        if right != int(right) or items != int(items) or not 0 <= right <= items:
            raise UsageError(
                f"right and all items must be whole numbers, and right no more than all, not "
                f"{right} of {items}"
            )
    tests = [
        mcnemar(right_a - both, right_b - both, alternative=alternative)
        for both in (min(right_a, right_b), max(0, right_a + right_b - items))
    ]
    # A step of a random walk away from 0 is rarer than one towards it, so p moves one way only.
    low, high = sorted(tests, key=lambda test: test.p or 0.0)
    return low, high


def wilcoxon(a: ArrayLike, b: ArrayLike | None = None, *, alternative: str = "two-sided") -> Test:
    """Test whether differences are symmetric about zero, by Wilcoxon's signed ranks.

    Zeros are left out, equal sizes share their mean rank. All signs are counted, ties or not, up to
    some 2,000 differences; of more, p is normal where counting takes too long, with the variance of
    the ranks themselves and no continuity correction (``normal``). The statistic is the sum of
    positive ranks: n (n + 1) / 4 where neither system is ahead.

    Args:
        a: the first system's scores; or, without b, differences.
        b: the second system's scores on the same items.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.

    >>> found = wilcoxon([5, 3, -1, 0])
    >>> found.statistic, found.n, found.p
    (5.0, 3, 0.5)

    """
    from scipy.special import ndtr

    sign = sign_of(alternative)
    differences = _differences(a, b)
    differences = differences[differences != 0]
    n = len(differences)
    ranks = np.sign(differences) * _doubled_midranks(np.abs(differences))
    ahead = float(ranks.sum())
    statistic = (n * (n + 1) + ahead) / 4
    counted = SignedSum.of(ranks).test(ahead, sign)
    if counted is not None:
        return replace(counted, statistic=statistic, n=n)
    z = ahead / math.sqrt(float(np.square(ranks).sum()))
    tail = float(ndtr(-abs(z) if sign == 0 else -sign * z))
    return Test(tail_p(tail, sign), "normal", statistic, n=n)


def _differences(a: ArrayLike, b: ArrayLike | None) -> Floats:
    """Return first minus second; those that differ by rounding alone are made equal."""
    first, second = paired_samples(a, b)
    differences = whole_numbers(first - second)
    if (differences == np.rint(differences)).all():
        return differences
    order = np.argsort(np.abs(differences), kind="stable")
    sizes = np.abs(differences)[order]
    apart = np.diff(sizes, prepend=0.0) > _ROUNDING * sizes[-1]
    # Each run of sizes that rounding moved apart gets that of its first; before any step, zero.
    starts = np.maximum.accumulate(np.where(apart, np.arange(len(sizes)), -1))
    merged = np.empty_like(sizes)
    merged[order] = np.where(starts < 0, 0.0, sizes[starts])
    return np.asarray(np.sign(differences) * merged)


def _doubled_midranks(sizes: Floats) -> Floats:
    """Return twice the mean rank of each size: whole numbers.

    >>> _doubled_midranks(np.array([4.0, 1.0, 4.0]))
    array([5., 2., 5.])
    """
    _, places, times = np.unique(sizes, return_inverse=True, return_counts=True)
    below = np.cumsum(times) - times
    return np.asarray((2 * below + times + 1)[places.reshape(-1)], np.float64)
