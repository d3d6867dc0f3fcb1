"""Relabelled runs: an exact test of mean scores that exchanges whole runs.

Its question is about new runs on these test items. New runs on new items is what a comparison asks
by itself: see `varying_runs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, UsageError
from tellapart.significance.textbook_paired import check_tail
from tellapart.significance.unpaired_tests import (
    ENUMERATION_LIMIT,
    fit_integers,
    random_splits,
    subset_sums,
)

Score = int | float | str | Decimal | Fraction


@dataclass(frozen=True, slots=True)
class RelabelTest:
    """Outcome of a test that relabels whole runs; the difference is of mean scores."""

    difference: Fraction
    p: float
    tail: str
    method: str  # "enumeration" or "shuffles"
    exceeding: int
    total: int  # relabellings enumerated, or drawn
    smallest_p: Fraction  # smallest two-sided p that these numbers of runs allow
    seed: int | None  # None where nothing was drawn
    note: str


def smallest_relabel_p(runs_a: int, runs_b: int) -> Fraction:
    """Return the smallest two-sided p that relabelling so many runs can reach.

    With equal numbers, exchanging all runs reverses the difference, so two relabellings tie.

    >>> smallest_relabel_p(3, 3), smallest_relabel_p(5, 5)
    (Fraction(1, 10), Fraction(1, 126))
    """
    if min(runs_a, runs_b) < 1:
        raise DataError(f"{runs_a} against {runs_b} runs; each system needs at least one")
    return Fraction(2 if runs_a == runs_b else 1, math.comb(runs_a + runs_b, runs_a))


def relabel_runs(
    scores_a: Sequence[Score],
    scores_b: Sequence[Score],
    tail: str = "two",
    *,
    shuffles: int = 9999,
    seed: int = 0,
) -> RelabelTest:
    """Return the test of mean scores that relabels whole runs.

    Scores keep their decimal value (text, or the shortest decimal of a float). All relabellings are
    enumerated up to 2^20 of them; above, `shuffles` are drawn.

    >>> result = relabel_runs([81, 83, 84], [78, 79, 82])
    >>> result.p, result.exceeding, result.total
    (0.2, 4, 20)
    """
    check_tail(tail)
    smallest = smallest_relabel_p(len(scores_a), len(scores_b))
    k1, k2 = len(scores_a), len(scores_b)
    exact = [_exact(score) for score in (*scores_a, *scores_b)]
    scale = math.lcm(*(score.denominator for score in exact))
    pooled = fit_integers(np.array([[int(score * scale)] for score in exact], object))
    total, first = int(pooled.sum()), int(pooled[:k1].sum())
    # The difference of means, times k1 k2 scale, is S (k1 + k2) - total k1 for a first sum S.
    observed = first * (k1 + k2) - total * k1
    high = -(-(abs(observed) + total * k1) // (k1 + k2))
    low = (total * k1 - abs(observed)) // (k1 + k2)

    def count(sums: NDArray[Any]) -> int:
        if tail == "two":
            return int(((sums >= high) | (sums <= low)).sum())
        return int((sums >= first if tail == "greater" else sums <= first).sum())

    splits = math.comb(k1 + k2, k1)
    if splits <= ENUMERATION_LIMIT:
        exceeding, tried, method, used = count(subset_sums(pooled, k1)), splits, "enumeration", None
        p = exceeding / splits
    else:
        if shuffles < 1:
            raise UsageError(f"{shuffles} relabellings are too few; draw at least 1")
        exceeding = sum(count(sums) for sums in random_splits([pooled], [k1], shuffles, seed))
        tried, method, used = shuffles, "shuffles", seed
        p = (exceeding + 1) / (shuffles + 1)
    difference = Fraction(observed, k1 * k2 * scale)
    ways = f"{2 if k1 == k2 else 1}/{splits}"
    note = (
        f"{k1} against {k2} runs: no two-sided p below {ways} ({float(smallest):.2g}) is possible"
    )
    return RelabelTest(difference, p, tail, method, exceeding, tried, smallest, used, note)


def _exact(score: Score) -> Fraction:
    try:
        return Fraction(repr(float(score)) if isinstance(score, float) else score)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise DataError(f"score {score!r} of a run is not a finite number") from error
