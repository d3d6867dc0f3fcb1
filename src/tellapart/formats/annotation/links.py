"""Links of event mentions: coreference, by clusters of mapped mentions; After and Subevent.

The latter two are scored by temporal awareness, with part credit for implied links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import Final

from tellapart.formats.annotation.clusters import CorefCounts, Row, count_document
from tellapart.formats.annotation.model import Document, Fractions, total
from tellapart.formats.annotation.tbf import AFTER, COREFERENCE, SUBEVENT, Mention
from tellapart.formats.problems import Findings

Mapped = Sequence[tuple[int, int, float]]
"""Gold position, system position and Dice of mentions that were mapped to each other"""
Clusters = dict[str, int]
"""The cluster of each mention id that is in one"""
Node = Hashable
Edge = tuple[Node, Node]

_IMPLIED_CREDIT: Final = 0.99
_STRICT: Final = Findings(strict=True)


def count_clusters(
    gold: Document[Mention], system: Document[Mention], mapped: Mapped, threshold: float
) -> CorefCounts:
    """Return the coreference counts of a document.

    A gold mention goes with its system mention if their Dice reaches the threshold. At a threshold
    of 0 or below, gold mentions without a partner take the last system mention: a slip of the
    public tool, kept for agreement with it.
    """
    last = len(system.spans) - 1 if threshold <= 0 and system.spans else None
    partner: list[int | None] = [last] * len(gold.spans)
    for gold_at, system_at, dice in mapped:
        if dice >= threshold:
            partner[gold_at] = system_at
    return count_document(_rows(gold, system, partner))


def _rows(
    gold: Document[Mention], system: Document[Mention], partner: Sequence[int | None]
) -> Iterator[Row]:
    key, response = cluster_numbers(gold, _STRICT), cluster_numbers(system, _STRICT)
    for i, (mention, at) in enumerate(zip(gold.spans, partner, strict=True)):
        cluster: Hashable | None = None
        if at is not None:
            # A mention in no cluster is a singleton of its row: where a threshold of 0 places it
            # several times, it is several singletons.
            cluster = response.get(system.spans[at].id, ("row", i))
        yield key.get(mention.id, ("row", i)), cluster
    placed = set(partner)
    for i, mention in enumerate(system.spans):
        if i not in placed:
            yield None, response.get(mention.id, ("rest", i))


def cluster_numbers(document: Document[Mention], problems: Findings) -> Clusters:
    """Return each id's cluster; no id may be in two."""
    clusters: Clusters = {}
    lines = (link for link in document.links if link.name == COREFERENCE)
    for number, link in enumerate(lines):
        for name in link.arguments:
            if clusters.setdefault(name, number) != number:
                problems.complain(
                    f"{link.place}: column 3: {name!r} is in two clusters of document "
                    f"{document.id!r}; join them in one @{COREFERENCE} line"
                )
    return clusters


def score_links(
    documents: Sequence[tuple[Document[Mention], Document[Mention], Mapped]],
) -> dict[str, Fractions]:
    """Return the counts of Subevent and After links, of documents and their mappings."""
    return {
        name: total([Fractions(), *(_count_document(*each, name) for each in documents)])
        for name in (SUBEVENT, AFTER)
    }


def _count_document(
    gold: Document[Mention], system: Document[Mention], mapped: Mapped, name: str
) -> Fractions:
    # Mapped mentions share a node.
    partners: dict[int, Node] = {system_at: ("gold", gold_at) for gold_at, system_at, _ in mapped}
    gold_nodes = [("gold", i) for i in range(len(gold.spans))]
    system_nodes = [partners.get(i, ("system", i)) for i in range(len(system.spans))]
    return count_links(
        set(_expanded(gold, name, gold_nodes)), set(_expanded(system, name, system_nodes))
    )


def count_links(gold: Set[Edge], system: Set[Edge]) -> Fractions:
    """Return how many links of each side are in the other, or follow from it.

    >>> count_links({(1, 2), (2, 3)}, {(1, 3)})
    Fractions(recall_part=0.495, recall_whole=2, precision_part=1, precision_whole=1)
    """
    from_gold, from_system = reachable(gold), reachable(system)
    implied_by_gold = [edge for edge in system if edge[1] in from_gold.get(edge[0], ())]
    matched = sum(edge[1] in from_system.get(edge[0], ()) for edge in gold)
    n = len({end for edge in gold for end in edge} & {end for edge in system for end in edge})
    weight = _IMPLIED_CREDIT / (1 + n * (n - 1) // 2 - matched)
    credit = weight * sum(edge not in gold for edge in implied_by_gold)
    return Fractions(matched + credit, len(gold), len(implied_by_gold), len(system))


def _expanded(document: Document[Mention], name: str, nodes: Sequence[Node]) -> Iterator[Edge]:
    """Yield the links between all mentions of clusters that the reduced graph of clusters has."""
    clusters = cluster_numbers(document, _STRICT)
    members: defaultdict[Node, list[Node]] = defaultdict(list)
    for mention, node in zip(document.spans, nodes, strict=True):
        members[clusters.get(mention.id, mention.id)].append(node)
    for first, second in reduced(acyclic(links_between(document, name, clusters, _STRICT))):
        for a in members[first]:
            for b in members[second]:
                yield a, b


def links_between(
    document: Document[Mention], name: str, clusters: Clusters, problems: Findings
) -> set[Edge]:
    """Return the links of one name between clusters; links to ids that are no mentions are ignored.

    A link needs two arguments, and must not go both ways.
    """
    ids = {mention.id for mention in document.spans}
    edges: set[Edge] = set()
    for _, arguments, place in (link for link in document.links if link.name == name):
        if len(arguments) != 2:
            problems.complain(
                f"{place}: column 3: @{name} has {len(arguments)} arguments; sequencing needs two"
            )
            continue
        first, second = (clusters.get(argument, argument) for argument in arguments)
        if (second, first) in edges:
            problems.complain(
                f"{place}: column 3: @{name} links {arguments[0]} and {arguments[1]} both ways "
                "(mentions of a cluster count as one); keep one direction"
            )
        elif first != second and ids.issuperset(arguments):
            edges.add((first, second))
    return edges


def reachable(edges: Iterable[Edge]) -> dict[Node, set[Node]]:
    """Return for each node all that can be reached from it.

    >>> reachable([(1, 2), (2, 3)])
    {1: {2, 3}, 2: {3}}
    """
    follow: defaultdict[Node, list[Node]] = defaultdict(list)
    for first, second in edges:
        follow[first].append(second)
    closure = {}
    for start in list(follow):
        seen: set[Node] = set()
        waiting = list(follow[start])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting.extend(follow.get(node, ()))
        closure[start] = seen
    return closure


def acyclic(edges: set[Edge]) -> set[Edge]:
    """Return the edges that lie on no cycle.

    >>> sorted(acyclic({(1, 2), (2, 3), (3, 1), (3, 4)}))
    [(3, 4)]
    """
    closure = reachable(edges)
    return {(a, b) for a, b in edges if a not in closure.get(b, ())}


def reduced(edges: set[Edge]) -> set[Edge]:
    """Return the edges of an acyclic graph that do not follow from the others.

    >>> sorted(reduced({(1, 2), (2, 3), (1, 3)}))
    [(1, 2), (2, 3)]
    """
    closure = reachable(edges)
    follows = {(a, c) for a, b in edges for c in closure.get(b, ())}
    return edges - follows
