"""The result of one pair of systems: its test, interval, diagnostics and slices, and their JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from tellapart.comparison.columns import Columns, column, constant
from tellapart.registered import registered
from tellapart.significance.diagnostics import Influence

Ends: TypeAlias = tuple[float | None, float | None]
"""The ends of an interval; None where it is open"""


@dataclass(frozen=True, slots=True)
class PairDiagnostics:
    """Diagnostics of one pair that help to judge its test."""

    r12: float | None = None
    """Correlation of the systems over items"""
    inflation: float | None = None
    """The factor by which assuming independence overstates the difference's standard deviation"""
    influence: Influence | None = None
    half_items: int | None = None
    """The smallest number of items that make up half of the difference"""
    detectable: float | None = None
    """The difference that would be found four times out of five, were the pair the only one"""
    standard_error: float | None = None
    detectable_corrected: float | None = None
    """The same with all tests counted"""
    detectable_missing: str | None = None
    """Why that is not told, where it is not: ``few-differing``, ``few-items``, …"""
    resamples_won_by_a: float | None = None
    resamples_won_by_b: float | None = None
    """Instead of the other, in a pair that is seen from its second system"""

    def mirrored(self) -> PairDiagnostics:
        """Return the same seen from the second system."""
        influence = self.influence
        if influence is not None:
            influence = replace(influence, difference_without=-influence.difference_without)
        return replace(
            self,
            influence=influence,
            resamples_won_by_a=self.resamples_won_by_b,
            resamples_won_by_b=self.resamples_won_by_a,
        )

    def to_record(self) -> dict[str, Any]:
        """Return the diagnostics as JSON has them."""
        record = asdict(self)
        record["half_units"] = record.pop("half_items")
        if self.influence is not None:
            record["influence"] = {"unit": record["influence"].pop("item"), **record["influence"]}
        always = (
            "r12",
            "inflation",
            "influence",
            "half_units",
            "detectable",
            "detectable_corrected",
            "detectable_missing",
            "standard_error",
        )
        written = {key: record[key] for key in always}
        won = ("resamples_won_by_a", "resamples_won_by_b")
        return written | {key: record[key] for key in won if record[key] is not None}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> PairDiagnostics:
        """Return the diagnostics that JSON has."""
        rest = dict(record)
        influence = rest.pop("influence", None)
        if influence is not None:
            influence = {**influence}
            influence = Influence(influence.pop("unit"), **influence)
        return cls(
            influence=influence,
            half_items=rest.pop("half_units", None),
            **rest,
        )


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of a difference when items and runs both could be others."""

    items: float
    """The standard error that other items alone would give"""
    runs: float
    """The standard error that other runs alone would give"""
    chance: float
    """The standard error of single answers, which come out now so, now so"""
    helps: str
    """What would shrink the noise more if there were twice as much of it: ``items``, ``runs`` or
    ``either``, alike"""

    @property
    def shares(self) -> tuple[float, float, float]:
        """The shares of items, runs and chance in the variance.

        >>> Noise(items=0.01, runs=0.02, chance=0.0, helps="runs").shares
        (0.2, 0.8, 0.0)
        """
        parts = (self.items**2, self.runs**2, self.chance**2)
        whole = math.fsum(parts) or 1.0
        first, second, third = (part / whole for part in parts)
        return first, second, third


@dataclass(frozen=True, slots=True, repr=False)
class PairResult:
    """A pair of systems under one metric; differences are first minus second.

    >>> import tellapart as ta
    >>> result = ta.compare(ta.example("muc4").systems["GE", "SYNCH"], metrics="f1")
    >>> pair = result.pair("GE", "SYNCH")
    >>> round(pair.difference, 3), pair.p < 0.001, pair.different
    (0.515, True, True)
    """

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
    favours: str | None = None
    """The system that the test speaks for: with signs or ranks not always the higher scorer"""
    claim: str | None = None
    """The claim that a one-sided test was asked to show"""
    how: str | None = None
    interval_method: str | None = None
    interval_for: str | None = None
    """What the interval holds for: ``pair`` (this pair alone), ``all`` (all pairs of the family at
    once) or ``margin`` (it decides the margin)"""
    interval_level: float | None = None
    """The level at which it does"""
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
    equal_scores: bool = False
    """Whether equal scores were tested by flipping signs of residuals, not exchanged outputs"""
    equivalent: bool | None = None
    """Whether the difference is shown to lie within the margin"""
    a_no_worse: bool | None = None
    b_no_worse: bool | None = None
    """Whether a loss of that system by the margin or more is ruled out"""
    p_a_no_worse: float | None = None
    p_b_no_worse: float | None = None
    """The one-sided p of those two claims"""
    p_a_no_worse_adjusted: float | None = None
    p_b_no_worse_adjusted: float | None = None
    """The same, corrected for all candidates: what decides"""
    discordant: int = 0
    smallest_p: float | None = None
    """The smallest p that any outcome on so many discordant items could have"""
    n: int | None = None
    """The number of items that an analytic test used"""
    noise: Noise | None = None
    """Where it comes from, if runs speak for their systems"""
    p_these_runs: float | None = None
    """Beside such a p: the one of these very runs"""
    diagnostics: PairDiagnostics = PairDiagnostics()

    @property
    def holds_zero(self) -> bool:
        """Whether 0 is in the interval; an end at 0 is open where the test decides."""
        low, high = self.interval or (None, None)
        inside = (low is None or low < 0) and (high is None or high > 0)
        return inside or (0 in (low, high) and not self.different)

    def __str__(self) -> str:
        return str(registered("pair_line")(self))

    def __repr__(self) -> str:
        return f"<PairResult: {self}>"

    def other(self, name: str) -> str:
        """Return the partner of one of the two systems."""
        return self.b if self.a == name else self.a

    def better_first(self, *, higher_is_better: bool) -> PairResult:
        """Return the pair with the better score first, as reports show it.

        Equal scores are in the order of names; a one-sided test keeps the order of the record.
        """
        behind = self.difference < 0 if higher_is_better else self.difference > 0
        behind |= self.difference == 0 and self.b < self.a
        return self.mirrored() if behind and self.tail == "two" else self

    def mirrored(self) -> PairResult:
        """Return the same result seen from the second system: second minus first."""
        exact = self.exact_difference
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=0.0 - self.difference,
            interval=None if self.interval is None else _mirrored(self.interval),
            tail={"greater": "less", "less": "greater"}.get(self.tail, self.tail),
            exact_difference=None if exact is None else str(-Fraction(exact)),
            units_a_better=self.units_b_better,
            units_b_better=self.units_a_better,
            a_no_worse=self.b_no_worse,
            b_no_worse=self.a_no_worse,
            p_a_no_worse=self.p_b_no_worse,
            p_b_no_worse=self.p_a_no_worse,
            p_a_no_worse_adjusted=self.p_b_no_worse_adjusted,
            p_b_no_worse_adjusted=self.p_a_no_worse_adjusted,
            diagnostics=self.diagnostics.mirrored(),
        )


def _mirrored(ends: Ends) -> Ends:
    low, high = ends
    return None if high is None else 0.0 - high, None if low is None else 0.0 - low


@dataclass(frozen=True, slots=True)
class Slice:
    """A pair on the items of one kind: exploratory, with a correction over the kinds."""

    by: str
    """The label that tells the kinds apart"""
    value: str
    a: str
    b: str
    metric: str
    units: int
    difference: float
    interval: Ends | None
    p: float | None
    p_adjusted: float | None
    different: bool
    clusters: int | None = None
    """The number of clusters that these items are in, where whole clusters are exchanged"""
    interval_method: str | None = None
    interval_for: str | None = None
    interval_level: float | None = None

    def mirrored(self) -> Slice:
        """Return the same seen from the second system: second minus first."""
        interval = None if self.interval is None else _mirrored(self.interval)
        return replace(
            self, a=self.b, b=self.a, difference=0.0 - self.difference, interval=interval
        )


def pairs_to_json(pairs: Sequence[PairResult], systems: Sequence[str]) -> Any:
    """Return pairs as the record has them: a list, or columns where they are kept in columns."""
    if isinstance(pairs, Columns):
        return _columns_to_json(pairs, systems)
    return [_pair_to_json(pair) for pair in pairs]


def pairs_from_json(written: Any, systems: Sequence[str]) -> Sequence[PairResult]:
    """Return the pairs that a record holds."""
    if isinstance(written, dict):
        return _columns_from_json(written, systems)
    return tuple(_pair_from_json(each) for each in written)


def slice_from_json(written: dict[str, Any]) -> Slice:
    """Return the slice that a record holds."""
    return Slice(**_with_ends(written))


def _pair_to_json(pair: PairResult) -> dict[str, Any]:
    written = asdict(pair)
    written["diagnostics"] = pair.diagnostics.to_record()
    return written


def _columns_to_json(pairs: Columns[PairResult], systems: Sequence[str]) -> dict[str, Any]:
    """Return pairs in columns: what all have in common, what they differ in, and those shown.

    The columns `a` and `b` hold places in `systems`. Those that are shown are whole, with their
    places among the pairs.
    """
    none = PairDiagnostics()
    shown = [k for k, each in enumerate(pairs.values("diagnostics")) if each != none]
    place = {name: k for k, name in enumerate(systems)}
    same: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {}
    for name in pairs.names:
        if name == "diagnostics" or name.startswith("interval"):
            continue
        values = pairs.values(name)
        if name in ("a", "b"):
            columns[name] = [place[each] for each in values]
        elif all(each == values[0] for each in values):
            same[name] = values[0]
        else:
            columns[name] = values
    whole = [{"number": k, **_pair_to_json(pairs[k])} for k in shown]
    return {"count": len(pairs), "same": same, "columns": columns, "shown": whole}


def _columns_from_json(written: dict[str, Any], systems: Sequence[str]) -> Columns[PairResult]:
    """Return the pairs that JSON holds in columns."""
    names, count = np.array(systems, object), int(written["count"])
    found = {name: constant(value, count) for name, value in written["same"].items()}
    found |= {name: column(values) for name, values in written["columns"].items()}
    found |= {name: names[np.array(written["columns"][name], np.int64)] for name in ("a", "b")}
    if "p_interval" in written["columns"]:
        ends = (None if each is None else tuple(each) for each in written["columns"]["p_interval"])
        found["p_interval"] = column(ends)
    shown = [
        (each["number"], _pair_from_json(_without(each, "number"))) for each in written["shown"]
    ]
    for name in ("interval", "interval_method", "interval_for", "interval_level", "diagnostics"):
        empty = Columns(PairResult, {**found, "interval": constant(None, count)}, count)
        values = empty.values(name)
        for number, pair in shown:
            values[number] = getattr(pair, name)
        found[name] = column(values)
    return Columns(PairResult, found, count)


def _without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def _pair_from_json(written: dict[str, Any]) -> PairResult:
    diagnostics = PairDiagnostics.from_record(written["diagnostics"])
    noise = Noise(**found) if (found := written.get("noise")) is not None else None
    return PairResult(**{**_with_ends(written), "diagnostics": diagnostics, "noise": noise})


def _with_ends(pair: dict[str, Any]) -> dict[str, Any]:
    intervals = ("interval", "p_interval")
    ends = {key: tuple(pair[key]) for key in intervals if pair.get(key) is not None}
    return {**pair, **ends}
