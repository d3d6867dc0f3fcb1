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

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError, Notice
from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.formats.records import parse_json
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import (
    STATUSES,
    Entry,
    Fill,
    Guidelines,
    History,
    Pairs,
    Question,
    Reply,
    shown_pairs,
)
from tellapart.formats.templates.muc_fills import FillError, parse_fill
from tellapart.formats.templates.muc_reader import TemplateFile
from tellapart.formats.templates.scoring import Alignment, Run, ScoredPair, Task, score_pair
from tellapart.formats.templates.values import upper_case
from tellapart.words import listed

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
        keys = tuple(q.offered[i] for i in reply.chosen)
        self.growing.record(q.place, Entry(q.response, reply.status, keys))
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
    for fill in data.amendments.get(task.system, ()):
        if entry := final.find(fill.place, fill.response):
            growing.record(fill.place, entry)
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


_ROWS: Final = {
    "revisits": "system, message, key template, message gone back to",
    "pairings": "system, message, [[key, response], …]",
    "answers": "system, message, key template, response template, slot, number, response, reply",
    "amendments": "system, message, key template, slot, response",
}
"""What the rows of a replay hold"""


def read_replay(path: str, design: Design) -> ReplayData:
    """Return the replay data of a JSON file; a row that means nothing is a DataError."""
    with open_text(path) as stream:
        tree = parse_json(stream.read(), shown(path), "check the file", line=1)
    place = f"{shown(path)}: this is no replay data"
    order = tree.get("run_order") if isinstance(tree, dict) else None
    if (
        not isinstance(order, list)
        or not all(isinstance(name, str) for name in order)
        or len({*order}) < len(order)
        or tree.keys() - {"run_order", *_ROWS}
    ):
        raise DataError(
            f"{place}: give an object with run_order, which names each system once, and lists of "
            f"rows, {', '.join(_ROWS)}"
        )
    data = ReplayData(tuple(order))
    for name, columns in _ROWS.items():
        rows = tree.get(name, [])
        for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
            try:
                _add(data, name, row, design)
            except (TypeError, ValueError, LookupError, AttributeError, FillError):
                raise DataError(
                    f"{place}: row {number} of {name}, {str(row)[:60]}, is not [{columns}], or is "
                    "there again"
                ) from None
    return data


def _add(data: ReplayData, name: str, row: list[Any], design: Design) -> None:
    """Take down what a row says; any error of a value or type says that it says nothing."""
    if not all(isinstance(each, str) for each in row[: 2 if name == "pairings" else 5]):
        raise TypeError(row)
    system, message, *rest = row
    message = upper_case(message)
    if name == "revisits":
        key, back = rest
        _put(data.revisits, (system, message, key), upper_case(back))
    elif name == "pairings":
        (pairs,) = rest
        made = tuple((key, response) for key, response in pairs)
        if not all(isinstance(number, str | None) for pair in made for number in pair):
            raise TypeError(row)
        _put(data.pairings.setdefault(system, {}), message, made)
    elif name == "answers":
        key, template, slot, turn, _, (status, *chosen) = rest
        fits = status in STATUSES and (status == "fail") == (not chosen)
        numbers = all(type(each) is int and each >= 0 for each in (turn, *chosen))
        if not fits or not numbers or slot not in design.position:
            raise ValueError(row)
        reply = Reply(status, tuple(chosen))
        _put(data.answers, (system, message, key, template, slot, turn), reply)
    else:
        key, slot, response = rest
        kind = design.scored[design.position[slot]].kind
        fill = Fill((message, key, slot), parse_fill(response, kind, design))
        data.amendments.setdefault(system, []).append(fill)


def _put(rows: dict[Any, Any], key: Hashable, value: object) -> None:
    if key in rows:
        raise ValueError(key)
    rows[key] = value


def check_replay(
    path: str, key: TemplateFile, tasks: Mapping[str, Task], data: ReplayData, problems: Findings
) -> None:
    """Complain of a replay about messages, templates or pairings that are not there."""
    named = [(message, number) for _, message, number, *_ in data.answers]
    named += [(message, number) for _, message, number in data.revisits]
    named += [(message, "") for message in data.revisits.values()]
    named += [(message, "") for made in data.pairings.values() for message in made]
    named += [fill.place[:2] for made in data.amendments.values() for fill in made]
    for message, number in dict.fromkeys(named):
        known = {"", *(each.number for each in key.messages.get(message, ()))}
        if message not in key.messages or number not in known:
            problems.complain(
                f"{shown(path)}: it is about template {number!r} of {message!r}, which the key "
                "does not have"
            )
    for system, task in tasks.items():
        for message, pairs in data.pairings.get(system, {}).items():
            if message in key.messages and not task.fits(message, pairs):
                problems.complain(
                    f"{shown(path)}: {system}, {message}: the pairing {shown_pairs(pairs)!r} names "
                    "templates that are not there, or one twice"
                )
