"""The result of a comparison: few frozen records, one generic encoder, and JSON that reads back.

Pairs are stored in the order in which systems were given: one-sided tests and margins speak of it.
Reports turn them once (`Pair.turned`). Records hold codes and numbers; sentences are made in
`report`. No record holds a data set.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias, TypeVar, get_args, get_origin

from tellapart.errors import DataError, UsageError
from tellapart.stats.judges import Bias
from tellapart.stats.runs import Spread
from tellapart.words import json_text, nearest

Ends: TypeAlias = tuple[float | None, float | None]
"""The ends of an interval; None where it is open"""
Record = TypeVar("Record")


def _turned(ends: Ends | None) -> Ends | None:
    """Return the ends of a difference the other way round."""
    if ends is None:
        return None
    low, high = (None if end is None else 0.0 - end for end in ends)  # not -0
    return high, low


@dataclass(frozen=True, slots=True)
class Items:
    """The items that systems are compared on."""

    count: int
    kind: str
    cluster: str | None = None
    """What a cluster is called, where items hang together and are exchanged as a whole"""
    clusters: int | None = None
    apart: tuple[int, ...] | None = None
    """How many each system has, where no two have one in common"""

    @property
    def exchanged(self) -> Items:
        """The clusters that the test exchanges, or the items where there are none."""
        if self.cluster is None or self.clusters is None:
            return self
        return Items(self.clusters, self.cluster)


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric as reports know it."""

    higher_is_better: bool
    kind: str
    """``mean``, ``weighted mean``, ``ratio`` or ``function of sums``"""
    items: Items
    signature: str | None = None
    """The settings of a metric of texts"""
    direction: str = "own"
    """How it is known which way is better: its ``own``, ``given``, ``named`` or ``assumed``"""
    cost: bool = False
    """Whether it is what a system spends: money, time, tokens"""
    decimals: int = 3
    """Of its numbers in reports: so many that its narrowest interval has two digits"""


def decimals_for(widths: Iterable[float]) -> int:
    """Return how many decimals show two digits of the least of some widths, and three at least.

    >>> decimals_for([0.06, 0.0007]), decimals_for([0.2, 0.0]), decimals_for([])
    (5, 3, 3)
    """
    least = min((width for width in widths if width > 1e-11), default=1.0)
    return max(3, 1 - math.floor(math.log10(least)))


@dataclass(frozen=True, slots=True)
class System:
    """A system: its scores and their intervals by metric."""

    name: str
    scores: dict[str, float]
    intervals: dict[str, Ends] = field(default_factory=dict)
    interval_methods: dict[str, str] = field(default_factory=dict)
    exact_scores: dict[str, str] = field(default_factory=dict)
    """Scores as fractions, where they are ratios of whole numbers"""
    region: dict[str, Ends] = field(default_factory=dict)
    """Of templates, the region of performance between strict and lenient counting"""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Figures that help to judge the test of a pair."""

    standard_error: float | None = None
    """Of the difference, over items (clusters)"""
    detectable: float | None = None
    """The difference that would be found four times out of five, with all tests counted"""
    detectable_missing: str | None = None
    """Why that is not told, as a code"""


@dataclass(frozen=True, slots=True, repr=False)
class Pair:
    """Two systems under one metric: the difference first minus second, and how sure it is.

    >>> import tellapart as ta
    >>> pair = ta.compare([1, 1, 1, 0, 1], [0, 1, 0, 0, 0]).pair("a", "b")
    >>> pair.difference, pair.p, pair.items_a_better
    (0.6, 0.25, 3)
    """

    a: str
    b: str
    metric: str
    difference: float
    p: float | None
    """None where the test is undefined; `reason` says why"""
    p_adjusted: float | None
    different: bool
    """Whether the adjusted p is at most alpha (and sure enough, where that was asked)"""
    favours: str | None
    """The system that the test speaks for: by the difference, or by signs and ranks"""
    level: float
    """What p is compared with, given the p-values of the other pairs"""
    sign: int = 0
    """Of the test: 0 two-sided, 1 if the first is claimed to be better, -1 if worse"""
    method: str = ""
    shuffles: int | None = None
    """How many were drawn; None where nothing was"""
    exceedances: int | None = None
    arrangements: int | None = None
    error: float = 0.0
    """How much smaller the exact p may be"""
    settled: bool | None = None
    """Whether it is clear on which side of its level the exact p is"""
    sequential: bool = False
    """Whether shuffles were drawn until that was clear, so that p is an estimate"""
    statistic: float | None = None
    df: float | None = None
    reason: str | None = None
    confidence: float | None = None
    """How sure it is that the exact p is at most alpha, uncorrected, given what was drawn"""
    p_interval: tuple[float, float] | None = None
    interval: Ends | None = None
    interval_method: str | None = None
    interval_level: float | None = None
    """Of the interval; where it holds for all pairs at once, the level is that of all"""
    simultaneous: bool = False
    differing: int = 0
    """On how many items (clusters) the systems differ"""
    items_a_better: int = 0
    items_b_better: int = 0
    items_tied: int = 0
    a_no_worse: bool | None = None
    """Whether a loss of the first system beyond the margin is ruled out; None without a margin"""
    b_no_worse: bool | None = None
    p_a_no_worse: float | None = None
    p_b_no_worse: float | None = None
    p_a_adjusted: float | None = None
    p_b_adjusted: float | None = None
    spread: Spread | None = None
    """Where the uncertainty comes from, if systems have runs or conditions"""
    diagnostics: Diagnostics = Diagnostics()

    def __repr__(self) -> str:
        p = "no test" if self.p is None else f"p = {self.p:.3g}"
        if self.p_adjusted not in (None, self.p):
            p += f", adjusted {self.p_adjusted:.3g}"
        return f"<Pair: {self.a} − {self.b} by {self.metric}: {self.difference:+.3f} ({p})>"

    @property
    def equivalent(self) -> bool | None:
        """Whether neither loses more than the margin."""
        return self.a_no_worse and self.b_no_worse

    def other(self, name: str) -> str:
        """Return the other one of the two systems."""
        return self.b if name == self.a else self.a

    def turned(self) -> Pair:
        """Return the same pair seen from its second system."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=0.0 - self.difference,  # not -0
            sign=-self.sign,
            statistic=None if self.statistic is None else 0.0 - self.statistic,
            interval=_turned(self.interval),
            items_a_better=self.items_b_better,
            items_b_better=self.items_a_better,
            a_no_worse=self.b_no_worse,
            b_no_worse=self.a_no_worse,
            p_a_no_worse=self.p_b_no_worse,
            p_b_no_worse=self.p_a_no_worse,
            p_a_adjusted=self.p_b_adjusted,
            p_b_adjusted=self.p_a_adjusted,
            spread=None if self.spread is None else self.spread.turned(),
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """The difference of a pair on a part of the items."""

    by: str
    value: str
    a: str
    b: str
    metric: str
    items: int
    difference: float
    p: float | None
    p_adjusted: float | None
    different: bool
    scores: tuple[float, float]
    interval: Ends | None = None

    def turned(self) -> Slice:
        """Return the same seen from the second system."""
        return replace(
            self, a=self.b, b=self.a, difference=0.0 - self.difference, scores=self.scores[::-1],
            interval=_turned(self.interval),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """The question that a comparison answers by one metric, and the answer: codes and names."""

    question: str
    """``best``, ``baseline``, ``claim``, ``margin``, ``equivalent``; of one system ``at-least`` or
    ``score``"""
    answer: str
    """``Yes``, ``No`` or ``Cannot tell``; empty where how good one system is, is asked: its score
    and interval say it"""
    about: tuple[str, ...] = ()
    """The systems that the question names"""
    shown: tuple[str, ...] = ()
    """The systems, or pairs, of which it is shown"""
    tried: int = 1
    """How many it was asked of"""
    conditions: tuple[str, ...] = ()
    """Codes of what the answer supposes"""
    p: float | None = None
    """Of the claim that a system is the best of all: the largest p of its pairs, uncorrected"""
    at_least: dict[str, str] = field(default_factory=dict)
    """By system: whether its score is shown to reach the bar (Yes) or not to (No)"""
    more_items: int | None = None
    """Where it cannot tell: about how many more items (clusters) would, if the true difference of
    the pair that it is about is the observed one; of a loss within a margin, unless that is shown,
    if there is none"""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader has to know: a stable code, and its names and numbers."""

    code: str
    about: tuple[str, ...] = ()
    """The systems, pairs, metrics or labels that it is about"""
    numbers: dict[str, Any] = field(default_factory=dict)
    text: str | None = None
    """The sentence of a reader of files; comparisons make none"""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a suite: how large it is, what it counts for, and how every system does on it."""

    name: str
    items: int
    share: float
    """Its part in the overall score"""
    scores: dict[str, float]
    """By system"""
    score: str | None = None
    """What its score is called, where tasks have different ones"""


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """Systems × tasks by one metric."""

    label: str
    """The label that tells the tasks apart"""
    aggregate: str
    """What the overall score is, in words"""
    tasks: tuple[Task, ...]


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


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two systems on the prompts on which they met; wins are those of `a`."""

    a: str
    b: str
    items: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    """The share of points of a: 1 for a win, 1/2 for a tie, or between where judgments differ"""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What was judged side by side: who beat whom, the orders, and whether one scale fits."""

    judgments: int
    items: int
    """Prompts"""
    orders: str
    """``both`` on every prompt, so that places cancel; ``mixed``, ``one`` or ``unknown``"""
    head_to_head: tuple[HeadToHead, ...]
    reference: str | None = None
    """The system that all others were held against, where it is not itself compared"""
    first_place: Bias | None = None
    longer: Bias | None = None
    scale: str | None = None
    """``bradley_terry`` or ``elo``, where many systems are put on one scale"""


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """How an automatic judge does on one system, by the items that people looked at."""

    name: str
    labels: int
    """Items that people looked at"""
    judge: float
    """The judge's mean, over all items"""
    people: float
    """People's mean, over the labelled items"""
    people_interval: Ends
    worth: float
    """Labels that, without a judge, would tell the score as well"""
    bias: float | None
    """Judge minus people; None where they use different scales"""
    bias_interval: Ends | None
    agreement: dict[str, float | None]
    """Share of equal scores, kappa, correlation, sensitivity and specificity, each with the ends of
    its interval"""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What the judge alone says of a pair, and whom it favours."""

    a: str
    b: str
    judge: Pair
    """The pair as the judge's scores alone show it, by the same correction"""
    worth: float
    favour: float | None
    """The judge's excess over people on the first system, less that on the second; None where
    judge and people use different scales"""
    favoured: str | None
    """The system that the judge is shown to favour"""


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores of a judge on all items, corrected by people's on some (prediction-powered)."""

    judge: str
    """The name of the judge's score"""
    people: str
    """The name of people's score"""
    labelled: int
    systems: tuple[JudgedSystem, ...]
    pairs: tuple[JudgedPair, ...]


@dataclass(frozen=True, slots=True)
class RunsInfo:
    """Systems with several runs or conditions, and which question is asked of them."""

    vary: bool
    """Whether runs stand for their systems, so that they could be others"""
    runs: dict[str, int]
    """The number of runs of each system"""
    why_fixed: str | None = None
    """``option``, ``test``, ``correction``, ``confidence``, ``single`` or ``missing``"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems, pairs, groups, answers and notices of one comparison.

    >>> import tellapart as ta
    >>> record = ta.compare([1, 1, 1, 0, 1], [0, 1, 0, 0, 0]).record
    >>> record.systems[0].scores, record.answers["mean"].answer
    ({'mean': 0.8}, 'Cannot tell')
    """

    tellapart: str
    """The version"""
    signature: str
    """Everything that a number depends on, in one line"""
    test: str
    tail: str
    alpha: float
    correction: str
    seed: int
    family_size: int
    """How many tests were corrected together, by each metric"""
    items: Items
    metrics: dict[str, MetricInfo]
    systems: tuple[System, ...]
    pairs: tuple[Pair, ...]
    """All that were tested, by metric"""
    groups: dict[str, list[list[str]]] = field(default_factory=dict)
    """By metric, the groups of systems that are not shown to differ"""
    letters: dict[str, dict[str, str]] = field(default_factory=dict)
    ranks: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """By metric and system, the best and the worst place that is not ruled out"""
    answers: dict[str, Answer] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    baseline: str | None = None
    margin: float | None = None
    at_least: float | None = None
    """The score that each system has to reach"""
    cannot_tell: str | None = None
    """Whether a build check that cannot tell passes (``pass``) or not (``fail``), if it was said"""
    min_confidence: float | None = None
    confidence_level: float | None = None
    """Of intervals; None where there are none"""
    runs: RunsInfo | None = None
    slices: tuple[Slice, ...] = ()
    suite: dict[str, SuiteTable] = field(default_factory=dict)
    two_metrics: TwoMetrics | None = None
    preferences: Preferences | None = None
    """Where systems were judged side by side: who beat whom, and what the judge likes"""
    judged: Judged | None = None
    """Where a judge's scores of all items were corrected by people's of some"""

    def pair(self, a: str, b: str, metric: str | None = None) -> Pair:
        """Return the result of a minus b under a metric (the first one if none is named)."""
        metric = metric or next(iter(self.metrics))
        for pair in self.pairs:
            if pair.metric == metric and {pair.a, pair.b} == {a, b} and a != b:
                return pair if pair.a == a else pair.turned()
        names = [system.name for system in self.systems]
        for name in (a, b):
            if name not in names:
                raise UsageError(f"there is no system {name!r}; {nearest(name, names)}")
        if metric not in self.metrics:
            raise UsageError(
                f"there is no metric {metric!r}; {nearest(metric, list(self.metrics))}"
            )
        raise UsageError(f"{a} and {b} were not compared by {metric}")

    def pairs_of(self, metric: str) -> list[Pair]:
        """Return the pairs of one metric."""
        return [pair for pair in self.pairs if pair.metric == metric]

    def margin_of(self, metric: str) -> float | None:
        """Return the margin that systems are held to by a metric; costs have none beside others."""
        return None if self.is_side(metric) else self.margin

    def bar_of(self, metric: str) -> float | None:
        """Return what systems have to reach by a metric; costs have no bar beside others."""
        return None if self.is_side(metric) else self.at_least

    def is_side(self, metric: str) -> bool:
        """Return whether a metric is a cost beside others that are none."""
        others = any(not info.cost for info in self.metrics.values())
        return self.metrics[metric].cost and others

    def to_json(self) -> str:
        """Return the record as JSON; the same comparison gives the same bytes."""
        return json_text(encoded(self))

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Return the comparison that JSON holds."""
        try:
            return decoded(cls, json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise DataError(f"this is no record of a comparison: {problem}") from None


@cache
def version() -> str:
    """Return our version, for which Python reads a file and parses it as if it were mail."""
    return importlib.metadata.version("tellapart")


def encoded(value: Any) -> Any:
    """Return a record as plain dictionaries, lists and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (each.name for each in dataclasses.fields(value))
        return {name: encoded(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): encoded(content) for key, content in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [encoded(content) for content in value]
    return value


def decoded(kind: type[Record], written: Mapping[str, Any]) -> Record:
    """Return the record of a type that plain dictionaries hold; unknown keys are ignored."""
    hints = typing.get_type_hints(kind)
    names = (each.name for each in dataclasses.fields(kind))  # type: ignore[arg-type]
    return kind(**{name: _value(hints[name], written[name]) for name in names if name in written})


def _value(hint: Any, written: Any) -> Any:
    """Return a JSON value as the type that a field declares."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if written is None:
            return None
        return _value(next(arg for arg in arguments if arg is not type(None)), written)
    if dataclasses.is_dataclass(hint):
        return decoded(typing.cast(type[Any], hint), written)
    if origin is tuple:
        kinds = [arguments[0]] * len(written) if arguments[-1] is Ellipsis else arguments
        return tuple(_value(arg, content) for arg, content in zip(kinds, written, strict=True))
    if origin is list:
        return [_value(arguments[0], content) for content in written]
    if origin is dict:
        return {key: _value(arguments[1], content) for key, content in written.items()}
    return written
