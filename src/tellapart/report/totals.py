"""What totals alone say of systems, as text."""

from __future__ import annotations

from collections import Counter

from tellapart.comparison.totals import Totals, TotalsPair
from tellapart.report.table import Cell, Column, Table, terminal
from tellapart.report.text import WIDTH, filled, plain, readable, signed
from tellapart.words import clean, p_text, several

_ANSWERS = {True: "different", False: "not different", None: "depends on the items"}


def render_totals(record: Totals, width: int = WIDTH) -> str:
    """Return the answer, and of more than two systems a table of all pairs."""
    width = readable(width)
    text = _of_two(record) if len(record.pairs) == 1 else _of_many(record)
    parts = [filled(clean(text), "", width)]
    if len(record.pairs) > 1:
        parts.append("\n".join(terminal(_table(record), width)))
    parts.append(filled(_method(record), "  ", width))
    return "\n\n".join(parts) + "\n"


def _of_two(record: Totals) -> str:
    pair = record.pairs[0]
    low, high = (p_text(p, record.alpha) for p in pair.p)
    ahead, behind = (pair.a, pair.b) if pair.a.right >= pair.b.right else (pair.b, pair.a)
    if record.tail != "two":
        ahead, behind = (pair.a, pair.b) if record.tail == "greater" else (pair.b, pair.a)
    difference = ahead.score - behind.score
    totals = (
        f"{ahead.name} has {ahead.right:,} of {ahead.items:,} right ({plain(ahead.score)}), "
        f"{behind.name} {behind.right:,} ({plain(behind.score)}): {signed(difference)}."
    )
    asked = f"Is {ahead.name} really better than {behind.name}?"
    if pair.different:
        return f"{asked}  Yes, whichever items they have right: p is at most {high}. {totals}"
    if pair.different is False:
        least = f"p is at least {low}" if pair.p[0] < 1 else "p = 1"
        return f"{asked}  Cannot tell, whichever items they have right: {least}. {totals}"
    fewest, most = pair.differing
    return (
        f"{asked}  Cannot tell from totals: p is between {low} and {high}, depending on which "
        f"items they have right. {totals} The two may differ on {fewest:,} to {most:,} items: the "
        "score of every item would tell."
    )


def _of_many(record: Totals) -> str:
    counted = Counter(pair.different for pair in record.pairs)
    return (
        f"Which differ?  {counted[True]} of {several(len(record.pairs), 'pair')} whichever items "
        f"they have right; {counted[None]} depending on the items; {counted[False]} not shown to "
        "differ, whichever they are."
    )


def _table(record: Totals) -> Table:
    def p_range(pair: TotalsPair) -> Cell:
        low, high = (p_text(p, record.alpha) for p in pair.p_adjusted)
        return Cell((low, high))

    columns = [
        Column("systems", "name", lambda pair: Cell((pair.a.name, pair.b.name))),
        Column("difference", "difference", lambda pair: signed(pair.a.score - pair.b.score)),
        Column("p, from - to", "range", p_range),
        Column("", "text", lambda pair: _ANSWERS[pair.different]),
    ]
    return Table.of(record.pairs, columns, keys=1)


def _method(record: Totals) -> str:
    sides = {"two": "two-sided"}.get(record.tail, f"one-sided ({record.tail})")
    text = f"McNemar's exact test over all overlaps that the totals allow, {sides}"
    if len(record.pairs) == 1 or record.correction == "none":
        return f"{text}, at {record.alpha:g}."
    return (
        f"{text}, at {record.alpha:g}; both ends of p corrected for {len(record.pairs)} pairs "
        f"({record.correction}); the upper one is a bound, since not all pairs need reach theirs "
        "on the same items."
    )
