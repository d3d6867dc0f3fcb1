"""Which layouts files of templates have, told from what is in them, and how each is read.

The files of GTT, GRIT and IterX are read as they are: predictions keep equal templates and empty
entities, which the scorers of the field count; gold drops them, as these scorers do. Predictions
have numbers of documents where gold has names (`same_document`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates import textee
from tellapart.formats.templates.json_reader import JsonReader, guessed_schema
from tellapart.formats.templates.model import (
    DOCUMENT_KEYS,
    Document,
    Record,
    read_records,
)
from tellapart.formats.templates.muc_reader import TemplateFile
from tellapart.formats.templates.schema import TEMPLATE_KEYS, TYPE_KEYS, Schema

TEMPLATES: Final = "templates"
"""Kind: templates with roles, whose fills are texts"""
FILLERS: Final = "role fillers"
"""Kind: entities by role, without templates"""
EVENTS: Final = "events with triggers"
"""Kind: events, whose triggers and arguments are spans of tokens"""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to write templates down; `kind` says which families of metrics can score it."""

    name: str
    kind: str
    recognises: Callable[[Record], bool]
    schema: Schema | None = None
    """Where things stand; None: as the user's schema says, or a guess"""
    in_parts: bool = False
    """Whether a document may stand in several records"""
    distinct: bool = False
    """Whether a template that is there again counts once"""
    unit: str = "document"
    """What its documents are called"""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """The documents of one file, by id, and how they were written down."""

    path: str
    layout: Layout
    documents: Mapping[str, Document] = field(default_factory=dict)
    filled: TemplateFile | None = None
    """Of a file of 1992, its templates as they stand there"""


MUC: Final = Layout("MUC", TEMPLATES, lambda _: False, unit="message")
"""Templates of the Message Understanding Conferences, which are no JSON (`muc_files.py`)"""
ANY: Final = Layout("any JSON", TEMPLATES, lambda _: True)


def _has(*keys: str) -> Callable[[Record], bool]:
    """Return what recognises records that are objects with some keys."""
    return lambda record: isinstance(record.value, dict) and record.value.keys() >= {*keys}


def _are_templates(value: Any, types: Collection[str] = TYPE_KEYS) -> bool:
    """Return whether these are templates, each with a type under one of some keys."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) and any(key in each for key in types) for each in value)
    )


_ITERX: Final = Schema(
    "IterX",
    type=(("incident_type",),),
    as_it_is=True,
    spelled={role.lower(): role for role in ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")},
)


def _at(key: str, *, as_it_is: bool = False) -> Schema:
    return replace(_ITERX, name=key, templates=((key,),), as_it_is=as_it_is)


LAYOUTS: Final = (
    Layout("GRIT gold", FILLERS, _has("extracts"), _at("extracts")),
    Layout("GRIT predictions", FILLERS, _has("pred_extracts"), _at("pred_extracts", as_it_is=True)),
    Layout(
        "GTT gold",
        TEMPLATES,
        _has("docid", "doctext", "templates"),
        _at("templates"),
        distinct=True,
    ),
    Layout(
        "GTT predictions",
        TEMPLATES,
        lambda record: record.key is not None and _has("pred_templates")(record),
        _at("pred_templates", as_it_is=True),
    ),
    Layout(
        "IterX",
        TEMPLATES,
        lambda record: record.key is not None and _are_templates(record.value, ("incident_type",)),
        _ITERX,
        in_parts=True,
    ),
    Layout("TextEE", EVENTS, _has("event_mentions"), in_parts=True),
    ANY,
)
"""A file is of the first one that recognises a record of it"""


def is_telling(record: Record) -> bool:
    """Return whether a record is one of templates for sure.

    >>> is_telling(Record({"doc": "d1", "templates": [{"type": "sale"}]}))
    True
    >>> is_telling(Record({"id": "q1", "events": 3}))
    False
    """
    if any(layout.recognises(record) for layout in LAYOUTS[:-1]):
        return True
    if record.key is not None:
        return _are_templates(record.value)
    held = [record.value[key] for key in TEMPLATE_KEYS if key in record.value]
    return any(each == [] or _are_templates(each) for each in held)


def layout_of(records: Collection[Record]) -> Layout:
    """Return the layout that the records have: the first that recognises one of them.

    >>> layout_of([Record([], "", "d1"), Record({"pred_templates": []}, "", "d2")]).name
    'GTT predictions'
    """
    # The last takes anything, so a record that says little decides only where all do.
    return next((each for each in LAYOUTS if any(map(each.recognises, records))), ANY)


def read_document_file(
    path: str,
    problems: Findings,
    schema: Schema | None = None,
    *,
    gold: bool = False,
) -> DocumentFile:
    """Return the documents of a file of JSON, whichever layout it has."""
    place = shown(path)
    told = None if schema is None else schema.document
    records = read_records(
        path, problems, DOCUMENT_KEYS if told is None else [keys[0] for keys in told if keys]
    )
    layout = layout_of(records) if schema is None or not schema.lays_out else ANY
    if layout.kind == EVENTS:
        documents = textee.documents(records, problems)
    else:
        where = layout.schema or schema or guessed_schema(records)
        documents = JsonReader(where, place, problems, gold).documents(records)
    found: dict[str, Document] = {}
    for document in documents:
        templates = document.templates
        if layout.distinct:
            templates = tuple({(t.type, frozenset(t.roles.items())): t for t in templates}.values())
        only_fillers = layout.kind == FILLERS
        document = replace(document, templates=templates, only_fillers=only_fillers)
        known = found.get(document.id)
        if known is None:
            found[document.id] = document
        elif layout.in_parts:
            found[document.id] = replace(
                known,
                templates=known.templates + document.templates,
                text=f"{known.text}\n{document.text}".strip("\n"),
            )
        else:
            problems.complain(
                f"{document.place}: document {document.id!r} is there again, after {known.place}; "
                "give each document once"
            )
    if not records:
        problems.complain(f"{place}: there is no document in this file; give templates")
    return DocumentFile(path, layout, found)


def number_of(name: str) -> str | None:
    """Return the number that GTT gives to a document; None if its name makes none.

    >>> number_of("TST3-MUC4-0002"), number_of("DEV-MUC3-0001"), number_of("review")
    ('30002', None, None)
    """
    found = re.fullmatch(r"(?:[^-]*([0-9]))-(?:.*-)?([0-9]+)", name)
    return None if found is None else str(int(found[1]) * 10000 + int(found[2]))


def same_document(gold: Collection[str]) -> Callable[[str], str | None]:
    """Return what tells the gold document of a name, spelled as it is or as a number.

    >>> same = same_document(["TST3-MUC4-0002"])
    >>> same("TST3-MUC4-0002"), same("30002"), same("30003")
    ('TST3-MUC4-0002', 'TST3-MUC4-0002', None)
    """
    numbers = Counter(map(number_of, gold))
    # Two documents of one number can only be told by their names.
    names = {n: name for name in gold if (n := number_of(name)) is not None and numbers[n] == 1}
    names |= {name: name for name in gold}

    def same(name: str) -> str | None:
        number = number_of(name)
        return names.get(name) or (number if number in gold else None)

    return same
