"""Campaigns about templates: which questions there are, what is shown, and what the answers do."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest

from muc_files import DESIGN
from tellapart.formats.templates.history import Entry, History
from tellapart.formats.templates.history_files import history_text, write_history

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from campaign_files import event, templates
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.demo import demo_campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.fills import Fills
from tellapart.campaign.history import history_of as history_by
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.questions import Question, canonical
from tellapart.errors import UsageError

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


def responses(questions: list[Question]) -> list[str]:
    """Return the response values that questions are about, as the log spells them."""
    return [json.loads(each.subject)["response"] for each in questions if each.kind == "fill"]


def import_history(campaign: Campaign, path: str, judge: str) -> int:
    """Bring a history into a campaign; return how many decisions were new."""
    rows = rows_in(path, lambda: design_of(campaign), judge)
    return join(campaign, rows, path)[0]


def history_of(campaign: Campaign) -> History:
    """Return what holds in a campaign."""
    return history_by(campaign.log.since(), design_of(campaign), campaign.folder)


def test_equal_fills_of_systems_are_one_question(campaign: Campaign) -> None:
    """`TWO MEN` and `THE MEN` count as equal: one question, asked of two systems."""
    fills = load_judging(campaign)
    (question,) = fills.questions_at("M1")
    assert question.systems == ("ONE", "TWO")
    assert question.label == "hum-tgt-desc"
    assert [(each.key, each.label) for each in question.answers] == [
        ("m", "Match"), ("p", "Partial match"), ("x", "No match"),
    ]  # fmt: skip


def test_with_several_fills_of_the_key_each_answer_has_a_key_of_its_own(
    campaign: Campaign,
) -> None:
    questions = list(load_judging(campaign).questions_at("M2"))
    assert responses(questions) == ['"\\"SOLDIERS\\""', '"\\"STAFF\\""']
    for each in questions:
        # All fills of the key, though ONE has found the clerks: STAFF may be either, or both.
        assert [(a.key, a.label) for a in each.answers] == [
            ("1", 'Match: "GUARDS"'), ("2", 'Match: "CLERKS"'),
            ("3", 'Partly: "GUARDS"'), ("4", 'Partly: "CLERKS"'),
            ("p", "Partly: all of them"), ("x", "No match"),
        ]  # fmt: skip
        assert len({a.outcome for a in each.answers}) == 6


def test_a_decision_scores_all_systems_that_gave_the_fill(campaign: Campaign) -> None:
    desk = desk_of(campaign)
    before = desk.judging.counts()
    cor = before.columns.index("cor")
    question = desk.judging.questions_at("M1")[0]
    desk.answer("ann", question.id, question.answers[0].outcome)
    after = desk.judging.counts()
    gained = after.values[:, after.items.index("M1"), cor] - before.values[:, 0, cor]
    assert gained.tolist() == [1, 1]
    desk.undo("ann")
    assert np.array_equal(desk.judging.counts().values, before.values)


def test_the_page_shows_the_message_and_both_templates_and_no_system(campaign: Campaign) -> None:
    desk = desk_of(campaign)
    question = desk.judging.questions_at("M1")[0]
    view = desk.view("ann", question)
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
        text = repr((desk.view("ann", each), each.answers))
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
    view = desk.view("ann", question)
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
    with pytest.raises(UsageError, match="no answer"):
        desk.answer("ann", question.id, canonical({"pairs": [["1", "7"], ["2", None]]}))
    desk.answer("ann", question.id, canonical({"pairs": [["1", None], ["2", None], [None, "1"]]}))
    assert [each.status for each in fills.runs()["ONE"].pairs] == ["missing", "missing", "spurious"]


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
    assert import_history(campaign, str(path), "1992") == 4
    assert import_history(campaign, str(path), "1992") == 0
    assert history_text(history_of(campaign)) == path.read_text(encoding="utf-8")
    assert {each.person for each in campaign.log.since()} == {"1992"}
    assert not [
        each for each in desk_of(campaign).questions
        if desk_of(campaign).opinions.holds(each) is None
    ]  # fmt: skip


def test_a_history_that_says_otherwise_than_a_judge_is_a_conflict(
    campaign: Campaign, tmp_path: Path
) -> None:
    """Even if it spells the fill otherwise, since both are the same question."""
    desk = desk_of(campaign)
    question = desk.judging.questions_at("M1")[0]
    desk.answer("ann", question.id, question.answers[2].outcome)
    history, place = History(), ("M1", "1", "hum-tgt-desc")
    fills = DESIGN.text('"MEN"'), DESIGN.text('"PEASANTS OF SAN JUAN"')
    history.record(place, Entry(fills[0], "match", (fills[1],)))
    write_history(str(tmp_path / "h.txt"), history)
    import_history(campaign, str(tmp_path / "h.txt"), "1992")
    desk.refresh()
    assert desk.opinions.conflicts() == [question.id]
    assert history_of(campaign) == History()
    desk.answer("org", question.id, question.answers[0].outcome, ruling=True)
    (entry,) = history_of(campaign).entries[place]
    assert entry.status == "match"


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


# The demo


def test_the_demo_is_under_way_and_has_a_conflict(tmp_path: Path) -> None:
    demo = demo_campaign(str(tmp_path / "demo"))
    desk = desk_of(demo.campaign)
    assert len(desk.judging.items) == 12
    assert len(desk.judging.systems) == 4
    kinds = {each.kind for each in desk.questions.values()}
    assert kinds == {"fill", "pairing"}
    assert len(desk.opinions.conflicts()) == 1
    progress = desk.progress("ann")
    assert (progress.yours, progress.conflicts, progress.decided) == (20, 1, 19)
    for name, token in demo.tokens.items():
        person = demo.campaign.person_of(token)
        assert person is not None
        assert person.name == name
    for question in desk.questions.values():
        view = desk.view("ann", question)
        assert view.passages[0].text
        assert not any(name in repr((view, question.answers)) for name in desk.judging.systems)
