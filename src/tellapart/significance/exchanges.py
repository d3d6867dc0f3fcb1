"""The difference of two systems after an exchange, for each kind of metric, and what it must reach.

Ratios are compared in integers, functions of sums or of items as floats. Where the signs of
residuals are flipped, the difference is a sum of columns by their weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.resampling.ratios import TEST, RatioPair, fill_linear, reaches_threshold, sign_of
from tellapart.resampling.shuffles import ShufflePlan, SignedRows
from tellapart.significance.questions import Question, tie_tolerance, tie_tolerances
from tellapart.significance.residuals import Residuals

Pair: TypeAlias = tuple[int, int]


def ratio_pair(projection: Projection, question: Question) -> RatioPair:
    """Return the sums of two systems under a ratio metric, ready for exact comparison."""
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundRatio)
    numerators = projection.forms[bound.numerator]
    num, den = projection.totals[bound.numerator], projection.totals[bound.denominator]
    tolerance = None
    if not bound.exact:
        tolerance = float(_tolerances(projection, bound, np.array([a]), np.array([b]))[0])
    return RatioPair(
        num_a=int(num[a]),
        den_a=int(den[a]),
        num_b=int(num[b]),
        den_b=int(den[b]),
        tail=question.tail,
        undefined=bound.undefined,
        tolerance=tolerance,
        num_bound=int(np.abs(numerators[[a, b]]).sum()),
        same_denominators=projection.same_denominators(bound, a, b),
    )


def _tolerances(
    projection: Projection,
    bound: BoundRatio,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return within how much differences of ratios are tied: 0 where all are whole numbers."""
    if bound.exact:
        return np.zeros(len(a))
    systems = range(projection.forms.shape[1])
    scores = np.abs([float(projection.score(bound, system)) for system in systems])
    ties = tie_tolerances(np.maximum(scores[a], scores[b]))
    # Rounding onto the grid moves each item's numerators by at most one step between them.
    den = projection.totals[bound.denominator]
    grid = 2 * projection.forms.shape[2] / np.maximum(1, den[a] + den[b])
    return np.asarray(np.maximum(ties / float(bound.factor), grid))


@dataclass(frozen=True, slots=True)
class FunctionTest:
    """A pair under a metric that is no ratio: scores of exchanged sums, compared as floats."""

    bound: BoundFunction
    a: int
    b: int
    sign: int
    threshold: float
    totals: NDArray[np.int64]  # forms of the metric × systems
    rows: tuple[NDArray[np.float64], NDArray[np.float64]] | None

    def reached(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which differences count as exceeding."""
        return reaches_threshold(differences, self.threshold, self.sign)


def float_threshold(score_a: float, score_b: float, tail: str, slack: float = 0.0) -> float:
    """Return the measured difference less the tolerance within which floats count as tied."""
    slack, d = max(slack, tie_tolerance(score_a, score_b)), score_a - score_b
    sign = sign_of(tail)
    return abs(d) - slack if sign == 0 else d - sign * slack


@dataclass(frozen=True, slots=True)
class SignedTest:
    """A pair whose residuals change their signs instead of being exchanged."""

    residuals: Residuals
    a: int
    b: int
    sign: int
    threshold: float

    @classmethod
    def of(cls, projection: Projection, question: Question) -> SignedTest:
        """Return the test of a question that has residuals."""
        assert question.residuals is not None
        a, b = question.a, question.b
        scores = [float(projection.score(question.bound, system)) for system in (a, b)]
        slack = question.residuals.slack
        threshold = float_threshold(scores[0], scores[1], question.tail, slack)
        return cls(question.residuals, a, b, sign_of(question.tail), threshold)

    def reached(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which differences count as exceeding."""
        return reaches_threshold(differences, self.threshold, self.sign)


@dataclass
class SignedPlan:
    """The sums of each system over random sets of items: residuals are made of them.

    Sums are told relative to the first system's; here that is one which has nothing.
    """

    plan: ShufflePlan
    places: dict[int, int]
    """Where each form is in the plan; the last one there counts the items"""

    @classmethod
    def of(
        cls, projection: Projection, tests: Sequence[Residuals], others: Iterable[int] = ()
    ) -> SignedPlan:
        """Return the plan for the forms that some tests read, and for others."""
        used = sorted({*others, *(form for each in tests for form in each.forms)})
        counted = any(each.constant for each in tests)
        forms = _beside_nothing(projection.forms[used], counted=counted)
        return cls(ShufflePlan(forms), {form: k for k, form in enumerate(used)})

    def exchanged(
        self, sums: NDArray[np.float64], form: int, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return what an exchange adds to system a's sum of a form, and takes from b's."""
        return self.plan.exchanged(sums, self.places[form], a + 1, b + 1)

    def rows(self, tests: Sequence[SignedTest]) -> SignedRows:
        """Return tests as the engine reads them, in the order of `differences`."""
        terms = max(1 + 2 * len(test.residuals.forms) for test in tests)
        columns = np.full((len(tests), terms), -1, np.int32)
        weights = np.zeros((len(tests), terms))
        for k, test in enumerate(tests):
            parts, own = test.residuals, [(len(self.places), 1)]
            for form in parts.forms:
                own += [(self.places[form], test.a + 1), (self.places[form], test.b + 1)]
            columns[k, : len(own)] = [self.plan.columns[place] for place in own]
            both = zip(parts.first, parts.second, strict=True)
            weights[k, : len(own)] = [parts.constant, *(w for x, y in both for w in (x, -y))]
        return SignedRows(
            columns,
            weights,
            np.array([test.residuals.difference for test in tests]),
            np.array([test.threshold for test in tests]),
            np.array([test.sign for test in tests], np.int32),
        )

    def differences(
        self, sums: NDArray[np.float64], parts: Residuals, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return the differences with the signs of random sets of items flipped."""
        moved = np.zeros(sums.shape[1])
        if parts.constant:
            moved += parts.constant * self.plan.form_sums(sums, len(self.places), 1)
        for form, one, other in zip(parts.forms, parts.first, parts.second, strict=True):
            place = self.places[form]
            moved += one * self.plan.form_sums(sums, place, a + 1)
            moved -= other * self.plan.form_sums(sums, place, b + 1)
        return np.asarray(parts.difference - 2 * moved)


def _beside_nothing(forms: NDArray[np.int64], *, counted: bool) -> NDArray[np.int64]:
    """Return forms with a first system that has nothing, and a last form that counts the items.

    Unless it is `counted`, that form has nothing either.
    """
    few, systems, items = forms.shape
    found = np.zeros((few + 1, systems + 1, items), np.int64)
    found[:-1, 1:] = forms
    if counted:
        found[-1, 1] = 1
    return found


def ratio_rows(
    projection: Projection, questions: Sequence[Question], plan: ShufflePlan
) -> tuple[NDArray[np.void], list[RatioPair | None]]:
    """Return ratios as the engine reads them, all pairs of a metric at once."""
    rows = np.zeros(len(questions), TEST)
    pairs: list[RatioPair | None] = [None] * len(questions)
    places: dict[int, list[int]] = {}
    for k, question in enumerate(questions):
        places.setdefault(id(question.bound), []).append(k)
    for some in places.values():
        bound = questions[some[0]].bound
        assert isinstance(bound, BoundRatio)
        chosen = np.array(some)
        a, b = np.array([(questions[k].a, questions[k].b) for k in some]).T
        part = rows[chosen]
        _fill_columns(part, plan, bound, a, b)
        alike = projection.alike_denominators(bound)
        same = alike[a] == alike[b]
        signs = np.array([sign_of(questions[k].tail) for k in some])
        num, den = projection.totals[bound.numerator], projection.totals[bound.denominator]
        linear = part[same]
        i, j = a[same], b[same]
        slack = _tolerances(projection, bound, i, j)
        fill_linear(linear, signs[same], (num[i], num[j]), (den[i], den[j]), slack)
        part[same] = linear
        for k in np.flatnonzero(~same).tolist():
            pairs[some[k]] = pair = ratio_pair(projection, questions[some[k]])
            pair.fill(part[k])
        rows[chosen] = part
    return rows, pairs


def _fill_columns(
    rows: NDArray[np.void] | np.void,
    plan: ShufflePlan,
    bound: BoundRatio,
    a: int | NDArray[np.int64],
    b: int | NDArray[np.int64],
) -> None:
    """Say in which columns the sums of a ratio stand: in a test, or in those of several pairs."""
    for name, form, system in (
        ("num_a", bound.numerator, a),
        ("num_b", bound.numerator, b),
        ("den_a", bound.denominator, a),
        ("den_b", bound.denominator, b),
    ):
        rows[name] = plan.columns[form, system]


def function_test(projection: Projection, question: Question) -> FunctionTest:
    """Return the test of a question about exchanged outputs under such a metric."""
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundFunction)
    scores = [float(projection.score(bound, system)) for system in (a, b)]
    rows = None
    if isinstance(bound.metric, ItemFunction):
        rows = projection.rows(bound, a), projection.rows(bound, b)
    totals = projection.totals[list(bound.forms)]
    threshold = float_threshold(scores[0], scores[1], question.tail)
    return FunctionTest(bound, a, b, sign_of(question.tail), threshold, totals, rows)


def function_differences(
    plan: ShufflePlan,
    bound: BoundFunction,
    pairs: Sequence[Pair],
    totals: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the differences of a function of sums after each exchange: pairs × exchanges."""
    assert not isinstance(bound.metric, ItemFunction)
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    # Forms first in memory, so that the function reads whole columns.
    moved = np.empty((len(bound.forms), len(pairs), sums.shape[1]))
    for k, form in enumerate(bound.forms):
        for row, (a, b) in zip(moved[k], pairs, strict=True):
            np.subtract(plan.form_sums(sums, form, b), plan.form_sums(sums, form, a), out=row)
    own = totals[:, first, None] + moved
    np.subtract(totals[:, second, None], moved, out=moved)
    if (bound.scales != 1).any():
        own /= bound.scales[:, None, None]
        moved /= bound.scales[:, None, None]
    one, other = (bound.metric.scores(np.moveaxis(each, 0, -1)) for each in (own, moved))
    return np.asarray(one - other)


def item_differences(
    bound: BoundFunction,
    rows_a: NDArray[np.float64],
    rows_b: NDArray[np.float64],
    exchanged: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the differences of a function of rows after exchanges, items × exchanges."""
    assert isinstance(bound.metric, ItemFunction)
    score = bound.metric.score
    result = np.empty(exchanged.shape[1])
    for k, coins in enumerate(exchanged.T):
        swapped = coins[:, None]
        first, second = np.where(swapped, rows_b, rows_a), np.where(swapped, rows_a, rows_b)
        result[k] = score(first) - score(second)
    return result
