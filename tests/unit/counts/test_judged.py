"""A judge's scores and people's beside them: what does not fit is told, what is left out said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tellapart as ta
from preference_files import judged
from table_files import Write, json_lines
from tellapart.counts.judged import join_people
from tellapart.errors import TellapartError

JUDGE = {"A": [1, 0, 1], "B": [0, 0, 1]}
IDS = ["q1", "q2", "q3"]


@pytest.mark.parametrize(
    "people",
    [{"C": [1, 1, 1]}, {"A": [1, 1]}, {"A": ["x", 1, 1]}, {"A": [1, 1, float("inf")]}],
)
def test_labels_of_other_shapes_are_refused(people: dict[str, Any]) -> None:
    with pytest.raises(TellapartError, match="go by the judge's systems: a number for each item"):
        ta.Counts.from_arrays(JUDGE, people=people)


@pytest.mark.parametrize(
    ("people", "items", "said"),
    [
        ({"A": [1]}, ["q1"], "people scored A, not B: use the same names"),
        ({"A": [1], "B": [0]}, ["p1"], "no item in common: people scored p1, the judge q1, q2"),
        ({"A": [[1, 0]], "B": [[0, 0]]}, ["q1"], "people must give one score for each item"),
    ],
)
def test_readings_that_do_not_fit_are_refused(people: Any, items: list[str], said: str) -> None:
    columns = ["tp", "fp"] if np.ndim(people["A"]) > 1 else None
    with pytest.raises(TellapartError, match=said):
        join_people(
            ta.Counts.from_arrays(JUDGE, items=IDS),
            ta.Counts.from_arrays(people, columns, items=items),
        )


def test_what_only_people_scored_and_what_the_judge_turned_is_said(write: Write) -> None:
    lines = [f"{name},{run},q{k},{(k + run) % 2 if k < 2 else 1}"
             for name in "AB" for run in range(2) for k in range(4)]  # fmt: skip
    judge = ta.read(write("judge.csv", "\n".join(["model,run,id,score", *lines])))
    human = write("human.csv", "model,id,score\nA,q0,1\nA,q9,0\nB,q0,0\nB,q9,1\n")
    both = join_people(judge, ta.read(human, missing="own"))
    assert both.people.tolist()[0][0] == 1
    assert [each.affected for each in both.notices if each.code == "not-judged"] == [("q9",)]
    flips = [each.affected for each in both.notices if each.code == "judge-flips"]
    assert flips == [("q0", "q1"), ("q0", "q1")]


def test_preferences_of_some_systems_are_rated_against_these(write: Write) -> None:
    """What the third won or lost counts no more."""
    rows = judged({"alder": 0.9, "birch": 0.3, "cedar": -0.6}, 20, 1)
    own = [row for row in rows if "cedar" not in (row["model_a"], row["model_b"])]
    chosen = ta.read(write("all.jsonl", json_lines(rows))).systems["alder", "birch"]
    alone = ta.read(write("two.jsonl", json_lines(own))).systems["alder", "birch"]
    assert chosen == alone
    assert ta.compare(chosen).pairs[0].p == ta.compare(alone).pairs[0].p
