"""Replaying the runs of a test set in their historical order, with the decisions of each.

Every run starts from the history that the runs before it left behind; answers, pairings and
amendments that the final history no longer shows are carried as data.

What happened in the runs is read from JSON, which has
`run_order`, and lists of rows: `revisits` (system, message, key template, message gone back to),
`pairings` (system, message, pairs of template numbers), `answers` (system, message, key template,
response template, slot, number of the question, the response as a remark, reply) and `amendments`
(system, message, key template, slot, response).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.records import read_json
from tellapart.formats.templates.alignment import Pair
from tellapart.formats.templates.history import (
    STATUSES,
    Entry,
    Fill,
    History,
    Pairs,
    Question,
    Reply,
    by_guidelines,
)
from tellapart.formats.templates.muc_fills import FillError, parse_fill
from tellapart.formats.templates.muc_reader import TemplateFile
from tellapart.formats.templates.scoring import Alignment, Run, Task, score_pair

QuestionKey: TypeAlias = tuple[str, str, str, str, str, int]
"""System, message, key template, response template, slot, number of the question"""


@dataclass(frozen=True, slots=True)
class ReplayData:
    """What happened in the runs of a test set beyond what their files tell."""

    order: tuple[str, ...]
    revisits: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Per system, message and key template: the message to which scoring went back"""
    pairings: dict[str, dict[str, Pairs]] = field(default_factory=dict)
    answers: dict[QuestionKey, Reply] = field(default_factory=dict)
    amendments: dict[str, list[Fill]] = field(default_factory=dict)
    """Entries that were changed before a system's run into what the final history has"""


def replay(tasks: Mapping[str, Task], data: ReplayData, final: History) -> dict[str, Run]:
    """Replay all runs in order, from an empty history; systems not in the order come last."""
    growing = History(pairings=final.pairings)
    runs = {}
    for system in [*data.order, *(name for name in tasks if name not in data.order)]:
        if system in tasks:
            runs[system] = _replay_run(tasks[system], data, final, growing)
    return runs


def _replay_run(task: Task, data: ReplayData, final: History, growing: History) -> Run:
    for fill in data.amendments.get(task.system, ()):
        if entry := final.find(fill.place, fill.response):
            growing.record(fill.place, entry)

    def answer(q: Question) -> Reply:
        """Answer as was answered in this run, and record it."""
        place = (task.system, q.message, q.key, q.response_template, q.slot.name, q.turn)
        reply = data.answers.get(place)
        if reply is None or any(i >= len(q.offered) for i in reply.chosen):
            reply = by_guidelines(final, q)
        keys = tuple(q.offered[i] for i in reply.chosen)
        growing.record(q.place, Entry(q.response, reply.status, keys))
        return reply

    alignment = task.align(growing, data.pairings.get(task.system))
    pairs = _with_revisits(task, alignment, data)
    scored = tuple(score_pair(task, pair, growing, answer) for pair in pairs)
    return Run(task.system, task.design, scored, task.relevance())


def _with_revisits(task: Task, alignment: Alignment, data: ReplayData) -> Iterator[Pair]:
    """Yield the pairs in order, going back once where the run did."""
    pending = dict(data.revisits)
    queue = [(message, pair) for message, pairs in alignment.items() for pair in pairs]
    at = 0
    while at < len(queue):
        message, pair = queue[at]
        yield pair
        at += 1
        number = pair.key.number if pair.key else ""
        back = pending.pop((task.system, message, number), None)
        if back is not None:
            at = next((i for i, (other, _) in enumerate(queue) if other == back), at)


_ROWS: Final = {
    "revisits": "system, message, key template, message gone back to",
    "pairings": "system, message, [[key, response], …]",
    "answers": "system, message, key template, response template, slot, number, response, reply",
    "amendments": "system, message, key template, slot, response",
}
"""What the rows of a replay hold"""


def read_replay(path: str, key: TemplateFile, tasks: Mapping[str, Task]) -> ReplayData:
    """Return the replay data of a JSON file; a row that means nothing here is a DataError."""
    tree = read_json(path, "check the file")
    match tree:
        case {"run_order": [*order]} if not tree.keys() - {"run_order", *_ROWS}:
            data = ReplayData(tuple(map(str, order)))
        case _:
            raise DataError(
                f"{shown(path)}: this is no replay data; give run_order and {', '.join(_ROWS)}"
            )
    for name, columns in _ROWS.items():
        rows = tree.get(name, [])
        for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
            try:
                _add(data, name, row, key, tasks)
            except (TypeError, ValueError, LookupError, AttributeError, FillError):
                raise DataError(
                    f"{shown(path)}: row {number} of {name}, {str(row)[:60]}, does not fit the "
                    f"files; give [{columns}]"
                ) from None
    return data


def _add(
    data: ReplayData, name: str, row: Any, key: TemplateFile, tasks: Mapping[str, Task]
) -> None:
    """Take down what a row says; any error of a value or type says that it says nothing."""
    design = next(iter(tasks.values())).design
    match name, row:
        case "revisits", [str() as system, str() as message, str() as number, str() as back]:
            data.revisits[system, message, number] = back
            named = [(message, number), (back, "")]
        case "pairings", [str() as system, str() as message, [*pairs]]:
            made = tuple((ours, theirs) for ours, theirs in pairs)
            data.pairings.setdefault(system, {})[message] = made
            named = [(message, "")]
            if system in tasks and not tasks[system].fits(message, made):
                raise ValueError(row)
        case "answers", [*place, str() as slot, int() as turn, _, [status, *chosen]]:
            if status not in STATUSES or slot not in design.position:
                raise ValueError(row)
            system, message, number, template = place
            reply = Reply(status, tuple(map(int, chosen)))
            data.answers[system, message, number, template, slot, turn] = reply
            named = [(message, number)]
        case "amendments", [str() as system, str() as message, str() as number, slot, response]:
            kind = design.scored[design.position[slot]].kind
            fill = Fill((message, number, slot), parse_fill(response, kind, design))
            data.amendments.setdefault(system, []).append(fill)
            named = [(message, number)]
        case _:
            raise ValueError(row)
    for message, number in named:
        if number not in {"", *(each.number for each in key.messages[message])}:
            raise ValueError(row)
