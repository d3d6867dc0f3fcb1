"""What the readers of exports share: parts of rows, samples by system and task, names of items.

Tracing platforms and small harnesses write one row per item, in lines of JSON, in an array or as a
table; `rows` reads them. Here is what becomes of the rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from tellapart.errors import Notice
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Key,
    Log,
    Sample,
    as_text,
    parse_log,
    scalar_labels,
)
from tellapart.formats.logs.rows import Numbers, Row
from tellapart.formats.problems import Findings, warn_of_lacking

INPUTS: Final = "their inputs"
_LONGEST_NAME: Final = 60
_SHOWN: Final = 60
_DECODER: Final = json.JSONDecoder()


@lru_cache(maxsize=16)
def first_object(head: Head) -> dict[str, Any]:
    r"""Return the first JSON object of a file, or nothing if it does not begin with a whole one.

    >>> first_object(Head("x", b'[{"a": 1}, {"a": 2}]', whole=True))
    {'a': 1}
    """
    try:
        found, _ = _DECODER.raw_decode(head.text.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def part(row: Row, name: str) -> dict[str, Any]:
    """Return an object inside a row; in a table it is a cell with JSON.

    >>> part(Row("a.csv:2", {"scores": '{"f1": 0.5}'}), "scores")
    {'f1': 0.5}
    """
    found = row.fields.get(name)
    if isinstance(found, str) and found.lstrip().startswith("{"):
        found = parse_log(found, f"{row.place}, {name}")
    return found if isinstance(found, dict) else {}


def text(row: Row, *names: str) -> str:
    """Return the first of these fields that says anything, as a text.

    >>> text(Row("a.csv:2", {"id": 7, "name": ""}), "name", "id")
    '7'
    """
    for name in names:
        found = row.fields.get(name)
        if found is not None and found != "":
            return as_text(found)
    return ""


def under(row: Row, *prefixes: str) -> dict[str, Any]:
    """Return the fields whose names begin so, without that beginning.

    >>> under(Row("a.csv:2", {"feedback.f1": "1", "id": "x"}), "feedback.")
    {'f1': '1'}
    """
    return {
        name.removeprefix(prefix): value
        for name, value in row.fields.items()
        for prefix in prefixes
        if name.startswith(prefix)
    }


@dataclass(slots=True)
class Gathered:
    """The samples of one file by system and task, and what is wrong with their values."""

    path: str
    problems: Findings
    samples: dict[tuple[str, str, str], list[Sample]] = field(default_factory=dict)
    """By system, task and group"""
    pairing: str = ""
    """What items are paired by, where they have no ids that all runs share"""
    seen: dict[str, str] = field(default_factory=dict)
    """Rows by their own ids: where each stands"""
    _labels: list[tuple[str, Collection[str]]] = field(default_factory=list)
    _numbers: Numbers | None = None

    def is_new(self, row: Row) -> bool:
        """Return whether a row is there for the first time, by its own id, if it has one."""
        identity = text(row, "id")
        first = self.seen.setdefault(identity, row.place) if identity else row.place
        if first != row.place:
            self.problems.complain(
                f"{row.place}: the id {identity!r} is already there, in {first}; keep one of the "
                "rows"
            )
        return first == row.place

    def add(self, sample: Sample, system: str = "", task: str = "", group: str = "") -> None:
        """Add the next sample."""
        self.samples.setdefault((system, task, group), []).append(sample)

    def values(self, fields: Mapping[Key, Any], place: str) -> dict[Key, float]:
        """Return those of the values that are numbers; what is none is a fault of its key."""
        if self._numbers is None:
            # In a table everything is a text.
            cells = not read_head(self.path).text.lstrip().startswith(("{", "["))
            self._numbers = Numbers(problems=None if cells else self.problems)
        return self._numbers.of({key[0]: value for key, value in fields.items()}, place)

    def labels(self, fields: Any, origin: str, place: str) -> dict[str, str]:
        """Return the labels of a row; those that most others have and it lacks are told."""
        labels = scalar_labels(fields, origin)
        self._labels.append((place, labels.keys()))
        return labels

    def logs(self, **more: Any) -> list[Log]:
        """Return a log for each system and task; `more` is what all of them have."""
        if not self.samples and not self.problems.fatal:
            self.problems.complain(f"{shown(self.path)}: there are no items; give a finished run")
        if self.pairing:
            text = f"Items are paired by {self.pairing}, since ids differ from run to run."
            more["notices"] = (Notice("pairing", text),)
        warn_of_lacking(self._labels, "label", self.problems, NOT_EMPTY)
        return [
            Log(self.path, tuple(found), system=system, task=task, group=group,
                faults=self._numbers.faults if self._numbers else {}, **more)
            for (system, task, group), found in self.samples.items()
        ]  # fmt: skip


def item_of(text: str) -> str:
    """Return a name for an item that is known by its input alone.

    >>> item_of("What is 2 + 2?")
    'What is 2 + 2?'
    >>> item_of("word " * 50)
    'word word word word word word word word… (3a0a356c)'
    """
    line = " ".join(text.split())
    if line == text and len(line) <= _LONGEST_NAME:
        return line
    import hashlib

    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{line[: _LONGEST_NAME - 20].rstrip()}… ({mark})"


def plain_text(value: Any) -> str:
    r"""Return what a value says: the text inside an object of one, a conversation line by line.

    >>> plain_text({"question": "Who?"}), plain_text(["a", "b"])
    ('Who?', 'a\nb')
    >>> plain_text([{"role": "user", "content": "Who?"}])
    'user: Who?'
    """
    if value is None:
        return ""
    if isinstance(value, dict) and len(value) == 1:
        return plain_text(next(iter(value.values())))
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    if isinstance(value, list) and all(_is_message(each) for each in value):
        return "\n".join(f"{each['role']}: {plain_text(each['content'])}" for each in value)
    return as_text(value)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and "content" in value
