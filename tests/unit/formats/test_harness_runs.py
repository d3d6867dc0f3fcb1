"""Harnesses that write a folder for every run: lighteval and HELM."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, pair_of, refused
from table_files import Write

ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


# lighteval


def _details(
    folder: Path, model: str, right: Sequence[bool], time: str = "01", task: str = "law|0"
) -> Path:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    when = f"2026-11-{time}T10-00-00.000001"
    path = folder / "details" / "org" / model / when / f"details_{task}_{when}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(made.lighteval_table(right, task), path)
    return path


def test_lighteval_folders_of_several_times_and_tasks(tmp_path: Path) -> None:
    """Several times are runs; tasks are joined; results beside the details do no harm."""
    for model, right in (("alder", ALDER), ("birch", BIRCH)):
        _details(tmp_path, model, right)
        _details(tmp_path, model, right, task="sea|5")
    _details(tmp_path, "alder", [not ok for ok in ALDER], time="02")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "results_x.json").write_text("{}")
    counts = ta.read(str(tmp_path), form="lighteval")
    assert counts.names == ("alder", "birch")
    assert set(counts.labels["task"]) == {"law|0", "sea|5"}
    law = counts.where(task="law|0")
    assert made.means(law, "acc")["alder"] == pytest.approx(0.5)
    assert len(law.runs[0]) == 2
    assert "merged-runs" in {notice.code for notice in counts.notices}


# HELM


def _helm_run(
    folder: Path, model: str, right: Sequence[bool], task: str = "mmlu:subject=law",
    groups: Sequence[str] = ("mmlu",), stats: list[dict[str, Any]] | None = None,
) -> Path:  # fmt: skip
    spec = made.helm_spec(model, task, groups)
    run = folder / str(spec["name"]).replace("/", "_")
    run.mkdir(parents=True)
    (run / "per_instance_stats.json").write_text(json.dumps(stats or made.helm_stats([right])))
    (run / "run_spec.json").write_text(json.dumps(spec))
    (run / "scenario_state.json").write_text(json.dumps(made.helm_state(right)))
    (run / "stats.json").write_text(json.dumps([made.helm_stat("exact_match", 0.5)]))
    return run


def test_helm_suite_has_one_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks count the same, each by its own metric, however many instances they have."""
    for model, right in (("org/alder", ALDER), ("org/birch", BIRCH)):
        _helm_run(tmp_path, model, right, "mmlu:subject=law")
        few = made.helm_stats([right[:4]], quasi_exact_match=float(model == "org/birch"))
        _helm_run(tmp_path, model, right[:4], "babi_qa:", ("babi_qa",), few)
    record = compared(capsys, str(tmp_path), "--test", "exact")
    assert _scores(record, "main score") == pytest.approx({"alder": 0.25, "birch": 0.9})
    # In units of 1/80: an item of mmlu counts 1/20, one of babi_qa 1/8.
    alder = [*(4 * ok for ok in ALDER), 0, 0, 0, 0]
    birch = [*(4 * ok for ok in BIRCH), 10, 10, 10, 10]
    pair = pair_of(record, "birch", "alder", "main score")
    assert pair["p"] == pytest.approx(made.exact_p(alder, birch), rel=1e-9)


def test_helm_scores_a_task_by_its_own_metric(tmp_path: Path) -> None:
    """Boolq is scored by quasi_exact_match on the split `valid`, as HELM's schema has it."""
    from tellapart.formats.logs.helm import FORMAT
    from tellapart.formats.logs.recipe_reader import read_file
    from tellapart.formats.problems import Findings

    valid = made.helm_stats([BIRCH], "valid")
    for row in valid:
        row["instance_id"] += "v"
    stats = [*made.helm_stats([ALDER]), *valid]
    run = _helm_run(tmp_path, "org/alder", ALDER, "boolq:", ("boolq",), stats)
    (log,) = read_file(FORMAT, str(run / "per_instance_stats.json"), Findings(strict=True))
    assert log.main == ("quasi_exact_match",)
    assert [sample.item for sample in log.samples][:2] == ["id0v", "id1v"]
    assert log.task == "boolq"
    assert log.system == "alder"


def test_helm_perturbations_are_left_out(write: Write) -> None:
    """The score is of what was not perturbed, as in HELM; a notice names the others."""
    typos = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed"}
    stats = made.helm_stats([ALDER])
    for k, ok in enumerate(BIRCH):
        perturbed = [made.helm_stat("exact_match", float(ok), perturbation=typos)]
        row = {"instance_id": f"id{k}", "perturbation": typos, "train_trial_index": 0}
        stats.append({**row, "stats": perturbed})
    path = write("per_instance_stats.json", json.dumps(stats))
    counts = ta.read(f"alder={path}", metrics="exact_match")
    assert made.means(counts, "exact_match")["alder"] == pytest.approx(0.5)
    assert any("perturbed exact_match" in notice.text for notice in counts.notices)


def test_helm_request_that_failed_is_no_wrong_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _helm_run(tmp_path, "org/alder", ALDER)
    state = made.helm_state(ALDER)
    state["request_states"][3]["result"] = {"success": False, "error": "quota used up"}
    (run / "scenario_state.json").write_text(json.dumps(state))
    path = str(run / "per_instance_stats.json")
    said = refused(capsys, "score", "--as", "helm", path)
    assert "1 item failed in alder (quota used up)" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "stats.json",
            "cannot be compared item by item: give the folder of the run",
        ),
        ("run_spec.json", "give the folder of the run, or per_instance_stats.json in it"),
        ("scenario_state.json", "scenario_state.json cannot be compared item by item"),
    ],
)
def test_helm_files_without_scores_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    """By naming the file that has them."""
    path = str(_helm_run(tmp_path, "org/alder", ALDER) / name)
    assert said in refused(capsys, "compare", path, path)
