"""Diagnostics of a pair: wins and ties, correlation of the systems, standard error, influence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.significance.bootstrap_tests import jackknife, scores
from tellapart.significance.textbook_independent import inflation

SLOW_ITEMS = 2_000
"""Above this many items a metric of rows is not scored again without each of them."""


@dataclass(frozen=True, slots=True)
class Influence:
    """The item whose removal moves a difference most, and whether the decision would change."""

    item: str
    difference_without: float
    decision_changes: bool | None = None
    """None if that was not tried"""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Figures about one pair under one metric."""

    r12: float | None
    """Correlation of the systems over items"""
    inflation: float | None
    """The factor by which assuming independence overstates the difference's standard deviation"""
    influence: Influence | None
    half_items: int | None
    """The smallest number of items that make up half of the difference"""
    standard_error: float | None = None
    """Of the difference, over items"""


@dataclass(frozen=True, slots=True)
class ItemAnalysis:
    """One metric seen item by item, for all systems: computed once, used for every pair."""

    projection: Projection
    bound: Bound
    left_out: NDArray[np.float64] | None  # systems × items: the score without each item
    moments: list[list[float]] | None  # systems × systems: products of their spreads
    alone: NDArray[np.float64] | None  # systems × items: the score of each item by itself
    terms: NDArray[np.float64] | None = None  # systems × items: what standard errors are made of

    @classmethod
    def of_scores(cls, projection: Projection, bound: Bound) -> ItemAnalysis:
        """Return the analysis of the scores of single items alone."""
        return cls(projection, bound, None, None, item_scores(projection, bound))

    @classmethod
    def of(cls, projection: Projection, bound: Bound) -> ItemAnalysis:
        """Return the analysis of one metric for all systems."""
        systems, items = range(len(projection.counts.names)), len(projection.counts.items)
        slow = isinstance(bound.metric, ItemFunction)
        left_out = moments = None
        if items > 1 and not (slow and items > SLOW_ITEMS):
            left_out = np.stack([jackknife(projection, bound, system) for system in systems])
            spread = left_out - left_out.mean(axis=1, keepdims=True)
            moments = (spread @ spread.T).tolist()
        alone, terms = item_scores(projection, bound), error_terms(projection, bound, left_out)
        return cls(projection, bound, left_out, moments, alone, terms)

    def diagnose(self, a: int, b: int, d: float) -> Diagnostics:
        """Return the figures of one pair."""
        r12 = inflation = influence = half = None
        if self.left_out is not None and self.moments is not None:
            xx, yy, xy = self.moments[a][a], self.moments[b][b], self.moments[a][b]
            r12, inflation = dependence(xx, yy, xy)
            influence, half = self._influence(self.left_out[a] - self.left_out[b], d)
        error = standard_error(self.terms, a, b)
        return Diagnostics(r12, inflation, influence, half, error)

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.projection.counts.items)

    def outcomes(
        self, a: NDArray[np.int64], b: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return on how many items the first systems are better, worse, and neither, by pairs."""
        better, worse = np.zeros(len(a), np.int64), np.zeros(len(a), np.int64)
        if self.projection.counts.present is not None:  # there is nothing to win on items of one
            return better, worse, better.copy()
        if self.alone is None:
            return better, worse, self.items - discordant(self.projection, self.bound, a, b)
        numerators = self._alike()
        for some in _blocks(len(a), self.items):
            if numerators is not None:
                first, second = numerators[a[some]], numerators[b[some]]
                better[some] = np.count_nonzero(first > second, axis=1)
                worse[some] = np.count_nonzero(first < second, axis=1)
            else:
                ahead = self._ahead(a[some], b[some])
                better[some] = np.count_nonzero(ahead > 0, axis=1)
                worse[some] = np.count_nonzero(ahead < 0, axis=1)
        if not self.bound.metric.higher_is_better:
            better, worse = worse, better
        return better, worse, self.items - better - worse

    def _alike(self) -> NDArray[np.int64] | None:
        """Return what items score, systems × items, where all systems divide by the same."""
        if not isinstance(self.bound, BoundRatio):
            return None
        denominators = self.projection.forms[self.bound.denominator]
        alike = bool((denominators[0] > 0).all() and (denominators == denominators[0]).all())
        return _narrow(self.projection.forms[self.bound.numerator]) if alike else None

    def _ahead(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return by how much first systems score more on each item, pairs × items."""
        assert self.alone is not None
        return signed_item_differences(self.projection, self.bound, a, b, self.alone)

    def _influence(self, without: NDArray[np.float64], d: float) -> tuple[Influence, int | None]:
        moves = d - without
        item = int(np.abs(moves).argmax())
        influence = Influence(self.projection.counts.items[item], round_off(without[item]))
        # What each item contributes; for a mean these are its own differences over n.
        parts = (moves * (self.items - 1) + d) / self.items
        toward = np.sort(parts * math.copysign(1, d))[::-1] if d else np.empty(0)
        reached = np.flatnonzero(np.cumsum(toward) >= abs(d) / 2 * (1 - 1e-9))
        return influence, int(reached[0]) + 1 if len(reached) else None


def item_scores(projection: Projection, bound: Bound) -> NDArray[np.float64] | None:
    """Return the score of each item by itself, systems × items; None for functions of items."""
    if isinstance(bound.metric, ItemFunction):
        return None
    systems = range(len(projection.counts.names))
    return np.stack([scores(bound, projection.forms[:, s, :].T) for s in systems])


def discordant(
    projection: Projection, bound: Bound, a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return on how many items pairs of systems differ in what the metric uses.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> projection = project(Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 1], "C": [0, 1, 0]}))
    >>> discordant(projection, projection.metrics[0], np.array([0, 1]), np.array([2, 2]))
    array([3, 2])
    """
    forms = (bound.numerator, bound.denominator) if isinstance(bound, BoundRatio) else bound.forms
    used = [_narrow(projection.forms[form]) for form in forms]
    used = [form for form in used if (form != form[0]).any()]  # the same for all systems: no matter
    found = np.zeros(len(a), np.int64)
    for some in _blocks(len(a), len(projection.counts.items)):
        apart = [form[a[some]] != form[b[some]] for form in used]
        if apart:
            found[some] = np.count_nonzero(np.logical_or.reduce(apart), axis=1)
    return found


_AT_ONCE = 1 << 21  # pairs × items that are looked at together


def _blocks(pairs: int, items: int) -> Iterator[slice]:
    """Yield which pairs are looked at together."""
    size = max(1, _AT_ONCE // max(1, items))
    yield from (slice(start, start + size) for start in range(0, pairs, size))


def _narrow(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers in as few bytes as they fit."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    return values.astype(np.promote_types(np.min_scalar_type(least), np.min_scalar_type(most)))


def signed_item_differences(
    projection: Projection,
    bound: Bound,
    a: int | NDArray[np.int64],
    b: int | NDArray[np.int64],
    alone: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return per-item differences whose signs are exact where the metric is a ratio.

    Of one pair, or of many: pairs × items.
    """
    if not isinstance(bound, BoundRatio):
        return np.asarray(alone[a] - alone[b])
    num, den = projection.forms[bound.numerator], projection.forms[bound.denominator]
    defined = (den[a] > 0) & (den[b] > 0)
    crossed = num[a].astype(np.float64) * den[b] - num[b].astype(np.float64) * den[a]
    return np.asarray(np.where(defined, crossed, alone[a] - alone[b]))


def error_terms(
    projection: Projection, bound: Bound, left_out: NDArray[np.float64] | None = None
) -> NDArray[np.float64] | None:
    """Return a term per system and item (cluster), of which standard errors are made.

    Of a ratio they are the residuals (n_u - R d_u) / D, of anything else what leaving out each item
    changes: `left_out` holds these scores, systems × items. None where neither is known.
    """
    n = len(projection.counts.items)
    if n < 2:
        return None
    if isinstance(bound, BoundRatio):
        num, den = projection.forms[bound.numerator], projection.forms[bound.denominator]
        totals = projection.totals[bound.denominator].astype(np.float64)[:, None]
        totals = np.where(totals == 0, np.inf, totals)  # an undefined score has no error
        ratios = projection.totals[bound.numerator][:, None] / totals
        residuals = float(bound.factor) * (num - ratios * den) / totals
        return np.asarray(residuals * math.sqrt(n / (n - 1)))
    if left_out is None:
        return None
    spread = left_out - left_out.mean(axis=1, keepdims=True)
    return np.asarray(spread * math.sqrt((n - 1) / n))


def standard_error(terms: NDArray[np.float64] | None, a: int, b: int) -> float | None:
    """Return the standard error of the difference of two systems on the same items (clusters).

    For a mean this is the standard deviation of the paired differences over √n.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> projection = project(Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 1, 0]}))
    >>> standard_error(error_terms(projection, projection.metrics[0]), 0, 1)  # 1, 0, -1, 1
    0.478713553878
    """
    if terms is None:
        return None
    differences = terms[a] - terms[b]
    return round_off(math.sqrt(float(differences @ differences)))


def dependence(xx: float, yy: float, xy: float) -> tuple[float | None, float | None]:
    """Return r12 and the inflation factor from second moments."""
    if min(xx, yy) <= 1e-30:
        return None, None
    r12 = max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))
    factor = inflation(r12, math.sqrt(xx), math.sqrt(yy))
    return round_off(r12), None if factor is None or factor > 1e6 else round_off(factor)


def round_off(value: float) -> float:
    """Return a value without its last digits, which depend on how a machine's vector units add up.

    >>> round_off(0.1 + 0.2)
    0.3
    """
    return float(f"{value:.12g}")


def undefined_chance(projection: Projection, bound: Bound, a: int, b: int) -> float:
    """Return the probability that an exchange leaves a system's score undefined.

    A zero denominator needs every item to hand that system a tuple without any.
    """
    if not isinstance(bound, BoundRatio) or projection.counts.present is not None:
        return 0.0
    empty_a, empty_b = (projection.forms[bound.denominator, s] == 0 for s in (a, b))
    if not (empty_a | empty_b).all():
        return 0.0
    chosen = int((empty_a ^ empty_b).sum())
    return 1.0 if chosen == 0 else math.ldexp(2.0, max(-chosen, -1074))
