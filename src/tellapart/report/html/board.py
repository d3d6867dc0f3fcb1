"""The board of the HTML report: many systems row by row, each with a small picture of its score."""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup

from tellapart.comparison.pair_record import Ends
from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison
from tellapart.report.display_names import DisplayNames
from tellapart.report.figures.axes import Scale, interval_path, spread
from tellapart.report.figures.svg import BETTER, GRID, element, number
from tellapart.report.numbers import ends_words, plain
from tellapart.report.wording import group_text, rank_text, ranks_line

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
