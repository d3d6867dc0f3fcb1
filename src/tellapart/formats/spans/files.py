"""Span files: an object a line, with a text, its spans, and whether annotators accepted it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from tellapart.files import open_text, shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.problems import Findings, warn_of_lacking

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


def read_span_file(path: str | Path, problems: Findings | None = None) -> SpanFile:
    """Return the texts and spans of a file; what `problems` lets pass is left out."""
    problems = problems or Findings(strict=True)
    file = SpanFile(str(path), [])
    bare: list[str] = []
    with open_text(path) as stream:
        for number, content in enumerate(stream, 1):
            if not content.strip():
                continue
            place = f"{shown(path)}:{number}"
            with problems.of_file():
                row = parse_json(content, place, f"give {_SHAPE}")
                line = _line(row, number, place, problems)
                if line is not None:
                    file.lines.append(line)
                    bare += [] if "spans" in row else [place]
    if not file.lines:
        problems.complain(f"{shown(path)}: there is no text in this file; give {_SHAPE} a line")
    # Some tools leave the key out where there is no span. Where a file does both, it was lost.
    if len(bare) < sum(not line.spans for line in file.lines):
        for place in bare:
            problems.warn(f'{place}: there is no "spans"; the text was taken to have none')
    _warn_of_lacking_ids(file, problems)
    labels = [(file.place(line), line.labels.keys() - {"id"}) for line in file.lines]
    warn_of_lacking(labels, '"meta" of the name', problems)
    return file


def _warn_of_lacking_ids(file: SpanFile, problems: Findings) -> None:
    """Warn of lines that have no id where others have one: the order then pairs all lines."""
    for key in ("id", "meta.id"):
        lacking = [line for line in file.lines if key not in line.ids]
        if len(lacking) < len(file.lines):
            for line in lacking:
                problems.warn(
                    f"{file.place(line)}: there is no {key!r}, which other lines have; texts were "
                    "paired without it"
                )
            return


def _line(row: Any, number: int, place: str, problems: Findings) -> SpanLine | None:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        problems.complain(f'{place}: there is no "text"; give {_SHAPE}')
        return None
    given = row.get("spans")
    if not isinstance(given, list | None):
        problems.complain(f'{place}: "spans" is no list; give {_SHAPE}')
        return None
    other = next((key for key, value in row.items() if _are_spans(value)), None)
    if "spans" not in row and other is not None:
        problems.complain(f'{place}: there is no "spans", but a list {other!r}; give {_SHAPE}')
        return None
    answer = row.get("answer", "accept")
    answer = "accept" if answer is None else answer
    if answer not in ANSWERS:
        problems.complain(
            f'{place}: "answer" is {answer!r}; it is {", ".join(ANSWERS)}, or left out'
        )
        return None
    found = list(_spans(given or [], row, place, problems))
    spans = tuple(sorted(set(found)))
    ids, labels = _ids_and_labels(row)
    return SpanLine(number, row["text"], spans, answer, ids, labels, len(found) - len(spans))


def _are_spans(value: Any) -> bool:
    """Return whether these are spans, whatever the key is called."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(each, dict) and {"start", "end", "label"} <= each.keys() for each in value
        )
    )


def _spans(given: list[Any], row: dict[str, Any], place: str, problems: Findings) -> Iterator[Span]:
    size = len(row["text"])
    for k, span in enumerate(given, 1):
        label = span.get("label") if isinstance(span, dict) else None
        if not isinstance(label, str) or not label.strip():
            problems.complain(f'{place}: span {k} has no "label"; give {_SHAPE}')
            continue
        start, end = _bounds(span, row.get("tokens"))
        if start is None or end is None:
            problems.complain(
                f'{place}: span {k} has no "start" and "end" in whole numbers; give {_SHAPE}'
            )
        elif not 0 <= start < end <= size:
            problems.complain(
                f"{place}: span {k} goes from {start} to {end}, the text from 0 to {size}; start "
                "is before end, and end is the character after the last"
            )
        else:
            for what in _contradictions(span, row, (start, end)):
                problems.warn(
                    f"{place}: {what} of span {k} and its characters {start} to {end} disagree; "
                    "the characters were taken"
                )
            yield start, end, label


def _bounds(span: dict[str, Any], tokens: Any) -> tuple[int | None, int | None]:
    """Return the characters of a span; where it names only tokens, theirs."""
    start, end = _integer(span.get("start")), _integer(span.get("end"))
    if span.get("start") is None and span.get("end") is None:
        return _token_bounds(span, tokens) or (None, None)
    return start, end


def _token_bounds(span: dict[str, Any], tokens: Any) -> tuple[int | None, int | None] | None:
    """Return the characters of the tokens that a span names, the last being inside."""
    first, last = _integer(span.get("token_start")), _integer(span.get("token_end"))
    if first is None or last is None or not isinstance(tokens, list):
        return None
    if not 0 <= first <= last < len(tokens):
        return None
    ends = tokens[first], tokens[last]
    if not all(isinstance(token, dict) for token in ends):
        return None
    return _integer(ends[0].get("start")), _integer(ends[1].get("end"))


def _contradictions(
    span: dict[str, Any], row: dict[str, Any], bounds: tuple[int, int]
) -> Iterator[str]:
    """Yield what else a span says of its place that is not so."""
    tokens = _token_bounds(span, row.get("tokens"))
    if tokens is not None and None not in tokens and tokens != bounds:
        yield "the tokens"
    text = span.get("text")
    if isinstance(text, str) and text != row["text"][bounds[0] : bounds[1]]:
        yield "the text"


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
