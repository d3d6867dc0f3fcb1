"""Campaigns about templates: which questions there are, what is shown, and what the answers do."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest

from campaign_files import event, templates
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.demo import demo_campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.fills import Fills
from tellapart.campaign.history import history_of
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.questions import canonical
from tellapart.errors import UsageError
from tellapart.formats.templates.history_files import history_text

TEXTS = """\
M1

   THE PEASANTS OF SAN
JUAN WERE SHOT. Two  men fled; the two
men and a mayor are missing.
M2

   A BOMB AND A GRENADE EXPLODED NEAR THE EMBASSY.
"""


KEY = (
    event("M1", hum_tgt_desc='"PEASANTS OF SAN JUAN"'),
    event("M2", hum_tgt_desc=['"GUARDS"', '"CLERKS"'], inc_instr_id='"BOMB"'),
)
ONE = (
    event("M1", hum_tgt_desc='"TWO MEN"'),
    event("M2", hum_tgt_desc=['"SOLDIERS"', '"CLERKS"']),
)
TWO = (
    event("M1", hum_tgt_desc='"THE MEN"'),
    event("M2", hum_tgt_desc='"STAFF"', inc_instr_id='"BOMB"'),
)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return templates(tmp_path, {"ONE": ONE, "TWO": TWO}, KEY, TEXTS)


def test_the_page_shows_the_message_and_both_templates_and_no_system(campaign: Campaign) -> None:
    desk = desk_of(campaign)
    (question,) = desk.judging.questions_at("M1")  # `TWO MEN` and `THE MEN` count as equal
    assert question.systems == ("ONE", "TWO")
    view = desk.judging.view(question)
    assert view.title == 'Is "TWO MEN" the same as "PEASANTS OF SAN JUAN"?'
    (passage,) = view.passages
    marked = [passage.text[begin:end] for begin, end in passage.marks]
    assert marked == ["PEASANTS OF SAN\nJUAN", "Two  men", "two\nmen"]
    (asked,) = [row for row in view.rows if row.asked]
    assert (asked.key, asked.response) == (('"PEASANTS OF SAN JUAN"',), ('"TWO MEN"',))
    assert "INCIDENT: TYPE" in [row.name for row in view.rows]
    assert view.details == {
        "Slot": "HUM TGT: DESCRIPTION", "Message": "M1", "Key template": "1",
    }  # fmt: skip
    for each in desk.questions.values():
        text = repr((desk.judging.view(each), each.answers))
        assert not any(name in text for name in ("ONE", "TWO.txt", "'TWO'"))


def test_some_of_several_fills_are_an_answer_and_nonsense_is_not(tmp_path: Path) -> None:
    key = (event("M1", hum_tgt_desc=['"A"', '"B"', '"C"']),)
    desk = desk_of(templates(tmp_path, {"ONE": (event("M1", hum_tgt_desc='"D"'),)}, key))
    (question,) = desk.questions.values()
    a, c, unknown = (f'"\\"{name}\\""' for name in "ACZ")
    for status, keys in (
        ("partial", [unknown]), ("match", []), ("fail", [a]), ("match", [a, a]), ("maybe", [a]),
        ("match", ["("]), ("match", 7),
    ):  # fmt: skip
        with pytest.raises(UsageError, match="no answer"):
            desk.answer("ann", question.id, canonical({"status": status, "keys": keys}))
    for outcome in ("", "null", "[]", "7", "{}"):
        with pytest.raises(UsageError, match="no answer"):
            desk.answer("ann", question.id, outcome)
    desk.answer("ann", question.id, canonical({"status": "partial", "keys": [a, c]}))
    counts = desk.judging.counts()
    assert counts.values[0, 0, counts.columns.index("par")] == 2


def test_a_pairing_that_nothing_offers_is_a_question_once_it_is_answered(
    campaign: Campaign,
) -> None:
    desk = desk_of(campaign)
    pairing = desk.pairing_of("M1", "ONE")
    assert pairing.id not in desk.questions
    desk.answer("ann", pairing.id, canonical({"pairs": [["1", None], [None, "1"]]}))
    labels = [each.label for each in desk.questions[pairing.id].answers]
    assert labels == ["Key 1 with response 1", "Alone: key 1, response 1"]


def test_an_answer_beyond_the_ninth_has_no_digit(tmp_path: Path) -> None:
    key = (event("M1", hum_tgt_desc=[f'"{letter * 3}"' for letter in "ABCDEFGHIJ"]),)
    desk = desk_of(templates(tmp_path, {"ONE": (event("M1", hum_tgt_desc='"Z"'),)}, key))
    (question,) = desk.questions.values()
    keys = [each.key for each in question.answers]
    assert keys == [*map(str, range(1, 10)), *[""] * 11, "p", "x"]


# Pairings

EVENTS = (
    event("M1", "1", hum_tgt_name='"MENDEZ"', inc_date="02 MAR 90"),
    event("M1", "2", hum_tgt_name='"LOPEZ"', inc_date="02 MAR 90"),
)
ARGUABLE = (event("M1", "1", hum_tgt_name='"MAYOR"', inc_date="02 MAR 90"),)


def test_templates_that_may_be_paired_in_two_ways_are_asked_about(tmp_path: Path) -> None:
    desk = desk_of(templates(tmp_path, {"ONE": ARGUABLE}, EVENTS))
    (question,) = [each for each in desk.questions.values() if each.kind == "pairing"]
    assert [each.label for each in question.answers] == [
        "Key 1 with response 1; alone: key 2",
        "Key 2 with response 1; alone: key 1",
    ]
    view = desk.judging.view(question)
    assert "ONE" not in repr((view, question.answers))
    (names,) = [row for row in view.rows if row.name == "HUM TGT: NAME"]
    assert (names.key, names.response) == (('(1) "MENDEZ"', '(2) "LOPEZ"'), ('(1) "MAYOR"',))
    desk.answer("ann", question.id, question.answers[1].outcome)
    fills = desk.judging
    assert isinstance(fills, Fills)
    pairs = [(each.key, each.response) for each in fills.runs()["ONE"].pairs]
    assert pairs == [("1", None), ("2", "1")]
    # It is answered now, and still there for a second opinion or a change of mind.
    assert question.id in desk.questions
    for wrong in ([["1", "7"], ["2", None]], [["2", "1"]], [["2", "1"], ["1", None]]):
        with pytest.raises(UsageError, match="no answer"):
            desk.answer("ann", question.id, canonical({"pairs": wrong}))
    desk.answer("ann", question.id, canonical({"pairs": [["1", None], ["2", None], [None, "1"]]}))
    assert [each.status for each in fills.runs()["ONE"].pairs] == ["missing", "missing", "spurious"]


def test_a_pairing_that_a_decision_could_change_is_asked_about(tmp_path: Path) -> None:
    """By the date it is the first of the key; if the staff are the clerks, it is the second."""
    key = (
        event("M1", "1", hum_tgt_desc='"GUARDS"', inc_date="02 MAR 90"),
        event("M1", "2", hum_tgt_desc='"CLERKS"'),
    )
    given = {"ONE": (event("M1", hum_tgt_desc='"STAFF"', inc_date="02 MAR 90"),)}
    desk = desk_of(templates(tmp_path, given, key))
    (question,) = [each for each in desk.questions.values() if each.kind == "pairing"]
    assert [each.label for each in question.answers] == [
        "Key 1 with response 1; alone: key 2",
        "Key 2 with response 1; alone: key 1",
    ]


# Histories


def test_a_history_goes_in_and_comes_out_as_it_was(campaign: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    path.write_text(
        '(("M1"\n  (:MAP "ONE" ("1" . "1"))\n  ("1"\n   (hum-tgt-desc\n'
        '    ("\\"MEN\\"" match "\\"PEASANTS OF SAN JUAN\\""))))\n'
        ' ("M2"\n  ("1"\n   (hum-tgt-desc\n    ("\\"SOLDIERS\\"" fail)\n'
        '    ("\\"STAFF\\"" partial (all-of "\\"GUARDS\\"" "\\"CLERKS\\""))))))\n',
        encoding="utf-8",
    )
    rows = rows_in(str(path), lambda: design_of(campaign), "1992")
    assert [join(campaign, rows)[0] for _ in (0, 1)] == [4, 0]
    held = history_of(campaign.log.since(), design_of(campaign), campaign.folder)
    assert history_text(held) == path.read_text(encoding="utf-8")
    assert {each.person for each in campaign.log.since()} == {"1992"}
    desk = desk_of(campaign)
    assert all(desk.opinions.holds(each) for each in desk.questions)


def test_a_history_that_says_otherwise_than_a_judge_is_a_conflict(
    campaign: Campaign, tmp_path: Path
) -> None:
    """Even if it spells the fill otherwise, since both are the same question."""
    desk, path = desk_of(campaign), tmp_path / "history.txt"
    (question,) = desk.judging.questions_at("M1")
    desk.answer("ann", question.id, question.answers[-1].outcome)
    said = '("\\"MEN\\"" match "\\"PEASANTS OF SAN JUAN\\"")'
    path.write_text(f'(("M1" ("1" (hum-tgt-desc {said}))))\n')
    rows = rows_in(str(path), lambda: design_of(campaign), "1992")
    assert join(campaign, rows) == (1, 1, 0)
    desk.refresh()
    assert desk.opinions.conflicts() == [question.id]
    held = history_of(campaign.log.since(), design_of(campaign), campaign.folder)
    assert not list(held.decisions())
    # Whoever brings another one later has changed their mind.
    path.write_text(f'(("M1" ("1" (hum-tgt-desc {said.split(" match")[0]} fail)))))\n')
    rows = rows_in(str(path), lambda: design_of(campaign), "1992")
    assert join(campaign, rows) == (1, 0, 0)
    desk.refresh()
    assert desk.opinions.conflicts() == []


# Scoring again only what a decision touches


def test_one_decision_after_the_other_comes_to_the_same_as_all_at_once() -> None:
    """Whatever is decided or taken back, in whatever order: nothing that is stale is left."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = demo_campaign(folder).campaign
        fills, rng = load_judging(campaign), random.Random(15)
        held: dict[tuple[str, str], str] = {}
        for step in range(150):
            item = rng.choice(fills.items)
            questions = fills.questions_at(item)
            if not questions:
                continue
            question = rng.choice(questions)
            if question.id in held and rng.random() < 0.4:
                del held[question.id]
                assert fills.hold(*question.id, None) == item
            else:
                held[question.id] = rng.choice(question.answers).outcome
                assert fills.hold(*question.id, held[question.id]) == item
            if step % 30 == 29:
                fresh = load_judging(campaign)
                for key, outcome in held.items():
                    fresh.hold(*key, outcome)
                assert np.array_equal(fills.counts().values, fresh.counts().values)
                for each in fills.items:
                    known = {q.id: q.systems for q in fills.questions_at(each)}
                    wanted = {q.id: q.systems for q in fresh.questions_at(each)}
                    # What was taken back stays known as something that people were asked.
                    assert wanted.items() <= known.items()
                    assert all(key in wanted for key in held if key in known)
