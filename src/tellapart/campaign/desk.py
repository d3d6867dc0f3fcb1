"""The desk: who is asked what next, what was answered, and how much is left.

It is the judging of a store as a running program knows it, kept up to date from the store: several
programs may work on one. A question is shown to no more people than are to answer it; who is shown
one and goes away keeps it from others for some minutes only. All of it may be called from threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from tellapart.campaign.opinions import SKIP, Decision, Opinions, QuestionId, meaning
from tellapart.campaign.questions import (
    Judging,
    Question,
    canonical,
    outcome_words,
)
from tellapart.campaign.settings import Settings
from tellapart.errors import DatabaseError, TellapartError, UsageError
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.history import HistoryStore
    from tellapart.campaign.log import Log

HELD_FOR_S: Final = 600.0
"""How long a question that was shown to somebody is not shown to others"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is."""

    total: int = 0
    """Questions, decided or not"""
    decided: int = 0
    """Of them those with all opinions that they need, and no conflict"""
    conflicts: int = 0
    yours: int = 0
    """Questions that this person has answered"""

    @property
    def open(self) -> int:
        """Questions that wait for an opinion or a ruling."""
        return self.total - self.decided

    @property
    def left_words(self) -> str:
        """Why somebody has nothing to judge.

        >>> Progress(total=9, decided=7, conflicts=2, yours=9).left_words
        'Nothing else is yours to judge; open: 2 conflicts to settle.'
        """
        if not self.total:
            return "There is no question: the program decides everything."
        if not self.open:
            return "All questions are answered. Thank you!"
        left = [several(self.conflicts, "conflict") + " to settle"] if self.conflicts else []
        if others := self.open - self.conflicts:
            left.append(several(others, "question") + " skipped or for others")
        return f"Nothing else is yours to judge; open: {', '.join(left)}."


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with a question."""

    needed: int
    """How many people are to answer it"""
    people: frozenset[str]
    """Who has answered it, or ruled"""
    conflict: bool
    """Whether they differ, and nobody has ruled"""
    waits: bool
    """Whether somebody else is to answer it"""

    @property
    def decided(self) -> bool:
        """Whether it has all opinions that it needs and no conflict, or a ruling."""
        return not self.conflict and not self.waits


@dataclass(slots=True)
class Desk:
    """Gives out questions and takes answers."""

    settings: Settings
    store: Log | HistoryStore
    """Keeps decisions, on disk when a function returns"""
    load: Callable[[], Judging]
    """Reads the submissions anew; called when there are new ones"""
    spread: bool = False
    """Whether each person gets the items in an order of their own: what others are looking at is
    not known in a program that is not the server's"""
    clock: Callable[[], float] = time.monotonic
    judging: Judging = field(init=False)
    opinions: Opinions = field(init=False)
    questions: dict[QuestionId, Question] = field(init=False)
    """All questions, decided or not, in the order of the items; never changed, but replaced"""
    priorities: Mapping[QuestionId, int] = field(default_factory=dict)
    """How many pairs of systems a question can still move; set by whoever works out the bounds"""
    shown: dict[QuestionId, Question] = field(default_factory=dict)
    """All that was ever given out, though it may be idle by now"""
    touched: dict[str, int] = field(default_factory=dict)
    """By item the last decision that changed anything at it"""
    problem: str = ""
    """Why the newest submissions could not be read; those before them count"""
    _at: dict[str, list[Question]] = field(init=False)
    _standing: dict[QuestionId, Standing] = field(init=False)
    _held: dict[tuple[str, QuestionId], float] = field(default_factory=dict)
    """Who is looking at which question, and until when it is theirs"""
    _skipped: dict[tuple[str, QuestionId], None] = field(default_factory=dict)
    """Who has put off which question; what was skipped first comes first"""
    _submission: int = field(init=False)
    """Up to which one was read, or could not be"""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self._submission, decisions = self.store.news()
        self._begin(decisions)
        for person, question in self.store.skipped():
            self._put_off(person, question)

    # Keeping up

    def refresh(self) -> None:
        """Catch up with the store; new submissions are read, for which all others wait."""
        with self._lock:
            submission, decisions = self.store.news(self.opinions.last)
            if submission > self._submission:
                try:
                    self._begin(self.store.news()[1])
                    self._submission, self.problem = submission, ""
                    return
                except DatabaseError:  # that is no fault of theirs: they are read the next time
                    raise
                except TellapartError as problem:
                    self._submission, self.problem = submission, str(problem)
            self._hold(self.opinions.add(decisions))

    def _begin(self, decisions: Sequence[Decision]) -> None:
        """Read the submissions, and let hold what was decided about them."""
        judging, opinions = self.load(), Opinions()
        for kind, subject in opinions.add(decisions):
            judging.hold(kind, subject, opinions.holds((kind, subject)))
        self._at = {item: list(judging.questions_at(item)) for item in judging.items}
        self.judging, self.opinions, self._standing = judging, opinions, {}
        self._put_in_order()

    def _put_in_order(self) -> None:
        # A new one each time: others may be going through the one before.
        self.questions = {each.id: each for asked in self._at.values() for each in asked}
        self._standing = {
            each: self._standing.get(each) or self.standing(each) for each in self.questions
        }

    def _hold(self, touched: Sequence[QuestionId]) -> None:
        """Let what was decided hold, and see what it changes at its items."""
        changed = set()
        for kind, subject in touched:
            item = self.judging.hold(kind, subject, self.opinions.holds((kind, subject)))
            if item is not None:
                changed.add(item)
        others = False
        for item in changed:
            self.touched[item] = self.opinions.last
            asked = list(self.judging.questions_at(item))
            others |= asked != self._at[item]
            self._at[item] = asked
            self._standing.update((each.id, self.standing(each.id)) for each in asked)
        if others:
            self._put_in_order()

    @property
    def version(self) -> tuple[int, int]:
        """Up to which submission and decision the desk goes."""
        return self._submission, self.opinions.last

    @contextmanager
    def unchanged(self) -> Iterator[Mapping[str, Sequence[Question]]]:
        """Let nothing change for the length of a block, which is given the questions by item."""
        with self._lock:
            yield self._at

    def standing(self, question: QuestionId) -> Standing:
        """Return how it stands with a question, even one that is idle and not asked."""
        opinions, needed = self.opinions, self.settings.opinions_needed(*question)
        people = frozenset(each.person for each in opinions.of(question))
        waits = opinions.ruling(question) is None and len(people) < needed
        return Standing(needed, people, opinions.is_conflict(question), waits)

    # What a person does

    def next_for(self, person: str) -> Question | None:
        """Return the question that a person is to answer next; None if there is none for them.

        It is the one that they are looking at. Otherwise first those that can move most pairs of
        systems, and what they skipped last of all.
        """
        with self._lock:
            self.refresh()
            now = self.clock()
            self._held = {held: until for held, until in self._held.items() if until > now}
            looking_at = [each for who, each in self._held if who == person]
            skipped = [each for who, each in self._skipped if who == person]
            fresh = (each for each in self._order(person) if (person, each) not in self._skipped)
            asked = chain(looking_at, fresh, skipped)
            chosen = next((each for each in asked if self._may_be(person, each)), None)
            if chosen is None:
                return None
            self._held[person, chosen] = now + HELD_FOR_S
            self.shown[chosen] = self.questions[chosen]
            return self.shown[chosen]

    def _order(self, person: str) -> list[QuestionId]:
        """Return what waits for an opinion, in the order in which a person is asked."""
        items: Iterable[str] = self._at
        if self.spread:
            items = sorted(items, key=lambda item: self.settings.draw("turn", person, item))
        waiting = [
            each.id for item in items for each in self._at[item] if self._standing[each.id].waits
        ]
        return sorted(waiting, key=lambda each: -self.priorities.get(each, 0))

    def _may_be(self, person: str, question: QuestionId) -> bool:
        standing = self._standing.get(question)
        if standing is None or not standing.waits or person in standing.people:
            return False
        looking = {who for who, each in self._held if each == question}
        return len(standing.people | looking - {person}) < standing.needed

    def pairing_of(self, item: str, system: str) -> Question | None:
        """Return how templates are paired, whether or not that is open; None if there are none."""
        found = self.judging.pairing_question(item, system)
        if found is not None:
            self.shown[found.id] = found
        return found

    def said(self, question: Question) -> list[str]:
        """Return what people said, in the words of the answers; not who, and no rulings.

        Sorted: the order of the log would tell who said what.
        """
        labels = {
            meaning(Decision(0, *question.id, "", "", each.outcome)): each.label
            for each in question.answers
        }
        sides = self.judging.view(question).sides
        return sorted(
            labels.get(meaning(each)) or outcome_words(each.outcome or "{}", sides)
            for each in self.opinions.of(question.id)
            if not each.ruling
        )

    def answer(
        self,
        person: str,
        question: QuestionId,
        outcome: str,
        *,
        request: str | None = None,
        ruling: bool = False,
    ) -> Decision:
        """Keep an answer, on disk on return; one that the question does not have is refused."""
        with self._lock:
            if question not in self.questions:
                self.refresh()
            # What somebody was shown they may answer, though another decision has made it idle.
            known = self.questions.get(question) or self.shown.get(question)
            if known is None:
                raise UsageError("there is no such question any more")
            if not self.judging.accepts(known, outcome):
                raise UsageError("this is no answer to that question")
        made = self.store.decide(person, question, outcome, request=request, ruling=ruling)
        with self._lock:
            self._held.pop((person, question), None)
            if made.number == self.opinions.last + 1:  # nobody else has decided anything since
                self._hold(self.opinions.add([made]))
            else:
                self.refresh()
        return made

    def undo(self, person: str, request: str | None = None) -> Question | None:
        """Take back a person's last decision; return its question, which is theirs again.

        None if it is idle without that decision; where there is none, it is a UsageError.
        """
        made = self.store.undo(person, request)
        if made is None:
            raise UsageError("there is nothing of yours to take back")
        with self._lock:
            self.refresh()
            self._held[person, made.question] = self.clock() + HELD_FOR_S
            return self.questions.get(made.question)

    def skip(self, person: str, question: QuestionId) -> None:
        """Put a question off: this person gets it again when nothing else is left."""
        self.store.remark(person, SKIP, canonical(question))
        with self._lock:
            self._held.pop((person, question), None)
            self._put_off(person, question)

    def _put_off(self, person: str, question: QuestionId) -> None:
        self._skipped.pop((person, question), None)
        self._skipped[person, question] = None

    def is_theirs(self, person: str, question: QuestionId, seen: int) -> bool:
        """Return whether a judge who was shown a question may answer it, still or again.

        What they put off is theirs when they are shown it again: nobody picks from what they saw.
        If others have answered it meanwhile, theirs is one more opinion, until a board was `seen`
        with a decision: who changes an answer then would read off the next one what that does.
        """
        with self._lock:
            standing = self.standing(question)
            answered = person in standing.people
            if any(each.number <= seen for each in self.opinions.of(question)):
                return standing.waits and not answered
            mine = person, question
            return mine in self._held or mine not in self._skipped or answered

    def conflicts(self) -> list[Question]:
        """Return the questions that people differ about, those first that can move most."""
        with self._lock:
            found = [self.questions[each] for each, of in self._standing.items() if of.conflict]
        return sorted(found, key=lambda each: -self.priorities.get(each.id, 0))

    def progress(self, person: str, *, blind: bool = False) -> Progress:
        """Return how far the campaign is, and a person in it.

        Who is `blind` does not learn where people differ: what all were asked counts as decided.
        """
        with self._lock:
            standing = self._standing.values()
            return Progress(
                len(standing),
                sum(each.decided or (blind and not each.waits) for each in standing),
                0 if blind else sum(each.conflict for each in standing),
                sum(person in each.people for each in standing),
            )
