"""When to stop shuffling: the Robbins rule for decisions, Besag and Clifford's for p-values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.resampling import binomial


@dataclass(frozen=True, slots=True)
class BesagClifford:
    """A valid p-value from a sequential run, and the shuffles it took."""

    p: float
    shuffles: int


def robbins_value(
    shuffles: ArrayLike, exceedances: ArrayLike, alpha: ArrayLike
) -> NDArray[np.float64]:
    """Return (n+1) C(n,S) alpha^S (1-alpha)^(n-S) after n shuffles with S exceedances.

    Under any exact p the chance that this ever falls to `error` at alpha = p is at most `error`
    (Robbins 1970), however often one looks. Arrays broadcast; scalars give an array of no axes.

    >>> round(float(robbins_value(1000, 20, 0.05)), 6)
    0.000478
    """
    drawn = np.asarray(shuffles, dtype=np.float64)
    reached = np.asarray(exceedances, dtype=np.float64)
    level = np.asarray(alpha, dtype=np.float64)
    if np.any(reached < 0) or np.any(reached > drawn):
        raise UsageError("the exceedances must lie between 0 and the number of shuffles drawn")
    if not np.all((level > 0) & (level < 1)):
        raise UsageError(f"alpha must lie between 0 and 1, not {level}")
    return np.asarray((drawn + 1) * binomial.points(reached, drawn, level), dtype=np.float64)


def robbins_settled(
    shuffles: ArrayLike, exceedances: ArrayLike, alpha: ArrayLike, error: float = 0.001
) -> NDArray[np.bool_]:
    """Return where the decision at `alpha` is final.

    >>> robbins_settled(1000, np.array([20, 40, 85]), 0.05)
    array([ True, False,  True])
    """
    return np.asarray(robbins_value(shuffles, exceedances, alpha) <= error)


def robbins_side(shuffles: ArrayLike, exceedances: ArrayLike, alpha: ArrayLike) -> NDArray[np.str_]:
    """Return the side of `alpha` on which p is estimated to lie: "reject" or "keep".

    The side is a decision only where `robbins_settled`, which it never is at S/n = alpha.

    >>> robbins_side(1000, np.array([20, 85]), 0.05).tolist()
    ['reject', 'keep']
    """
    below = np.less_equal(exceedances, np.multiply(shuffles, alpha))
    return np.where(below, "reject", "keep")


def besag_clifford(positions: ArrayLike, max_shuffles: int, h: int = 10) -> BesagClifford:
    """Return p of a run that stops at its h-th exceedance (Besag and Clifford 1991).

    `positions` are the numbers, from 1 upwards, of the shuffles that reached the observed
    value: `np.flatnonzero(reached) + 1`. Those after the stop are ignored.

    >>> besag_clifford([3, 5, 9, 14], max_shuffles=999, h=4)
    BesagClifford(p=0.2857142857142857, shuffles=14)
    >>> besag_clifford([120, 560], max_shuffles=999)
    BesagClifford(p=0.003, shuffles=999)
    """
    where = np.asarray(positions, dtype=np.int64)
    if where.ndim != 1 or np.any(where < 1) or np.any(np.diff(where) < 1):
        raise UsageError("positions of exceedances must be shuffle numbers from 1 up, ascending")
    if h < 1 or max_shuffles < 1:
        raise UsageError(f"h and max_shuffles must be at least 1, not {h} and {max_shuffles}")
    reached = int(np.searchsorted(where, max_shuffles, side="right"))
    if reached >= h:
        stop = int(where[h - 1])
        return BesagClifford(h / stop, stop)
    return BesagClifford((reached + 1) / (max_shuffles + 1), max_shuffles)
