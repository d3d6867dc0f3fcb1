"""The exact randomization test: all exchanges counted, none drawn.

What a test takes is known before it is made, in updates of a lattice cell, so that it is the same
on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import binomial
from tellapart.resampling.characteristic import LEAST_UPDATES, SignedTerms
from tellapart.resampling.differences import Differences, pair_differences
from tellapart.resampling.enumeration import MAX_ITEMS, all_subset_sums, all_subsets
from tellapart.resampling.lattice import MAX_UPDATES, exact_p, exact_updates
from tellapart.resampling.ratios import TEST, RatioPair, reached, reaches_threshold, sign_of
from tellapart.resampling.signed_sums import inverted, signed_sum_test, signed_updates
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.exchanges import float_threshold, item_differences, ratio_pair
from tellapart.significance.questions import Question, smallest_p
from tellapart.significance.residuals import Residuals, whole_terms

Payload = TypeVar("Payload")
Result = TypeVar("Result")
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WHOLE_UPDATES = 3 * MAX_UPDATES
"""What `auto` gives to the exact tests of all pairs together"""
_PREPARING = 1_000_000  # updates that could be made while one test is prepared
_ENUMERATING = 8  # updates that one arrangement takes
_TASKS = 8  # for each worker, so that all of them end at about the same time


@dataclass(frozen=True, slots=True)
class Exact:
    """The outcome of an exact test."""

    p: float
    method: str
    """``enumeration``, or ``exact`` for the lattice"""
    how: str
    """``enumeration``, ``binomial``, ``dense``, ``characteristic`` or ``residuals``"""
    error: float = 0.0
    """A bound for what a grid rounded away, or a characteristic function left out"""
    exceeding: int | None = None
    """How many of the 2^m arrangements count, where they were walked"""
    arrangements: int | None = None


def exact_test(projection: Projection, question: Question, patience: float = 1.0) -> Exact | None:
    """Return one exact test; None where neither enumeration nor a lattice is possible.

    `patience` multiplies the work that a lattice may take.
    """
    return _closed_forms(projection, [question]).get(0) or _counted(projection, question, patience)


def _counted(projection: Projection, question: Question, patience: float) -> Exact | None:
    discordant = projection.discordant(question.bound, question.a, question.b)
    m = int(discordant.sum())
    if m == 0:
        return _nothing_differs()
    if question.residuals is not None:
        return _signed(projection, question, question.residuals, m, patience)
    if m <= MAX_ITEMS:
        return _enumerated(projection, question, discordant, m)
    if not isinstance(question.bound, BoundRatio):
        return None
    pair = ratio_pair(projection, question)
    dx, dy = projection.shifts(question.bound, question.a, question.b)
    if question.bound.exact:
        p = exact_p(pair, dx, dy, patience)
        if p is not None:
            return Exact(p, "exact", "dense")
    return _of_exchanges(pair, dx, dy, patience=patience)


def _of_exchanges(
    pair: RatioPair, dx: Integers, dy: Integers, patience: float = 1.0
) -> Exact | None:
    """Return the test of very many exchanges, as a sum with random signs; None if it has none.

    dx and dy are those of `exact_p`.
    """
    found = _exchange_sum(pair, dx, dy)
    if found is None or found[0].updates > patience * MAX_UPDATES:
        return None
    terms, reach = found
    if pair.tail == "two" and reach <= 0:
        return Exact(1.0, "exact", "characteristic")
    bounds = inverted(terms, reach, doubled=pair.tail == "two")
    return None if bounds is None else Exact(bounds.p, "exact", "characteristic", bounds.error)


def _exchange_sum(pair: RatioPair, dx: Integers, dy: Integers) -> tuple[SignedTerms, float] | None:
    """Return the sum with random signs that an exchange counts by, and what it must reach.

    An exchange counts if 2 (C T_d - T_n D) is at least the measured difference times T_d² - D².
    How large D is at most is known but for a tiny chance; None where it is not small beside T_d.
    """
    td = pair.den_a + pair.den_b
    largest = float(np.square(dy, dtype=np.float64).sum())  # of Σ dy²
    # What (D / T_d)² is at most, but in one of 10^15 exchanges.
    small = 2 * math.log(2e15) * largest / float(td) ** 2 if td else math.inf
    if small > 0.5:
        return None
    share, sign = (pair.num_a + pair.num_b) / td, sign_of(pair.tail)
    terms = SignedTerms.of(dx - share * dy if largest else dx.astype(np.float64))
    apart = abs(pair.difference) if sign == 0 else sign * pair.difference
    reach = float(apart * td / 2) - (pair.tolerance or 0.0) * td / 2
    less = small / 2
    return replace(terms, moved=terms.moved + abs(reach) * less), reach * (1 - less)


def _of_signs(
    terms: Floats,
    threshold: float,
    tail: str,
    differing: int,
    patience: float = 1.0,
) -> Exact | None:
    """Return the test of equal scores by the signs of very many terms; None if it has none.

    On so many items in all the systems differ.
    """
    sum_ = SignedTerms.of(terms)
    if sum_.updates > patience * MAX_UPDATES:
        return None
    reach = -threshold if sign_of(tail) < 0 else threshold
    if tail == "two" and reach <= 0:
        return Exact(1.0, "exact", "residuals")
    found = inverted(sum_, reach, doubled=tail == "two")
    if found is None:
        return None
    return Exact(max(found.p, smallest_p(differing, tail)), "exact", "residuals", found.error)


def bounded_test(projection: Projection, question: Question) -> Exact | None:
    """Return a test by bounds of p, also where shuffles are cheaper; None if it has none."""
    bound, a, b = question.bound, question.a, question.b
    if question.residuals is not None:
        terms, threshold = signed_terms(projection, question, question.residuals)
        differing = int(projection.discordant(bound, a, b).sum())
        return _of_signs(terms, threshold, question.tail, differing, patience=math.inf)
    if not isinstance(bound, BoundRatio):
        return None
    dx, dy = projection.shifts(bound, a, b)
    return _of_exchanges(ratio_pair(projection, question), dx, dy, patience=math.inf)


def _nothing_differs() -> Exact:
    return Exact(1.0, "enumeration", "enumeration", 0.0, 1, 1)


def exact_tests(
    projection: Projection,
    questions: Sequence[Question],
    pool: WorkerPool,
    progress: Progress = no_progress,
    patience: float = 1.0,
) -> list[Exact | None]:
    """Return many exact tests, made in parallel."""
    found: dict[int, Exact | None] = {**_closed_forms(projection, questions)}
    rest = [k for k in range(len(questions)) if k not in found]
    payload = projection, [questions[k] for k in rest], patience
    made = _in_tasks(pool, _make_some, payload, len(rest), progress)
    found.update(zip(rest, made, strict=True))
    return [found[k] for k in range(len(questions))]


def _make_some(
    payload: tuple[Projection, Sequence[Question], float], some: range
) -> list[Exact | None]:
    projection, questions, patience = payload
    return [_counted(projection, questions[k], patience) for k in some]


def _in_tasks(
    pool: WorkerPool,
    function: Callable[[Payload, range], list[Result]],
    payload: Payload,
    many: int,
    progress: Progress = no_progress,
) -> list[Result]:
    """Return what a function makes of the numbers below `many`, several in each task."""
    tasks = min(many, _TASKS * pool.count if pool.count > 1 else 100)
    # Every so many-th one: neighbours often are alike, and a task should be like the others.
    some = [range(start, many, tasks) for start in range(tasks)]
    parts = list(pool.map(function, payload, some, progress, "exact tests"))
    found: dict[int, Result] = {}
    for places, part in zip(some, parts, strict=True):
        found.update(zip(places, part, strict=True))
    return [found[k] for k in range(many)]


@dataclass(frozen=True, slots=True)
class Affordable:
    """Which questions have an exact test that is worth its work."""

    closed: dict[int, Exact]
    """Those with a closed form, by their numbers"""
    exact: list[int]
    """The numbers of the others"""
    too_costly: list[int]
    """Of those that could be tested exactly, but are not"""


def affordable(
    projection: Projection, questions: Sequence[Question], pool: WorkerPool
) -> Affordable:
    """Return which exact tests are made where shuffles would do as well.

    All of them if together they take no more than `WHOLE_UPDATES`; otherwise those that take no
    more than their share of it. Neither the machine nor the order of the questions matters.
    """
    closed = _closed_forms(projection, questions)
    open_ = [k for k in range(len(questions)) if k not in closed]
    if not open_:
        return Affordable(closed, [], [])
    share = WHOLE_UPDATES / len(open_)
    least = _least_updates(projection, [questions[k] for k in open_])
    most = float(MAX_UPDATES)
    if math.fsum(least) > WHOLE_UPDATES:
        most = min(most, share)
    asked = [k for k, work in zip(open_, least.tolist(), strict=True) if work <= most]
    payload = projection, [questions[k] for k in asked], most
    updates = dict(zip(asked, _in_tasks(pool, _work_of_some, payload, len(asked)), strict=True))
    possible = {k: work for k, work in updates.items() if work < math.inf}
    limit = share if math.fsum(possible.values()) > WHOLE_UPDATES else math.inf
    chosen = {k for k, work in possible.items() if work <= limit}
    costly = [k for k in open_ if k not in chosen and (k in possible or k not in updates)]
    return Affordable(closed, sorted(chosen), costly)


def _least_updates(projection: Projection, questions: Sequence[Question]) -> Floats:
    """Return what exact tests take at least, at no cost to speak of."""
    least = np.full(len(questions), float(_PREPARING))
    for places, differences in linear_differences(projection, questions):
        # Of m numbers in ascending order, which add up to at least k * largest less than the total
        # when k of them are still to come; the last ten are not put on a lattice.
        kept = np.maximum(differences.total - 10.0 * differences.largest, 0.0)
        updates = kept**2 / (2.0 * differences.largest * differences.step).clip(min=1.0)
        updates[differences.items <= MAX_ITEMS] = 0.0
        least[places] += updates.clip(max=LEAST_UPDATES)
    return least


def _work_of_some(
    payload: tuple[Projection, Sequence[Question], float], some: range
) -> list[float]:
    projection, questions, most = payload
    return [_PREPARING + _updates(projection, questions[k], most) for k in some]


def _updates(projection: Projection, question: Question, most: float) -> float:
    """Return what an exact test takes; infinite if there is none, or it is surely above `most`."""
    bound, a, b = question.bound, question.a, question.b
    if question.residuals is not None:
        updates = signed_updates(signed_terms(projection, question, question.residuals)[0], most)
        return updates if updates <= MAX_UPDATES else math.inf
    m = int(projection.discordant(bound, a, b).sum())
    if m <= MAX_ITEMS:
        return float(_ENUMERATING << m)
    if not isinstance(bound, BoundRatio):
        return math.inf
    shifts = projection.shifts(bound, a, b)
    updates = exact_updates(*shifts) if bound.exact else math.inf
    if updates > MAX_UPDATES and most >= LEAST_UPDATES:
        found = _exchange_sum(ratio_pair(projection, question), *shifts)
        updates = math.inf if found is None else found[0].updates
    return updates if updates <= MAX_UPDATES else math.inf


def linear_differences(
    projection: Projection, questions: Sequence[Question]
) -> Iterator[tuple[Integers, Differences]]:
    """Yield the questions that numerators alone decide, by metric, and how far these are apart."""
    places: dict[int, list[int]] = {}
    for k, question in enumerate(questions):
        bound = question.bound
        if question.residuals is None and isinstance(bound, BoundRatio) and bound.exact:
            places.setdefault(id(bound), []).append(k)
    for some in places.values():
        bound = questions[some[0]].bound
        assert isinstance(bound, BoundRatio)
        first, second = np.array([(questions[k].a, questions[k].b) for k in some], np.int64).T
        alike = projection.alike_denominators(bound)
        same = alike[first] == alike[second]
        if same.any():
            rows = projection.forms[bound.numerator]
            yield np.array(some)[same], pair_differences(rows, first[same], second[same])


def _closed_forms(projection: Projection, questions: Sequence[Question]) -> dict[int, Exact]:
    """Return the tests of pairs whose items all differ by as much: heads and tails of fair coins.

    Such are right and wrong answers.
    """
    found: dict[int, Exact] = {}
    for places, differences in linear_differences(projection, questions):
        chosen = np.flatnonzero(differences.alike)
        chosen = chosen[
            np.argsort(differences.items[chosen], kind="stable")
        ]  # each row of ways once
        known: dict[tuple[int, int, str], Exact] = {}
        for k, n, size in zip(
            places[chosen].tolist(),
            differences.items[chosen].tolist(),
            differences.largest[chosen].tolist(),
            strict=True,
        ):
            question = questions[k]
            assert isinstance(question.bound, BoundRatio)
            sums = projection.totals[question.bound.numerator]
            ahead = int(sums[question.a] - sums[question.b]) // size if n else 0
            key = n, ahead, question.tail
            if key not in known:
                known[key] = _of_coins(*key)
            found[k] = known[key]
    return found


def _of_coins(n: int, ahead: int, tail: str) -> Exact:
    """Return the test of n items, of which so many more speak for the first system.

    >>> _of_coins(4, 4, "two").p
    0.125
    """
    if n == 0:
        return _nothing_differs()
    sign = sign_of(tail)
    heads = (n + (abs(ahead) if sign == 0 else sign * ahead)) // 2
    if n > MAX_ITEMS:
        p = binomial.upper_tail(heads, n) if sign else binomial.two_tails(ahead, n)
        return Exact(max(p, smallest_p(n, tail)), "exact", "binomial")
    count = 1 << n if sign == 0 and ahead == 0 else (2 - abs(sign)) * binomial.ways(heads, n)
    return Exact(math.ldexp(count, -n), "enumeration", "enumeration", 0.0, count, 1 << n)


def _signed(
    projection: Projection, question: Question, parts: Residuals, m: int, patience: float
) -> Exact | None:
    """Return the test of equal scores, by the signs of residuals.

    Items on which the systems do not differ have small residuals, too. They must not make p smaller
    than so few differing items allow.
    """
    terms, threshold = signed_terms(projection, question, parts)
    found = signed_sum_test(terms, threshold, question.tail, patience)
    if found is None:
        return None
    method = "exact" if found.exceeding is None else "enumeration"
    p = max(found.p, smallest_p(m, question.tail))
    return Exact(p, method, "residuals", found.error, found.exceeding, found.arrangements)


def signed_terms(
    projection: Projection, question: Question, parts: Residuals
) -> tuple[Floats, float]:
    """Return the terms whose signs are flipped, and what their sum must reach."""
    bound, a, b, tail = question.bound, question.a, question.b, question.tail
    if isinstance(bound, BoundRatio) and bound.exact:
        terms = whole_terms(projection, bound, a, b)
        if terms is not None:
            measured = float(terms.sum())
            return terms, abs(measured) if tail == "two" else measured
    scores = [float(projection.score(bound, system)) for system in (a, b)]
    threshold = float_threshold(scores[0], scores[1], tail, parts.slack)
    return parts.terms(projection, a, b), threshold


def _enumerated(
    projection: Projection, question: Question, discordant: NDArray[np.bool_], m: int
) -> Exact:
    """Return the test by half of the arrangements; the others are their mirror images."""
    if isinstance(question.bound, BoundRatio):
        count = _count_ratio(projection, question, discordant)
    else:
        count = _count_function(projection, question, question.bound, discordant)
    return Exact(math.ldexp(count, -m), "enumeration", "enumeration", 0.0, count, 1 << m)


def _count_ratio(projection: Projection, question: Question, discordant: NDArray[np.bool_]) -> int:
    assert isinstance(question.bound, BoundRatio)
    pair = ratio_pair(projection, question)
    row = np.zeros(1, TEST)[0]
    pair.fill(row)
    shifts = np.stack(projection.shifts(question.bound, question.a, question.b))[:, discordant]
    x, y = all_subset_sums(shifts[:, :-1]).astype(np.float64)
    c, d = row["c0"] + 2 * x, row["d0"] + 2 * y
    count = int(np.count_nonzero(reached(pair, row, c, d)))
    if question.tail == "two":
        return 2 * count
    return count + int(np.count_nonzero(reached(pair, row, -c, -d)))


def _count_function(
    projection: Projection,
    question: Question,
    bound: BoundFunction,
    discordant: NDArray[np.bool_],
) -> int:
    a, b = question.a, question.b
    scores = [float(projection.score(bound, system)) for system in (a, b)]
    threshold, sign = float_threshold(scores[0], scores[1], question.tail), sign_of(question.tail)
    m = int(discordant.sum())
    if isinstance(bound.metric, ItemFunction):
        exchanged = np.zeros((len(discordant), 1 << (m - 1)), np.bool_)
        exchanged[np.flatnonzero(discordant)[:-1]] = all_subsets(m - 1).T
        rows = projection.rows(bound, a), projection.rows(bound, b)
        differences = item_differences(bound, *rows, exchanged)
    else:
        forms = projection.forms[list(bound.forms)][:, :, discordant]
        moved = all_subset_sums(forms[:, b, :-1] - forms[:, a, :-1]).T
        totals = projection.totals[list(bound.forms)]
        first = bound.metric.scores((totals[:, a] + moved) / bound.scales)
        differences = first - bound.metric.scores((totals[:, b] - moved) / bound.scales)
    both = (differences, -differences)
    return sum(int(np.count_nonzero(reaches_threshold(d, threshold, sign))) for d in both)
