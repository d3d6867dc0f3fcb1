from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.errors import DataError, UsageError
from tellapart.significance import relabelled_runs
from tellapart.significance.relabelled_runs import relabel_runs, smallest_relabel_p

OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
tails = st.sampled_from(sorted(OPPOSITE))
tenths = st.lists(st.integers(0, 9).map(lambda x: Fraction(x, 10)), min_size=1, max_size=5)


def test_reference_relabelling(reference_data: Path) -> None:
    text = (reference_data / "significance" / "expected.json").read_text()
    expected = json.loads(text)["run_relabelling"]
    both = relabel_runs(expected["runs_a"], expected["runs_b"])
    one = relabel_runs(expected["runs_a"], expected["runs_b"], "greater")
    assert (both.exceeding, both.total) == (expected["count_two_sided"], expected["relabellings"])
    assert (both.p, one.p) == (expected["p_two_sided"], expected["p_greater"])
    assert one.exceeding == expected["count_greater"]


def test_smallest_p() -> None:
    """Equal numbers of runs tie with their mirror image; unequal ones need not."""
    assert smallest_relabel_p(3, 3) == Fraction(2, 20)
    assert smallest_relabel_p(5, 5) == Fraction(2, 252)
    assert smallest_relabel_p(1, 1) == 1
    assert relabel_runs([5, 6, 7], [1, 2, 3]).p == 0.1
    assert relabel_runs([80, 90], [1, 2, 3]).p == float(smallest_relabel_p(2, 3)) == 0.1
    assert "no two-sided p below 2/20 (0.1)" in relabel_runs([5, 6, 7], [1, 2, 3]).note


@given(tenths, tenths, tails)
@settings(max_examples=60, deadline=None)
def test_relabelling_equals_brute_force(a: list[Fraction], b: list[Fraction], tail: str) -> None:
    pooled = [*a, *b]
    found = []
    for members in combinations(range(len(pooled)), len(a)):
        first = sum((pooled[i] for i in members), Fraction(0))
        found.append(first / len(a) - (sum(pooled) - first) / len(b))
    observed = found[0]
    exceeds = {
        "two": [abs(d) >= abs(observed) for d in found],
        "greater": [d >= observed for d in found],
        "less": [d <= observed for d in found],
    }
    result = relabel_runs(a, b, tail)
    assert (result.exceeding, result.total) == (sum(exceeds[tail]), len(found))
    assert result.difference == observed
    # Decimals as text and as floats are the same decimals.
    assert relabel_runs([str(float(x)) for x in a], b, tail).exceeding == result.exceeding
    assert relabel_runs([float(x) for x in a], b, tail).exceeding == result.exceeding
    assert relabel_runs(b, a, OPPOSITE[tail]).p == result.p


def test_many_runs_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = [3, 5, 6, 9, 12], [1, 2, 5, 7, 8]
    for tail in OPPOSITE:
        exact = relabel_runs(a, b, tail).p
        with monkeypatch.context() as patch:
            patch.setattr(relabelled_runs, "ENUMERATION_LIMIT", 0)
            drawn = relabel_runs(a, b, tail, shuffles=10_000, seed=3)
        assert (drawn.method, drawn.total, drawn.seed) == ("shuffles", 10_000, 3)
        sd = math.sqrt(10_000 * exact * (1 - exact))
        assert abs(drawn.exceeding - 10_000 * exact) <= 4.5 * sd
    same = list(range(12))
    assert relabel_runs(same, same, shuffles=99).p == 1.0


def test_identical_runs() -> None:
    assert relabel_runs(["0.1", "0.3"], ["0.3", "0.1"]).p == 1.0
    for tail in OPPOSITE:
        assert relabel_runs([7, 7], [7, 7, 7], tail).p == 1.0


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="tail"):
        relabel_runs([1], [2], "both")
    with pytest.raises(DataError, match="at least one"):
        relabel_runs([], [2])
    with pytest.raises(DataError, match="not a finite number"):
        relabel_runs([math.nan], [2])
    with pytest.raises(DataError, match="not a finite number"):
        relabel_runs(["high"], [2])
