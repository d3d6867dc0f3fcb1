"""What a test and an interval return, and how the arguments of all of them are checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

SIGNS = {"two-sided": 0, "greater": 1, "less": -1}
SMALLEST_P = 5e-324
"""The smallest float above 0: what stands for a p-value too small for a float"""


@dataclass(frozen=True, slots=True)
class Test:
    """A p-value and how it came about.

    >>> from tellapart import stats
    >>> found = stats.mcnemar(9, 2)
    >>> round(found.p, 4), found.exact
    (0.0654, True)
    """

    __test__ = False  # pytest takes no notice of it

    p: float | None
    """None where the test is undefined; `reason` says why"""
    method: str
    """``enumeration``, ``exact``, ``rounded``, ``shuffles``, or the name of the test"""
    statistic: float | None = None
    df: float | None = None
    n_resamples: int | None = None
    """Shuffles or resamples that were drawn; None where nothing was drawn"""
    exceedances: int | None = None
    """Arrangements that are at least as extreme as the data, drawn or counted"""
    arrangements: int | None = None
    """How many arrangements there are, where all of them were counted"""
    error: float = 0.0
    """How much smaller the exact p may be"""
    settled: bool | None = None
    """Whether drawing stopped because the decision was clear; None where nothing was decided"""
    n: int | None = None
    """Observations that the test rests on, where it leaves some out"""
    reason: str | None = None
    """A code: why there is no p (``constant``), or what `runs_test` found:
    ``few-items``, ``missing``"""

    @classmethod
    def drawn(cls, exceedances: int, n_resamples: int, **known: Any) -> Test:
        """Return the test by random shuffles, with the data as one more of them."""
        p = (exceedances + 1) / (n_resamples + 1)
        return cls(p, "shuffles", n_resamples=n_resamples, exceedances=exceedances, **known)

    @classmethod
    def counted(cls, exceedances: int, arrangements: int, least: float = 0.0) -> Test:
        """Return the test by all arrangements; p is not below `least`."""
        p = max(exceedances / arrangements, least)
        return cls(p, "enumeration", exceedances=exceedances, arrangements=arrangements)

    @property
    def exact(self) -> bool:
        """Whether p was counted or bounded, neither drawn nor that of an approximation."""
        return self.method in ("enumeration", "exact", "exact score")


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; an end that the data do not bound is None."""

    low: float | None
    high: float | None
    method: str

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends."""
        return self.low, self.high

    @property
    def is_point(self) -> bool:
        """Whether both ends are the same, but for rounding."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low <= 1e-12 * max(1.0, abs(self.low))

    def reaching(self, value: float) -> Interval:
        """Return the smallest interval that also contains a value.

        >>> Interval(0.1, 0.3, "t").reaching(0.0).ends
        (0.0, 0.3)
        """
        low = self.low if self.low is None else min(self.low, value)
        return Interval(low, self.high if self.high is None else max(self.high, value), self.method)

    def within(self, least: float, most: float) -> Interval:
        """Return the part of the interval that is possible at all."""
        low = None if self.low is None else min(max(self.low, least), most)
        high = None if self.high is None else max(min(self.high, most), least)
        return replace(self, low=low, high=high)

    def scaled(self, factor: float) -> Interval:
        """Return the interval of a quantity that is `factor` times as large.

        >>> Interval(0.1, 0.3, "t").scaled(-100).ends
        (-30.0, -10.0)
        """
        low, high = (None if end is None else factor * end for end in self.ends)
        return Interval(*((low, high) if factor >= 0 else (high, low)), self.method)

    def shifted(self, by: float) -> Interval:
        """Return the interval of a quantity that is larger by so much.

        >>> Interval(0.25, 0.5, "t").shifted(1.0).ends
        (1.25, 1.5)
        """
        low, high = (None if end is None else end + by for end in self.ends)
        return replace(self, low=low, high=high)

    def one_sided(self, sign: int) -> Interval:
        """Return the interval without the end on the side that a one-sided test claims."""
        if sign == 0:
            return self
        low, high = (self.low, None) if sign > 0 else (None, self.high)
        return Interval(low, high, self.method)


def sign_of(alternative: str) -> int:
    """Return 0 for ``two-sided``, 1 for ``greater`` and -1 for ``less``."""
    if alternative not in SIGNS:
        known = ", ".join(SIGNS)
        raise UsageError(f"there is no alternative {alternative!r}; there are {known}")
    return SIGNS[alternative]


def alternative_of(sign: int) -> str:
    """Return the alternative that a sign stands for: 0, 1 where the first is larger, or -1."""
    return next(name for name, own in SIGNS.items() if own == sign)


def sample(values: ArrayLike, name: str = "a", ndim: int = 1) -> NDArray[Any]:
    """Return finite numbers as an array, or say what is wrong with them."""
    array = np.asarray(values)
    if array.dtype.kind in "biu":  # small integers, or such without a sign, would wrap around
        array = array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise UsageError(f"{name} must hold numbers, not {array.dtype}")
    if array.ndim != ndim:
        raise UsageError(f"{name} must have {ndim} axes, not {array.ndim}")
    if not np.isfinite(array).all():
        raise UsageError(f"{name} holds values that are not finite")
    return array


def probability(value: ArrayLike, name: str) -> Floats:
    """Return what lies between 0 and 1, as levels do, or say that it does not."""
    array = np.asarray(value, np.float64)
    if not ((array > 0) & (array < 1)).all():
        raise UsageError(f"{name} must lie between 0 and 1, not {array}")
    return array


def paired_samples(a: ArrayLike, b: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two samples of the same items; without a second one, it is all zeros."""
    first = sample(a, "a")
    second = np.zeros_like(first) if b is None else sample(b, "b")
    if len(first) != len(second):
        raise UsageError(f"a and b must have the same items: they have {len(first)} and "
                         f"{len(second)}")  # fmt: skip
    return first, second


def codes(labels: ArrayLike, n: int) -> Ints:
    """Return the number of each item's label, from 0; n items need as many labels.

    >>> codes(["x", "y", "x"], 3)
    array([0, 1, 0])
    """
    numbers = np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)
    if len(numbers) != n:
        raise UsageError(f"there must be a label for each of {n} items, not {len(numbers)}")
    return np.asarray(numbers, np.int64)


def smallest_p(differing: int, sign: int) -> float:
    """Return the smallest p that so many differing items allow.

    >>> smallest_p(5, 0), smallest_p(5, 1)
    (0.0625, 0.03125)
    """
    if not differing:
        return 1.0
    return math.ldexp(1.0, max((1 if sign == 0 else 0) - differing, -1074))


def tail_p(tail: float, sign: int) -> float:
    """Return p of the chance beyond a statistic, which may be too small for a float: never 0."""
    return min(1.0, max((2 if sign == 0 else 1) * tail, SMALLEST_P))


def t_p(t: float, df: float, sign: int = 0) -> float:
    """Return p of Student's t: two-sided, or for 1 above, -1 below.

    >>> round(t_p(2.0, 10), 4), round(t_p(2.0, 10, 1), 4)
    (0.0734, 0.0367)
    """
    from scipy.special import stdtr

    return tail_p(float(stdtr(df, -abs(t) if sign == 0 else -sign * t)), sign)


def t_quantile(df: float, confidence_level: float) -> float:
    """Return how many standard errors an interval of Student's t reaches to either side."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence_level) / 2))


def tie_slack(*scores: float) -> float:
    """Return how far below the observed difference a float still counts as tied."""
    return max(1e-12, 64 * float(np.finfo(float).eps) * max(map(abs, scores), default=0.0))
