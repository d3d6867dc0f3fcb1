"""Counts seen through metrics: the integer forms whose sums make the scores.

A ratio metric needs two forms per system and item, its numerator and its denominator; any other
function of sums needs its columns as they are. Forms that metrics share are kept once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics.directions import direction
from tellapart.metrics.kinds import ITEMS, Function, ItemFunction, Metric, Ratio, Weights
from tellapart.metrics.passes import with_passes
from tellapart.metrics.registry import default_metrics, metric
from tellapart.words import plural

LARGEST_SUM = 1 << 52
"""Sums of forms stay below this, so that they are exact in a double."""

_FormKey: TypeAlias = tuple[int, tuple[tuple[str, Fraction], ...], bool]
"""A grid, weights, and whether items have weights, too: integer weights of the scaled columns where
the grid is 0, otherwise weights of the real ones, whose sum is rounded to so many steps an item."""


@dataclass(frozen=True, slots=True)
class BoundRatio:
    """A ratio metric whose forms are known: score = factor × numerator / denominator."""

    metric: Ratio
    numerator: int
    denominator: int
    top: Fraction
    """What one step of the numerator's form is worth"""
    bottom: Fraction
    exact: bool
    factor: Fraction = field(init=False)
    """The score of a numerator of 1 over a denominator of 1"""
    undefined: Fraction = field(init=False)
    """The declared value of a zero denominator, in units of numerator / denominator"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", self.top / self.bottom)
        object.__setattr__(self, "undefined", self.metric.undefined / self.factor)


@dataclass(frozen=True, slots=True)
class BoundFunction:
    """A metric of several columns, which are forms each; real sums are the forms' over scales."""

    metric: Function | ItemFunction
    forms: tuple[int, ...]
    scales: NDArray[np.float64]


Bound: TypeAlias = BoundRatio | BoundFunction


@dataclass(frozen=True, slots=True)
class Projection:
    """The forms of all systems and items, and the metrics that read them."""

    counts: Counts
    forms: NDArray[np.int64]  # forms × systems × items
    totals: NDArray[np.int64]  # forms × systems
    metrics: tuple[Bound, ...]
    _scores: dict[tuple[str, int], Fraction | float] = field(default_factory=dict, repr=False)
    _alike: dict[int, NDArray[np.int64]] = field(init=False, default_factory=dict, repr=False)

    def score(self, bound: Bound, system: int) -> Fraction | float:
        """Return a system's score, as a fraction where the metric is a ratio."""
        key = bound.metric.name, system
        if key not in self._scores:
            self._scores[key] = self._score(bound, system)
        return self._scores[key]

    def _score(self, bound: Bound, system: int) -> Fraction | float:
        if isinstance(bound, BoundRatio):
            num = int(self.totals[bound.numerator, system])
            den = int(self.totals[bound.denominator, system])
            return bound.factor * Fraction(num, den) if den else bound.metric.undefined
        if isinstance(bound.metric, ItemFunction):
            value = bound.metric.score(self.rows(bound, system))
            if not math.isfinite(value):
                raise DataError(
                    f"metric {bound.metric.name!r} gives {value} for system "
                    f"{self.counts.names[system]!r}; its function must return finite numbers"
                )
            return value
        sums = self.totals[list(bound.forms), system] / bound.scales
        return float(bound.metric.scores(sums))

    def rows(self, bound: BoundFunction, system: int) -> NDArray[np.float64]:
        """Return a system's rows as a metric of items reads them: items × columns."""
        return np.asarray(self.forms[list(bound.forms), system, :].T / bound.scales)

    def same_denominators(self, bound: BoundRatio, a: int, b: int) -> bool:
        """Return whether two systems have the same denominator on every item."""
        alike = self.alike_denominators(bound)
        return bool(alike[a] == alike[b])

    def alike_denominators(self, bound: BoundRatio) -> NDArray[np.int64]:
        """Return for each system the first one that has its denominator on every item."""
        if bound.denominator not in self._alike:
            rows, sums = self.forms[bound.denominator], self.totals[bound.denominator].tolist()
            # Those with other items, by their sums and first items: sums of few items are alike.
            firsts: dict[tuple[int, bytes], list[int]] = {}
            found = []
            for k, (row, total) in enumerate(zip(rows, sums, strict=True)):
                known = firsts.setdefault((total, row[:64].tobytes()), [])
                first = next((j for j in known if np.array_equal(rows[j], row)), k)
                if first == k:
                    known.append(k)
                found.append(first)
            self._alike[bound.denominator] = np.array(found, np.int64)
        return self._alike[bound.denominator]

    def shifts(self, bound: BoundRatio, a: int, b: int) -> tuple[NDArray[np.int64], ...]:
        """Return what b has more than a on each item, in numerator and in denominator."""
        numerators, denominators = self.forms[bound.numerator], self.forms[bound.denominator]
        return numerators[b] - numerators[a], denominators[b] - denominators[a]

    def discordant(self, bound: Bound, a: int, b: int) -> NDArray[np.bool_]:
        """Return on which items two systems differ in what the metric uses."""
        used = bound.forms if isinstance(bound, BoundFunction) else _forms_of(bound)
        return np.asarray((self.forms[list(used), a] != self.forms[list(used), b]).any(axis=0))


def _forms_of(bound: BoundRatio) -> tuple[int, int]:
    return bound.numerator, bound.denominator


def _directed(metric: Ratio, lower: Sequence[str]) -> Ratio:
    """Return the metric, lower being better if it is the mean of a column of errors."""
    mean = metric.is_weighted_mean
    of_errors = mean and any(column in lower for column, _ in metric.numerator)
    return replace(metric, higher_is_better=False) if of_errors else metric


def _as_summed_up(metric: Ratio, counts: Counts) -> Ratio:
    """Return the metric; a mean over items is one of tasks where the suite has it so."""
    weighted = metric.is_weighted_mean and _item_weights(counts) is not None
    return metric if weighted == metric.weighted else replace(metric, weighted=weighted)


def _item_weights(counts: Counts) -> NDArray[np.int64] | NDArray[np.float64] | None:
    return None if counts.suite is None else counts.suite.weights(counts.sizes)


def direction_told_by(metric: Metric, counts: Counts) -> str:
    """Return how it is known which way is better of a metric: it is its own, given, named, assumed.

    Ready values are anything: of those that are not said to be errors, the name must tell.

    >>> counts = Counts.from_arrays({"A": [[1, 2]]}, columns=["f1", "steps"], form="items")
    >>> [direction_told_by(each, counts) for each in metrics_of(counts)]
    ['named', 'assumed']
    """
    own = any(each is metric or each.name == metric.name for each in counts.metrics)
    ready = counts.form == "items" and isinstance(metric, Ratio) and metric.is_weighted_mean
    if own or not ready:
        return "own"
    (column, _) = cast(Ratio, metric).numerator[0]
    if column in counts.lower:
        return "given"
    if counts.suite is not None and counts.suite.scores:  # a column made of those of the tasks
        return "named" if all(map(direction, counts.suite.scores.values())) else "assumed"
    return "named" if direction(metric.name) or direction(column) else "assumed"


def metrics_of(counts: Counts, wanted: Sequence[str | Metric] | None = None) -> list[Metric]:
    """Return the metrics to score counts by: the wanted ones, or else the counts' own.

    A name that one of the counts' own metrics has means that one; counts without metrics of their
    own are scored by what their columns suggest.

    >>> metrics_of(Counts.from_arrays({"A": [[3, 1, 2]]}, ["tp", "fp", "fn"]))
    [recall, precision, f1]
    """
    own: dict[str, Metric] = {each.name: cast(Metric, each) for each in counts.metrics}
    if not wanted and own:
        return list(own.values())
    items = counts.form == "items"
    found: list[Metric] = []
    for each in wanted or default_metrics(counts.columns, items=items):
        if not isinstance(each, str):
            found.append(each)
        elif each in own:
            found.append(own[each])
        else:
            found.append(metric(each, counts.columns, items=items))
    return found


def project(counts: Counts, metrics: Sequence[str | Metric] | None = None) -> Projection:
    """Return the counts seen through metrics, which are given by name or as objects.

    Where none is given, the counts' own metrics are bound, or else those that the columns suggest.

    >>> counts = Counts.from_arrays({"A": [[3, 1, 2]], "B": [[2, 0, 3]]}, ["tp", "fp", "fn"])
    >>> projection = project(counts, ["recall", "f1"])
    >>> [projection.score(bound, system=0) for bound in projection.metrics]
    [Fraction(3, 5), Fraction(2, 3)]
    """
    counts = with_passes(counts, metrics)
    found = metrics_of(counts, metrics)
    if counts.lower:
        found = [_directed(m, counts.lower) if isinstance(m, Ratio) else m for m in found]
    if counts.scored is not None:
        counts = _items_scored(counts, found)
    found = [_as_summed_up(m, counts) if isinstance(m, Ratio) else m for m in found]
    for each in found:
        if not isinstance(each, Ratio | Function | ItemFunction):
            raise UsageError(
                f"{each!r} is no metric: give a name, or make one with ratio, mean or Function"
            )
    twice = {m.name for m in found if [other.name for other in found].count(m.name) > 1}
    if twice:
        raise UsageError(f"metric {min(twice)!r} was asked for twice")
    keys: dict[_FormKey, int] = {}
    bound = tuple(_bind(each, counts, keys) for each in found)
    forms = np.zeros((len(keys), len(counts.names), len(counts.items)), np.int64)
    for form, key in zip(forms, keys, strict=True):
        _fill(form, counts, key)
    projection = Projection(counts, forms, forms.sum(axis=2), bound)
    for ready in bound:
        if isinstance(ready, BoundRatio):
            _check_denominator(projection, ready)
    return projection


def _items_scored(counts: Counts, metrics: Sequence[Metric]) -> Counts:
    """Return the items that have the values of all metrics, which must be the same for each."""
    found = [counts.with_values(each.columns) for each in metrics]
    for each, other in zip(metrics, found, strict=True):
        if other.items != found[0].items:
            raise UsageError(
                f"{metrics[0].name} and {each.name} are not of the same {plural(counts.kind)}; "
                f"name one of them with --metric"
            )
    return found[0]


def _bind(each: Metric, counts: Counts, keys: dict[_FormKey, int]) -> Bound:
    absent = [column for column in each.columns if column not in counts.columns]
    if absent:
        raise UsageError(
            f"metric {each.name!r} needs the columns {' '.join(each.columns)}; "
            f"there are {' '.join(counts.columns)}"
        )
    if isinstance(each, Ratio):
        exact = all(counts.exact[counts.columns.index(column)] for column in each.columns)
        exact = exact and not (each.weighted and _needs_rounding(each, counts))
        single = max(len(each.numerator), len(each.denominator)) == 1 and not each.weighted
        if exact or single:
            (top_key, top), (bottom_key, bottom) = (
                _integers(weights, counts, each.weighted)
                for weights in (each.numerator, each.denominator)
            )
        else:
            grid = _common_grid(each, counts)
            top_key = (grid, each.numerator, each.weighted)
            bottom_key = (grid, each.denominator, each.weighted)
            top = bottom = Fraction(1, grid)
        numerator = keys.setdefault(top_key, len(keys))
        denominator = keys.setdefault(bottom_key, len(keys))
        return BoundRatio(each, numerator, denominator, top, bottom, exact)
    forms = tuple(
        keys.setdefault((0, ((column, Fraction(1)),), False), len(keys)) for column in each.columns
    )
    scales = np.array([_scale(counts, column) for column in each.columns], np.float64)
    return BoundFunction(each, forms, scales)


def _scale(counts: Counts, column: str) -> int:
    return 1 if column == ITEMS else counts.scales[counts.columns.index(column)]


def _values(counts: Counts, column: str) -> NDArray[np.int64]:
    return _sizes(counts) if column == ITEMS else counts.column(column)


def _needs_rounding(each: Ratio, counts: Counts) -> bool:
    """Return whether items of a weighted mean have weights that make no exact sums."""
    weights = _item_weights(counts)
    if weights is None or weights.dtype.kind == "f":
        return True
    largest = max(
        _largest_sum(form, counts, weights) * math.lcm(*(_scale(counts, c) for c, _ in form))
        for form in (each.numerator, each.denominator)
    )
    return largest >= LARGEST_SUM


def _integers(
    weights: Weights, counts: Counts, weighted: bool = False
) -> tuple[_FormKey, Fraction]:
    """Return weights of real columns as coprime integer weights of scaled ones, and a factor."""
    if not weights:
        return (0, (), weighted), Fraction(1)
    scaled = {column: weight / _scale(counts, column) for column, weight in weights}
    common = math.lcm(*(weight.denominator for weight in scaled.values()))
    whole = {column: int(weight * common) for column, weight in scaled.items()}
    divisor = math.gcd(*whole.values())
    key = tuple((column, Fraction(weight // divisor)) for column, weight in whole.items())
    return (0, key, weighted), Fraction(divisor, common)


def _common_grid(each: Ratio, counts: Counts) -> int:
    """Return the finest power of two on which sums of rounded real columns stay exact."""
    items = _item_weights(counts) if each.weighted else None
    largest = max(_largest_sum(form, counts, items) for form in (each.numerator, each.denominator))
    if largest == 0:  # nothing is left to be rounded, as where the only item with counts is taken
        return 1
    return 1 << max(0, math.floor(math.log2(LARGEST_SUM / 4 / largest)))


def _largest_sum(weights: Weights, counts: Counts, items: NDArray[Any] | None = None) -> float:
    """Return how large the sum of a form may be for any system; `items` may have weights, too."""
    return math.fsum(
        abs(float(weight)) * float(_weighted(np.abs(_values(counts, column)), items).sum(1).max())
        / _scale(counts, column)
        for column, weight in weights
    )  # fmt: skip


def _weighted(values: NDArray[Any], items: NDArray[Any] | None) -> NDArray[Any]:
    return values if items is None else values.astype(np.float64) * items


def _fill(form: NDArray[np.int64], counts: Counts, key: _FormKey) -> None:
    """Put one form of all systems and items in the place of zeros."""
    grid, weights, weighted = key
    each = _item_weights(counts) if weighted else None
    if grid:
        real = sum(
            float(weight * grid / _scale(counts, column)) * _values(counts, column)
            for column, weight in weights
        )
        form[:] = np.rint(real if each is None else real * each)
        return
    largest = 0
    for column, weight in weights:
        values = _values(counts, column)
        largest += abs(int(weight)) * int(np.abs(values).sum(axis=1).max())
        if largest >= LARGEST_SUM:
            raise DataError(
                f"the sums of column {column!r} are too large to be exact (2^52 and more); "
                "give fewer decimals or smaller counts"
            )
        form += values if weight == 1 else int(weight) * values
    if each is not None:
        form *= each.astype(np.int64)


def _sizes(counts: Counts) -> NDArray[np.int64]:
    """Return how many items each row stands for, for all systems: none where one lacks it."""
    shape = len(counts.names), len(counts.items)
    sizes = np.broadcast_to(counts.sizes, shape)
    return sizes if counts.present is None else sizes * counts.present


def _check_denominator(projection: Projection, bound: BoundRatio) -> None:
    sizes = projection.forms[bound.denominator]
    if sizes.min(initial=0) < 0:
        system, item = np.argwhere(sizes < 0)[0]
        counts = projection.counts
        raise DataError(
            f"metric {bound.metric.name!r} has a negative denominator for system "
            f"{counts.names[system]!r} on {counts.kind} {counts.items[item]!r}; "
            "denominators must be counts"
        )
