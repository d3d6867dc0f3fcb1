"""Plans: the smallest difference that a test set can show, and how many items another one takes.

A plan rests on a pilot, on assumed scores, on labels that people gave beside a judge, or on how
many answers change; all figures come from the one power function (`stats.power`). What is counted
are units, which the test exchanges: items, or clusters of them; beside a judge, labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tellapart.comparison.diagnostics import (
    pilot_for_margins,
    pilot_of_items,
    pilot_of_runs,
    round_off,
)
from tellapart.comparison.items import two_of
from tellapart.comparison.judged import judged_values
from tellapart.comparison.options import Options
from tellapart.comparison.record import encoded, version
from tellapart.comparison.scored import cells_of, score_metrics, sources_of, spread_of
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric
from tellapart.metrics.scores import Scores, metrics_of
from tellapart.options import ALPHA
from tellapart.stats.power import (
    ALIKE,
    FEW_DIFFERING,
    FEW_ITEMS,
    MOST_ITEMS,
    NOTHING,
    UNEVEN,
    AssumedScores,
    EstimatedError,
    Pilot,
    Settings,
    WinsAndLosses,
    detectable,
    needed,
    power,
)
from tellapart.stats.ppi import (
    FEWEST_LABELS,
    imagined_variance,
    powered_difference,
)
from tellapart.stats.result import smallest_p
from tellapart.words import json_text, listed, plural, several

CORRELATION: Final = 0.5
"""Assumed of two systems over items: good systems fail on the same items"""
CHANGED: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of items that two systems answer otherwise, for those who know nothing of theirs"""

_LOSSES = (0.0, 0.25, 0.5)  # of a margin: what the new system truly loses
_MORE = 0.1  # of the cost: what is it best spent on?
_OCTAVES = (0, -1, 1, -2, 2, -3, 3)  # from the number of units, that the curve shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a plan should answer, and how surely."""

    items: int | None = None
    """In the test set; None: those of the pilot"""
    difference: float | None = None
    """The one to detect; None: the assumed one, or half of the smallest that the pilot finds"""
    margin: float | None = None
    """Instead of a difference: a loss that a system which is as good should rule out"""
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1
    seed: int = 0
    costs: Mapping[str, float] | None = None
    """Of an item, a run, a prompt and a single answer; None: answers cost the same, and no more"""

    @property
    def level(self) -> float:
        """The level of one pair, if several are to be compared (Bonferroni)."""
        return self.alpha / self.pairs

    @property
    def settings(self) -> Settings:
        """What the power function is asked with."""
        return {"level": self.level, "rng": self.seed, "margin": self.margin}


@dataclass(frozen=True, slots=True)
class Basis:
    """What a plan rests on, in names and numbers."""

    source: str
    """``pilot``, ``scores``, ``labels`` or ``changes``"""
    metric: str = "accuracy"
    kind: str = "item"
    """What an item is called"""
    cluster: str | None = None
    """What a cluster is called; None where every item stands alone"""
    items_per_unit: float = 1.0
    units: int | None = None
    """Of the pilot: what the test exchanges, items or clusters; or labels"""
    difference: float | None = None
    """Of the pilot, or of the assumed scores"""
    systems: tuple[str, ...] = ()
    """Of the pilot"""
    assumed: dict[str, Any] = field(default_factory=dict)
    """By name: scores and their correlation; or the number of items of which some are labelled"""
    shares: dict[str, float] = field(default_factory=dict)
    """Of the variance: from items, runs, conditions, single answers and their repeats"""
    helps: dict[str, float] = field(default_factory=dict)
    """By what it buys: the share by which the variance falls for a tenth more cost"""
    runs_vary: bool = False
    """Whether runs could be others, and the plan allows for that"""
    these_runs: bool = False
    """Whether runs could be others, and the plan takes them as they are"""

    @property
    def unit(self) -> str:
        """What the test exchanges is called."""
        return self.cluster or self.kind


@dataclass(frozen=True, slots=True)
class Scenario:
    """Two systems to plan for, and what is known of them."""

    basis: Basis
    pilot: Pilot


@dataclass(frozen=True, slots=True)
class MarginRow:
    """What a check of a margin needs under one assumption."""

    changed: float | None
    """The share of items on which only one is right; None where items are graded"""
    loss: float
    """What the new system truly loses"""
    needed: int | None
    """Units; None if no number will do"""
    passes: float | None
    """How often it passes with the units that there are"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a difference so many units show, and how many another one needs."""

    tellapart: str
    basis: Basis
    question: Question
    units: int | None
    items: int | None
    detectable: float | None = None
    """The smallest difference that these units show so often"""
    difference: float | None = None
    needed: int | None = None
    """Units that show the difference; of a margin, that pass a system which loses nothing"""
    found: float | None = None
    """How often the difference is found with the units that there are"""
    largest: float | None = None
    """The largest difference that there can be, where there is one"""
    curve: dict[int, float] = field(default_factory=dict)
    """By a number of units, an eighth of those to eight times as many: the smallest difference"""
    margin_rows: tuple[MarginRow, ...] = ()

    def items_of(self, units: int) -> int:
        """Return how many items so many units have."""
        return round(units * self.basis.items_per_unit)

    def to_json(self) -> str:
        """Return the record."""
        return json_text(encoded(self))


def make_plan(scenario: Scenario, question: Question) -> Plan:
    """Return the plan for two systems.

    >>> plan = make_plan(from_scores(0.70, 0.75), Question(items=500, difference=0.03))
    >>> round(plan.detectable, 3), plan.needed
    (0.058, 1840)
    """
    basis, plan = scenario.basis, _asked(scenario.basis, question)
    units, pilot = plan.units, scenario.pilot
    if units is not None and basis.source != "labels":
        check_enough_units(units, basis.unit, question.level)
    smallest = None if units is None else _smallest(pilot, units, question)
    assumed = None if basis.source == "pilot" else basis.difference
    difference = question.difference or assumed or (smallest and smallest / 2)
    if difference is None and units is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    if difference is not None and difference > pilot.largest + 1e-9:
        raise UsageError(
            f"--difference {difference:g}: these scores allow {pilot.largest:.3g} at most"
        )
    enough = None if difference is None else _units_for(pilot, difference, question)
    plan = replace(
        plan,
        detectable=smallest,
        difference=difference,
        needed=enough,
        largest=None if pilot.largest == math.inf else round_off(pilot.largest),
    )
    if units and difference:
        plan = replace(plan, found=round_off(power(pilot, difference, units, **question.settings)))
    return replace(plan, curve=_curve(plan, pilot, units or enough or 0))


def _asked(basis: Basis, question: Question) -> Plan:
    """Return a plan without figures: of the items given, or of the pilot's."""
    if not question.level < ALPHA.checked(question.power, "--power"):
        raise UsageError(
            f"--power must lie between the level, {question.level:g}, and 1, not {question.power:g}"
        )
    units = basis.units
    if question.items is not None:
        units = int(question.items / basis.items_per_unit + 1e-9)
    items = None if units is None else round(units * basis.items_per_unit)
    return Plan(version(), basis, question, units, items)


def _smallest(pilot: Pilot, units: int, question: Question) -> float | None:
    """Return the smallest difference that is found often enough; None if none is."""
    size = detectable(pilot, units, power=question.power, **question.settings).difference
    return None if size is None else round_off(size)


def _units_for(pilot: Pilot, difference: float, question: Question) -> int | None:
    """Return how many units find a difference often enough; None if no number does."""
    return needed(pilot, difference, power=question.power, **question.settings).n


def _curve(plan: Plan, pilot: Pilot, anchor: int) -> dict[int, float]:
    """Return the smallest difference for a number of units, an eighth of it to eight times as many.

    Where items are uneven, more of them may find less; a row that says so is left out.
    """
    rows: dict[int, float] = {}
    most = plan.basis.assumed.get("items", MOST_ITEMS)
    for octave in _OCTAVES:
        units = round(anchor * 2.0**octave)
        size = _smallest(pilot, units, plan.question) if 1 < units <= most else None
        if size is not None and all((units - n) * (size - other) < 0 for n, other in rows.items()):
            rows[units] = size
    return dict(sorted(rows.items()))


def plan_margin(
    question: Question, scenario: Scenario | None = None, changed: float | None = None
) -> Plan:
    """Return how many items a margin needs: by a pilot, or by the share of items that change.

    >>> plan = plan_margin(Question(margin=0.05), changed=0.1)
    >>> 200 < plan.needed < 300
    True
    """
    basis = Basis("changes") if scenario is None else scenario.basis
    plan = _asked(basis, question)
    pilots: list[Pilot]
    if scenario is None:
        pilots = [_changed_items(share) for share in (CHANGED if changed is None else (changed,))]
    else:
        pilots = [scenario.pilot]
    losses = _LOSSES if len(pilots) == 1 else _LOSSES[:1]
    rows = [_margin_row(pilot, loss, question, plan.units) for pilot in pilots for loss in losses]
    return replace(plan, needed=rows[0].needed, found=rows[0].passes, margin_rows=tuple(rows))


def _margin_row(pilot: Pilot, share: float, question: Question, units: int | None) -> MarginRow:
    """Return what a check needs that a system should pass which loses a share of the margin."""
    loss = share * (question.margin or 0.0)
    passes = None if units is None else round_off(power(pilot, -loss, units, **question.settings))
    changed = pilot.differing if isinstance(pilot, WinsAndLosses) else None
    return MarginRow(changed, loss, _units_for(pilot, -loss, question), passes)


def _changed_items(share: float) -> WinsAndLosses:
    """Return right and wrong items of which a share is answered otherwise."""
    return WinsAndLosses(share / 2, share / 2, 1, assumed=True)


def from_pilot(
    counts: Counts,
    metric: str | Metric,
    question: Question = Question(),
    *,
    pair: Sequence[str] | None = None,
    cluster: str | None = None,
) -> Scenario:
    """Return two systems that were seen on a pilot test set."""
    two = counts.systems[two_of(counts.names, pair)]
    scores = score_metrics(two, [metric], Options(cluster=cluster))[0].scores
    counts = scores.counts
    check_enough_units(scores.n, counts.cluster or counts.kind, question.level)
    pilot = pilot_of_items(scores, 0, 1)
    if pilot is None:
        raise UsageError(f"metric {scores.name!r} is no function of sums: no plan for it")
    _check_pilot(pilot, scores, question.level)
    sources = sources_of(scores, 0, 1)
    basis = Basis(
        "pilot", scores.name, counts.kind, counts.cluster, float(counts.sizes.mean()), scores.n,
        float(scores.values[0] - scores.values[1]), counts.names,
        shares={} if sources is None else sources.shares,
        helps={} if sources is None else _what_helps(sources.shares, counts, question.costs),
    )  # fmt: skip
    spread = spread_of(scores, 0, 1)
    if question.margin is not None:
        pilot = pilot_for_margins(scores, 1, 0)
        if pilot is None:
            raise UsageError(f"{basis.metric!r} has no margin test on this pilot; name another")
        return Scenario(replace(basis, these_runs=spread is not None), pilot)
    if spread is None:
        return Scenario(basis, pilot)
    of_runs = pilot_of_runs(spread, scores.n)
    if _smallest(of_runs, MOST_ITEMS, question) is None:  # too few runs tell how much they vary
        return Scenario(replace(basis, these_runs=True), pilot)
    return Scenario(replace(basis, runs_vary=True), of_runs)


def _what_helps(
    shares: Mapping[str, float], counts: Counts, costs: Mapping[str, float] | None
) -> dict[str, float]:
    """Return the share of the variance that goes for a tenth more cost, by what it is spent on.

    An item, a run or a prompt has a price of its own, and all have that of further answers.
    """
    prices = {"answer": 1.0} if costs is None else costs
    answers = shares["residual"] + shares["repeats"]
    falls = {name: shares[name] + answers for name in ("items", "runs", "conditions")}
    falls["repeats"] = shares["repeats"]
    numbers = _numbers_of(counts)
    priced = {"items": "item", "runs": "run", "conditions": "prompt"}
    own = {name: prices.get(price, 0.0) * numbers[name] for name, price in priced.items()}
    all_answers = prices.get("answer", 0.0) * math.prod(numbers.values())
    total = math.fsum(own.values()) + all_answers
    more = {name: _MORE * total / (own.get(name, 0.0) + all_answers) for name in falls}
    several = [name for name in falls if name == "items" or numbers[name] > 1]
    return {name: falls[name] * more[name] / (1 + more[name]) for name in several}


def _numbers_of(counts: Counts) -> dict[str, float]:
    """Return how many items, runs, conditions and repeats there are, on average over systems."""
    cells = [cells_of(counts, k) for k in range(len(counts.names))]
    all_cells = math.fsum(map(len, cells)) / len(cells)
    distinct = math.fsum(len(set(own)) for own in cells) / len(cells)
    conditions = math.fsum(len({condition for condition, _ in own}) for own in cells) / len(cells)
    return {
        "items": float(counts.sizes.sum()),
        "runs": distinct / conditions,
        "conditions": conditions,
        "repeats": all_cells / distinct,
    }


def from_scores(first: float, second: float, *, correlation: float | None = None) -> Scenario:
    """Return two systems with assumed shares of right items, correlated over items.

    For other differences the first score stays, and the second moves.

    >>> from_scores(0.7, 0.75).basis.assumed["correlation"]
    0.5
    """
    highest = _highest_correlation(first, second)
    chosen = min(CORRELATION, highest) if correlation is None else correlation
    if not -1 <= chosen <= highest + 1e-9:
        limit = "" if highest == 1 else f" for scores of {first:g} and {second:g}"
        raise UsageError(
            f"--correlation must lie between -1 and {highest:.3g}{limit}, not {chosen:g}"
        )
    assumed = {"scores": (first, second), "correlation": chosen}
    basis = Basis("scores", difference=abs(first - second) or None, assumed=assumed)
    return Scenario(basis, AssumedScores.of(first, second, chosen))


def from_labels(counts: Counts, *, cluster: str | None = None) -> Scenario:
    """Return two systems that a judge scored on all items, and people on some; units are labels.

    The variance of a difference by n labels of M items is R/n + (A - R)/M: A is that of people's
    differences, and R what the judge does not explain of it. Labels so far show both.

    >>> judge = {"A": [1, 1, 0, 1, 0] * 40, "B": [1, 0, 0, 1, 1] * 40}
    >>> human = {"A": [1, 1, 0, 0, 0] * 8 + [None] * 160, "B": [1, 0, 0, 1, 0] * 8 + [None] * 160}
    >>> scenario = from_labels(Counts.from_arrays(judge, people=human))
    >>> make_plan(scenario, Question(difference=0.15)).units
    40
    """
    first, second = judged_values(counts, cluster)
    labels, items = min(first.n_labels, second.n_labels), len(counts.items)
    if labels < FEWEST_LABELS:
        raise UsageError(
            f"people labelled {several(labels, counts.kind)} of both; a plan needs {FEWEST_LABELS}"
        )
    both = powered_difference(first, second)
    alone = powered_difference(first.people_alone, second.people_alone)
    spread, unexplained = alone.bare_variance * labels, alone.bare_variance * labels
    if labels < items:
        unexplained = (both.bare_variance - spread / items) / (1 / labels - 1 / items)
        unexplained = min(max(unexplained, 0.0), spread)
    disagreement = first.minus(second).disagreement

    def error(n: int) -> tuple[float, float]:
        left, judged = unexplained / n, (spread - unexplained) / items
        return math.sqrt(left + judged + imagined_variance(disagreement, n)), max(1, n - 2)

    pilot = EstimatedError(error, labels, both.value, min(FEWEST_LABELS, items), items)
    basis = Basis(
        "labels", counts.people_name, "label", units=labels, difference=abs(both.value) or None,
        systems=counts.names, assumed={"items": items, "kind": counts.kind, "so_far": both.value},
    )  # fmt: skip
    return Scenario(basis, pilot)


def one_metric(counts: Counts, metrics: Sequence[str | Metric] | None, named: bool) -> str | Metric:
    """Return the metric to plan for: the one that was named, or F1, or the only one.

    >>> one_metric(Counts.from_arrays({"A": [1, 0], "B": [1, 1]}), ["mean"], named=True)
    'mean'
    """
    known = list(metrics or metrics_of(counts))
    names = [metric if isinstance(metric, str) else metric.name for metric in known]
    if len(known) > 1 and (named or "f1" not in names):
        raise UsageError(f"one metric at a time: choose with --metric one of {listed(names)}")
    return known[names.index("f1") if len(known) > 1 else 0]


def check_enough_units(units: int, unit: str, level: float) -> None:
    """Refuse a number of items on which no outcome at all could be significant.

    >>> check_enough_units(6, "document", level=0.05)
    """
    if smallest_p(units, 0) > level:
        least = next(n for n in range(units, 10**6) if smallest_p(n, 0) <= level)
        raise UsageError(
            f"with {several(units, unit)} the smallest two-sided p is {smallest_p(units, 0):g}: "
            f"give {least} or more for a level of {level:g}"
        )


def _check_pilot(pilot: Pilot, scores: Scores, level: float) -> None:
    """Refuse a pilot that cannot tell what other items would show."""
    unit = scores.counts.cluster or scores.counts.kind
    why = {
        NOTHING: f"the systems do not differ on any {unit}",
        FEW_DIFFERING: f"the systems differ on {scores.differing(0, 1)} of "
        f"{several(scores.n, unit)}",
        FEW_ITEMS: f"there are {several(scores.n, unit)}",
        ALIKE: f"all {plural(unit)} add the same to the difference",
        UNEVEN: f"a few {plural(unit)} make up most of the differences",
    }.get(detectable(pilot, level=level).reason or "")
    if why is not None:
        raise DataError(
            f"by {scores.name} {why}: take a pilot of more {plural(unit)}, or assume --scores"
        )


def _highest_correlation(first: float, second: float) -> float:
    """Return how far two systems of given shares of right items can be correlated over items.

    >>> _highest_correlation(0.7, 0.7), round(_highest_correlation(0.7, 0.9), 3)
    (1.0, 0.509)
    """
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    return min(1.0, (min(first, second) - first * second) / spread) if spread else 1.0
