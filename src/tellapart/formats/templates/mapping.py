"""The best mapping of predicted templates to gold ones, by the F1 of the document they make.

A pair of templates gives `a` to what precision counts and `b` to what recall counts; sums A and B
over the mapped pairs give F1. It grows in both, but not in their sum, so that the best mapping lies
somewhere on the Pareto front of (A, B). Of mappings with the same F1, the first in the order of the
reference counts: the smallest in the first predicted template's gold, then in the second's, and so
on, where no gold is last. A template mapped to a gold that it does not fit earns nothing and blocks
that gold; such mappings are part of the order.

Two searches give the same F1. The dynamic programme goes through sets of used golds, one connected
part of the fitting pairs at a time; it is for documents in which these parts are small. Otherwise
assignments with weighted sums of a and b find the corners of the front, whatever their order, which
is almost always a proof: no pair of whole numbers under these corners makes a better F1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, TypeAlias

Point: TypeAlias = tuple[int, int]
"""A and B: what precision counts, and what recall does"""
Front: TypeAlias = tuple[Point, ...]
"""Points of which none is at least as good as another in both, A falling"""
Edges: TypeAlias = Sequence[dict[int, Point]]
"""Per predicted template: the golds that it fits, with what the pair is worth"""
Score: TypeAlias = Callable[[int, int], float]

SETS: Final = 1 << 10
"""So many steps the dynamic programme may have to take in a document"""
_MORE_SETS: Final = 1 << 18  # where assignments prove nothing, which is rare
_NOTHING: Final = (0, 0)


@dataclass(frozen=True, slots=True)
class Mapping:
    """The gold of each predicted template, None where it has none, and whether that is the best."""

    golds: tuple[int | None, ...]
    proven: bool = True


def document_f1(predicted: int, gold: int) -> Score:
    """Return the F1 of sums, given what they are divided by; compared as doubles, as elsewhere.

    >>> document_f1(4, 2)(2, 1)
    0.5
    """

    def score(a: int, b: int) -> float:
        precision = a / predicted if predicted else 0.0
        recall = b / gold if gold else 0.0
        both = precision + recall
        return 2 * precision * recall / both if both else 0.0

    return score


def best_mapping(edges: Edges, golds: int, score: Score) -> Mapping:
    """Return the first of the best mappings.

    >>> edges = [{0: (1, 1), 1: (2, 2)}, {1: (2, 2)}]
    >>> best_mapping(edges, 2, document_f1(4, 4)).golds
    (0, 1)
    """
    if not any(edges):
        return Mapping((None,) * len(edges))
    parts = _parts(edges, golds)
    steps = sum(map(_steps, parts))
    if steps <= SETS:
        return Mapping(_by_sets(edges, golds, score, parts))
    found = _by_assignment(edges, golds, score)
    if not found.proven and steps <= _MORE_SETS:
        return Mapping(_by_sets(edges, golds, score, parts))
    return found


# The dynamic programme.


@dataclass(frozen=True, slots=True)
class _Part:
    """Templates that are connected by fitting pairs, and the fronts that were found of them."""

    rows: tuple[tuple[tuple[int, Point], ...], ...]
    """Per predicted template: bit of the gold, and what the pair is worth"""
    bits: dict[int, int]
    """The bit of each gold"""
    fronts: dict[tuple[int, int], Front] = field(default_factory=dict)

    def front(self, first: int, used: int) -> Front:
        """Return what templates from `first` on can reach when some golds are used."""
        if first == len(self.rows):
            return (_NOTHING,)
        key = first, used
        known = self.fronts.get(key)
        if known is None:
            points = [*self.front(first + 1, used)]
            for bit, (a, b) in self.rows[first]:
                if not used & bit:
                    points += ((a + x, b + y) for x, y in self.front(first + 1, used | bit))
            known = self.fronts[key] = _front(points)
        return known


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


def _sum(fronts: Iterable[Front]) -> Front:
    """Return the front of sums of one point of each."""
    total: Front = (_NOTHING,)
    for front in fronts:
        if len(front) == 1:
            a, b = front[0]
            total = tuple((a + x, b + y) for x, y in total)
        else:
            total = _front((a + x, b + y) for a, b in front for x, y in total)
    return total


def _parts(edges: Edges, golds: int) -> list[_Part]:
    """Return the connected parts; templates that fit none are in no part."""
    leaders = list(range(golds))

    def leader(gold: int) -> int:
        while leaders[gold] != gold:
            leaders[gold] = gold = leaders[leaders[gold]]
        return gold

    for row in edges:
        for one, other in pairwise(row):
            leaders[leader(other)] = leader(one)
    rows: dict[int, list[dict[int, Point]]] = {}
    for row in edges:
        if row:
            rows.setdefault(leader(next(iter(row))), []).append(row)
    parts = []
    for some in rows.values():
        known = sorted({gold for row in some for gold in row})
        bits = {gold: 1 << k for k, gold in enumerate(known)}
        parts.append(
            _Part(tuple(tuple((bits[j], pair) for j, pair in row.items()) for row in some), bits)
        )
    return parts


def _steps(part: _Part) -> int:
    """Return how many steps a part may take at most."""
    golds, rows = len(part.bits), len(part.rows)
    sets = 1 << golds if golds <= rows else min(1 << golds, (golds + 1) ** rows)
    return sets * sum(map(len, part.rows))


def _by_sets(
    edges: Edges, golds: int, score: Score, parts: Sequence[_Part]
) -> tuple[int | None, ...]:
    """Return the first of the best mappings: take the first gold that keeps the best in reach."""
    part_of = {gold: k for k, part in enumerate(parts) for gold in part.bits}
    firsts, used = [0] * len(parts), [0] * len(parts)
    fronts = [part.front(0, 0) for part in parts]
    best = max(score(a, b) for a, b in _sum(fronts))
    a = b = 0
    free = list(range(golds))
    mapping: list[int | None] = []
    for row in edges:
        own = part_of[next(iter(row))] if row else None
        if own is not None:
            firsts[own] += 1
        for gold in (*free, None):
            x, y = _NOTHING if gold is None else row.get(gold, _NOTHING)
            theirs = None if gold is None else part_of.get(gold)
            left = list(fronts)
            for k in {own, theirs} - {None}:
                assert k is not None
                taken = 0 if gold is None else parts[k].bits.get(gold, 0)
                left[k] = parts[k].front(firsts[k], used[k] | taken)
            if gold is None or _reaches(best, score, (a + x, b + y), left):
                break
        fronts, a, b = left, a + x, b + y
        mapping.append(gold)
        if gold is not None:
            free.remove(gold)
            if theirs is not None:
                used[theirs] |= parts[theirs].bits[gold]
    return tuple(mapping)


def _reaches(best: float, score: Score, so_far: Point, fronts: Iterable[Front]) -> bool:
    a, b = so_far
    return any(score(a + x, b + y) == best for x, y in _sum(fronts))


# Assignments of weighted sums.


def _by_assignment(edges: Edges, golds: int, score: Score) -> Mapping:
    """Return the best mapping that assignments find, and whether none can be better."""
    import numpy as np

    a = np.zeros((len(edges), golds), np.int64)
    b = np.zeros((len(edges), golds), np.int64)
    for i, row in enumerate(edges):
        for j, (x, y) in row.items():
            a[i, j], b[i, j] = x, y
    sums = _Sums(a, b)
    corners = sums.corners()
    point = max(sums.reached, key=lambda each: score(*each))
    return Mapping(sums.reached[point], not _may_be_better(corners, score(*point), score))


@dataclass(frozen=True, slots=True)
class _Sums:
    """The sums (A, B) of assignments of predicted templates (rows) to golds (columns)."""

    a: Any
    b: Any
    reached: dict[Point, tuple[int | None, ...]] = field(default_factory=dict)
    """All sums that were found, each with an assignment that makes them"""

    @property
    def ends(self) -> tuple[Point, Point]:
        """Weights by which the largest A is best, or the largest B; the other breaks ties."""
        many = 1 + int(max(self.a.sum(), self.b.sum()))
        return (many, 1), (1, many)

    def best(self, weights: Point) -> Point:
        """Return sums that are best by their weights."""
        _, golds = _assignment(weights[0] * self.a + weights[1] * self.b)
        pairs = [(i, j) for i, j in enumerate(golds) if j is not None]
        point = sum(int(self.a[pair]) for pair in pairs), sum(int(self.b[pair]) for pair in pairs)
        self.reached[point] = tuple(golds)
        return point

    def corners(self) -> list[Point]:
        """Return the corners of the front, A falling."""
        first, last = map(self.best, self.ends)
        if first == last:
            return [first]
        points = [first, *self._between(first, last), last]
        # What is on the line between its neighbours is no corner.
        return [
            point
            for k, point in enumerate(points)
            if k in (0, len(points) - 1)
            or _weighted(point, _normal(points[k - 1], points[k + 1]))
            > _weighted(points[k - 1], _normal(points[k - 1], points[k + 1]))
        ]

    def _between(self, one: Point, two: Point) -> list[Point]:
        weights = _normal(one, two)
        point = self.best(weights)
        if _weighted(point, weights) <= _weighted(one, weights):
            return []
        return [*self._between(one, point), point, *self._between(point, two)]


def _normal(one: Point, two: Point) -> Point:
    """Return the weights by which two points are as good as each other."""
    return two[1] - one[1], one[0] - two[0]


def _weighted(point: Point, weights: Point) -> int:
    return point[0] * weights[0] + point[1] * weights[1]


def _may_be_better(corners: Sequence[Point], best: float, score: Score) -> bool:
    """Return whether some sums below the corners, which may be in reach, would be better."""
    for one, two in pairwise(corners):
        weights = _normal(one, two)
        line = _weighted(one, weights)
        for a in range(two[0] + 1, one[0]):
            b = (line - a * weights[0]) // weights[1]  # the largest below the line
            if one[1] < b and score(a, b) > best:
                return True
    return False


def _assignment(weights: Any) -> tuple[int, list[int | None]]:
    """Return the largest sum of weights, and the column of each row, None where it has none."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weights, maximize=True)
    chosen = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return int(weights[rows, columns].sum()), [chosen.get(i) for i in range(len(weights))]
