"""Mentions in the form in which they are compared: small letters, no punctuation, no articles."""

from __future__ import annotations

import re
import string
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tellapart.formats.templates.model import Document, Entity, Mention, Template

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")


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
