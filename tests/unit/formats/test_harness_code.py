"""Harnesses for code and tools: HumanEval, EvalPlus and SWE-bench."""

from __future__ import annotations

import json
from typing import Any

import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, refused
from table_files import Write

ALDER = [True, True, False, False, True, False, True, False, True, False]
BIRCH = [True, True, True, True, True, False, True, True, True, False]


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


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
