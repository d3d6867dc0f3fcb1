"""Systems on selections of slots, as text, JSON or a figure: each against the rest or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TypeAlias

from tellapart.comparison.options import Options
from tellapart.comparison.selections import OverallContrast, SelectionComparison, SelectionScores
from tellapart.report.figures.selections import selections_figure
from tellapart.report.html.page import Origin, plain_page
from tellapart.report.table import Column, Table, terminal
from tellapart.report.text import WIDTH, filled, p_text
from tellapart.words import json_text, several

_Side: TypeAlias = tuple[SelectionComparison, SelectionScores]
"""A comparison, and the scores on the selection or on what it is held against"""


def selections_json(
    found: Sequence[SelectionComparison],
    overall: OverallContrast | None,
    row: str,
    options: Options,
) -> str:
    """Return the comparisons of all selections as JSON; `row` says which templates count."""
    record = {
        "by": "selection",
        "row": row,
        "alpha": options.alpha,
        "correction": options.correction,
        "seed": options.seed,
        "selections": [asdict(each) for each in found],
        "overall": None if overall is None else asdict(overall),
    }
    return json_text(record)


def render_selections(
    found: Sequence[SelectionComparison],
    overall: OverallContrast | None,
    row: str,
    options: Options,
    width: int = WIDTH,
) -> str:
    """Return recall, precision and product on each selection, or on the two of a contrast."""
    lines = terminal(_table(found, overall, row, options), width)
    sentences = [f"\n{filled(each, width=width)}" for each in _sentences(found, overall, options)]
    return "\n".join([*lines, *sentences, ""])


def selections_page(
    found: Sequence[SelectionComparison],
    overall: OverallContrast | None,
    row: str,
    options: Options,
    origin: Origin,
) -> str:
    """Return the same as a page, with the figure."""
    table = _table(found, overall, row, options, sections=False)
    figure = selections_figure(found)
    sentences = _sentences(found, overall, options)[::-1]  # the answer first
    return plain_page("Selections of slots", sentences, figure, table, origin)


def _table(
    found: Sequence[SelectionComparison],
    overall: OverallContrast | None,
    row: str,
    options: Options,
    *,
    sections: bool = True,
) -> Table:
    what, rest = (
        ("each selection", "all other slots")
        if overall is None
        else ("both selections", "the other one")
    )
    caption = (
        f"Recall, precision and their product on {what}, its difference from {rest}, and p that "
        f"there is none ({row}, correction: {options.correction})"
    )
    sides: dict[str, list[_Side]] = {}
    for each in found:
        sides.setdefault(each.selection, []).append((each, each.figures))
    for each in found if overall is not None else ():
        sides.setdefault(each.against or "", []).append((each, each.rest))
    rows = [(selection, *side) for selection, own in sides.items() for side in own]
    columns = [
        Column("system", "name", lambda row: row[1].system),
        Column("recall", write=lambda row: f"{100 * row[2].recall:.1f}"),
        Column("prec.", write=lambda row: f"{100 * row[2].precision:.1f}"),
        Column("R x P", write=lambda row: f"{1e4 * row[2].product:.0f}"),
        Column("difference", "difference", lambda row: f"{_difference(row[1], row[2]):+.0f}"),
        Column("p", "p", lambda row: p_text(row[1].p_adjusted["product"])),
    ]
    if sections:
        return Table.of(rows, columns, caption, section=lambda row: row[0])
    return Table.of(rows, [Column("selection", "name", lambda row: row[0]), *columns], caption)


def _sentences(
    found: Sequence[SelectionComparison], overall: OverallContrast | None, options: Options
) -> list[str]:
    told = [_test_sentence(found, options)]
    return told if overall is None else [*told, overall_sentence(overall)]


def _difference(found: SelectionComparison, here: SelectionScores) -> float:
    """Return how much higher the product is here than where it is held against."""
    other = found.rest if here is found.figures else found.figures
    return 1e4 * (here.product - other.product)


def _test_sentence(found: Sequence[SelectionComparison], options: Options) -> str:
    """Return how p is made, and below what it cannot be with so few slots and messages."""
    smallest = [p for each in found if (p := each.smallest_p["product"]) is not None]
    if not smallest:
        return "No selection has slots both inside and outside: no test."
    least, most = p_text(min(smallest)), p_text(max(smallest))
    limit = least if least == most else f"{least} to {most}, by system and selection"
    corrected = options.correction != "none" and len(smallest) > 1
    return (
        "p: by exchanging slots within a message, or messages that have slots of one kind; "
        f"{'before the correction ' if corrected else ''}it cannot be below {limit}."
    )


def overall_sentence(overall: OverallContrast) -> str:
    """Return how many systems do better on the first selection, and whether their mean does."""
    metric = "product"
    difference = 1e4 * (overall.mean[metric] - overall.mean_against[metric])
    tied = overall.systems - overall.higher[metric] - overall.lower[metric]
    ties = f", {tied} alike" if tied else ""
    p = overall.p[metric]
    tested = "one of the two has no slots: no test" if p is None else f"p = {p_text(p)}"
    return (
        f"Over all systems: {overall.higher[metric]} of {several(overall.systems, 'system')} score "
        f"higher on {overall.selection}, {overall.lower[metric]} on {overall.against}{ties}; the "
        f"mean of R x P is {abs(difference):.0f} {'higher' if difference >= 0 else 'lower'} on "
        f"{overall.selection} ({tested})."
    )
