"""How sure an approximate p-value is: confidence levels and intervals.

Of `shuffles` random shuffles, `exceedances` reached the observed difference. The exact p-value
is unknown; the functions here say what the two counts tell about it.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.resampling import binomial

Integers = NDArray[np.integer[Any]]


@overload
def confidence(exceedances: int, shuffles: int, alpha: float) -> float: ...


@overload
def confidence(
    exceedances: Integers,
    shuffles: int | Integers,
    alpha: float | NDArray[np.float64],
) -> NDArray[np.float64]: ...


def confidence(
    exceedances: int | Integers,
    shuffles: int | Integers,
    alpha: float | NDArray[np.float64],
) -> float | NDArray[np.float64]:
    """Return the confidence that the exact test would reject at `alpha` (Noreen; MUC).

    The exact p has a uniform prior. Arrays are taken element by element.

    >>> round(confidence(989, 9999, 0.1), 4)
    0.6354
    >>> confidence(np.array([930, 931]), 9999, 0.1).round(3)
    array([0.99 , 0.989])
    """
    _check_counts(exceedances, shuffles)
    _check_probability("alpha", alpha)
    result = binomial.tails(np.add(exceedances, 1), np.add(shuffles, 1), alpha)[1]
    return float(result) if result.ndim == 0 else result


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
    _check_probability("the level of the interval", level)
    tail = (1 - level) / 2
    count, drawn = np.asarray(exceedances), np.asarray(shuffles)
    least = binomial.rates(np.maximum(count, 1), drawn, tail, above=True)
    most = binomial.rates(np.minimum(count + 1, drawn), drawn, tail, above=False)
    low, high = np.where(count > 0, least, 0.0), np.where(count < drawn, most, 1.0)
    return (low, high) if low.ndim else (float(low), float(high))


def _check_counts(exceedances: int | Integers, shuffles: int | Integers) -> None:
    if np.any(np.less(shuffles, 1)):
        raise UsageError("a shuffle test needs at least 1 shuffle")
    if np.any(np.less(exceedances, 0)) or np.any(np.greater(exceedances, shuffles)):
        raise UsageError(
            f"the exceedances must lie between 0 and the {np.max(shuffles)} shuffles drawn"
        )


def _check_probability(name: str, value: float | NDArray[np.float64]) -> None:
    if not np.all(np.greater(value, 0) & np.less(value, 1)):
        raise UsageError(f"{name} must lie between 0 and 1, not {value}")
