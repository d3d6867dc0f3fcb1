"""pass@k and pass^k: unbiased estimators from repeated items, against counting all sets of runs."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from small_counts import in_runs
from table_files import Capture
from tellapart.cli import main
from tellapart.metrics.runs import pass_rate, with_passes
from tellapart.metrics.scores import metrics_of, score_counts

answers = st.lists(st.integers(0, 1), min_size=1, max_size=7)


def counts_of(**systems: list[list[int]]) -> ta.Counts:
    return in_runs(systems)


@given(answers, st.data())
def test_the_share_of_sets_of_runs(runs: list[int], data: st.DataObject) -> None:
    """Brute force: of all sets of k runs, those in which one is right, or all are."""
    k = data.draw(st.integers(1, len(runs)))
    sets = list(combinations(runs, k))
    n, c = len(runs), sum(runs)
    one, each = Fraction(sum(map(any, sets)), len(sets)), Fraction(sum(map(all, sets)), len(sets))
    assert pass_rate(n, c, k, one_is_enough=True) == one
    assert pass_rate(n, c, k, one_is_enough=False) == each


@given(st.integers(1, 8), st.integers(0, 10**6), st.data())
def test_scores_are_exact_means_of_the_items(n: int, seed: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    runs = np.random.default_rng(seed).integers(0, 2, (n, 5))
    counts = counts_of(A=runs.tolist())
    for mark, one_is_enough in (("@", True), ("^", False)):
        passes = with_passes(counts, [f"pass{mark}{k}"])
        (metric,) = metrics_of(passes, [f"pass{mark}{k}"])
        rates = [pass_rate(n, int(c), k, one_is_enough=one_is_enough) for c in runs.sum(axis=0)]
        assert score_counts(passes, metric).exact_score(0) == sum(rates) / 5


def test_many_runs_are_rounded_not_refused() -> None:
    """C(100, 50) has thirty digits: no integer of a column holds it."""
    runs = np.array([[int(run < right) for right in (1, 3, 7, 12, 40, 90)] for run in range(100)])
    counts = with_passes(counts_of(A=runs.tolist()), ["pass@50"])
    assert counts.exact == (True, False)
    rates = [pass_rate(100, int(c), 50, one_is_enough=True) for c in runs.sum(axis=0)]
    found = counts.column("pass@50")[0] / counts.scales[1]
    assert found == pytest.approx([float(rate) for rate in rates], abs=1e-12)


def test_epochs_of_logs_and_failed_ones(tmp_path: Path, capsys: Capture) -> None:
    """An epoch that failed is no try: the item has one run less."""
    for name, first in (("ash", "C"), ("oak", "I")):
        samples: list[dict[str, Any]] = [
            {"id": k, "epoch": e, "scores": {"match": {"value": first if e == 1 else "I"}}}
            for k in range(1, 7)
            for e in (1, 2, 3)
        ]
        samples[1] |= {"scores": {}, "error": {"message": "TimeoutError"}}
        log = {"version": 2, "status": "success", "eval": {"model": name}, "samples": samples}
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    files = [str(tmp_path / f"{name}.json") for name in ("ash", "oak")]
    assert main(["compare", *files, "--metric", "pass@2", "--json", "-"]) == 0
    scores = json.loads(capsys.readouterr().out)["systems"][0]["exact_scores"]
    # Item 1 has two runs, one right: 1. The others three, one right: 2 of 3 pairs.
    assert scores == {"pass@2": str((1 + 5 * Fraction(2, 3)) / 6)}
    assert main(["compare", *files, "--metric", "pass@3"]) == 2
    assert "pass@3 needs 3 runs of every item, and ash has 2 of 1" in capsys.readouterr().err
