"""Boards: of many systems, which pairs are shown, and the record as reports show it.

Up to thirty systems, every pair has intervals, diagnostics and details. Of more, diagnostics and
details are those of the pairs that are shown. Above `MOST_WHOLE` tests, pairs are kept in columns;
those that are shown have intervals, and reports see them and what the verdict rests on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.columns import Columns, rows
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import headline, ranking
from tellapart.comparison.record import MOST_WHOLE, Comparison

MOST_DETAILED: Final = 30
"""Systems of which every pair is shown in detail"""
FOREMOST: Final = 100
"""Of more systems: how many are shown in detail beside the best and beside their neighbours"""
__all__ = ["FOREMOST", "MOST_DETAILED", "MOST_WHOLE", "as_shown", "remarkable", "shown_pairs"]


def shown_pairs(result: Comparison, asked: Iterable[tuple[str, str]] = ()) -> list[int]:
    """Return the places of the pairs that a report shows in detail.

    All of them up to thirty systems. Of more, it is each of the hundred best with the best and with
    the next in rank, the pairs that are `asked` for, and those that verdicts speak of.

    >>> from tellapart.comparison.compare import compare
    >>> from tellapart.counts import Counts
    >>> shown_pairs(compare(Counts.from_arrays({"A": [1, 1, 0], "B": [0, 0, 1]})))
    [0]
    """
    if len(result.systems) <= MOST_DETAILED:
        return list(range(len(result.pairs)))
    asked = list(asked)
    if isinstance(result.pairs, Columns):
        places = _near_the_best(result, asked)
        some = tuple(result.pairs.take(places))
        return [int(places[k]) for k in shown_pairs(replace(result, pairs=some), asked)]
    wanted = {(metric, frozenset(pair)) for metric in result.metrics for pair in asked}
    for metric in result.metrics:
        names = [system.name for system in ranking(result, metric)[:FOREMOST]]
        about = headline(result, metric)
        near = [(about.a, about.b), *pairwise(names), *((names[0], other) for other in names[1:])]
        wanted |= {(metric, frozenset(pair)) for pair in near}
    return [
        number
        for number, pair in enumerate(result.pairs)
        if (pair.metric, frozenset((pair.a, pair.b))) in wanted
    ]


def as_shown(result: Comparison, asked: Iterable[tuple[str, str]] = ()) -> Comparison:
    """Return the comparison as reports show it.

    That is the comparison itself, but for pairs that are kept in columns. Of these, it has the
    pairs of the best system by each metric, which the verdict rests on, those of neighbours in
    rank, and those that are `asked` for.
    """
    if not isinstance(result.pairs, Columns):
        return result
    places = _near_the_best(result, list(asked))
    metrics = result.pairs.column("metric")
    evidence = []
    for analysis in result.evidence:
        own = np.isin(metrics, [bound.metric.name for bound in analysis.projection.metrics])
        number = np.cumsum(own) - 1  # of the analysis' own questions
        chosen = number[[k for k in places if own[k]]]
        evidence.append(replace(analysis, questions=analysis.questions.take(chosen)))
    some = tuple(result.pairs.take(places))
    return replace(result, pairs=some, evidence=tuple(evidence))


def _near_the_best(result: Comparison, asked: list[tuple[str, str]]) -> NDArray[np.int64]:
    """Return the places of pairs with the best by some metric, of neighbours, and those asked."""
    wanted = {frozenset(pair) for pair in asked}
    rank = {
        (metric, system.name): k
        for metric in result.metrics
        for k, system in enumerate(ranking(result, metric))
    }
    found = []
    for number, (metric, a, b) in enumerate(rows(result.pairs, "metric", "a", "b")):
        first, second = rank[metric, a], rank[metric, b]
        near = first == 0 or second == 0 or abs(first - second) == 1
        if near or (wanted and frozenset((a, b)) in wanted):
            found.append(number)
    return np.array(found, np.int64)


def remarkable(pairs: Columns[PairResult], alpha: float, metrics: int) -> NDArray[np.int64]:
    """Return the places of all pairs that a warning could be about, by their tests alone.

    A pair is taken by all metrics, whose numbers of pairs are the same.
    """
    p = pairs.column("p").astype(np.float64)
    drawn, differing = pairs.column("exceedances"), pairs.column("discordant")
    least = pairs.column("smallest_p").astype(np.float64)
    found = (differing == 0) | np.isnan(p) | (pairs.column("settled") == False)  # noqa: E712
    found |= (least > alpha) | ((drawn == 0) & (pairs.column("method") != "sequential"))
    by_pair = np.asarray(found, np.bool_).reshape(metrics, -1).any(axis=0)
    return np.flatnonzero(np.tile(by_pair, metrics))
