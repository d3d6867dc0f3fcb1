"""Harnesses for applications: promptfoo, DeepEval and ragas."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import harness_files as made
from log_files import compared, pair_of

ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]
SYSTEMS = {"alder": ALDER, "birch": BIRCH}


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


# promptfoo


@pytest.mark.parametrize("name", ["out.json", "out.jsonl", "out.csv"])
def test_promptfoo_as_it_writes(
    shared_data: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Pass rates are promptfoo's own; p is that of the answers in its JSON."""
    folder = shared_data / "harnesses" / "promptfoo"
    record = compared(capsys, str(folder / name), "--test", "exact", "--metric", "pass")
    tree = json.loads((folder / "out.json").read_text())
    rows = tree["results"]["results"]
    own = {}
    passes: dict[str, list[bool]] = {}
    for k, prompt in enumerate(tree["results"]["prompts"]):
        word = prompt["raw"].split(" {{")[0]
        system = f"{prompt['provider']} (prompt={word})"
        numbers = prompt["metrics"]
        own[system] = numbers["testPassCount"] / (
            numbers["testPassCount"] + numbers["testFailCount"]
        )
        mine = [row for row in rows if row["promptIdx"] == k]
        passes[system] = [row["success"] for row in sorted(mine, key=lambda row: row["testIdx"])]
    assert _scores(record, "pass") == pytest.approx(own)
    for pair in record["pairs"]:
        p = made.exact_p(passes[pair["a"]], passes[pair["b"]])
        assert pair["p"] == pytest.approx(p, rel=1e-9)
    assert len(record["pairs"]) == 6


# DeepEval


def test_deepeval_as_it_writes(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Means and pass rates are DeepEval's own."""
    paths = sorted(map(str, (shared_data / "harnesses" / "deepeval").glob("*.json")))
    record = compared(capsys, *paths, "--test", "exact")
    runs = [json.loads(Path(path).read_text()) for path in paths]
    for run in runs:
        name = run["hyperparameters"]["model"]
        assert _scores(record, "passed")[name] == pytest.approx(run["testPassed"] / 50)
        for metric in run["metricsScores"]:
            own = pytest.approx(_mean(metric["scores"]))
            assert _scores(record, metric["metric"])[name] == own
            rate = pytest.approx(metric["passes"] / 50)
            assert _scores(record, f"{metric['metric']}.passed")[name] == rate
    passed = [[case["success"] for case in run["testCases"]] for run in runs]
    pair = pair_of(record, "birch", "alder", "passed")
    assert pair["p"] == pytest.approx(made.exact_p(*passed), rel=1e-9)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# ragas


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_ragas_as_it_writes(
    shared_data: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    """Every metric, as a mean over rows; p is that of the rows."""
    folder = shared_data / "harnesses" / "ragas"
    paths = [str(folder / f"{name}.{suffix}") for name in SYSTEMS]
    record = compared(capsys, *paths, "--test", "exact")
    rows = {
        name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        for name in SYSTEMS
    }
    for metric, scale in (("exact_match", 1), ("non_llm_string_similarity", 2)):
        values = {name: [row[metric] for row in found] for name, found in rows.items()}
        means = {name: _mean(found) for name, found in values.items()}
        assert _scores(record, metric) == pytest.approx(means)
        p = made.exact_p(values["alder"], values["birch"], scale=scale)
        assert pair_of(record, "birch", "alder", metric)["p"] == pytest.approx(p, rel=1e-9)
