"""P-values of many pairs of pseudo-systems at once, by the tests that `compare` makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.planning.null_bootstrap import bootstrap_p_values
from tellapart.planning.null_pairs import Pairs
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap import ENUMERATED_ITEMS
from tellapart.significance.options import Options
from tellapart.significance.procedures import Execution, Settings, run
from tellapart.significance.randomization import Question
from tellapart.significance.registry import BOOTSTRAP, RANDOMIZATION
from tellapart.significance.unpaired import ENUMERATION_LIMIT, random_splits, ratio_exceeds

_ONE = Execution(WorkerPool(1, None))
_EXACT_FLOAT = 1 << 50  # sums below this survive a product of floats


@dataclass(frozen=True, slots=True)
class Draws:
    """How many shuffles and resamples a test makes, and from which seed."""

    shuffles: int
    resamples: int
    seed: int


def p_values(
    pairs: Pairs, bound: Bound, tests: Sequence[str], draws: Draws
) -> dict[str, NDArray[np.float64] | str]:
    """Test every pair, two-sided; NaN where a test is undefined, a reason where it does not fit.

    The p of a pair is what `compare` gives for the same two systems, test and seed; only those of
    the bootstrap come from other draws.
    """
    projection = _projection(pairs, bound)
    questions = [Question(bound, k, k + 1, "two") for k in range(0, 2 * pairs.first.shape[1], 2)]
    found: dict[str, NDArray[np.float64] | str] = {}
    together = [test for test in tests if test in BOOTSTRAP]
    if not isinstance(bound, BoundRatio) and "bootstrap-t" in together:
        together.remove("bootstrap-t")  # which is refused like any test that does not fit
    if together and pairs.first.shape[2] > ENUMERATED_ITEMS:
        found |= bootstrap_p_values(projection, questions, together, draws.resamples, draws.seed)
    for test in tests:
        if test not in found:
            try:
                found[test] = _one_test(projection, questions, test, draws)
            except UsageError as problem:
                found[test] = _reason(problem)
    return found


def _one_test(
    projection: Projection, questions: Sequence[Question], test: str, draws: Draws
) -> NDArray[np.float64]:
    bound = projection.metrics[0]
    if test == "unpaired" and isinstance(bound, BoundRatio) and _splits_are_drawn(projection):
        return _unpaired(projection, questions, bound, draws.resamples, draws.seed)
    number = draws.shuffles if test in RANDOMIZATION else draws.resamples
    options = Options(test=test, shuffles=number, seed=draws.seed, force=True)
    outcomes = run(projection, questions, Settings(options), _ONE)
    return np.array([math.nan if each.p is None else each.p for each in outcomes])


def _reason(problem: UsageError) -> str:
    """Return why a test does not fit, without the names of pseudo-systems and what to do."""
    words = str(problem).partition("; use ")[0]
    return words.partition(": ")[2] if words.startswith(("test ", "no exact ")) else words


def _projection(pairs: Pairs, bound: Bound) -> Projection:
    """Put both of each pair side by side, as systems whose columns are the forms."""
    count, number, items = pairs.first.shape
    forms = np.stack([pairs.first, pairs.second], axis=2).reshape(count, 2 * number, items)
    counts = Counts(
        names=tuple(f"{k // 2 + 1}{'ab'[k % 2]}" for k in range(2 * number)),
        items=tuple(map(str, range(items))),
        columns=tuple(f"form {k}" for k in range(count)),
        values=forms.transpose(1, 2, 0),
        scales=(1,) * count,
        exact=(True,) * count,
        sizes=np.ones(items, np.int64),
    )
    return Projection(counts, forms, forms.sum(axis=2), (bound,))


def _splits_are_drawn(projection: Projection) -> bool:
    items = projection.forms.shape[2]
    largest = int(np.abs(projection.forms).sum(axis=2).max())
    return math.comb(2 * items, items) > ENUMERATION_LIMIT and largest < _EXACT_FLOAT // 2


def _unpaired(
    projection: Projection,
    questions: Sequence[Question],
    bound: BoundRatio,
    shuffles: int,
    seed: int,
) -> NDArray[np.float64]:
    """Permute the labels of all pairs together: drawing the splits costs most."""
    items, number = projection.forms.shape[2], len(questions)
    both = projection.forms[[bound.numerator, bound.denominator]]
    pooled = both.reshape(2, number, 2 * items)  # axis 2: items of the first, then of the second
    totals = pooled.sum(axis=2)
    differences = [
        (Fraction(projection.score(bound, each.a)) - Fraction(projection.score(bound, each.b)))
        / bound.factor
        for each in questions
    ]
    exceeding = np.zeros(number, np.int64)
    columns = pooled.reshape(2 * number, 2 * items).T
    for sums in random_splits([columns], [items], shuffles, seed):
        drawn = sums.T.reshape(2, number, -1)
        rest = totals[:, :, None] - drawn
        for k, difference in enumerate(differences):
            hit = ratio_exceeds(
                (drawn[0, k], drawn[1, k]), (rest[0, k], rest[1, k]), difference, "two",
                bound.undefined,
            )  # fmt: skip
            exceeding[k] += int(hit.sum())
    return (exceeding + 1) / (shuffles + 1)
