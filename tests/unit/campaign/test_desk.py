"""Who is asked what in a campaign, what was answered, and what is left."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from campaign_files import PARTLY, RIGHT, SUMS, WRONG, answers, rated
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import HELD_FOR_S
from tellapart.campaign.judging import desk_of
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging, canonical
from tellapart.errors import DatabaseError, UsageError


@pytest.fixture
def campaign(tmp_path: Path, database_url: str) -> Campaign:
    return rated(tmp_path, dict(zip("AB", SUMS, strict=True)), database=database_url)


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


# Whatever people do: random answers, second thoughts and pauses at two desks at once


PEOPLE = ("ann", "bob", "carl", "dora")
OUTCOMES = (RIGHT, PARTLY, WRONG)

people = st.sampled_from(PEOPLE)
desks = st.sampled_from((0, 1))


class Desks(RuleBasedStateMachine):
    """Two programs on one campaign, and a plain account of what they should do."""

    @initialize(seed=st.integers(0, 9))
    def begin(self, seed: int) -> None:
        """Make a campaign, and open two desks on it."""
        self.folder = tempfile.TemporaryDirectory()
        outputs = dict(zip("AB", SUMS, strict=True))
        self.campaign = rated(Path(self.folder.name), outputs, second_opinions=0.5, seed=str(seed))
        self.desks = [desk_of(self.campaign) for _ in (0, 1)]
        self.held: list[dict[tuple[QuestionId, str], float]] = [{}, {}]
        self.skipped: set[tuple[int, str, QuestionId]] = set()
        self.now = 0.0
        for desk in self.desks:
            desk.clock = lambda: self.now

    def teardown(self) -> None:
        """Close it."""
        if hasattr(self, "folder"):
            self.campaign.database.close()
            self.folder.cleanup()

    # The account

    def standing(self) -> dict[QuestionId, list[tuple[str, str, bool]]]:
        """Return who holds which opinion: the rows that no later row replaces."""
        rows = self.campaign.log.since()
        replaced = {row.replaces for row in rows}
        found: dict[QuestionId, list[tuple[str, str, bool]]] = {}
        for row in rows:
            if row.number not in replaced and row.outcome is not None:
                found.setdefault(row.question, []).append((row.person, row.outcome, row.ruling))
        return found

    def eligible(self, desk: int, person: str) -> set[QuestionId]:
        """Return what a desk may show somebody."""
        found, standing = set(), self.standing()
        for question in self.desks[desk].questions:
            told = standing.get(question, [])
            done = {each[0] for each in told}
            looking = {
                who
                for (what, who), until in self.held[desk].items()
                if what == question and until > self.now
            }
            needed = self.campaign.settings.opinions_needed(*question)
            ruled = any(each[2] for each in told)
            if not ruled and person not in done and len((done | looking) - {person}) < needed:
                found.add(question)
        return found

    # What people do

    @rule(desk=desks, person=people)
    def ask(self, desk: int, person: str) -> None:
        """Ask for the next question."""
        shown = self.desks[desk].next_for(person)
        eligible = self.eligible(desk, person)
        if shown is None:
            assert not eligible
            return
        assert shown.id in eligible
        looking = {
            what
            for (what, who), until in self.held[desk].items()
            if who == person and until > self.now and what in eligible
        }
        fresh = {each for each in eligible if (desk, person, each) not in self.skipped}
        if looking:
            assert shown.id in looking  # it is theirs until they are done with it
        elif fresh:
            assert shown.id in fresh
            priority = self.desks[desk].priorities
            assert priority.get(shown.id, 0) == max(priority.get(each, 0) for each in fresh)
        self.held[desk][shown.id, person] = self.now + HELD_FOR_S

    @rule(desk=desks, person=people, place=st.integers(0, 4), outcome=st.sampled_from(OUTCOMES),
          ruling=st.sampled_from((False, False, True)))  # fmt: skip
    def answer(self, desk: int, person: str, place: int, outcome: str, ruling: bool) -> None:
        """Answer a question, which may be one that was never shown."""
        question = list(self.desks[desk].questions)[place]
        made = self.desks[desk].answer(person, question, outcome, ruling=ruling)
        self.held[desk].pop((question, person), None)
        assert self.campaign.log.since()[-1] == made

    @rule(desk=desks, person=people)
    def undo(self, desk: int, person: str) -> None:
        """Take back the last decision."""
        if not self.own(person):
            with pytest.raises(UsageError, match="nothing of yours"):
                self.desks[desk].undo(person)
            return
        shown = self.desks[desk].undo(person)
        self.held[desk][shown.id, person] = self.now + HELD_FOR_S

    def own(self, person: str) -> list[int]:
        """Return the decisions that a person has made and not taken back."""
        rows = [row for row in self.campaign.log.since() if row.person == person]
        undone = {row.undoes for row in rows}
        return [row.number for row in rows if row.undoes is None and row.number not in undone]

    @rule(desk=desks, person=people, place=st.integers(0, 4))
    def skip(self, desk: int, person: str, place: int) -> None:
        """Put a question off."""
        question = list(self.desks[desk].questions)[place]
        self.desks[desk].skip(person, question)
        self.held[desk].pop((question, person), None)
        self.skipped.add((desk, person, question))

    @rule(desk=desks, order=st.permutations(range(5)))
    def order_anew(self, desk: int, order: list[int]) -> None:
        """Change which questions come first."""
        self.desks[desk].priorities = dict(zip(self.desks[desk].questions, order, strict=True))

    @rule(minutes=st.sampled_from((1, 6, 11)))
    def wait(self, minutes: int) -> None:
        """Go away for a while."""
        self.now += 60 * minutes

    # What is always so

    @invariant()
    def nobody_has_two_opinions(self) -> None:
        """One person has one opinion on a question at most."""
        for told in self.standing().values():
            names = [each[0] for each in told]
            assert len(names) == len(set(names))

    @invariant()
    def figures_equal_a_recount(self) -> None:
        """Count again what a desk keeps count of."""
        standing = self.standing()
        for desk in self.desks:
            desk.refresh()
            assert [each.item for each in desk.questions.values()] == ["q1", "q2", "q2", "q3", "q3"]
            decided = conflicts = 0
            for question in desk.questions:
                told = standing.get(question, [])
                ruled = any(each[2] for each in told)
                conflict = not ruled and len({each[1] for each in told}) > 1
                enough = len(told) >= self.campaign.settings.opinions_needed(*question)
                conflicts += conflict
                decided += ruled or (enough and not conflict)
            for person in PEOPLE:
                yours = sum(person in {each[0] for each in told} for told in standing.values())
                found = desk.progress(person)
                assert (found.total, found.decided) == (5, decided)
                assert (found.conflicts, found.yours) == (conflicts, yours)


Desks.TestCase.settings = settings(max_examples=8, stateful_step_count=15, deadline=None)
TestDesks = pytest.mark.slow(Desks.TestCase)
