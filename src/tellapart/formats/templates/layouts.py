"""Which layouts files of templates have, told from what is in them, and how each is read.

To add one: a function that tells a record of it, a function that reads a record as a document or a
part of one, and a `Layout` in `layouts()`. `kind` says what its documents hold, and so which
families of metrics can score them (`families.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, TypeAlias

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates import events, gtt
from tellapart.formats.templates.json_reader import JsonReader, guessed_schema
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.records import DOCUMENT_KEYS, Record, read_records
from tellapart.formats.templates.schema import Schema

TEMPLATES: Final = "templates"
"""Kind: templates with roles, whose fills are texts"""
FILLERS: Final = "role fillers"
"""Kind: entities by role, without templates"""
EVENTS: Final = "events with triggers"
"""Kind: events, whose triggers and arguments are spans of tokens"""

Read: TypeAlias = Callable[[Record, str, Findings, Mapping[str, Document]], Document]
"""Reads a record at a place; gold is at hand where these are predictions"""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to write templates down."""

    name: str
    kind: str
    recognises: Callable[[Record], bool]
    read: Read | None = None
    """None: as a schema says"""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """The documents of one file, by id, and how they were written down."""

    path: str
    layout: Layout
    documents: Mapping[str, Document] = field(default_factory=dict)


MUC: Final = Layout("MUC", TEMPLATES, lambda _: False)
"""Templates of the Message Understanding Conferences, which are no JSON (`muc_files.py`)"""
ANY: Final = Layout("any JSON", TEMPLATES, lambda _: True)


@cache
def layouts() -> tuple[Layout, ...]:
    """Return all layouts; a file is of the first one that recognises a record of it."""
    return (
        Layout("GRIT", FILLERS, gtt.is_grit, gtt.read_grit),
        Layout("GTT gold", TEMPLATES, gtt.is_gtt_gold, gtt.read_gtt_gold),
        Layout("GTT predictions", TEMPLATES, gtt.is_gtt_predictions, gtt.read_gtt_predictions),
        Layout("IterX", TEMPLATES, gtt.is_iterx, gtt.read_iterx),
        Layout("TextEE", EVENTS, events.is_events, events.read_events),
        ANY,
    )


def layout_of(records: Iterable[Record]) -> Layout:
    """Return the layout that the records have: the first that recognises one of them.

    >>> layout_of([Record([], 1, "d1"), Record({"pred_templates": []}, 1, "d2")]).name
    'GTT predictions'
    """
    known = layouts()
    # The last takes anything, so a record that says little decides only where all do.
    first = len(known) - 1
    for record in records:
        first = next((k for k in range(first) if known[k].recognises(record)), first)
        if not first:
            break
    return known[first]


def read_document_file(
    path: str,
    problems: Findings,
    schema: Schema | None = None,
    *,
    gold: bool = False,
    key: Mapping[str, Document] | None = None,
) -> DocumentFile:
    """Return the documents of a file of JSON, whichever layout it has.

    `key` are the gold documents, which predictions may refer to.
    """
    place = shown(path)
    told = None if schema is None else schema.document
    records = read_records(
        path, problems, DOCUMENT_KEYS if told is None else [keys[0] for keys in told if keys]
    )
    layout = ANY
    if records and (schema is None or not schema.lays_out):
        layout = layout_of(records)
    if layout.read is None:
        reader = JsonReader(schema or guessed_schema(records), place, problems, gold)
        documents = reader.documents(records)
    else:
        documents = _read(layout.read, records, place, problems, key or {})
    found: dict[str, Document] = {}
    for document in documents:
        known = found.get(document.id)
        if known is None:
            found[document.id] = document
        elif layout.read is not None and not {*known.windows} & {*document.windows}:
            found[document.id] = _joined(known, document)
        else:
            problems.complain(
                f"{place}:{document.line}: document {document.id!r} is there again, after line "
                f"{known.line}; give each document once"
            )
    if not found:
        problems.complain(f"{place}: there is no document in this file; give templates")
    for document in found.values():
        events.warn_of_windows(document, (key or {}).get(document.id), place, problems)
    return DocumentFile(path, layout, found)


def _read(
    read: Read,
    records: Sequence[Record],
    place: str,
    problems: Findings,
    key: Mapping[str, Document],
) -> Iterator[Document]:
    for record in records:
        with problems.of_file():
            yield read(record, f"{place}:{record.line}", problems, key)


def _joined(whole: Document, part: Document) -> Document:
    """Return a document that stands in several records."""
    return replace(
        whole,
        templates=whole.templates + part.templates,
        text=f"{whole.text}\n{part.text}".strip("\n"),
        windows=whole.windows + part.windows,
    )
