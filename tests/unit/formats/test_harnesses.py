"""Harnesses that recipes read: what is special, their commands, and whose files are whose."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import permutation_test

import harness_files as made
import tellapart as ta
from format_samples import SAMPLES
from log_files import compared, notices, pair_of, refused, scores_of
from table_files import Capture, Write, json_lines
from tellapart.cli import main
from tellapart.errors import DataError, UsageError

ALDER = made.rows([True, True, False, False, True, False, True, False, True, False])
BIRCH = made.rows([True, True, True, True, True, False, True, True, True, False])
SYSTEMS = {"alder": ALDER, "birch": BIRCH}


# promptfoo


def test_promptfoo_errors_are_no_wrong_answers(write: Write, capsys: Capture) -> None:
    """What a provider could not answer has no score; what an assertion refused is wrong."""
    rows = made.promptfoo_rows(SYSTEMS)
    rows[3] |= {"failureReason": 2, "error": "API is down", "success": False, "response": None}
    path = write("a.jsonl", json_lines(rows))
    said = refused(capsys, "compare", "--as", "promptfoo", path, "--metric", "pass")
    assert "1 item failed in alder (API is down)" in said
    record = compared(capsys, path, "--metric", "pass", "--missing", "drop")
    assert record["items"]["count"] == 9
    assert "1 item failed in alder" in notices(record)["failed"]


# DeepEval


def test_deepeval_tells_which_metrics_are_costs(write: Write, capsys: Capture) -> None:
    """Cases that pass below the threshold: less of that metric is better."""
    runs = {name: made.deepeval(name, right) for name, right in SYSTEMS.items()}
    for case in runs["birch"]["testCases"]:
        case["metricsData"][1]["score"] = 0.125
    paths = [write(f"{name}.json", json.dumps(run)) for name, run in runs.items()]
    record = compared(capsys, *paths, "--metric", "Bias", "--test", "exact")
    assert pair_of(record, "birch", "alder", "Bias")["items_a_better"] == 10


def test_deepeval_cases_of_one_name_are_told_by_what_is_asked(write: Write) -> None:
    """Pytest calls all cases of a parametrized test alike."""
    run = made.deepeval("alder", ALDER)
    for case in run["testCases"]:
        case["name"] = "test_pond"
    counts = ta.read(write("a.json", json.dumps(run)), metrics=["passed"])
    assert counts.items[:2] == ("test_pond q0?", "test_pond q1?")


def test_deepeval_conversations_are_cases(write: Write) -> None:
    run = made.deepeval("alder", ALDER)
    run["conversationalTestCases"] = [case | {"name": f"c{case['name']}", "turns": []}
                                      for case in run["testCases"][:3]]  # fmt: skip
    path = write("a.json", json.dumps(run))
    assert len(ta.read(path, metrics=["passed"]).items) == len(ALDER) + 3


# ragas


def test_ragas_pairs_by_what_is_asked(write: Write) -> None:
    """The order of rows does not matter, and an equal question is another item."""
    rows = made.ragas("alder", ALDER)
    rows[5]["user_input"] = rows[4]["user_input"]
    first = write("alder.jsonl", json_lines(rows))
    second = write("birch.jsonl", json_lines([*rows[:4][::-1], *rows[4:]]))
    counts = ta.read([first, second], metrics=["exact_match"])
    assert (counts.values[0] == counts.values[1]).all()
    assert counts.items[5] == "q4: how many? (2)"
    assert counts.texts.inputs[5] == "q4: how many?"
    with pytest.raises(UsageError, match=r"alder.jsonl: this file is given twice as a run of A"):
        ta.read([f"A={first},{first}", second])
    write("alder.json", json.dumps(rows))
    with pytest.raises(DataError, match=r"alder.jsonl: this holds the same of alder as .*\.json;"):
        ta.read(str(Path(first).parent))


# EvalPlus


def test_evalplus_plus_needs_base(write: Write) -> None:
    """What passes the new tests and not the old ones has not passed."""
    path = write("a_eval_results.json", json.dumps(made.evalplus("a", ALDER, BIRCH)))
    counts = ta.read(path)
    assert made.means(counts, "base") == {"a": 0.5}
    assert made.means(counts, "plus") == {"a": 0.5}


# SWE-bench


def test_swebench_compares_runs_of_one_model(write: Write) -> None:
    """`model.run.json`: where models are equal, runs tell them apart; repositories are labels."""
    paths = [
        write("org__alder-1.5.first.json", json.dumps(made.swe_bench("alder", ALDER))),
        write("org__alder-1.5.second.json", json.dumps(made.swe_bench("birch", BIRCH))),
    ]
    counts = ta.read(paths)
    assert counts.names == ("org__alder-1.5 (run=first)", "org__alder-1.5 (run=second)")
    assert set(counts.labels["repository"]) == {"django__django"}


# lighteval


def _details(
    folder: Path, model: str, right: made.Rows, time: str = "01", task: str = "law|0"
) -> Path:
    pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    when = f"2026-11-{time}T10-00-00.000001"
    path = folder / "details" / "org" / model / when / f"details_{task}_{when}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.lighteval(model, right, task))
    return path


def test_lighteval_folders_of_several_times_and_tasks(tmp_path: Path) -> None:
    """Several times are runs; tasks are joined; results beside the details do no harm."""
    for model, right in SYSTEMS.items():
        _details(tmp_path, model, right)
        _details(tmp_path, model, right, task="sea|5")
    _details(tmp_path, "alder", [(item, not ok) for item, ok in ALDER], time="02")
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
    folder: Path, model: str, right: made.Rows, task: str = "mmlu:subject=law",
    group: str = "mmlu", stats: list[dict[str, Any]] | None = None,
) -> Path:  # fmt: skip
    spec = made.helm_spec(model, task, group)
    run = folder / str(spec["name"])
    run.mkdir(parents=True)
    for name, tree in {
        "per_instance_stats": stats or made.helm_stats(model, right), "run_spec": spec,
        "scenario_state": made.helm_state(right), "stats": [made.helm_stat("exact_match", 0.5)],
    }.items():  # fmt: skip
        (run / f"{name}.json").write_text(json.dumps(tree))
    return run


def test_helm_suite_has_one_verdict(tmp_path: Path, capsys: Capture) -> None:
    """Tasks count the same, each by its own metric, however many instances they have."""
    for model, right in SYSTEMS.items():
        _helm_run(tmp_path, model, right)
        few = made.helm_stats(model, right[:4], quasi_exact_match=float(model == "birch"))
        _helm_run(tmp_path, model, right[:4], "babi_qa:", "babi_qa", few)
    record = compared(capsys, str(tmp_path), "--test", "exact")
    assert scores_of(record, "main score") == pytest.approx({"alder": 0.25, "birch": 0.9})
    # In units of 1/80: an item of mmlu counts 1/20, one of babi_qa 1/8.
    alder = [*(4 * ok for _, ok in ALDER), 0, 0, 0, 0]
    birch = [*(4 * ok for _, ok in BIRCH), 10, 10, 10, 10]
    peer = permutation_test(
        (np.subtract(birch, alder),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    pair = pair_of(record, "birch", "alder", "main score")
    assert pair["p"] == pytest.approx(peer.pvalue, rel=1e-9)


def test_helm_scores_a_task_by_its_own_metric(tmp_path: Path) -> None:
    """Boolq is scored by quasi_exact_match on the split `valid`, as HELM's schema has it."""
    from tellapart.formats.logs.helm import FORMAT
    from tellapart.formats.logs.recipe_reader import read_file
    from tellapart.formats.problems import Findings

    valid = made.helm_stats("alder", BIRCH, "valid")
    for row in valid:
        row["instance_id"] += "v"
    stats = [*made.helm_stats("alder", ALDER), *valid]
    run = _helm_run(tmp_path, "alder", ALDER, "boolq:", "boolq", stats)
    (log,) = read_file(FORMAT, str(run / "per_instance_stats.json"), Findings(strict=True))
    assert log.main == ("quasi_exact_match",)
    assert [sample.item for sample in log.samples][:2] == ["q0v", "q1v"]
    assert log.task == "boolq"
    assert log.system == "alder"


def test_helm_perturbations_are_left_out(write: Write) -> None:
    """The score is of what was not perturbed, as in HELM; a notice names the others."""
    typos = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed"}
    stats = made.helm_stats("alder", ALDER)
    for item, ok in BIRCH:
        perturbed = [made.helm_stat("exact_match", float(ok), perturbation=typos)]
        row = {"instance_id": item, "perturbation": typos, "train_trial_index": 0}
        stats.append({**row, "stats": perturbed})
    path = write("per_instance_stats.json", json.dumps(stats))
    counts = ta.read(f"alder={path}", metrics="exact_match")
    assert made.means(counts, "exact_match")["alder"] == pytest.approx(0.5)
    assert any("perturbed exact_match" in notice.text for notice in counts.notices)


def test_helm_request_that_failed_is_no_wrong_answer(tmp_path: Path, capsys: Capture) -> None:
    run = _helm_run(tmp_path, "alder", ALDER)
    state = made.helm_state(ALDER)
    state["request_states"][3]["result"] = {"success": False, "error": "quota used up"}
    (run / "scenario_state.json").write_text(json.dumps(state))
    path = str(run / "per_instance_stats.json")
    said = refused(capsys, "score", "--as", "helm", path)
    assert "1 item failed in alder (quota used up)" in said


@pytest.mark.parametrize("name", ["stats.json", "run_spec.json", "scenario_state.json"])
def test_helm_files_without_scores_are_refused(tmp_path: Path, capsys: Capture, name: str) -> None:
    path = str(_helm_run(tmp_path, "alder", ALDER) / name)
    assert "give the folder of the run, or per_instance" in refused(capsys, "compare", path, path)


# The page

# Files that its commands name: samples of formats, renamed

EXAMPLES: dict[str, made.Rows] = {
    "alder": [(f"q{k}", k % 3 == 0) for k in range(12)],
    "birch": [(f"q{k}", k % 3 != 1) for k in range(12)],
}


def _csv(records: Sequence[Mapping[str, Any]]) -> str:
    table: list[list[Any]] = [list(records[0]), *(list(record.values()) for record in records)]
    return "".join(",".join(map(str, row)) + "\n" for row in table)


_KNOWN = {sample.form: sample for sample in SAMPLES}
_WHEN = "2026-11-01T10-00-00.000001"
_COMET = {f"{name}.txt": _KNOWN["comet"].make(name, rows) for name, rows in EXAMPLES.items()}
WHOLE = {
    "deepeval": {
        f"test_run_2026110{day}_100000.json": str(_KNOWN["deepeval"].make(name, rows))
        for day, (name, rows) in enumerate(EXAMPLES.items(), 1)
    },
    "promptfoo": {"out.json": json.dumps(made.promptfoo(EXAMPLES))},
    "ragas": {f"{name}.csv": _csv(made.ragas(name, rows)) for name, rows in EXAMPLES.items()},
    "comet": {"segments.json": json.dumps({k: json.loads(str(v))[k] for k, v in _COMET.items()})},
}
"""By the name of the format: files that are not called after a system, or not as a sample is"""
PATHS = {
    "lighteval": f"out/details/org/{{}}/{_WHEN}/details_law|0_{_WHEN}.parquet",
    "helm": "benchmark_output/runs/v1/{}/per_instance_stats.json",
    "humaneval": "{}.jsonl_results.jsonl",
    "evalplus": "{}_eval_results.json",
    "swe-bench": "{}.verified.json",
    "livebench": "ground_truth_judgment.jsonl",
    "mt-bench": "gpt-4_single.jsonl",
    "mt-bench-pair": "gpt-4_pair.jsonl",
    "arena-hard": "model_judgment/gpt-4/{}.jsonl",
    "alpaca-eval": "{}/annotations.json",
    "tau-bench": "{}.json",
    "harbor": "jobs/{}",
    "seg-score": "COMET-22-refA.seg.score",
    "every-eval-ever": "data/arith/org/{}/0a1b_samples.jsonl",
}
"""By the name of the format: the file of a system; without a place for its name, that of all"""


def write_example(form: str, folder: Path) -> None:
    """Write the files that the command of a format names."""
    files = {path: text.encode() for path, text in WHOLE.get(form, {}).items()}
    if form in PATHS:
        others = {f"{PATHS[form].rpartition('/')[0]}/{path.rpartition('/')[2]}": make
                  for path, make in _KNOWN[form].others.items()}  # fmt: skip
        sample = replace(_KNOWN[form], path=PATHS[form], others=others)
        sample.write_gold(folder, EXAMPLES["alder"])
        for name, rows in EXAMPLES.items():
            for path, data in sample.held(name, rows).items():
                files[path] = files.get(path, b"") + data
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


PAGE = Path(__file__).parents[3] / "docs" / "llm-evaluations.md"
_ROW = re.compile(r"^\| [^|]+ \| `(?P<form>[a-z_-]+)` \| `(?P<command>tellapart [^`]+)` \|$", re.M)
COMMANDS = {row["form"]: row["command"] for row in _ROW.finditer(PAGE.read_text("utf-8"))}


def test_every_command_has_its_files() -> None:
    """A harness on the page that nobody tries, or files that no command names, fail here."""
    assert set(COMMANDS) == {*PATHS, *WHOLE}


@pytest.mark.parametrize("form", COMMANDS)
def test_command_of_the_page(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Right at the first try: the format is told, both systems are there, the verdict is given."""
    write_example(form, tmp_path)
    monkeypatch.chdir(tmp_path)
    status = main(shlex.split(COMMANDS[form])[1:])
    said = capsys.readouterr()
    assert status == 0, said.err
    assert f"read as {form};" in said.err
    assert re.search(r"Is .*birch.* really better", said.out)
