"""How templates can come to be paired, while how well they agree is known only as a range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from tellapart.formats.templates.design import Condition

MOST_STATES: Final = 500
"""How many pairings of a message, whole and in part, are looked at one by one"""
Edge: TypeAlias = tuple[int, int]
"""Positions of a key and a response template among those of a message"""
Allowed: TypeAlias = Literal["always", "maybe", "never"]


def in_conflict(a: Edge, b: Edge) -> bool:
    """Return whether two pairs share a template, so that only one of them can be made."""
    return a[0] == b[0] or a[1] == b[1]


def possible_outcomes(
    condition: Condition, hit: Callable[[str], tuple[set[bool], bool]]
) -> set[bool]:
    """Return whether a pairing condition can hold, and whether it can fail to."""
    outcomes, empty = [], not condition.every
    for term in condition.terms:
        if isinstance(term, str):
            found, without = hit(term)
            empty = empty and without
        else:
            found, empty = possible_outcomes(term, hit), False
        outcomes.append(found)
    if condition.every:
        able, unable = all(True in each for each in outcomes), any(False in e for e in outcomes)
        return {kind for kind, can in ((True, able), (False, unable)) if can}
    able = any(True in each for each in outcomes) or empty
    unable = all(False in each for each in outcomes) and not empty
    return {kind for kind, can in ((True, able), (False, unable)) if can}


def possible_pairings(
    edges: frozenset[Edge],
    allowed: Mapping[Edge, Allowed],
    agree: Mapping[Edge, tuple[int, int]],
) -> list[list[Edge]] | None:
    """Return how templates are paired that are taken by how well they agree, which is a range.

    None if there are too many ways.

    >>> allowed = {(0, 0): "always", (1, 0): "always"}
    >>> possible_pairings(frozenset(allowed), allowed, {(0, 0): (60, 80), (1, 0): (40, 50)})
    [[(0, 0)]]
    >>> sorted(possible_pairings(frozenset(allowed), allowed, {(0, 0): (45, 80), (1, 0): (40, 50)}))
    [[(0, 0)], [(1, 0)]]
    """
    found: dict[frozenset[Edge], None] = {}
    seen: set[tuple[frozenset[Edge], frozenset[Edge]]] = set()
    stack = [(edges, frozenset[Edge]())]
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        if len(seen) > MOST_STATES:
            return None
        left, taken = state
        if not left:
            found[taken] = None
            continue
        least = max((agree[e][0] for e in left if allowed[e] == "always"), default=-1)
        for edge in left:
            if agree[edge][1] >= least:
                rest = frozenset(e for e in left if not in_conflict(e, edge))
                stack.append((rest, taken | {edge}))
            if allowed[edge] == "maybe":
                stack.append((left - {edge}, taken))
    return [sorted(way) for way in found]
