"""Appositives of a test set: found in its texts, with the slots that depend on them.

The lists of 1991 are not at hand. Here an appositive is a description in the key that stands in the
text right before the name it belongs to (BISHOP GREGORIO ROSA) or right after it and a comma
(GREGORIO ROSA, AUXILIARY BISHOP). It is complex if the description or the name is joined to another
by a conjunction, or if the comma after a postposed one is missing; all else is simple, as
VENEZUELAN PRESIDENT CARLOS ANDRES PEREZ is in the paper. The slots are the descriptions and types
of human targets in that template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tellapart.comparison.options import Options
from tellapart.comparison.selections import (
    OverallContrast,
    SelectionComparison,
    compare_selections,
    contrast_overall,
)
from tellapart.formats.templates.counts import selected_slots
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.selections import Chooser
from tellapart.formats.templates.tally import ALL
from tellapart.formats.templates.values import Optional, Reference, Value, texts

SLOTS: Final = ("hum-tgt-desc", "hum-tgt-type")
CONTRASTS: Final = (("simple", "complex"), ("postposed", "preposed"))
"""Of figures 14 and 15"""
OVERALL: Final = ("apposition", "all other slots")
"""Of figure 13, beside figure 2"""
_NEXT: Final = r"(?P<next>[,.;:)]| AND )?"
_CONJUNCTION: Final = re.compile(r"\b(?:AND|OR)\b|,")

_Key = Mapping[str, list[Template]]
Places = dict[str, set[tuple[str, str]]]
"""By kind of appositive: message and number of the template"""


def find(messages: Mapping[str, str], key: _Key, design: Design) -> Places:
    """Return the templates with appositives of each kind, by message and number."""
    found: Places = {name: set() for pair in CONTRASTS for name in pair}
    position = design.position[SLOTS[0]]
    for message, templates in key.items():
        text = _plain(messages.get(message, ""))
        for template in templates:
            for fill in template.fills[position]:
                for kind in _kinds(fill, text):
                    found[kind].add((message, template.number))
    return found


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _kinds(fill: Value, text: str) -> Iterator[str]:
    """Yield what kinds of appositive a described name is in a text."""
    content = fill.content if isinstance(fill, Optional) else fill
    if not isinstance(content, Reference):
        return
    for description in _texts(content.value):
        for name in _texts(content.tag):
            before = re.search(rf"\b{re.escape(f'{description} {name}')}\b{_NEXT}", text)
            after = re.search(
                rf"\b{re.escape(name)}, (?:(?:THE|AN?) )?{re.escape(description)}\b{_NEXT}", text
            )
            if match := after or before:
                joined = _CONJUNCTION.search(description) or match["next"] == " AND "
                yield "postposed" if after else "preposed"
                yield "complex" if joined or (after and match["next"] is None) else "simple"
                return


def _texts(value: Value) -> list[str]:
    """Return all texts that a value allows, without quotation marks, the longest first."""
    return sorted((each.text.strip('"') for each in texts(value)), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two kinds of appositives: how many templates have each, and how the systems do on both."""

    templates: tuple[int, int | None]
    """None: all else"""
    overall: OverallContrast
    systems: tuple[SelectionComparison, ...]


def contrasts(runs: Mapping[str, Run], places: Places) -> tuple[Contrast, ...]:
    """Return appositives against all else, and their kinds against each other, over all systems."""
    found = []
    every = set().union(*places.values())
    for first, second in (OVERALL, *CONTRASTS):
        own = every if first == OVERALL[0] else places[first] - places[second]
        other = None if first == OVERALL[0] else places[second] - places[first]
        rest = None if other is None else _chooser(other)
        slots = [
            selected_slots(run, ALL, first, _chooser(own), second, rest) for run in runs.values()
        ]
        options = Options(shuffles=999)
        overall = contrast_overall(slots, options)
        if own and (other is None or other) and overall is not None:
            templates = len(own), None if other is None else len(other)
            systems = tuple(compare_selections(slots, options))
            found.append(Contrast(templates, overall, systems))
    return tuple(found)


def _chooser(places: set[tuple[str, str]]) -> Chooser:
    """Return whether a slot is one of some templates that depends on appositives."""
    return lambda cell: cell[2] in SLOTS and cell[:2] in places
