"""A sitting in which a person decides about mismatches; every decision is saved at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from tellapart.formats.muc.alignment import Aligner, completed
from tellapart.formats.muc.history import History
from tellapart.formats.muc.history_files import write_history
from tellapart.formats.muc.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.muc.scoring import Run, Task, score_pair, score_statically
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

    def finished(self, task: Task, run: Run) -> Action | None:
        """Return what to do after a response of which nothing is open; None goes on."""

    def refuse(self, reason: str) -> None:
        """Show why something could not be done."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Something done, where it was done, and how to undo it."""

    at: int
    undo: Callable[[], None]
    kept: bool = True  # in the history


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
    history: History
    path: str
    person: Person
    _steps: list[_Step] = field(default_factory=list)
    _skipped: list[tuple[str, Question]] = field(default_factory=list)
    _at: int = 0

    @property
    def decisions(self) -> int:
        """How many decisions of this sitting are in the history."""
        return sum(step.kept for step in self._steps)

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
        action = self.person.finished(task, score_statically(task, self.history))
        while action is not None:
            self._act(task, action)
            action = self.person.finished(task, score_statically(task, self.history))

    def answer(self, task: Task, question: Question) -> Reply:
        """Return the answer of the history, or the person's, which is kept."""
        guidelines = Guidelines(self.history)
        if not question.offered or self._is_known(task, question):
            return guidelines.ask(question)
        while True:
            action = self.person.ask(task, question)
            if isinstance(action, Decide):
                self._record(question, action.reply)
                return action.reply
            if isinstance(action, Skip):
                self._skip(task, question)
                return guidelines.ask(question)
            self._act(task, action)

    def _skip(self, task: Task, question: Question) -> None:
        skipped = (task.system, question)
        self._skipped.append(skipped)
        self._steps.append(_Step(self._at, lambda: self._skipped.remove(skipped), kept=False))

    def _is_known(self, task: Task, question: Question) -> bool:
        if self.history.find(question.place, question.response) is not None:
            return True
        return any(
            system == task.system
            and other.place == question.place
            and equal(other.response, question.response)
            for system, other in self._skipped
        )

    def _act(self, task: Task, action: Action) -> None:
        """Carry out what is no answer to a question; most of it jumps elsewhere."""
        if isinstance(action, Quit):
            raise _Stop
        if isinstance(action, Back):
            self._go_back()
        elif isinstance(action, Repair):
            self._repair(task, action)

    def _record(self, question: Question, reply: Reply) -> None:
        self.history.record(question.place, recorded_entry(question, reply))
        self._done(lambda: self.history.forget(question.place, question.response))

    def _done(self, undo: Callable[[], None]) -> None:
        self._steps.append(_Step(self._at, undo))
        self._save()

    def _go_back(self) -> None:
        if not self._steps:
            self.person.refuse("there is nothing to take back")
            return
        step = self._steps.pop()
        step.undo()
        self._save()
        raise _Jump(step.at)

    def _repair(self, task: Task, action: Repair) -> None:
        keys, responses = task.key.sorted(action.message), task.response.sorted(action.message)
        problem = self._objection(task, action, keys, responses)
        if problem is not None:
            self.person.refuse(problem)
            return
        stored = self.history.pairings.setdefault(action.message, {})
        before = stored.get(task.system)
        stored[task.system] = completed(action.pairs, keys, responses)

        def undo() -> None:
            if before is None:
                self.history.forget_pairing(action.message, task.system)
            else:
                stored[task.system] = before

        self._done(undo)
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

    def _save(self) -> None:
        write_history(self.path, self.history)


@dataclass(frozen=True, slots=True)
class _SessionAdjudicator:
    """Lets a session answer the questions about one response."""

    session: Session
    task: Task

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""
        return self.session.answer(self.task, question)
