"""The records of a file of templates: JSON lines, a JSON array, or one object of documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.formats.records import parse_json, try_json

DOCUMENT_KEYS: Final = ("doc", "docid", "doc_id", "id", "doc_key")
"""What a record's document is called by, the first that is there"""
_REMEDY: Final = "give one record per document: JSON lines, a JSON array, or one object"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: what it holds, where, and the key that it stands under, if any."""

    value: Any
    place: str = ""
    """As messages name it"""
    key: str | None = None
    """The document, where records are the members of an object"""


def read_records(
    path: str, problems: Findings, document_keys: Collection[str] = DOCUMENT_KEYS
) -> list[Record]:
    """Return the records of a file; lines that `problems` lets pass are left out."""
    with open_text(path) as stream:
        text = stream.read()
    place = shown(path)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        problems.complain(f"{place}: the file is empty; {_REMEDY}")
    records: list[Record] = []
    if len(lines) == 1 or (lines and try_json(lines[0][1]) is not None):
        for number, line in lines:
            with problems.of_file():
                at = f"{place}:{number}"
                records += records_of(
                    parse_json(line, at, "write the line again"), at, document_keys
                )
    elif lines:
        with problems.of_file():
            records += records_of(parse_json(text, place, _REMEDY, line=1), place, document_keys)
    return records


def records_of(
    tree: Any, place: str = "", document_keys: Collection[str] = DOCUMENT_KEYS
) -> Iterator[Record]:
    """Yield the records of a JSON text: its members, or itself if it names a document.

    >>> [record.key for record in records_of({"d1": [], "d2": []})]
    ['d1', 'd2']
    """
    if isinstance(tree, dict) and not any(key in tree for key in (*document_keys, "sent_id")):
        for key, value in tree.items():
            yield Record(value, place, key)
    elif isinstance(tree, list):
        for value in tree:
            yield Record(value, place)
    else:
        yield Record(tree, place)
