"""Harnesses that recipes read: what is special, their commands, and whose files are whose."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import harness_files as made
import tellapart as ta
from format_samples import SAMPLES
from format_samples import SYSTEMS as SAMPLE_SYSTEMS
from harness_examples import PATHS, WHOLE, write_example
from log_files import compared, notices, pair_of, refused
from table_files import Write
from tellapart.cli import main
from tellapart.formats.contract import Format
from tellapart.formats.head import SIZE, Head
from tellapart.formats.registry import format_of, formats

Capture = pytest.CaptureFixture[str]
ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]
SYSTEMS = {"alder": ALDER, "birch": BIRCH}


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


# promptfoo


def test_promptfoo_dresses_agree(write: Write) -> None:
    """JSON and JSON lines of one run give the same items, scores, labels and outputs."""
    paths = [
        write("a.json", json.dumps(made.promptfoo(SYSTEMS))),
        write("a.jsonl", made.lines(made.promptfoo_rows(SYSTEMS))),
    ]
    counts = [ta.read(path, metrics=["pass", "score", "tone"]) for path in paths]
    for each in counts:
        assert each.names == ("alder", "birch")
        assert each.items == tuple(map(str, range(10)))
        assert (each.values == counts[0].values).all()
        assert each.labels["topic"] == counts[0].labels["topic"]
        assert each.texts is not None
        assert each.texts.outputs["birch"][2] == "answer True"
    costs = ta.read(paths[0], metrics=["cost", "latency_ms", "total_tokens"])
    assert made.means(costs, "cost")["birch"] == pytest.approx(0.002)
    assert costs.texts is not None
    assert costs.texts.golds[3] == "equals: a3"


def test_promptfoo_errors_are_no_wrong_answers(write: Write, capsys: Capture) -> None:
    """What a provider could not answer has no score; what an assertion refused is wrong."""
    rows = made.promptfoo_rows(SYSTEMS)
    rows[3] |= {"failureReason": 2, "error": "API is down", "success": False, "response": None}
    path = write("a.jsonl", made.lines(rows))
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


def test_deepeval_conversations_are_cases(write: Write, capsys: Capture) -> None:
    run = made.deepeval("alder", ALDER)
    run["conversationalTestCases"] = [case | {"name": f"c{case['name']}", "turns": []}
                                      for case in run["testCases"][:3]]  # fmt: skip
    path = write("a.json", json.dumps(run))
    assert len(ta.read(path, metrics=["passed"]).items) == len(ALDER) + 3
    write("a.json", json.dumps(run | {"testCases": []}))
    assert len(ta.read(path, metrics=["passed"]).items) == 3
    write("a.json", json.dumps(run | {"conversationalTestCases": 3}))
    assert "'conversationalTestCases' is no list" in refused(
        capsys, "score", "--as", "deepeval", path
    )


# ragas


def test_ragas_pairs_by_what_is_asked(write: Write) -> None:
    """The order of rows does not matter, and an equal question is another item."""
    rows = made.ragas_rows(ALDER)
    rows[5]["user_input"] = rows[4]["user_input"]
    first = write("alder.jsonl", made.lines(rows))
    second = write("birch.jsonl", made.lines([*rows[:4][::-1], *rows[4:]]))
    counts = ta.read([first, second], metrics=["exact_match"])
    assert (counts.values[0] == counts.values[1]).all()
    assert counts.items[5] == "q4: how many? (2)"
    assert counts.texts is not None
    assert counts.texts.inputs[5] == "q4: how many?"


def test_ragas_data_set_without_scores_is_refused(write: Write, capsys: Capture) -> None:
    rows = [
        {key: row[key] for key in ("user_input", "response", "reference")}
        for row in made.ragas_rows(ALDER)
    ]
    path = write("a.jsonl", made.lines(rows))
    said = refused(capsys, "score", "--as", "ragas", path)
    assert "a.jsonl: no column is a metric; save what evaluate() returned" in said


# EvalPlus


def test_evalplus_plus_needs_base(write: Write) -> None:
    """What passes the new tests and not the old ones has not passed."""
    path = write("a_eval_results.json", json.dumps(made.evalplus([ALDER], [BIRCH])))
    counts = ta.read(path)
    assert made.means(counts, "base") == {"a": 0.5}
    assert made.means(counts, "plus") == {"a": 0.5}


# SWE-bench


def test_swebench_compares_runs_of_one_model(write: Write) -> None:
    """`model.run.json`: where models are equal, runs tell them apart; repositories are labels."""
    paths = [
        write("org__alder-1.5.first.json", json.dumps(made.swebench(ALDER))),
        write("org__alder-1.5.second.json", json.dumps(made.swebench(BIRCH))),
    ]
    counts = ta.read(paths)
    assert counts.names == ("org__alder-1.5 (run=first)", "org__alder-1.5 (run=second)")
    assert set(counts.labels["repository"]) == {"django__django"}


def test_swebench_instances_that_one_did_not_submit_are_missing(
    write: Write, capsys: Capture
) -> None:
    one, other = made.swebench(ALDER), made.swebench(BIRCH)
    for key in ("submitted_ids", "resolved_ids", "unresolved_ids", "completed_ids"):
        other[key] = [each for each in other[key] if not each.endswith("0004")]
    other |= {"incomplete_ids": ["django__django-10004"], "submitted_instances": 9}
    other |= {"resolved_instances": len(other["resolved_ids"])}
    paths = [write("alder.x.json", json.dumps(one)), write("birch.x.json", json.dumps(other))]
    said = refused(capsys, "compare", "--as", "swe-bench", *paths)
    assert "missing in birch: django__django-10004" in said
    record = compared(capsys, *paths, "--missing", "zero")
    assert _scores(record, "resolved")["birch"] == pytest.approx(0.7)


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


def test_helm_suite_has_one_verdict(tmp_path: Path, capsys: Capture) -> None:
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


def test_helm_request_that_failed_is_no_wrong_answer(tmp_path: Path, capsys: Capture) -> None:
    run = _helm_run(tmp_path, "org/alder", ALDER)
    state = made.helm_state(ALDER)
    state["request_states"][3]["result"] = {"success": False, "error": "quota used up"}
    (run / "scenario_state.json").write_text(json.dumps(state))
    path = str(run / "per_instance_stats.json")
    said = refused(capsys, "score", "--as", "helm", path)
    assert "1 item failed in alder (quota used up)" in said


def test_helm_trials_are_numbers(tmp_path: Path, capsys: Capture) -> None:
    run = _helm_run(tmp_path, "org/alder", ALDER)
    state = made.helm_state(ALDER)
    state["request_states"][3]["train_trial_index"] = "x"
    (run / "scenario_state.json").write_text(json.dumps(state))
    said = refused(capsys, "score", "--as", "helm", str(run / "per_instance_stats.json"))
    assert "a `train_trial_index` of scenario_state.json beside it is 'x'" in said


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
    tmp_path: Path, capsys: Capture, name: str, said: str
) -> None:
    """By naming the file that has them."""
    path = str(_helm_run(tmp_path, "org/alder", ALDER) / name)
    assert said in refused(capsys, "compare", path, path)


# The page

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


# Whose files these are

TABLES = format_of("items").name
"""Tables take what nobody else does: rows of anything may be one"""

MADE = [
    pytest.param(sample.form, path, data, id=f"{sample.form}: {path}")
    for sample in SAMPLES
    for path, data in sample.held("alder", SAMPLE_SYSTEMS["alder"]).items()
    if not path.endswith((".parquet", "run_spec.json"))  # Parquet is told by its end
]


def _takers(head: Head) -> list[str]:
    """Return which formats recognise a file; tables only where no other does."""
    found = [each.name for each in formats() if each.recognises(head)]
    return [name for name in found if name != TABLES] or found


def _is_of_harness(kind: Format) -> bool:
    return kind.recognises.__module__.startswith(
        ("tellapart.formats.logs", "tellapart.formats.pre")
    )


@pytest.mark.parametrize(("form", "path", "data"), MADE)
def test_a_made_file_is_of_its_own_format_alone(form: str, path: str, data: bytes) -> None:
    """What a test makes is recognised by its own format, and by no harness else."""
    head = Head(path, data[:SIZE], len(data) <= SIZE)
    own = format_of(form)
    takers = _takers(head)
    if _is_of_harness(own):
        assert takers == [own.name]
    else:  # gold files and lists of words are recognised by nobody, or as gold
        assert set(takers) <= {own.name, TABLES}
