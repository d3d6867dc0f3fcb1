"""Harnesses that write a folder for every run: lighteval and HELM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, pair_of, refused


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


# lighteval


@pytest.mark.slow
def test_lighteval_as_it_writes(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores are those of lighteval's results; p is that of the details."""
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    folder = shared_data / "harnesses" / "lighteval"
    paths = sorted((folder / "details").rglob("*.parquet"))
    record = compared(capsys, *map(str, paths), "--test", "exact")
    own = {}
    for path in (folder / "results").rglob("*.json"):
        tree = json.loads(path.read_text())
        own[tree["config_general"]["model_name"].split("/")[1]] = tree["results"]["mylaw|0"]["acc"]
    assert _scores(record, "acc") == pytest.approx(own)
    rows = [{row["doc"]["id"]: row["metric"]["acc"] for row in pq.read_table(path).to_pylist()}
            for path in paths]  # fmt: skip
    right = [[each[item] for item in rows[0]] for each in rows]
    pair = pair_of(record, "birch", "alder", "acc")
    assert pair["p"] == pytest.approx(made.exact_p(*right), rel=1e-9)


def test_lighteval_results_are_totals(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused by naming the details."""
    path = next((shared_data / "harnesses" / "lighteval" / "results").rglob("*.json"))
    said = refused(capsys, "compare", str(path), str(path))
    assert "has totals only" in said
    assert "give details_TASK_*.parquet from the folder details" in said


# HELM


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
    codes = [notice.text for notice in counts.notices if notice.code == "left-out"]
    assert "HELM scores the split 'test'; 19 instances of 'valid' were left out." in codes
