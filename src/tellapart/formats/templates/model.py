"""The one model of all formats of templates: documents, templates, roles, entities, mentions.

A document has templates; a template has a type and roles; a role has entities; an entity has
mentions, the texts that stand for the same thing. Readers make these, metrics take them, in the
form in which mentions are compared: small letters, no punctuation, no articles.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")

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


@lru_cache(maxsize=1 << 16)
def normal_form(text: str) -> str:
    """Return a text in the form in which mentions are compared.

    >>> normal_form("The U.S. car-bomb"), normal_form("15,000"), normal_form("the")
    ('us carbomb', '15000', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def normalised(document: Document) -> Document:
    """Return a document whose mentions are in their normal form; numbers stay as they are."""
    return replace(document, templates=tuple(map(_template, document.templates)))


def _template(template: Template) -> Template:
    roles = {role: tuple(map(_entity, entities)) for role, entities in template.roles.items()}
    return Template(template.type, roles, template.id, template.trigger)


def _entity(entity: Entity) -> Entity:
    mentions = tuple([_mention(mention) for mention in entity.mentions])
    return entity if mentions == entity.mentions else Entity(mentions)


def _mention(mention: Mention) -> Mention:
    if mention.number:
        return mention
    text = normal_form(mention.text)
    # Most texts of the field are in their normal form, and copies of them would take time.
    return mention if text == mention.text else Mention(text, False, mention.span)


@dataclass(frozen=True, slots=True)
class Fills:
    """The entities of one role: the texts of each, in order and as sets, and those of all."""

    entities: list[tuple[str, ...]]
    sets: list[frozenset[str]]
    texts: frozenset[str]

    def share_nothing(self, other: Fills) -> bool:
        """Return whether no text is in both, which spares a look at the entities."""
        return self.texts.isdisjoint(other.texts)


def fills_of(template: Template) -> dict[str, Fills]:
    """Return what fills each role of a template that anything fills.

    >>> fills_of(Template("sale", {"buyer": (Entity.of("ana"),), "price": ()}))["buyer"].sets
    [frozenset({'ana'})]
    """
    found: dict[str, Fills] = {}
    for role, entities in template.roles.items():
        if entities:
            texts = [entity.texts for entity in entities]
            sets = list(map(frozenset, texts))
            found[role] = Fills(texts, sets, frozenset().union(*sets))
    return found
