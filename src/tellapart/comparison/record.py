"""The result of a comparison: one record that feeds every report, and survives JSON unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.comparison.columns import rows
from tellapart.comparison.frames import pairs_frame, systems_frame
from tellapart.comparison.pair_record import (
    Ends,
    PairResult,
    Slice,
    pairs_from_json,
    pairs_to_json,
    slice_from_json,
)
from tellapart.errors import DataError, Notice, UsageError
from tellapart.registered import registered
from tellapart.significance.varying_runs import AskedOfRuns
from tellapart.words import json_text, several
from tellapart.writing import refuse_replacing, write_text

if TYPE_CHECKING:
    from tellapart.comparison.analysis import Analysis
    from tellapart.comparison.preference_record import Preferences


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


MOST_WHOLE = 50_000
"""Tests (pairs × metrics) above which pairs are kept in columns, in memory and in JSON"""


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
    """The tests that are corrected together: all pairs of one metric."""

    size: int
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
        record["pairs"] = pairs_to_json(self.pairs, [each.name for each in self.systems])
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
            return cls(**{**data, **_records(data)})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise DataError(f"this is no record of a comparison: {problem}") from None


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
        "pairs": pairs_from_json(data["pairs"], [each["name"] for each in data["systems"]]),
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
        "slices": tuple(slice_from_json(each) for each in data["slices"]),
        "answers": {metric: Answer(**each) for metric, each in data.get("answers", {}).items()},
        "ranks": {
            metric: {name: (best, worst) for name, (best, worst) in each.items()}
            for metric, each in data.get("ranks", {}).items()
        },
        "suite": {metric: _suite(each) for metric, each in data.get("suite", {}).items()},
        "costs": Costs.from_record(costs) if (costs := data.get("costs")) else None,
        "two_metrics": TwoMetrics(**two) if (two := data.get("two_metrics")) else None,
        "preferences": _preferences(data.get("preferences")),
    }


def _preferences(written: dict[str, Any] | None) -> Preferences | None:
    from tellapart.comparison.preference_record import Preferences

    return None if written is None else Preferences.from_record(written)


def _suite(written: dict[str, Any]) -> SuiteTable:
    return SuiteTable(**{**written, "tasks": tuple(Task(**each) for each in written["tasks"])})


def _items(written: dict[str, Any]) -> Items:
    clusters = None if written["clusters"] is None else Clusters(**written["clusters"])
    return Items(**{**written, "clusters": clusters})


def _ended(system: dict[str, Any]) -> dict[str, Any]:
    ends = {
        key: {metric: tuple(each) for metric, each in system.get(key, {}).items()}
        for key in ("intervals", "region")
    }
    return {**system, **ends}
