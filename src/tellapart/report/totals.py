"""What totals alone say of two systems, as text."""

from __future__ import annotations

from tellapart.comparison.totals import Totals
from tellapart.report.text import INDENT, WIDTH, filled, joined, plain, signed
from tellapart.words import clean, p_text


def render_totals(record: Totals, width: int = WIDTH) -> str:
    """Return the answer, and how it was found."""
    sides = "two-sided" if record.tail == "two" else f"one-sided ({record.tail})"
    method = f"McNemar's exact test over all overlaps of the totals, {sides}, at {record.alpha:g}."
    return joined([filled(clean(_answer(record)), "", width), filled(method, INDENT, width)])


def _answer(record: Totals) -> str:
    low, high = (p_text(p, record.alpha) for p in record.p)
    first, second = record.a, record.b
    turned = first.right < second.right if record.tail == "two" else record.tail == "less"
    ahead, behind = (second, first) if turned else (first, second)
    totals = (
        f"{ahead.name} has {ahead.right:,} of {ahead.items:,} right ({plain(ahead.score)}), "
        f"{behind.name} {behind.right:,} ({plain(behind.score)}): "
        f"{signed(ahead.score - behind.score)}."
    )
    asked = f"Is {ahead.name} really better than {behind.name}?"
    if record.different is not None:
        answer = "Yes" if record.different else "Cannot tell"
        bound = f"at least {low}" if record.p[0] < 1 else "1"
        bound = f"at most {high}" if record.different else bound
        return f"{asked}  {answer}, whichever items they have right: p is {bound}. {totals}"
    fewest, most = record.differing
    return (
        f"{asked}  Cannot tell from totals: p is between {low} and {high}, depending on which "
        f"items they have right. {totals} They differ on {fewest:,} to {most:,} items: the score "
        "of every item would tell."
    )
