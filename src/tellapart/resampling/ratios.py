"""Differences of two ratios under exchanges, compared in integers.

For systems with summed numerators n and denominators d, and an exchange that leaves their
numerators C and their denominators D apart, the difference of the scores is

    n_a/d_a - n_b/d_b = 2 (C T_d - T_n D) / (T_d² - D²),

T_n and T_d being the totals of both systems, which no exchange changes. Comparing it with the
measured difference P/Q needs no division: cross-multiply, and ties are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError

TAILS = {"two": 0, "greater": 1, "less": -1}

EXACT_DOUBLE, NEAR_TIES, TOLERANCE, LINEAR = range(4)
"""How a test compares: every product is exact in a double; doubles, then integers for near ties;
doubles with a stated tolerance; numerators alone."""

_TIED = 1e-12  # of scores, where products are too large for integers of 128 bits

TEST = np.dtype(
    [
        *[(name, np.int32) for name in ("num_a", "num_b", "den_a", "den_b", "tail", "mode")],
        *[(name, np.float64) for name in ("c0", "d0", "tn", "td", "p", "q", "band")],
        *[(name, np.int64) for name in ("int_p", "int_q", "undefined_num", "undefined_den")],
    ],
    align=True,
)
"""One row per test; mirrors `struct Test` of the native code."""


def sign_of(tail: str) -> int:
    """Return 0, 1 or -1 for a tail, or say which there are."""
    if tail not in TAILS:
        raise UsageError(f"unknown tail {tail!r}; use one of two, greater, less")
    return TAILS[tail]


@dataclass(frozen=True, slots=True)
class RatioPair:
    """The sums of two systems under one ratio metric, as integers.

    >>> pair = RatioPair(num_a=15, den_a=20, num_b=12, den_b=20, tail="two")
    >>> pair.difference
    Fraction(3, 20)
    >>> pair.reaches(c=-3, d=0)
    True
    """

    num_a: int
    den_a: int
    num_b: int
    den_b: int
    tail: str = "two"
    undefined: Fraction = Fraction(0)
    tolerance: float | None = None
    """In units of the difference; None where the comparison is exact."""
    num_bound: int = 0
    """A bound for the absolute numerators under any exchange, where they may be negative."""
    same_denominators: bool = False
    """Whether the denominators agree on every item, so that numerators alone decide."""

    @property
    def difference(self) -> Fraction:
        """The first system's ratio minus the second's."""
        return self._score(self.num_a, self.den_a) - self._score(self.num_b, self.den_b)

    def _score(self, num: int, den: int) -> Fraction:
        return Fraction(num, den) if den else self.undefined

    @property
    def threshold(self) -> Fraction:
        """What an exchanged difference must reach: |d| for two tails, else d."""
        return abs(self.difference) if self.tail == "two" else self.difference

    def reaches(self, c: int, d: int) -> bool:
        """Return whether the exchange that leaves the sums c and d apart counts as exceeding."""
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        # Doubled sums on both sides of the fractions: the ratios are the same.
        exchanged = self._score(tn + c, td + d) - self._score(tn - c, td - d)
        if self.tail == "two":
            return abs(exchanged) >= self.threshold
        return (
            exchanged >= self.threshold if self.tail == "greater" else exchanged <= self.threshold
        )

    def fill(self, row: np.void) -> None:
        """Write the pair into one row of a `TEST` array, choosing how it will be compared."""
        sign = sign_of(self.tail)
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        row["tail"] = sign
        row["c0"], row["d0"] = self.num_a - self.num_b, self.den_a - self.den_b
        row["tn"], row["td"] = tn, td
        row["band"] = -1.0
        slack = self.tolerance or 0.0
        if self.same_denominators:
            row["mode"] = LINEAR
            row["p"] = self._linear_threshold(sign, slack, td)
        elif self.tolerance is not None or not self._fill_exact(row, tn, td):
            if self.tolerance is None:
                scores = self._score(self.num_a, self.den_a), self._score(self.num_b, self.den_b)
                slack = _TIED * max(1.0, *(abs(float(score)) for score in scores))
            row["mode"] = TOLERANCE
            row["p"], row["q"] = float(self.threshold) - (slack if sign >= 0 else -slack), 1.0
            scale = 2.0 ** min(62, 52 - math.frexp(float(self.undefined))[1])
            row["undefined_num"] = round(float(self.undefined) * max(1.0, scale))
            row["undefined_den"] = int(max(1.0, scale))

    def _linear_threshold(self, sign: int, slack: float, td: int) -> float:
        if td == 0:  # no exchange changes an undefined score
            return -np.inf if sign >= 0 else np.inf
        c0 = self.num_a - self.num_b
        reach = float(abs(c0) if sign == 0 else c0)
        return reach - (slack if sign >= 0 else -slack) * td / 2

    def _fill_exact(self, row: np.void, tn: int, td: int) -> bool:
        """Write how whole numbers are compared; return whether their products fit 128 bits."""
        threshold = self.threshold
        p, q = threshold.numerator, threshold.denominator
        reach = max(self.num_bound, abs(self.num_a) + abs(self.num_b))
        largest = max(2 * (reach + abs(tn)) * td * q, abs(p) * td * td)
        # Where a denominator is zero, the terms of the undefined score enter the products.
        terms = max(abs(self.undefined.numerator), self.undefined.denominator)
        edge = 2 * terms * (2 * td + reach + abs(tn)) * max(abs(p), q)
        if max(largest, edge) >= 1 << 125 or max(abs(p), q, terms) >= 1 << 62:
            return False
        row["mode"] = EXACT_DOUBLE if largest < 1 << 53 else NEAR_TIES
        row["p"], row["q"] = row["int_p"], row["int_q"] = p, q
        row["undefined_num"] = self.undefined.numerator
        row["undefined_den"] = self.undefined.denominator
        if row["mode"] == NEAR_TIES:
            row["band"] = float(largest) * 2.0**-48
        return True


def fill_linear(
    rows: NDArray[np.void],
    signs: NDArray[np.int64],
    nums: tuple[NDArray[np.int64], NDArray[np.int64]],
    dens: tuple[NDArray[np.int64], NDArray[np.int64]],
    slack: NDArray[np.float64] | float,
) -> None:
    """Write many pairs that have the same denominators on every item into rows of `TEST`.

    What `RatioPair.fill` does for one of them.
    """
    rows["tail"], rows["mode"], rows["band"] = signs, LINEAR, -1.0
    rows["c0"], rows["d0"] = nums[0] - nums[1], dens[0] - dens[1]
    rows["tn"], rows["td"] = nums[0] + nums[1], dens[0] + dens[1]
    reach = np.where(signs == 0, np.abs(rows["c0"]), rows["c0"])
    lenient = np.where(signs >= 0, 1.0, -1.0)
    rows["p"] = np.where(
        rows["td"] == 0, -np.inf * lenient, reach - lenient * slack * rows["td"] / 2
    )


def reaches_threshold(
    differences: NDArray[np.float64], threshold: float, sign: int
) -> NDArray[np.bool_]:
    """Return which differences reach a threshold that already includes its tolerance.

    One that is undefined (NaN) counts: doubt leans to a larger p.
    """
    if sign == 0:
        return np.asarray(~(np.abs(differences) < threshold))
    return np.asarray(~(differences < threshold) if sign > 0 else ~(differences > threshold))


def reached(
    pair: RatioPair | None,
    row: np.void,
    c: NDArray[np.float64],
    d: NDArray[np.float64] | float,
) -> NDArray[np.bool_]:
    """Return for arrays of exchanged sums which of them count as exceeding.

    Where numerators alone decide, the row says all, and no pair is needed.

    The operations and their order are those of the native code: both must round alike.
    """
    sign, p = int(row["tail"]), float(row["p"])
    if row["mode"] == LINEAR:
        if sign == 0:
            return np.asarray(np.abs(c) >= p)
        return np.asarray(c >= p if sign > 0 else c <= p)
    assert pair is not None
    td, tn, direction = float(row["td"]), float(row["tn"]), -1.0 if sign < 0 else 1.0
    rest = td * td - d * d
    apart = 2 * (c * td - tn * d)
    left = (np.abs(apart) if sign == 0 else apart * direction) * float(row["q"])
    right = p * direction * rest
    result = np.asarray(left >= right)
    doubtful = np.flatnonzero((np.abs(left - right) <= float(row["band"])) | (rest == 0))
    d_of = np.broadcast_to(d, result.shape)
    within = row["mode"] == TOLERANCE
    for index in doubtful:
        if within:
            result[index] = _undefined_reaches(pair, row, float(c[index]), float(d_of[index]))
        else:
            result[index] = pair.reaches(int(c[index]), int(d_of[index]))
    return result


def _undefined_reaches(pair: RatioPair, row: np.void, c: float, d: float) -> bool:
    """Return whether a difference counts where a denominator is zero, within the tolerance."""
    tn, td = float(row["tn"]), float(row["td"])
    undefined = float(row["undefined_num"]) / float(row["undefined_den"])
    first = undefined if td + d == 0 else (tn + c) / (td + d)
    second = undefined if td - d == 0 else (tn - c) / (td - d)
    apart, least = first - second, float(row["p"])
    if pair.tail == "two":
        return abs(apart) >= least
    return apart >= least if pair.tail == "greater" else apart <= least
