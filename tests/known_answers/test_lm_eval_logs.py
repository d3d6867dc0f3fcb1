"""lm-eval's samples: documents paired by id, filters told apart, tasks one at a time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from scipy import stats

import tellapart as ta
from log_files import read_logs as read_any_logs

read_logs = partial(read_any_logs, form="lm-eval")


def test_real_documents_as_texts_and_labels(shared_data: Path) -> None:
    runs = shared_data / "ecosystem" / "lm_eval"
    counts = read_logs(
        [runs / "alder", runs / "birch"], metrics=["pond_mc/acc", "pond_mc/acc_norm"]
    )
    assert counts.columns == ("pond_mc/acc", "pond_mc/acc_norm")
    assert len(set(counts.labels["story"])) == 10
    assert counts.texts is not None
    assert counts.texts.golds[0] == " wren"
    assert counts.texts.outputs["alder"][0] == " wren"
    assert counts.texts.inputs[0].startswith("Question: Jun saw a wren")
    assert counts.by("story").items[0] == "pond_mc/st00"


def test_a_metric_of_two_filters_is_named(shared_data: Path) -> None:
    """`exact_match` of a suite is what the harness reports first, and that is said."""
    folder = shared_data / "first-use" / "lm-eval" / "suite"
    counts = read_logs([folder], ["exact_match"], form="lm-eval")
    (told,) = [notice.text for notice in counts.notices if notice.code == "metric-chosen"]
    assert told.startswith("exact_match of sums is exact_match/strict-match")
    assert "--metric exact_match/flexible-extract compares the other" in told


def test_every_figure_of_a_suite(shared_data: Path) -> None:
    """Scores of all tasks and filters as the results have them, and p as binomial tests do."""
    folder = shared_data / "harnesses" / "lm-eval-suite"
    stated = {
        name: json.loads(next((folder / f"org__{name}").glob("results_*")).read_text())["results"]
        for name in ("alder", "birch")
    }
    tasks = [task for task in stated["alder"] if task != "mymmlu"]
    assert len(tasks) == 8
    for task in tasks:
        files = [
            next((folder / f"org__{n}").glob(f"samples_{task}_2*")) for n in ("alder", "birch")
        ]
        counts = ta.read(files)
        assert counts.names == ("alder", "birch")
        result = ta.compare(counts, intervals=False)
        for column in counts.columns:
            metric, _, filtered = column.partition("/")
            name = f"{metric},{filtered or 'none'}"
            values = counts.column(column) // counts.scales[counts.columns.index(column)]
            for system, row in zip(counts.names, values, strict=True):
                assert row.mean() == pytest.approx(stated[system][task][name], abs=1e-9)
            only = [int((values[k] > values[1 - k]).sum()) for k in (0, 1)]
            expected = stats.binomtest(only[0], sum(only)).pvalue
            (pair,) = [each for each in result.pairs if each.metric == column]
            assert pair.p == pytest.approx(expected, abs=1e-9)


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
