"""Questions that wait for opinions: how many each still needs, who looks at it, who is next.

A question is shown to no more people than are to answer it. Who is shown one and goes away keeps it
from others for some minutes only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tellapart.campaign.log import Opinions, QuestionId, meaning
from tellapart.campaign.settings import Settings

HELD_FOR_S: Final = 600.0
"""How long a question that was shown to somebody is not shown to others"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is."""

    total: int
    """Questions, decided or not"""
    decided: int
    """Of them those with all opinions that they need, and no conflict"""
    conflicts: int
    yours: int
    """Questions that this person has answered"""
    answered: bool = False
    """Whether anybody has answered any of them"""


NOTHING: Final = Progress(0, 0, 0, 0)
"""Of a campaign without questions"""


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with a question."""

    needed: int
    """How many people are to answer it"""
    people: frozenset[str] = frozenset()
    """Who has answered it, or ruled"""
    ruled: bool = False
    conflict: bool = False

    @classmethod
    def of(cls, question: QuestionId, opinions: Opinions, needed: int) -> Standing:
        """Return how it stands by what people said.

        >>> Standing.of(("rating", "q1"), Opinions(), needed=1).waits
        True
        """
        told = opinions.of(question)
        ruled = any(each.ruling for each in told)
        conflict = not ruled and len(told) > 1 and len({meaning(each) for each in told}) > 1
        return cls(needed, frozenset(each.person for each in told), ruled, conflict)

    @property
    def decided(self) -> bool:
        """Whether it has all opinions that it needs and no conflict, or a ruling."""
        return self.ruled or (not self.conflict and not self.waits)

    @property
    def waits(self) -> bool:
        """Whether somebody else is to answer it."""
        return not self.ruled and len(self.people) < self.needed


@dataclass(slots=True)
class Waiting:
    """Keeps count of all questions, so that nobody has to go through them."""

    settings: Settings
    clock: Callable[[], float] = time.monotonic
    _standing: dict[QuestionId, Standing] = field(default_factory=dict)
    _waiting: set[QuestionId] = field(default_factory=set)
    """Those that need somebody's opinion"""
    _decided: int = 0
    _conflicts: int = 0
    _answered: Counter[str] = field(default_factory=Counter)
    """By person"""
    _held: dict[QuestionId, dict[str, float]] = field(default_factory=dict)
    """Who is looking at a question, and until when it is theirs"""
    _skipped: dict[str, dict[QuestionId, int]] = field(default_factory=dict)
    """By person, with the number of the remark: what was skipped first comes first"""
    _sorted: tuple[Sequence[QuestionId], Mapping[QuestionId, int], Sequence[QuestionId]] | None = (
        None
    )
    """An order and priorities, as they were given, and what they lead to"""

    def begin(self, questions: Iterable[QuestionId], opinions: Opinions) -> None:
        """Begin anew with all questions; who looks at what is still known."""
        self._standing, self._waiting = {}, set()
        self._decided = self._conflicts = 0
        self._answered = Counter()
        for question in questions:
            self.update(question, opinions)

    def update(self, question: QuestionId, opinions: Opinions) -> None:
        """Look again at the opinions about a question, which may be new."""
        before = self._standing.get(question)
        needed = before.needed if before else self.settings.opinions_needed(*question)
        self.remove(question)
        found = self._standing[question] = Standing.of(question, opinions, needed)
        self._count(found, 1)
        if found.waits:
            self._waiting.add(question)

    def remove(self, question: QuestionId) -> None:
        """Forget a question that is no longer asked."""
        found = self._standing.pop(question, None)
        if found is not None:
            self._count(found, -1)
            self._waiting.discard(question)

    def _count(self, found: Standing, by: int) -> None:
        self._decided += by * found.decided
        self._conflicts += by * found.conflict
        for person in found.people:
            self._answered[person] += by

    def progress(self, person: str) -> Progress:
        """Return how far the campaign is, and a person in it."""
        return Progress(
            len(self._standing), self._decided, self._conflicts, self._answered[person],
            any(self._answered.values()),
        )  # fmt: skip

    # Who is shown what

    def hold(self, question: QuestionId, person: str) -> None:
        """Keep a question for a person who is looking at it."""
        self._held.setdefault(question, {})[person] = self.clock() + HELD_FOR_S

    def release(self, question: QuestionId, person: str) -> None:
        """Let others have a question that a person is done with."""
        self._held.get(question, {}).pop(person, None)

    def skip(self, question: QuestionId, person: str, number: int) -> None:
        """Put a question off until a person has nothing else; the number is that of the remark."""
        self._skipped.setdefault(person, {})[question] = number

    def next_for(
        self,
        person: str,
        order: Sequence[QuestionId],
        priorities: Mapping[QuestionId, int],
    ) -> QuestionId | None:
        """Return the question that a person is to answer next, which is theirs for a while.

        It is the one that they are looking at. Otherwise first those that can move most pairs of
        systems, in the order that is given, and what was skipped last of all.
        """
        now = self.clock()
        self._held = {
            question: kept
            for question, them in self._held.items()
            if (kept := {who: until for who, until in them.items() if until > now})
        }
        chosen = self._first(person, (q for q, them in self._held.items() if person in them))
        if chosen is None:
            chosen = self._first(person, self._by_priority(order, priorities))
        if chosen is not None:
            self.hold(chosen, person)
        return chosen

    def _first(self, person: str, questions: Iterable[QuestionId]) -> QuestionId | None:
        """Return the first question that may be a person's, if need be one that they skipped."""
        skipped, last = self._skipped.get(person, {}), None
        for question in questions:
            if question in self._waiting and self._may_be(person, question):
                if question not in skipped:
                    return question
                if last is None or skipped[question] < skipped[last]:
                    last = question
        return last

    def _by_priority(
        self, order: Sequence[QuestionId], priorities: Mapping[QuestionId, int]
    ) -> Sequence[QuestionId]:
        """Return the questions in the order in which they are asked; kept until it changes."""
        if (
            self._sorted is None
            or self._sorted[0] is not order
            or self._sorted[1] is not priorities
        ):
            asked = sorted(order, key=lambda each: -priorities.get(each, 0))
            self._sorted = order, priorities, asked
        return self._sorted[2]

    def _may_be(self, person: str, question: QuestionId) -> bool:
        standing = self._standing[question]
        if person in standing.people:
            return False
        held = self._held.get(question)
        if not held:
            return True
        others = standing.people.union(held) - {person}
        return len(others) < standing.needed
