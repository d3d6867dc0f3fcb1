"""What stands behind a query: what each run ranked first, and where the relevant documents are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.trec.measures import Judgements

MOST_RELEVANT: Final = 50
"""Of more relevant documents, those of the highest grades are shown"""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first documents of a run for a query, and the ranks of all that are relevant."""

    top: tuple[str, ...]
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueryViews:
    """Rankings with relevant documents marked as such."""

    queries: Mapping[str, Judgements]
    runs: Mapping[str, Mapping[str, Ranking]]
    """Per system, by query"""

    def __call__(self, name: str) -> ItemView:
        """Return the rankings of one query."""
        relevance = self.queries[name].relevance
        found = {system: rankings[name] for system, rankings in self.runs.items()}
        depth = max(len(each.top) for each in found.values())
        ranked = tuple(
            ViewRow(
                f"rank {k + 1}",
                outputs={s: _document(each.top, k, relevance) for s, each in found.items()},
            )
            for k in range(depth)
        )
        relevant = sorted((d for d in relevance if relevance[d] > 0), key=lambda d: -relevance[d])
        where = tuple(
            ViewRow(
                f"grade {relevance[document]}",
                (Piece(document),),
                {s: _rank(each, document) for s, each in found.items()},
            )
            for document in relevant[:MOST_RELEVANT]
        )
        left = len(relevant) - len(where)
        more = f" ({left} more of no higher grade are left out)" if left else ""
        return ItemView(
            (
                ViewSection(ranked, f"The first {depth} documents" if depth else "No document"),
                ViewSection(where, f"Where the relevant documents stand{more}"),
            )
        )


def _document(top: Sequence[str], place: int, relevance: Mapping[str, int]) -> Cell:
    if place >= len(top):
        return ()
    grade = relevance.get(top[place])
    if grade is None:
        return (Piece(top[place], "", "not judged"),)
    return (Piece(top[place], "right" if grade > 0 else "wrong", f"grade {grade}"),)


def _rank(ranking: Ranking, document: str) -> Cell:
    rank = ranking.ranks.get(document)
    return (Piece("", "missing", "not found"),) if rank is None else (Piece(f"rank {rank}"),)
