"""The best mapping of predicted templates to gold ones, by the F1 of the document they make.

A pair of templates gives `a` to what precision counts and `b` to what recall counts; sums A and B
over the mapped pairs give F1. It grows in both, but not in their sum, so that the best mapping lies
somewhere on the Pareto front of (A, B). Of mappings with the same F1, the first in the order of the
reference counts: the smallest in the first predicted template's gold, then in the second's, and so
on, where no gold is last. A template mapped to a gold that it does not fit earns nothing and blocks
that gold; such mappings are part of the order.

A dynamic programme goes through sets of used golds. Where these are too many, assignments climb
along the slope of F1, which is concave in A and B, until none on the way is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from tellapart.formats.templates.pairing import assign

Point: TypeAlias = tuple[int, int]
"""A and B: what precision counts, and what recall does"""
Front: TypeAlias = tuple[Point, ...]
"""Points of which none is at least as good as another in both, A falling"""
Edges: TypeAlias = Sequence[dict[int, Point]]
"""Per predicted template: the golds that it fits, with what the pair is worth"""
Golds: TypeAlias = tuple[int | None, ...]
"""The gold of each predicted template; None where it has none"""

MOST_STEPS: Final = 1 << 15
"""So many steps the dynamic programme takes in a document; beyond, assignments are tried"""
_MOST_TEMPLATES: Final = 500  # it goes as deep
_NOTHING: Final = (0, 0)


def document_f1(sums: Point, totals: Point) -> float:
    """Return the F1 of sums, given what they are divided by; compared as doubles, as elsewhere.

    >>> document_f1((2, 1), (4, 2))
    0.5
    """
    precision, recall = (
        part / whole if whole else 0.0 for part, whole in zip(sums, totals, strict=True)
    )
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def best_mapping(edges: Edges, golds: int, totals: Point) -> Golds:
    """Return the first of the best mappings; `totals` are what A and B are divided by.

    >>> edges = [{0: (1, 1), 1: (2, 2)}, {1: (2, 2)}]
    >>> best_mapping(edges, 2, (4, 4))
    (0, 1)
    """
    if not any(edges):
        return (None,) * len(edges)
    steps = _steps(edges) if len(edges) <= _MOST_TEMPLATES else math.inf
    search = _by_sets if steps <= MOST_STEPS else _by_assignment
    return search(edges, golds, totals)


def _later(edges: Edges) -> list[int]:
    """Return the golds, as bits, that each template or one after it fits."""
    later = [0]
    for row in reversed(edges):
        later.append(later[-1] | sum(1 << gold for gold in row))
    return later[::-1]


def _steps(edges: Edges) -> int:
    """Return how many steps the dynamic programme may take at most."""
    before = steps = 0
    for row, later in zip(edges, _later(edges), strict=False):
        steps += len(row) << (before & later).bit_count()
        before |= sum(1 << gold for gold in row)
    return steps


def _by_sets(edges: Edges, golds: int, totals: Point) -> Golds:
    """Return the first of the best mappings: take the first gold that keeps the best in reach."""
    later = _later(edges)
    known: dict[Point, Front] = {}

    def front(first: int, used: int) -> Front:
        """Return what templates from `first` on can reach when some golds are used."""
        if first == len(edges):
            return (_NOTHING,)
        key = first, used & later[first]
        if key not in known:
            points = [*front(first + 1, used)]
            for gold, (a, b) in edges[first].items():
                if not used >> gold & 1:
                    points += ((a + x, b + y) for x, y in front(first + 1, used | 1 << gold))
            known[key] = _front(points)
        return known[key]

    best = max(document_f1(point, totals) for point in front(0, 0))
    a = b = used = 0
    mapping: list[int | None] = []
    for i, row in enumerate(edges):
        for gold in (*range(golds), None):
            if gold is None:
                break
            x, y = row.get(gold, _NOTHING)
            rest = () if used >> gold & 1 else front(i + 1, used | 1 << gold)
            if any(document_f1((a + x + u, b + y + v), totals) == best for u, v in rest):
                a, b, used = a + x, b + y, used | 1 << gold
                break
        mapping.append(gold)
    return tuple(mapping)


def _front(points: Iterable[Point]) -> Front:
    """Return the points that no other beats.

    >>> _front([(1, 3), (2, 2), (1, 2), (2, 1), (3, 0)])
    ((3, 0), (2, 2), (1, 3))
    """
    kept: list[Point] = []
    for point in sorted(points, reverse=True):
        if not kept or point[1] > kept[-1][1]:
            kept.append(point)
    return tuple(kept)


def _by_assignment(edges: Edges, golds: int, totals: Point) -> Golds:
    """Return the best mapping on the way up the slope."""
    weights = totals[::-1]
    best: dict[int, int] = {}
    best_f1 = 0.0
    while True:
        rows = [[row.get(gold, _NOTHING) for gold in range(golds)] for row in edges]
        mapped = assign([[weights[0] * a + weights[1] * b for a, b in row] for row in rows])
        a, b = map(sum, zip(*(rows[i][gold] for i, gold in mapped), strict=True))
        f1 = document_f1((a, b), totals)
        if f1 <= best_f1:
            return tuple(map(best.get, range(len(edges))))
        best, best_f1 = dict(mapped), f1
        weights = (b * b * totals[0], a * a * totals[1])  # the slope of F1 at this point
