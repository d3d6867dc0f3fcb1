"""When to stop shuffling: the Robbins rule for decisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.resampling import binomial


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
