"""Span files: an object a line, with a text, its spans, and whether annotators accepted it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from tellapart.files import open_text, shown
from tellapart.formats.json_text import JsonError, parse_json
from tellapart.formats.problems import Complain, refuse

Span: TypeAlias = tuple[int, int, str]
"""First character, character after the last, label"""

ANSWERS: Final = ("accept", "reject", "ignore")
_SHAPE: Final = '{"text": …, "spans": [{"start": …, "end": …, "label": …}, …]}'


@dataclass(frozen=True, slots=True)
class SpanLine:
    """One text with its spans, each once."""

    number: int
    text: str
    spans: tuple[Span, ...]
    answer: str = "accept"
    ids: dict[str, str] = field(default_factory=dict)
    """What may serve as its id, by the key where it stands"""
    labels: dict[str, str] = field(default_factory=dict)
    repeated: int = 0
    """How many spans were there again"""


@dataclass(frozen=True, slots=True)
class SpanFile:
    """The lines of one file."""

    path: str
    lines: list[SpanLine]

    def place(self, line: SpanLine) -> str:
        """Return the file and a line, as messages name them."""
        return f"{shown(self.path)}:{line.number}"


def read_span_file(path: str | Path, *, complain: Complain = refuse) -> SpanFile:
    """Return the texts and spans of a file; what `complain` lets pass is left out."""
    lines: list[SpanLine] = []
    with open_text(path) as stream:
        for number, content in enumerate(stream, 1):
            if not content.strip():
                continue
            place = f"{shown(path)}:{number}"
            try:
                row = parse_json(content, place, f"give {_SHAPE}")
            except JsonError as error:
                complain(str(error))
                continue
            problems = list[str]()
            line = _line(row, number, problems)
            for problem in problems:
                complain(f"{place}: {problem}")
            if line is not None:
                lines.append(line)
    if not lines:
        complain(f"{shown(path)}: there is no text in this file; give {_SHAPE} a line")
    return SpanFile(str(path), lines)


def _line(row: Any, number: int, problems: list[str]) -> SpanLine | None:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        problems.append(f'there is no "text"; give {_SHAPE}')
        return None
    given = row.get("spans") or []
    if not isinstance(given, list):
        problems.append(f'"spans" is no list; give {_SHAPE}')
        return None
    answer = row.get("answer") or "accept"
    if answer not in ANSWERS:
        problems.append(f'"answer" is {answer!r}; it is {", ".join(ANSWERS)}, or left out')
        return None
    found = list(_spans(given, row, problems))
    spans = tuple(sorted(set(found)))
    ids, labels = _ids_and_labels(row)
    return SpanLine(number, row["text"], spans, answer, ids, labels, len(found) - len(spans))


def _spans(given: list[Any], row: dict[str, Any], problems: list[str]) -> Iterator[Span]:
    size = len(row["text"])
    for k, span in enumerate(given, 1):
        if not isinstance(span, dict) or not isinstance(span.get("label"), str):
            problems.append(f'span {k} has no "label"; give {_SHAPE}')
            continue
        start, end = _bounds(span, row.get("tokens"))
        if start is None or end is None:
            problems.append(f'span {k} has no "start" and "end" in whole numbers; give {_SHAPE}')
        elif not 0 <= start < end <= size:
            problems.append(
                f"span {k} goes from {start} to {end}, the text from 0 to {size}; start is before "
                "end, and end is the character after the last"
            )
        else:
            yield start, end, span["label"]


def _bounds(span: dict[str, Any], tokens: Any) -> tuple[int | None, int | None]:
    """Return the characters of a span; where it names only tokens, theirs (the last is inside)."""
    start, end = _integer(span.get("start")), _integer(span.get("end"))
    if start is None and end is None and isinstance(tokens, list):
        first, last = _integer(span.get("token_start")), _integer(span.get("token_end"))
        if first is not None and last is not None and 0 <= first <= last < len(tokens):
            ends = tokens[first], tokens[last]
            if all(isinstance(token, dict) for token in ends):
                return _integer(ends[0].get("start")), _integer(ends[1].get("end"))
    return start, end


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _ids_and_labels(row: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what names the line, and the plain values of `meta`."""
    meta = row.get("meta")
    plain = {
        key: json.dumps(value) if isinstance(value, bool) else str(value)
        for key, value in (meta.items() if isinstance(meta, dict) else ())
        if isinstance(value, str | int | float)
    }
    named = {"id": row.get("id"), "meta.id": plain.get("id"), "_input_hash": row.get("_input_hash")}
    ids = {key: str(value) for key, value in named.items() if isinstance(value, str | int)}
    return ids, plain
