"""A sitting in which a person decides about mismatches; every decision is saved at once.

Others may sit over the same questions. What they decide is looked at before every question, and
nobody overwrites or takes back what another decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from tellapart.errors import UsageError
from tellapart.formats.muc.alignment import Aligner, completed
from tellapart.formats.muc.decisions import (
    DecisionStore,
    OvertakenError,
    decide,
    interrupts_wait,
)
from tellapart.formats.muc.history import Change, Fill, History, Pairing, described
from tellapart.formats.muc.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.muc.scoring import Run, Task, score_pair, score_pairs, score_statically
from tellapart.formats.muc.templates import Template
from tellapart.formats.muc.values import equal


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
    """Templates of a message paired by hand: numbers of key and response templates."""

    message: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop here."""


Action: TypeAlias = Decide | Skip | Back | Repair | Quit


class Person(Protocol):
    """Who decides; the terminal, as a rule."""

    def ask(self, task: Task, question: Question) -> Action:
        """Return the answer about a mismatch."""

    def finished(self, task: Task, run: Run, skipped: int) -> Action | None:
        """Return what to do after a response of which only what was skipped is open; None goes on.

        `skipped` is the number of questions that are still open.
        """

    def refuse(self, reason: str) -> None:
        """Show why something could not be done."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Something done, and where it was done: a decision that was kept, or a question skipped."""

    at: int
    done: Change | tuple[str, Question]


class _Jump(Exception):  # noqa: N818  (no error: it moves the sitting elsewhere)
    """The sitting goes on at another place."""

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
    _steps: list[_Step] = field(default_factory=list)
    _at: int = 0
    _returned_for: list[Question] = field(default_factory=list)

    @property
    def history(self) -> History:
        """All decisions, those of others among them."""
        return self.store.history

    @property
    def decisions(self) -> int:
        """How many decisions of this sitting are in the history."""
        return sum(isinstance(step.done, Change) for step in self._steps)

    def run(self) -> bool:
        """Return whether all was gone through; False if the person stopped before the end."""
        places = [(task, message) for task in self.tasks for message in (*task.key.messages, None)]
        self._at = 0
        while self._at < len(places):
            task, message = places[self._at]
            try:
                if message is None:
                    self._finish(task)
                else:
                    self._settle(task, message)
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

    def _finish(self, task: Task) -> None:
        action = self._finished(task)
        while action is not None:
            self._act(task, action)
            action = self._finished(task)

    def _finished(self, task: Task) -> Action | None:
        """Tell the person that a response is done; go back if somebody has reopened a question."""
        self.store.refresh()
        questions = open_questions(task, self.history)
        reopened = [each for each in questions if not self._is_skipped(task, each)]
        if reopened and reopened != self._returned_for:
            self._returned_for = reopened
            raise _Jump(self._start(task))
        return self.person.finished(task, score_statically(task, self.history), len(questions))

    def answer(self, task: Task, question: Question) -> Reply:
        """Return the answer of the history, or the person's, which is kept."""
        guidelines = Guidelines(self.history)
        while question.offered and not self._is_known(task, question):
            self.store.refresh()
            if self._is_known(task, question):
                break
            action = self.person.ask(task, question)
            if isinstance(action, Decide):
                entry = recorded_entry(question, action.reply)
                change = Change(Fill(question.place, question.response), None, entry)
                if self._keep(change):
                    return action.reply
            elif isinstance(action, Skip):
                self._steps.append(_Step(self._at, (task.system, question)))
            else:
                self._act(task, action)
        return guidelines.ask(question)

    def _is_known(self, task: Task, question: Question) -> bool:
        known = self.history.find(question.place, question.response) is not None
        return known or self._is_skipped(task, question)

    def _is_skipped(self, task: Task, question: Question) -> bool:
        skipped = (step.done for step in self._steps if not isinstance(step.done, Change))
        return any(
            system == task.system
            and other.place == question.place
            and equal(other.response, question.response)
            for system, other in skipped
        )

    def _act(self, task: Task, action: Action) -> None:
        """Carry out what is no answer to a question; most of it jumps elsewhere."""
        if isinstance(action, Quit):
            raise _Stop
        if isinstance(action, Back):
            self._go_back()
        elif isinstance(action, Repair):
            self._repair(task, action)

    def _keep(self, change: Change) -> bool:
        """Keep a decision; return whether it was, and otherwise tell the person why not."""
        try:
            with interrupts_wait():
                if decide(self.store, change):
                    self._steps.append(_Step(self._at, change))
                    return True
        except OvertakenError as problem:
            self.person.refuse(f"{_by_others(problem)}; that is kept")
        except UsageError as problem:  # a full disk, say: there may be room the next time
            self.person.refuse(str(problem))
        else:
            self.person.refuse("another sitting has decided the same meanwhile; that is kept")
        return False

    def _go_back(self) -> None:
        if not self._steps:
            self.person.refuse("there is nothing to take back")
            return
        step = self._steps[-1]
        try:
            with interrupts_wait():
                if isinstance(step.done, Change):
                    decide(self.store, step.done.undone())
                self._steps.pop()
        except OvertakenError as problem:
            self._steps.pop()
            self.person.refuse(f"{_by_others(problem)}; that is not yours to take back")
            return
        except UsageError as problem:
            self.person.refuse(str(problem))
            return
        raise _Jump(step.at)

    def _repair(self, task: Task, action: Repair) -> None:
        keys, responses = task.key.sorted(action.message), task.response.sorted(action.message)
        problem = self._objection(task, action, keys, responses)
        if problem is not None:
            self.person.refuse(problem)
            return
        subject = Pairing(action.message, task.system)
        pairs = completed(action.pairs, keys, responses)
        if not self._keep(Change(subject, self.history.decided(subject), pairs)):
            return
        place = self._start(task) + list(task.key.messages).index(action.message)
        # A message further on waits for its turn: what comes before it is still open.
        raise _Jump(min(place, self._at))

    def _start(self, task: Task) -> int:
        """Return where a response begins among all places; each has one more, its end."""
        number = next(i for i, other in enumerate(self.tasks) if other is task)
        return number * (len(task.key.messages) + 1)

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


def open_questions(task: Task, history: History) -> list[Question]:
    """Return the questions about a response that the history does not decide."""
    listener = _Listener(history)
    for _ in score_pairs(task, task.align(history), history, listener):
        pass
    return listener.open


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
