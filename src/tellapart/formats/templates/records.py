"""The records of a file of templates: JSON lines, a JSON array, or one object of documents."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.formats.records import parse_json, try_json

DOCUMENT_KEYS: Final = ("doc", "docid", "doc_id", "id", "doc_key")
"""What a record's document is called by, the first that is there"""
_BLANK: Final = re.compile(r"[ \t\r\n,:]*")
_REMEDY: Final = "give one record per document: JSON lines, a JSON array, or one object"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: what it holds, where it begins, and the key that it stands under, if any."""

    value: Any
    line: int
    key: str | None = None
    """The document, where records are the members of an object"""


def read_records(
    path: str, problems: Findings, document_keys: Collection[str] = DOCUMENT_KEYS
) -> list[Record]:
    """Return the records of a file; lines that `problems` lets pass are left out.

    An object with a key of a document is a record; any other holds a record per document.
    """
    with open_text(path) as stream:
        text = stream.read()
    return [
        record
        for line, tree, lines in _trees(path, text, problems)
        for record in _records(line, tree, lines, document_keys)
    ]


def _records(
    line: int, tree: Any, lines: list[int], document_keys: Collection[str]
) -> Iterator[Record]:
    """Yield the records of a JSON text: itself, or its members."""
    if isinstance(tree, dict) and not any(key in tree for key in (*document_keys, "sent_id")):
        starts = lines or [line] * len(tree)
        for (key, value), at in zip(tree.items(), starts, strict=True):
            yield Record(value, at, key)
    elif isinstance(tree, list):
        starts = lines or [line] * len(tree)
        for value, at in zip(tree, starts, strict=True):
            yield Record(value, at)
    else:
        yield Record(tree, line)


def _trees(path: str, text: str, problems: Findings) -> Iterator[tuple[int, Any, list[int]]]:
    """Yield each JSON text of a file, its line, and the lines of its members if it has several."""
    place = shown(path)
    filled = re.search(r"\S[^\n]*", text)
    if filled is None:
        problems.complain(f"{place}: the file is empty; {_REMEDY}")
        return
    if text[filled.end() :].strip() and try_json(filled[0]) is not None:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                with problems.of_file():
                    yield number, parse_json(line, f"{place}:{number}", "write the line again"), []
        return
    with problems.of_file():
        first = 1 + text.count("\n", 0, filled.start())
        tree = parse_json(text, place, _REMEDY, line=1)
        several = isinstance(tree, dict | list) and "\n" in text
        yield first, tree, _lines_of_members(text) if several else []


def _lines_of_members(text: str) -> list[int]:
    r"""Return the lines on which the members of an array or object begin.

    >>> _lines_of_members('{"d1": [],\n\n"d2":\n[]}'), _lines_of_members('[1,\n2]')
    ([1, 3], [1, 2])
    """
    decoder = json.JSONDecoder()
    start = text.find("{")
    array = text.find("[")
    is_object = array < 0 or 0 <= start < array
    place = (start if is_object else array) + 1
    lines: list[int] = []
    line, counted = 1, 0
    while True:
        place = _past_blanks(text, place)
        if text[place] in "]}":
            return lines
        line, counted = line + text.count("\n", counted, place), place
        lines.append(line)
        _, place = decoder.raw_decode(text, place)
        if is_object:
            _, place = decoder.raw_decode(text, _past_blanks(text, place))


def _past_blanks(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
