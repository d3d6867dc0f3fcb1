"""A plan for a margin as plain text: the answer, a table, what was assumed."""

from __future__ import annotations

from tellapart.planning.margins import MarginPlan, MarginRow
from tellapart.report.plan import how_often
from tellapart.report.terminal_text import wrapped
from tellapart.words import several


def render_margin_plan(plan: MarginPlan) -> str:
    """Return the plan as text, 80 columns wide."""
    return "\n\n".join([wrapped(_sentence(plan)), _table(plan), wrapped(_assumed(plan))]) + "\n"


def _sentence(plan: MarginPlan) -> str:
    options = plan.options
    often = how_often(options.power)
    start = (
        f"A check with a margin of {options.margin:g} passes a system that loses nothing {often}"
    )
    first = plan.rows[0]
    if len(plan.rows) > 1 and plan.rows[-1].loss == 0:  # assumed shares, none of them known
        few, many = plan.rows[0], plan.rows[-1]
        return (
            f"{start} on {_needed(plan, few)} if {_share(few)} of the answers change between right "
            f"and wrong, and on {_needed(plan, many)} if {_share(many)} do."
        )
    found = f"{start} on {_needed(plan, first)}"
    if first.passes is None or options.items is None:
        return f"{found}."
    return (
        f"{found}; on the {several(options.items, plan.kind)} that there are it passes "
        f"{100 * first.passes:.0f} times out of 100."
    )


def _needed(plan: MarginPlan, row: MarginRow) -> str:
    if row.needed is None:
        return "no number of them"
    number = _rounded(row.needed)
    if plan.items_per_unit == 1:
        return several(number, plan.kind)
    items = _rounded(round(number * plan.items_per_unit))
    return f"{several(number, plan.kind)} ({several(items, 'item')})"


def _rounded(number: int) -> int:
    """Return a number that was settled to a few per cent, upwards to two digits that count.

    >>> _rounded(6012), _rounded(97)
    (6100, 97)
    """
    step = int("1" + "0" * (len(str(number)) - 2))
    return -(-number // step) * step


def _share(row: MarginRow) -> str:
    return f"{100 * (row.changed or 0):g} %"


def _table(plan: MarginPlan) -> str:
    heads = ["changed", "true loss", f"{plan.kind}s needed"]
    here = plan.options.items is not None
    if here:
        heads.append(f"passes with {plan.options.items}")
    lines = ["  " + "".join(f"{head:>16}" for head in heads)]
    for row in plan.rows:
        needed = "-" if row.needed is None else f"{_rounded(row.needed):,}"
        cells = ["-" if row.changed is None else _share(row), f"{row.loss:g}", needed]
        if here:
            cells.append("-" if row.passes is None else f"{row.passes:.2f}")
        lines.append("  " + "".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines)


def _assumed(plan: MarginPlan) -> str:
    options = plan.options
    pairs = f", {options.pairs} candidates" if options.pairs > 1 else ""
    return (
        f"From {plan.source}, by {plan.metric}; test sets drawn at random and decided as compare "
        f"--margin does; alpha {options.alpha:g}{pairs}, power {options.power:g}, seed "
        f"{options.seed}. changed: the share of items on which only one of the two is right."
    )
