"""The records of a file of templates: JSON lines, a JSON array, or one object of documents."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from typing import IO, Any, Final, cast

from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.formats.records import parse_json, try_json

DOCUMENT_KEYS: Final = ("doc", "docid", "doc_id", "id", "doc_key")
"""What a record's document is called by, the first that is there"""
LARGE = 1 << 25  # characters of a file; of more, neither its text nor its documents are kept
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
) -> Iterable[Record]:
    """Return the records of a file; lines that `problems` lets pass are left out.

    An object with a key of a document is a record; any other holds a record per document. Large
    files of JSON lines are read each time that somebody goes through their records.
    """
    with open_text(path) as stream:
        text = stream.read(LARGE) + stream.readline()
        if len(text) >= LARGE and problems.strict and _is_lines(text):
            return RecordsOfLines(path, problems, document_keys)
        text += stream.read()
    return records_of(text, path, problems, document_keys)


@dataclass(frozen=True, slots=True)
class RecordsOfLines:
    """The records of a large file of JSON lines."""

    path: str
    problems: Findings
    document_keys: Collection[str]

    def __iter__(self) -> Iterator[Record]:
        with open_text(self.path, encoding="utf-8") as stream:
            # By bytes: only line feeds end a line.
            lines = cast(IO[bytes], cast(TextIOWrapper, stream).buffer)
            for number, line in enumerate(lines, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    place = f"{shown(self.path)}:{number}"
                    tree = parse_json(text.removesuffix("\n"), place, "write the line again")
                    yield from _records(number, tree, [], self.document_keys)


def _is_lines(text: str) -> bool:
    """Return whether a text begins with a line of JSON, and goes on."""
    filled = re.search(r"\S[^\n]*\n", text)
    return filled is not None and try_json(filled[0]) is not None


def records_of(
    text: str, path: str, problems: Findings, document_keys: Collection[str] = DOCUMENT_KEYS
) -> list[Record]:
    """Return the records of the text of a file."""
    records: list[Record] = []
    for line, tree, lines in _trees(path, text, problems):
        records += _records(line, tree, lines, document_keys)
    return records


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
