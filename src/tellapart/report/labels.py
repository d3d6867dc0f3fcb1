"""A plan of labels in words, and the list of what to label as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tellapart.errors import UsageError
from tellapart.planning.labels import LabelPlan, Listed
from tellapart.report.numbers import signed
from tellapart.report.plan import amount, how_often
from tellapart.report.terminal_text import wrapped
from tellapart.words import clean, plural

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def render_labels(plan: LabelPlan | None, listed: str | None, names: Sequence[str]) -> str:
    """Return the plan as text: the answer, then what to do with the list."""
    parts = [] if plan is None else [wrapped(sentence(plan)), wrapped(_rests_on(plan), "  ")]
    if listed is not None:
        parts.append(wrapped(_about_list(listed, names), "  "))
    return "\n\n".join(parts) + "\n"


def sentence(plan: LabelPlan) -> str:
    """Return how many labels it takes, in a sentence."""
    often = how_often(plan.power)
    pair = f"{clean(plan.a)} and {clean(plan.b)}"
    kinds = plural(plan.kind)
    first = (
        f"With {plan.labels} labels of {plan.items:,} {kinds} and this judge, a true difference of "
        f"{amount(plan.detectable)} between {pair} is found {often}; "
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
        f"This rests on the {plan.labels} labels so far, which show how far the judge goes with "
        f"people: plan again as labels come in. {level[0].upper()}{level[1:]}."
    )


def _about_list(path: str, names: Sequence[str]) -> str:
    columns = " and ".join(clean(name) for name in names)
    return (
        f"{clean(path)} lists what to label, in order: fill in the columns {columns} from the top, "
        f"as far as you get, then compare with --human {clean(path)} --strata stratum, which makes "
        "up for the order."
    )


def list_content(listed: Sequence[Listed], kind: str, names: Sequence[str], path: str) -> str:
    """Return the list as a table: item, stratum, and a column for people's scores of each system.

    >>> listed = [Listed("q7", "level", (1.0, None))]
    >>> list_content(listed, "item", ["alder", "birch"], "list.csv").splitlines()
    ['item,stratum,alder,birch', 'q7,level,1,']
    """
    delimiter = next((mark for end, mark in _DELIMITERS.items() if path.endswith(end)), None)
    if delimiter is None and path != "-":
        raise UsageError(f"--label-first {path}: the list is a table; call it .csv or .tsv")
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter or ",", lineterminator="\n")
    writer.writerow([kind, "stratum", *names])
    for each in listed:
        writer.writerow([each.item, each.stratum, *map(_score, each.scores)])
    return stream.getvalue()


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
