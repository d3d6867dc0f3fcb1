"""A difference of scores taken apart item by item, for a test that supposes equal scores only.

Exchanging outputs also exchanges how many there are: a test by exchanges supposes that each item's
outputs could as well be the other system's. Where one system answers four times as often that is
false, even if both are right equally often. What equal scores do imply is that the residuals of the
items, each against the score of both systems together, vary about zero. Their signs are flipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import Function
from tellapart.metrics.projection import Bound, BoundFunction, BoundRatio, Projection

_NUDGE = 1e-5  # of a column's sum, by which it is moved to see what the score does
_TIED = 1e-8  # of what all columns add to the terms: no slope is surer than that
_LIMB = 17  # bits: products of two, summed over a quarter of a million items, are exact in doubles
_CHUNK = 1 << 18
_TRIES, _REACH = 30, 4.0  # steps to sums with a wanted score, and how far these may lie

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Residuals:
    """The weights by which the columns of each item add up to a difference of scores.

    The term of an item is Σ first × columns of the first system - Σ second × columns of the second,
    plus a constant. The terms add up to the difference of the scores.
    """

    forms: tuple[int, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    constant: float
    """Per item; 0 for ratios"""
    difference: float
    slack: float = 0.0
    """How far a sum of terms may fall short and still be tied: slopes are known to some digits"""

    def terms(self, projection: Projection, a: int, b: int) -> Floats:
        """Return the term of every item."""
        found = np.full(projection.forms.shape[2], self.constant)
        for form, one, other in zip(self.forms, self.first, self.second, strict=True):
            found += one * projection.forms[form, a] - other * projection.forms[form, b]
        return found


def residuals(
    projection: Projection,
    bound: Bound,
    a: int,
    b: int,
    known: dict[tuple[int, int], ColumnSums] | None = None,
) -> Residuals | None:
    """Return a difference item by item; None where exchanges already suppose equal scores only.

    That is so where the systems have the same denominator on every item: there an exchange is a
    flip of signs. A function of items has no sums, and one without a slope cannot be taken apart.
    What is `known` of single systems, by metric and system, is used again and added to.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> values = {"A": [[1, 0], [1, 1]], "B": [[1, 3], [2, 2]]}
    >>> projection = project(Counts.from_arrays(values, ["tp", "fp"]), ["precision"])
    >>> found = residuals(projection, projection.metrics[0], 0, 1)
    >>> found.terms(projection, 0, 1).round(4).tolist(), round(found.difference, 4)
    ([0.2841, 0.0076], 0.2917)
    """
    if isinstance(bound, BoundRatio):
        return _of_ratio(projection, bound, a, b)
    if not isinstance(bound.metric, Function):
        return None
    return _of_function(projection, bound, a, b, {} if known is None else known)


def lacks_score(projection: Projection, bound: Bound, system: int) -> bool:
    """Return whether a system's ratio has nothing to divide by."""
    return isinstance(bound, BoundRatio) and int(projection.totals[bound.denominator, system]) == 0


def _of_ratio(projection: Projection, bound: BoundRatio, a: int, b: int) -> Residuals | None:
    """Return what signs are flipped of; None where a system has no score."""
    if projection.same_denominators(bound, a, b):
        return None
    if any(lacks_score(projection, bound, system) for system in (a, b)):
        return None
    difference = Fraction(projection.score(bound, a)) - Fraction(projection.score(bound, b))
    first, second = _ratio_weights(projection, bound, (a, b))
    return Residuals((bound.numerator, bound.denominator), first, second, 0.0, float(difference))


def _ratio_weights(
    projection: Projection, bound: BoundRatio, systems: Sequence[int]
) -> list[tuple[float, ...]]:
    """Return the weights of numerators and denominators: those of n - P d, over D of the system.

    P is the ratio of all systems together.
    """
    totals = projection.totals[[bound.numerator, bound.denominator]][:, list(systems)]
    pooled = Fraction(*(int(row.sum()) for row in totals))
    scales = [bound.factor / int(own) for own in totals[1]]
    return [(float(scale), float(-pooled * scale)) for scale in scales]


def whole_terms(projection: Projection, bound: BoundRatio, a: int, b: int) -> Floats | None:
    """Return the terms of a ratio as whole numbers of their common part; None if they are too big.

    With the totals N and D of both, the terms times D_a D_b D are whole.
    """
    rows = projection.forms[[bound.numerator, bound.denominator]]
    sums = projection.totals[[bound.numerator, bound.denominator]]
    (num, den), (den_a, den_b) = sums[:, [a, b]].sum(axis=1).tolist(), sums[1, [a, b]].tolist()
    largest = int(np.abs(rows[0, [a, b]]).max()) * den + abs(num) * int(rows[1, [a, b]].max())
    if largest * max(den_a, den_b) * 2 * rows.shape[2] >= 1 << 53:
        return None
    one, other = (rows[0, s] * den - num * rows[1, s] for s in (a, b))
    return np.asarray(one * den_b - other * den_a, np.float64)


@dataclass(frozen=True, slots=True)
class ColumnSums:
    """What the columns of a function add up to for one system: all that its slopes depend on."""

    sums: Floats
    masses: Floats
    """Sums of absolute values"""
    spread: Floats
    """Columns × columns: the sums of products of what each item has more than the mean"""

    @classmethod
    def of(cls, projection: Projection, bound: BoundFunction, system: int) -> ColumnSums:
        """Return those of the items of a projection."""
        rows = projection.forms[list(bound.forms), system]
        totals, absolute, items = rows.sum(axis=1), np.abs(rows).sum(axis=1), rows.shape[1]
        whole = totals.astype(object)
        apart = items * _sums_of_products(rows) - np.outer(whole, whole)
        apart = apart.astype(np.float64) / max(1, items)
        scales = bound.scales
        return cls(totals / scales, absolute / scales, apart / np.outer(scales, scales))


def _sums_of_products(rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the sums of products of all pairs of rows, as integers of any size.

    Numbers are cut into limbs that are small enough for a matrix product of doubles.

    >>> _sums_of_products(np.array([[1 << 40, 3], [-5, 1]])).tolist()
    [[1208925819614629174706185, -5497558138877], [-5497558138877, 26]]
    """
    largest = int(np.abs(rows).max(initial=0))
    limbs = max(1, -(-largest.bit_length() // _LIMB))
    found = np.zeros((len(rows), len(rows)), object)
    for start in range(0, rows.shape[1], _CHUNK):
        rest, cut = rows[:, start : start + _CHUNK], []
        for _ in range(limbs - 1):
            cut.append((rest & ((1 << _LIMB) - 1)).astype(np.float64))
            rest = rest >> _LIMB
        cut.append(rest.astype(np.float64))
        for i, one in enumerate(cut):
            for k, other in enumerate(cut):
                exact = (one @ other.T).astype(np.int64).astype(object)
                found += exact * (1 << (_LIMB * (i + k)))
    return found


def _of_function(
    projection: Projection,
    bound: BoundFunction,
    a: int,
    b: int,
    known: dict[tuple[int, int], ColumnSums],
) -> Residuals | None:
    for system in (a, b):
        if (id(bound), system) not in known:
            known[id(bound), system] = ColumnSums.of(projection, bound, system)
    pair = known[id(bound), a], known[id(bound), b]
    return _function_residuals(bound, pair, projection.forms.shape[2])


def _function_residuals(
    bound: BoundFunction, pair: tuple[ColumnSums, ColumnSums], items: int
) -> Residuals | None:
    """Return the linear part of a function of sums, as a whole as large as the difference.

    None where slopes do not tell which system is ahead, as at the edge of what a function is
    defined for.
    """
    found = _linearised(bound, pair)
    if found is None:
        return None
    assert isinstance(bound.metric, Function)
    one, other = (float(bound.metric.scores(each.sums)) for each in pair)
    (first, at_a), (second, at_b) = found
    constant = at_b - at_a
    linear = math.fsum(first * pair[0].sums) - math.fsum(second * pair[1].sums) + constant
    if not linear * (one - other) > 0:
        return None
    scale = (one - other) / linear
    gains, constant = [scale * first, scale * second], scale * constant
    terms = [gain * each.masses for gain, each in zip(gains, pair, strict=True)]
    slack = _TIED * math.fsum(np.abs(np.concatenate([*terms, [constant]])))
    left, right = (tuple((gain / bound.scales).tolist()) for gain in gains)
    return Residuals(bound.forms, left, right, constant / items, one - other, slack)


def _linearised(
    bound: BoundFunction, systems: Sequence[ColumnSums]
) -> list[tuple[Floats, float]] | None:
    """Return for each system the slopes of its columns, and what they make of the common score.

    They are the slopes of the function at sums like the system's own, but with the score of all
    systems together: what a ratio's residuals are about, too.
    """
    metric = bound.metric
    assert isinstance(metric, Function)
    sums, masses = (np.stack([getattr(each, name) for each in systems])
                    for name in ("sums", "masses"))  # fmt: skip
    gains = slopes(metric, sums.mean(axis=0), masses.mean(axis=0))
    weights = masses @ np.abs(gains)
    # The way in which columns vary together where the score does.
    way = np.stack([each.spread @ gains for each in systems]).sum(axis=0)
    if not weights.sum() > 0 or not gains @ way > 0:
        return None
    common = float(metric.scores(sums) @ weights / weights.sum())
    found = []
    for own, mass in zip(sums, masses, strict=True):
        point = _with_score(metric, own, way, common)
        if point is None:
            return None
        gains = slopes(metric, point, mass)
        found.append((gains, math.fsum(gains * point)))
    return found


def _with_score(metric: Function, sums: Floats, way: Floats, score: float) -> Floats | None:
    """Return the sums on a way that have a score, by the secant method; None if not found."""
    reach = float(np.abs(sums).sum()) / float(np.abs(way).sum())
    steps = [0.0, 1e-3 * reach]
    off = [float(metric.scores(sums + step * way)) - score for step in steps]
    for _ in range(_TRIES):
        if abs(off[-1]) <= _NUDGE**2 * abs(score):
            return np.asarray(sums + steps[-1] * way)
        if off[-1] == off[-2]:
            return None
        steps.append(steps[-1] - off[-1] * (steps[-1] - steps[-2]) / (off[-1] - off[-2]))
        if not abs(steps[-1]) <= _REACH * reach:
            return None
        off.append(float(metric.scores(sums + steps[-1] * way)) - score)
    return None


def slopes(metric: Function, sums: Floats, mass: Floats) -> Floats:
    """Return what the score gains for each column, a column without any mass being left out."""
    steps = np.diag(_NUDGE * mass)
    moved = metric.scores(np.concatenate([sums + steps, sums - steps]))
    rise = moved[: len(sums)] - moved[len(sums) :]
    return np.asarray(np.where(mass > 0, rise / np.where(mass > 0, 2 * _NUDGE * mass, 1.0), 0.0))


@dataclass(frozen=True, slots=True)
class SystemTerms:
    """The weights by which columns add up, item by item, to the scores of several systems.

    They are taken against the score of all systems together: the terms of a system add up to its
    score less a number that all share.
    """

    systems: tuple[int, ...]
    forms: tuple[int, ...]
    weights: Floats  # systems × forms
    constants: Floats
    """By system, what each item adds whatever its columns are"""
    step: float
    """As whole numbers of these, terms add up exactly"""

    def of(self, projection: Projection) -> Floats:
        """Return the terms of items: systems × items."""
        rows = projection.forms[list(self.forms)][:, list(self.systems)]  # forms × systems × items
        found = np.repeat(self.constants[:, None], rows.shape[2], axis=1)
        for row, weights in zip(rows, self.weights.T, strict=True):
            found += weights[:, None] * row
        return found

    def whole(self, projection: Projection) -> NDArray[np.int64]:
        """Return the same as whole numbers of steps."""
        return np.asarray(np.rint(self.of(projection) / self.step), np.int64)


def system_terms(
    projection: Projection, bound: Bound, systems: Sequence[int]
) -> SystemTerms | None:
    """Return what each item adds to each system's score, against that of all systems together.

    None where a system has no score, or a function no slopes.
    """
    if isinstance(bound, BoundRatio):
        if any(lacks_score(projection, bound, system) for system in systems):
            return None
        forms: tuple[int, ...] = bound.numerator, bound.denominator
        weights = np.array(_ratio_weights(projection, bound, systems))
    else:
        columns = [ColumnSums.of(projection, bound, system) for system in systems]
        found = _linearised(bound, columns)
        if found is None:
            return None
        forms = bound.forms
        weights = np.stack([gains for gains, _ in found]) / bound.scales
    masses, items = np.abs(projection.forms).sum(axis=2), projection.forms.shape[2]
    constants, largest = [], 0.0
    for system, own in zip(systems, weights, strict=True):
        used = list(forms)
        score = float(projection.score(bound, system))
        rest = score - math.fsum(own * projection.totals[used, system])
        constants.append(rest / items)
        largest = max(largest, math.fsum([abs(rest), *np.abs(own) * masses[used, system]]))
    step = 2.0 ** (math.frexp(largest)[1] - 50) if largest else 1.0
    return SystemTerms(tuple(systems), forms, weights, np.array(constants), step)
