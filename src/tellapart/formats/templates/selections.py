"""Selections of slots: scoring only what needs some phenomenon, apposition say.

A file has lines `message template slot [selection]`, separated by tabs; `*` stands for any, `#`
begins a comment. Templates are those of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.muc_reader import Template, read_whole
from tellapart.formats.templates.scoring import Run, ScoredPair
from tellapart.formats.templates.tally import ZERO
from tellapart.formats.templates.values import upper_case

ANY: Final = "*"
UNNAMED: Final = "selection"
"""The name of a selection whose lines give none"""
SPURIOUS: Final = "spurious"
"""The template of a message that stands for all that the key does not have"""
TEMPLATE: Final = "template-id"
"""The row that counts templates; it can be selected like a slot"""

Cell: TypeAlias = tuple[str, ...]
"""A message, a template of the key or `SPURIOUS`, and a slot, or as many of them as are meant"""
Chooser: TypeAlias = Callable[[Cell], bool]
"""Says whether a slot is chosen"""


class Rule(NamedTuple):
    """One line of a selection."""

    message: str
    template: str
    slot: str


Selections: TypeAlias = dict[str, list[Rule]]


def read_selections(
    path: str, design: Design, messages: Mapping[str, Sequence[Template]], problems: Findings
) -> Selections:
    """Return selections by name; lines that name what is not there are complained of."""
    slots = {ANY, TEMPLATE, *design.position}
    found: Selections = {}
    lines = [line.partition("#")[0].rstrip() for line in read_whole(path, "utf-8-sig").splitlines()]
    if not any(lines):
        problems.complain(f"{shown(path)}: no slot is selected; add a line")
    for number, text in enumerate(lines, 1):
        if not text:
            continue
        fields = [each.strip() for each in text.split("\t")]
        if fields[0] not in messages:
            fields[0] = upper_case(fields[0])  # as all texts of 1992 are
        problem = _problem(fields, slots, messages)
        if problem:
            problems.complain(f"{shown(path)}:{number}: {problem}")
        else:
            name = fields[3] if len(fields) == 4 else UNNAMED
            found.setdefault(name, []).append(Rule(*fields[:3]))
    return found


def _problem(
    fields: list[str], slots: Collection[str], messages: Mapping[str, Sequence[Template]]
) -> str | None:
    if not 3 <= len(fields) <= 4 or not all(fields):
        return "a line is `message template slot [selection]`, separated by tabs"
    if fields[0] != ANY and fields[0] not in messages:
        return f"message {fields[0]!r} is not in the key"
    known = messages.values() if fields[0] == ANY else [messages[fields[0]]]
    numbers = {each.number for templates in known for each in templates}
    if fields[1] not in {ANY, *numbers}:
        return f"the key has no template {fields[1]!r} of {fields[0]}"
    if fields[2] not in slots:
        return f"there is no slot {fields[2]!r}"
    return None


def chooser(rules: Collection[Rule]) -> Chooser:
    """Return the function that says whether any of the rules covers a slot.

    >>> chooser([Rule("M1", "*", "hum-tgt-name")])(("M1", "2", "hum-tgt-name"))
    True
    """
    named = frozenset(rules)
    return lambda cell: not named.isdisjoint(product(*((part, ANY) for part in cell)))


def union(selections: Mapping[str, list[Rule]]) -> list[Rule]:
    """Return the rules of all selections."""
    return [rule for rules in selections.values() for rule in rules]


def cell_of(pair: ScoredPair, slot: str) -> Cell:
    """Return where a slot of two templates belongs."""
    known = pair.status != "spurious" and pair.key
    return pair.message, known or SPURIOUS, slot


def selected(run: Run, chosen: Chooser) -> Run:
    """Return only the chosen slots of a run: all others count nothing.

    Messages stay if any of their slots could be chosen.
    """
    pairs = []
    for pair in run.pairs:
        slots = tuple(
            tally if chosen(cell_of(pair, slot.name)) else ZERO
            for slot, tally in zip(run.design.scored, pair.slots, strict=False)
        )
        template = pair.template if chosen(cell_of(pair, TEMPLATE)) else ZERO
        if template is not ZERO or any(tally is not ZERO for tally in slots):
            pairs.append(replace(pair, slots=slots, template=template))
    return replace(run, pairs=tuple(pairs))
