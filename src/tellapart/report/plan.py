"""Plans as plain text: the answer first, then tables, a curve, and what was assumed.

Of items that find a difference, of items that pass a check with a margin, and of labels beside a
judge.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING

from tellapart.counts.judged import STRATUM
from tellapart.errors import UsageError
from tellapart.report.figures.curves import planning_figure
from tellapart.report.numbers import signed
from tellapart.report.table import Cell, Column, Table, terminal
from tellapart.report.text import INDENT, WIDTH, filled, readable, warning_lines
from tellapart.words import clean, plural, several

if TYPE_CHECKING:
    from tellapart.comparison.labels import ItemToLabel, LabelPlan
    from tellapart.comparison.plan import MarginRow, Plan, Row, Variant
    from tellapart.comparison.scenarios import Basis

_COLUMNS, _LINES = 56, 11
_FEW_PILOTS = 20


def render_plan(plan: Plan, width: int = WIDTH) -> str:
    """Return the plan as text."""
    width = readable(width)
    if plan.margin is not None:
        told = _margin_assumed(plan)
        parts = [
            filled(sentence(plan), "", width),
            _margin_table(plan, width),
            _filled(told, width),
        ]
    else:
        rests_on = [filled(clean(line), f"{INDENT}- ", width) for line in _assumed(plan)]
        warnings = "\n".join(warning_lines(_warnings(plan.basis), width))
        parts = [filled(sentence(plan), "", width), _tables(plan, width), _curve(plan), warnings,
                 "\n".join([f"{INDENT}This rests on", *rests_on])]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _filled(text: str, width: int) -> str:
    return filled(clean(text), INDENT, width)


def how_often(power: float) -> str:
    """Return a power in words.

    >>> how_often(0.8), how_often(0.95), how_often(0.123)
    ('4 times out of 5', '19 times out of 20', '12.3 times out of 100')
    """
    simple = Fraction(power).limit_denominator(20)
    if abs(float(simple) - power) > 1e-9:
        return f"{100 * power:g} times out of 100"
    return f"{simple.numerator} times out of {simple.denominator}"


def amount(difference: float) -> str:
    """Return a difference with two or three digits that count.

    >>> amount(0.05769), amount(0.03), amount(0.00412), amount(1.534)
    ('0.058', '0.030', '0.0041', '1.53')
    """
    if difference >= 1:
        return f"{difference:.2f}"
    decimals = max(3, 1 - math.floor(math.log10(difference))) if difference > 0 else 3
    return f"{difference:.{decimals}f}"


def _as_given(difference: float) -> str:
    """Return a difference as a user would write it, where it is a round one."""
    round_ = math.isclose(difference, round(difference, 4))
    return f"{difference:g}" if round_ else amount(difference)


def sentence(plan: Plan) -> str:
    """Return what the test set can show, and what it would take to show more, in a sentence."""
    if plan.margin is not None:
        return _margin_sentence(plan)
    often, difference = how_often(plan.power) + _in_these_runs(plan), plan.difference
    takes = f"no number of {plural(plan.unit)} will do"
    if plan.needed is not None:
        takes = f"you need {_counted(plan, plan.needed)}"
    if plan.units is None:
        assert difference is not None
        return f"To find a true difference of {_as_given(difference)} {often}, {takes}."
    here = _counted(plan, plan.units)
    more = "" if difference is None else f"; for {_as_given(difference)} {takes}"
    if plan.detectable is not None:
        return (
            f"With {here}, a true difference of {amount(plan.detectable)} is found {often}{more}."
        )
    most = (
        ""
        if plan.largest is None
        else f" that such systems can have (up to {_as_given(plan.largest)})"
    )
    return f"With {here}, no difference{most} is found {often}{more}."


def _in_these_runs(plan: Plan) -> str:
    return " in these very runs" if plan.these_runs else ""


def _counted(plan: Plan, units: int) -> str:
    words = several(plan.items_of(units), plan.basis.kind)
    if plan.basis.cluster is None:
        return words
    return f"{several(units, plan.basis.cluster)} ({words})"


def _tables(plan: Plan, width: int) -> str:
    """Return two small tables side by side: units to difference, difference to units."""
    level = f"at {plan.level:.3g}"
    if plan.pairs > 1:
        level += f" ({plan.alpha:g} over {plan.pairs} pairs)"
    test = "t test over runs" if plan.shares else "paired randomization test"

    def own(row: Row) -> Cell:
        return Cell((amount(row.difference),), " *" if row.units == plan.units else "")

    left = _columns(plan, "")
    by_units = Table.of(plan.by_units, [*left, Column("smallest difference", write=own)])
    size = Column("difference", write=lambda row: amount(row.difference))
    by_difference = Table.of(plan.by_difference, [size, *_columns(plan, " needed")])
    one, other = (
        terminal(table, width) if table.rows else [] for table in (by_units, by_difference)
    )
    room = max(map(len, one), default=0)
    if room + max(map(len, other), default=0) + 3 > width:
        lines = [*one, "", *other]
    else:
        both = zip_longest(one, other, fillvalue="")
        lines = [f"{a:<{room}}   {b}".rstrip() for a, b in both]
    return "\n".join([f"{INDENT}{plan.metric}, two-sided {test} {level}", *lines])


def _columns(plan: Plan, more: str) -> list[Column]:
    items = Column(plural(plan.basis.kind), write=lambda row: f"{row.items:,}")
    if plan.basis.cluster is None:
        return [Column(items.head + more, write=items.write)]
    return [Column(plural(plan.basis.cluster) + more, write=lambda row: f"{row.units:,}"), items]


def _curve(plan: Plan) -> str:
    """Return the smallest difference over the number of items, drawn in characters."""
    points = plan.curve
    if len(points) < 3:
        return ""
    low, high = math.log(points[0].units), math.log(points[-1].units)
    top = max(row.difference for row in points)
    grid = [[" "] * _COLUMNS for _ in range(_LINES)]
    for row in points:
        across = round((math.log(row.units) - low) / (high - low) * (_COLUMNS - 1))
        down = round((1 - row.difference / top) * (_LINES - 1))
        grid[down][across] = "*" if row.units == plan.units else "o"
    lines = [f"  smallest difference found {how_often(plan.power)}"]
    for k, line in enumerate(grid):
        scale = amount(top * (1 - k / (_LINES - 1))) if k % 5 == 0 and k < _LINES - 1 else ""
        lines.append(f"  {'0' if k == _LINES - 1 else scale:>7} |{''.join(line)}".rstrip())
    middle = float(f"{plan.items_of(round(math.exp((low + high) / 2))):.2g}")
    first, last = f"{points[0].items:,}", f"{points[-1].items:,}"
    centre = f"{middle:,.0f}".center(_COLUMNS - len(first) - len(last))
    return "\n".join([*lines, f"  {'':7} +{'-' * _COLUMNS}", f"  {'':9}{first}{centre}{last}",
                      f"  {'':9}{plural(plan.basis.kind):^{_COLUMNS}}".rstrip()])  # fmt: skip


def picture(plan: Plan) -> str:
    """Return the curve as SVG, with the numbers of the plan marked."""
    if len(plan.curve) < 2:
        raise UsageError(
            "there is no curve to draw: with so few items no difference is found that often"
        )
    marks = []
    for units, size, write in ((plan.units, plan.detectable, amount),
                               (plan.needed, plan.difference, _as_given)):  # fmt: skip
        if units is not None and size is not None:
            items = plan.items_of(units)
            marks.append((items, size, f"{write(size)} with {several(items, plan.basis.kind)}"))
    title = f"Smallest difference in {plan.metric} found {how_often(plan.power)}"
    points = [(row.items, row.difference) for row in plan.curve]
    return planning_figure(points, marks, plural(plan.basis.kind), title, sentence(plan))


def _warnings(basis: Basis) -> Iterator[str]:
    if basis.source == "pilot" and basis.units is not None and basis.units < _FEW_PILOTS:
        pilot = several(basis.units, basis.unit)
        yield f"A pilot of {pilot} says little about how much {plural(basis.unit)} vary."


def _assumed(plan: Plan) -> Iterator[str]:
    """Yield what the numbers rest on, and what simulation says of them."""
    basis, assumed = plan.basis, plan.basis.assumed
    if basis.source == "pilot":
        yield from _pilot_words(plan)
    else:
        yield from _assumed_words(basis, ", ".join(_variant(plan, each) for each in plan.variants))
    if "icc" in assumed:
        size, icc = assumed["cluster_size"], assumed["icc"]
        yield (
            f"clusters of {size} {plural(basis.kind)} are exchanged as a whole; intra-cluster "
            f"correlation {icc:g} (design effect {1 + (size - 1) * icc:.3g})"
        )
    elif basis.cluster is None:
        yield f"{plural(basis.kind)} do not depend on each other"
    if plan.units is not None and plan.found is not None and plan.difference is not None:
        here, found = _counted(plan, plan.units), 100 * plan.found
        yield f"{here} find {_as_given(plan.difference)} in {found:.0f} % of cases"
    checks = [
        f"{_as_given(each.difference)} with {_counted(plan, each.units)} was found in "
        f"{100 * each.share:.1f} % (± {100 * each.error:.1f}) of {each.sets:,}"
        for each in plan.checks
    ]
    if checks:
        yield f"checked on simulated test sets, seed {plan.seed}: {'; '.join(checks)}"
    else:
        yield "not checked by simulation"


def _pilot_words(plan: Plan) -> Iterator[str]:
    basis, unit = plan.basis, plan.basis.unit
    on = several(basis.units or 0, unit)
    if "icc" in basis.assumed:
        unit, on = basis.kind, several(round((basis.units or 0) * basis.items_per_unit), basis.kind)
    first, second = basis.systems
    yield f"pilot: {first} and {second} on {on}, {abs(basis.difference or 0):.3f} apart"
    yield f"new {plural(unit)} vary as those of the pilot do, and systems are as alike as these"
    if plan.these_runs:
        yield "the runs of the pilot, averaged; to let runs vary, too, takes more (docs/runs.md)"
    if plan.shares:
        parts = [
            f"{100 * share:.0f} % from {_SOURCES.get(name, name)}"
            for name, share in plan.shares.items()
            if share > 0
        ]
        yield f"runs could be others, too; of the variance comes {', '.join(parts)}"
        twice = [
            f"{amount(size)} with twice as many {plural(basis.unit) if name == 'items' else name}"
            for name, size in plan.twice.items()
            if size is not None
        ]
        if twice:
            yield f"the smallest difference would be {', '.join(twice)}"


_SOURCES = {"residual": "single answers"}


def _assumed_words(basis: Basis, variants: str) -> Iterator[str]:
    assumed = basis.assumed
    others = f" ({variants})" if variants else ""
    if basis.source == "scores":
        first, second = assumed["scores"]
        yield f"assumed scores {first:g} and {second:g}"
        if assumed["agreement"] is not None:
            share = 100 * assumed["agreement"]
            yield f"the systems are both right or both wrong on {share:g} % of the items{others}"
        else:
            yield f"{_correlation_words(assumed['correlation'])}{others}"
        yield f"for other differences the first score stays {first:g}, and the other moves"
        return
    both = zip(assumed["precision"], assumed["recall"], strict=True)
    yield f"assumed precision/recall {' and '.join(f'{p:g}/{r:g}' for p, r in both)}"
    yield f"{_correlation_words(assumed['correlation'])}{others}"
    yield (
        f"an item has {assumed['gold_per_item']:g} to find on average; that number, and that of "
        "spurious ones, varies as if each came by itself (Poisson)"
    )
    yield (
        "for other differences the first system stays, and the other moves, in precision and "
        "recall alike"
    )


def _correlation_words(chosen: float) -> str:
    words = f"correlation of the systems over items: {chosen:.2g}"
    if not chosen:
        return words
    return f"{words}, or the {'most' if chosen > 0 else 'least'} that the scores allow"


def _variant(plan: Plan, variant: Variant) -> str:
    if variant.answer is None:
        return f"with {variant.correlation:g} not at all"
    asked = plan.units is not None
    words = amount(variant.answer) if asked else _counted(plan, int(variant.answer))
    return f"with {variant.correlation:g} it would be {words}"


def _margin_sentence(plan: Plan) -> str:
    """Return how many items a check needs that a system passes which loses nothing."""
    start = (
        f"A check with a margin of {plan.margin:g} passes a system that loses nothing "
        f"{how_often(plan.power)}{_in_these_runs(plan)}"
    )
    first, last = plan.margin_rows[0], plan.margin_rows[-1]
    if last is not first and last.loss == 0:  # assumed shares, none of them known
        return (
            f"{start} on {_needed(plan, first)} if {_share(first)} of the answers change between "
            f"right and wrong, and on {_needed(plan, last)} if {_share(last)} do."
        )
    found = f"{start} on {_needed(plan, first)}"
    if first.passes is None or plan.units is None:
        return f"{found}."
    return (
        f"{found}; on the {several(plan.units, plan.unit)} that there are it passes "
        f"{100 * first.passes:.0f} times out of 100."
    )


def _needed(plan: Plan, row: MarginRow) -> str:
    if row.needed is None:
        return "no number of them"
    units = several(_rounded(row.needed), plan.unit)
    if plan.items_per_unit == 1:
        return units
    return f"{units} ({several(_rounded(plan.items_of(row.needed)), plan.basis.kind)})"


def _rounded(number: int) -> int:
    """Return a number that is good to a few per cent, upwards to two digits that count.

    >>> _rounded(6012), _rounded(97)
    (6100, 97)
    """
    step = int("1" + "0" * (len(str(number)) - 2))
    return -(-number // step) * step


def _share(row: MarginRow) -> str:
    return "-" if row.changed is None else f"{100 * row.changed:.2g} %"


def _margin_table(plan: Plan, width: int) -> str:
    def needed(row: MarginRow) -> str:
        return "-" if row.needed is None else f"{_rounded(row.needed):,}"

    columns = [
        Column("changed", write=_share),
        Column("true loss", write=lambda row: f"{row.loss:g}"),
        Column(f"{plural(plan.unit)} needed", write=needed),
    ]
    if plan.units is not None:
        passes = f"passes with {plan.units:,}"
        columns.append(Column(passes, write=lambda row: f"{row.passes:.2f}"))
    return "\n".join(terminal(Table.of(plan.margin_rows, columns), width))


def _margin_assumed(plan: Plan) -> str:
    source = "a pilot" if plan.basis.source == "pilot" else "assumed shares of changed items"
    pairs = f", {plan.pairs} candidates" if plan.pairs > 1 else ""
    return (
        f"From {source}, by {plan.metric}; decided as compare --margin does; alpha {plan.alpha:g}"
        f"{pairs}, power {plan.power:g}, seed {plan.seed}. changed: the share of items on which "
        "only one of the two is right."
    )


def render_labels(
    plan: LabelPlan | None, listed: str | None, names: Sequence[str], width: int = WIDTH
) -> str:
    """Return the plan of labels as text: the answer, then what to do with the list."""
    width, parts = readable(width), []
    if plan is not None:
        parts += [filled(_labels_sentence(plan), "", width), _filled(_rests_on(plan), width)]
    if listed is not None:
        parts.append(_filled(_about_list(listed, names), width))
    return "\n\n".join(parts) + "\n"


def _labels_sentence(plan: LabelPlan) -> str:
    """Return how many labels it takes, in a sentence."""
    kinds = plural(plan.kind)
    first = (
        f"With {plan.labels:,} labels of {plan.items:,} {kinds} and this judge, a true difference "
        f"of {amount(plan.detectable)} between {clean(plan.a)} and {clean(plan.b)} is found "
        f"{how_often(plan.power)}; "
    )
    wanted = f"for {amount(plan.difference)}"
    if plan.settles:
        if plan.difference == 0:
            return f"{first}so far there is none to settle (say which with --difference)."
        wanted = f"if the true one is what they show so far ({signed(plan.observed)}),"
    if plan.needed is None:
        return (
            f"{first}{wanted} labels of all {plan.items:,} {kinds} would not do: it takes about "
            f"{plan.items_needed:,} {kinds}, all of them labelled."
        )
    if plan.more == 0:
        return f"{first}{wanted} you have enough labels."
    without = f"labels of all {plan.items:,} {kinds} would not do"
    if plan.needed_alone is not None:
        without = f"{plan.needed_alone:,}"
    return (
        f"{first}{wanted} you need {plan.needed:,} labels, {plan.more:,} more (without the judge "
        f"{without})."
    )


def _rests_on(plan: LabelPlan) -> str:
    return (
        f"This rests on the {plan.labels:,} labels so far, which show how far the judge goes with "
        f"people: plan again as labels come in. Two-sided test at {plan.level:g}."
    )


def _about_list(path: str, names: Sequence[str]) -> str:
    columns = " and ".join(clean(name) for name in names)
    return (
        f"{clean(path)} lists what to label, in order: fill in the columns {columns} from the top, "
        f"as far as you get, then compare with --human {clean(path)}; its column {STRATUM} makes "
        "up for the order."
    )


def list_content(listed: Iterable[ItemToLabel], kind: str, names: Sequence[str], path: str) -> str:
    """Return the list as a table: item, stratum, and a column for people's scores of each system.

    >>> from tellapart.comparison.labels import ItemToLabel
    >>> listed = [ItemToLabel("q7", "level", (1.0, None))]
    >>> list_content(listed, "item", ["alder", "birch"], "list.csv").splitlines()
    ['item,stratum,alder,birch', 'q7,level,1,']
    """
    delimiter = "\t" if path.endswith(".tsv") else ","
    if not path.endswith((".csv", ".tsv")) and path != "-":
        raise UsageError(f"--label-first {path}: the list is a table; call it .csv or .tsv")
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow([kind, STRATUM, *names])
    for each in listed:
        scores = ("" if score is None else f"{score:.12g}" for score in each.scores)
        writer.writerow([each.item, each.stratum, *scores])
    return stream.getvalue()
