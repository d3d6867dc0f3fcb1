"""Systems on selections of slots, as text, JSON or a figure: each against the rest or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tellapart.comparison.options import Options
from tellapart.comparison.selections import OverallContrast, SelectionComparison
from tellapart.report.figures.selections import selections_figure
from tellapart.report.html.page import plain_page
from tellapart.report.table import Column, Table, terminal
from tellapart.report.text import WIDTH, filled, joined, p_text
from tellapart.words import json_text, several


@dataclass(frozen=True, slots=True)
class Selections:
    """Systems on selections of slots, and the contrast of two of them over all systems."""

    found: Sequence[SelectionComparison]
    overall: OverallContrast | None
    row: str
    """Which templates count"""
    options: Options


def selections_json(about: Selections) -> str:
    """Return the comparisons of all selections as JSON."""
    record = {
        "by": "selection",
        "row": about.row,
        "alpha": about.options.alpha,
        "correction": about.options.correction,
        "seed": about.options.seed,
        "selections": [asdict(comparison) for comparison in about.found],
        "overall": None if about.overall is None else asdict(about.overall),
    }
    return json_text(record)


def render_selections(about: Selections, width: int = WIDTH) -> str:
    """Return recall, precision and product on each selection, or on the two of a contrast."""
    sentences = (filled(sentence, width=width) for sentence in _sentences(about))
    return joined([terminal(_table(about), width), *sentences])


def selections_page(about: Selections, command: str) -> str:
    """Return the same as a page, with the figure."""
    figure = selections_figure(about.found)
    sentences = _sentences(about)[::-1]  # the answer first
    return plain_page("Selections of slots", sentences, figure, _table(about), command)


def _table(about: Selections) -> Table:
    other = "all other slots" if about.overall is None else about.overall.against
    corrected = f"{about.row}, correction: {about.options.correction}"
    caption = f"Each selection, and how its R x P differs from {other} ({corrected})"
    columns = [
        Column("selection", "name", lambda own: own.selection),
        Column("system", "text", lambda own: own.system),
        Column("recall", write=lambda own: f"{100 * own.figures.recall:.1f}"),
        Column("prec.", write=lambda own: f"{100 * own.figures.precision:.1f}"),
        Column("R x P", write=lambda own: f"{1e4 * own.figures.product:.0f}"),
        Column("difference", "difference",
               lambda own: f"{1e4 * (own.figures.product - own.rest.product):+.0f}"),
        Column("p", "p", lambda own: p_text(own.p_adjusted["product"])),
    ]  # fmt: skip
    return Table.of(about.found, columns, caption)


def _sentences(about: Selections) -> list[str]:
    test = _test_sentence(about.found, about.options)
    return [test] if about.overall is None else [test, overall_sentence(about.overall)]


def _test_sentence(found: Sequence[SelectionComparison], options: Options) -> str:
    """Return how p is made, and below what it cannot be with so few slots and messages."""
    smallest = [p for each in found if (p := each.smallest_p["product"]) is not None]
    if not smallest:
        return "No selection has slots both inside and outside: no test."
    corrected = options.correction != "none" and len(smallest) > 1
    return (
        "p is by exchanging slots within a message, or messages with slots of one kind; "
        f"{'before the correction ' if corrected else ''}none can be below {p_text(min(smallest))}."
    )


def overall_sentence(overall: OverallContrast) -> str:
    """Return how many systems do better on the first selection, and whether their mean does."""
    difference = 1e4 * (overall.mean - overall.mean_against)
    tied = overall.systems - overall.higher - overall.lower
    ties = f", {tied} alike" if tied else ""
    p = overall.p["product"]
    tested = "one of the two has no slots: no test" if p is None else f"p = {p_text(p)}"
    return (
        f"Over all systems: {overall.higher} of {several(overall.systems, 'system')} score "
        f"higher on {overall.selection}, {overall.lower} on {overall.against}{ties}; the "
        f"mean of R x P is {abs(difference):.0f} {'higher' if difference >= 0 else 'lower'} on "
        f"{overall.selection} ({tested})."
    )
