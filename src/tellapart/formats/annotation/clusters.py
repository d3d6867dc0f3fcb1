"""Coreference metrics for any clusters of mentions: MUC, B³, CEAF and BLANC.

The sums they are made of add over documents; as columns of counts they are what is tested.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.annotation.model import (
    Floats,
    Fractions,
    Scores,
    divide,
    recall_precision_f1,
    total,
)
from tellapart.metrics import Function, Metric, ratio

_SUMMED: Final = ("mentions", "muc", "bcub", "ceafm", "ceafe", "links", "gaps")
_LABELS: Final = {
    "mentions": "mentions",
    "muc": "MUC",
    "bcub": "B³",
    "ceafm": "CEAF-m",
    "ceafe": "CEAF-e",
    "blanc": "BLANC",
}

CorefCounts = Mapping[str, Fractions]
"""The sums of every metric; `links` are coreferent pairs of mentions, `gaps` all others"""
Row = tuple[Hashable | None, Hashable | None]
"""A mention's key cluster and response cluster; None where it is not in the key or response"""


def count_document(rows: Iterable[Row]) -> CorefCounts:
    """Return the counts of one document: each mention has a cluster in key, response, or both.

    >>> rows = [("k1", "r1"), ("k1", "r1"), ("k1", "r2"), ("k2", "r2"), (None, "r2")]
    >>> count_document(rows)["muc"]
    Fractions(recall_part=1, recall_whole=2, precision_part=1, precision_whole=3)
    """
    mentions = list(rows)
    key = Counter(k for k, _ in mentions if k is not None)
    response = Counter(r for _, r in mentions if r is not None)
    common = Counter((k, r) for k, r in mentions if k is not None and r is not None)
    n_key, n_response, n_common = key.total(), response.total(), common.total()
    linked = sum(n - 1 for n in common.values())
    aligned = round(best_total(common))
    entity = best_total({(k, r): 2 * n / (key[k] + response[r]) for (k, r), n in common.items()})
    links, key_links, response_links = (_pairs_within(c) for c in (common, key, response))
    # Of the pairs that both sides have, those that are apart in both: none is visited.
    in_key, in_response = Counter[Hashable](), Counter[Hashable]()
    for (k, r), n in common.items():
        in_key[k] += n
        in_response[r] += n
    gaps = _pairs(n_common) - (_pairs_within(in_key) + _pairs_within(in_response) - links)
    return {
        "mentions": Fractions(n_common, n_key, n_common, n_response),
        "muc": Fractions(linked, n_key - len(key), linked, n_response - len(response)),
        "bcub": Fractions(
            math.fsum(n * n / key[k] for (k, _), n in common.items()),
            n_key,
            math.fsum(n * n / response[r] for (_, r), n in common.items()),
            n_response,
        ),
        "ceafm": Fractions(aligned, n_key, aligned, n_response),
        "ceafe": Fractions(entity, len(key), entity, len(response)),
        "links": Fractions(links, key_links, links, response_links),
        "gaps": Fractions(
            gaps, _pairs(n_key) - key_links, gaps, _pairs(n_response) - response_links
        ),
    }


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _pairs_within(clusters: Counter[Any]) -> int:
    return sum(map(_pairs, clusters.values()))


def best_total(values: Mapping[tuple[Hashable, Hashable], float]) -> float:
    """Return the largest total value of edges no two of which share an end.

    Values are above 0; clusters without an edge between them are worth nothing together. Most
    edges share no end with another, and need no search.

    >>> best_total({("a", "x"): 3, ("a", "y"): 2, ("b", "x"): 2, ("c", "z"): 1})
    5.0
    """
    lefts, rights = (Counter(edge[side] for edge in values) for side in (0, 1))
    contested = [edge for edge in values if lefts[edge[0]] > 1 or rights[edge[1]] > 1]
    chosen = [values[edge] for edge in values.keys() - contested]
    if contested:
        from scipy.optimize import linear_sum_assignment  # takes a while to load

        rows, columns = (
            {end: k for k, end in enumerate(dict.fromkeys(edge[side] for edge in contested))}
            for side in (0, 1)
        )
        matrix = np.zeros((len(rows), len(columns)))
        for left, right in contested:
            matrix[rows[left], columns[right]] = values[left, right]
        chosen += matrix[linear_sum_assignment(matrix, maximize=True)].tolist()
    return math.fsum(chosen)


def summed(documents: Iterable[CorefCounts]) -> CorefCounts:
    """Return the sum of the counts of documents, of which there is one at least."""
    listed = list(documents)
    return {name: total(counts[name] for counts in listed) for name in _SUMMED}


def coref_scores(counts: CorefCounts) -> dict[str, Scores]:
    """Return recall, precision and F1 by metric.

    >>> link, gap = Fractions(1, 2, 1, 1), Fractions(3, 3, 3, 4)
    >>> counts = count_document([]) | {"links": link, "gaps": gap}
    >>> coref_scores(counts)["blanc"].recall
    0.75
    """
    pairs = (np.array(counts[name], np.float64) for name in ("links", "gaps"))
    scores = {name: counts[name].scores for name in _LABELS if name != "blanc"}
    return {**scores, "blanc": Scores(*_blanc(*pairs).tolist())}


def _blanc(links: Floats, gaps: Floats) -> Floats:
    """Return the mean scores of links and of gaps, over those of which the key has any."""
    there = [sums[..., 1:2] > 0 for sums in (links, gaps)]
    scores = recall_precision_f1(links) * there[0] + recall_precision_f1(gaps) * there[1]
    return divide(scores, np.zeros_like(scores) + there[0] + there[1])


def conll_average(scores: Mapping[str, Scores]) -> float:
    """Return the mean F1 of MUC, B³ and CEAF-e, as in the CoNLL shared tasks."""
    return math.fsum(scores[name].f1 for name in ("muc", "bcub", "ceafe")) / 3


def printed_scores(scores: Mapping[str, Scores]) -> dict[str, float]:
    """Return F1 as the scorer of event nuggets prints it: per cent, cut after two decimals.

    Its average is the mean of the cut MUC, B³, CEAF-e and BLANC.
    """
    cut = {
        name: math.floor(10000 * scores[name].f1) / 100
        for name in ("bcub", "ceafe", "ceafm", "muc", "blanc")
    }
    return {**cut, "average": math.fsum(cut[name] for name in cut if name != "ceafm") / 4}


def coref_text(counts: CorefCounts) -> str:
    """Return a table in per cent."""
    scores = coref_scores(counts)
    lines = [f"{'metric':<9}{'recall':>8}{'precision':>11}{'f1':>8}"]
    for name, label in _LABELS.items():
        recall, precision, f1 = (100 * value for value in scores[name])
        lines.append(f"{label:<9}{recall:8.2f}{precision:11.2f}{f1:8.2f}")
    lines.append(f"{'average of MUC, B³, CEAF-e':<28}{100 * conll_average(scores):8.2f}")
    return "\n".join(lines) + "\n"


def coref_record(counts: CorefCounts) -> dict[str, Any]:
    """Return the scores from 0 to 1, and the sums they come from."""
    scores = coref_scores(counts)
    return {
        "scores": {name: score._asdict() for name, score in scores.items()},
        "conll": conll_average(scores),
        "counts": {name: sums._asdict() for name, sums in counts.items()},
    }


_COLUMNS: Final = tuple(
    f"{name}_{part}" for name in _SUMMED if name != "mentions" for part in Fractions._fields
)


def coref_columns(documents: Sequence[CorefCounts]) -> dict[str, NDArray[Any]]:
    """Return one column per sum, over the documents of a system.

    >>> coref_columns([count_document([])])["muc_recall_whole"].tolist()
    [0]
    """
    return {
        column: np.array([getattr(counts[name], part) for counts in documents])
        for column in _COLUMNS
        for name, _, part in [column.partition("_")]
    }


def coref_metrics(average: str = "conll") -> dict[str, Metric]:
    """Return all metrics by name; the last is a mean of others.

    It is called `coref-average` where it is that of event nuggets (MUC, B³, CEAF-e, BLANC), and
    `conll` where it is that of the CoNLL shared tasks (without BLANC).

    >>> list(coref_metrics())
    ['muc-f1', 'bcub-f1', 'ceafe-f1', 'ceafm-f1', 'blanc', 'conll']
    """

    def f1(name: str) -> Callable[[Floats], Floats]:
        return lambda sums: recall_precision_f1(_part(sums, name))[..., 2]

    def blanc(sums: Floats) -> Floats:
        return _blanc(_part(sums, "links"), _part(sums, "gaps"))[..., 2]

    def mean(sums: Floats) -> Floats:
        averaged = [f1(name) for name in ("muc", "bcub", "ceafe")]
        averaged += [] if average == "conll" else [blanc]
        return np.asarray(np.mean([function(sums) for function in averaged], axis=0))

    metrics: list[Metric] = [
        _one_part("muc"),
        Function("bcub-f1", _COLUMNS, f1("bcub")),
        _one_part("ceafe"),
        _one_part("ceafm"),
        Function("blanc", _COLUMNS, blanc),
        Function(average, _COLUMNS, mean),
    ]
    return {metric.name: metric for metric in metrics}


def _part(sums: Floats, name: str) -> Floats:
    first = _COLUMNS.index(f"{name}_recall_part")
    return sums[..., first : first + 4]


def _one_part(name: str) -> Metric:
    """Return F1 of a metric whose recall and precision have the same numerator."""
    wholes = {f"{name}_recall_whole": 1, f"{name}_precision_whole": 1}
    return ratio(f"{name}-f1", {f"{name}_recall_part": 2}, wholes)
