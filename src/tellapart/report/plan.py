"""Plans as plain text: the answer first, then tables, and what was assumed.

Of items that find a difference, of items that pass a check with a margin, and of labels beside a
judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tellapart.report.sentences import share_words
from tellapart.report.table import Cell, Column, Table, starred, terminal
from tellapart.report.text import (
    INDENT,
    WIDTH,
    filled,
    how_often,
    joined,
    size,
    two_digits,
    warnings_text,
)
from tellapart.words import clean, listed, plural, several

if TYPE_CHECKING:
    from tellapart.comparison.plan import MarginRow, Plan

_FEW_PILOTS = 20


def render_plan(plan: Plan, width: int = WIDTH) -> str:
    """Return the plan as text."""
    basis = plan.basis
    table = _margin_table(plan) if plan.margin_rows else _table(plan)
    parts = [filled(clean(sentence(plan)), "", width)]
    parts += [terminal(table, width)] if table.rows else []
    if basis.source == "pilot" and (basis.units or 0) < _FEW_PILOTS:
        pilot = several(basis.units or 0, basis.unit)
        little = f"A pilot of {pilot} says little about their spread."
        parts.append(warnings_text([little], width))
    rests_on = [filled(clean(line), f"{INDENT}- ", width) for line in _assumed(plan)]
    parts.append("\n".join([f"{INDENT}This rests on", *rests_on]))
    return joined(parts)


def _given(difference: float) -> str:
    """Return a difference as a user would write it."""
    return f"{difference:.4g}"


def sentence(plan: Plan) -> str:
    """Return what the test set can show, and what it would take to show more, in a sentence."""
    often = how_often(plan.question.power)
    often += " for these runs only" * plan.basis.these_runs
    if plan.margin_rows:
        return _margin_sentence(plan, often)
    difference, takes = plan.difference, f"no number of {plural(plan.basis.unit)} will do"
    if plan.needed is not None:
        takes = f"you need {_counted(plan, plan.needed)}"
    if plan.units is None:
        return f"To find a true difference of {_given(difference or 0)} {often}, {takes}."
    here = _counted(plan, plan.units)
    more = "" if difference is None else f"; for {_given(difference)} {takes}"
    if plan.detectable is not None:
        if difference == plan.detectable / 2:  # unless another one is asked for
            more = f"; for half of it, {_given(plan.detectable / 2)}, {takes}"
        found = f"a true difference of {two_digits(plan.detectable)}"
        return f"With {here}, {found} is found {often}{more}."
    most = f" that such systems can have (up to {_given(plan.largest)})" if plan.largest else ""
    return f"With {here}, no difference{most} is found {often}{more}."


def _counted(plan: Plan, units: int) -> str:
    words = several(plan.items_of(units), plan.basis.kind)
    cluster = plan.basis.cluster
    return words if cluster is None else f"{several(units, cluster)} ({words})"


def _table(plan: Plan) -> Table:
    """Return the smallest difference that so many units show."""
    question, test = plan.question, "paired randomization test"
    if plan.basis.runs_vary or plan.basis.source == "labels":
        test = "t test"
    over = f" ({question.alpha:g} over {question.pairs} pairs)" * (question.pairs > 1)
    caption = f"{plan.basis.metric}, two-sided {test} at {question.level:.3g}{over}"

    def smallest(units: int) -> Cell:
        return starred(two_digits(plan.curve[units]), units == plan.units)

    items = Column(plural(plan.basis.kind), write=lambda units: f"{plan.items_of(units):,}")
    units = Column(plural(plan.basis.unit), write=lambda units: f"{units:,}")
    both = [items] if plan.basis.cluster is None else [units, items]
    columns = [*both, Column("smallest difference", write=smallest)]
    return Table.of(list(plan.curve), columns, caption)


def _assumed(plan: Plan) -> Iterator[str]:
    """Yield what the numbers rest on."""
    basis, assumed = plan.basis, plan.basis.assumed
    if basis.source == "pilot":
        yield from _pilot_words(plan)
    elif basis.source == "labels":
        yield (
            f"this judge, and {several(basis.units or 0, 'label')} of "
            f"{several(assumed['items'], assumed['kind'])} so far, by which "
            f"{' and '.join(basis.systems)} are {size(assumed['so_far'])} apart"
        )
    elif basis.source == "scores":
        first, second = assumed["scores"]
        yield f"assumed scores {first:g} and {second:g}"
        alike = f"{assumed['correlation']:.2g} (--correlation)"
        yield f"correlation of the systems over items: {alike}"
    if basis.cluster is None and basis.source != "labels":
        yield f"{plural(basis.kind)} do not depend on each other"
    if plan.margin_rows:
        pairs = f", {plan.question.pairs} candidates" if plan.question.pairs > 1 else ""
        yield f"the test of compare --margin, by {basis.metric}, at {plan.question.alpha:g}{pairs}"
    elif plan.units is not None and plan.found is not None:
        here, difference = _counted(plan, plan.units), _given(plan.difference or 0)
        yield f"{here} find {difference} in {100 * plan.found:.0f} % of cases"


def _pilot_words(plan: Plan) -> Iterator[str]:
    basis, (first, second) = plan.basis, plan.basis.systems
    on = several(basis.units or 0, basis.unit)
    yield f"pilot: {first} and {second} on {on}, {size(basis.difference or 0)} apart"
    yield f"new {plural(basis.unit)} and systems are like those of the pilot"
    if basis.these_runs:
        yield "the runs of the pilot, averaged"
    if basis.shares:
        shares = {name: (share, share) for name, share in basis.shares.items() if share > 0}
        others = "runs could be others, too; " * basis.runs_vary
        yield f"{others}of the variance comes {', '.join(share_words(shares, basis.unit))}"
    if len(basis.helps) > 1:
        ordered = sorted(basis.helps, key=lambda name: -basis.helps[name])
        falls = [f"on {name} by {100 * basis.helps[name]:.2g} %" for name in ordered]
        priced = "for these costs" if plan.question.costs else "if only answers cost something"
        yield f"{priced}, a tenth more spent lowers the variance: {listed(falls)}"


def _margin_sentence(plan: Plan, often: str) -> str:
    """Return how many items a check needs that a system passes which loses nothing."""
    first, last = plan.margin_rows[0], plan.margin_rows[-1]
    start = f"With a margin of {plan.question.margin:g}"
    if first.needed is None:
        units = plural(plan.basis.unit)
        return f"{start}, no number of {units} lets a system that loses nothing pass {often}."
    enough = _counted(plan, _rounded(first.needed))
    passes = f"{start} and {enough}, a system that loses nothing passes {often}"
    if last is not first and last.loss == 0:  # assumed shares, none of them known
        return f"{passes}, if {_share(first)} of the answers change."
    if first.passes is None or plan.units is None:
        return f"{passes}."
    here = several(plan.units, plan.basis.unit)
    return f"{passes}; with {here}, {how_often(round(first.passes, 2))}."


def _rounded(number: int) -> int:
    """Return a number that is good to a few per cent, upwards to two digits that count.

    >>> _rounded(6012), _rounded(97)
    (6100, 97)
    """
    step = int("1" + "0" * (len(str(number)) - 2))
    return -(-number // step) * step


def _share(row: MarginRow) -> str:
    return "-" if row.changed is None else f"{100 * row.changed:.2g} %"


def _margin_table(plan: Plan) -> Table:
    def needed(row: MarginRow) -> str:
        return "-" if row.needed is None else f"{_rounded(row.needed):,}"

    columns = [
        Column("changed", write=_share),
        Column("true loss", write=lambda row: f"{row.loss:g}"),
        Column(f"{plural(plan.basis.unit)} needed", write=needed),
    ]
    if plan.units is not None:
        passes = f"passes with {plan.units:,}"
        columns.append(Column(passes, write=lambda row: f"{row.passes:.2f}"))
    note = "changed: the share of items on which only one of the two is right"
    return Table.of(plan.margin_rows, columns, notes=(note,))
