"""What fills the roles of a template, ready to be held against other templates again and again."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.formats.templates.model import Template


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

    >>> from tellapart.formats.templates.model import Entity
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
