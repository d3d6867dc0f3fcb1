"""Who is asked what in a campaign, what was answered, and what is left."""

from pathlib import Path

import pytest

from campaign_files import answers, rated
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import HELD_FOR_S
from tellapart.campaign.judging import desk_of
from tellapart.campaign.questions import Judging, canonical
from tellapart.errors import DatabaseError, UsageError

RIGHT, WRONG = (canonical({"rating": name}) for name in ("right", "wrong"))


@pytest.fixture
def campaign(tmp_path: Path, database_url: str) -> Campaign:
    outputs = {"q1": "4", "q2": "five", "q3": "6"}, {"q1": "4", "q2": "5", "q3": "six"}
    return rated(tmp_path, dict(zip("AB", outputs, strict=True)), database=database_url)


def test_a_question_stays_with_who_looks_at_it(campaign: Campaign) -> None:
    desk = desk_of(campaign)
    now = 0.0
    desk.clock = lambda: now
    first = desk.next_for("ann")
    desk.priorities = {each: 1 for each in desk.questions if each != first.id}
    assert desk.next_for("ann") == first
    seen = [desk.next_for(who).id for who in ("bob", "cid", "dan", "eve")]
    assert {first.id, *seen} == {*desk.questions}
    assert desk.next_for("fay") is None
    now = HELD_FOR_S + 1
    desk.answer("ann", first.id, RIGHT)
    assert desk.undo("ann") == first  # which is theirs again
    assert desk.next_for("fay") not in (None, first)
    assert desk.next_for("ann") == first
    for question in (first.id, seen[0]):
        for who, outcome in (("ann", RIGHT), ("bob", WRONG)):
            desk.answer(who, question, outcome)
    assert [each.id for each in desk.conflicts()] == [seen[0], first.id]


def test_programs_that_know_nothing_of_each_other_begin_elsewhere(campaign: Campaign) -> None:
    firsts = {desk_of(campaign, spread=True).next_for(who).item for who in ("ann", "bob", "cid")}
    assert len(firsts) > 1


def test_a_submission_that_cannot_be_read_leaves_the_others(campaign: Campaign) -> None:
    desk = desk_of(campaign)
    campaign.submit("C", "c.jsonl", b"no such thing")
    desk.refresh()
    assert list(desk.judging.systems) == ["A", "B"]
    assert desk.problem
    campaign.submit("C", "c.jsonl", answers({"q1": "4", "q2": "5", "q3": "6"}))
    desk.refresh()
    assert list(desk.judging.systems) == ["A", "B", "C"]
    assert not desk.problem


@pytest.mark.parametrize("problem", [DatabaseError("gone for a second"), OSError("disk full")])
def test_what_could_not_be_read_just_now_is_read_the_next_time(
    campaign: Campaign, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of(campaign)
    version = desk.version
    campaign.submit("C", "c.jsonl", answers({"q1": "4", "q2": "5", "q3": "6"}))

    def fails() -> Judging:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(desk, "load", fails)
        with pytest.raises(type(problem), match=str(problem)):
            desk.refresh()
    assert desk.version == version
    desk.refresh()
    assert list(desk.judging.systems) == ["A", "B", "C"]
    assert desk.version > version


def test_what_was_shown_may_be_answered_though_it_is_no_longer_asked(campaign: Campaign) -> None:
    """Another decision may make a question idle while somebody reads it; their answer is kept."""
    desk = desk_of(campaign)
    shown = desk.next_for("ann")
    campaign.submit("A", "a.jsonl", answers({"q1": "5", "q2": "five", "q3": "6"}))
    campaign.submit("B", "b.jsonl", answers({"q1": "5", "q2": "5", "q3": "six"}))
    desk.refresh()
    assert shown.id not in desk.questions
    made = desk.answer("ann", shown.id, RIGHT)
    assert campaign.log.since() == [made]
    with pytest.raises(UsageError, match="no answer to that question"):
        desk.answer("ann", shown.id, "perhaps")
    other = "rating", canonical({"item": "q1", "output": "never shown"})
    with pytest.raises(UsageError, match="no such question any more"):
        desk.answer("ann", other, RIGHT)
