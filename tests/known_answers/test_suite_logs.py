"""Suites that harnesses really wrote: overall and task scores are theirs, p is scipy's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta

MAINS = {"mygsm": "exact_match,strict-match", "mygsm_cot": "exact_match,score-first"}
LM_EVAL = "harnesses/lm-eval-suite"


def lm_eval_results(folder: Path) -> Mapping[str, Mapping[str, float]]:
    """Return what lm-eval itself reports for a model."""
    (path,) = folder.glob("results_*.json")
    results: Mapping[str, Mapping[str, float]] = json.loads(path.read_text())["results"]
    return results


@pytest.fixture(scope="module")
def lm_eval(shared_data: Path) -> ta.Result:
    folder = shared_data / LM_EVAL
    return ta.compare(ta.read([folder / "org__alder", folder / "org__birch"]))


def test_scores_are_those_of_lm_eval(shared_data: Path, lm_eval: ta.Result) -> None:
    """Every task, and the groups and tasks at the top in equal parts."""
    (metric,) = lm_eval.metrics
    table = lm_eval.suite[metric]
    assert table.aggregate == "mean of 3: mygsm, mygsm_cot, mymmlu (6 tasks by items)"
    for system in lm_eval.systems:
        theirs = lm_eval_results(shared_data / LM_EVAL / f"org__{system.name}")
        for task in table.tasks:
            reported = theirs[task.name][MAINS.get(task.name, "acc,none")]
            assert task.scores[system.name] == pytest.approx(reported, abs=1e-9)
        top = [theirs["mymmlu"]["acc,none"], *(theirs[task][key] for task, key in MAINS.items())]
        assert system.scores[metric] == pytest.approx(np.mean(top), abs=1e-9)


@pytest.mark.parametrize("name", ["acc", "mymmlu/acc"])
def test_a_group_alone_has_the_score_that_lm_eval_gives_it(shared_data: Path, name: str) -> None:
    folder = shared_data / LM_EVAL
    counts = ta.read([folder / "org__alder", folder / "org__birch"], metrics=name)
    assert set(counts.labels["group"]) == {"mymmlu"}
    assert len(set(counts.labels["task"])) == 6
    result = ta.compare(counts)
    assert result.suite[name].aggregate == "mean over all items of mymmlu"
    for system in result.systems:
        theirs = lm_eval_results(folder / f"org__{system.name}")["mymmlu"]["acc,none"]
        assert system.scores[name] == pytest.approx(theirs, abs=1e-9)
