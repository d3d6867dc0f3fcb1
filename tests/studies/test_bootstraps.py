"""The bootstrap of figure 2 (Riezler and Maxwell 2005), and the studentized one, by name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import studies  # noqa: F401 - it adds the tests
import tellapart as ta
from tellapart.counts import Counts

BOTH = ("bootstrap-abs", "bootstrap-t")


def scores_of(a: Any, b: Any) -> Counts:
    return Counts.from_arrays({"A": a, "B": b})


def counts_of(a: Any, b: Any) -> Counts:
    return Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])


def p_of(counts: Counts, test: str, resamples: int = 999, seed: int = 0) -> float:
    metrics = None if counts.form == "items" else ["f1"]
    result = ta.compare(
        counts, metrics=metrics, test=test, shuffles=resamples, seed=seed, intervals=False
    )
    p = result.pair("A", "B").p
    assert p is not None
    return float(p)


def test_folding_all_resamples_of_known_cases(reference_data: Path) -> None:
    expected = json.loads((reference_data / "significance/expected.json").read_text())
    for case in expected["shift_bootstrap_enumerated"]["cases"]:
        assert p_of(scores_of(case["a"], case["b"]), "bootstrap-abs") == case["p_shift_abs"]


@pytest.mark.parametrize("test", BOTH)
def test_identical_systems_have_p_one_and_no_p_is_zero(test: str) -> None:
    rng = np.random.default_rng(1)
    for items in (1, 6, 40):
        rows = rng.integers(0, 5, (items, 3))
        assert p_of(counts_of(rows, rows), test, resamples=99) == 1
    apart = scores_of(rng.integers(5, 9, 50), rng.integers(0, 3, 50))
    assert p_of(apart, test, resamples=199) >= 1 / 200
    assert p_of(scores_of([3, 4, 5, 3], [0] * 4), test) > 0


@pytest.mark.slow
def test_true_nulls_are_rejected_as_often_as_is_known() -> None:
    """Folded before shifting, near 11 %, as if one-sided; in standard errors near 5 % (n = 100)."""
    tables, rejected = 300, dict.fromkeys(BOTH, 0)
    rng = np.random.default_rng(12)
    for seed in range(tables):
        values = {name: rng.integers(0, 100, 100) for name in "AB"}
        for test in BOTH:
            rejected[test] += p_of(Counts.from_arrays(values), test, 199, seed) <= 0.05
    for test, rate in (("bootstrap-abs", 0.11), ("bootstrap-t", 0.05)):
        sd = math.sqrt(tables * rate * (1 - rate))
        assert abs(rejected[test] - tables * rate) < 4 * sd, test
