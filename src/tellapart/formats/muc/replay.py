"""Replaying the runs of a test set in their historical order, with the decisions of each.

Every run starts from the history that the runs before it left behind; answers, pairings and
amendments that the final history no longer shows are carried as data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.muc.fills import FillError, parse_fill
from tellapart.formats.muc.history import STATUSES, History, Pairs
from tellapart.formats.muc.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.muc.scoring import Alignment, Run, ScoredPair, Task, score_pair
from tellapart.formats.muc.slots import Design
from tellapart.formats.muc.values import Value, equal, upper_case

_QuestionKey: TypeAlias = tuple[str, str, str, str, str, int]
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
    answers: Mapping[_QuestionKey, Reply] = field(default_factory=dict)
    amendments: Mapping[str, Sequence[Amendment]] = field(default_factory=dict)


def read_replay(path: str, design: Design) -> ReplayData:
    """Return the replay data of a JSON file: run_order, revisits, pairings, answers, amendments."""
    data = _json(path)
    try:
        amendments: dict[str, list[Amendment]] = {}
        for system, message, key, slot, response in data.get("amendments", []):
            kind = design.scored[design.position[slot]].kind
            amendment = Amendment(message, key, slot, parse_fill(response, kind, design))
            amendments.setdefault(system, []).append(amendment)
        return ReplayData(
            tuple(map(str, data["run_order"])),
            {(s, m, key): back for s, m, key, back in data.get("revisits", [])},
            _pairings(data.get("pairings", [])),
            {tuple(question): _reply(reply) for *question, _, reply in data.get("answers", [])},
            amendments,
        )
    except (ValueError, KeyError, TypeError, AttributeError, FillError) as problem:
        raise _no_replay(path, problem) from None


def read_pairings(path: str) -> dict[str, dict[str, Pairs]]:
    """Return pairings alone: `[[system, message, [[key, response], …]], …]`, or of replay data."""
    data = _json(path)
    try:
        return _pairings(data["pairings"] if isinstance(data, dict) else data)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise _no_replay(path, problem) from None


def _json(path: str) -> Any:
    with open_text(path) as stream:
        return parse_json(stream.read(), shown(path), "check the file", line=1)


def _no_replay(path: str, problem: Exception) -> DataError:
    return DataError(
        f"{path}: this is no replay data ({type(problem).__name__}: {problem}); it has run_order, "
        "and pairings as [system, message, [[key, response], …]]"
    )


def _pairings(rows: Sequence[Any]) -> dict[str, dict[str, Pairs]]:
    found: dict[str, dict[str, Pairs]] = {}
    for system, message, pairs in rows:
        of_system = found.setdefault(system, {})
        of_system[upper_case(message)] = tuple((key, other) for key, other in pairs)
    return found


def _reply(reply: Sequence[Any]) -> Reply:
    status, *chosen = reply
    if status not in STATUSES:
        raise ValueError(f"a reply is {', '.join(STATUSES)}, not {status!r}")
    return Reply(status, tuple(map(int, chosen)))


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Answers as was answered in one run, and keeps the answers."""

    system: str
    data: ReplayData
    guidelines: Guidelines
    growing: History

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question, and record it."""
        q = question
        known = (self.system, q.message, q.key, q.response_template, q.slot.name, q.turn)
        reply = self.data.answers.get(known)
        if reply is None or any(i >= len(q.offered) for i in reply.chosen):
            reply = self.guidelines.ask(question)
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
    recorder = _Recorder(task.system, data, Guidelines(final), growing)
    pairs = tuple(_with_revisits(task, alignment, data, recorder))
    return Run(task.system, task.design, pairs, task.relevance())


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
