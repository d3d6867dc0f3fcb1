"""Textbook tests on counts: what each of them needs from the items, or why it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.significance.questions import Outcome, Question
from tellapart.significance.textbook_independent import binomial_test, chi_square, two_sample_t
from tellapart.significance.textbook_paired import (
    Classical,
    matched_pair_t,
    mcnemar,
    sign_test,
    wilcoxon,
)
from tellapart.significance.unpaired_tests import LinearRatio, unpaired_test


def textbook_outcome(projection: Projection, question: Question, test: str) -> Outcome:
    """Return the textbook test of one pair."""
    bound, names = question.bound, projection.counts.names
    try:
        found = _textbook(projection, question, test)
    except _NotApplicableError as problem:
        raise UsageError(
            f"test {test!r} does not fit {bound.metric.name} of {names[question.a]} and "
            f"{names[question.b]}: {problem}"
        ) from None
    return Outcome(
        p=found.p,
        method=test,
        how=found.method,
        statistic=found.statistic,
        df=found.df,
        n=found.n,
        assumption=found.assumption,
        note=_note(found),
        direction=_direction(projection, question, found),
    )


def _direction(projection: Projection, question: Question, found: Classical) -> int | None:
    """Return which way a test of signs or ranks leans: not always the way of the mean."""
    bound = question.bound
    if found.signed_rank_sum is not None:
        return int(np.sign(found.signed_rank_sum))
    if found.name == "sign" and isinstance(bound, BoundRatio):
        numerators = projection.forms[bound.numerator]
        return int(np.sign(np.sign(numerators[question.a] - numerators[question.b]).sum()))
    return None


def _note(found: Classical) -> str | None:
    if found.fallback is None or found.fallback.p is None:
        return found.note
    return f"{found.note}; the {found.fallback.name} test gives p = {found.fallback.p:.4g}"


class _NotApplicableError(Exception):
    """Why a test does not fit the data; becomes part of the message."""


def _textbook(projection: Projection, question: Question, test: str) -> Classical:
    bound, tail = question.bound, question.tail
    if not isinstance(bound, BoundRatio):
        raise _NotApplicableError("it needs scores that are sums over items; use --test auto")
    num_a, num_b = (projection.forms[bound.numerator, s] for s in (question.a, question.b))
    den_a, den_b = (projection.forms[bound.denominator, s] for s in (question.a, question.b))
    if test in ("binomial", "chi2"):
        hits = [_hits(bound, num, den) for num, den in ((num_a, den_a), (num_b, den_b))]
        (right_a, all_a), (right_b, all_b) = hits
        if test == "binomial":
            return binomial_test(right_a, all_a, right_b, all_b, tail)
        return chi_square(right_a, all_a - right_a, right_b, all_b - right_b, tail=tail)
    if not np.array_equal(den_a, den_b):
        raise _NotApplicableError(
            "the score is no mean over items, and the mean of per-item scores is another "
            "quantity; use --test auto"
        )
    # An item with nothing to get right, such as a spurious response under recall, says nothing of
    # the score; as a row of zeros it would only make the t tests count more items than there are.
    seen = den_a > 0
    num_a, num_b, den_a = num_a[seen], num_b[seen], den_a[seen]
    if test == "sign":
        return sign_test(num_a - num_b, tail)
    if test == "wilcoxon":
        return wilcoxon(num_a - num_b, tail)
    if test == "t":
        return matched_pair_t(num_a - num_b, tail)
    if test == "two-sample-t":
        return two_sample_t(num_a, num_b, tail)
    b, c = _discordant_counts(bound, num_a, num_b, den_a)
    return mcnemar(b, c, tail)


def _hits(bound: BoundRatio, num: NDArray[np.int64], den: NDArray[np.int64]) -> tuple[int, int]:
    """Return the correct ones and all, for a metric that is a proportion."""
    if bound.metric.weighted:
        raise _NotApplicableError("tasks count the same there, not items; use --test auto")
    if not bound.metric.proportion:
        raise _NotApplicableError("the score is no proportion of right answers; use --test auto")
    right, answers = _whole(num, bound.top), _whole(den, bound.bottom)
    if right is None or answers is None or (right < 0).any() or (right > answers).any():
        raise _NotApplicableError("items are no whole numbers of right answers; use --test auto")
    return int(right.sum()), int(answers.sum())


def _whole(form: NDArray[np.int64], step: Fraction) -> NDArray[np.int64] | None:
    """Return what a form is worth on each item, if that is whole numbers."""
    steps = form * step.numerator
    return None if (steps % step.denominator).any() else steps // step.denominator


def _discordant_counts(
    bound: BoundRatio, num_a: NDArray[np.int64], num_b: NDArray[np.int64], den: NDArray[np.int64]
) -> tuple[int, int]:
    """Return how many items only the first, and only the second, system has right."""
    one = Fraction(1) / bound.factor  # the numerator of a right answer with denominator 1
    right = den * one.numerator // one.denominator
    for num in (num_a, num_b):
        if not ((num == 0) | (num == right)).all() or (den > 1).any():
            raise _NotApplicableError(
                "items are not simply right or wrong; use --test auto or sign"
            )
    # On an item with nothing to get right, 0 is right and wrong: it is no discordant one.
    return int((num_a > num_b).sum()), int((num_b > num_a).sum())


PairedFunction: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64], str], float]
"""A test of another package: the first system's values, the second's, the tail; it returns p"""


def plugin_outcome(
    projection: Projection, question: Question, name: str, function: PairedFunction
) -> Outcome:
    """Return the test that another package adds, of one value per item (cluster) and system."""
    bound, names = question.bound, projection.counts.names
    pair = f"{bound.metric.name} of {names[question.a]} and {names[question.b]}"
    if not isinstance(bound, BoundRatio) or not projection.same_denominators(
        bound, question.a, question.b
    ):
        raise UsageError(
            f"test {name!r} does not fit {pair}: the score is no mean over items; use --test auto"
        )
    seen = projection.forms[bound.denominator, question.a] > 0  # elsewhere nothing can be right
    first, second = (
        projection.forms[bound.numerator, system][seen] * float(bound.top)
        for system in (question.a, question.b)
    )
    try:
        p = float(function(first, second, question.tail))
    except Exception as problem:  # whatever a stranger's function raises
        raise UsageError(
            f"test {name!r}, of another package, fails on {pair}: "
            f"{type(problem).__name__}: {problem}"
        ) from problem
    if not 0 < p <= 1:
        raise UsageError(
            f"test {name!r}, of another package, gives p = {p} for {pair}; a p-value lies above 0 "
            "and is at most 1"
        )
    return Outcome(p=p, method=name, n=len(first))


def unpaired_outcome(
    projection: Projection,
    question: Question,
    shuffles: int,
    seed: int,
    strata: NDArray[np.int64] | None,
) -> Outcome:
    """Return the unpaired test, which permutes system labels over the pooled items."""
    counts, bound = projection.counts, question.bound
    if not isinstance(bound, BoundRatio):
        raise UsageError(f"test 'unpaired' needs a ratio of sums, which {bound.metric.name} is not")
    present = counts.present
    kept = [np.ones(len(counts.items), np.bool_) if present is None else present[s]
            for s in (question.a, question.b)]  # fmt: skip
    forms = [bound.numerator, bound.denominator]
    rows = [
        projection.forms[forms, s][:, k].T
        for s, k in zip((question.a, question.b), kept, strict=True)
    ]
    found = unpaired_test(
        rows[0],
        rows[1],
        LinearRatio((1, 0), (0, 1), bound.undefined),
        question.tail,
        strata=None if strata is None else (strata[kept[0]].tolist(), strata[kept[1]].tolist()),
        shuffles=shuffles,
        seed=seed,
    )
    drawn = found.method != "enumeration"
    return Outcome(
        p=found.p,
        method="unpaired",
        how=found.method,
        shuffles=found.total if drawn else None,
        arrangements=None if drawn else found.total,
        exceedances=found.exceeding,
    )
