"""Repeats, runs and conditions: the noise of a score whose items, runs and prompts could be others.

Repeats of an item (epochs, samples) have nothing in common with those of other items: they are
averaged before. Runs share something, such as a training seed, and can be lucky as a whole.
Conditions, such as prompts, are crossed where both systems were given the same ones: only the
systems' difference varies with them. Otherwise they are nested in the systems, as runs always are.

Of n items the variance of a difference is that of the items' mean differences over n, and for runs
and conditions that of the mean over replicates, as far as it exceeds what the noise of single
answers explains of it. A pair's component, the sum over its systems, that is estimated at 0 or
below costs nothing: the test over items is the answer. Above 0 the answer is t, with
Satterthwaite's degrees of freedom.

With two or three replicates both halves of this would be too bold: such a variance is often far too
small by chance, most of all where the systems' spreads are unequal. So Satterthwaite's formula sees
it enlarged, and it has to lie some way below the noise to be taken for none. The constants were
chosen by the level for spreads of 1:1 to 1:1000, from no component to nothing but it
(`python -m benchmarks validity`, section runs): .04 to .06 from four replicates on, .03 to .06 with
three. Two tell so little about themselves that no sensible test does better than .02 to .06.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Floats, Interval, Test, sign_of, t_p, t_quantile
from tellapart.stats.signed_sums import sign_flip

MAX_MISSING = 0.1
"""The share of a system's cells that may be missing"""

SOURCES = ("items", "runs", "conditions", "residual", "repeats")
"""Where variance comes from"""

_CONDITIONS, _RUNS, _ITEMS = range(3)  # the axes of a system's values
# Up to which share of the noise of answers a variance is taken for none, if not up to all of it:
# by the fewest degrees of freedom, and how many systems it is the sum of.
_TAKEN_FOR_NONE = {(1, 1): 0.15, (1, 2): 0.35, (2, 1): 0.7, (2, 2): 0.85}


@dataclass(frozen=True, slots=True)
class Spread:
    """A difference of two scores (or one score), with its variance by where it comes from."""

    difference: float
    items: float
    """Other items: how far the systems lie apart on some and not on others"""
    runs: float
    """Other runs: how far whole runs lie apart"""
    conditions: float
    """Other conditions: how far they lie apart, or the systems' differences under them"""
    residual: float
    """Single answers, apart from all these: more items, runs or conditions would shrink it"""
    df: float
    varies: bool
    """Whether runs or conditions count; if not, the test over items is the answer"""
    repeats: float = 0.0
    """Other repeats of the same answers: how far those lie apart that were averaged before"""

    @property
    def variance(self) -> float:
        """The variance of the difference, from all sources."""
        return math.fsum(getattr(self, name) for name in SOURCES)

    @property
    def error(self) -> float:
        """The standard error, from all sources."""
        return math.sqrt(self.variance)

    @property
    def shares(self) -> dict[str, float]:
        """The share of the variance that each source has.

        >>> Spread(0.1, 0.001, 0.006, 0.0, 0.001, df=5.0, varies=True).shares["runs"]
        0.75
        """
        total = self.variance
        return {name: getattr(self, name) / total if total else 0.0 for name in SOURCES}

    def p(self, sign: int = 0, shift: float = 0.0) -> float:
        """Return p of the true difference being `shift`, by t: two-sided, or for 1 above, -1 below.

        >>> spread = Spread(0.1, 0.0004, 0.002, 0.0, 0.0001, df=4.0, varies=True)
        >>> round(spread.p(), 4), round(spread.p(1), 4), spread.p(shift=0.1)
        (0.1161, 0.0581, 1.0)
        """
        above = self.difference - shift
        if self.error == 0:
            t = math.copysign(math.inf, above) if above else 0.0
        else:
            t = above / self.error
        return t_p(t, self.df, sign)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference, by t.

        >>> spread = Spread(0.1, 0.0004, 0.002, 0.0, 0.0001, df=4.0, varies=True)
        >>> [round(end, 3) for end in spread.interval().ends]
        [-0.039, 0.239]
        """
        half = t_quantile(self.df, confidence_level) * self.error
        return Interval(self.difference - half, self.difference + half, "runs")

    def turned(self) -> Spread:
        """Return the same seen from the second system."""
        return replace(self, difference=0.0 - self.difference)


def runs_test(
    a: ArrayLike, b: ArrayLike, *, crossed: bool = True, alternative: str = "two-sided"
) -> Test:
    """Test whether two systems with several runs have the same score, on other items and runs, too.

    Where runs and conditions do not differ by more than the noise of single answers, this is the
    sign-flip test of the items' means. Else it is a t-test, and p is never below that of these
    very runs. Where a system has a single run, more than a tenth of the cells is missing
    (``missing``), or there is one item alone (``few-items``), p is that of these very runs.

    Args:
        a: values of the first system, runs × items or conditions × runs × items; NaN where a run
            lacks an item. Repeats of an item within a run are averaged before.
        b: values of the second system on the same items; it may have more runs, or fewer.
        crossed: whether both systems have the same conditions, in the same order. If not, each
            has conditions of its own.
        alternative: ``two-sided``, ``greater`` (a is better) or ``less``.

    >>> lucky = [[1, 1, 1, 1, 1, 0, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0, 1, 0, 0, 0]]
    >>> steady = [[0, 0, 1, 0, 0, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0, 0, 1, 0, 0]]
    >>> test = runs_test(lucky, steady)
    >>> test.method, round(test.p, 2)
    ('runs', 0.5)
    >>> mean = [sum(runs) / 2 for runs in zip(*lucky)]
    >>> sign_flip(mean, [sum(runs) / 2 for runs in zip(*steady)]).p  # of these very runs
    0.03125
    """
    systems = _samples(a, b, crossed)
    # In units in which means of right and wrong answers are whole numbers.
    unit = math.lcm(*(values[..., 0].size for values in systems))
    first, second = (unit * _item_means(values) for values in systems)
    sign, test = sign_of(alternative), sign_flip(first, second, alternative=alternative)
    noise = spread(*systems, crossed=crossed)
    if noise is None:
        return replace(test, reason="few-items" if len(first) < 2 else "missing")
    if not noise.varies:
        return test
    p = max(noise.p(sign), test.p or 0.0)
    return Test(p, "runs", noise.difference / noise.error, noise.df)


def spread(
    a: ArrayLike, b: ArrayLike | None = None, *, crossed: bool = True, repeats: float = 0.0
) -> Spread | None:
    """Return where the variance of a difference of two scores comes from; without b, of one score.

    None where more than a tenth of the cells is missing, or there are less than two items.

    Args:
        a: values of the first system, runs × items or conditions × runs × items; their mean is the
            score. Missing cells (NaN) count as the mean of the item's others.
        b: values of the second system on the same items.
        crossed: whether both systems have the same conditions, in the same order.
        repeats: the part of the variance that repeats of answers, averaged before, explain.

    >>> runs = np.array([[1.0, 1, 0, 1, 1, 0], [1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 1]])
    >>> noise = spread(runs)
    >>> round(noise.difference, 3), round(noise.error, 3), round(noise.shares["runs"], 2)
    (0.5, 0.197, 0.48)
    """
    given = _samples(a, b, crossed)
    n = given[0].shape[_ITEMS]
    if n < 2 or max(np.isnan(values).mean() for values in given) > MAX_MISSING:
        return None
    systems = [np.where(np.isnan(values), _item_means(values), values) for values in given]
    by_item = _difference([values.mean(axis=(_CONDITIONS, _RUNS)) for values in systems])
    by_condition = [values.mean(axis=_RUNS, keepdims=True) for values in systems]
    if crossed:
        by_condition = [_difference(by_condition)]
    least = 1e-24 * max(float(np.square(values).max()) for values in systems)  # rounding
    runs = _component([_noise(values, _RUNS) for values in systems], least)
    conditions = _component([_noise(values, _CONDITIONS) for values in by_condition], least)
    items = _mean_square(by_item, (0,))
    items = items if items > least else 0.0
    residual = min(items, math.fsum(noise.residual for noise in runs.noises + conditions.noises))
    # Runs that lie closer together than the noise of answers makes them say that it is smaller.
    answers = max(0.0, residual + min(0.0, runs.variance) + min(0.0, conditions.variance))
    of_answers = min(repeats, answers)
    of_items = min(repeats - of_answers, items - residual)
    counted = [source for source in (runs, conditions) if source.varies]
    return Spread(
        float(by_item.mean()),
        items - residual - of_items,
        max(0.0, runs.variance),
        max(0.0, conditions.variance),
        answers - of_answers,
        _degrees_of_freedom(items, n - 1, [noise for source in counted for noise in source.noises]),
        varies=bool(counted),
        repeats=of_answers + of_items,
    )


class _Noise(NamedTuple):
    """What the runs or the conditions of one system say about the variance of its score."""

    between: float
    """The variance of the mean over replicates, by how far they lie apart"""
    residual: float
    """What the noise of single answers explains of it"""
    df: int


class _Component(NamedTuple):
    """The runs or the conditions of all systems together."""

    noises: list[_Noise]
    variance: float
    """Below 0 where few replicates lie a little closer together than the noise makes them"""
    varies: bool


def _noise(values: Floats, axis: int) -> _Noise | None:
    """Return what the replicates along an axis tell; None of a single one."""
    replicates = values.shape[axis]
    if replicates < 2:
        return None
    between = _mean_square(values, (axis,))
    if axis == _RUNS and values.shape[_CONDITIONS] > 1:
        # Luck of a run under one condition is in how far conditions lie apart already.
        both = _mean_square(values, (_CONDITIONS, _RUNS))
        between -= max(0.0, both - _mean_square(values, (_CONDITIONS, _RUNS, _ITEMS)))
    return _Noise(max(0.0, between), _mean_square(values, (axis, _ITEMS)), replicates - 1)


def _component(noises: Sequence[_Noise | None], least: float) -> _Component:
    """Return the sum over systems: none at all where it does not exceed the noise of answers.

    Nor where a system has a single replicate, which does not tell how far it varies.
    """
    known = [noise for noise in noises if noise is not None]
    if len(known) < len(noises):
        return _Component([], 0.0, False)
    between, residual = (math.fsum(noise[k] for noise in known) for k in (0, 1))
    fewest = min((noise.df for noise in known), default=0)
    most = _TAKEN_FOR_NONE.get((fewest, len(known)), 1.0) * residual
    varies = between > max((1 + 1e-9) * most, least)  # equal, but for rounding, is no more
    return _Component(known, between - residual if varies else 0.0, varies)


def _degrees_of_freedom(items: float, df: int, noises: Sequence[_Noise]) -> float:
    """Return Satterthwaite's degrees of freedom, few replicates counting for more."""
    if not items and not noises:
        return float(df)
    enlarged = [noise.between * (1 + 12 * float(noise.df) ** -2.6) for noise in noises]
    total = max(0.0, items - math.fsum(noise.residual for noise in noises))
    total += math.fsum(enlarged)
    squares = [part**2 / noise.df for part, noise in zip(enlarged, noises, strict=True)]
    return total**2 / (items**2 / df + math.fsum(squares))


def _mean_square(values: Floats, axes: tuple[int, ...]) -> float:
    """Return the variance of the grand mean by the mean square of an effect or an interaction."""
    effect = values.mean(axis=tuple(set(range(values.ndim)) - set(axes)), keepdims=True)
    for axis in axes:
        effect = effect - effect.mean(axis=axis, keepdims=True)
    sizes = [values.shape[axis] for axis in axes]
    return float(np.square(effect).sum() / math.prod(k * (k - 1) for k in sizes))


def _difference(systems: Sequence[Floats]) -> Floats:
    return systems[0] if len(systems) == 1 else systems[0] - systems[1]


def _samples(a: ArrayLike, b: ArrayLike | None, crossed: bool) -> list[Floats]:
    """Return each system's values as conditions × runs × items, or say what is wrong with them."""
    systems = [_cells(a, "a"), *([] if b is None else [_cells(b, "b")])]
    (k, _, n), (other_k, _, other_n) = systems[0].shape, systems[-1].shape
    if n != other_n:
        raise UsageError(f"a and b must have the same items: they have {n} and {other_n}")
    if crossed and k != other_k:
        raise UsageError(
            f"a and b have {k} and {other_k} conditions; if these are not the same: crossed=False"
        )
    return systems


def _cells(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim not in (2, 3) or not array.size:
        raise UsageError(f"{name} must be runs × items or conditions × runs × items, and not empty")
    array = array.reshape(-1, *array.shape[-2:])
    if np.isinf(array).any():
        raise UsageError(f"{name} holds values that are not finite")
    if np.isnan(array).all(axis=(_CONDITIONS, _RUNS)).any():
        raise UsageError(f"{name} has an item without any value")
    return array


def _item_means(values: Floats) -> Floats:
    return np.asarray(np.nanmean(values, axis=(_CONDITIONS, _RUNS)))
