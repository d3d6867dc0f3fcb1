"""Links of event mentions: coreference, by clusters of mapped mentions; After and Subevent.

The latter two are scored by temporal awareness, with part credit for implied links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

from tellapart.formats.annotation.clusters import CorefCounts, Row, count_document
from tellapart.formats.annotation.model import Document, Link
from tellapart.formats.annotation.tbf import AFTER, COREFERENCE, SUBEVENT, Mention, TbfError

Mapped = Sequence[tuple[int, int, float]]
"""Gold position, system position and Dice of mentions that were mapped to each other"""
Paths = tuple[str, str]
"""Those of the gold and of the system file"""


class Problem(NamedTuple):
    """Something wrong with a file: its line (0: the whole file), a stable kind, and a sentence."""

    line: int
    kind: str
    text: str
    fatal: bool = True
    """Whether a file with it is not fit to be handed in"""


def count_clusters(
    gold: Document[Mention],
    system: Document[Mention],
    mapped: Mapped,
    threshold: float,
    paths: Paths,
) -> CorefCounts:
    """Return the coreference counts of a document.

    A gold mention goes with its system mention if their Dice reaches the threshold. At a threshold
    of 0 or below, gold mentions without a partner take the last system mention: a slip of the
    public tool, kept for agreement with it.
    """
    last = len(system.spans) - 1 if threshold <= 0 and system.spans else None
    partner: list[int | None] = [last] * len(gold.spans)
    for at, own, dice in mapped:
        if dice >= threshold:
            partner[at] = own
    return count_document(_rows(gold, system, partner, paths))


def _rows(
    gold: Document[Mention],
    system: Document[Mention],
    partner: Sequence[int | None],
    paths: Paths,
) -> Iterator[Row]:
    key, response = clusters_by_id(gold, paths[0]), clusters_by_id(system, paths[1])
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


def clusters_by_id(document: Document[Mention], path: str) -> dict[str, int]:
    """Return the cluster of each mention id that is in one; no id may be in two."""
    clusters, overlaps = cluster_numbers(document)
    for link, shared in overlaps:
        raise TbfError(
            f"{path}:{link.line}",
            "overlapping-clusters",
            f"column 3: {shared!r} is in two clusters of document {document.id!r}; join them in "
            "one @Coreference line",
        )
    return clusters


def cluster_numbers(
    document: Document[Mention],
) -> tuple[dict[str, int], list[tuple[Link, str]]]:
    """Return each id's cluster, and the lines with ids that were in another cluster before."""
    clusters: dict[str, int] = {}
    lines = (link for link in document.links if link.name == COREFERENCE)
    overlaps = [
        (link, name)
        for number, link in enumerate(lines)
        for name in link.arguments
        if clusters.setdefault(name, number) != number
    ]
    return clusters, overlaps


ALL: Final = "All"
_IMPLIED_CREDIT: Final = 0.99

Node = Hashable
Edge = tuple[Node, Node]
NamedEdge = tuple[str, Node, Node]
"""A link's name, and its two ends"""
Follows = Callable[[NamedEdge], bool]


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """What one document adds to the scores of links."""

    matched_system: float = 0
    n_system: int = 0
    matched_gold: float = 0
    """With the part credit for implied links"""
    n_gold: int = 0

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(
            self.matched_system + other.matched_system,
            self.n_system + other.n_system,
            self.matched_gold + other.matched_gold,
            self.n_gold + other.n_gold,
        )

    def scores(self) -> LinkScores:
        """Return precision, recall and F1."""
        precision = 100 * self.matched_system / self.n_system if self.n_system else 0.0
        recall = 100 * self.matched_gold / self.n_gold if self.n_gold else 0.0
        both = precision + recall
        return LinkScores(precision, recall, 2 * precision * recall / both if both else 0.0)


class LinkScores(NamedTuple):
    """Precision, recall and F1 in per cent; 0 for 0/0."""

    precision: float
    recall: float
    f1: float


def score_links(
    documents: Iterable[tuple[Document[Mention], Document[Mention], Mapped]], paths: Paths
) -> dict[str, LinkScores]:
    """Return the scores of Subevent, After, and both together, of documents and their mappings.

    Both together follow from one another as intervals do: an earlier event ends before the later
    one begins, a subevent lies within its parent. The public tool's figure for that depends on
    the order of the links; this one does not, and often differs from it.
    """
    sums = {name: LinkCounts() for name in (SUBEVENT, AFTER, ALL)}
    for gold, system, mapped in documents:
        # Mapped mentions share a node.
        nodes: dict[int, Node] = {own: ("gold", at) for at, own, _ in mapped}
        right = set(_expanded(gold, paths[0], [("gold", i) for i in range(len(gold.spans))]))
        own_nodes = [nodes.get(i, ("system", i)) for i in range(len(system.spans))]
        own = set(_expanded(system, paths[1], own_nodes))
        for name in sums:
            wanted, given = (
                {edge for edge in side if name in (ALL, edge[0])} for side in (right, own)
            )
            sums[name] += count_links(wanted, given, together=name == ALL)
    return {name: counts.scores() for name, counts in sums.items()}


def count_links(gold: Set[NamedEdge], system: Set[NamedEdge], together: bool = False) -> LinkCounts:
    """Return how many links of each side are in the other, or follow from it.

    >>> gold = {("After", 1, 2), ("After", 2, 3)}
    >>> count_links(gold, {("After", 1, 3)})
    LinkCounts(matched_system=1, n_system=1, matched_gold=0.495, n_gold=2)
    """
    follows = _interval_closure if together else _plain_closure
    from_gold, from_system = follows(gold), follows(system)
    matched_system = sum(edge in gold or from_gold(edge) for edge in system)
    matched = [edge for edge in gold if edge in system or from_system(edge)]
    implied = sum(edge not in gold and from_gold(edge) for edge in system)
    n = len(_ends(gold) & _ends(system))
    # By pairs of nodes, which two links of different names may share: never below 1.
    missed = n * (n - 1) // 2 - len({frozenset(edge[1:]) for edge in matched})
    weight = _IMPLIED_CREDIT / (1 + missed)
    return LinkCounts(matched_system, len(system), len(matched) + weight * implied, len(gold))


def _ends(edges: Iterable[NamedEdge]) -> set[Node]:
    return {end for _, first, second in edges for end in (first, second)}


def _plain_closure(edges: Set[NamedEdge]) -> Follows:
    closure = reachable((first, second) for _, first, second in edges)
    return lambda edge: edge[2] in closure.get(edge[1], ())


def _interval_closure(edges: Set[NamedEdge]) -> Follows:
    """Return what follows from links by the order of beginnings and ends."""
    before: list[Edge] = [((x, "begin"), (x, "end")) for x in _ends(edges)]
    for edge in edges:
        before += _order(edge)
    closure = reachable(before)
    return lambda edge: all(later in closure.get(earlier, ()) for earlier, later in _order(edge))


def _order(edge: NamedEdge) -> list[Edge]:
    """Return which beginning or end of a link's events comes before which."""
    name, first, second = edge
    if name == AFTER:
        return [((first, "end"), (second, "begin"))]
    return [((first, "begin"), (second, "begin")), ((second, "end"), (first, "end"))]


def _expanded(document: Document[Mention], path: str, nodes: Sequence[Node]) -> Iterator[NamedEdge]:
    """Yield the links between all mentions of clusters that the reduced graph of clusters has."""
    clusters = clusters_by_id(document, path)
    members: defaultdict[Node, list[Node]] = defaultdict(list)
    for mention, node in zip(document.spans, nodes, strict=True):
        members[clusters.get(mention.id, mention.id)].append(node)
    for name in (AFTER, SUBEVENT):
        edges, problems = links_between(document, name, clusters)
        for problem in problems:
            raise TbfError(f"{path}:{problem.line}", problem.kind, problem.text)
        for first, second in reduced(acyclic(edges)):
            for a in members[first]:
                for b in members[second]:
                    yield name, a, b


def links_between(
    document: Document[Mention], name: str, clusters: dict[str, int]
) -> tuple[set[Edge], list[Problem]]:
    """Return the links of one name between clusters, and what is wrong with them.

    Links to ids that are no mentions are ignored.
    """
    ids = {mention.id for mention in document.spans}
    edges: set[Edge] = set()
    problems = []
    for _, arguments, line in (link for link in document.links if link.name == name):
        if len(arguments) != 2:
            text = f"column 3: @{name} has {len(arguments)} arguments; sequencing needs two"
            problems.append(Problem(line, "link-arity", text))
            continue
        first, second = (clusters.get(argument, argument) for argument in arguments)
        if (second, first) in edges:
            text = (
                f"column 3: @{name} links {arguments[0]} and {arguments[1]} both ways (mentions "
                "of a cluster count as one); keep one direction"
            )
            problems.append(Problem(line, "two-way-link", text))
        elif first != second and ids.issuperset(arguments):
            edges.add((first, second))
    return edges, problems


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
    follow: defaultdict[Node, set[Node]] = defaultdict(set)
    for a, b in edges:
        follow[a].add(b)
    return {
        (a, b)
        for a, b in edges
        if not any(b in closure.get(other, ()) for other in follow[a] if other != b)
    }
