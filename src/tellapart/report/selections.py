"""Systems on selections of slots, as text, JSON or a figure: each against the rest or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from tellapart.comparison.options import Options
from tellapart.comparison.selections import OverallContrast, SelectionComparison, SelectionScores
from tellapart.report.numbers import p_text
from tellapart.report.text import WIDTH, filled
from tellapart.words import json_text, several

_HEADS = "    recall   prec.    R x P"


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
    """Return recall, precision and product side by side, with the tests.

    On each selection; or on the two of a contrast, and over all systems.
    """
    table: dict[str, dict[str, SelectionComparison]] = {}
    for each in found:
        table.setdefault(each.system, {})[each.selection] = each
    first = max(6, *map(len, table))
    if overall is None:
        names = list(dict.fromkeys(each.selection for each in found))
        what, rest = "each selection", "all other slots"
        heads, size = (_HEADS + "       p") * len(names), 30
    else:
        names = [overall.selection, overall.against]
        what, rest = "two selections", "both"
        heads, size = _HEADS * 2 + " difference       p", 25
    lines = [
        f"Recall, precision and their product on {what}, and p that the product is",
        f"the same on {rest} ({row}, correction: {options.correction})",
        "",
        " " * first + "".join(f"  {name[:size]:^{size}}" for name in names),
        "system".ljust(first) + heads,
    ]
    for system, cells in table.items():
        line = system.ljust(first)
        for each in cells.values():
            p = p_text(each.p_adjusted["product"])
            line += _cells(each.figures)
            if overall is not None:
                difference = 1e4 * (each.figures.product - each.rest.product)
                line += f"{_cells(each.rest)}{difference:+11.0f}"
            line += f"{p:>8}"
        lines.append(line)
    if overall is not None:
        lines += ["", filled(overall_sentence(overall), width=width)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _cells(scores: SelectionScores) -> str:
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
