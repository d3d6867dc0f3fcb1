"""What each item contributes to a difference: sorted for a figure, and item by item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundFunction, BoundRatio, Projection

RUNGS = 400
"""The most points that a ladder has."""

Floats = NDArray[np.float64]


def contributions(projection: Projection, bound: Bound, a: int, b: int) -> Floats | None:
    """Return what each item adds to the difference of two systems, first minus second.

    They sum to the difference times the number of items, and are 0 on items where the systems
    agree. Of a mean they are the items' own differences. Of a ratio they are the terms of

        n_a/d_a - n_b/d_b = Σ 2 (c_u T_d - T_n d_u) / (T_d² - D²),

    c_u and d_u being what the first system has more on item u in numerator and denominator, T_n and
    T_d the totals of both systems, D = Σ d_u. Of a function of sums: half of what exchanging the
    systems' outputs on this item alone takes away; what is then left of the difference is shared
    out in proportion. None for a function of items, and where systems have items of their own.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> projection = project(Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 1, 0]}))
    >>> contributions(projection, projection.metrics[0], 0, 1).tolist()
    [1.0, 0.0, -1.0, 1.0]
    """
    if projection.counts.present is not None or isinstance(bound.metric, ItemFunction):
        return None
    if isinstance(bound, BoundRatio):
        return _of_ratio(projection, bound, a, b)
    return _of_function(projection, bound, a, b)


def _of_ratio(projection: Projection, bound: BoundRatio, a: int, b: int) -> Floats:
    num, den = projection.forms[bound.numerator], projection.forms[bound.denominator]
    tops, bottoms = (
        projection.totals[form].astype(np.float64) for form in (bound.numerator, bound.denominator)
    )
    items, factor = num.shape[1], float(bound.factor)
    if bottoms[a] == 0 or bottoms[b] == 0:  # an undefined score belongs to all items alike
        undefined = float(bound.metric.undefined)
        first, second = (
            items * factor * num[s] / bottoms[s] if bottoms[s] else np.full(items, undefined)
            for s in (a, b)
        )
        return np.asarray(first - second)
    both_tops, both_bottoms = tops[a] + tops[b], bottoms[a] + bottoms[b]
    apart = (num[a] - num[b]) * both_bottoms - both_tops * (den[a] - den[b])
    # T_d² - D² is four times the product of the denominators.
    return np.asarray(items * factor * apart / (2 * bottoms[a] * bottoms[b]))


def _of_function(projection: Projection, bound: BoundFunction, a: int, b: int) -> Floats:
    assert not isinstance(bound.metric, ItemFunction)
    used = list(bound.forms)
    forms, totals = projection.forms[used], projection.totals[used]
    differ = projection.discordant(bound, a, b)
    moved = (forms[:, b] - forms[:, a])[:, differ]
    sizes = bound.scales[:, None]
    exchanged = bound.metric.scores(((totals[:, [a]] + moved) / sizes).T)
    exchanged = exchanged - bound.metric.scores(((totals[:, [b]] - moved) / sizes).T)
    difference = float(projection.score(bound, a)) - float(projection.score(bound, b))
    items = len(differ)
    found = np.zeros(items)
    found[differ] = (difference - exchanged) * items / 2
    weight = np.abs(found)
    if weight.any():
        found += (items * difference - found.sum()) * (weight / weight.sum())
    return found


def ladder(found: Floats, *, falling: bool) -> tuple[float, ...]:
    """Sort contributions, and pick points evenly where there are more than 400, the ends included.

    >>> ladder(np.array([0.5, -1.0, 1.0]), falling=True)
    (1.0, 0.5, -1.0)
    """
    ordered = np.sort(found)
    if falling:
        ordered = ordered[::-1]
    if len(ordered) > RUNGS:
        places = np.rint(np.linspace(0, len(ordered) - 1, RUNGS)).astype(np.int64)
        ordered = ordered[places]
    return tuple((ordered + 0.0).tolist())
