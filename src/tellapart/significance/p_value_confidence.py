"""How sure an approximate p-value is: confidence levels, intervals and checks of shuffle counts.

Of `shuffles` random shuffles, `exceedances` reached the observed difference. The exact p-value
is unknown; the functions here say what the two counts tell about it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.resampling import binomial

Kind = Literal["posterior", "binomial"]
Integers = NDArray[np.integer[Any]]

# Beyond this many standard deviations two runs of the same test are not believed to agree.
LARGEST_RUN_Z = 3.3


@dataclass(frozen=True, slots=True)
class RunCheck:
    """Whether two independent runs of equal length agree."""

    first: int  # exceedances of either run
    second: int
    z: float
    agree: bool


@dataclass(frozen=True, slots=True)
class CountCheck:
    """Whether a number of exceedances fits a known p-value."""

    p: float
    expected: float  # exceedances
    tail: float  # probability of a count at least as far out on the same side
    agree: bool


@overload
def confidence(exceedances: int, shuffles: int, alpha: float, kind: Kind = ...) -> float: ...


@overload
def confidence(
    exceedances: Integers,
    shuffles: int | Integers,
    alpha: float | NDArray[np.float64],
    kind: Kind = ...,
) -> NDArray[np.float64]: ...


def confidence(
    exceedances: int | Integers,
    shuffles: int | Integers,
    alpha: float | NDArray[np.float64],
    kind: Kind = "posterior",
) -> float | NDArray[np.float64]:
    """Return the confidence that the exact test would reject at `alpha` (Noreen; MUC).

    "posterior" takes a uniform prior for the exact p; "binomial" is the level at which the
    one-sided Clopper-Pearson bound for it equals alpha. Arrays are taken element by element.

    >>> round(confidence(989, 9999, 0.1), 4)
    0.6354
    >>> confidence(np.array([930, 931]), 9999, 0.1).round(3)
    array([0.99 , 0.989])
    """
    _check_counts(exceedances, shuffles)
    _check_open_item("alpha", alpha)
    above = np.add(exceedances, 1)
    below = np.subtract(shuffles, exceedances) + _pseudo_shuffle(kind)
    # No shuffle below the observed value: Beta(., 0) has all its mass at 1, never below alpha.
    tails = binomial.tails(above, above + np.maximum(below, 1) - 1, alpha)
    result = np.where(below > 0, tails[1], 0.0)
    return float(result) if result.ndim == 0 else result


def largest_exceedances(
    shuffles: int, alpha: float, min_confidence: float, kind: Kind = "posterior"
) -> int | None:
    """Return the most exceedances whose confidence at `alpha` is still `min_confidence`.

    None if the shuffles are too few for any number to reach it.

    >>> largest_exceedances(9999, 0.1, 0.99)
    930
    >>> largest_exceedances(9, 0.1, 0.99) is None
    True
    """
    _check_open_item("the confidence", min_confidence)
    # Confidence falls as exceedances grow: `enough` always reaches it, `too_many` never does.
    enough, too_many = -1, shuffles + 1
    while too_many - enough > 1:
        middle = (enough + too_many) // 2
        if confidence(middle, shuffles, alpha, kind) >= min_confidence:
            enough = middle
        else:
            too_many = middle
    return enough if enough >= 0 else None


@overload
def p_interval(exceedances: int, shuffles: int, level: float = ...) -> tuple[float, float]: ...


@overload
def p_interval(
    exceedances: Integers, shuffles: int | Integers, level: float = ...
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...


def p_interval(
    exceedances: int | Integers, shuffles: int | Integers, level: float = 0.99
) -> tuple[Any, Any]:
    """Return the Clopper-Pearson interval for the exact p-value; arrays give arrays of ends.

    >>> low, high = p_interval(49, 999)
    >>> round(low, 4), round(high, 4)
    (0.0331, 0.0694)
    """
    _check_counts(exceedances, shuffles)
    _check_open_item("the level of the interval", level)
    tail = (1 - level) / 2
    count, drawn = np.asarray(exceedances), np.asarray(shuffles)
    least = binomial.rates(np.maximum(count, 1), drawn, tail, above=True)
    most = binomial.rates(np.minimum(count + 1, drawn), drawn, tail, above=False)
    low, high = np.where(count > 0, least, 0.0), np.where(count < drawn, most, 1.0)
    return (low, high) if low.ndim else (float(low), float(high))


def two_run_check(first: int, second: int, shuffles: int) -> RunCheck:
    """Return whether two independent runs of `shuffles` shuffles agree (Yeh).

    >>> two_run_check(96, 109, 1048576).agree
    True
    """
    _check_counts(first, shuffles)
    _check_counts(second, shuffles)
    share = (first + second) / (2 * shuffles)
    spread = math.sqrt(2 * shuffles * share * (1 - share))
    z = (first - second) / spread if spread else 0.0  # no spread: both runs 0, or both all
    return RunCheck(first, second, z, abs(z) <= LARGEST_RUN_Z)


def binomial_check(exceedances: int, shuffles: int, p: float, central: float = 0.999) -> CountCheck:
    """Return whether a count lies in the central part of Binomial(shuffles, p).

    For `p` take an exact p-value of the same test, or the sign test's where that is the same.

    >>> binomial_check(96, 1048576, 9.756e-05).agree
    True
    >>> binomial_check(25770, 1048576, 0.019994).agree
    False
    """
    from scipy.special import betainc, betaincc

    _check_counts(exceedances, shuffles)
    if not 0 < p <= 1:
        raise UsageError(f"a p-value lies above 0 and is at most 1, not {p}")
    _check_open_item("the central part", central)
    rest = shuffles - exceedances
    at_most = float(betaincc(exceedances + 1, rest, p)) if rest else 1.0
    at_least = float(betainc(exceedances, rest + 1, p)) if exceedances else 1.0
    tail = min(at_most, at_least)
    return CountCheck(p, shuffles * p, tail, tail >= (1 - central) / 2)


def _pseudo_shuffle(kind: str) -> int:
    # The uniform prior is worth one more shuffle that did not reach the observed value.
    if kind not in ("posterior", "binomial"):
        raise UsageError(f"no kind of confidence {kind!r}; take 'posterior' or 'binomial'")
    return 1 if kind == "posterior" else 0


def _check_counts(exceedances: int | Integers, shuffles: int | Integers) -> None:
    if np.any(np.less(shuffles, 1)):
        raise UsageError("a shuffle test needs at least 1 shuffle")
    if np.any(np.less(exceedances, 0)) or np.any(np.greater(exceedances, shuffles)):
        raise UsageError(
            f"the exceedances must lie between 0 and the {np.max(shuffles)} shuffles drawn"
        )


def _check_open_item(name: str, value: float | NDArray[np.float64]) -> None:
    if not np.all(np.greater(value, 0) & np.less(value, 1)):
        raise UsageError(f"{name} must lie between 0 and 1, not {value}")
