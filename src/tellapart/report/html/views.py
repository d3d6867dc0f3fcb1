"""Views: the texts, rows and figures that the templates of the HTML report are filled with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup

from tellapart.comparison.answers import answer
from tellapart.comparison.boards import MOST_DETAILED
from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.pair_record import Ends, PairResult, Slice
from tellapart.comparison.ranking import as_reported, margin_p, ordered_pairs, ranking, told_apart
from tellapart.comparison.reasons import Reasons
from tellapart.comparison.record import Comparison, SystemResult
from tellapart.report.display_names import DisplayNames
from tellapart.report.figures import (
    groups,
    interval,
    item_differences,
    matrix,
    null_distribution,
    slices,
    systems,
    tasks,
)
from tellapart.report.figures.axes import Scale, interval_path, spread
from tellapart.report.figures.svg import BETTER, GRID, WIDTH, element, number
from tellapart.report.html.items import differing_line, static_rows
from tellapart.report.method import for_paper, margin_p_words
from tellapart.report.numbers import ends_words, p_text, pair_adjusted, pair_p, plain, signed
from tellapart.report.reasons import (
    BUCKET_HEADS,
    bucket_cells,
    depends_words,
    ngram_cells,
    sentences,
)
from tellapart.report.tasks import cells_of
from tellapart.report.terminal_text import short_names
from tellapart.report.verdict import verdict
from tellapart.report.wording import (
    decides_words,
    direction,
    first_with_interval,
    group_text,
    interval_scope,
    is_corrected,
    item_kind,
    items_line,
    level_words,
    p_name,
    pair_level_words,
    pair_marks,
    rank_text,
    ranks_line,
)
from tellapart.words import listed, plural, several

NAME: Final = 26
"""Columns of a name in rows and lists; headings have all of it"""
READABLE: Final = 0.72
"""Of a figure's size: with less, words would be too small"""
MOST_RANKS: Final = 30
"""Systems whose ranks stand under their picture; the table has all"""
MOST_PICTURED_ROWS: Final = 20
"""Systems in a picture with bars for their groups; more are a board, row by row"""
_GROUPED = 3  # systems; with fewer, a picture of groups says nothing


def short_systems(result: Comparison) -> dict[str, str]:
    """Return for every system a name that fits in a row, and that no other has."""
    return _short(tuple(system.name for system in result.systems))


@lru_cache(maxsize=4)
def _short(names: tuple[str, ...]) -> dict[str, str]:
    return short_names(names, NAME)


def drawing(svg: str, label: str = "Wide figure") -> Markup:
    """Return a figure for the page; one that is too wide for a phone can be moved sideways."""
    if not svg:
        return Markup("")
    width = float(svg.split(' width="', 1)[1].split('"', 1)[0])
    if width <= WIDTH:
        return Markup(f'<div class="drawing">{svg}</div>')
    look = f"--least: {READABLE * width:.0f}px; --most: {1.1 * width:.0f}px"
    return Markup(
        f'<div class="drawing wide scroll" tabindex="0" role="group" aria-label="{label}" '
        f'style="{look}">{svg}</div>'
    )


def metric_view(
    result: Comparison, metric: str, details: Details, names: DisplayNames
) -> dict[str, Any]:
    """Return what the page shows of one metric: finding, systems, all pairs."""
    found = answer(result, metric)
    detailed = {own.number for own in details.pairs}
    pairs = [(k, pair) for k, pair in numbered_pairs(result, metric) if k in detailed]
    many = len(result.systems) > MOST_DETAILED
    slug = list(result.metrics).index(metric)
    shorts = short_systems(result)
    grouped = len(result.systems) >= _GROUPED
    return {
        "metric": metric,
        "question": found.question,
        "answer": found.answer,
        "rest": found.text.removeprefix(found.answer).lstrip(",: "),
        "tone": found.answer.split(" ")[0].lower(),
        "sentence": verdict(result, metric, below_answer=True),
        "sentence_alone": verdict(result, metric),
        "for_paper": for_paper(result, metric),
        "heading": f"{metric}, {items_line(result, metric)}, {direction(result, metric)} is better",
        "systems_figure": drawing(systems.draw(result, metric, f"systems-{slug}")),
        "systems_caption": _systems_caption(result, metric),
        "has_groups": bool(result.letters.get(metric)),
        "has_ranks": metric in result.ranks,
        "systems": [_system_row(result, each, metric, shorts) for each in ranking(result, metric)],
        "tasks": _tasks_view(result, metric, f"tasks-{slug}") if metric in result.suite else None,
        "board": board(result, metric, names) if len(result.systems) > MOST_PICTURED_ROWS else None,
        "matrix_figure": drawing(
            matrix.draw(result, metric, f"matrix-{slug}", bare=many), "Matrix of all pairs"
        ),
        "matrix_folded": many,
        "pair_count": told_apart(result, metric)[1],
        "matrix_caption": _matrix_caption(result, metric),
        "pairs": [pair_row(result, k, pair, shorts) for k, pair in pairs],
        "marks": _marks(result, [pair for _, pair in pairs]),
        "groups_figure": drawing(groups.draw(result, metric, f"groups-{slug}") if grouped else ""),
        "groups_caption": (
            "Scores from best to worst; each line is around systems that are not shown to differ "
            f"in {metric}."
        ),
    }


def _tasks_view(result: Comparison, metric: str, name: str) -> dict[str, Any]:
    """Return the table of systems × tasks: a figure, and the same as a table."""
    heads, *rows = cells_of(result, metric)
    return {
        "label": result.suite[metric].label,
        "aggregate": result.suite[metric].aggregate,
        "figure": drawing(tasks.draw(result, metric, name)),
        "caption": tasks.caption(result, metric),
        "heads": heads,
        "rows": rows,
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
    because = f", since both saw the same {plural(result.units.kind)}"
    overlap = (
        "Intervals of two systems may overlap although the pair differs"
        f"{'' if result.test == 'unpaired' else because}: see all pairs."
    )
    parts = [overlap, _ranks_caption(result, metric)]
    return (joined if result.letters.get(metric) else "") + " ".join(filter(None, parts))


def _ranks_caption(result: Comparison, metric: str) -> str:
    """Return the rank of every system, best first, and what ranks say."""
    if metric not in result.ranks:
        return ""
    ordered = [system.name for system in ranking(result, metric)]
    ranks = [f"{name} {rank_text(result, metric, name, '–')}" for name in ordered]
    return f"{ranks_line(result).capitalize()}: {listed(ranks, MOST_RANKS)}."


def _matrix_caption(result: Comparison, metric: str) -> str:
    apart, pairs = told_apart(result, metric)
    return f"{apart:,} of {several(pairs, 'pair')} can be told apart at {result.alpha:g}."


def _system_row(
    result: Comparison, system: SystemResult, metric: str, shorts: dict[str, str]
) -> dict[str, str]:
    short = shorts[system.name]
    return {
        "name": system.name,
        "short": "" if short == system.name else short,
        "score": plain(system.scores[metric]),
        "interval": ends_words(system.intervals.get(metric), plain),
        "rank": rank_text(result, metric, system.name, "–"),
        "group": result.letters.get(metric, {}).get(system.name, ""),
    }


def pair_row(
    result: Comparison, number: int, shown: PairResult, shorts: dict[str, str]
) -> dict[str, Any]:
    """Return the numbers of one pair, as it is shown."""
    return {
        "number": number,
        "name": f"{shorts[shown.a]} − {shorts[shown.b]}",
        "difference": signed(shown.difference),
        "interval": ends_words(shown.interval),
        "won": f"{shown.units_a_better:,}",
        "tied": f"{shown.units_tied:,}",
        "lost": f"{shown.units_b_better:,}",
        "p": pair_p(shown, result.alpha),
        "adjusted": pair_adjusted(shown, result.alpha),
        "margin_p": p_text(margin_p(result, shown), result.alpha),
        "mark": pair_marks(shown),
        "different": shown.different,
    }


def interval_head(result: Comparison) -> str:
    """Return the head of a column of systems' or slices' intervals; nothing where there are none.

    A margin gives the intervals of pairs another level, not these.
    """
    return "" if result.interval_level is None else level_words(result)


def pairs_interval_head(result: Comparison) -> str:
    """Return the head of a column of pairs' intervals, with what they hold for."""
    if result.interval_level is None:
        return ""
    pair = first_with_interval(result.pairs)
    words = pair_level_words(result, pair), interval_scope(result, pair)
    return ", ".join(filter(None, words))


def _interval_words(result: Comparison, pair: PairResult, ends: str) -> str:
    words = f"{pair_level_words(result, pair)} {ends}", interval_scope(result, pair)
    return ", ".join(filter(None, words)) if ends else ""


def _marks(result: Comparison, pairs: list[PairResult]) -> str:
    """Return the meaning of the marks in a table of pairs."""
    found = []
    if any(pair.different for pair in pairs):
        found.append(f"* {p_name(result)} at most {result.alpha:g}")
    if any(pair.equivalent for pair in pairs):
        found.append(f"= equivalent: shown to lie within {result.margin:g}")
    if result.margin is not None:
        found.append(margin_p_words(result))
    if pairs and decides_words(pairs[0]):
        found.append(f"intervals: {decides_words(pairs[0])}")
    return "; ".join(found)


STATIC_ITEMS: Final = 20
"""Items of a pair that are there without script"""
MOST_PICTURED: Final = 100


def pair_view(
    result: Comparison, details: Details, own: PairDetails, static_items: int
) -> dict[str, Any]:
    """Return what the page shows of one pair, its better system first."""
    number = own.number
    pair = result.pairs[number]
    shown = as_reported(result, pair)
    if shown is not pair:
        own = own.mirrored()
    name = f"p{number}"
    # Of hundreds of pairs only those that are there without script have pictures of their slices.
    pictured = static_items > 0 or len(details.pairs) <= MOST_PICTURED
    shorts = short_systems(result)
    row = pair_row(result, number, shown, shorts)
    with_null = own.null is not None
    items = list(static_rows(result, details, own, static_items, shorts))
    return {
        **row,
        "a": shown.a,
        "b": shown.b,
        "metric": pair.metric,
        "by_metric": len(result.metrics) > 1,
        "is_adjusted": is_corrected(result),
        "exact": pair.method in ("exact", "enumeration"),
        "interval": _interval_words(result, shown, row["interval"]),
        "for_paper": for_paper(result, pair.metric, pair),
        "null_figure": drawing(null_distribution.draw(result, shown, own, f"{name}-null")),
        "null_caption": null_distribution.sentence(result, shown, own) if with_null else "",
        "interval_figure": drawing(interval.draw(result, shown, f"{name}-interval")),
        "interval_caption": interval.sentence(result, shown),
        "ladder_figure": drawing(item_differences.draw(result, shown, own, f"{name}-ladder")),
        "ladder_caption": item_differences.sentence(result, shown, own),
        "slices": [
            _slices_view(result, shown, parts, f"{name}-slices-{k}" if pictured else None)
            for k, parts in enumerate(slices.by_label(own).values())
        ],
        "why": None if own.reasons is None else _why_view(own.reasons),
        "shown_items": items if own.differing else None,
        "items_line": differing_line(result, own),
    }


def _why_view(found: Reasons) -> dict[str, Any]:
    """Return why a pair differs: sentences, and the tables that they are drawn from."""
    ngrams = () if found.ngrams is None else found.ngrams.listed
    return {
        "sentences": list(sentences(found)),
        "heads": [plural(found.kind), *BUCKET_HEADS],
        "groupings": [
            {
                "by": each.by,
                "depends": depends_words(found, each),
                "rows": [(bucket.name, bucket_cells(found, bucket)) for bucket in each.buckets],
            }
            for each in found.groupings
        ],
        "units": plural(found.unit),
        "ngram_heads": [found.a, found.b, "p", "corrected"],
        "ngrams": [(each.words, ngram_cells(found, each)) for each in ngrams],
    }


def _slices_view(
    result: Comparison, shown: PairResult, parts: Sequence[Slice], name: str | None
) -> dict[str, Any]:
    """Return the slices by one label: a figure, and the same as a table."""
    clustered = any(part.clusters is not None for part in parts)
    return {
        "by": parts[0].by,
        "figure": drawing(slices.draw(result, shown, parts, name) if name else ""),
        "caption": slices.how(result, parts),
        "units": plural(result.units.kind),
        "clusters": plural(item_kind(result)) if clustered else "",
        "interval": interval_head(result),
        "rows": [
            {
                "value": part.value,
                "difference": signed(part.difference),
                "interval": ends_words(part.interval),
                "units": f"{part.units:,}",
                "clusters": f"{part.clusters or 0:,}",
                "p": p_text(part.p, result.alpha),
                "adjusted": p_text(part.p_adjusted, result.alpha),
                "mark": " *" if part.different else "",
            }
            for part in parts
        ],
    }


_WIDTH: Final = 180
_HEIGHT: Final = 18


def board(result: Comparison, metric: str, names: DisplayNames) -> dict[str, Any]:
    """Return the rows of a board, best first: rank, name, score, interval and groups."""
    ordered = ranking(result, metric)
    whole = names.whole
    ends = [end for system in ordered for end in system.intervals.get(metric, ())]
    scores = [system.scores[metric] for system in ordered]
    scale = Scale(*spread([*ends, *scores], 0.03), 6, _WIDTH - 6)
    letters = result.letters.get(metric, {})
    return {
        "names": names.words,
        "ranks": ranks_line(result).capitalize() if metric in result.ranks else "",
        "low": plain(scale.low),
        "high": plain(scale.high),
        "rows": [
            {
                "name": system.name,
                "whole": whole.get(system.name, system.name),
                "score": plain(system.scores[metric]),
                "interval": ends_words(system.intervals.get(metric), plain),
                "plot": _plot(scale, system.scores[metric], system.intervals.get(metric)),
                "rank": rank_text(result, metric, system.name, "–"),
                "first": _first_rank(result, metric, system.name),
                "group": group_text(letters.get(system.name, ""), "–"),
            }
            for system in ordered
        ],
    }


def _first_rank(result: Comparison, metric: str, name: str) -> int:
    ranks = result.ranks.get(metric, {})
    return ranks[name][0] if name in ranks else 0


def _plot(scale: Scale, score: float, interval: Ends | None) -> Markup:
    """Return a score with its interval, on the axis that all rows share."""
    middle = _HEIGHT / 2
    strokes = interval_path(scale, interval, middle, cap=4)
    parts = [
        element("path", d=f"M0 {number(middle)}H{_WIDTH}", stroke=GRID),
        element("path", d=strokes, stroke=BETTER, stroke_width=2) if strokes else "",
        element("circle", cx=scale(score), cy=middle, r=3.5, fill=BETTER),
    ]
    return Markup(  # numbers alone
        element(
            "svg",
            "".join(parts),
            viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
            width=_WIDTH,
            height=_HEIGHT,
            aria_hidden="true",
        )
    )
