"""Textbook tests on pairs: sign, Wilcoxon signed rank, matched-pair t and McNemar.

Differences are always first minus second. Give integers (decimals scaled to integers) and ties are
exact; among floats, magnitudes that differ by less than 1e-12 of the largest one are tied.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import DataError, UsageError
from tellapart.resampling import binomial
from tellapart.resampling.signed_sums import signed_sum_test
from tellapart.significance.student_t import t_tail

SMALLEST_P = math.ulp(0.0)  # 5e-324: what a p that underflows is reported as, never 0
_FLOAT_NOISE = 1e-12
_EXACT_RANKS = 1_000  # up to here the Wilcoxon p is exact

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Classical:
    """Outcome of one analytic test.

    `statistic` and `p` are None where the test is undefined; `note` then says why. `n` is the
    number of items the test used. `fallback` is a second test to be shown with this one.
    """

    name: str
    statistic: float | None
    p: float | None
    tail: str
    n: int
    assumption: str
    df: float | None = None
    method: str = "exact"
    signed_rank_sum: float | None = None
    note: str | None = None
    fallback: Classical | None = None


def check_tail(tail: str) -> None:
    """Refuse a tail that is not one of two, greater and less."""
    if tail not in ("two", "greater", "less"):
        raise UsageError(f"unknown tail {tail!r}; choose two, greater or less")


def as_counts(*counts: int) -> list[int]:
    """Return counts as Python integers, which cannot overflow; `as_counts(-1)` is refused."""
    for count in counts:
        if count != int(count) or count < 0:
            raise DataError(f"counts must be whole and not negative, found {count}")
    return [int(count) for count in counts]


def positive(p: float) -> float:
    """Return a probability within (0, 1]: rounding must never report p = 0.

    >>> positive(0.0), positive(1.0000000000000002)
    (5e-324, 1.0)
    """
    return min(1.0, max(float(p), SMALLEST_P))


def tail_p(statistic: float, tail: str, df: float | None = None) -> float:
    """Return p of a standard normal statistic, or of Student's t with `df` degrees of freedom.

    >>> round(tail_p(1.96, "two"), 4), round(tail_p(2.228, "two", df=10), 4), tail_p(0.0, "less")
    (0.05, 0.05, 0.5)
    """
    check_tail(tail)
    at = {"two": abs(statistic), "greater": statistic, "less": -statistic}[tail]
    beyond = math.erfc(at / math.sqrt(2)) / 2 if df is None else t_tail(at, df)
    return positive(2.0 * beyond if tail == "two" else beyond)


def as_vector(values: ArrayLike) -> NDArray[Any]:
    """Return values, checked to be one row of finite numbers; integers stay integers.

    >>> as_vector([True, False]).dtype.kind
    'i'
    """
    vector = np.asarray(values)
    if vector.ndim != 1 or vector.dtype.kind not in "biufO":
        raise DataError(
            f"expected one row of numbers, found {vector.ndim}-dimensional {vector.dtype}"
        )
    if vector.dtype.kind == "f" and not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise DataError(
            f"value {place + 1} of {len(vector)} is {vector[place]}; give finite numbers"
        )
    return vector.astype(np.int64) if vector.dtype.kind in "bu" else vector


def moments(vector: NDArray[Any]) -> tuple[Fraction, Fraction]:
    """Return the mean and the sum of squared deviations, exact for integers.

    >>> moments(np.array([1, 2, 4]))
    (Fraction(7, 3), Fraction(14, 3))
    """
    n = len(vector)
    if n == 0:
        return Fraction(0), Fraction(0)
    if vector.dtype.kind == "f":
        # A constant such as 0.1 has rounding noise, not a spread.
        if np.ptp(vector) <= _FLOAT_NOISE * np.abs(vector).max():
            return Fraction(float(vector[0])), Fraction(0)
        mean = math.fsum(vector) / n
        return Fraction(mean), Fraction(math.fsum((vector - mean) ** 2))
    items = vector.tolist()
    total = sum(items)
    squares = sum(x * x for x in items)
    return Fraction(total) / n, Fraction(n * squares - total * total) / n


def _binomial_point(k: int, n: int) -> float:
    """Return P[X = k] for X ~ Binomial(n, 1/2)."""
    if n <= binomial.INTEGERS:
        return float(math.comb(n, k) / 2**n)
    return binomial.upper_tail(k, n) - binomial.upper_tail(k + 1, n)


def sign_test_counts(plus: int, minus: int, tail: str = "two") -> Classical:
    """Return the sign test of so many positive and negative differences, exact for any counts.

    >>> sign_test_counts(6, 1).p
    0.125
    """
    check_tail(tail)
    plus, minus = as_counts(plus, minus)
    n = plus + minus
    if tail == "two":
        p = 2.0 * binomial.upper_tail(max(plus, minus), n)
    else:
        p = binomial.upper_tail(plus if tail == "greater" else minus, n)
    return Classical("sign", float(plus), positive(p), tail, n, "items independent")


def sign_test(differences: ArrayLike, tail: str = "two") -> Classical:
    """Return the sign test of differences; zeros are left out, `statistic` counts positive ones.

    >>> sign_test([3, 1, 0, 2, -1]).p
    0.625
    """
    d = as_vector(differences)
    nonzero = _levels(d) > 0
    return sign_test_counts(int(np.sum(nonzero & (d > 0))), int(np.sum(nonzero & (d < 0))), tail)


def mcnemar(b: int, c: int, tail: str = "two", variant: str = "exact") -> Classical:
    """Return McNemar's test: b items only the first system has right, c only the second.

    `exact` is the sign test. `mid-p` subtracts the probability of the observed count (half of it in
    one tail, so that b = c gives 1 two-sided). `chi2` and `chi2-corrected` refer the signed root of
    the statistic to the normal distribution; the correction never crosses zero.

    >>> round(mcnemar(28, 6, variant="chi2").statistic, 3)
    14.235
    """
    b, c = as_counts(b, c)
    sign = sign_test_counts(b, c, tail)
    if variant == "exact":
        return replace(sign, name="mcnemar")
    if variant not in ("mid-p", "chi2", "chi2-corrected"):
        raise UsageError(
            f"unknown McNemar variant {variant!r}; choose exact, mid-p, chi2 or chi2-corrected"
        )
    if b + c == 0:
        return replace(sign, name="mcnemar", method=variant)
    if variant == "mid-p":
        larger = max(b, c)
        reached = {"two": larger, "greater": b, "less": c}[tail]
        p = binomial.upper_tail(reached, b + c) - _binomial_point(reached, b + c) / 2
        p = positive(2.0 * p if tail == "two" else p)
        return replace(sign, name="mcnemar", p=p, method=variant)
    gap = max(abs(b - c) - (variant == "chi2-corrected"), 0)
    z = math.copysign(gap / math.sqrt(b + c), b - c)
    p = tail_p(z, tail)
    return replace(sign, name="mcnemar", statistic=z * z, p=p, df=1.0, method=variant)


def matched_pair_t(differences: ArrayLike, tail: str = "two") -> Classical:
    """Return the matched-pair t test: mean difference over its standard error, df = n - 1.

    Differences that are all zero give p = 1. A constant other than zero (or a single item) has no
    t: statistic and p are None and the sign test is in `fallback`.

    >>> round(matched_pair_t([1, 2, 3]).statistic, 4)
    3.4641
    """
    check_tail(tail)
    d = as_vector(differences)
    n = len(d)
    mean, squares = moments(d)
    result = Classical(
        "t", None, None, tail, n, "items independent, mean difference about normal", method="t"
    )
    if squares == 0 and mean == 0:
        return replace(result, statistic=0.0, p=1.0, df=float(max(n - 1, 0)))
    if squares == 0:
        why = "the differences do not vary, so t is undefined; the sign test stands beside it"
        return replace(result, note=why, fallback=sign_test(d, tail))
    t = math.copysign(math.sqrt(mean * mean * n * (n - 1) / squares), mean)
    return replace(result, statistic=t, p=tail_p(t, tail, n - 1), df=float(n - 1))


def _levels(d: NDArray[Any]) -> Integers:
    """Return the number of each difference's magnitude, counted from below; zero is level 0."""
    magnitude = np.abs(d)
    floats = d.dtype.kind == "f" and d.size > 0
    tolerance = _FLOAT_NOISE * magnitude.max() if floats else 0
    order = np.argsort(magnitude, kind="stable")
    levels = np.empty(len(d), np.int64)
    levels[order] = np.cumsum(np.diff(magnitude[order], prepend=0) > tolerance)
    return levels


def wilcoxon(differences: ArrayLike, tail: str = "two", zeros: str = "drop") -> Classical:
    """Return the Wilcoxon signed rank test; `statistic` is W+, the positive rank sum.

    Exact up to 1,000 non-zero differences, ties or not; above, normal with the variance of the
    midranks themselves (the tie correction), no continuity correction. `zeros="drop"` leaves zeros
    out before ranking, `"pratt"` ranks them and leaves them out after.

    >>> result = wilcoxon([5, 3, -1, 0])
    >>> result.statistic, result.signed_rank_sum, result.p
    (5.0, 4.0, 0.5)
    """
    check_tail(tail)
    if zeros not in ("drop", "pratt"):
        raise UsageError(f"unknown treatment of zeros {zeros!r}; choose drop or pratt")
    d = as_vector(differences)
    levels = _levels(d)
    sizes = np.bincount(levels, minlength=1)
    ranked = np.append(0 if zeros == "drop" else sizes[0], sizes[1:])
    doubled = 2 * (np.cumsum(ranked) - ranked) + ranked + 1  # doubled midranks are integers
    plus = int(doubled[levels[(levels > 0) & (d > 0)]].sum())
    ranks, counts = doubled[1:], sizes[1:]
    n, total = int(counts.sum()), int((ranks * counts).sum())
    result = Classical(
        "wilcoxon", plus / 2, 1.0, tail, n, "items independent, differences symmetric"
    )
    result = replace(result, signed_rank_sum=(2 * plus - total) / 2)
    if n == 0:
        return result
    terms, signed_sum = np.repeat(ranks, counts).astype(np.float64), float(2 * plus - total)
    reached = abs(signed_sum) if tail == "two" else signed_sum
    exact = signed_sum_test(terms, reached, tail) if n <= _EXACT_RANKS else None
    if exact is None:
        p = tail_p(signed_sum / math.sqrt(float(terms @ terms)), tail)
        return replace(result, p=p, method="normal")
    return replace(result, p=exact.p)
