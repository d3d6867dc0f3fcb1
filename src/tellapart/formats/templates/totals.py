"""Sums over pairs: slot rows, subtotals, summary rows, and text filtering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.scoring import Relevance, ScoredPair
from tellapart.formats.templates.tally import (
    F_WEIGHTS,
    ZERO,
    Rates,
    Tally,
    f_measure,
    percent,
    rates,
    total,
)

STATUSES: Final = {
    "matched-missing": ("matched", "missing"),
    "matched-spurious": ("matched", "spurious"),
    "matched-only": ("matched",),
    "all-templates": ("matched", "missing", "spurious"),
    "set-fills": ("matched", "missing"),
    "string-fills": ("matched", "missing"),
}
"""The summary rows, and which pairs of templates each counts"""

LABELS: Final = {
    "matched-missing": "MATCHED/MISSING",
    "matched-spurious": "MATCHED/SPURIOUS",
    "matched-only": "MATCHED ONLY",
    "all-templates": "ALL TEMPLATES",
    "set-fills": "SET FILLS ONLY",
    "string-fills": "STRING FILLS ONLY",
}


def counts_in(row: str, slot: Slot) -> bool:
    """Return whether a scored slot counts in a summary row."""
    if row == "set-fills":
        return slot.is_set
    return row != "string-fills" or slot.kind == "string"


def templates_count_in(row: str, design: Design) -> bool:
    """Return whether the row of templates is part of a summary row, as it was in MUC-3.

    Templates that miss or are spurious count there even where their slots do not.
    """
    return design.template_id and row not in ("set-fills", "string-fills")


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of some pairs: per slot, per group of slots, and per summary row."""

    template: Tally
    slots: tuple[Tally, ...]
    subtotals: dict[str, Tally]
    summary: dict[str, Tally]

    def f_measures(self) -> dict[str, str] | None:
        """Return the three F-measures of all templates as printed, if they are defined."""
        recall, precision, *_ = rates(self.summary["all-templates"])
        if recall is None or precision is None:
            return None
        return {name: f_measure(recall, precision, weight) for name, weight in F_WEIGHTS.items()}


def add_up(design: Design, pairs: Iterable[ScoredPair]) -> Totals:
    """Return the sums of pairs; optional ones count nowhere, irrelevant ones as templates only."""
    counted = [pair for pair in pairs if pair.status != "optional"]
    by_status: dict[str, list[ScoredPair]] = {}
    for pair in counted:
        by_status.setdefault(pair.status, []).append(pair)
    sums = {status: _slot_sums(design, each) for status, each in by_status.items()}
    templates = total(pair.template for pair in counted)
    summary = {}
    for row, statuses in STATUSES.items():
        tallies = [
            tally
            for status in statuses
            for slot, tally in zip(design.scored, sums.get(status, ()), strict=False)
            if counts_in(row, slot)
        ]
        summary[row] = total([*tallies, templates] if templates_count_in(row, design) else tallies)
    shown = [sums[status] for status in STATUSES[design.row] if status in sums]
    slots = tuple(total(column) for column in zip(*shown, strict=True))
    slots = slots or (ZERO,) * len(design.scored)
    return Totals(templates, slots, subtotals(design, slots), summary)


def subtotals(design: Design, slots: Sequence[Tally]) -> dict[str, Tally]:
    """Return the sums of the tallies of slots by group."""
    return {
        name: total(slots[design.position[slot]] for slot in group)
        for name, group in design.subtotals
    }


def _slot_sums(design: Design, pairs: Sequence[ScoredPair]) -> tuple[Tally, ...]:
    columns = zip(*(pair.slots for pair in pairs if pair.slots), strict=True)
    return tuple(total(column) for column in columns) or (ZERO,) * len(design.scored)


class Filtering(NamedTuple):
    """How well a system tells relevant messages from others."""

    both: int
    response_only: int
    key_only: int
    neither: int

    @property
    def rates(self) -> Rates:
        """Its recall, precision, overgeneration and fallout, 0 where undefined."""
        a, b, c, d = self
        return Rates(
            percent(a, 0, a + c) or 0,
            percent(a, 0, a + b) or 0,
            percent(b, 0, a + b) or 0,
            percent(b, 0, b + d) or 0,
        )


def text_filtering(messages: Iterable[Relevance]) -> Filtering:
    """Return the messages counted by relevance.

    >>> text_filtering([Relevance(True, True), Relevance(False, False)])
    Filtering(both=1, response_only=0, key_only=0, neither=1)
    """
    cells = list(messages)
    return Filtering(*(cells.count(Relevance(k, r)) for r, k in product((True, False), repeat=2)))


CORNERS: Final = ("matched-missing", "matched-only", "matched-spurious", "all-templates")
"""In the order of a walk around the region"""


def region(totals: Totals) -> dict[str, dict[str, float]]:
    """Return recall and precision of the four corners, 0 to 1, unrounded.

    Whether missing or spurious templates cost anything moves recall or precision alone, so that
    the corners span a rectangle.
    """
    return {row: _point(totals.summary[row]) for row in CORNERS}


def spans(totals: Totals) -> dict[str, tuple[float, float]]:
    """Return the ends of recall, precision and overgeneration in the region, the lower first.

    One end counts all templates, the other those that are matched.
    """
    strict, lenient = (totals.summary[row] for row in ("all-templates", "matched-only"))
    ends = {
        "recall": (_point(strict)["recall"], _point(lenient)["recall"]),
        "precision": (_point(strict)["precision"], _point(lenient)["precision"]),
        "overgeneration": (_ratio(lenient.spu, lenient.act), _ratio(strict.spu, strict.act)),
    }
    return {name: (min(pair), max(pair)) for name, pair in ends.items()}


def _point(tally: Tally) -> dict[str, float]:
    matched = tally.cor + tally.par / 2
    return {"recall": _ratio(matched, tally.pos), "precision": _ratio(matched, tally.act)}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
