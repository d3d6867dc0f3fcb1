"""P-values of many pairs of pseudo-systems at once, by the tests that `compare` makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.projection import Bound, BoundRatio, Projection
from tellapart.resampling.workers import Workers
from tellapart.significance.procedures import Machinery, Settings, run
from tellapart.significance.randomization import Question
from tellapart.significance.unpaired import ENUMERATION_LIMIT, random_splits, ratio_exceeds
from tellapart.studies.null_pairs import Pairs

_ONE = Machinery(Workers(1, None))
_EXACT_FLOAT = 1 << 50  # sums below this survive a product of floats


def p_values(
    pairs: Pairs, bound: Bound, test: str, shuffles: int, seed: int
) -> NDArray[np.float64]:
    """Test every pair, two-sided; NaN where the test is undefined.

    The p of a pair is what `compare` gives for the same two systems, test and seed. A test that
    does not fit the metric is a UsageError.
    """
    projection = _projection(pairs, bound)
    questions = [Question(bound, k, k + 1, "two") for k in range(0, 2 * pairs.first.shape[1], 2)]
    if test == "unpaired" and isinstance(bound, BoundRatio) and _splits_are_drawn(pairs):
        return _unpaired(projection, questions, bound, shuffles, seed)
    settings = Settings(test=test, shuffles=shuffles, seed=seed, force=True)
    outcomes = run(projection, questions, settings, _ONE)
    return np.array([math.nan if each.p is None else each.p for each in outcomes])


def _projection(pairs: Pairs, bound: Bound) -> Projection:
    """Put both of each pair side by side, as systems whose columns are the forms."""
    count, number, units = pairs.first.shape
    forms = np.stack([pairs.first, pairs.second], axis=2).reshape(count, 2 * number, units)
    counts = Counts(
        names=tuple(f"{k // 2 + 1}{'ab'[k % 2]}" for k in range(2 * number)),
        units=tuple(map(str, range(units))),
        columns=tuple(f"form {k}" for k in range(count)),
        values=forms.transpose(1, 2, 0),
        scales=(1,) * count,
        exact=(True,) * count,
        sizes=np.ones(units, np.int64),
    )
    return Projection(counts, forms, forms.sum(axis=2), (bound,))


def _splits_are_drawn(pairs: Pairs) -> bool:
    units = pairs.first.shape[2]
    largest = max(int(np.abs(half).sum(axis=2).max()) for half in (pairs.first, pairs.second))
    return math.comb(2 * units, units) > ENUMERATION_LIMIT and largest < _EXACT_FLOAT // 2


def _unpaired(
    projection: Projection,
    questions: Sequence[Question],
    bound: BoundRatio,
    shuffles: int,
    seed: int,
) -> NDArray[np.float64]:
    """Permute the labels of all pairs together: drawing the splits costs most."""
    units, number = projection.forms.shape[2], len(questions)
    both = projection.forms[[bound.numerator, bound.denominator]]
    pooled = both.reshape(2, number, 2 * units)  # axis 2: units of the first, then of the second
    totals = pooled.sum(axis=2)
    differences = [
        (Fraction(projection.score(bound, each.a)) - Fraction(projection.score(bound, each.b)))
        / bound.factor
        for each in questions
    ]
    exceeding = np.zeros(number, np.int64)
    columns = pooled.reshape(2 * number, 2 * units).T
    for sums in random_splits([columns], [units], shuffles, seed):
        drawn = sums.T.reshape(2, number, -1)
        rest = totals[:, :, None] - drawn
        for k, difference in enumerate(differences):
            hit = ratio_exceeds(
                (drawn[0, k], drawn[1, k]), (rest[0, k], rest[1, k]), difference, "two",
                bound.undefined,
            )  # fmt: skip
            exceeding[k] += int(hit.sum())
    return (exceeding + 1) / (shuffles + 1)
