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
from tellapart.metrics import Function, ItemFunction


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


def test_one_item_has_none_and_equal_systems_have_zero() -> None:
    one = ta.compare(Counts.from_arrays({"A": [1], "B": [0]}), intervals=False)
    same = ta.compare(Counts.from_arrays({"A": [1, 0, 1], "B": [1, 0, 1]}))

    assert error(one.pairs[0]) is None
    assert error(same.pairs[0]) == 0.0


def test_functions_of_items_have_the_jackknife() -> None:
    mean = ItemFunction("own-mean", ("score",), lambda rows: float(rows[:, 0].mean()))
    pair = ta.compare(
        Counts.from_arrays({"A": [3, 1, 2, 5], "B": [1, 1, 1, 5]}), metrics=[mean]
    ).pairs[0]

    assert error(pair) == pytest.approx(stats.sem([2, 0, 1, 0]))


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


def test_errors_of_real_answers(reference_data: Path) -> None:
    """Forty questions on ten stories, read here by hand."""
    folder = reference_data / "ecosystem"
    known = json.loads((folder / "expected.json").read_text("utf-8"))[
        "lm_eval/pond_mc acc,none birch vs alder"
    ]
    rows = {}
    for name in ("alder", "birch"):
        (path,) = (folder / "lm_eval" / name).glob("samples_pond_mc_*")
        rows[name] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = {name: sorted(found, key=lambda row: row["doc"]["qid"]) for name, found in rows.items()}
    counts = Counts.from_arrays(
        {name: [row["acc"] for row in found] for name, found in rows.items()},
        labels={"story": [row["doc"]["story"] for row in rows["alder"]]},
    )
    for label, key in (("story", "se_paired_clustered"), (None, "se_paired")):
        pair = ta.compare(counts, cluster=label).pairs[0]
        assert error(pair) == pytest.approx(known[key], abs=5e-7)
