"""What a comparison of preferences records: who beat whom, and what the judge likes.

Plain data; `comparison.preferences` works it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tellapart.significance.bradley_terry import ScaleFit
from tellapart.significance.judged_places import Liking


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two systems on the prompts on which they met; wins are those of `a`."""

    a: str
    b: str
    units: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    """The share of points of a: 1 for a win, 1/2 for a tie, or between where judgments differ"""
    p: float | None
    """Of equal chances, by exchanging the two on each prompt"""
    p_adjusted: float | None
    """With Holm's correction over all pairs that met"""
    different: bool

    def mirrored(self) -> HeadToHead:
        """Return the same seen from the second system."""
        return HeadToHead(
            self.b, self.a, self.units, self.losses, self.ties, self.wins, 1 - self.win_rate,
            self.p, self.p_adjusted, self.different,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Preferences:
    """What was judged: the outcomes of all pairs that met, the orders, and whether a scale fits."""

    judgments: int
    units: int
    """Prompts"""
    orders: str
    """``both`` on every prompt, so that places cancel; ``mixed``, ``one`` or ``unknown``"""
    head_to_head: tuple[HeadToHead, ...]
    reference: str | None = None
    """The system that all others were held against, where it is not itself compared"""
    first_place: Liking | None = None
    """How often the first place won, whoever stood there"""
    longer: Liking | None = None
    """How often the longer output won"""
    scale: str | None = None
    """What the scores of many systems are: ``bradley_terry``, or ``elo``, the same in its units"""
    resamples: int | None = None
    """Of prompts, for the intervals of those scores"""
    fit: ScaleFit | None = None
    """Whether one scale fits"""
    cycles: tuple[tuple[str, ...], ...] = ()
    """Systems of which each is shown to beat the next, and the last the first"""
    place_or_system: tuple[tuple[str, str], ...] = ()
    """Pairs told apart whose difference may be due to the place: they are not shown to differ with
    both places weighed alike"""

    def between(self, a: str, b: str) -> HeadToHead | None:
        """Return how a fared against b; None if they never met."""
        for each in self.head_to_head:
            if (each.a, each.b) == (a, b):
                return each
            if (each.b, each.a) == (a, b):
                return each.mirrored()
        return None

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Preferences:
        """Return what JSON holds."""
        return cls(
            **{
                **record,
                "head_to_head": tuple(HeadToHead(**each) for each in record["head_to_head"]),
                "first_place": _liking(record["first_place"]),
                "longer": _liking(record["longer"]),
                "fit": None if record["fit"] is None else ScaleFit(**record["fit"]),
                "cycles": tuple(tuple(each) for each in record["cycles"]),
                "place_or_system": tuple(tuple(p) for p in record.get("place_or_system", ())),
            }
        )


def _liking(record: dict[str, Any] | None) -> Liking | None:
    return None if record is None else Liking(**record)
