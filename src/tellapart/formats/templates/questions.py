"""Questions about fills that nothing decides, and who answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tellapart.formats.templates.design import Slot
from tellapart.formats.templates.history import Entry, History, Place, Status
from tellapart.formats.templates.values import Optional, Value, equal, inner


@dataclass(frozen=True, slots=True)
class Question:
    """Is this response right after all? `offered` are the key fills it could be matched with."""

    message: str
    key: str
    response_template: str
    slot: Slot
    turn: int
    """How many questions came before it about this slot of this pair"""
    offered: tuple[Value, ...]
    response: Value

    @property
    def place(self) -> Place:
        """Where the history keeps the answer."""
        return self.message, self.key, self.slot.name


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; `chosen` are positions among the offered fills, none if it failed."""

    status: Status
    chosen: tuple[int, ...] = ()


class Adjudicator(Protocol):
    """A person or a rule that answers questions."""

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""


@dataclass(frozen=True, slots=True)
class Guidelines:
    """Answers from a finished history and, where that is silent, by the scoring guidelines."""

    history: History

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""
        if not question.offered:
            return Reply("fail")
        entry = self.history.find(question.place, question.response)
        if entry is not None:
            if entry.status == "fail":
                return Reply("fail")
            chosen = _recorded(question.offered, entry)
            if chosen is not None:
                return Reply(entry.status, chosen)
        # The right set fill with a wrong tag is half right.
        return Reply("partial", (0,)) if question.slot.is_set else Reply("fail")


@dataclass(frozen=True, slots=True)
class Listener:
    """Answers as static scoring does, and notes what people would be asked."""

    history: History
    asked: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question."""
        if question.offered and self.history.find(question.place, question.response) is None:
            self.asked.append(question)
        return Guidelines(self.history).ask(question)


def _recorded(offered: Sequence[Value], entry: Entry) -> tuple[int, ...] | None:
    """Return which offered fill each key value of an entry is; None if one is not there."""
    chosen: list[int] = []
    for value in entry.keys:
        left = [i for i in range(len(offered)) if i not in chosen]
        found = next((i for i in left if offered[i] == value), None)
        if found is None:
            found = next((i for i in left if equal(offered[i], value)), None)
        if found is None:
            found = next((i for i in left if _optional_equal(offered[i], value)), None)
        if found is None:
            return None
        chosen.append(found)
    return tuple(chosen)


def _optional_equal(fill: Value, recorded: Value) -> bool:
    return isinstance(fill, Optional) and equal(fill.content, inner(recorded))


def recorded_entry(question: Question, reply: Reply) -> Entry:
    """Return what the history keeps of an answer."""
    return Entry(question.response, reply.status, tuple(question.offered[i] for i in reply.chosen))
