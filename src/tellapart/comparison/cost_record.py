"""What a record says of costs: how they compare, and which systems spend less for as much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CostRatio:
    """What the first system of a pair spends, for each unit that the second does."""

    metric: str
    a: str
    b: str
    ratio: float
    interval: tuple[float, float | None] | None
    """It leaves out 1 just where the pair is shown to differ"""
    interval_level: float | None
    p: float | None
    """The adjusted p of the pair: of equal means"""
    cheaper: str | None
    """The system that is shown to spend less"""
    kind: str = ""
    """``money``, ``time`` or ``tokens``, where the name tells"""


@dataclass(frozen=True, slots=True)
class Saving:
    """A system that is shown to be as good as another, within the margin, and to spend less."""

    system: str
    than: str
    quality: str
    cost: str
    p: float
    """Of both claims together, corrected for all that were tried: the larger of the two counts"""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a comparison beside its quality."""

    metrics: tuple[str, ...]
    """Those that are costs"""
    quality: tuple[str, ...]
    """Those that are not"""
    ratios: tuple[CostRatio, ...] = ()
    savings: tuple[Saving, ...] = ()
    """Where there is a margin"""
    dominated: dict[str, dict[str, dict[str, list[str]]]] | None = None
    """By quality, cost and system: those that score as well or better and spend as little or less,
    by what was measured"""

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Costs:
        """Return the costs that a JSON record holds."""
        ratios = [
            CostRatio(**{**each, "interval": each["interval"] and tuple(each["interval"])})
            for each in record["ratios"]
        ]
        return cls(
            tuple(record["metrics"]),
            tuple(record["quality"]),
            tuple(ratios),
            tuple(Saving(**each) for each in record["savings"]),
            record["dominated"],
        )
