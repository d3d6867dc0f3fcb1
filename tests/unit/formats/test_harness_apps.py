"""Harnesses for applications: promptfoo, DeepEval and ragas."""

from __future__ import annotations

import json

import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, notices, pair_of, refused
from table_files import Write

ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]
SYSTEMS = {"alder": ALDER, "birch": BIRCH}


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


def test_promptfoo_errors_are_no_wrong_answers(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_deepeval_tells_which_metrics_are_costs(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_ragas_data_set_without_scores_is_refused(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {key: row[key] for key in ("user_input", "response", "reference")}
        for row in made.ragas_rows(ALDER)
    ]
    path = write("a.jsonl", made.lines(rows))
    said = refused(capsys, "score", "--as", "ragas", path)
    assert "a.jsonl: no column is a metric; save what evaluate() returned" in said
