"""What totals alone say of systems: how many items each has right, without the items themselves.

The test is the one that `compare` makes of right and wrong answers. Which items are right is not
known, so p is not a number but a range, over everything that the items can have been.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.comparison.compare import version
from tellapart.comparison.options import Options
from tellapart.comparison.record import encoded
from tellapart.errors import UsageError
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
class Totals:
    """Two systems by their totals; ranges are from the smallest to the largest."""

    alpha: float
    tail: str
    a: Total
    b: Total
    differing: tuple[int, int]
    """On how many items they can differ"""
    p: tuple[float, float]
    different: bool | None
    """Whether they differ whatever the items are; None where it depends on them"""

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json_text({"tellapart": version(), "test": "mcnemar", **encoded(self)})


def compare_totals(totals: Sequence[Total], options: Options) -> Totals:
    """Return what the totals of two systems say."""
    if len({total.name for total in totals}) != 2 or len(totals) != 2:
        raise UsageError("--totals wants two systems, each with a name of its own")
    a, b = totals
    ends = mcnemar_range(
        (a.right, a.items), (b.right, b.items), alternative=alternative_of(options.sign)
    )
    low, high = (test.p or 1.0 for test in ends)
    fewest, most = sorted(test.n or 0 for test in ends)
    different = None if low <= options.alpha < high else high <= options.alpha
    return Totals(options.alpha, options.tail, a, b, (fewest, most), (low, high), different)
