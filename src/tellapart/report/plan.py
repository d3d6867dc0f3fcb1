"""Plans as plain text: the answer first, then tables, a curve, and what was assumed.

Of items that find a difference, of items that pass a check with a margin, and of labels beside a
judge.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tellapart.counts.judged import STRATUM
from tellapart.errors import UsageError
from tellapart.planning.plan import Plan, Row, Variant
from tellapart.report.figures import planning
from tellapart.report.numbers import signed
from tellapart.report.terminal_text import room, warning_lines, wrapped
from tellapart.significance.diagnostics import round_off
from tellapart.words import clean, plural, several

if TYPE_CHECKING:
    from tellapart.planning.labels import LabelPlan, Listed
    from tellapart.planning.margins import MarginPlan, MarginRow

_COLUMNS, _LINES = 56, 11


def render_plan(plan: Plan) -> str:
    """Return the plan as text, 80 columns wide."""
    warnings = "\n".join(warning_lines(notice.text for notice in plan.notices))
    parts = [wrapped(sentence(plan)), _tables(plan), _curve(plan), warnings, _assumed(plan)]
    return "\n\n".join(part for part in parts if part) + "\n"


def sentence(plan: Plan) -> str:
    """Return what the test set can show, and what it would take to show more, in a sentence."""
    often = how_often(plan.options.power)
    if plan.scenario.these_runs:
        often += " in these very runs"
    if plan.clusters is None:
        assert plan.difference is not None
        return (
            f"To find a true difference of {_difference(plan.difference)} {often}, {_takes(plan)}."
        )
    here = _counted(plan, plan.clusters)
    if "detectable" in plan.withheld:
        more = f"; for {_difference(plan.difference)} {_takes(plan)}" if plan.difference else ""
        return (
            f"With {here}, the smallest difference that is found {often} could not be settled by "
            f"simulation: no figure is borne out by test sets drawn afresh; try more "
            f"{plural(plan.scenario.exchanged)}{more}."
        )
    if plan.detectable is None:
        most = f"no difference that such systems can have (up to {_difference(_largest(plan))})"
        more = f"; for {_difference(plan.difference)} {_takes(plan)}" if plan.difference else ""
        return f"With {here}, {most} is found {often}{more}."
    first = f"With {here}, a true difference of {amount(plan.detectable)} is found {often}"
    return f"{first}; for {_difference(plan.difference or 0.0)} {_takes(plan)}."


def _largest(plan: Plan) -> float:
    return round_off(plan.scenario.population.largest)


def _takes(plan: Plan) -> str:
    if "needed" in plan.withheld:
        return "the number needed could not be settled by simulation (try another difference)"
    return "no number will do" if plan.needed is None else f"you need {_counted(plan, plan.needed)}"


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


def _difference(difference: float) -> str:
    """Return a difference as a user would write it, where it is a round one."""
    return (
        f"{difference:g}" if math.isclose(difference, round(difference, 4)) else amount(difference)
    )


def _counted(plan: Plan, clusters: int) -> str:
    scenario, items = plan.scenario, plan.items(clusters)
    words = several(items, scenario.kind)
    if scenario.cluster is None:
        return words
    return f"{several(clusters, scenario.cluster)} ({words})"


def _tables(plan: Plan) -> str:
    """Return two small tables side by side: clusters to difference, difference to clusters."""
    options = plan.options
    level = f"at {options.level:.3g}"
    if options.pairs > 1:
        level += f" ({options.alpha:g} over {options.pairs} pairs)"
    title = f"  {plan.scenario.metric}, two-sided paired randomization test {level}"
    left = _column(
        plan, plan.by_clusters, plan.clusters, "smallest difference", clusters_first=True
    )
    right = _column(plan, plan.by_difference, None, "difference", clusters_first=False)
    width, height = max(map(len, left)), max(len(left), len(right))
    if width + max(map(len, right)) + 7 > room():  # one below the other
        return "\n".join([title, *(f"  {line}".rstrip() for line in (*left, "", *right))])
    left, right = (block + [""] * (height - len(block)) for block in (left, right))
    lines = [f"  {a:<{width}}     {b}".rstrip() for a, b in zip(left, right, strict=True)]
    return "\n".join([title, *lines])


def _column(
    plan: Plan, rows: Sequence[Row], own: int | None, heading: str, *, clusters_first: bool
) -> list[str]:
    """Return the lines of one table; the plan's own number of clusters is marked."""
    scenario = plan.scenario
    nouns = [plural(scenario.kind)] if scenario.cluster is None else [plural(scenario.cluster),
                                                                plural(scenario.kind)]  # fmt: skip
    if not clusters_first:
        nouns[0] += " needed"
    cells = []
    for row in rows:
        counts = [row.items] if scenario.cluster is None else [row.clusters, row.items]
        numbers = [f"{count:,}" for count in counts]
        size = amount(row.difference) + (" *" if row.clusters == own else "  ") * clusters_first
        cells.append([*numbers, size] if clusters_first else [size, *numbers])
    header = [*nouns, heading + "  "] if clusters_first else [heading, *nouns]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in (header, *cells)
    ]


def _curve(plan: Plan) -> str:
    """Return the smallest difference over the number of items, drawn in characters."""
    points = list(plan.curve)
    if len(points) < 3:
        return ""
    low, high = math.log(points[0].clusters), math.log(points[-1].clusters)
    top = max(row.difference for row in points)
    if low == high:
        return ""
    grid = [[" "] * _COLUMNS for _ in range(_LINES)]
    for row in points:
        across = round((math.log(row.clusters) - low) / (high - low) * (_COLUMNS - 1))
        down = round((1 - row.difference / top) * (_LINES - 1))
        grid[down][across] = "*" if row.clusters == plan.clusters else "o"
    lines = [f"  smallest difference found {how_often(plan.options.power)}"]
    for k, line in enumerate(grid):
        scale = amount(top * (1 - k / (_LINES - 1))) if k % 5 == 0 and k < _LINES - 1 else ""
        lines.append(f"  {'0' if k == _LINES - 1 else scale:>7} |{''.join(line)}".rstrip())
    middle = float(f"{plan.items(round(math.exp((low + high) / 2))):.2g}")
    ends = [f"{points[0].items:,}", f"{middle:,.0f}", f"{points[-1].items:,}"]
    room = _COLUMNS - len(ends[0]) - len(ends[1]) - len(ends[2])
    axis = ends[0] + " " * (room // 2) + ends[1] + " " * (room - room // 2) + ends[2]
    return "\n".join([*lines, f"  {'':7} +{'-' * _COLUMNS}", f"  {'':9}{axis}",
                      f"  {'':9}{plural(plan.scenario.kind):^{_COLUMNS}}".rstrip()])  # fmt: skip


def picture(plan: Plan) -> str:
    """Return the curve as SVG, with the numbers of the plan marked."""
    marks = []
    if plan.clusters is not None and plan.detectable is not None:
        here = several(plan.items(plan.clusters), plan.scenario.kind)
        words = f"{amount(plan.detectable)} with {here}"
        marks.append(planning.Mark(plan.items(plan.clusters), plan.detectable, words))
    if plan.needed is not None and plan.difference is not None:
        there = several(plan.items(plan.needed), plan.scenario.kind)
        words = f"{_difference(plan.difference)} with {there}"
        marks.append(planning.Mark(plan.items(plan.needed), plan.difference, words))
    title = f"Smallest difference in {plan.scenario.metric} found {how_often(plan.options.power)}"
    points = [(row.items, row.difference) for row in plan.curve]
    return planning.draw(points, marks, plural(plan.scenario.kind), title, sentence(plan))


def _assumed(plan: Plan) -> str:
    """Return what the numbers rest on, and what simulation says of them."""
    scenario, options = plan.scenario, plan.options
    lines = [scenario.source, *scenario.assumptions]
    if plan.variants:
        lines[1] += f" ({', '.join(_variant(plan, each) for each in plan.variants)})"
    if plan.clusters is not None and plan.found is not None and plan.difference is not None:
        here = _counted(plan, plan.clusters)
        lines.append(
            f"{here} find {_difference(plan.difference)} in {100 * plan.found:.0f} % of cases"
        )
    checks = [
        f"{_difference(each.difference)} with {_counted(plan, each.clusters)} was found in "
        f"{100 * each.share:.1f} % (± {100 * each.error:.1f}) of {each.sets:,}"
        for each in plan.checks
    ]
    if checks:
        lines.append(f"checked on simulated test sets, seed {options.seed}: {'; '.join(checks)}")
    else:
        lines.append(f"not checked by simulation: {_why_unchecked(plan)}")
    return "\n".join(["  This rests on", *(wrapped(line, "  - ") for line in lines)])


def _why_unchecked(plan: Plan) -> str:
    if plan.options.sets == 0:
        return "--simulate 0"
    if plan.withheld:
        return "no figure was borne out"
    if plan.detectable is None and plan.needed is None:
        return "there is no figure to check"
    exchanged = plural(plan.scenario.exchanged)
    return f"for so many {exchanged} the formula will do (--simulate N does it)"


def _variant(plan: Plan, variant: Variant) -> str:
    name, answer = variant.correlation, variant.answer
    if answer is None:
        return f"with {name} not at all"
    words = amount(answer) if plan.clusters is not None else _counted(plan, int(answer))
    return f"with {name} it would be {words}"


def render_margin_plan(plan: MarginPlan) -> str:
    """Return the plan as text, 80 columns wide."""
    parts = [wrapped(_margin_sentence(plan)), _margin_table(plan), wrapped(_margin_assumed(plan))]
    return "\n\n".join(parts) + "\n"


def _margin_sentence(plan: MarginPlan) -> str:
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


def _margin_table(plan: MarginPlan) -> str:
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


def _margin_assumed(plan: MarginPlan) -> str:
    options = plan.options
    pairs = f", {options.pairs} candidates" if options.pairs > 1 else ""
    return (
        f"From {plan.source}, by {plan.metric}; test sets drawn at random and decided as compare "
        f"--margin does; alpha {options.alpha:g}{pairs}, power {options.power:g}, seed "
        f"{options.seed}. changed: the share of items on which only one of the two is right."
    )


_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def render_labels(plan: LabelPlan | None, listed: str | None, names: Sequence[str]) -> str:
    """Return the plan as text: the answer, then what to do with the list."""
    parts = (
        [] if plan is None else [wrapped(_labels_sentence(plan)), wrapped(_rests_on(plan), "  ")]
    )
    if listed is not None:
        parts.append(wrapped(_about_list(listed, names), "  "))
    return "\n\n".join(parts) + "\n"


def _labels_sentence(plan: LabelPlan) -> str:
    """Return how many labels it takes, in a sentence."""
    often = how_often(plan.power)
    pair = f"{clean(plan.a)} and {clean(plan.b)}"
    kinds = plural(plan.kind)
    first = (
        f"With {plan.labels:,} labels of {plan.items:,} {kinds} and this judge, a true difference "
        f"of {amount(plan.detectable)} between {pair} is found {often}; "
    )
    wanted = f"for {amount(plan.wanted)}"
    if plan.settles:
        if plan.wanted == 0:
            return f"{first}so far there is none to settle (say which with --difference)."
        wanted = f"if the true one is what they show so far ({signed(plan.found)}),"
    if plan.needed is None:
        return (
            f"{first}{wanted} labels of all {plan.items:,} {kinds} would not do: it takes about "
            f"{plan.items_needed:,} {kinds}, all of them labelled."
        )
    if plan.more == 0:
        return f"{first}{wanted} you have enough labels."
    without = (
        f"without the judge {plan.needed_alone:,}"
        if plan.needed_alone is not None
        else f"without the judge labels of all {plan.items:,} {kinds} would not do"
    )
    return f"{first}{wanted} you need {plan.needed:,} labels, {plan.more:,} more ({without})."


def _rests_on(plan: LabelPlan) -> str:
    level = f"two-sided test at {plan.level:g}"
    return (
        f"This rests on the {plan.labels:,} labels so far, which show how far the judge goes with "
        f"people: plan again as labels come in. {level[0].upper()}{level[1:]}."
    )


def _about_list(path: str, names: Sequence[str]) -> str:
    columns = " and ".join(clean(name) for name in names)
    return (
        f"{clean(path)} lists what to label, in order: fill in the columns {columns} from the top, "
        f"as far as you get, then compare with --human {clean(path)}; its column {STRATUM} makes "
        "up for the order."
    )


def list_content(listed: Sequence[Listed], kind: str, names: Sequence[str], path: str) -> str:
    """Return the list as a table: item, stratum, and a column for people's scores of each system.

    >>> from tellapart.planning.labels import Listed
    >>> listed = [Listed("q7", "level", (1.0, None))]
    >>> list_content(listed, "item", ["alder", "birch"], "list.csv").splitlines()
    ['item,stratum,alder,birch', 'q7,level,1,']
    """
    delimiter = next((mark for end, mark in _DELIMITERS.items() if path.endswith(end)), None)
    if delimiter is None and path != "-":
        raise UsageError(f"--label-first {path}: the list is a table; call it .csv or .tsv")
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter or ",", lineterminator="\n")
    writer.writerow([kind, STRATUM, *names])
    for each in listed:
        writer.writerow([each.item, each.stratum, *map(_score, each.scores)])
    return stream.getvalue()


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
