"""Systems on selections of slots, as text or JSON: each against the rest, or against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from tellapart.report.numbers import p_text
from tellapart.report.terminal_text import filled
from tellapart.words import json_text, several

if TYPE_CHECKING:
    from tellapart.comparison.selections import (
        OverallContrast,
        SelectionComparison,
        SelectionScores,
    )
    from tellapart.significance.options import Options


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


def render_selections(found: Sequence[SelectionComparison], row: str, correction: str) -> str:
    """Return recall, precision and product per selection side by side, with the tests."""
    table: dict[str, dict[str, SelectionComparison]] = {}
    for each in found:
        table.setdefault(each.system, {})[each.selection] = each
    names = list(dict.fromkeys(each.selection for each in found))
    width = max(6, *(len(system) for system in table))
    lines = ["Recall, precision and their product on each selection, and p that the product is"]
    lines += [f"the same on all other slots ({row}, correction: {correction})", ""]
    lines.append(" " * width + "".join(f"  {name[:30]:^30}" for name in names))
    lines.append("system".ljust(width) + "    recall   prec.    R x P       p" * len(names))
    lines += [_selections_line(system, width, table[system], names) for system in table]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _selections_line(
    system: str, width: int, row: Mapping[str, SelectionComparison], names: Sequence[str]
) -> str:
    cells = [
        f"  {100 * f.recall:8.1f}{100 * f.precision:8.1f}{1e4 * f.product:9.0f}"
        f"{p_text(row[name].p_adjusted['product']):>8}"
        for name in names
        for f in [row[name].figures]
    ]
    return system.ljust(width) + "".join(cells)


def render_contrast(
    found: Sequence[SelectionComparison], overall: OverallContrast, row: str, correction: str
) -> str:
    """Return recall, precision and product on two selections side by side, and over all systems."""
    names = (overall.selection, overall.against)
    width = max(6, *(len(each.system) for each in found))
    lines = ["Recall, precision and their product on two selections, and p that the product is"]
    lines += [f"the same on both ({row}, correction: {correction})", ""]
    lines.append(" " * width + "".join(f"  {name[:25]:^25}" for name in names))
    lines.append("system".ljust(width) + "    recall   prec.    R x P" * 2 + " difference       p")
    for each in found:
        cells = _scores_cells(each.figures) + _scores_cells(each.rest)
        difference = 1e4 * (each.figures.product - each.rest.product)
        p = p_text(each.p_adjusted["product"])
        lines.append(f"{each.system.ljust(width)}{cells}{difference:+11.0f}{p:>8}")
    lines += ["", filled(overall_sentence(overall))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _scores_cells(scores: SelectionScores) -> str:
    return f"  {100 * scores.recall:8.1f}{100 * scores.precision:8.1f}{1e4 * scores.product:9.0f}"


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
