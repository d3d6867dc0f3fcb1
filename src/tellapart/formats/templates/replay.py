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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError, Notice
from tellapart.files import open_text, shown
from tellapart.formats.records import parse_json
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import STATUSES, History, Pairs
from tellapart.formats.templates.muc_fills import FillError, parse_fill
from tellapart.formats.templates.questions import Guidelines, Question, Reply, recorded_entry
from tellapart.formats.templates.scoring import Alignment, Run, ScoredPair, Task, score_pair
from tellapart.formats.templates.values import Value, equal, upper_case
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


_ROWS: Final = {
    "revisits": ("system, message, key template, message gone back to", 4, 4),
    "pairings": ("system, message, [[key, response], …]", 3, 2),
    "answers": (
        "system, message, key template, response template, slot, number, response, reply", 8, 5
    ),
    "amendments": ("system, message, key template, slot, response", 5, 5),
}  # fmt: skip
"""What a row holds, how many things, and how many of them, the first ones, are texts"""
_SHAPE: Final = f"it has run_order, and rows of {', '.join(_ROWS)}"


def read_replay(path: str, design: Design) -> ReplayData:
    """Return the replay data of a JSON file; a row that means nothing is a DataError."""
    with open_text(path) as stream:
        data = parse_json(stream.read(), shown(path), "check the file", line=1)
    rows = _Rows(path, design, data if isinstance(data, dict) else {})
    if not isinstance(data, dict):
        raise rows.error(f"it is no object; {_SHAPE}")
    for key in data:
        if key not in ("run_order", *_ROWS):
            raise rows.error(f"it has the key {key!r}; {_SHAPE}")
    order = data.get("run_order")
    if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
        raise rows.error("it needs run_order, a list of the names of systems")
    if len(set(order)) < len(order):
        raise rows.error("a system is in run_order twice")
    return ReplayData(
        tuple(order), rows.revisits(), rows.pairings(), rows.answers(), rows.amendments()
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Turns the rows of a file into what they say."""

    path: str
    design: Design
    data: Mapping[str, Any]

    def error(self, why: str, place: str = "") -> DataError:
        return DataError(f"{shown(self.path)}: this is no replay data: {place}{why}")

    def _each(self, name: str) -> Iterator[tuple[str, list[Any]]]:
        """Yield the rows of a list with their places."""
        rows = self.data.get(name, [])
        words, width, texts = _ROWS[name]
        if not isinstance(rows, list):
            raise self.error(f"{name} is no list of rows [{words}]")
        for number, row in enumerate(rows, 1):
            place = f"row {number} of {name}: "
            if not isinstance(row, list) or len(row) != width:
                raise self.error(f"{str(row)[:60]} is not [{words}]", place)
            for value in row[:texts]:
                if not isinstance(value, str):
                    why = f"{value!r} is no text; names and numbers are in quotes"
                    raise self.error(why, place)
            yield place, row

    def _new(self, place: str, key: Any, known: Any) -> None:
        if key in known:
            raise self.error("there is another row on the same", place)

    def _kind(self, place: str, slot: str) -> str:
        """Return the kind of a slot."""
        if slot not in self.design.position:
            raise self.error(f"there is no slot {slot!r}", place)
        return self.design.scored[self.design.position[slot]].kind

    def revisits(self) -> dict[tuple[str, str, str], str]:
        found: dict[tuple[str, str, str], str] = {}
        for place, (system, message, key, back) in self._each("revisits"):
            self._new(place, (system, upper_case(message), key), found)
            found[system, upper_case(message), key] = upper_case(back)
        return found

    def pairings(self) -> dict[str, dict[str, Pairs]]:
        found: dict[str, dict[str, Pairs]] = {}
        for place, (system, message, pairs) in self._each("pairings"):
            if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
                why = f"{str(pairs)[:60]} are no pairs [key, response] of texts"
                raise self.error(why, place)
            of_system = found.setdefault(system, {})
            self._new(place, upper_case(message), of_system)
            of_system[upper_case(message)] = tuple((key, other) for key, other in pairs)
        return found

    def answers(self) -> dict[QuestionKey, Reply]:
        found: dict[QuestionKey, Reply] = {}
        for place, row in self._each("answers"):
            system, message, key, template, slot, turn, _, reply = row
            if type(turn) is not int or turn < 0:
                raise self.error(f"{turn!r} is no number of a question; they count from 0", place)
            question = system, upper_case(message), key, template, slot, turn
            self._new(place, question, found)
            self._kind(place, slot)
            found[question] = self._reply(place, reply)
        return found

    def _reply(self, place: str, reply: Any) -> Reply:
        told: list[Any] = reply if isinstance(reply, list) and reply else [None]
        status, *chosen = told
        if status not in STATUSES:
            why = f"a reply is [{', '.join(STATUSES)}, …], not {str(reply)[:60]}"
            raise self.error(why, place)
        if any(type(each) is not int or each < 0 for each in chosen):
            raise self.error(f"{chosen} are not numbers of the fills offered, from 0", place)
        if (status == "fail") == bool(chosen) or len(set(chosen)) < len(chosen):
            raise self.error(f"{reply} should name the fills that match, each once", place)
        return Reply(status, tuple(chosen))

    def amendments(self) -> dict[str, Sequence[Amendment]]:
        found: dict[str, list[Amendment]] = {}
        for place, (system, message, key, slot, response) in self._each("amendments"):
            kind = self._kind(place, slot)
            try:
                value = parse_fill(response, kind, self.design)
            except FillError as problem:
                why = f"{response!r} is no fill of {slot} ({problem})"
                raise self.error(why, place) from None
            amendment = Amendment(upper_case(message), key, slot, value)
            found.setdefault(system, []).append(amendment)
        return dict(found)


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(each is None or isinstance(each, str) for each in pair)
    )
