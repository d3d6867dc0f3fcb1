"""What stands behind a document: its clusters, each beside what systems made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.annotations import listed_cell
from tellapart.formats.coref.conll import ConllDocument, Span

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
