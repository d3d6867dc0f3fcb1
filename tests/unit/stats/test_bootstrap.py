"""The bootstrap: against all resamples, SciPy's BCa, and properties."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tellapart import engine
from tellapart.stats.bootstrap import bca, bootstrap, quantiles, resample
from tellapart.stats.streams import open_pool


def test_p_of_few_items_is_enumerated() -> None:
    a, b = np.array([[3, 4], [2, 2], [4, 5]]), np.array([[1, 4], [1, 2], [0, 5]])
    scores = a[:, 0].sum() / a[:, 1].sum(), b[:, 0].sum() / b[:, 1].sum()
    observed = scores[0] - scores[1]
    drawn = []
    for draw in product(range(3), repeat=3):
        first, second = a[list(draw)].sum(axis=0), b[list(draw)].sum(axis=0)
        drawn.append(first[0] / first[1] - second[0] / second[1])
    reached = np.abs(np.array(drawn) - observed) >= observed - 1e-12
    assert bootstrap(a, b).p == max(1, reached.sum()) / 27
    assert bootstrap(a, b).p == bootstrap(b, a).p


def test_reference(reference_data: Path) -> None:
    """Means of enumerated data: how many of all resamples reach the difference."""
    text = (reference_data / "significance/expected.json").read_text()
    for case in json.loads(text)["shift_bootstrap_enumerated"]["cases"]:
        better = "greater" if sum(case["a"]) >= sum(case["b"]) else "less"
        a, b = (np.column_stack([case[k], np.ones(len(case[k]), np.int64)]) for k in "ab")
        for key, alternative in (("centered_two_sided", "two-sided"), ("twice_one_sided", better)):
            found = bootstrap(a, b, alternative=alternative)
            assert found.arrangements == case["resamples"]
            assert found.exceedances == case[f"count_{key}"]
            assert found.p == case[f"p_{key}"]


def test_quantiles_are_order_statistics() -> None:
    """Number k and B+1-k of B values, k = (B+1) alpha/2; between two ranks it is the outer one."""
    drawn = np.random.default_rng(0).permutation(np.arange(1.0, 10_000))
    assert quantiles(drawn, [0.025, 0.975]) == [250, 9750]
    assert quantiles(np.arange(1.0, 101), [0.025, 0.975]) == [2, 99]  # ranks 2.525 and 98.475
    values, times = np.array([3.0, 1.0, 2.0]), np.array([1, 1, 2])
    assert quantiles(values, [0.25, 0.26, 0.75, 0.76, 1.0], times) == [1, 2, 2, 3, 3]


@pytest.mark.parametrize("strata", [None, np.array([0, 0, 1, 1, 1, 1, 0, 1, 0, 0])])
def test_every_path_and_worker_draws_the_same(strata: np.ndarray | None) -> None:
    rows = np.random.default_rng(0).integers(0, 9, (10, 3))
    expected = resample(rows, 300, 5, strata=strata)[0]
    with open_pool(3) as pool:
        assert np.array_equal(resample(rows, 300, 5, pool, strata=strata)[0], expected)
    for path in engine.available():
        with patch.dict(os.environ, TELLAPART_PATH=path):
            assert np.array_equal(resample(rows, 300, 5, strata=strata)[0], expected)
    if strata is not None:  # a resample has as many items of each stratum as there are
        flags = np.stack([strata == 0, strata == 1], axis=1).astype(np.int64)
        assert (resample(flags, 50, 1, strata=strata)[0] == flags.sum(axis=0)).all()


def test_bca_agrees_with_scipy() -> None:
    pytest.importorskip("scipy", minversion="1.15", reason="SciPy had no argument rng")
    rng = np.random.default_rng(3)
    values = rng.exponential(1.0, 40)
    left_out = (values.sum() - values) / 39
    peer = scipy_stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=rng)
    ends = bca(peer.bootstrap_distribution, float(values.mean()), left_out).ends
    assert ends == pytest.approx(tuple(peer.confidence_interval), rel=0.001)


def test_strata_keep_what_rows_stand_for() -> None:
    """Distinct rows of strata are drawn as single rows are, and each stratum keeps its size."""
    rng = np.random.default_rng(2)
    strata, right = np.repeat([1, 0], [300, 100]), rng.integers(0, 2, 400)
    rows = np.column_stack([right, right * strata, strata])
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    single = resample(rows, 4_000, 2, strata=strata)[0]
    grouped = resample(kinds, 4_000, 2, strata=kinds[:, 2], times=times)[0]
    assert (grouped[:, 2] == 300).all()
    assert grouped.mean(axis=0) == pytest.approx(single.mean(axis=0), rel=0.01)
    assert grouped.std(axis=0) == pytest.approx(single.std(axis=0), rel=0.06)
