"""Recipes: LiveBench, MT-bench, every_eval_ever, and one that a user writes."""

from __future__ import annotations

import json
import sys
import types
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import permutation_test

import tellapart as ta
from log_files import compared, pair_of, refused
from table_files import Capture, Write, json_lines
from tellapart import plugins
from tellapart.formats import registry
from tellapart.formats.logs.recipe_reader import read_recipe
from tellapart.formats.registry import guess_format

ITEMS = 40
RIGHT = {
    "alder": [k % 5 in (0, 3) for k in range(ITEMS)],
    "birch": [k % 5 in (0, 1, 2) for k in range(ITEMS)],
}
TASKS = {"web_of_lies": "reasoning", "spatial": "reasoning", "typos": "language"}


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"].rpartition("/")[2]: each["scores"][metric] for each in record["systems"]}


def _values(counts: ta.Counts, column: str) -> NDArray[np.float64]:
    """Return the values of a column, systems × items."""
    return counts.column(column) / float(counts.scales[counts.columns.index(column)])


def test_livebench_is_the_mean_of_categories(tmp_path: Path, capsys: Capture) -> None:
    """Both models in one file; tasks, then categories, count the same, as LiveBench has it."""
    rows: list[dict[str, Any]] = [
        {"question_id": f"h{k}", "task": task, "category": TASKS[task], "model": name, "turn": 1,
         "score": int(ok)}
        for name, right in RIGHT.items()
        for k, ok in enumerate(right)
        for task in [list(TASKS)[0 if k < 20 else 1 if k < 28 else 2]]
    ]  # fmt: skip
    path = tmp_path / "ground_truth_judgment.jsonl"
    path.write_text(json_lines(rows))
    record = compared(capsys, str(path))
    for name in RIGHT:
        scores: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            if row["model"] == name:
                scores.setdefault((row["category"], row["task"]), []).append(row["score"])
        means = {task: sum(some) / len(some) for task, some in scores.items()}
        reasoning = [mean for (category, _), mean in means.items() if category == "reasoning"]
        language = [mean for (category, _), mean in means.items() if category == "language"]
        expected = (fmean(reasoning) + fmean(language)) / 2
        assert _scores(record, "mean")[name] == pytest.approx(expected)


def _mt_rows(items: int = 10) -> list[dict[str, Any]]:
    return [
        {"question_id": 81 + k, "model": name, "judge": ["gpt-4", "single-v1"], "turn": turn,
         "judgment": "Rating", "score": (7 if ok else 4) + (k + turn) % 3}
        for name, right in RIGHT.items()
        for k, ok in enumerate(right[:items])
        for turn in (1, 2)
    ]  # fmt: skip


def test_mt_bench_averages_as_it_does(tmp_path: Path, capsys: Capture) -> None:
    """First turn, second turn and average are MT-bench's own; p is that of all exchanges."""
    rows = _mt_rows()
    path = tmp_path / "gpt-4_single.jsonl"
    path.write_text(json_lines(rows))
    record = compared(capsys, str(path))
    questions: dict[str, list[float]] = {}
    for name in RIGHT:
        mine = [row for row in rows if row["model"] == name]
        for metric, turns in (("score", (1, 2)), ("first_turn", (1,)), ("second_turn", (2,))):
            grades = [row["score"] for row in mine if row["turn"] in turns]
            assert _scores(record, metric)[name] == pytest.approx(sum(grades) / len(grades))
        questions[name] = [sum(r["score"] for r in mine[k : k + 2]) / 2 for k in range(0, 20, 2)]
    a, b = questions["alder"], questions["birch"]
    expected = permutation_test(
        (a, b),
        lambda x, y, axis: (x - y).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**11,
    ).pvalue
    pair = pair_of(record, "birch", "alder", "score")
    assert pair["p"] == pytest.approx(float(expected), rel=1e-9)


def test_the_totals_of_every_eval_ever_name_the_items(tmp_path: Path, capsys: Capture) -> None:
    """Totals are refused by naming the file beside them; that one has names from the totals."""
    totals = {
        "schema_version": "0.2.1",
        "evaluation_id": "arith/org/alder/1706000000",
        "retrieved_timestamp": "1706000000",
        "model_info": {"id": "org/alder", "name": "alder"},
        "evaluation_results": [
            {
                "evaluation_name": "arith",
                "evaluation_result_id": "r1",
                "metric_config": {"metric_name": "toxicity", "lower_is_better": True},
                "score_details": {"score": 0.4},
            }
        ],
    }
    rows = [
        {"evaluation_id": "arith", "model_id": "org/alder", "evaluation_name": "arith",
         "sample_id": f"a{k}", "evaluation_result_id": "r1", "evaluation": {"score": float(ok)}}
        for k, ok in enumerate(RIGHT["alder"])
    ]  # fmt: skip
    items = tmp_path / "0a-1b_samples.jsonl"
    items.write_text(json_lines(rows))
    path = tmp_path / "0a-1b.json"
    path.write_text(json.dumps(totals))
    said = refused(capsys, "compare", str(path))
    assert "cannot be compared item by item" in said
    assert "give the UUID_samples.jsonl" in said
    counts = ta.read(tmp_path)
    assert _values(counts, "toxicity").mean() == pytest.approx(0.4)
    result = ta.compare(
        ta.read([f"one={items}", f"two={items}"], metrics="toxicity"), intervals=False
    )
    assert not result.metrics["toxicity"].higher_is_better


RECIPE = """
marks = ["model", "results"]
records = "results"
item = "case.id"
scores = {ok = "ok", grade = ["grade", "old_grade"]}
system = "$.model.name"
labels = "case"
error = "failure"
grades = {good = 1, bad = 0}
lower = ["grade"]
costs = {ms = "ms"}
"""


def _run(name: str, *rows: Any) -> str:
    return json.dumps({"model": {"name": name}, "results": rows})


def _case(item: int, ok: Any, **more: Any) -> dict[str, Any]:
    return {"case": {"id": item, "topic": f"t{item % 2}"}, "ok": ok, "old_grade": "good", **more}


def test_a_recipe_of_a_user(write: Write) -> None:
    """Paths, the top of the file, words that count, labels, costs, failures and repeats."""
    recipe = write("mine.toml", RECIPE)
    rows = [_case(1, True, ms=5), _case(1, False, ms=7), _case(2, None, failure="timeout")]
    first = write("a.json", _run("alder", *rows))
    second = write("b.json", _run("birch", _case(1, "yes"), _case(2, 0, grade="bad")))
    counts = ta.read([first, second], form=recipe, missing="drop")
    assert (counts.names, counts.items) == (("alder", "birch"), ("1",))
    assert (counts.columns, counts.lower) == (("ok", "grade"), ("grade",))
    assert _values(counts, "ok").tolist() == [[0.5], [1.0]]
    assert counts.labels["topic"] == ("t1",)
    codes = {notice.code for notice in counts.notices}
    assert {"failed", "repeats", "not-compared"} <= codes


def test_one_system_may_lack_what_a_recipe_names(write: Write) -> None:
    files = [
        write("a.json", _run("alder", _case(1, 1, ms=5))),
        write("b.json", _run("birch", _case(1, 0))),
    ]
    assert ta.read(files, form=write("mine.toml", RECIPE)).columns == ("ok", "grade")
    either = RECIPE.replace('marks = ["model", "results"]', 'marks = [["model", "results"], ["x"]]')
    assert ta.read(files, form=write("mine.toml", either)).columns == ("ok", "grade")


def test_a_recipe_by_entry_point(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are told by their content, and its name is known."""
    module = types.ModuleType("my_harness")
    module.RECIPE = replace(read_recipe(write("mine.toml", RECIPE)), name="my-harness")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_harness", module)
    monkeypatch.setattr(plugins, "_added", {})
    plugins.add(plugins.FORMATS, "my-harness", "my_harness:RECIPE")
    registry._plugged_in.cache_clear()
    try:
        path = write("a.json", _run("alder", _case(1, 1, ms=5)))
        assert guess_format([path]).name == "my-harness"
        assert ta.read(path).names == ("alder",)
    finally:
        registry._plugged_in.cache_clear()


def test_trials_of_harbor_are_one_run_of_the_agent(tmp_path: Path) -> None:
    """A file for each trial: several of a task are repeats; a trial without a reward failed."""
    for job, rewards in (("one", [1, 0, 1, None]), ("two", [1, 1, 1, 1])):
        for k, reward in enumerate(rewards):
            path = tmp_path / job / f"task-{k % 2}__{k}" / "result.json"
            path.parent.mkdir(parents=True)
            trial = {
                "task_name": f"task-{k % 2}",
                "trial_name": path.parent.name,
                "agent_info": {"name": "agent", "model_info": {"name": "org/alder"}},
                "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
                "exception_info": {"exception_message": "no container"},
            }
            path.write_text(json.dumps(trial))
    counts = ta.read([str(tmp_path / job) for job in ("one", "two")])
    assert counts.names == ("agent (alder) (one)", "agent (alder) (two)")
    assert _values(counts, "reward").tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert any("1 run of 1 item failed" in notice.text for notice in counts.notices)
