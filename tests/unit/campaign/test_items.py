"""Questions about outputs: how they are pooled, and what they count."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pytest

from campaign_files import rated
from tellapart.campaign.items import Ratings
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.questions import canonical

OUTPUTS = {
    "A": {"q1": "4", "q2": "five", "q3": "6"},
    "B": {"q1": " 4\n", "q2": "5", "q3": "six"},
    "C": {"q1": "4", "q2": "5", "q3": "seven"},
}


def test_outputs_that_differ_in_blanks_and_encoding_only_are_one_question(tmp_path: Path) -> None:
    composed = unicodedata.normalize("NFC", "é")
    outputs = {
        "A": {"q1": composed},
        "B": {"q1": unicodedata.normalize("NFD", "é") + "\n"},
        "C": {"q1": "e"},
    }
    judging = load_judging(rated(tmp_path, outputs))
    assert [each.systems for each in judging.questions_at("q1")] == [("A", "B"), ("C",)]


def test_ratings_are_scored_by_the_means_of_what_they_are_worth(tmp_path: Path) -> None:
    worth = {"right": 1.0, "partly": 0.25, "wrong": -1.0}
    desk = desk_of(rated(tmp_path, OUTPUTS, scale=worth))
    told = {
        ("q1", "4"): "right", ("q2", "five"): "partly", ("q2", "5"): "right",
        ("q3", "6"): "wrong", ("q3", "six"): "partly", ("q3", "seven"): "wrong",
    }  # fmt: skip
    while (question := desk.next_for("ann")) is not None:
        shown = desk.judging.view(question).passages[-1].text
        desk.answer("ann", question.id, canonical({"rating": told[question.item, shown]}))
    assert len(desk.questions) == len(told)
    counts = desk.judging.counts()
    means = counts.values.sum(axis=1)[:, 0] / counts.scales[0] / len(counts.items)
    expected = [
        np.mean([worth[told[item, str(text).strip()]] for item, text in texts.items()])
        for texts in OUTPUTS.values()
    ]
    assert means.tolist() == pytest.approx(expected)
    assert not counts.notices


def test_what_is_open_counts_as_the_worst_and_is_told(tmp_path: Path) -> None:
    judging = load_judging(rated(tmp_path, OUTPUTS))
    assert isinstance(judging, Ratings)
    assert judging.value("A", "q1") is None
    first = judging.asked("A", "q1")
    assert judging.asked("B", "q1") == first
    judging.hold(*first, canonical({"rating": "right"}))
    counts = judging.counts()
    assert (counts.summed()[:, 0] / counts.scales[0]).tolist() == [1, 1, 1]
    (notice,) = counts.notices
    assert notice.text == "5 of 6 questions are open; they count as 'wrong'."
    judging.hold(*first, None)
    assert judging.counts().summed().tolist() == [[0], [0], [0]]


def test_an_item_that_a_system_lacks_is_not_asked_and_counts_as_the_worst(tmp_path: Path) -> None:
    outputs = {"A": {"q1": "4", "q2": "5"}, "B": {"q1": "4"}, "C": {"q1": "5", "q2": None}}
    judging = load_judging(rated(tmp_path, outputs, scale={"good": 5, "bad": 1}))
    assert isinstance(judging, Ratings)
    assert [each.systems for each in judging.questions_at("q2")] == [("A",)]
    assert [judging.value(name, "q2") for name in "ABC"] == [None, 1.0, 1.0]
    assert {n.affected for n in judging.counts().notices if n.code == "missing"} == {("B",), ("C",)}
