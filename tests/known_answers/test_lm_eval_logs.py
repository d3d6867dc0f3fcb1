"""lm-eval's samples: documents paired by id, filters told apart, tasks one at a time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import tellapart as ta
from log_files import read_logs as read_any_logs

read_logs = partial(read_any_logs, form="lm-eval")


def test_a_metric_of_two_filters_is_named(shared_data: Path) -> None:
    """`exact_match` of a suite is what the harness reports first, and that is said."""
    folder = shared_data / "first-use" / "lm-eval" / "suite"
    counts = read_logs([folder], ["exact_match"], form="lm-eval")
    (told,) = [notice.text for notice in counts.notices if notice.code == "metric-chosen"]
    assert told.startswith("exact_match of sums is exact_match/strict-match")
    assert "--metric exact_match/flexible-extract compares the other" in told


@pytest.mark.parametrize("task", ["mylamb", "mywiki"])
def test_metrics_that_are_no_means(shared_data: Path, task: str) -> None:
    """Every metric of every task, as `results_*.json` has it."""
    folder = shared_data / "harnesses" / "lm-eval-perplexity"
    folders = [folder / f"org__{name}" for name in ("alder", "birch")]
    counts = ta.read([next(place.glob(f"samples_{task}_*")) for place in folders])
    result = ta.compare(counts, intervals=False)
    scores = {system.name: system.scores for system in result.systems}
    for place in folders:
        (path,) = place.glob("results_*.json")
        stated = json.loads(path.read_text())["results"][task]
        figures = {
            name.removesuffix(",none"): value
            for name, value in stated.items()
            if name.endswith(",none") and isinstance(value, float)
        }
        assert set(figures) == set(result.metrics)
        for metric, value in figures.items():
            found = scores[place.name.removeprefix("org__")][metric]
            assert found == pytest.approx(value, rel=1e-9)
    assert not [each for each in counts.notices if "gives" in each.text]
