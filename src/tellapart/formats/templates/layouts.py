"""Which layouts files of templates have, told from what is in them, and how each is read.

To add one: a function that tells a record of it, a function that reads all records of a file as
documents, and a `Layout` in `layouts()`. `kind` says what its documents hold, and so which families
of metrics can score them (`families.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.records import DOCUMENT_KEYS, Record, read_records

if TYPE_CHECKING:
    from tellapart.formats.templates.format import TemplateOptions
    from tellapart.formats.templates.schema import Schema

TEMPLATES: Final = "templates"
"""Kind: templates with roles, whose entities are texts"""
FILLERS: Final = "role fillers"
"""Kind: entities by role, without templates"""
EVENTS: Final = "events with triggers"
"""Kind: events, whose triggers and arguments are spans of tokens"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader is told beside the records of a file."""

    path: str
    """As messages name it"""
    problems: Findings
    options: TemplateOptions
    gold: bool
    """Whether this is the gold file"""
    key: Mapping[str, Document] = field(default_factory=dict)
    """The gold documents, where these are predictions and gold is known"""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to write templates down."""

    name: str
    kind: str
    recognises: Callable[[Record], bool]
    read: Callable[[Iterable[Record], Reading], Iterable[Document]]

    @property
    def is_any(self) -> bool:
        """Whether this is no layout of somebody's, but what fits anything."""
        return self is layouts()[-1]


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The documents of one file, by id, and how they were written down."""

    path: str
    layout: Layout
    documents: Mapping[str, Document]
    schema: Schema | None = None
    """What explained its records, if they are not of the usual shape"""


MUC: Final = Layout("MUC", TEMPLATES, lambda _: False, lambda *_: [])
"""Templates of the Message Understanding Conferences, which are no JSON (`muc_files.py`)"""


@cache
def layouts() -> tuple[Layout, ...]:
    """Return all layouts; a file is of the first one that recognises a record of it."""
    from tellapart.formats.templates import events, generic, gtt

    return (
        Layout("GRIT", FILLERS, gtt.is_grit, gtt.read_grit),
        Layout("GTT gold", TEMPLATES, gtt.is_gtt_gold, gtt.read_gtt_gold),
        Layout("GTT predictions", TEMPLATES, gtt.is_gtt_predictions, gtt.read_gtt_predictions),
        Layout("IterX", TEMPLATES, gtt.is_iterx, gtt.read_iterx),
        Layout("TextEE", EVENTS, events.is_events, events.read_events),
        Layout("any JSON", TEMPLATES, lambda _: True, generic.read_generic),
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


def read_template_file(
    path: str,
    problems: Findings,
    options: TemplateOptions,
    *,
    gold: bool = False,
    key: Mapping[str, Document] | None = None,
) -> TemplateFile:
    """Return the documents of a file, whichever layout it has.

    `key` are the gold documents, which predictions may refer to.
    """
    from tellapart.formats.templates.mapped import Mapped, guessed_layout
    from tellapart.formats.templates.muc_files import is_muc, read_muc
    from tellapart.formats.templates.schema import read_schema

    reading = Reading(shown(path), problems, options, gold, key or {})
    if is_muc(path):
        return TemplateFile(path, MUC, {each.id: each for each in read_muc(reading, path)})
    schema = None if options.schema is None else read_schema(options.schema)
    told = None if schema is None or schema.document is None else schema.document
    records = read_records(
        path, problems, DOCUMENT_KEYS if told is None else [keys[0] for keys in told if keys]
    )
    layout = layout_of(records) if records and (schema is None or not schema.lays_out) else None
    mapped = None
    if layout is None or layout.is_any:
        layout = layouts()[-1]
        known = schema or guessed_layout(records)
        if known is not None:
            mapped = Mapped(known, reading.path, problems, gold)
            mapped.say_guess()
            records = list(mapped.records(records))
    found: dict[str, Document] = {}
    for document in layout.read(records, reading):
        if mapped is not None:
            mapped.check(document)
        if document.id in found:
            problems.complain(
                f"{reading.path}:{document.line}: document {document.id!r} is there again, after "
                f"line {found[document.id].line}; give each document once"
            )
        else:
            found[document.id] = document
    if not found:
        problems.complain(f"{reading.path}: there is no document in this file; give templates")
    return TemplateFile(path, layout, found, None if mapped is None else mapped.schema)
