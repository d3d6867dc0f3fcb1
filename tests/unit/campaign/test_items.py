"""Questions about outputs: ratings and preferences, how they are pooled, and what they count."""

from __future__ import annotations

import json
import unicodedata
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

import tellapart as ta
from harness_examples import write_example
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.items import Preferences, Ratings
from tellapart.campaign.judging import compared, desk_of, load_judging
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings

Outputs = dict[str, dict[str, str | None]]
OUTPUTS: Outputs = {
    "A": {"q1": "4", "q2": "five", "q3": "6"},
    "B": {"q1": " 4\n", "q2": "5", "q3": "six"},
    "C": {"q1": "4", "q2": "5", "q3": "seven"},
}


def table(outputs: dict[str, str | None]) -> bytes:
    rows = [
        {
            "id": item,
            "question": f"{item}?",
            "target": "4",
            "output": output,
            "topic": "late" if item > "q2" else "early",
        }
        for item, output in outputs.items()
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def campaign_of(folder: Path, outputs: Outputs, **settings: object) -> Campaign:
    chosen = {"second_opinions": 0.0, "seed": "1"} | settings
    made = Campaign.create(str(folder / "c"), Settings("T", "items", **chosen))  # type: ignore[arg-type]
    for name, texts in outputs.items():
        made.submit(name, f"{name}.jsonl", table(texts))
    return made


def rate(desk: Desk, answer: dict[tuple[str, str], str], person: str = "ann") -> None:
    """Rate every output: by item and text."""
    while (question := desk.next_for(person)) is not None:
        shown = desk.view(person, question).passages[-1].text
        desk.answer(person, question.id, canonical({"rating": answer[question.item, shown]}))


def test_outputs_that_differ_in_blanks_and_encoding_only_are_one_question(tmp_path: Path) -> None:
    composed = unicodedata.normalize("NFC", "é")
    outputs: Outputs = {
        "A": {"q1": composed},
        "B": {"q1": unicodedata.normalize("NFD", "é") + "\n"},
        "C": {"q1": "e"},
    }
    judging = load_judging(campaign_of(tmp_path, outputs))
    assert [each.systems for each in judging.questions_at("q1")] == [("A", "B"), ("C",)]


def test_ratings_are_scored_by_the_means_of_what_they_are_worth(tmp_path: Path) -> None:
    worth = {"right": 1.0, "partly": 0.25, "wrong": -1.0}
    desk = desk_of(campaign_of(tmp_path, OUTPUTS, scale=worth))
    told = {
        ("q1", "4"): "right", ("q2", "five"): "partly", ("q2", "5"): "right",
        ("q3", "6"): "wrong", ("q3", "six"): "partly", ("q3", "seven"): "wrong",
    }  # fmt: skip
    rate(desk, told)
    assert len(desk.questions) == len(told)
    counts = desk.judging.counts()
    means = counts.values.sum(axis=1)[:, 0] / counts.scales[0] / len(counts.items)
    expected = [
        np.mean([worth[told[item, str(text).strip()]] for item, text in texts.items()])
        for texts in OUTPUTS.values()
    ]
    assert means.tolist() == pytest.approx(expected)
    assert not counts.notices
    assert counts.labels == {"topic": ("early", "early", "late")}


def test_what_is_open_counts_as_the_worst_and_is_told(tmp_path: Path) -> None:
    judging = load_judging(campaign_of(tmp_path, OUTPUTS))
    assert isinstance(judging, Ratings)
    assert judging.value("A", "q1") is None
    first = judging.asked("A", "q1")
    assert first is not None
    assert judging.asked("B", "q1") == first
    judging.hold(*first, canonical({"rating": "right"}))
    counts = judging.counts()
    assert (counts.summed()[:, 0] / counts.scales[0]).tolist() == [1, 1, 1]
    (notice,) = counts.notices
    assert notice.text == "5 of 6 questions are open; they count as 'wrong'."
    judging.hold(*first, None)
    assert judging.counts().summed().tolist() == [[0], [0], [0]]


def test_an_item_that_a_system_lacks_is_not_asked_and_counts_as_the_worst(tmp_path: Path) -> None:
    outputs: Outputs = {"A": {"q1": "4", "q2": "5"}, "B": {"q1": "4"}, "C": {"q1": "5", "q2": None}}
    judging = load_judging(campaign_of(tmp_path, outputs, scale={"good": 5, "bad": 1}))
    assert isinstance(judging, Ratings)
    assert [each.systems for each in judging.questions_at("q2")] == [("A",)]
    assert [judging.value(name, "q2") for name in "ABC"] == [None, 1.0, 1.0]
    assert {n.affected for n in judging.counts().notices if n.code == "missing"} == {("B",), ("C",)}


def test_the_view_has_input_gold_output_and_labels_and_no_system(tmp_path: Path) -> None:
    judging = load_judging(campaign_of(tmp_path, OUTPUTS))
    view = judging.view(judging.questions_at("q2")[0])
    shown = {each.title: each.text for each in view.passages}
    assert shown == {"Input": "q2?", "Gold answer": "4", "Output": "five"}
    assert view.details == {"item": "q2", "topic": "early"}


# Preferences


def better(left: str, right: str) -> int:
    """Say which answer is given: the first (left), second (same) or third (right)."""
    return 1 + (len(left) > len(right)) - (len(left) < len(right))


def prefer(desk: Desk, person: str) -> list[str]:
    """Prefer the shorter output, wherever it is shown; return what was on the left."""
    seen = []
    while (question := desk.next_for(person)) is not None:
        *_, left, right = desk.view(person, question).passages
        assert (left.side, right.side) == ("left", "right")
        answer = desk.answers(person, question)[better(left.text, right.text)]
        assert answer.label == ("Left is better", "Same", "Right is better")[better(
            left.text, right.text
        )]  # fmt: skip
        desk.answer(person, question.id, answer.outcome)
        seen.append(left.text)
    return seen


MANY: Outputs = {
    name: {f"q{k}": "x" * (1 + (k * factor) % 5) for k in range(12)}
    for name, factor in (("A", 1), ("B", 2), ("C", 3))
}


def test_a_preference_is_the_same_on_whichever_side_an_output_is(tmp_path: Path) -> None:
    desk = desk_of(campaign_of(tmp_path, MANY, judging="preference", second_opinions=1.0))
    lefts = {person: prefer(desk, person) for person in ("ann", "bob")}
    assert lefts["ann"] != lefts["bob"]  # sides are drawn for each
    assert not desk.opinions.conflicts()
    assert desk.progress("ann").decided == len(desk.questions)
    judging = desk.judging
    assert isinstance(judging, Preferences)
    for item in judging.items:
        for a, b in combinations("ABC", 2):
            lengths = len(str(MANY[a][item])), len(str(MANY[b][item]))
            expected = 0.5 if lengths[0] == lengths[1] else float(lengths[0] < lengths[1])
            assert judging.points(a, b, item) == expected
            assert judging.points(b, a, item) == 1 - expected
            assert (judging.asked(a, b, item) is None) == (MANY[a][item] == MANY[b][item])


def test_preferences_are_compared_as_a_table_of_the_same_judgments_is(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, MANY, judging="preference")
    desk = desk_of(campaign)
    prefer(desk, "ann")
    rows = ["question_id,model_a,model_b,winner"]
    for item in MANY["A"]:
        for a, b in combinations("ABC", 2):
            short = len(str(MANY[a][item])) - len(str(MANY[b][item]))
            rows.append(f"{item},{a},{b},{'tie' if not short else a if short < 0 else b}")
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(rows) + "\n")
    ours, theirs = compared(campaign.settings, desk.judging.counts()), ta.compare(ta.read(path))
    assert list(ours.metrics) == ["bradley_terry"]
    found, known = (
        {(pair.a, pair.b): (pair.difference, pair.p) for pair in result.pairs}
        for result in (ours, theirs)
    )
    assert found.keys() == known.keys()
    for pair, numbers in known.items():
        assert found[pair] == pytest.approx(numbers)


def test_two_systems_are_compared_by_their_wins_open_ones_being_ties(tmp_path: Path) -> None:
    two: Outputs = {name: MANY[name] for name in "AB"}
    desk = desk_of(campaign_of(tmp_path, two, judging="preference"))
    asked = len(desk.questions)
    assert asked == sum(MANY["A"][item] != MANY["B"][item] for item in MANY["A"])
    counts = desk.judging.counts()
    assert counts.columns == ("win_rate",)
    assert set((counts.values / counts.scales[0]).ravel().tolist()) == {0.5}
    assert f"{asked} of {asked} questions are open; they count as a tie." in [
        each.text for each in counts.notices
    ]
    prefer(desk, "ann")
    shorter = sum(len(str(MANY["A"][k])) < len(str(MANY["B"][k])) for k in MANY["A"])
    longer = sum(len(str(MANY["A"][k])) > len(str(MANY["B"][k])) for k in MANY["A"])
    after = desk.judging.counts()
    rates = (after.summed()[:, 0] / after.scales[0] / 12).tolist()
    assert rates[0] - rates[1] == pytest.approx((shorter - longer) / 12)


# Formats


@pytest.mark.parametrize("form", ["deepeval", "ragas", "evalplus", "every-eval-ever"])
def test_outputs_of_other_harnesses_are_rated(form: str, tmp_path: Path) -> None:
    """Each answer that its file has is asked about once, and shown as it is."""
    write_example(form, tmp_path)
    made = Campaign.create(str(tmp_path / "c"), Settings("T", form))
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file() and "c" not in path.parts)
    assert len(files) == 2
    written = {}
    for name, path in zip("AB", files, strict=True):
        made.submit(name, path.name, path.read_bytes())
        read = ta.read([f"{name}={path}"], form=form).texts
        assert read is not None
        written[name] = [text.strip() for text in read.outputs[name]]
    judging = load_judging(made)
    assert len(judging.items) == 12
    for place, item in enumerate(judging.items):
        asked = {
            judging.view(each).passages[-1].text: each.systems
            for each in judging.questions_at(item)
        }
        a, b = written["A"][place], written["B"][place]
        assert asked == ({a: ("A", "B")} if a == b else {a: ("A",), b: ("B",)})
