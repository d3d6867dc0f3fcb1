"""What the page's templates are filled with: texts, rows and figures, ready to be shown."""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup

from tellapart.comparison.record import Comparison, PairResult, SystemResult
from tellapart.report.figures import groups, matrix, systems
from tellapart.report.figures.pieces import WIDTH, ends_words, level_words
from tellapart.report.fitting import short_names
from tellapart.report.numbers import p_text, signed
from tellapart.report.pair_table import ordered_pairs
from tellapart.report.paper import for_paper
from tellapart.report.system_table import items_line
from tellapart.report.verdict import question, ranking, verdict
from tellapart.words import plural, several

NAME: Final = 26
"""Columns of a name in rows and lists; headings have all of it"""
READABLE: Final = 0.72
"""Of a figure's size: with less, words would be too small"""
_GROUPED = 3  # systems; with fewer, a picture of groups says nothing


def short_systems(result: Comparison) -> dict[str, str]:
    """Give every system a name that fits in a row, and that no other has."""
    return short_names([system.name for system in result.systems], NAME)


def drawing(svg: str) -> Markup:
    """Put a figure on the page; one that is too wide for a phone can be moved sideways there."""
    if not svg:
        return Markup("")
    width = float(svg.split(' width="', 1)[1].split('"', 1)[0])
    if width <= WIDTH:
        return Markup(f'<div class="drawing">{svg}</div>')
    look = f"--least: {READABLE * width:.0f}px; --most: {1.1 * width:.0f}px"
    return Markup(
        f'<div class="drawing wide scroll" tabindex="0" role="group" aria-label="Wide figure" '
        f'style="{look}">{svg}</div>'
    )


def metric_view(result: Comparison, metric: str) -> dict[str, Any]:
    """Gather what the page shows of one metric: finding, systems, all pairs."""
    asked, _, answer = question(result, metric).partition("  ")
    direction = "higher" if result.metrics[metric]["higher_is_better"] else "lower"
    pairs = numbered_pairs(result, metric)
    slug = list(result.metrics).index(metric)
    shorts = short_systems(result)
    grouped = len(result.systems) >= _GROUPED
    return {
        "metric": metric,
        "question": asked,
        "answer": answer,
        "tone": answer.rstrip(".").split(",")[0].split(" ")[0].lower(),
        "sentence": verdict(result, metric),
        "for_paper": for_paper(result, metric),
        "heading": f"{metric}, {items_line(result)}, {direction} is better",
        "systems_figure": drawing(systems.draw(result, metric, f"systems-{slug}")),
        "systems_caption": _systems_caption(result, metric),
        "has_groups": bool(result.letters.get(metric)),
        "systems": [_system_row(result, each, metric, shorts) for each in ranking(result, metric)],
        "matrix_figure": drawing(matrix.draw(result, metric, f"matrix-{slug}")),
        "matrix_caption": _matrix_caption(result, metric),
        "pairs": [pair_row(result, k, pair, shorts) for k, pair in pairs],
        "marks": _marks(result, [pair for _, pair in pairs]),
        "groups_figure": drawing(groups.draw(result, metric, f"groups-{slug}") if grouped else ""),
        "groups_caption": (
            "Scores from best to worst; each line is around systems that are not shown to differ "
            f"in {metric}."
        ),
    }


def numbered_pairs(result: Comparison, metric: str) -> list[tuple[int, PairResult]]:
    """Return the pairs of a metric as reports order them, with their numbers in the record."""
    numbers = {
        frozenset((pair.a, pair.b)): k
        for k, pair in enumerate(result.pairs)
        if pair.metric == metric
    }
    return [(numbers[frozenset((p.a, p.b))], p) for p in ordered_pairs(result, metric)]


def _systems_caption(result: Comparison, metric: str) -> str:
    joined = "Bars at the right join systems that are not shown to differ. "
    because = f", since both saw the same {plural(result.units['kind'])}"
    overlap = (
        "Intervals of two systems may overlap although the pair differs"
        f"{'' if result.test == 'unpaired' else because}: see all pairs."
    )
    return (joined if result.letters.get(metric) else "") + overlap


def _matrix_caption(result: Comparison, metric: str) -> str:
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    apart = sum(pair.different for pair in pairs)
    return f"{apart} of {several(len(pairs), 'pair')} can be told apart at {result.alpha:g}."


def _system_row(
    result: Comparison, system: SystemResult, metric: str, shorts: dict[str, str]
) -> dict[str, str]:
    short = shorts[system.name]
    return {
        "name": system.name,
        "short": "" if short == system.name else short,
        "score": f"{system.scores[metric]:.3f}",
        "interval": ends_words(system.intervals.get(metric), ".3f"),
        "group": result.letters.get(metric, {}).get(system.name, ""),
    }


def pair_row(
    result: Comparison, number: int, shown: PairResult, shorts: dict[str, str]
) -> dict[str, Any]:
    """Write the figures of one pair, as it is shown."""
    mark = (" *" if shown.different else "") + (" =" if shown.equivalent else "")
    return {
        "number": number,
        "name": f"{shorts[shown.a]} − {shorts[shown.b]}",
        "difference": signed(shown.difference),
        "interval": ends_words(shown.interval),
        "won": shown.units_a_better,
        "tied": shown.units_tied,
        "lost": shown.units_b_better,
        "p": p_text(shown.p, result.alpha),
        "adjusted": p_text(shown.p_adjusted, result.alpha),
        "mark": mark,
        "different": shown.different,
    }


def is_adjusted(result: Comparison) -> bool:
    """Tell whether p-values are corrected for the number of pairs."""
    return result.correction != "none" and bool(result.family["size"] > 1)


def _marks(result: Comparison, pairs: list[PairResult]) -> str:
    """Explain the marks of a table of pairs."""
    p = "adjusted p" if is_adjusted(result) else "p"
    found = []
    if any(pair.different for pair in pairs):
        found.append(f"* {p} at most {result.alpha:g}")
    if any(pair.equivalent for pair in pairs):
        found.append(f"= equivalent: shown to lie within {result.margin:g}")
    return "; ".join(found)


def interval_head(result: Comparison) -> str:
    """Name the column of intervals; nothing where there are none."""
    return level_words(result) if result.interval_level is not None else ""
