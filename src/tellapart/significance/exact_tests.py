"""The exact randomization test: all exchanges counted, none drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling.enumeration import MAX_ITEMS, all_subset_sums, all_subsets
from tellapart.resampling.lattice import exact_p
from tellapart.resampling.ratios import TEST, reached, sign_of
from tellapart.resampling.signed_sums import signed_sum_test
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.questions import Question, smallest_p
from tellapart.significance.residuals import Residuals, whole_terms
from tellapart.significance.shuffle_tests import (
    float_threshold,
    item_differences,
    ratio_pair,
    reaches_threshold,
)


@dataclass(frozen=True, slots=True)
class Exact:
    """The outcome of an exact test."""

    p: float
    method: str
    """``enumeration``, or ``exact`` for the lattice"""
    how: str
    """``enumeration``, ``dense``, ``windowed``, ``fourier`` or ``residuals``"""
    error: float = 0.0
    """A bound for what a window or a transform left out, or a grid rounded away"""
    exceeding: int | None = None
    """How many of the 2^m arrangements count, where they were walked"""
    arrangements: int | None = None


def exact_test(projection: Projection, question: Question, patience: float = 1.0) -> Exact | None:
    """Return one exact test; None where neither enumeration nor a lattice is possible.

    `patience` multiplies the work that a lattice may take.
    """
    discordant = projection.discordant(question.bound, question.a, question.b)
    m = int(discordant.sum())
    if m == 0:
        return Exact(1.0, "enumeration", "enumeration", 0.0, 1, 1)
    if question.residuals is not None:
        return _signed(projection, question, question.residuals, m, patience)
    if m <= MAX_ITEMS:
        return _enumerated(projection, question, discordant, m)
    if not isinstance(question.bound, BoundRatio) or not question.bound.exact:
        return None
    dx, dy = projection.shifts(question.bound, question.a, question.b)
    found = exact_p(ratio_pair(projection, question), dx, dy, patience)
    return None if found is None else Exact(found.p, "exact", found.method, found.error)


def _signed(
    projection: Projection, question: Question, parts: Residuals, m: int, patience: float
) -> Exact | None:
    """Return the test of equal scores, by the signs of residuals.

    Items on which the systems do not differ have small residuals, too. They must not make p smaller
    than so few differing items allow.
    """
    bound, a, b, tail = question.bound, question.a, question.b, question.tail
    terms = None
    if isinstance(bound, BoundRatio) and bound.exact:
        terms = whole_terms(projection, bound, a, b)
    if terms is not None:
        measured = float(terms.sum())
        threshold = abs(measured) if tail == "two" else measured
    else:
        terms = parts.terms(projection, a, b)
        scores = [float(projection.score(bound, system)) for system in (a, b)]
        threshold = float_threshold(scores[0], scores[1], tail, parts.slack)
    found = signed_sum_test(terms, threshold, tail, patience)
    if found is None:
        return None
    method = "exact" if found.exceeding is None else "enumeration"
    p = max(found.p, smallest_p(m, tail))
    return Exact(p, method, "residuals", found.error, found.exceeding, found.arrangements)


def _one(payload: tuple[Projection, Sequence[Question], float], index: int) -> Exact | None:
    projection, questions, patience = payload
    return exact_test(projection, questions[index], patience)


def exact_tests(
    projection: Projection,
    questions: Sequence[Question],
    pool: WorkerPool,
    progress: Progress = no_progress,
    patience: float = 1.0,
) -> list[Exact | None]:
    """Return many exact tests, made in parallel."""
    payload = projection, questions, patience
    return list(pool.map(_one, payload, range(len(questions)), progress, "exact tests"))


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
