"""Counts that are not known yet: points that lie between corners, and the corners of sums of them.

A point is what a metric has above and below its line, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from tellapart.formats.templates.counts import counted
from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.pairing import CORRECT
from tellapart.formats.templates.scoring import Run, ScoredPair
from tellapart.formats.templates.slot_scoring import equal_pairs
from tellapart.formats.templates.tally import Tally
from tellapart.formats.templates.values import Optional, Value

Point: TypeAlias = tuple[int, int]
"""Numerator and denominator"""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric as whole weights of a tally's counts, above and below the line.

    >>> Measure({"cor": 2, "par": 1}, {"pos": 2}).point(Tally(pos=3, cor=1, par=1))
    (3, 6)
    """

    numerator: Mapping[str, int]
    denominator: Mapping[str, int]

    def point(self, tally: Tally) -> Point:
        """Return numerator and denominator of a tally."""
        top, bottom = (
            sum(weight * int(getattr(tally, name)) for name, weight in side.items())
            for side in (self.numerator, self.denominator)
        )
        return top, bottom


def sum_of(design: Design, pairs: Sequence[ScoredPair], row: str, measure: Measure) -> Point:
    """Return what scored pairs of templates count in a summary row."""
    run = Run("", design, tuple(pairs), {})
    points = [measure.point(tally) for _, _, tally in counted(run, row)]
    return sum(n for n, _ in points), sum(d for _, d in points)


def surely_right(slot: Slot, ours: Sequence[Value], theirs: Sequence[Value]) -> int:
    """Return how many fills are right whatever is decided.

    >>> from tellapart.formats.templates.matchers import Matcher
    >>> from tellapart.formats.templates.model import fill_of
    >>> city = Slot(2, "", "city", "string", matcher=Matcher("exact"))
    >>> surely_right(city, [fill_of("Oslo")], [fill_of("oslo")])
    0
    """
    if slot.matcher is None:
        return len(equal_pairs(ours, theirs))
    single = len(ours) == len(theirs) == 1
    return int(single and slot.matcher.level_of(ours[0], theirs[0]) == CORRECT)


def slot_corners(
    measure: Measure, slot: Slot, ours: Sequence[Value], theirs: Sequence[Value]
) -> list[Point]:
    """Return corners that enclose all that a slot with so many ways can be scored as.

    Fills that are the same are right for sure, and any others may be. A response that is credited
    with several fills counts so many times.
    """
    keys, responses, right = len(ours), len(theirs), surely_right(slot, ours, theirs)
    plain = not any(isinstance(each, Optional) for each in (*ours, *theirs))
    if not plain or {*measure.numerator, *measure.denominator} - {"cor", "par", "pos", "act"}:
        return widest_corners(measure, keys, responses)
    more = max(0, keys - right - 1)
    return hull(
        measure.point(Tally(pos=keys, act=responses + extra, cor=cor, par=par))
        for cor, par, extra in (
            (right, 0, 0), (keys, 0, 0), (keys, 0, more),
            (right, keys - right, 0), (right, keys - right, more),
        )
    )  # fmt: skip


def widest_corners(measure: Measure, keys: int, responses: int) -> list[Point]:
    """Return corners that enclose whatever so many fills could be scored as."""
    names = sorted({*measure.numerator, *measure.denominator} - {"cor", "par"})
    return hull(
        measure.point(Tally(cor=cor, par=par, **dict(zip(names, rest, strict=True))))
        for cor, par in ((0, 0), (0, keys), (keys, 0))
        for rest in product((0, keys + responses), repeat=len(names))
    )


def sums(points: Iterable[Point], others: Collection[Point]) -> set[Point]:
    """Return all sums of one point of each."""
    return {(n + m, d + e) for n, d in points for m, e in others}


def hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the area that points span, in order.

    >>> hull([(0, 0), (1, 1), (2, 2), (2, 0), (1, 0)])
    [(0, 0), (2, 0), (2, 2)]
    """
    ordered = sorted(set(points))
    if len(ordered) <= 2:
        return ordered

    def half(some: Iterable[Point]) -> list[Point]:
        found: list[Point] = []
        for x, y in some:
            while len(found) > 1:
                (ax, ay), (bx, by) = found[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                found.pop()
            found.append((x, y))
        return found[:-1]

    return half(ordered) + half(reversed(ordered))
