"""What totals alone say of systems, as text."""

from __future__ import annotations

from tellapart.comparison.totals import Totals, TotalsPair
from tellapart.report.table import Cell, Column, Table, terminal
from tellapart.report.text import INDENT, WIDTH, filled, joined, plain, signed
from tellapart.words import clean, p_text


def render_totals(record: Totals, width: int = WIDTH) -> str:
    """Return the answer, of more than two systems a table of pairs, and how it was found."""
    sides = "two-sided" if record.tail == "two" else f"one-sided ({record.tail})"
    method = f"McNemar's exact test over all overlaps of the totals, {sides}, at {record.alpha:g}"
    if len(record.pairs) == 1:
        answer = filled(clean(_answer(record, record.pairs[0])), "", width)
    else:
        answer = terminal(_table(record), width)
        if record.correction != "none":
            pairs = f"{len(record.pairs)} pairs ({record.correction})"
            method += f"; both ends of p corrected for {pairs}"
    return joined([answer, filled(f"{method}.", INDENT, width)])


def _table(record: Totals) -> Table:
    said = {True: "yes", False: "not shown", None: "depends on the items"}
    p_name = "p" if record.correction == "none" else "adjusted p"
    columns = [
        Column("pair", "name", lambda pair: Cell((pair.a.name, pair.b.name))),
        Column("difference", "difference", lambda pair: signed(pair.a.score - pair.b.score)),
        Column(p_name, "range", lambda pair: Cell(_ends(pair.p_adjusted, record))),
        Column("different", "text", lambda pair: said[pair.different]),
    ]
    return Table.of(record.pairs, columns, keys=1)


def _ends(p: tuple[float, float], record: Totals) -> tuple[str, str]:
    return p_text(p[0], record.alpha), p_text(p[1], record.alpha)


def _answer(record: Totals, pair: TotalsPair) -> str:
    low, high = _ends(pair.p, record)
    first, second = pair.a, pair.b
    turned = first.right < second.right if record.tail == "two" else record.tail == "less"
    ahead, behind = (second, first) if turned else (first, second)
    totals = (
        f"{ahead.name} has {ahead.right:,} of {ahead.items:,} right ({plain(ahead.score)}), "
        f"{behind.name} {behind.right:,} ({plain(behind.score)}): "
        f"{signed(ahead.score - behind.score)}."
    )
    asked = f"Is {ahead.name} really better than {behind.name}?"
    if pair.different is not None:
        answer = "Yes" if pair.different else "Cannot tell"
        bound = f"at least {low}" if pair.p[0] < 1 else "1"
        bound = f"at most {high}" if pair.different else bound
        return f"{asked}  {answer}, whichever items they have right: p is {bound}. {totals}"
    fewest, most = pair.differing
    return (
        f"{asked}  Cannot tell from totals: p is between {low} and {high}, depending on which "
        f"items they have right. {totals} They differ on {fewest:,} to {most:,} items: the score "
        "of every item would tell."
    )
