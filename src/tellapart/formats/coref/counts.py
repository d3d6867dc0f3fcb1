"""Coreference as columns of counts, the metrics that read them, and the clusters behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.annotations import listed_cell
from tellapart.formats.coref.conll import ConllDocument, Span
from tellapart.formats.coref.measures import CorefCounts
from tellapart.metrics import Function, Metric, ratio

# Per column: the metric whose sums it holds, and which of them.
_COLUMNS = {
    "muc_match": ("muc", "recall_part"),
    "muc_key": ("muc", "recall_whole"),
    "muc_response": ("muc", "precision_whole"),
    "bcub_recall": ("bcub", "recall_part"),
    "bcub_precision": ("bcub", "precision_part"),
    "mentions_key": ("bcub", "recall_whole"),
    "mentions_response": ("bcub", "precision_whole"),
    "ceafm_match": ("ceafm", "recall_part"),
    "ceafe_match": ("ceafe", "recall_part"),
    "clusters_key": ("ceafe", "recall_whole"),
    "clusters_response": ("ceafe", "precision_whole"),
    "links_match": ("links", "recall_part"),
    "links_key": ("links", "recall_whole"),
    "links_response": ("links", "precision_whole"),
    "gaps_match": ("gaps", "recall_part"),
    "gaps_key": ("gaps", "recall_whole"),
    "gaps_response": ("gaps", "precision_whole"),
}
_REAL = {"bcub_recall", "bcub_precision", "ceafe_match"}

Sums = NDArray[np.float64]


def coref_columns(documents: Sequence[CorefCounts]) -> dict[str, NDArray[Any]]:
    """Return one column per sum, over the documents of a system.

    >>> coref_columns([CorefCounts()])["muc_key"].tolist()
    [0]
    """
    return {
        name: np.array(
            [getattr(getattr(each, part), sums) for each in documents],
            np.float64 if name in _REAL else np.int64,
        )
        for name, (part, sums) in _COLUMNS.items()
    }


def coref_metrics(average: str = "conll") -> dict[str, Metric]:
    """Return all metrics by name; the last is a mean of others.

    It is called `coref-average` where it is that of event nuggets (MUC, B³, CEAF-e, BLANC), and
    `conll` where it is that of the CoNLL shared tasks (without BLANC).

    >>> list(coref_metrics())
    ['muc-f1', 'bcub-f1', 'ceafe-f1', 'ceafm-f1', 'blanc', 'conll']
    """
    means = [_muc, _bcub, _ceafe] if average == "conll" else [_muc, _bcub, _ceafe, _blanc]

    def mean(sums: Sums) -> Sums:
        return np.asarray(np.mean([part(sums) for part in means], axis=0))

    columns = tuple(_COLUMNS)
    found: list[Metric] = [
        ratio("muc-f1", {"muc_match": 2}, {"muc_key": 1, "muc_response": 1}),
        Function("bcub-f1", columns, _bcub),
        ratio("ceafe-f1", {"ceafe_match": 2}, {"clusters_key": 1, "clusters_response": 1}),
        ratio("ceafm-f1", {"ceafm_match": 2}, {"mentions_key": 1, "mentions_response": 1}),
        Function("blanc", columns, _blanc),
        Function(average, columns, mean),
    ]
    return {each.name: each for each in found}


def _column(sums: Sums, name: str) -> Sums:
    return np.asarray(sums[..., list(_COLUMNS).index(name)])


def _ratio(part: Sums, whole: Sums) -> Sums:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _same_part(sums: Sums, part: str, wholes: tuple[str, str]) -> Sums:
    """F1 where recall and precision have the same numerator."""
    key, response = (_column(sums, whole) for whole in wholes)
    return _ratio(2 * _column(sums, part), key + response)


def _muc(sums: Sums) -> Sums:
    return _same_part(sums, "muc_match", ("muc_key", "muc_response"))


def _ceafe(sums: Sums) -> Sums:
    return _same_part(sums, "ceafe_match", ("clusters_key", "clusters_response"))


def _bcub(sums: Sums) -> Sums:
    recall = _ratio(_column(sums, "bcub_recall"), _column(sums, "mentions_key"))
    precision = _ratio(_column(sums, "bcub_precision"), _column(sums, "mentions_response"))
    return _ratio(2 * recall * precision, recall + precision)


def _blanc(sums: Sums) -> Sums:
    """Return the mean F1 of links and of gaps, over those of which the key has any."""
    found, parts = np.zeros_like(sums[..., 0]), np.zeros_like(sums[..., 0])
    for name in ("links", "gaps"):
        there = _column(sums, f"{name}_key") > 0
        f1 = _same_part(sums, f"{name}_match", (f"{name}_key", f"{name}_response"))
        found += np.where(there, f1, 0.0)
        parts += there
    return _ratio(found, parts)


_Clusters = Mapping[str, frozenset[Span]]


@dataclass(frozen=True, slots=True)
class ClusterViews:
    """The clusters of gold, and of each system the one that has most of its mentions."""

    gold: Mapping[str, ConllDocument]
    systems: Mapping[str, Mapping[str, ConllDocument]]
    names: Mapping[str, str]
    """By the name of an item, that of its document"""

    def __call__(self, name: str) -> ItemView:
        """Return the clusters of one document."""
        document = self.gold[self.names[name]]
        key = _clusters(document)
        found = {
            system: _clusters(documents.get(self.names[name], ConllDocument(0, {})))
            for system, documents in self.systems.items()
        }
        taken: dict[str, set[str]] = {system: set() for system in found}
        rows = []
        for own, mentions in key.items():
            cells = {}
            for system, clusters in found.items():
                nearest = max(clusters, key=lambda c: len(clusters[c] & mentions), default="")
                same = clusters.get(nearest, frozenset())
                if same & mentions:
                    taken[system].add(nearest)
                else:
                    same = frozenset()
                cells[system] = _judged(document, mentions, same)
            rows.append(ViewRow(f"cluster {own}", _cell(document, mentions), cells))
        alone = {
            system: [clusters[c] for c in clusters if c not in taken[system]]
            for system, clusters in found.items()
        }
        others = [
            ViewRow(
                "",
                outputs={
                    system: _cell(document, some[k], "spurious")
                    for system, some in alone.items()
                    if k < len(some)
                },
            )
            for k in range(max(map(len, alone.values()), default=0))
        ]
        sections = [ViewSection(tuple(rows), "Clusters of the key"),
                    ViewSection(tuple(others), "Clusters nearest to none of the key")]  # fmt: skip
        return ItemView(tuple(each for each in sections if each.rows))


def _clusters(document: ConllDocument) -> _Clusters:
    found: dict[str, set[Span]] = {}
    for span, cluster in document.clusters.items():
        found.setdefault(cluster, set()).add(span)
    return {cluster: frozenset(spans) for cluster, spans in found.items()}


def _judged(document: ConllDocument, key: frozenset[Span], own: frozenset[Span]) -> Cell:
    marks = dict.fromkeys(key - own, "missing") | dict.fromkeys(own - key, "spurious")
    spans = sorted(key | own)
    return listed_cell(Piece(_words(document, each), marks.get(each, "right")) for each in spans)


def _cell(document: ConllDocument, spans: Iterable[Span], mark: str = "") -> Cell:
    return listed_cell(Piece(_words(document, each), mark) for each in sorted(spans))


def _words(document: ConllDocument, span: Span) -> str:
    return " ".join(document.words[span[0] : span[1] + 1])
