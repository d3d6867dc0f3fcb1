"""The one model of all formats of templates: documents, templates, roles, entities, mentions.

A document has templates; a template has a type and roles; a role has entities; an entity has
mentions, the texts that stand for the same thing. Readers make these, metrics take them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]
"""Start and end, the end not included; of characters or tokens, as the format has it"""


@dataclass(frozen=True, slots=True)
class Mention:
    """One way to say it: the text as written, and where it stands if that is known."""

    text: str
    number: bool = False
    """Whether it is a number, which is compared as it is, and not as words are"""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing; any of its mentions stands for it.

    >>> Entity.of("the bank", "bank").texts
    ('the bank', 'bank')
    """

    mentions: tuple[Mention, ...]

    @classmethod
    def of(cls, *texts: str) -> Entity:
        """Return an entity of plain texts."""
        return cls(tuple(map(Mention, texts)))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all mentions, as written."""
        return tuple([mention.text for mention in self.mentions])


@dataclass(frozen=True, slots=True)
class Template:
    """One template or event: its type, and the entities of each role, in the order of the file."""

    type: str | None = None
    roles: Mapping[str, tuple[Entity, ...]] = field(default_factory=dict)
    id: str | None = None
    trigger: Span | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the unit of all tests."""

    id: str
    templates: tuple[Template, ...] = ()
    text: str = ""
    line: int = 0
    """Where it stands in its file, from 1; 0 where that is not known"""
    only_fillers: bool = False
    """Whether its template is none, but has all entities of each role, as GRIT has them"""
