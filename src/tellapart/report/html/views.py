"""What the templates of the page are filled with: answers, figures, tables and items."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from markupsafe import Markup

from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.explain import Reasons
from tellapart.comparison.pairs import DETAILED_SYSTEMS
from tellapart.comparison.ranking import as_reported, headline, reported_pairs
from tellapart.comparison.record import Comparison, Pair
from tellapart.counts.views import Cell, Piece, ViewSection, against, comparable
from tellapart.report import reasons
from tellapart.report.document import finding, pair_table, slice_tables, system_table, task_table
from tellapart.report.figures.collection import seen_as_reported
from tellapart.report.figures.layout import (
    BETTER,
    GRID,
    WIDTH,
    Scale,
    between,
    caption_of,
    element,
    interval_path,
    spread,
)
from tellapart.report.figures.matrices import matrix_figure, tasks_figure
from tellapart.report.figures.pairs import (
    interval_figure,
    items_figure,
    null_figure,
    slices_by_label,
    slices_figure,
)
from tellapart.report.figures.systems import groups_figure, systems_figure
from tellapart.report.html.store import NAME, cut
from tellapart.report.method import for_paper
from tellapart.report.numbers import pair_adjusted, pair_p, percent, plain, signed
from tellapart.report.sentences import (
    apart_words,
    better_direction,
    interval_scope,
    is_corrected,
    items_words,
    verdict,
)
from tellapart.report.table import Table, page_rows
from tellapart.report.text import short_names
from tellapart.words import plural, several

READABLE: Final = 0.72
"""Of a figure's size: with less, words would be too small"""
MOST_PICTURED: Final = 20
"""Systems in a picture with bars for their groups; more are a board, row by row"""
STATIC_ITEMS: Final = 20
"""Items of a pair that are there without script"""
_MOST_SLICED = 100  # pairs that have pictures of their slices
_STATIC = 1_000  # characters of a text without script


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


def pictured(svg: str, caption: str | None = None, title: str = "") -> dict[str, Any]:
    """Return a figure with its caption, by default its own, and a title above it."""
    words = Markup(caption_of(svg)) if caption is None else caption
    return {"title": title, "figure": drawing(svg), "caption": words}


def table_view(table: Table, numbers: Sequence[int] = ()) -> dict[str, Any]:
    """Return a table for the page; `numbers` are those of the pairs that its rows lead to."""
    rows = page_rows(table)
    for row, number in zip(rows, numbers, strict=False):
        row["number"] = number
    return {
        "heads": [(c.head, c.kind) for c in table.columns if c.kind != "strip"],
        "rows": rows,
        "notes": table.notes,
    }


def metric_view(record: Comparison, metric: str, details: Details) -> dict[str, Any]:
    """Return what the page shows of one metric: finding, systems, tasks, all pairs."""
    question, answer, sentence = finding(record, metric)
    word = record.answers[metric].answer
    number = list(record.metrics).index(metric)
    many = len(record.systems) > DETAILED_SYSTEMS
    return {
        "metric": metric,
        "question": question,
        "answer": word,
        "rest": answer.removeprefix(word).lstrip(",: "),
        "tone": word.split(" ")[0].lower(),
        "sentence": sentence,
        "sentence_alone": verdict(record, metric),
        "for_paper": for_paper(record, metric),
        "heading": f"{metric}, {items_words(record, metric)}, {better_direction(record, metric)}",
        "evidence": _evidence(record, metric, details, f"evidence-{number}"),
        "systems": pictured(systems_figure(record, metric, f"systems-{number}"), _overlap(record)),
        "system_table": table_view(system_table(record, metric)),
        "board": len(record.systems) > MOST_PICTURED,
        "plots": _plots(record, metric),
        "tasks": _tasks(record, metric, f"tasks-{number}"),
        "matrix": pictured(matrix_figure(record, metric, f"matrix-{number}")),
        "folded": many,
        "apart": apart_words(record, metric),
        **_pairs(record, metric, details),
        "groups": pictured(
            groups_figure(record, metric, f"groups-{number}"),
            "Scores from best to worst; each line is around systems that are not shown to differ "
            f"in {metric}.",
            f"Groups by {metric}",
        ),
    }


def _evidence(
    record: Comparison, metric: str, details: Details, name: str
) -> dict[str, Any] | None:
    """Return what chance alone would make of the pair that the verdict speaks of."""
    about = headline(record, metric)
    for own in details.pairs if len(record.systems) > 2 else ():  # of two, it stands below anyway
        pair = record.pairs[own.number]
        if pair.metric == metric and {pair.a, pair.b} == {about.a, about.b} and own.null:
            return pictured(null_figure(record, *seen_as_reported(record, own), name))
    return None


def _overlap(record: Comparison) -> str:
    both = (
        ""
        if record.test == "unpaired"
        else f", since both saw the same {plural(record.items.kind)}"
    )
    return f"Intervals of two systems may overlap although the pair differs{both}: see all pairs."


def _tasks(record: Comparison, metric: str, name: str) -> dict[str, Any] | None:
    if metric not in record.suite:
        return None
    table = task_table(record, metric)
    figure = pictured(
        tasks_figure(record, metric, name), " ".join(f"{note.rstrip('.')}." for note in table.notes)
    )
    return {**figure, "aggregate": record.suite[metric].aggregate, "table": table_view(table)}


def _pairs(record: Comparison, metric: str, details: Details) -> dict[str, Any]:
    """Return the table of pairs; of many systems, of those that are shown in detail."""
    numbers = {own.number for own in details.pairs}
    place = {(p.metric, frozenset((p.a, p.b))): k for k, p in enumerate(record.pairs)}
    shown = tuple(pair for k, pair in enumerate(record.pairs) if k in numbers)
    few = record if len(shown) == len(record.pairs) else replace(record, pairs=shown)
    short = short_names([system.name for system in record.systems], NAME)
    rows = [place[metric, frozenset((p.a, p.b))] for p in reported_pairs(few, metric)]
    view = table_view(pair_table(few, [metric]), rows)
    for row, number in zip(view["rows"], rows, strict=True):
        pair = as_reported(record, record.pairs[number])
        row["heading"], row["bold"] = "", pair.different
        row["cells"][0]["text"] = f"{short[pair.a]} − {short[pair.b]}"
    return {"pairs": view, "pair_count": len(record.pairs_of(metric))}


def _plots(record: Comparison, metric: str) -> list[Markup]:
    """Return each score with its interval, on an axis that all rows of a board share."""
    drawn = [row.cells for row in system_table(record, metric).rows]
    strips = [cell.drawn for cells in drawn for cell in cells if cell.drawn is not None]
    scale = Scale(*spread([end for strip in strips for end in strip], 0.03), 6, 174)
    return [
        Markup(  # numbers alone
            element(
                "svg",
                element("path", d="M0 9H180", stroke=GRID)
                + element("path", d=interval_path(scale, (low, high), 9, 4), stroke=BETTER,
                          stroke_width=2)
                + element("circle", cx=scale(score), cy=9, r=3.5, fill=BETTER),
                viewBox="0 0 180 18", width=180, height=18, aria_hidden="true",
            )
        )
        for low, score, high in strips
    ]  # fmt: skip


def pair_view(
    record: Comparison, details: Details, own: PairDetails, whole: Mapping[str, str], static: int
) -> dict[str, Any]:
    """Return what the page shows of one pair, its better system first.

    `whole` are the whole names of systems; `static` items are there without script.
    """
    pair, seen = seen_as_reported(record, own)
    name = f"p{own.number}"
    scope = interval_scope(record, pair)
    interval = between(pair.interval)
    if interval and pair.interval_level is not None:
        interval = f"{percent(pair.interval_level)} confidence interval {interval}"
        interval += f", {scope}" if scope else ""
    by_label = slices_by_label(seen).items()
    tables = slice_tables(_only(record, pair, seen))
    sliced = static > 0 or len(details.pairs) <= _MOST_SLICED
    items = list(_static_items(record, details, pair, seen, whole, static))
    return {
        "number": own.number,
        "a": pair.a,
        "b": pair.b,
        "metric": pair.metric,
        "difference": signed(pair.difference),
        "interval": interval,
        "p": pair_p(pair, record.alpha),
        "adjusted": pair_adjusted(pair, record.alpha) if is_corrected(record) else "",
        "exact": pair.method in ("exact", "enumeration"),
        "for_paper": for_paper(record, pair.metric, pair),
        "null": pictured(null_figure(record, pair, seen, f"{name}-null")),
        "figures": [
            pictured(interval_figure(record, pair, f"{name}-interval")),
            pictured(items_figure(record, pair, seen, f"{name}-items")),
        ],
        "slices": [
            {
                **pictured(slices_figure(record, pair, parts, f"{name}-{k}") if sliced else ""),
                "title": label,
                "table": table_view(table),
            }
            for k, ((label, parts), table) in enumerate(zip(by_label, tables, strict=True))
        ],
        "why": None if own.reasons is None else _why(own.reasons),
        "shown_items": items if own.differing else None,
        "items_line": _differing_line(record, pair, own),
    }


def _why(found: Reasons) -> dict[str, Any]:
    """Return why a pair differs: sentences, and the tables that they are drawn from."""
    tables = [(caption, table_view(table)) for caption, table in reasons.tables(found)]
    return {"sentences": list(reasons.sentences(found)), "tables": tables}


def _only(record: Comparison, pair: Pair, details: PairDetails) -> Comparison:
    """Return the record of one pair and its slices."""
    systems = tuple(s for s in record.systems if s.name in (pair.a, pair.b))
    metrics = {pair.metric: record.metrics[pair.metric]}
    return replace(record, systems=systems, pairs=(pair,), metrics=metrics, suite={},
                   slices=details.slices)  # fmt: skip


def _differing_line(record: Comparison, pair: Pair, own: PairDetails) -> str:
    """Return how many items differ, how many of them are in the page, and where the rest is."""
    total, shown = several(own.differing, record.items.kind), len(own.items)
    total = total if record.judged is None else f"By {record.judged.judge} alone, {total}"
    if own.differing > shown:
        return (
            f"{total} differ; the {shown} that contribute most to the difference are here, and "
            f"{own.differing - shown:,} are left out. All of them: tellapart diff "
            f"{shlex.join((pair.a, pair.b))} FILES --most 0."
        )
    return f"{total} {'differs' if own.differing == 1 else 'differ'}."


def _static_items(
    record: Comparison,
    details: Details,
    pair: Pair,
    seen: PairDetails,
    whole: Mapping[str, str],
    most: int,
) -> Iterator[dict[str, Any]]:
    """Yield the items that are there without script: those that contribute most."""
    names = [system.name for system in record.systems]
    places, both = [names.index(name) for name in (pair.a, pair.b)], (whole[pair.a], whole[pair.b])
    for item in seen.items[:most]:
        shown = details.items[item.place]
        gold = cut(shown.gold, _STATIC)
        outputs = [cut(shown.outputs[k], _STATIC) for k in places] if shown.outputs else []
        judged = comparable(gold, outputs) and shown.view is None
        texts: list[tuple[str, Cell]] = [("input", (Piece(cut(shown.input, _STATIC)),))]
        texts.append(("gold", (Piece(gold),)))
        texts += [
            (name, against(text, gold) if judged else (Piece(text),))
            for name, text in zip((pair.a, pair.b), outputs, strict=False)
        ]
        view = None if shown.view is None else shown.view.of_systems(both)
        sections = () if view is None else view.sections
        yield {
            "name": shown.name,
            "words": f"{pair.a} {plain(item.a)}, {pair.b} {plain(item.b)}",
            "labels": ", ".join(f"{name} = {cut(value, 80)}" for name, value in shown.labels),
            "texts": [(name, cell) for name, cell in texts if any(p.text for p in cell)],
            "sections": [_static_section(section, both) for section in sections],
        }


def _static_section(section: ViewSection, systems: tuple[str, str]) -> dict[str, Any]:
    with_gold = any(row.gold for row in section.rows)
    return {
        "title": section.title,
        "stacked": section.stacked,
        "heads": [*(["gold"] if with_gold else []), *systems],
        "rows": [
            (row.label, [*([row.gold] if with_gold else []), *map(row.outputs.get, systems)])
            for row in section.rows
        ],
    }
