"""What totals alone say of systems: how many items each has right, without the items themselves.

The test is the one that `compare` makes of right and wrong answers. Which items are right is not
known, so p is not a number but a range, over everything that the items can have been.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tellapart.comparison.options import Options
from tellapart.comparison.record import encoded, version
from tellapart.errors import UsageError
from tellapart.stats.corrections import adjust
from tellapart.stats.paired import mcnemar_range
from tellapart.stats.result import alternative_of
from tellapart.words import json_text


@dataclass(frozen=True, slots=True)
class Total:
    """How many items a system has right, of how many."""

    name: str
    right: int
    items: int

    @classmethod
    def parse(cls, text: str) -> Total:
        """Return the total that a text such as ``A=396/500`` holds.

        >>> Total.parse("A=396/500")
        Total(name='A', right=396, items=500)
        """
        name, _, share = text.rpartition("=")
        right, _, items = share.partition("/")
        whole = right.isdecimal() and items.isdecimal() and max(len(right), len(items)) < 10
        if not (name and whole and int(items)):
            such = "A=396/500"
            if percent := re.fullmatch(r"(\d\d?(?:\.\d+)?)%/(\d{1,9})", share):
                such = f"{name}={round(float(percent[1]) * int(percent[2]) / 100)}/{percent[2]}"
            raise UsageError(
                f"--totals wants NAME=RIGHT/ITEMS in whole numbers, such as {such}, not {text!r}"
            )
        return cls(name, int(right), int(items))

    @property
    def score(self) -> float:
        """The share of right items."""
        return self.right / self.items


@dataclass(frozen=True, slots=True)
class TotalsPair:
    """Two systems by their totals; ranges are from the smallest to the largest."""

    a: Total
    b: Total
    differing: tuple[int, int]
    """On how many items they can differ"""
    p: tuple[float, float]
    p_adjusted: tuple[float, float]
    different: bool | None
    """Whether they differ whatever the items are; None where it depends on them"""


@dataclass(frozen=True, slots=True)
class Totals:
    """All pairs of systems of which only totals are known."""

    alpha: float
    tail: str
    correction: str
    pairs: tuple[TotalsPair, ...]

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json_text({"tellapart": version(), "test": "mcnemar", **encoded(self)})


def compare_totals(totals: Sequence[Total], options: Options) -> Totals:
    """Return what totals say of every pair of systems."""
    if len({total.name for total in totals}) < max(len(totals), 2):
        raise UsageError("--totals wants two systems or more, each with a name of its own")
    pairs, alternative = list(combinations(totals, 2)), alternative_of(options.sign)
    tests = [
        mcnemar_range((a.right, a.items), (b.right, b.items), alternative=alternative)
        for a, b in pairs
    ]
    # Corrected, the upper end is a bound: not all pairs need reach theirs on the same items.
    ends = ([test.p or 1.0 for test in end] for end in zip(*tests, strict=True))
    adjusted = zip(*(adjust(end, options.correction).tolist() for end in ends), strict=True)
    made = []
    for (a, b), (first, last), (low, high) in zip(pairs, tests, adjusted, strict=True):
        fewest, most = sorted((first.n or 0, last.n or 0))
        different = None if low <= options.alpha < high else high <= options.alpha
        p = (first.p or 1.0, last.p or 1.0)
        made.append(TotalsPair(a, b, (fewest, most), p, (low, high), different))
    return Totals(options.alpha, options.tail, options.correction, tuple(made))
