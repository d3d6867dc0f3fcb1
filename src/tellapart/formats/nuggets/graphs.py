"""Directed graphs of links: what can be reached, and the fewest links that say the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

Edge = tuple[Hashable, Hashable]


def reachable(edges: Iterable[Edge]) -> dict[Hashable, set[Hashable]]:
    """Give for each node all that can be reached from it.

    >>> reachable([(1, 2), (2, 3)])
    {1: {2, 3}, 2: {3}}
    """
    follow: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
    for first, second in edges:
        follow[first].append(second)
    found = {}
    for start in list(follow):
        seen: set[Hashable] = set()
        waiting = list(follow[start])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting.extend(follow.get(node, ()))
        found[start] = seen
    return found


def acyclic(edges: set[Edge]) -> set[Edge]:
    """Drop all edges that lie on a cycle.

    >>> sorted(acyclic({(1, 2), (2, 3), (3, 1), (3, 4)}))
    [(3, 4)]
    """
    closure = reachable(edges)
    return {(a, b) for a, b in edges if a not in closure.get(b, ())}


def reduced(edges: set[Edge]) -> set[Edge]:
    """Drop the edges of an acyclic graph that follow from the others.

    >>> sorted(reduced({(1, 2), (2, 3), (1, 3)}))
    [(1, 2), (2, 3)]
    """
    closure = reachable(edges)
    follow: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    for a, b in edges:
        follow[a].add(b)
    return {
        (a, b)
        for a, b in edges
        if not any(b in closure.get(other, ()) for other in follow[a] if other != b)
    }
