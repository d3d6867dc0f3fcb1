"""Appositives of a test set: found in its texts, with the slots that depend on them.

The lists of 1991 are not at hand. Here an appositive is a description in the key that stands in the
text right before the name it belongs to (BISHOP GREGORIO ROSA) or right after it and a comma
(GREGORIO ROSA, AUXILIARY BISHOP). It is simple if the description has one word. The slots are the
descriptions and types of human targets in that template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.selections import OverallContrast, contrast_overall
from tellapart.counts.selections import SelectedSlots
from tellapart.formats.templates.counts import SPURIOUS, counted
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.selections import key_number
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.values import Optional, Reference, Value, texts

SLOTS: Final = ("hum-tgt-desc", "hum-tgt-type")
CONTRASTS: Final = (("simple", "complex"), ("postposed", "preposed"))
"""Of figures 14 and 15"""
_ROW: Final = "all-templates"
_ARTICLES: Final = ("", "THE ", "A ", "AN ")

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
            before = f"{description} {name}" in text
            after = any(f"{name}, {article}{description}" in text for article in _ARTICLES)
            if before or after:
                yield "postposed" if after else "preposed"
                yield "complex" if " " in description else "simple"
                return


def _texts(value: Value) -> list[str]:
    """Return all texts that a value allows, without quotation marks, the longest first."""
    return sorted((each.text.strip('"') for each in texts(value)), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two kinds of appositives: how many templates have each, and how the systems do on both."""

    templates: tuple[int, int]
    overall: OverallContrast


def contrasts(runs: Mapping[str, Run], places: Places) -> tuple[Contrast, ...]:
    """Return simple against complex and postposed against preposed ones, over all systems."""
    found = []
    for first, second in CONTRASTS:
        own, other = places[first] - places[second], places[second] - places[first]
        slots = [_slots(run, (first, second), own, other) for run in runs.values()]
        overall = contrast_overall(slots, Options())
        if own and other and overall is not None:
            found.append(Contrast((len(own), len(other)), overall))
    return tuple(found)


def _slots(
    run: Run, names: tuple[str, str], own: set[tuple[str, str]], other: set[tuple[str, str]]
) -> SelectedSlots:
    rows, selected, messages = [], [], []
    for pair, slot, tally in counted(run, _ROW):
        place = pair.message, key_number(pair) or SPURIOUS
        if slot.name in SLOTS and place in own | other and (tally.pos or tally.act):
            rows.append((2 * tally.cor + tally.par, 2 * tally.pos, 2 * tally.act))
            selected.append(place in own)
            messages.append(pair.message)
    return SelectedSlots(
        names[0],
        run.system,
        np.array(rows, np.int64).reshape(-1, 3),
        np.array(selected, np.bool_),
        tuple(messages),
        names[1],
    )
