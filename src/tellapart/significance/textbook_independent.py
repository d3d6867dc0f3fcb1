"""Textbook tests that take the systems for independent: two-sample t, binomial, chi-square.

Two systems scored on the same test set are usually positively correlated (Yeh 2000, section 2), and
these tests then understate significance: show r12, the inflation factor and a paired test beside.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import DataError
from tellapart.significance.textbook_paired import (
    Classical,
    as_counts,
    as_vector,
    check_tail,
    moments,
    tail_p,
)


def two_sample_t(x: ArrayLike, y: ArrayLike, tail: str = "two", welch: bool = False) -> Classical:
    """Return the two-sample t test, with pooled variance (Yeh 2000, section 2.1) or Welch's.

    The same values on both sides give p = 1; too few values, or values that do not vary about two
    different means, have no t: statistic and p are None.

    >>> result = two_sample_t([1, 2, 3], [2, 3, 4])
    >>> round(result.statistic, 4), result.df
    (-1.2247, 4.0)
    """
    check_tail(tail)
    first, second = as_vector(x), as_vector(y)
    n1, n2 = len(first), len(second)
    name = "welch-t" if welch else "two-sample-t"
    result = Classical(name, None, None, tail, n1 + n2, "systems independent", method="t")
    if n1 == n2 and (np.sort(first) == np.sort(second)).all():
        return replace(result, statistic=0.0, p=1.0, df=float(max(n1 + n2 - 2, 0)))
    if min(n1, n2) < (2 if welch else 1) or n1 + n2 < 3:
        return replace(result, note=f"{n1} and {n2} values are too few for a two-sample t")
    (mean1, squares1), (mean2, squares2) = moments(first), moments(second)
    if squares1 == squares2 == 0:
        if mean1 == mean2:
            return replace(result, statistic=0.0, p=1.0, df=float(n1 + n2 - 2))
        return replace(result, note="neither system's values vary, so t is undefined")
    if welch:
        part1, part2 = squares1 / (n1 - 1) / n1, squares2 / (n2 - 1) / n2
        df = (part1 + part2) ** 2 / (part1**2 / (n1 - 1) + part2**2 / (n2 - 1))
        variance = part1 + part2
    else:
        df = Fraction(n1 + n2 - 2)
        variance = (squares1 + squares2) / df * Fraction(n1 + n2, n1 * n2)
    t = _signed_root((mean1 - mean2) ** 2 / variance, mean1 - mean2)
    return replace(result, statistic=t, p=tail_p(t, tail, float(df)), df=float(df))


def binomial_test(
    correct_a: int, n_a: int, correct_b: int, n_b: int, tail: str = "two", unpooled: bool = False
) -> Classical:
    """Return the test of two proportions by the normal approximation, pooled by default.

    >>> round(binomial_test(47, 103, 25, 103).statistic, 4)
    3.2147
    """
    check_tail(tail)
    correct_a, n_a, correct_b, n_b = as_counts(correct_a, n_a, correct_b, n_b)
    if correct_a > n_a or correct_b > n_b:
        raise DataError(
            f"{correct_a} of {n_a} and {correct_b} of {n_b} correct: more correct than there are"
        )
    method = "unpooled" if unpooled else "pooled"
    result = Classical(
        "binomial", None, None, tail, n_a + n_b, "systems independent", method=method
    )
    if (correct_a, n_a) == (correct_b, n_b):
        return replace(result, statistic=0.0, p=1.0)
    if not n_a or not n_b:
        return replace(result, note="a system without any item has no proportion")
    p_a, p_b = Fraction(correct_a, n_a), Fraction(correct_b, n_b)
    pooled = Fraction(correct_a + correct_b, n_a + n_b)
    if unpooled:
        variance = p_a * (1 - p_a) / n_a + p_b * (1 - p_b) / n_b
    else:
        variance = pooled * (1 - pooled) * (Fraction(1, n_a) + Fraction(1, n_b))
    if variance == 0 and p_a == p_b:
        return replace(result, statistic=0.0, p=1.0)
    if variance == 0:
        return replace(result, note="all correct against none: the unpooled variance is 0")
    z = _signed_root((p_a - p_b) ** 2 / variance, p_a - p_b)
    return replace(result, statistic=z, p=tail_p(z, tail))


def chi_square(
    correct_a: int,
    spurious_a: int,
    correct_b: int,
    spurious_b: int,
    *,
    yates: bool = False,
    tail: str = "two",
) -> Classical:
    """Return the chi-square test of (correct, spurious) by system, for precision.

    One-sided p comes from the signed root of the statistic, positive where the first system's
    precision is higher. Yates' correction never takes more than the deviation there is.

    >>> round(chi_square(47, 48, 25, 14).statistic, 2)
    2.38
    """
    check_tail(tail)
    cells = as_counts(correct_a, spurious_a, correct_b, spurious_b)
    correct_a, spurious_a, correct_b, spurious_b = cells
    rows = correct_a + spurious_a, correct_b + spurious_b
    columns = correct_a + correct_b, spurious_a + spurious_b
    n = sum(rows)
    method = "yates" if yates else "plain"
    result = Classical("chi2", None, None, tail, n, "cells independent", df=1.0, method=method)
    # A column of zeros leaves both precisions equal, whatever the tail.
    if (correct_a, spurious_a) == (correct_b, spurious_b) or (0 in columns and 0 not in rows):
        return replace(result, statistic=0.0, p=1.0)
    if 0 in rows:
        return replace(result, note="a system without responses has no precision")
    cross = correct_a * spurious_b - correct_b * spurious_a
    deviation = max(Fraction(abs(cross)) - Fraction(n * yates, 2), Fraction(0))
    z = _signed_root(
        deviation**2 * n / (rows[0] * rows[1] * columns[0] * columns[1]), Fraction(cross)
    )
    return replace(result, statistic=z * z, p=tail_p(z, tail))


def _signed_root(square: Fraction, sign: Fraction) -> float:
    return math.copysign(math.sqrt(square), sign)


def correlation(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return r12, the correlation of two systems over items; None where one is constant.

    >>> correlation([1, 0, 1, 0], [1, 0, 0, 0])
    0.5773502691896257
    >>> correlation([1, 1], [0, 1]) is None
    True
    """
    first, second = as_vector(x), as_vector(y)
    n = len(first)
    if n != len(second):
        raise DataError(f"{n} values against {len(second)}; give both systems the same items")
    (mean1, squares1), (mean2, squares2) = moments(first), moments(second)
    if squares1 == 0 or squares2 == 0:
        return None
    if first.dtype.kind == "f" or second.dtype.kind == "f":
        centred = (first - float(mean1)) * (second - float(mean2))
        products = Fraction(math.fsum(centred))
    else:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        products = Fraction(sum(a * b for a, b in pairs)) - n * mean1 * mean2
    return max(-1.0, min(1.0, _signed_root(products**2 / (squares1 * squares2), products)))


def inflation(r12: float | None, sd1: float, sd2: float) -> float | None:
    """Return the factor by which independence overstates the difference's standard deviation.

    None where r12 is, or where the difference does not vary at all.

    >>> round(inflation(0.38, 1.0, 1.0), 2)
    1.27
    """
    if r12 is None:
        return None
    assumed = sd1 * sd1 + sd2 * sd2
    actual = assumed - 2.0 * r12 * sd1 * sd2
    # r12 and the standard deviations are rounded, so that no variance may come out as 1e-17.
    return math.sqrt(assumed / actual) if actual > 1e-14 * assumed else None
