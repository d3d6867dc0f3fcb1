"""The result of a comparison: one record that feeds every report, and survives JSON unchanged."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tellapart.comparison.columns import Columns, column, constant, rows
from tellapart.comparison.cost_record import Costs
from tellapart.comparison.frames import pairs_frame, systems_frame
from tellapart.comparison.preference_record import Preferences
from tellapart.errors import DataError, Notice, UsageError
from tellapart.registered import registered
from tellapart.significance.cross_checks import Checks, ClusterEffect
from tellapart.significance.diagnostics import Influence
from tellapart.significance.varying_runs import AskedOfRuns
from tellapart.words import json_text, several
from tellapart.writing import refuse_replacing, write_text

if TYPE_CHECKING:
    from tellapart.comparison.analysis import Analysis

MOST_WHOLE = 50_000
"""Tests (pairs × metrics) above which pairs are kept in columns, in memory and in JSON"""
Ends: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters that are exchanged as wholes: what one is called, how many, and the largest."""

    kind: str
    count: int
    largest_share: float
    """The share of all items that the largest cluster holds"""


@dataclass(frozen=True, slots=True)
class Items:
    """The items that systems are compared on: how many, what one is called, and their clusters."""

    count: int
    kind: str
    clusters: Clusters | None = None

    @property
    def exchanged(self) -> Items | Clusters:
        """The clusters that the test exchanges, or the items where there are none."""
        return self.clusters or self


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """A metric as reports know it."""

    higher_is_better: bool
    kind: str
    """``mean``, ``weighted mean``, ``ratio``, ``function of sums`` or ``function of units``"""
    signature: str | None = None
    """The settings of a metric of texts"""
    units: Items | None = None
    """The items that it is of, which may not be those of every metric"""
    direction: str = "own"
    """How it is known which way is better: the metric's ``own``, ``given``, ``named`` (by what the
    value is called) or ``assumed``"""
    cost: bool = False
    """Whether it is what a system spends: money, time, tokens"""


@dataclass(frozen=True, slots=True)
class Family:
    """The tests that are corrected together."""

    size: int
    kind: str
    """``metric``: all pairs of one metric; ``all``: of all metrics"""
    experimentwise_error: float
    """The chance of a false alarm without a correction, if the tests were independent"""
    per_comparison_level: float
    """The level of a single test that would keep it at alpha"""


@dataclass(frozen=True, slots=True)
class SystemResult:
    """A system: its scores and their intervals by metric."""

    name: str
    scores: dict[str, float]
    intervals: dict[str, Ends] = field(default_factory=dict)
    exact_scores: dict[str, str] = field(default_factory=dict)
    """Scores as fractions, where they are ratios of whole numbers"""
    interval_methods: dict[str, str] = field(default_factory=dict)
    """How the intervals were made, by metric"""
    region: dict[str, Ends] = field(default_factory=dict)
    """Of templates, the region of performance: both ends of recall, precision, overgeneration"""


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
    clusters: ClusterEffect | None = None
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
        if self.clusters is not None:
            effect = record["clusters"]
            error = "standard_error_ignoring_clusters"
            written |= {k: v for k, v in effect.items() if v is not None or k == error}
        won = ("resamples_won_by_a", "resamples_won_by_b")
        return written | {key: record[key] for key in won if record[key] is not None}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> PairDiagnostics:
        """Return the diagnostics that JSON has."""
        rest = dict(record)
        effect = {f.name: rest.pop(f.name) for f in fields(ClusterEffect) if f.name in rest}
        influence = rest.pop("influence", None)
        if influence is not None:
            influence = {**influence}
            influence = Influence(influence.pop("unit"), **influence)
        return cls(
            influence=influence,
            half_items=rest.pop("half_units", None),
            clusters=ClusterEffect(**effect) if effect else None,
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
    p_ignoring_clusters: float | None = None
    p_exchange: float | None = None
    """By exchanged outputs, where `auto` tested equal scores by the signs of residuals instead"""
    p_equal_scores: float | None = None
    """By the signs of residuals, as `auto` tests, where outputs were exchanged instead"""
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
    checks: Checks = field(default_factory=Checks)

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


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a suite: how large it is, what it counts for, and how every system does on it."""

    name: str
    units: int
    share: float
    """Its part in the overall score"""
    scores: dict[str, float]
    """By system"""
    score: str | None = None
    """What its score is called, where tasks have different ones"""


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """Systems × tasks by one metric, and how the overall score sums them up."""

    label: str
    """The label that tells the tasks apart"""
    aggregate: str
    """What the overall score is, in words"""
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The question that a comparison answers by one metric, and the answer."""

    question: str
    answer: str
    """``Yes``, ``No`` or ``Cannot tell``"""
    text: str
    """The answer with what belongs to it: ``Yes, if items of the same passage are independent``"""
    condition: str | None = None
    """What the answer supposes beside the p-values"""


@dataclass(frozen=True, slots=True)
class TwoMetrics:
    """How many pairs of systems differ in both of two metrics, in one alone, or in neither."""

    first: str
    second: str
    both: int
    same_ahead: int
    """Of these, the pairs in which one system is ahead by both metrics"""
    first_only: int
    second_only: int
    neither: int


IN_PARTS = "partitions"
"""The code of the notice that items were read part by part"""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Systems, pairs, groups and warnings of one comparison.

    `pair` finds one pair, seen from whichever system is named first; `verdict` is the finding in
    words.

    >>> import tellapart as ta
    >>> result = ta.compare({"item": ["q1", "q2", "q3"], "A": [1, 0, 1], "B": [0, 0, 1]})
    >>> round(result.pair("B", "A").difference, 3), result.pair("B", "A").p
    (-0.333, 1.0)
    """

    tellapart: str
    signature: str
    alpha: float
    correction: str
    seed: int
    units: Items
    systems: tuple[SystemResult, ...]
    pairs: Sequence[PairResult]
    """All of them, by metric; above `MOST_WHOLE`, one is made of columns when it is asked for"""
    groups: dict[str, list[list[str]]]
    letters: dict[str, dict[str, str]]
    warnings: tuple[Notice, ...]
    test: str
    tail: str
    metrics: dict[str, ComparedMetric]
    family: Family
    baseline: str | None = None
    margin: float | None = None
    min_confidence: float | None = None
    interval_level: float | None = None
    runs: AskedOfRuns | None = None
    """Which question is asked of systems with several runs"""
    slices: tuple[Slice, ...] = ()
    """The same differences on parts of the items, where they were asked for"""
    answers: dict[str, Answer] = field(default_factory=dict)
    """Question and answer by metric"""
    ranks: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """By metric and system, the best and the worst place that is not ruled out"""
    suite: dict[str, SuiteTable] = field(default_factory=dict)
    """By metric, the scores of all systems on every task, where there are several tasks"""
    costs: Costs | None = None
    """What systems spend beside how well they do, where metrics are costs"""
    two_metrics: TwoMetrics | None = None
    """Pairs that differ in both of two metrics, or not: recall and precision, if they are there"""
    preferences: Preferences | None = None
    """Where systems were judged side by side: who beat whom, and what the judge likes"""
    evidence: tuple[Analysis, ...] = field(default=(), compare=False, repr=False)
    """The analyses that this is the result of, one for each set of items that metrics are of, for
    reports that show more; not in JSON"""

    @property
    def in_parts(self) -> bool:
        """Whether the items were read part by part, so that no single one can be shown."""
        return any(notice.code == IN_PARTS for notice in self.warnings)

    def analysis_of(self, metric: str) -> Analysis | None:
        """Return the analysis that a metric's results come from; None of a record read back."""
        for each in self.evidence:
            if any(bound.metric.name == metric for bound in each.projection.metrics):
                return each
        return None

    def units_of(self, metric: str) -> Items:
        """Return the items that systems are compared on by one metric."""
        return self.metrics[metric].units or self.units

    def margin_of(self, metric: str) -> float | None:
        """Return the margin that systems are held to by a metric; costs have none beside others."""
        others = any(not each.cost for each in self.metrics.values())
        return None if self.metrics[metric].cost and others else self.margin

    def pair(self, a: str, b: str, metric: str | None = None) -> PairResult:
        """Return the result of a minus b under a metric (the first one if none is named)."""
        metric = metric or next(iter(self.metrics))
        for number, names in enumerate(rows(self.pairs, "a", "b", "metric")):
            if names == (a, b, metric):
                return self.pairs[number]
            if names == (b, a, metric):
                return self.pairs[number].mirrored()
        known = ", ".join(system.name for system in self.systems)
        raise UsageError(
            f"no comparison of {a!r} and {b!r} by {metric!r}; systems are {known}, metrics "
            f"{', '.join(self.metrics)}"
        )

    @property
    def verdict(self) -> str:
        """The finding in a sentence or two for each metric."""
        return str(registered("verdict")(self))

    def __str__(self) -> str:
        return str(registered("text")(self))

    def __repr__(self) -> str:
        systems = several(len(self.systems), "system")
        pairs = several(len(self.pairs) // len(self.metrics), "pair")
        return f"<Comparison: {systems}, {pairs}, by {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: answer, picture and pairs, without script."""
        return str(registered("notebook")(self))

    def figure(self, name: str = "systems", metric: str | None = None) -> Any:
        """Return a figure, by the first metric unless another is named.

        It is `systems`, `matrix`, `p-values` (of three systems or more), `groups`, `tasks` (of a
        suite) or `plane` (recall and precision); a notebook shows it, and `save` writes SVG, PDF or
        PNG.
        """
        return registered("figure")(self, name, metric)

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each system and metric: of pandas, if installed.

        `library` is ``pandas``, ``polars`` or ``pyarrow``.
        """
        return systems_frame(self, library)

    def pairs_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each pair and metric, like `to_frame`."""
        return pairs_frame(self, library)

    def to_json(self) -> str:
        """Return the record as JSON; the same comparison gives the same bytes."""
        record = asdict(replace(self, evidence=(), pairs=()))
        del record["evidence"]
        if isinstance(self.pairs, Columns):
            record["pairs"] = _columns_json(self.pairs, [each.name for each in self.systems])
        else:
            record["pairs"] = [_pair_json(pair) for pair in self.pairs]
        record["metrics"] = {name: _metric_json(each) for name, each in self.metrics.items()}
        return json_text(record)

    def save_json(self, path: str | Path) -> None:
        """Write the record as JSON: whole or not at all."""
        self._save(path, self.to_json())

    def save_html(self, path: str | Path) -> None:
        """Write the whole report as one page: whole or not at all."""
        self._save(path, registered("page")(self))

    def _save(self, path: str | Path, text: str) -> None:
        refuse_replacing([path], [name for each in self.evidence for name in each.counts.files])
        write_text(path, text)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Return the comparison that JSON holds."""
        try:
            data = json.loads(text)
            data.pop("sensitivity", None)  # a table beside the record
            return cls(**{**data, **_records(data)})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise DataError(f"this is no record of a comparison: {problem}") from None


def _pair_json(pair: PairResult) -> dict[str, Any]:
    written = asdict(pair)
    written["diagnostics"] = pair.diagnostics.to_record()
    written["checks"] = pair.checks.to_record()
    return written


def _columns_json(pairs: Columns[PairResult], systems: Sequence[str]) -> dict[str, Any]:
    """Return pairs in columns: what all have in common, what they differ in, and those shown.

    The columns `a` and `b` hold places in `systems`. Those that are shown are whole, with their
    places among the pairs.
    """
    details = ("diagnostics", "checks")
    none = PairDiagnostics()
    shown = [k for k, each in enumerate(pairs.values("diagnostics")) if each != none]
    place = {name: k for k, name in enumerate(systems)}
    same: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {}
    for name in pairs.names:
        if name in details or name.startswith("interval"):
            continue
        values = pairs.values(name)
        if name in ("a", "b"):
            columns[name] = [place[each] for each in values]
        elif all(each == values[0] for each in values):
            same[name] = values[0]
        else:
            columns[name] = values
    whole = [{"number": k, **_pair_json(pairs[k])} for k in shown]
    return {"count": len(pairs), "same": same, "columns": columns, "shown": whole}


def _columns_of(written: dict[str, Any], systems: Sequence[str]) -> Columns[PairResult]:
    """Return the pairs that JSON holds in columns."""
    names, count = np.array(systems, object), int(written["count"])
    found = {name: constant(value, count) for name, value in written["same"].items()}
    found |= {name: column(values) for name, values in written["columns"].items()}
    found |= {name: names[np.array(written["columns"][name], np.int64)] for name in ("a", "b")}
    if "p_interval" in written["columns"]:
        ends = (None if each is None else tuple(each) for each in written["columns"]["p_interval"])
        found["p_interval"] = column(ends)
    shown = [(each["number"], _pair(_without(each, "number"))) for each in written["shown"]]
    for name in ("interval", "interval_method", "interval_for", "interval_level",
                 "diagnostics", "checks"):  # fmt: skip
        empty = Columns(PairResult, {**found, "interval": constant(None, count)}, count)
        values = empty.values(name)
        for number, pair in shown:
            values[number] = getattr(pair, name)
        found[name] = column(values)
    return Columns(PairResult, found, count)


def _without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def _metric_json(metric: ComparedMetric) -> dict[str, Any]:
    written: dict[str, Any] = {
        "higher_is_better": metric.higher_is_better,
        "direction": metric.direction,
        "class": metric.kind,
    }
    if metric.signature is not None:
        written["signature"] = metric.signature
    if metric.cost:
        written["cost"] = True
    return written if metric.units is None else {**written, "units": asdict(metric.units)}


def _records(data: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a JSON record that are records of their own."""
    return {
        "units": _items(data["units"]),
        "systems": tuple(SystemResult(**_ended(each)) for each in data["systems"]),
        "pairs": _columns_of(data["pairs"], [each["name"] for each in data["systems"]])
        if isinstance(data["pairs"], dict)
        else tuple(_pair(each) for each in data["pairs"]),
        "warnings": tuple(
            Notice(each["code"], each["text"], tuple(each["affected"])) for each in data["warnings"]
        ),
        "metrics": {
            name: ComparedMetric(
                each["higher_is_better"],
                each["class"],
                each.get("signature"),
                _items(units) if (units := each.get("units")) is not None else None,
                each.get("direction", "own"),
                each.get("cost", False),
            )
            for name, each in data["metrics"].items()
        },
        "family": Family(**data["family"]),
        "runs": AskedOfRuns(**runs) if (runs := data.get("runs")) is not None else None,
        "slices": tuple(Slice(**_paired(each)) for each in data["slices"]),
        "answers": {metric: Answer(**each) for metric, each in data.get("answers", {}).items()},
        "ranks": {
            metric: {name: (best, worst) for name, (best, worst) in each.items()}
            for metric, each in data.get("ranks", {}).items()
        },
        "suite": {metric: _suite(each) for metric, each in data.get("suite", {}).items()},
        "costs": Costs.from_record(costs) if (costs := data.get("costs")) else None,
        "two_metrics": TwoMetrics(**two) if (two := data.get("two_metrics")) else None,
        "preferences": Preferences.from_record(judged)
        if (judged := data.get("preferences")) is not None
        else None,
    }


def _suite(written: dict[str, Any]) -> SuiteTable:
    return SuiteTable(**{**written, "tasks": tuple(Task(**each) for each in written["tasks"])})


def _items(written: dict[str, Any]) -> Items:
    clusters = None if written["clusters"] is None else Clusters(**written["clusters"])
    return Items(**{**written, "clusters": clusters})


def _pair(written: dict[str, Any]) -> PairResult:
    diagnostics = PairDiagnostics.from_record(written["diagnostics"])
    checks = Checks.from_record(written["checks"])
    noise = Noise(**found) if (found := written.get("noise")) is not None else None
    return PairResult(
        **{**_paired(written), "diagnostics": diagnostics, "checks": checks, "noise": noise}
    )


def _ended(system: dict[str, Any]) -> dict[str, Any]:
    ends = {
        key: {metric: tuple(each) for metric, each in system.get(key, {}).items()}
        for key in ("intervals", "region")
    }
    return {**system, **ends}


def _paired(pair: dict[str, Any]) -> dict[str, Any]:
    intervals = ("interval", "p_interval")
    ends = {key: tuple(pair[key]) for key in intervals if pair.get(key) is not None}
    return {**pair, **ends}
