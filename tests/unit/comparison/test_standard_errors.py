"""Standard errors of differences, of items and of clusters."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from small_counts import some_counts
from tellapart.comparison.record import Pair
from tellapart.counts import Counts
from tellapart.metrics import Function


def error(pair: Pair) -> float | None:
    return pair.diagnostics.standard_error


def test_of_a_mean_it_is_that_of_the_differences() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 100, (2, 40))
    found = error(ta.compare(Counts.from_arrays({"A": a, "B": b})).pairs[0])

    assert found == pytest.approx(stats.sem(a - b))


def test_of_clusters_it_is_that_of_their_sums() -> None:
    """Differences 1, 1, -1 and 0, mean 1/4; the clusters are 3/2 above and below what they owe."""
    counts = Counts.from_arrays({"A": [1, 1, 0, 0], "B": [0, 0, 1, 0]}, labels={"doc": "xxyy"})
    pair = ta.compare(counts, cluster="doc").pairs[0]
    by_hand = math.sqrt(2 / 1 * (1.5**2 + 1.5**2)) / 4

    assert error(pair) == pytest.approx(by_hand)


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_of_a_ratio_it_is_nearly_that_of_the_jackknife(metric: str) -> None:
    """As a function of sums, the same score has its error from leaving out each item."""
    counts = some_counts(300, "AB")
    ratio = ta.compare(counts, metrics=metric).pairs[0]
    same = {
        "recall": lambda s: s[..., 0] / (s[..., 0] + s[..., 2]),
        "precision": lambda s: s[..., 0] / (s[..., 0] + s[..., 1]),
        "f1": lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2]),
    }
    function = ta.compare(counts, metrics=Function(metric, ("tp", "fp", "fn"), same[metric])).pairs[
        0
    ]

    assert error(ratio) == pytest.approx(error(function), rel=0.01)


def test_errors_of_a_real_table(reference_data: Path) -> None:
    """Known from numpy, to six digits."""
    folder = reference_data / "ecosystem"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    counts = ta.read(str(folder / "table" / "wide.csv"))
    clustered, single = (ta.compare(counts, cluster=label) for label in ("doc", None))

    for first, second in (("birch", "alder"), ("cedar", "alder"), ("birch", "cedar")):
        known = expected[f"table/wide.csv {first} vs {second}"]
        for result, key in ((clustered, "se_paired_clustered"), (single, "se_paired")):
            assert error(result.pair(first, second)) == pytest.approx(known[key], abs=5e-7)
