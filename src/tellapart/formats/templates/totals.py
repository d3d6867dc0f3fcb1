"""Sums over pairs: slot rows, subtotals, summary rows, and text filtering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.scoring import Relevance, ScoredPair
from tellapart.formats.templates.tally import (
    ALL,
    F_WEIGHTS,
    ROWS,
    Rates,
    Tally,
    f_measure,
    percent,
    rates,
    total,
)


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


def counted(
    design: Design, pairs: Iterable[ScoredPair], row: str
) -> Iterator[tuple[ScoredPair, Slot, Tally]]:
    """Yield every slot that counts in a summary row, with its pair and tally."""
    slots = [(i, slot) for i, slot in enumerate(design.scored) if counts_in(row, slot)]
    templates = templates_count_in(row, design)
    for pair in pairs:
        if templates and pair.status != "optional" and any(pair.template):
            yield pair, design.number_slot, pair.template
        if pair.status in ROWS[row].statuses:
            for i, slot in slots:
                if any(pair.slots[i]):
                    yield pair, slot, pair.slots[i]


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of pairs: of templates, per slot, and per summary row, by the weights of slots."""

    template: Tally
    slots: tuple[Tally, ...]
    summary: dict[str, Tally]

    def f_measures(self, design: Design) -> dict[str, str] | None:
        """Return the three F-measures of all templates as printed, if they are defined.

        They are made of whole percentages as in 1992, or of exact ones, as scores of JSON are.
        """
        of_all = self.summary[ALL]
        recall, precision, *_ = rates(of_all)
        if recall is None or precision is None:
            return None
        if design.of_schema:
            points = 50 * (2 * of_all.cor + of_all.par)
            exact = Fraction(points, of_all.pos), Fraction(points, of_all.act)
            return {name: f_measure(*exact, weight) for name, weight in F_WEIGHTS.items()}
        return {name: f_measure(recall, precision, weight) for name, weight in F_WEIGHTS.items()}


def add_up(design: Design, pairs: Sequence[ScoredPair]) -> Totals:
    """Return the sums of pairs; optional ones count nowhere, irrelevant ones as templates only."""
    by_slot: dict[str, list[Tally]] = {}
    for _, slot, tally in counted(design, pairs, design.row):
        by_slot.setdefault(slot.name, []).append(tally)
    return Totals(
        total(pair.template for pair in pairs if pair.status != "optional"),
        tuple(total(by_slot.get(slot.name, ())) for slot in design.scored),
        {
            row: total(
                tally if slot.weight == 1 else Tally(*(slot.weight * count for count in tally))
                for _, slot, tally in counted(design, pairs, row)
            )
            for row in ROWS
        },
    )


def subtotals(design: Design, slots: Sequence[Tally]) -> dict[str, Tally]:
    """Return the sums of the tallies of slots by group."""
    return {
        name: total(slots[design.position[slot]] for slot in group)
        for name, group in design.subtotals
    }


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


CORNERS: Final = ("matched-missing", "matched-only", "matched-spurious", ALL)
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
    strict, lenient = (totals.summary[row] for row in (ALL, "matched-only"))
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
