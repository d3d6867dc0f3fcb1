"""Links of event mentions: coreference, by clusters of mapped mentions; After and Subevent.

The latter two are scored by temporal awareness, with part credit for implied links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from tellapart.formats.coref.measures import CorefCounts, Row, count_document
from tellapart.formats.nuggets.scoring import ScoredDocument, Scoring
from tellapart.formats.nuggets.tbf import (
    AFTER,
    COREFERENCE,
    SUBEVENT,
    Document,
    Problem,
    Relation,
    TbfError,
    TbfFile,
)


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


ALL: Final = "All"
_IMPLIED_CREDIT: Final = 0.99

Node = Hashable
Edge = tuple[Node, Node]
Link = tuple[str, Node, Node]
"""A relation's name, and its two ends"""
Follows = Callable[[Link], bool]


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """What one document adds to the scores of links."""

    matched_system: float = 0
    n_system: int = 0
    matched_gold: float = 0  # with the part credit for implied links
    n_gold: int = 0

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(
            self.matched_system + other.matched_system,
            self.n_system + other.n_system,
            self.matched_gold + other.matched_gold,
            self.n_gold + other.n_gold,
        )


@dataclass(frozen=True, slots=True)
class LinkScores:
    """Precision, recall and F1 in per cent; 0 for 0/0."""

    precision: float
    recall: float
    f1: float


def score_links(scoring: Scoring, attributes: str) -> dict[str, LinkScores]:
    """Return the scores of Subevent, After, and both together, by the mapping of an attribute set.

    Both together follow from one another as intervals do: an earlier event ends before the later
    one begins, a subevent lies within its parent. The public tool's figure for that depends on
    the order of the links; this one does not, and often differs from it.
    """
    sums = {name: LinkCounts() for name in (SUBEVENT, AFTER, ALL)}
    for document in scoring.documents:
        gold, system = _links_of(scoring, document, attributes)
        for name in sums:
            right, own = (
                {link for link in side if name in (ALL, link[0])} for side in (gold, system)
            )
            sums[name] += count_links(right, own, together=name == ALL)
    return {name: _scores(counts) for name, counts in sums.items()}


def count_links(gold: Set[Link], system: Set[Link], together: bool = False) -> LinkCounts:
    """Return how many links of each side are in the other, or follow from it.

    >>> gold = {("After", 1, 2), ("After", 2, 3)}
    >>> count_links(gold, {("After", 1, 3)})
    LinkCounts(matched_system=1, n_system=1, matched_gold=0.495, n_gold=2)
    """
    follows = _interval_closure if together else _plain_closure
    from_gold, from_system = follows(gold), follows(system)
    matched_system = sum(link in gold or from_gold(link) for link in system)
    found = [link for link in gold if link in system or from_system(link)]
    matched_gold = len(found)
    implied = sum(link not in gold and from_gold(link) for link in system)
    n = len(_ends(gold) & _ends(system))
    # By pairs of nodes, which two links of different names may share: never below 1.
    missed = n * (n - 1) // 2 - len({frozenset(link[1:]) for link in found})
    weight = _IMPLIED_CREDIT / (1 + missed)
    return LinkCounts(matched_system, len(system), matched_gold + weight * implied, len(gold))


def _ends(links: Iterable[Link]) -> set[Node]:
    return {end for _, first, second in links for end in (first, second)}


def _plain_closure(links: Set[Link]) -> Follows:
    closure = reachable((first, second) for _, first, second in links)
    return lambda link: link[2] in closure.get(link[1], ())


def _interval_closure(links: Set[Link]) -> Follows:
    """Return what follows from links by the order of beginnings and ends."""
    before: list[Edge] = [((x, "begin"), (x, "end")) for x in _ends(links)]
    for name, first, second in links:
        if name == AFTER:
            before.append(((first, "end"), (second, "begin")))
        else:
            before.append(((first, "begin"), (second, "begin")))
            before.append(((second, "end"), (first, "end")))
    closure = reachable(before)

    def follows(link: Link) -> bool:
        name, first, second = link
        if name == AFTER:
            return (second, "begin") in closure.get((first, "end"), ())
        return (second, "begin") in closure.get((first, "begin"), ()) and (
            first, "end",
        ) in closure.get((second, "end"), ())  # fmt: skip

    return follows


def _links_of(
    scoring: Scoring, document: ScoredDocument, attributes: str
) -> tuple[set[Link], set[Link]]:
    """Return the links of both sides between nodes; mapped mentions share a node."""
    mapped = {own: gold for gold, own, _ in document.mappings[attributes].links()}

    def system_node(i: int) -> Node:
        return ("gold", mapped[i]) if i in mapped else ("system", i)

    gold = set(_expanded(document.gold, scoring.gold, lambda i: ("gold", i)))
    return gold, set(_expanded(document.system, scoring.system, system_node))


def _expanded(document: Document, file: TbfFile, node: Callable[[int], Node]) -> Iterator[Link]:
    """Yield the links between all mentions of clusters that the reduced graph of clusters has."""
    clusters = clusters_by_id(document, file)
    members: defaultdict[Node, list[int]] = defaultdict(list)
    for i, mention in enumerate(document.mentions):
        members[clusters.get(mention.id, mention.id)].append(i)
    for name in (AFTER, SUBEVENT):
        for first, second in reduced(acyclic(_between(document, file, name, clusters))):
            for a in members[first]:
                for b in members[second]:
                    yield name, node(a), node(b)


def _between(document: Document, file: TbfFile, name: str, clusters: dict[str, int]) -> set[Edge]:
    """Return the links of one name between clusters; ids that are no mentions are ignored."""
    links, problems = links_between(document, name, clusters)
    for problem in problems:
        raise TbfError(f"{file.path}:{problem.line}", problem.kind, problem.text)
    return links


def links_between(
    document: Document, name: str, clusters: dict[str, int]
) -> tuple[set[Edge], list[Problem]]:
    """Return the links of one name between clusters, and what is wrong with them."""
    ids = {mention.id for mention in document.mentions}
    links: set[Edge] = set()
    problems = []
    for relation in document.relations:
        if relation.name != name:
            continue
        arguments = relation.arguments
        if len(arguments) != 2:
            text = f"column 3: @{name} has {len(arguments)} arguments; sequencing needs two"
            problems.append(Problem(relation.line, "link-arity", text))
            continue
        first, second = (clusters.get(each, each) for each in arguments)
        if (second, first) in links:
            text = (
                f"column 3: @{name} links {arguments[0]} and {arguments[1]} both ways (mentions "
                "of a cluster count as one); keep one direction"
            )
            problems.append(Problem(relation.line, "two-way-link", text))
        elif first != second and ids.issuperset(arguments):
            links.add((first, second))
    return links, problems


def _scores(counts: LinkCounts) -> LinkScores:
    precision = 100 * counts.matched_system / counts.n_system if counts.n_system else 0.0
    recall = 100 * counts.matched_gold / counts.n_gold if counts.n_gold else 0.0
    both = precision + recall
    return LinkScores(precision, recall, 2 * precision * recall / both if both else 0.0)


def reachable(edges: Iterable[Edge]) -> dict[Node, set[Node]]:
    """Return for each node all that can be reached from it.

    >>> reachable([(1, 2), (2, 3)])
    {1: {2, 3}, 2: {3}}
    """
    follow: defaultdict[Node, list[Node]] = defaultdict(list)
    for first, second in edges:
        follow[first].append(second)
    found = {}
    for start in list(follow):
        seen: set[Node] = set()
        waiting = list(follow[start])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting.extend(follow.get(node, ()))
        found[start] = seen
    return found


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
    follow: defaultdict[Node, set[Node]] = defaultdict(set)
    for a, b in edges:
        follow[a].add(b)
    return {
        (a, b)
        for a, b in edges
        if not any(b in closure.get(other, ()) for other in follow[a] if other != b)
    }
