"""The result of a comparison: one record that feeds every report, and survives JSON unchanged."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tellapart.errors import DataError, UsageError
from tellapart.files import write_text
from tellapart.notices import Notice

Ends: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system: its scores and their intervals by metric."""

    name: str
    scores: dict[str, float]
    intervals: dict[str, Ends] = field(default_factory=dict)
    exact_scores: dict[str, str] = field(default_factory=dict)
    """Scores as fractions, where they are ratios of whole numbers"""


@dataclass(frozen=True, slots=True)
class PairResult:
    """One pair of systems under one metric; differences are first minus second."""

    a: str
    b: str
    metric: str
    difference: float
    interval: Ends | None
    p: float | None
    p_adjusted: float | None
    method: str
    tail: str
    shuffles: int | None
    exceedances: int | None
    confidence: float | None
    different: bool
    units_a_better: int
    units_b_better: int
    units_tied: int
    claim: str | None = None
    """What a one-sided test was asked to show"""
    how: str | None = None
    interval_method: str | None = None
    exact_difference: str | None = None
    comparison: str = "integer"
    """Whether ties were told in integers or within a tolerance"""
    arrangements: int | None = None
    error_bound: float = 0.0
    p_interval: tuple[float, float] | None = None
    settled: bool | None = None
    statistic: float | None = None
    df: float | None = None
    assumption: str | None = None
    note: str | None = None
    p_ignoring_clusters: float | None = None
    equivalent: bool | None = None
    """Whether the difference is shown to lie within the margin"""
    a_no_worse: bool | None = None
    b_no_worse: bool | None = None
    """Whether a loss of that system by the margin or more is ruled out"""
    discordant: int = 0
    smallest_p: float = 1.0
    diagnostics: dict[str, Any] = field(default_factory=dict)
    checks: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems, pairs, groups and warnings of one comparison.

    `pair` finds one pair in either order; `verdict` is the finding in words.
    """

    tellapart: str
    signature: str
    alpha: float
    correction: str
    seed: int
    units: dict[str, Any]
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    groups: dict[str, list[list[str]]]
    letters: dict[str, dict[str, str]]
    warnings: tuple[Notice, ...]
    test: str
    tail: str
    metrics: dict[str, dict[str, Any]]
    """Per metric: whether higher is better, and its class"""
    family: dict[str, Any]
    """Size and kind of the family, its experimentwise error, and the level that would keep it"""
    baseline: str | None = None
    margin: float | None = None
    min_confidence: float | None = None
    interval_level: float | None = None

    def pair(self, a: str, b: str, metric: str | None = None) -> PairResult:
        """Return the result of two systems under a metric (the first one if none is named)."""
        metric = metric or next(iter(self.metrics))
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b} and pair.metric == metric:
                return pair
        names = ", ".join(system.name for system in self.systems)
        raise UsageError(
            f"no comparison of {a!r} and {b!r} by {metric!r}; systems are {names}, metrics "
            f"{', '.join(self.metrics)}"
        )

    @property
    def verdict(self) -> str:
        """The finding in a sentence or two."""
        from tellapart.report.verdict import verdict

        return verdict(self)

    def to_json(self) -> str:
        """Return the record as JSON; the same comparison gives the same bytes."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def save_json(self, path: str | Path) -> None:
        """Write the record as JSON: whole or not at all."""
        write_text(path, self.to_json())

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read a record back."""
        try:
            data = json.loads(text)
            systems = tuple(SystemResult(**_ended(each)) for each in data.pop("systems"))
            pairs = tuple(PairResult(**_paired(each)) for each in data.pop("pairs"))
            warnings = tuple(
                Notice(w["code"], w["text"], tuple(w["affected"])) for w in data.pop("warnings")
            )
            return cls(systems=systems, pairs=pairs, warnings=warnings, **data)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise DataError(f"this is no record of a comparison: {problem}") from None


def _ended(system: dict[str, Any]) -> dict[str, Any]:
    return {**system, "intervals": {m: tuple(ends) for m, ends in system["intervals"].items()}}


def _paired(pair: dict[str, Any]) -> dict[str, Any]:
    ends = {key: tuple(pair[key]) for key in ("interval", "p_interval") if pair[key] is not None}
    return {**pair, **ends}
