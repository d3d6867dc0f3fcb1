"""A sitting in which a person decides about mismatches; every decision is saved at once.

It goes from message to message, and asks about all responses to one before it goes on. Others may
sit over the same questions. What they decide is looked at before every question, and nobody
overwrites or takes back what another decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from tellapart.errors import UsageError
from tellapart.formats.templates.alignment import Aligner, completed
from tellapart.formats.templates.decisions import DecisionStore, decide, interrupts_wait
from tellapart.formats.templates.history import (
    Change,
    Entry,
    Fill,
    History,
    Pairing,
    Place,
    described,
)
from tellapart.formats.templates.history_store import OvertakenError
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.templates.scoring import Task, score_pair
from tellapart.formats.templates.values import Value, equal


@dataclass(frozen=True, slots=True)
class Decide:
    """An answer to keep."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Skip:
    """No answer for now; the scoring guidelines decide, and it is asked again another time."""


@dataclass(frozen=True, slots=True)
class Back:
    """The last decision is to be taken back."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Templates of a message paired by hand for a system: numbers of key and response templates."""

    system: str
    message: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop here."""


Action: TypeAlias = Decide | Skip | Back | Repair | Quit


@dataclass(frozen=True, slots=True)
class State:
    """How far a sitting is: the questions that arise as things are, about whatever response."""

    decided: int
    open: int

    def __str__(self) -> str:
        left = f"{self.open:,} open" if self.open else "nothing is open"
        return f"{self.decided:,} of {self.decided + self.open:,} decided; {left}"


class Person(Protocol):
    """Who decides; the terminal, as a rule."""

    def ask(self, task: Task, question: Question, state: State) -> Action:
        """Return the answer about a mismatch."""

    def finished(self, tasks: Sequence[Task], state: State) -> Action | None:
        """Return what to do where only what was skipped is open; None ends the sitting."""

    def refuse(self, reason: str) -> None:
        """Show why something could not be done."""


class _Jump(Exception):  # noqa: N818  (no error: it moves the sitting elsewhere)
    """The sitting goes on at another message."""

    def __init__(self, at: int) -> None:
        self.at = at


class _Stop(Exception):  # noqa: N818  (no error: it ends the sitting)
    """The person has had enough."""


@dataclass(slots=True)
class Session:
    """Goes through all messages of all responses, asks what the history does not decide."""

    tasks: Sequence[Task]
    store: DecisionStore
    person: Person
    decisions: int = 0
    """How many were made, and not taken back, in this sitting"""
    _messages: tuple[str, ...] = field(init=False)
    _at: int = 0
    _skipped: list[Question] = field(default_factory=list)
    _skipped_since: int = 0
    """How many of them since the last decision"""
    _returned_for: list[Question] = field(default_factory=list)
    _seen: History = field(default_factory=History)
    """The history as it was when questions were last counted"""
    _counted: dict[str, _Count] = field(default_factory=dict)
    """By message"""

    def __post_init__(self) -> None:
        # All responses are to the same key.
        self._messages = tuple(self.tasks[0].key.messages) if self.tasks else ()

    @property
    def history(self) -> History:
        """All decisions, those of others among them."""
        return self.store.history

    def run(self) -> bool:
        """Return whether all was gone through; False if the person stopped before the end."""
        self._at = 0
        while self._at <= len(self._messages):
            try:
                if self._at == len(self._messages):
                    self._finish()
                else:
                    for task in self.tasks:
                        self._settle(task, self._messages[self._at])
            except _Jump as jump:
                self._at = jump.at
            except _Stop:
                return False
            else:
                self._at += 1
        return True

    def _settle(self, task: Task, message: str) -> None:
        """Score a message until its decisions no longer change how its templates are paired."""
        while True:
            pairs = task.align_message(message, self.history)
            for pair in pairs:
                score_pair(task, pair, self.history, _SessionAdjudicator(self, task))
            if task.align_message(message, self.history) == pairs:
                return

    def _finish(self) -> None:
        """Tell the person that all is done; go back if somebody has reopened a question."""
        while True:
            self.store.refresh()
            state = self.state()
            left = [each for count in self._counted.values() for each in count.open]
            reopened = [each for each in left if not self._is_skipped(each)]
            if reopened and reopened != self._returned_for:
                self._returned_for = reopened
                raise _Jump(0)
            action = self.person.finished(self.tasks, state)
            if action is None:
                return
            self._act(action)

    def state(self) -> State:
        """Return how far the sitting is, by the history as it was last looked at."""
        now = self.history
        for message in self._messages:
            changed = now.entries.get(message) != self._seen.entries.get(message) or (
                now.pairings.get(message) != self._seen.pairings.get(message)
            )
            if changed or message not in self._counted:
                self._counted[message] = _questions_at(self.tasks, message, now)
        self._seen = now.copy()
        counts = self._counted.values()
        return State(sum(c.decided for c in counts), sum(len(c.open) for c in counts))

    def answer(self, task: Task, question: Question) -> Reply:
        """Return the answer of the history, or the person's, which is kept."""
        while question.offered and not self._is_known(question):
            self.store.refresh()
            if self._is_known(question):
                break
            action = self.person.ask(task, question, self.state())
            if isinstance(action, Decide):
                entry = recorded_entry(question, action.reply)
                change = Change(Fill(question.place, question.response), None, entry)
                if self._keep(change):
                    return action.reply
            elif isinstance(action, Skip):
                self._skipped.append(question)
                self._skipped_since += 1
            else:
                self._act(action)
        return Guidelines(self.history).ask(question)

    def _is_known(self, question: Question) -> bool:
        known = self.history.find(question.place, question.response) is not None
        return known or self._is_skipped(question)

    def _is_skipped(self, question: Question) -> bool:
        return any(_same(other, question) for other in self._skipped)

    def _act(self, action: Action) -> None:
        """Carry out what is no answer to a question; most of it jumps elsewhere."""
        if isinstance(action, Quit):
            raise _Stop
        if isinstance(action, Back):
            self._go_back()
        elif isinstance(action, Repair):
            self._repair(action)

    def _keep(self, change: Change) -> bool:
        """Keep a decision; return whether it was, and otherwise tell the person why not."""
        try:
            with interrupts_wait():
                if decide(self.store, change):
                    self.decisions += 1
                    self._skipped_since = 0
                    return True
        except OvertakenError as problem:
            self.person.refuse(f"{_by_others(problem)}; that is kept")
        except UsageError as problem:  # a full disk, say: there may be room the next time
            self.person.refuse(str(problem))
        else:
            self.person.refuse("another sitting has decided the same meanwhile; that is kept")
        return False

    def _go_back(self) -> None:
        """Go back to what was just skipped, or else take the last decision back."""
        if self._skipped_since:
            self._skipped_since -= 1
            message = self._skipped.pop().message
            raise _Jump(self._messages.index(message))
        try:
            with interrupts_wait():
                subject = self.store.undo()
                if subject is not None:
                    self.decisions = max(0, self.decisions - 1)
        except OvertakenError as problem:
            self.decisions = max(0, self.decisions - 1)
            self.person.refuse(f"{_by_others(problem)}; that is not yours to take back")
            return
        except UsageError as problem:
            self.person.refuse(str(problem))
            return
        if subject is None:
            self.person.refuse("there is nothing of yours to take back")
            return
        message = subject.message if isinstance(subject, Pairing) else subject.place[0]
        if message not in self._messages:
            self.person.refuse(
                f"taken back was a decision about {message}, which is not asked here"
            )
            return
        raise _Jump(self._messages.index(message))

    def _repair(self, action: Repair) -> None:
        task = next(each for each in self.tasks if each.system == action.system)
        keys, responses = task.key.sorted(action.message), task.response.sorted(action.message)
        problem = self._objection(task, action, keys, responses)
        if problem is not None:
            self.person.refuse(problem)
            return
        subject = Pairing(action.message, task.system)
        pairs = completed(action.pairs, keys, responses)
        if not self._keep(Change(subject, self.history.decided(subject), pairs)):
            return
        # A message further on waits for its turn: what comes before it is still open.
        raise _Jump(min(self._messages.index(action.message), self._at))

    def _objection(
        self, task: Task, action: Repair, keys: list[Template], responses: list[Template]
    ) -> str | None:
        """Return why templates cannot be paired so, if they cannot."""
        by_number = {k.number: k for k in keys}, {r.number: r for r in responses}
        aligner = Aligner(task.design, self.history)
        for i, side in enumerate(("key", "response")):
            numbers = [pair[i] for pair in action.pairs]
            for number in numbers:
                if number not in by_number[i]:
                    return f"there is no {side} template {number}"
                if numbers.count(number) > 1:
                    return f"{side} template {number} is named twice"
        for key, response in action.pairs:
            if not aligner.allowed(by_number[0][key], by_number[1][response]):
                return f"{key} and {response} have too little in common to be paired"
        return None


@dataclass(frozen=True, slots=True)
class _Count:
    """The questions that arise at a message, each once however many responses raise it."""

    decided: int
    open: list[Question]


@dataclass(slots=True)
class _Watched(History):
    """A history that notes which of its decisions are made use of."""

    used: set[tuple[Place, Value]] = field(default_factory=set)

    def find(self, place: Place, response: Value) -> Entry | None:
        """Return the first entry whose response value the given one is equal to."""
        entry = History.find(self, place, response)
        if entry is not None:
            self.used.add((place, entry.response))
        return entry


def _questions_at(tasks: Sequence[Task], message: str, history: History) -> _Count:
    """Return the questions about a message, by a history that is only looked up."""
    watched = _Watched(history.entries, history.pairings)
    listener = _Listener(watched)
    for task in tasks:
        for pair in task.align_message(message, history):
            score_pair(task, pair, watched, listener)
    questions: list[Question] = []
    for question in listener.open:
        if not any(_same(other, question) for other in questions):
            questions.append(question)
    return _Count(len(watched.used), questions)


def _same(one: Question, other: Question) -> bool:
    """Return whether two questions are one for the history."""
    return one.place == other.place and equal(one.response, other.response)


@dataclass(frozen=True, slots=True)
class _Listener:
    """Answers as static scoring does, and notes what people would be asked."""

    history: History
    open: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""
        if question.offered and self.history.find(question.place, question.response) is None:
            self.open.append(question)
        return Guidelines(self.history).ask(question)


def _by_others(problem: OvertakenError) -> str:
    """Return what somebody else has done about the same thing, in words."""
    if problem.now is None:
        return "another sitting has taken it back meanwhile"
    return f"another sitting has decided meanwhile: {described(problem.now)}"


@dataclass(frozen=True, slots=True)
class _SessionAdjudicator:
    """Lets a session answer the questions about one response."""

    session: Session
    task: Task

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""
        return self.session.answer(self.task, question)
