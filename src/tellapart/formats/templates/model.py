"""The model of all files of templates: documents, templates, roles, and what fills them.

A document has templates; a template has a type and roles; a role has fills (`values.py`), each of
which may have alternatives, be optional or refer to another fill. Texts are compared in their
normal form: small letters, no punctuation, no articles; numbers stay as they are. Documents stand
in records: JSON lines, a JSON array, or one object of documents.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tellapart.formats import records
from tellapart.formats.problems import Findings
from tellapart.formats.templates.values import Span, Text, Value, mentions, names, one_of

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)

DOCUMENT_KEYS: Final = ("doc", "docid", "doc_id", "id", "doc_key")
"""What a record's document is called by, the first that is there"""

Roles: TypeAlias = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Template:
    """One template or event: its type, and the fills of each role, in the order of the file."""

    type: str | None = None
    roles: Roles = field(default_factory=dict)
    trigger: Span | None = None
    optional: bool = False
    """Whether it costs nothing to leave it out"""


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the unit of all tests."""

    id: str
    templates: tuple[Template, ...] = ()
    text: str = ""
    place: str = ""
    """File and line, as messages name them"""
    named_by: tuple[str, ...] = DOCUMENT_KEYS[:1]
    """The keys on the way to its name"""
    only_fillers: bool = False
    """Whether its template is none, but has all entities of each role, as GRIT has them"""


@lru_cache(maxsize=1 << 16)
def normal_form(text: str) -> str:
    """Return a text in the form in which it is compared.

    >>> normal_form("The U.S. car-bomb"), normal_form("15,000"), normal_form("the")
    ('us carbomb', '15000', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


@lru_cache(maxsize=1 << 16)
def plain_text(written: str, span: Span | None = None) -> Text:
    """Return a text of JSON; a number has one spelling, and is compared as it is.

    >>> [plain_text(text).bare for text in ("2.50", "2,50", "1e2", "The bank")]
    ['2.5', '250', '100', 'bank']
    """
    if not _NUMBER.fullmatch(written):
        return Text(written, normal_form(written), span)
    number = Decimal(written)
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    text = text if number else "0"
    return Text(text, text, span)


def json_text(value: Any) -> str:
    """Return a plain value of JSON as a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fill_of(*texts: str) -> Value:
    """Return a fill that any of some texts stands for."""
    return one_of([plain_text(text) for text in texts])


def entities_of(template: Template) -> dict[str, list[tuple[str, ...]]]:
    """Return the texts of each fill of each role of a template that anything fills.

    >>> entities_of(Template("sale", {"buyer": (fill_of("Ana"),), "price": ()}))
    {'buyer': [('ana',)]}
    """
    return {role: [*map(names, fills)] for role, fills in template.roles.items() if fills}


def size(template: Template, by_mention: bool = False) -> int:
    """Return how many entities fill a template, or how many mentions."""
    return sum(
        len(mentions(entity)) if by_mention else 1
        for entities in template.roles.values()
        for entity in entities
    )


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
    """Return the records of a file; those that `problems` lets pass are left out."""
    return [
        record
        for place, fields in records.read_records(path, problems=problems, only_list=False)
        for record in records_of(fields, place, document_keys)
    ]


def records_of(
    fields: Mapping[str, Any], place: str = "", document_keys: Collection[str] = DOCUMENT_KEYS
) -> Iterator[Record]:
    """Yield an object that names a document as one record, and any other member by member.

    >>> [record.key for record in records_of({"d1": [], "d2": []})]
    ['d1', 'd2']
    """
    if any(key in fields for key in (*document_keys, "sent_id")):
        yield Record(fields, place)
    else:
        for key, value in fields.items():
            yield Record(value, place, key)
