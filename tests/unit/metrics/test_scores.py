"""Scores: what items contribute adds up to differences, for every kind of metric."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Function, Metric, mean, metric, ratio
from tellapart.metrics.scores import RatioScores, score_counts

rows = st.lists(
    st.tuples(*[st.integers(0, 6) for _ in range(3)]), min_size=6, max_size=6
)  # fmt: skip
ROOT = Function("root", ("tp", "fp"), lambda s: np.sqrt(s[..., 0] / (s[..., 0] + s[..., 1] + 1)))
METRICS: list[Metric] = [
    metric("f1", ["tp", "fp", "fn"]),
    metric("precision", ["tp", "fp", "fn"]),
    mean("tp"),
    ROOT,
]


def counts_of(a: object, b: object) -> Counts:
    return Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])


@given(rows, rows, st.sampled_from(METRICS))
def test_terms_add_up_to_the_difference(a: object, b: object, chosen: Metric) -> None:
    """At the common score and at each system's own; swapped systems have opposite terms."""
    scores = score_counts(counts_of(a, b), chosen)
    difference = scores.values[0] - scores.values[1]
    for at in ("common", "own"):
        terms = scores.terms(0, 1, at)
        if terms is None:
            continue
        assert terms.contributions.sum() == pytest.approx(difference, abs=1e-9)
        assert terms.worth * terms.observed == pytest.approx(difference, abs=1e-9)
        turned = scores.terms(1, 0, at)
        assert turned.contributions == pytest.approx(-terms.contributions, abs=1e-9)


@given(rows, rows, st.sampled_from(METRICS))
def test_per_item_contributions_have_the_score_as_mean(
    a: object, b: object, chosen: Metric
) -> None:
    scores = score_counts(counts_of(a, b), chosen)
    if scores.is_defined(0) and scores.is_defined(1):
        assert scores.per_item([0, 1]).mean(axis=1) == pytest.approx(scores.values, abs=1e-9)


def test_ratios_are_exact() -> None:
    """Scores are fractions, and terms whole numbers whose ties are exact."""
    scores = score_counts(counts_of([[3, 1, 2], [1, 0, 4]], [[2, 0, 3], [2, 2, 2]]), METRICS[0])
    assert isinstance(scores, RatioScores)
    assert scores.exact_score(0) == Fraction(2 * 4, 2 * 4 + 1 + 6)
    terms = scores.terms(0, 1)
    assert terms.slack == 0
    assert (terms.values == np.rint(terms.values)).all()


def test_without_a_denominator_there_are_no_terms() -> None:
    scores = score_counts(counts_of([[0, 0, 1]], [[1, 0, 1]]), METRICS[1])
    assert not scores.is_defined(0)
    assert scores.terms(0, 1) is None
    assert scores.values[0] == 0.0


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(UsageError, match="needs the columns"):
        score_counts(Counts.from_arrays({"A": [1]}), METRICS[0])
    negative = ratio("odd", {"tp": 1}, {"fp": -1})
    with pytest.raises(DataError, match="negative denominator"):
        score_counts(counts_of([[1, 1, 0]], [[1, 1, 0]]), negative)
    huge = Counts.from_arrays({"A": [[2**49, 2**49, 0]] * 3}, columns=["tp", "fp", "fn"])
    with pytest.raises(DataError, match="too large"):
        score_counts(huge, ratio("heavy", {"tp": 7, "fp": 5}, {"tp": 1}))
