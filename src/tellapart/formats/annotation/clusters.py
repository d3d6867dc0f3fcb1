"""Coreference metrics for any clusters of mentions: MUC, B³, CEAF and BLANC.

The sums they are made of add over documents; as columns of counts they are what is tested.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import Function, Metric, ratio

METRICS: Final = ("muc", "bcub", "ceafm", "ceafe")
"""Those whose F1 comes from one recall and one precision."""


@dataclass(frozen=True, slots=True)
class Fractions:
    """Numerators and denominators of a recall and a precision."""

    recall_part: float = 0
    recall_whole: float = 0
    precision_part: float = 0
    precision_whole: float = 0

    def __add__(self, other: Fractions) -> Fractions:
        return Fractions(
            self.recall_part + other.recall_part,
            self.recall_whole + other.recall_whole,
            self.precision_part + other.precision_part,
            self.precision_whole + other.precision_whole,
        )

    @property
    def recall(self) -> float:
        """The recall; 0 for 0/0."""
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        """The precision; 0 for 0/0."""
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 0 where both are 0."""
        recall, precision = self.recall, self.precision
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class CorefCounts:
    """The sums of every metric; `links` are coreferent pairs of mentions, `gaps` all others."""

    mentions: Fractions = Fractions()
    muc: Fractions = Fractions()
    bcub: Fractions = Fractions()
    ceafm: Fractions = Fractions()
    ceafe: Fractions = Fractions()
    links: Fractions = Fractions()
    gaps: Fractions = Fractions()

    def __add__(self, other: CorefCounts) -> CorefCounts:
        return CorefCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


Row = tuple[Hashable | None, Hashable | None]
"""A mention's key cluster and response cluster; None where it is not in the key or response."""


def count_document(rows: Iterable[Row]) -> CorefCounts:
    """Return the counts of one document: each mention has a cluster in key, response, or both.

    >>> rows = [("k1", "r1"), ("k1", "r1"), ("k1", "r2"), ("k2", "r2"), (None, "r2")]
    >>> counts = count_document(rows)
    >>> counts.muc
    Fractions(recall_part=1, recall_whole=2, precision_part=1, precision_whole=3)
    """
    listed = list(rows)
    key = Counter(k for k, _ in listed if k is not None)
    response = Counter(r for _, r in listed if r is not None)
    common = Counter((k, r) for k, r in listed if k is not None and r is not None)
    n_key, n_response = key.total(), response.total()
    linked = sum(n - 1 for n in common.values())
    entity = best_total({(k, r): 2 * n / (key[k] + response[r]) for (k, r), n in common.items()})
    aligned = best_total(common)
    shared = common.total()
    linked_pairs = _pairs_within(common)
    key_pairs, response_pairs = _pairs_within(key), _pairs_within(response)
    # Of the pairs that both sides have, those that are apart in both: none is visited.
    in_key, in_response = Counter[Hashable](), Counter[Hashable]()
    for (k, r), n in common.items():
        in_key[k] += n
        in_response[r] += n
    together = _pairs_within(in_key) + _pairs_within(in_response) - linked_pairs
    apart = _pairs(shared) - together
    return CorefCounts(
        mentions=Fractions(shared, n_key, shared, n_response),
        muc=Fractions(linked, n_key - len(key), linked, n_response - len(response)),
        bcub=Fractions(
            math.fsum(n * n / key[k] for (k, _), n in common.items()),
            n_key,
            math.fsum(n * n / response[r] for (_, r), n in common.items()),
            n_response,
        ),
        ceafm=Fractions(aligned, n_key, aligned, n_response),
        ceafe=Fractions(entity, len(key), entity, len(response)),
        links=Fractions(linked_pairs, key_pairs, linked_pairs, response_pairs),
        gaps=Fractions(
            apart, _pairs(n_key) - key_pairs, apart, _pairs(n_response) - response_pairs
        ),
    )


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _pairs_within(clusters: Counter[Any]) -> int:
    return sum(map(_pairs, clusters.values()))


Edge = tuple[Hashable, Hashable]


def best_total(values: Mapping[Edge, float]) -> float:
    """Return the largest total value of edges no two of which share an end.

    Values are above 0; clusters without an edge between them are worth nothing together. Most
    edges share no end with another, and need no search.

    >>> best_total({("a", "x"): 3, ("a", "y"): 2, ("b", "x"): 2, ("c", "z"): 1})
    5
    """
    lefts, rights = Counter(left for left, _ in values), Counter(right for _, right in values)
    chosen, rest = [], {}
    for edge, value in values.items():
        if lefts[edge[0]] == rights[edge[1]] == 1:
            chosen.append(value)
        else:
            rest[edge] = value
    if rest:
        from scipy.optimize import linear_sum_assignment  # takes a while to load

        rows = {left: i for i, left in enumerate(dict.fromkeys(left for left, _ in rest))}
        columns = {right: i for i, right in enumerate(dict.fromkeys(right for _, right in rest))}
        matrix = np.zeros((len(rows), len(columns)))
        for (left, right), value in rest.items():
            matrix[rows[left], columns[right]] = value
        chosen += matrix[linear_sum_assignment(matrix, maximize=True)].tolist()
    whole = all(isinstance(value, int) for value in values.values())
    return int(math.fsum(chosen)) if whole else math.fsum(chosen)


@dataclass(frozen=True, slots=True)
class CorefScores:
    """The scores of summed counts."""

    counts: CorefCounts

    @property
    def f1(self) -> dict[str, float]:
        """F1 by metric, from 0 to 1."""
        scores = {name: getattr(self.counts, name).f1 for name in METRICS}
        return {**scores, "blanc": blanc(self.counts).f1}

    @property
    def cut(self) -> dict[str, float]:
        """F1 by metric in per cent, cut (not rounded) to two decimals."""
        return {name: math.floor(10000 * value) / 100 for name, value in self.f1.items()}

    @property
    def nugget_average(self) -> float:
        """The mean of the cut MUC, B³, CEAF-e and BLANC."""
        return math.fsum(self.cut[name] for name in ("bcub", "ceafe", "muc", "blanc")) / 4

    @property
    def conll_average(self) -> float:
        """The mean F1 of MUC, B³ and CEAF-e, as in the CoNLL shared tasks, from 0 to 1."""
        return math.fsum(self.f1[name] for name in ("muc", "bcub", "ceafe")) / 3


class Blanc(NamedTuple):
    """BLANC's recall, precision and F1."""

    recall: float
    precision: float
    f1: float


def blanc(counts: CorefCounts) -> Blanc:
    """Return the averages over links and gaps; only over those of which the key has any.

    >>> link, gap = Fractions(1, 2, 1, 1), Fractions(3, 3, 3, 4)
    >>> blanc(CorefCounts(links=link, gaps=gap)).recall
    0.75
    """
    parts = [part for part in (counts.links, counts.gaps) if part.recall_whole]
    if not parts:
        return Blanc(0.0, 0.0, 0.0)
    names = ("recall", "precision", "f1")
    return Blanc(*(math.fsum(getattr(each, n) for each in parts) / len(parts) for n in names))


def total(documents: Iterable[CorefCounts]) -> CorefCounts:
    """Return the sum of the counts of documents.

    >>> total([]).muc
    Fractions(recall_part=0, recall_whole=0, precision_part=0, precision_whole=0)
    """
    return sum(documents, CorefCounts())


_LABELS = {"muc": "MUC", "bcub": "B³", "ceafm": "CEAF-m", "ceafe": "CEAF-e", "blanc": "BLANC"}


def _rows(scores: CorefScores) -> dict[str, tuple[float, float, float]]:
    """Return recall, precision and F1 by metric, from 0 to 1."""
    rows = {}
    for name in ("mentions", *METRICS):
        part = getattr(scores.counts, name)
        rows[name] = part.recall, part.precision, part.f1
    both = blanc(scores.counts)
    return {**rows, "blanc": (both.recall, both.precision, both.f1)}


def as_text(scores: CorefScores) -> str:
    """Return a table in per cent."""
    lines = [f"{'metric':<9}{'recall':>8}{'precision':>11}{'f1':>8}"]
    for name, (recall, precision, f1) in _rows(scores).items():
        label = _LABELS.get(name, name)
        lines.append(f"{label:<9}{100 * recall:8.2f}{100 * precision:11.2f}{100 * f1:8.2f}")
    lines.append(f"{'average of MUC, B³, CEAF-e':<28}{100 * scores.conll_average:8.2f}")
    return "\n".join(lines) + "\n"


def as_record(scores: CorefScores) -> dict[str, Any]:
    """Return what the table prints, from 0 to 1, and the sums it comes from."""
    return {
        "scores": {
            name: {"recall": recall, "precision": precision, "f1": f1}
            for name, (recall, precision, f1) in _rows(scores).items()
        },
        "conll": scores.conll_average,
        "counts": asdict(scores.counts),
    }


# Per column: the metric whose sums it holds, and which of them.
_COLUMNS: Final = {
    f"{metric}_{part}": (metric, part)
    for metric in (*METRICS, "links", "gaps")
    for part in ("recall_part", "recall_whole", "precision_part", "precision_whole")
}
_REAL: Final = (
    "bcub_recall_part",
    "bcub_precision_part",
    "ceafe_recall_part",
    "ceafe_precision_part",
)

Sums = NDArray[np.float64]


def coref_columns(documents: Sequence[CorefCounts]) -> dict[str, NDArray[Any]]:
    """Return one column per sum, over the documents of a system.

    >>> coref_columns([CorefCounts()])["muc_recall_whole"].tolist()
    [0]
    """
    return {
        name: np.array(
            [getattr(getattr(each, metric), part) for each in documents],
            np.float64 if name in _REAL else np.int64,
        )
        for name, (metric, part) in _COLUMNS.items()
    }


def coref_metrics(average: str = "conll") -> dict[str, Metric]:
    """Return all metrics by name; the last is a mean of others.

    It is called `coref-average` where it is that of event nuggets (MUC, B³, CEAF-e, BLANC), and
    `conll` where it is that of the CoNLL shared tasks (without BLANC).

    >>> list(coref_metrics())
    ['muc-f1', 'bcub-f1', 'ceafe-f1', 'ceafm-f1', 'blanc', 'conll']
    """

    def mean(sums: Sums) -> Sums:
        parts = [_f1(sums, name) for name in ("muc", "bcub", "ceafe")]
        return np.asarray(np.mean(parts if average == "conll" else [*parts, _blanc(sums)], axis=0))

    columns = tuple(_COLUMNS)
    metrics: list[Metric] = [
        _one_part("muc"),
        Function("bcub-f1", columns, lambda sums: _f1(sums, "bcub")),
        _one_part("ceafe"),
        _one_part("ceafm"),
        Function("blanc", columns, _blanc),
        Function(average, columns, mean),
    ]
    return {metric.name: metric for metric in metrics}


def _one_part(name: str) -> Metric:
    """Return F1 of a metric whose recall and precision have the same numerator."""
    wholes = {f"{name}_recall_whole": 1, f"{name}_precision_whole": 1}
    return ratio(f"{name}-f1", {f"{name}_recall_part": 2}, wholes)


def _f1(sums: Sums, name: str) -> Sums:
    first = list(_COLUMNS).index(f"{name}_recall_part")
    part, whole, precision_part, precision_whole = np.moveaxis(sums[..., first : first + 4], -1, 0)
    recall, precision = _ratio(part, whole), _ratio(precision_part, precision_whole)
    return _ratio(2 * recall * precision, recall + precision)


def _ratio(part: Sums, whole: Sums) -> Sums:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _blanc(sums: Sums) -> Sums:
    """Return the mean F1 of links and of gaps, over those of which the key has any."""
    there = [
        sums[..., list(_COLUMNS).index(f"{name}_recall_whole")] > 0 for name in ("links", "gaps")
    ]
    total_f1 = _f1(sums, "links") * there[0] + _f1(sums, "gaps") * there[1]
    return _ratio(total_f1, there[0].astype(np.float64) + there[1])
