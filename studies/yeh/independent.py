"""Textbook tests that take the systems for independent: two-sample t, binomial, chi-square.

Two systems scored on the same test set are usually positively correlated (Yeh 2000, section 2), and
these tests then understate significance. `t_of_items`, `proportions_of_items` and
`chi_square_of_items` are the tests that `studies` adds by name.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from tellapart.errors import DataError
from tellapart.stats.result import SMALLEST_P, Test, sample


def two_sample_t(x: ArrayLike, y: ArrayLike, tail: str = "two") -> Test:
    """Return the two-sample t test, with pooled variance (Yeh 2000, section 2.1).

    The same values on both sides give p = 1; too few values, or values that do not vary about two
    different means, have no t: statistic and p are None.

    >>> result = two_sample_t([1, 2, 3], [2, 3, 4])
    >>> round(result.statistic, 4), result.df
    (-1.2247, 4.0)
    """
    first, second = sample(x), sample(y)
    n, df = len(first) + len(second), float(max(len(first) + len(second) - 2, 0))
    same = len(first) == len(second) and bool((np.sort(first) == np.sort(second)).all())
    if not same and (min(len(first), len(second)) < 1 or n < 3):
        return Test(None, "t", n=n, reason="too few values for a two-sample t")
    if same or (np.ptp(first) == np.ptp(second) == 0 and first[0] == second[0]):
        return Test(1.0, "t", 0.0, df, n=n)
    if np.ptp(first) == np.ptp(second) == 0:
        return Test(None, "t", n=n, reason="neither system's values vary")
    sides = {"two": "two-sided"}.get(tail, tail)
    found = stats.ttest_ind(first, second, alternative=sides)
    return Test(max(float(found.pvalue), SMALLEST_P), "t", float(found.statistic), df, n=n)


def binomial_test(right_a: int, n_a: int, right_b: int, n_b: int, tail: str = "two") -> Test:
    """Return the test of two proportions by the normal approximation with the pooled one.

    Its z is the signed root of chi-square.

    >>> round(binomial_test(47, 103, 25, 103).statistic, 4)
    3.2147
    """
    if right_a > n_a or right_b > n_b:
        raise DataError(f"{right_a} of {n_a} and {right_b} of {n_b} right: more than there are")
    return _proportions("binomial", [[right_a, n_a - right_a], [right_b, n_b - right_b]], tail)


def chi_square(
    right_a: int, wrong_a: int, right_b: int, wrong_b: int, *, yates: bool = False,
    tail: str = "two",
) -> Test:  # fmt: skip
    """Return the chi-square test of right and wrong (or spurious) by system, for precision.

    One-sided p comes from the signed root of the statistic, positive where the first system's
    share is higher. Yates' correction never takes more than the deviation there is.

    >>> round(chi_square(47, 48, 25, 14).statistic, 2)
    2.38
    """
    return _proportions("chi2", [[right_a, wrong_a], [right_b, wrong_b]], tail, yates)


def _proportions(name: str, table: list[list[int]], tail: str, yates: bool = False) -> Test:
    (right_a, wrong_a), (right_b, wrong_b) = cells = [[int(cell) for cell in row] for row in table]
    if min(map(min, cells)) < 0:
        raise DataError(f"counts must not be negative: {cells}")
    n, df = sum(map(sum, cells)), 1.0 if name == "chi2" else None
    empty = not sum(cells[0]) or not sum(cells[1])
    # A column of zeros leaves both shares equal, whatever the tail.
    if cells[0] == cells[1] or (not empty and 0 in (right_a + right_b, wrong_a + wrong_b)):
        return Test(1.0, name, 0.0, df, n=n)
    if empty:
        return Test(None, name, n=n, reason="a system without any response has no share")
    found = stats.chi2_contingency(cells, correction=yates)
    z = math.copysign(math.sqrt(found.statistic), right_a * wrong_b - right_b * wrong_a)
    at = {"two": -abs(z), "greater": -z, "less": z}[tail]
    p = (2 if tail == "two" else 1) * float(stats.norm.cdf(at))
    return Test(min(1.0, max(p, SMALLEST_P)), name, z * z if name == "chi2" else z, df, n=n)


def inflation(r12: float, sd1: float, sd2: float) -> float:
    """Return the factor by which independence overstates the difference's standard deviation.

    >>> round(inflation(0.38, 1.0, 1.0), 2)
    1.27
    """
    assumed = sd1 * sd1 + sd2 * sd2
    return math.sqrt(assumed / (assumed - 2.0 * r12 * sd1 * sd2))


def t_of_items(first: ArrayLike, second: ArrayLike, tail: str) -> float:
    """Return p of the two-sample t test of items' scores."""
    return _defined(two_sample_t(first, second, tail))


def proportions_of_items(first: ArrayLike, second: ArrayLike, tail: str) -> float:
    """Return p of the test of two proportions, of items that are right or wrong."""
    (a, b), (c, d) = _right_and_wrong(first), _right_and_wrong(second)
    return _defined(binomial_test(a, a + b, c, c + d, tail))


def chi_square_of_items(first: ArrayLike, second: ArrayLike, tail: str) -> float:
    """Return p of the chi-square test, of items that are right or wrong."""
    return _defined(chi_square(*_right_and_wrong(first), *_right_and_wrong(second), tail=tail))


def _right_and_wrong(scores: ArrayLike) -> tuple[int, int]:
    values = sample(scores)
    right, wrong = (int(np.count_nonzero(values == value)) for value in (1, 0))
    if right + wrong < len(values):
        raise DataError("items are not simply right or wrong")
    return right, wrong


def _defined(found: Test) -> float:
    if found.p is None:
        raise DataError(str(found.reason))
    return found.p
