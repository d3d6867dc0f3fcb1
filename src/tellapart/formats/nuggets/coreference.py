"""Coreference of event mentions: mapped mentions become rows, their clusters are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from tellapart.formats.coref.measures import CorefCounts, Row, count_document
from tellapart.formats.nuggets.scoring import ScoredDocument, Scoring
from tellapart.formats.nuggets.tbf import COREFERENCE, Document, Relation, TbfError, TbfFile


def count_clusters(scoring: Scoring, attributes: str, threshold: float) -> list[CorefCounts]:
    """Return the coreference counts of every document, by the mapping of an attribute set.

    A gold mention goes with its system mention if their Dice reaches the threshold.
    """
    return [
        count_document(_rows(scoring, document, attributes, threshold))
        for document in scoring.documents
    ]


def _rows(
    scoring: Scoring, document: ScoredDocument, attributes: str, threshold: float
) -> Iterator[Row]:
    key = clusters_by_id(document.gold, scoring.gold)
    response = clusters_by_id(document.system, scoring.system)
    own = place(document, attributes, threshold)
    for i, (mention, at) in enumerate(zip(document.gold.mentions, own, strict=True)):
        cluster: Hashable | None = None
        if at is not None:
            # A mention in no cluster is a singleton of its row: where a threshold of 0 places it
            # several times, it is several singletons.
            cluster = response.get(document.system.mentions[at].id, ("row", i))
        yield key.get(mention.id, ("row", i)), cluster
    placed = set(own)
    for i, mention in enumerate(document.system.mentions):
        if i not in placed:
            yield None, response.get(mention.id, ("rest", i))


def place(document: ScoredDocument, attributes: str, threshold: float) -> Sequence[int | None]:
    """Return for each gold mention the system mention of its row.

    At a threshold of 0 or below, gold mentions without a partner take the last system mention:
    a slip of the public tool, kept for agreement with it.
    """
    last = document.n_system - 1 if threshold <= 0 and document.n_system else None
    placed: list[int | None] = [last] * document.n_gold
    for gold, system, dice in document.mappings[attributes].links():
        if dice >= threshold:
            placed[gold] = system
    return placed


def clusters_by_id(document: Document, file: TbfFile) -> dict[str, int]:
    """Return the cluster of each mention id that is in one; no id may be in two."""
    found, overlaps = cluster_numbers(document)
    for relation, shared in overlaps:
        raise TbfError(
            f"{file.path}:{relation.line}",
            "overlapping-clusters",
            f"column 3: {shared!r} is in two clusters of document {document.id!r}; join them in "
            "one @Coreference line",
        )
    return found


def cluster_numbers(document: Document) -> tuple[dict[str, int], list[tuple[Relation, str]]]:
    """Return each id's cluster, and the lines with ids that were in another cluster before."""
    found: dict[str, int] = {}
    overlaps = []
    clusters = (relation for relation in document.relations if relation.name == COREFERENCE)
    for number, relation in enumerate(clusters):
        for each in relation.arguments:
            if found.setdefault(each, number) != number:
                overlaps.append((relation, each))  # noqa: PERF401  (`found` grows as it goes)
    return found, overlaps
