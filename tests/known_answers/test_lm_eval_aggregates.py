"""Metrics of lm-eval that are no means: what samples hold, the scores, the better side, and p."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta


def _found(counts: ta.Counts) -> tuple[ta.Result, dict[str, dict[str, float]]]:
    result = ta.compare(counts, intervals=False)
    return result, {system.name: system.scores for system in result.systems}


@pytest.mark.parametrize("task", ["mylamb", "mywiki"])
def test_the_scores_are_those_of_lm_eval(shared_data: Path, task: str) -> None:
    """Every metric of every task, as `results_*.json` has it."""
    folder = shared_data / "harnesses" / "lm-eval-perplexity"
    folders = [folder / f"org__{name}" for name in ("alder", "birch")]
    counts = ta.read(folders, metrics=task)
    result, scores = _found(counts)
    for place in folders:
        (path,) = place.glob("results_*.json")
        stated = json.loads(path.read_text())["results"][task]
        figures = {
            f"{task}/{name.removesuffix(',none')}": value
            for name, value in stated.items()
            if name.endswith(",none") and isinstance(value, float)
        }
        assert set(figures) == set(result.metrics)
        for metric, value in figures.items():
            found = scores[place.name.removeprefix("org__")][metric]
            assert found == pytest.approx(value, rel=1e-9)
    assert not [each for each in counts.notices if "gives" in each.text]
