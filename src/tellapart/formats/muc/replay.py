"""Replaying the runs of a test set in their historical order, with the decisions of each.

Every run starts from the history that the runs before it left behind; answers, pairings and
amendments that the final history no longer shows are carried as data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tellapart.errors import Notice
from tellapart.formats.muc.history import History, Pairs
from tellapart.formats.muc.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.muc.scoring import Alignment, Run, ScoredPair, Task, score_pair
from tellapart.formats.muc.values import Value, equal
from tellapart.words import listed

QuestionKey: TypeAlias = tuple[str, str, str, str, str, int]
"""System, message, key template, response template, slot, number of the question"""


@dataclass(frozen=True, slots=True)
class Amendment:
    """An entry that was changed between two runs into what the final history has."""

    message: str
    key: str
    slot: str
    response: Value


@dataclass(frozen=True, slots=True)
class ReplayData:
    """What happened in the runs of a test set beyond what their files tell."""

    order: tuple[str, ...]
    revisits: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """Per system, message and key template: the message to which scoring went back"""
    pairings: Mapping[str, Mapping[str, Pairs]] = field(default_factory=dict)
    answers: Mapping[QuestionKey, Reply] = field(default_factory=dict)
    amendments: Mapping[str, Sequence[Amendment]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Answers as was answered in one run, and keeps the answers."""

    system: str
    data: ReplayData
    guidelines: Guidelines
    growing: History

    unused: set[QuestionKey]
    """The answers that no question has taken yet"""

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question, and record it."""
        q = question
        place = (self.system, q.message, q.key, q.response_template, q.slot.name, q.turn)
        reply = self.data.answers.get(place)
        if reply is None or any(i >= len(q.offered) for i in reply.chosen):
            reply = self.guidelines.ask(question)
        else:
            self.unused.discard(place)
        self.growing.record(question.place, recorded_entry(question, reply))
        return reply


def replay(tasks: Mapping[str, Task], data: ReplayData, final: History) -> dict[str, Run]:
    """Replay all runs in order, from an empty history; systems not in the order come last."""
    growing = History(pairings=final.pairings)
    runs = {}
    for system in [*data.order, *(name for name in tasks if name not in data.order)]:
        if system in tasks:
            runs[system] = _replay_run(tasks[system], data, final, growing)
    return runs


def _replay_run(task: Task, data: ReplayData, final: History, growing: History) -> Run:
    for amendment in data.amendments.get(task.system, ()):
        _amend(amendment, final, growing)
    alignment = task.align(growing, data.pairings.get(task.system))
    own = {place for place in data.answers if place[0] == task.system}
    recorder = _Recorder(task.system, data, Guidelines(final), growing, own)
    pairs = tuple(_with_revisits(task, alignment, data, recorder))
    return Run(task.system, task.design, pairs, task.relevance(), _unused(recorder))


def _unused(recorder: _Recorder) -> tuple[Notice, ...]:
    """Return a notice of answers that were about nothing that was asked."""
    if not recorder.unused:
        return ()
    places = ["/".join(map(str, place[1:])) for place in sorted(recorder.unused)]
    text = f"Answers of the replay to {recorder.system} that fit no question are not used: "
    text += f"{listed(places, 5)}."
    return (Notice("muc-replay-unused", text, (recorder.system,)),)


def _amend(amendment: Amendment, final: History, growing: History) -> None:
    place = (amendment.message, amendment.key, amendment.slot)
    for entry in final.at(place):
        if equal(amendment.response, entry.response):
            growing.record(place, entry)
            return


def _with_revisits(
    task: Task, alignment: Alignment, data: ReplayData, recorder: _Recorder
) -> Iterator[ScoredPair]:
    """Return the scores of pairs in order, going back once where the run did."""
    pending = dict(data.revisits)
    queue = [(message, pair) for message, pairs in alignment.items() for pair in pairs]
    at = 0
    while at < len(queue):
        message, pair = queue[at]
        yield score_pair(task, pair, recorder.growing, recorder)
        at += 1
        number = pair.key.number if pair.key else ""
        back = pending.pop((task.system, message, number), None)
        if back is not None:
            at = next((i for i, (other, _) in enumerate(queue) if other == back), at)
