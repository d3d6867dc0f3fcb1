"""What the page's templates are filled with: texts, rows and figures, ready to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from tellapart.comparison import Comparison, PairResult
from tellapart.details import Details, ItemDifference, PairDetails
from tellapart.report.figures import interval, ladder, matrix, null, slices, systems
from tellapart.report.html.texts import cut, marked
from tellapart.report.numbers import p_text, signed
from tellapart.report.pair_table import ordered_pairs
from tellapart.report.paper import for_paper
from tellapart.report.system_table import units_line
from tellapart.report.verdict import question, ranking, shown_first, verdict
from tellapart.words import plural, several

STATIC_ITEMS = 20
"""Items of a pair that are there without script"""


def metric_view(result: Comparison, metric: str) -> dict[str, Any]:
    """Gather what the page shows of one metric: finding, systems, all pairs."""
    asked, _, answer = question(result, metric).partition("  ")
    direction = "higher" if result.metrics[metric]["higher_is_better"] else "lower"
    letters = result.letters.get(metric, {})
    numbers = {
        frozenset((pair.a, pair.b)): k
        for k, pair in enumerate(result.pairs)
        if pair.metric == metric
    }
    pairs = [(numbers[frozenset((p.a, p.b))], p) for p in ordered_pairs(result, metric)]
    return {
        "metric": metric,
        "question": asked,
        "answer": answer,
        "sentence": verdict(result, metric),
        "for_paper": for_paper(result, metric),
        "heading": f"{metric}, {units_line(result)}, {direction} is better",
        "systems_figure": Markup(systems.draw(result, metric, f"systems-{_slug(result, metric)}")),
        "systems_caption": _systems_caption(result, metric),
        "has_groups": bool(letters),
        "systems": [_system_row(result, system, metric) for system in ranking(result, metric)],
        "matrix_figure": Markup(matrix.draw(result, metric, f"matrix-{_slug(result, metric)}")),
        "matrix_caption": _matrix_caption(result, metric),
        "pairs": [_pair_row(k, pair, result.alpha) for k, pair in pairs],
        "any_different": any(pair.different for _, pair in pairs),
    }


def _slug(result: Comparison, metric: str) -> str:
    return str(list(result.metrics).index(metric))


def _systems_caption(result: Comparison, metric: str) -> str:
    joined = "Bars at the right join systems that are not shown to differ. "
    overlap = (
        "Intervals of two systems may overlap although the pair differs, since both saw the same "
        f"{plural(result.units['kind'])}: see all pairs."
    )
    return (joined if result.letters.get(metric) else "") + overlap


def _matrix_caption(result: Comparison, metric: str) -> str:
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    apart = sum(pair.different for pair in pairs)
    return f"{apart} of {several(len(pairs), 'pair')} can be told apart at {result.alpha:g}."


def _system_row(result: Comparison, system: Any, metric: str) -> dict[str, str]:
    low, high = system.intervals.get(metric, (None, None))
    return {
        "name": system.name,
        "score": f"{system.scores[metric]:.3f}",
        "low": "-" if low is None else f"{low:.3f}",
        "high": "-" if high is None else f"{high:.3f}",
        "group": result.letters.get(metric, {}).get(system.name, ""),
    }


def _pair_row(number: int, shown: PairResult, alpha: float) -> dict[str, Any]:
    low, high = shown.interval or (None, None)
    return {
        "number": number,
        "a": shown.a,
        "b": shown.b,
        "difference": signed(shown.difference),
        "low": signed(low),
        "high": signed(high),
        "won": shown.units_a_better,
        "tied": shown.units_tied,
        "lost": shown.units_b_better,
        "p": p_text(shown.p, alpha),
        "adjusted": p_text(shown.p_adjusted, alpha),
        "different": shown.different,
    }


def pair_view(
    result: Comparison, details: Details, number: int, static_items: int
) -> dict[str, Any]:
    """Gather what the page shows of one pair, its better system first."""
    pair, behind = result.pairs[number], details.pairs[number]
    shown = shown_first(result, pair)
    if shown is not pair:
        behind = behind.mirrored()
    name = f"p{number}"
    row = _pair_row(number, shown, result.alpha)
    level = 100 * (result.interval_level or 0)
    with_null = behind.null is not None
    differ = list(_items(result, details, behind, static_items)) if behind.differing else None
    return {
        **row,
        "metric": pair.metric,
        "exact": pair.method in ("exact", "enumeration"),
        "interval": f"{level:g} % interval {row['low']} to {row['high']}" if shown.interval else "",
        "null_figure": Markup(null.draw(result, shown, behind, f"{name}-null"))
        if with_null
        else "",
        "null_caption": null.sentence(result, shown, behind) if with_null else "",
        "interval_figure": Markup(interval.draw(result, shown, f"{name}-interval")),
        "interval_caption": interval.sentence(result, shown),
        "ladder_figure": Markup(ladder.draw(result, shown, behind, f"{name}-ladder")),
        "ladder_caption": ladder.sentence(result, shown, behind),
        "slices_figures": [
            {"figure": Markup(figure), "caption": caption}
            for figure, caption in slices.draw_all(result, shown, behind, f"{name}-slices")
        ],
        "shown_items": differ,
        "items_line": items_line(result, behind),
    }


def items_line(result: Comparison, behind: PairDetails) -> str:
    """Say how many units differ, and how many of them are in the report."""
    kind = result.units["kind"]
    total = several(behind.differing, kind)
    if behind.differing > len(behind.items):
        return f"{total} differ; the {len(behind.items)} that differ most are here."
    return f"{total} {'differs' if behind.differing == 1 else 'differ'}."


def _items(
    result: Comparison, details: Details, behind: PairDetails, most: int
) -> Iterator[dict[str, Any]]:
    names = [system.name for system in result.systems]
    a, b = names.index(behind.a), names.index(behind.b)
    for item in behind.items[:most]:
        unit = details.units[item.unit]
        texts = []
        for head, text in (("asked", unit.input), ("gold", unit.gold)):
            if text:
                texts.append((head, [(False, cut(text, 1_000))]))
        if unit.outputs:
            one, two = (cut(unit.outputs[k], 1_000) for k in (a, b))
            texts += [(behind.a, marked(one, two)), (behind.b, marked(two, one))]
        yield {
            "name": unit.name,
            "words": _words(behind, item),
            "labels": ", ".join(f"{name} = {cut(value, 80)}" for name, value in unit.labels),
            "texts": texts,
        }


def _words(behind: PairDetails, item: ItemDifference) -> str:
    return f"{behind.a} {_score(item.a)}, {behind.b} {_score(item.b)}"


def _score(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
