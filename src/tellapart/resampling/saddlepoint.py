"""The far tail of the mean difference over a random set of items, by the saddlepoint method.

Each item is in the set with probability one half, as in `subset_means`. What is wanted is the shift
s at which the mean over the set is at most s with a small probability q. That is the event that
the sum of d - s n over the set is at most 0, a sum of independent terms whose cumulants are known
exactly: K(t) = Σ log((1 + exp(t (d - s n))) / 2). Barndorff-Nielsen's form of the saddlepoint
approximation (1986) puts its probability at Φ(r*), r* = w + log(u / w) / w, with t where K' is 0,
w = -√(-2 K(t)) and u = t √K''(t). Its error is a small part of q however small q is, where
shuffles would need to be many times 1 / q.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_ROWS = 1 << 15  # values that are worked on at a time, so that they stay in the cache
_STEPS = 12  # of Newton's method; most rows take three
_NEAR = 1e-5  # standard deviations: a step as small as this is the last one
_FACTORS = 8  # whose logarithms are taken as one

Floats: TypeAlias = NDArray[np.float64]


def tail_shifts(sums: NDArray[np.int64], sizes: NDArray[np.int64], q: float) -> Floats:
    """Return for each row of items the shift s at which P(mean over a random set <= s) is q.

    `sums` are rows × items, `sizes` those of the items, in one row or in as many; q is below one
    half. A shift is not a number where the method finds none, as among few items of which one is
    larger than all others. Neither the order of the items nor other rows matter.

    >>> apart = np.arange(-20, 30)[None]
    >>> tail_shifts(apart, np.ones((1, 50), int), 1e-5).round(2)
    array([-5.43])
    """
    equal = bool((sizes == sizes[0, 0]).all())
    many = max(1, _ROWS // sums.shape[1])
    found = np.empty(len(sums))
    with np.errstate(all="ignore"):
        for first in range(0, len(sums), many):
            # How rows lie in memory would decide in which order they are summed up.
            values = np.ascontiguousarray(sums[first : first + many])
            if equal:
                ordered, own = np.sort(values, axis=1), sizes[:1, :1]
            else:
                own = sizes if len(sizes) == 1 else sizes[first : first + many]
                own = np.broadcast_to(own, values.shape)
                order = np.lexsort((own, values), axis=-1)
                ordered, own = (np.take_along_axis(x, order, axis=1) for x in (values, own))
            found[first : first + many] = _solve(
                ordered.astype(np.float64), own.astype(np.float64), q
            )
    return found


def _solve(d: Floats, n: Floats, q: float) -> Floats:
    """Solve K'(t) = 0 and r* = z for shift and t, all rows at once, by Newton's method.

    The rows that are done leave; `n` is a row of sizes for each row of `d`, or a single size.
    """
    z = NormalDist().inv_cdf(q)
    items = d.shape[1]
    each = items // n.shape[1]
    whole, squares = each * n.sum(axis=1), each * (n**2).sum(axis=1)
    centre = d.sum(axis=1) / whole
    spread = np.sqrt(((d - centre[:, None] * n) ** 2).sum(axis=1)) / whole
    # Of normal sums: the variance is that about the shift, not about the mean.
    shift = centre + z * spread / np.sqrt(1 - z**2 * squares / whole**2)
    y = d - shift[:, None] * n
    t = -2 * np.abs(y.sum(axis=1)) / (y**2).sum(axis=1)
    found, left = np.full(len(d), np.nan), np.arange(len(d))
    for _ in range(_STEPS):
        odds = np.exp(t[:, None] * y)
        both = 1 + odds
        taken = odds / both  # the probability that the tilted sum takes an item
        size = (taken * n).sum(axis=1)
        slope = taken * y
        off = slope.sum(axis=1)
        slope /= both
        curvature = (slope * y).sum(axis=1)
        crossed = -size - t * (slope * n).sum(axis=1)
        # What K is where K' is 0, which is near.
        least = _log_sums(both) - items * math.log(2) - off**2 / (2 * curvature)
        w = -np.sqrt(-2 * least)
        r = w + np.log((t - off / curvature) * np.sqrt(curvature) / w) / w
        step = (z - r) * w / (t * size)
        t = t - (off + crossed * step) / curvature
        shift = shift + step
        done = (np.abs(step) <= _NEAR * spread) & (np.abs(off) <= 1e-3 * np.sqrt(curvature))
        found[left[done]] = shift[done]
        kept = ~done & np.isfinite(shift) & np.isfinite(t)
        if not kept.any():
            break
        left, d, shift, t, spread = (x[kept] for x in (left, d, shift, t, spread))
        n = n[kept] if len(n) > 1 else n
        y = d - shift[:, None] * n
    return found


def _log_sums(values: Floats) -> Floats:
    """Return Σ log of each row: the logarithms of products, as long as these do not overflow."""
    whole = values.shape[1] // _FACTORS * _FACTORS
    products = values[:, :whole].reshape(len(values), -1, _FACTORS).prod(axis=2)
    found = np.log(products).sum(axis=1) + np.log(values[:, whole:]).sum(axis=1)
    over = ~np.isfinite(found)
    if over.any():
        found[over] = np.log(values[over]).sum(axis=1)
    return np.asarray(found)
