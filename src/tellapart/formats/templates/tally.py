"""Tallies: the counts of a slot, and the percentages and F-measures that the report has of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple


class SummaryRow(NamedTuple):
    """A summary row: how reports print it, and which pairs of templates it counts."""

    label: str
    statuses: tuple[str, ...]


ALL: Final = "all-templates"
ROWS: Final[Mapping[str, SummaryRow]] = {
    "matched-missing": SummaryRow("MATCHED/MISSING", ("matched", "missing")),
    "matched-spurious": SummaryRow("MATCHED/SPURIOUS", ("matched", "spurious")),
    "matched-only": SummaryRow("MATCHED ONLY", ("matched",)),
    ALL: SummaryRow("ALL TEMPLATES", ("matched", "missing", "spurious")),
    "set-fills": SummaryRow("SET FILLS ONLY", ("matched", "missing")),
    "string-fills": SummaryRow("STRING FILLS ONLY", ("matched", "missing")),
}
"""In the order of the reports of 1992"""

F_WEIGHTS = {"P&R": Fraction(1, 2), "2P&R": Fraction(4, 5), "P&2R": Fraction(1, 5)}
"""How much precision counts in each F-measure"""


class Tally(NamedTuple):
    """The eleven counts of a slot; `pie` are the possible incorrect fills, which fallout needs."""

    pos: int = 0
    act: int = 0
    cor: int = 0
    par: int = 0
    inc: int = 0
    icr: int = 0
    ipa: int = 0
    spu: int = 0
    mis: int = 0
    non: int = 0
    pie: int = 0


ZERO = Tally()


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies.

    >>> total([Tally(pos=1, cor=1), Tally(pos=2)]).pos
    3
    """
    rows = list(tallies)
    return Tally(*map(sum, zip(*rows, strict=True))) if rows else ZERO


def percent(whole: int, half: int, of: int) -> int | None:
    """Return a percentage with halves: cut to tenths first, then rounded half to even.

    >>> percent(1, 0, 8), percent(3, 0, 8), percent(111, 0, 886), percent(11, 2, 15)
    (12, 38, 12, 80)
    >>> percent(1, 0, 0) is None
    True
    """
    if of == 0:
        return None
    quotient, rest = divmod(500 * (2 * whole + half) // of, 10)
    return quotient + (rest > 5 or (rest == 5 and quotient % 2 == 1))


def f_measure(recall: int | Fraction, precision: int | Fraction, weight: Fraction) -> str:
    """Return F of two percentages with two decimals, half to even, as it is printed.

    >>> [f_measure(58, 54, weight) for weight in F_WEIGHTS.values()]
    ['55.93', '54.76', '57.15']
    >>> f_measure(24, 24, F_WEIGHTS["P&R"]), f_measure(0, 50, F_WEIGHTS["P&R"])
    ('24.0', '0')
    """
    if recall == 0 or precision == 0:
        return "0"
    value = 100 / (weight / precision + (1 - weight) / recall)
    text = f"{round(value) / 100:.2f}"  # Fractions round half to even, exactly
    return text[:-1] if text.endswith("0") else text


class Rates(NamedTuple):
    """The percentages of a row; None where the denominator is 0."""

    recall: int | None
    precision: int | None
    overgeneration: int | None
    fallout: int | None


def rates(tally: Tally) -> Rates:
    """Return the percentages of a tally.

    >>> rates(Tally(pos=8, act=4, cor=3, spu=1))
    Rates(recall=38, precision=75, overgeneration=25, fallout=None)
    """
    return Rates(
        percent(tally.cor, tally.par, tally.pos),
        percent(tally.cor, tally.par, tally.act),
        percent(tally.spu, 0, tally.act),
        percent(tally.inc + tally.spu, 0, tally.pie),
    )
