"""Plans: the smallest difference that a test set can show, and how many items another one takes.

All figures come from the one power function (`stats.power`). What is counted are units, which the
test exchanges: items, or clusters of them.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tellapart.comparison.diagnostics import pilot_of, round_off
from tellapart.comparison.record import Pair, encoded
from tellapart.comparison.scenarios import (
    At,
    Basis,
    Scenario,
    changed_items,
    check_enough_units,
    checked_pilot,
)
from tellapart.comparison.testing import Scored, family_size
from tellapart.errors import UsageError
from tellapart.limits import POWER
from tellapart.stats.power import (
    MOST_ITEMS,
    Pilot,
    Settings,
    WinsAndLosses,
    combined_error,
    detectable,
    detectable_by_error,
    needed,
    power,
    power_by_error,
    simulated,
)
from tellapart.stats.runs import Spread
from tellapart.stats.search import crossing
from tellapart.words import json_text

CHANGED: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of items that two systems answer otherwise, for those who know nothing of theirs"""

_LOSSES = (0.0, 0.25, 0.5)  # of a margin: what the new system truly loses
_ROUND = (1, 2, 3, 5)  # differences in the table, times powers of ten
_IN_TABLE = (-4, -2, 0, 2, 4)  # half octaves from the number of units
_OCTAVES = 3  # from the number of units, down and up, that the curve shows
_NEAR = 0.005  # of a share: as near as drawn sets tell
_SETS, _DRAWN, _FEWEST_SETS = 2_000, 2_000_000, 100  # that a figure is checked on: sets, all items


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a plan should answer, and how surely."""

    items: int | None = None
    """In the test set; None: those of the pilot"""
    difference: float | None = None
    """That should be found; None: the assumed one, or half of what the pilot's items show"""
    margin: float | None = None
    """Instead of a difference: a loss that a system which is as good should rule out"""
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1
    seed: int = 0
    sets: int | None = None
    """Test sets to check each figure on; None leaves the number to the plan, 0 does without"""

    @property
    def level(self) -> float:
        """The level of one pair, if several are to be compared (Bonferroni)."""
        return self.alpha / self.pairs


@dataclass(frozen=True, slots=True)
class Row:
    """A number of units, and the smallest difference that it shows."""

    units: int
    items: int
    difference: float


@dataclass(frozen=True, slots=True)
class Variant:
    """What the answer would be if the systems were correlated otherwise."""

    correlation: float
    answer: float | None
    """The smallest difference, or the units needed where no number of them is given"""


@dataclass(frozen=True, slots=True)
class Check:
    """How often a difference was found on simulated test sets."""

    units: int
    difference: float
    sets: int
    share: float
    error: float
    """The standard error of the share"""


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
    metric: str
    unit: str
    items_per_unit: float
    alpha: float
    pairs: int
    level: float
    power: float
    seed: int
    basis: Basis
    units: int | None
    items: int | None
    margin: float | None = None
    detectable: float | None = None
    """The smallest difference that these units show so often"""
    difference: float | None = None
    needed: int | None = None
    """Units that show the difference; of a margin, that pass a system which loses nothing"""
    needed_items: int | None = None
    found: float | None = None
    """How often the difference is found with the units that there are"""
    largest: float | None = None
    """The largest difference that there can be, where there is one"""
    by_units: tuple[Row, ...] = ()
    """For a quarter of the units to four times as many"""
    by_difference: tuple[Row, ...] = ()
    """For round differences"""
    curve: tuple[Row, ...] = ()
    checks: tuple[Check, ...] = ()
    variants: tuple[Variant, ...] = ()
    margin_rows: tuple[MarginRow, ...] = ()
    these_runs: bool = False
    """Whether runs could be others, and the plan takes them as they are"""
    shares: dict[str, float] = field(default_factory=dict)
    """Of the variance: from items, runs, conditions and single answers"""
    twice: dict[str, float | None] = field(default_factory=dict)
    """The smallest difference with twice as many items, runs or conditions"""

    def items_of(self, units: int) -> int:
        """Return how many items so many units have."""
        return round(units * self.items_per_unit)

    def to_json(self) -> str:
        """Return the record."""
        return json_text(encoded(self))


@dataclass(frozen=True, slots=True)
class PowerOfItems:
    """What items show that vary as those of a pilot do."""

    at: At
    moves: bool
    start: float
    """The difference for which the pilot is looked at first, if it moves"""
    wanted: float
    settings: Settings
    largest: float = math.inf

    def share(self, difference: float, units: int) -> float:
        """Return how often a true difference is found."""
        return round_off(power(self.at(difference), difference, units, **self.settings))

    def smallest(self, units: int) -> float | None:
        """Return the smallest difference that is found often enough; None if none is."""
        size: float | None = self.start
        for _ in range(2 if self.moves else 1):
            pilot = self.at(min(size or self.start, self.largest))
            size = detectable(pilot, units, power=self.wanted, **self.settings).difference
        if self.moves:
            guess = min(size or self.largest, self.largest)
            if abs(self.share(guess, units) - self.wanted) > _NEAR:
                size = self._smallest_moved(units, guess)
        return None if size is None or size > self.largest else round_off(size)

    def _smallest_moved(self, units: int, guess: float) -> float | None:
        """Return the smallest difference of a pilot that is another one for each difference."""

        def surplus(x: float) -> float:
            return self.share(math.exp(x), units) - self.wanted

        most = math.log(self.largest)
        low, high = math.log(guess) - 0.1, min(math.log(guess) + 0.1, most)
        while surplus(high) < 0:
            if high == most:
                return None
            low, high = high, min(high + 0.5, most)
        while surplus(low) >= 0 and low > -9:
            low, high = low - 0.5, low
        return math.exp(crossing(surplus, low, high, xtol=5e-3))

    def units_for(self, difference: float) -> int | None:
        """Return how many units find a difference often enough; None if no number does."""
        pilot = self.at(difference)
        return needed(pilot, difference, power=self.wanted, **self.settings).n

    def checked(self, difference: float, units: int, sets: int | None) -> Check | None:
        """Return how often a difference is found on simulated test sets; None where none are."""
        if sets is None:
            sets = min(_SETS, _DRAWN // units)
            sets = sets if sets >= _FEWEST_SETS else 0
        if not sets:
            return None
        level, seed = self.settings["level"], self.settings["rng"]
        share = simulated(self.at(difference), difference, units, sets, level=level, rng=seed)
        kept = min(max(share, 0.5 / sets), 1 - 0.5 / sets)
        return Check(units, difference, sets, share, math.sqrt(kept * (1 - kept) / sets))


@dataclass(frozen=True, slots=True)
class PowerOfRuns:
    """What items show where runs or conditions could be others, too."""

    spread: Spread
    units: int
    """Of the pilot"""
    wanted: float
    level: float
    sign: int = 0

    def error(self, units: float, runs: float = 1, conditions: float = 1) -> tuple[float, float]:
        """Return the standard error and its df with other units, and times the runs, conditions."""
        spread, more = self.spread, units / self.units
        rest = spread.runs + spread.conditions
        total = spread.items + spread.residual + rest
        # The df of runs and conditions is what Satterthwaite's rule leaves to them.
        spent = total**2 / spread.df - (total - rest) ** 2 / (self.units - 1)
        df = rest**2 / spent if spent > 0 and rest > 0 else spread.df
        items = (spread.items + spread.residual / (runs * conditions)) / more
        parts = [items, spread.runs / runs, spread.conditions / conditions]
        return combined_error(parts, [units - 1, df * runs, df * conditions])

    def share(self, difference: float, units: int) -> float:
        """Return how often a true difference is found."""
        error, df = self.error(units)
        return round_off(power_by_error(difference, error, df, self.level, self.sign))

    def smallest(self, units: int, runs: float = 1, conditions: float = 1) -> float | None:
        """Return the smallest difference that is found often enough; None if none is."""
        error, df = self.error(units, runs, conditions)
        size = detectable_by_error(error, df, power=self.wanted, level=self.level, sign=self.sign)
        return None if size.difference is None else round_off(size.difference)

    def units_for(self, difference: float) -> int | None:
        """Return how many units find a difference often enough; None if no number does."""
        if self.share(difference, MOST_ITEMS) < self.wanted:
            return None
        ends = math.log(2), math.log(MOST_ITEMS)
        return round(math.exp(crossing(
            lambda x: self.share(difference, round(math.exp(x))) - self.wanted, *ends, xtol=1e-3
        )))  # fmt: skip

    def twice(self) -> dict[str, float | None]:
        """Return the smallest difference with twice as many items, runs or conditions."""
        found = {"items": self.smallest(2 * self.units)}
        if self.spread.runs > 0:
            found["runs"] = self.smallest(self.units, runs=2)
        if self.spread.conditions > 0:
            found["conditions"] = self.smallest(self.units, conditions=2)
        return found


PowerOfUnits: TypeAlias = PowerOfItems | PowerOfRuns


def make_plan(scenario: Scenario, question: Question) -> Plan:
    """Return the plan for two systems.

    >>> from tellapart.comparison.scenarios import from_scores
    >>> plan = make_plan(from_scores(0.70, 0.75), Question(items=500, difference=0.03))
    >>> round(plan.detectable, 3), plan.needed
    (0.058, 1840)
    """
    basis, start = scenario.basis, _without_figures(scenario.basis, question)
    units, finder = start.units, _finder(scenario, scenario.at, question)
    if units is not None:
        check_enough_units(units, basis.unit, question.level)
    smallest = None if units is None else finder.smallest(units)
    assumed = basis.difference if basis.source != "pilot" else None
    difference = question.difference or assumed or (smallest and smallest / 2)
    if difference is None and units is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    if difference is not None and difference > scenario.largest:
        raise UsageError(
            f"--difference {difference:g}: with these scores, no difference above "
            f"{scenario.largest:.3g} is possible; ask for less, or assume other scores"
        )
    enough = None if difference is None else finder.units_for(difference)
    runs = finder if isinstance(finder, PowerOfRuns) else None
    curve = _curve(finder, start, units or enough or 0, smallest)
    answered = [(units, smallest), (enough, difference)]
    return replace(
        start,
        detectable=smallest,
        difference=difference,
        needed=enough,
        needed_items=None if enough is None else start.items_of(enough),
        found=finder.share(difference, units) if units and difference else None,
        largest=None if scenario.largest == math.inf else round_off(scenario.largest),
        by_units=tuple(row for quarter, row in curve if quarter in _IN_TABLE),
        by_difference=tuple(_by_difference(finder, start, curve, scenario.largest)),
        curve=tuple(row for _, row in curve),
        checks=tuple(_checks(finder, answered, question.sets)),
        variants=tuple(_variants(scenario, question, units, difference)),
        these_runs=scenario.spread is not None and runs is None,
        shares={} if runs is None else dict(runs.spread.shares),
        twice={} if runs is None else runs.twice(),
    )


def _without_figures(basis: Basis, question: Question) -> Plan:
    """Return a plan that says what is asked: of the items given, or of the pilot's."""
    if not question.level < POWER.checked(question.power, "--power"):
        raise UsageError(
            f"--power must lie between the level, {question.level:g}, and 1, not "
            f"{question.power:g}: it is how often a true difference is found (0.8 is usual)"
        )
    units = basis.units
    if question.items is not None:
        units = int(question.items / basis.items_per_unit + 1e-9)
    return Plan(
        importlib.metadata.version("tellapart"), basis.metric, basis.unit, basis.items_per_unit,
        question.alpha, question.pairs, question.level, question.power, question.seed, basis, units,
        None if units is None else round(units * basis.items_per_unit), question.margin,
    )  # fmt: skip


def _finder(scenario: Scenario, at: At, question: Question) -> PowerOfUnits:
    if scenario.spread is not None and scenario.basis.units is not None:
        runs = PowerOfRuns(scenario.spread, scenario.basis.units, question.power, question.level)
        if runs.smallest(MOST_ITEMS) is not None:  # else too few runs tell how much they vary
            return runs
    start = question.difference or abs(scenario.basis.difference or 0.0) or scenario.largest / 2
    settings: Settings = {"level": question.level, "rng": question.seed}
    return PowerOfItems(
        at, scenario.moves, start, question.power, settings, scenario.largest + 1e-9
    )


def _curve(
    finder: PowerOfUnits, plan: Plan, anchor: int, own: float | None
) -> list[tuple[int, Row]]:
    """Return the smallest difference for an eighth of a number of units up to eight times as many.

    By the number of half octaves from the anchor. Where items are uneven, more of them may find
    less; a row that says so is left out.
    """
    rows: list[tuple[int, Row]] = []
    for half in sorted(range(-2 * _OCTAVES, 2 * _OCTAVES + 1), key=abs):  # the anchor first
        units = round(anchor * 2 ** (half / 2))
        size = own if half == 0 and own else finder.smallest(units) if units > 1 else None
        row = None if size is None else Row(units, plan.items_of(units), size)
        if row and all(
            (row.units - o.units) * (row.difference - o.difference) < 0 for _, o in rows
        ):
            rows.append((half, row))
    return sorted(rows, key=lambda each: each[0])


def _by_difference(
    finder: PowerOfUnits, plan: Plan, curve: list[tuple[int, Row]], largest: float
) -> Iterator[Row]:
    """Yield the units that round differences need, near the smallest that is found."""
    own = [row.difference for half, row in curve if half == 0]
    centre = own[0] if own else min(largest, 1.0) / 2
    power_of_ten, fewest = math.floor(math.log10(centre)), math.inf
    for k in range(power_of_ten - 1, power_of_ten + 2):
        for step in _ROUND:
            size = float(f"{step}e{k}")
            if centre / 5 <= size <= min(3 * centre, largest):
                units = finder.units_for(size)
                if units is not None and units <= fewest:
                    fewest = units
                    yield Row(units, plan.items_of(units), size)


def _checks(
    finder: PowerOfUnits, answered: list[tuple[int | None, float | None]], sets: int | None
) -> Iterator[Check]:
    """Yield how often simulated test sets show what a plan says of them; of runs none are drawn."""
    for units, difference in dict.fromkeys(answered):
        if units is None or difference is None or isinstance(finder, PowerOfRuns):
            continue
        check = finder.checked(difference, units, sets)
        if check is not None:
            yield check


def _variants(
    scenario: Scenario, question: Question, units: int | None, difference: float | None
) -> Iterator[Variant]:
    for correlation, at in scenario.variants:
        finder = _finder(scenario, at, question)
        if units is not None:
            yield Variant(correlation, finder.smallest(units))
        elif difference is not None:
            yield Variant(correlation, finder.units_for(difference))


def plan_margin(
    question: Question, scenario: Scenario | None = None, changed: float | None = None
) -> Plan:
    """Return how many items a margin needs: by a pilot, or by the share of items that change.

    >>> plan = plan_margin(Question(margin=0.05), changed=0.1)
    >>> 200 < plan.needed < 300
    True
    """
    basis = Basis("changes") if scenario is None else scenario.basis
    pilot = None if scenario is None else scenario.checked
    if scenario is not None and pilot is None:
        raise UsageError(f"{basis.metric!r} has no margin test on this pilot; name another")
    start = _without_figures(basis, question)
    if pilot is None and changed is None:
        rows = [_margin_row(changed_items(share), 0.0, question, start.units) for share in CHANGED]
    else:
        population = changed_items(changed or 0.0) if pilot is None else pilot
        rows = [_margin_row(population, share, question, start.units) for share in _LOSSES]
    first = rows[0].needed
    return replace(
        start,
        needed=first,
        needed_items=None if first is None else start.items_of(first),
        found=rows[0].passes,
        margin_rows=tuple(rows),
        these_runs=scenario is not None and scenario.spread is not None,
    )


def _margin_row(pilot: Pilot, share: float, question: Question, units: int | None) -> MarginRow:
    """Return what a check needs that a system should pass which loses a share of the margin."""
    assert question.margin is not None
    loss = share * question.margin
    settings: Settings = {"level": question.level, "margin": question.margin, "rng": question.seed}
    return MarginRow(
        pilot.differing if isinstance(pilot, WinsAndLosses) else None,
        loss,
        needed(pilot, -loss, power=question.power, **settings).n,
        None if units is None else round_off(power(pilot, -loss, units, **settings)),
    )


def items_to_settle(scored: Scored, pair: Pair, wanted: float = 0.8) -> int | None:
    """Return how many more items (clusters) would show a pair's difference, or that a margin holds.

    If the true difference is the observed one, so many find it four times out of five, all tests
    counted. None where that is shown already, or nothing can be said, or no number would do.

    >>> from tellapart.comparison.compare import compare_counts
    >>> from tellapart.comparison.options import Options
    >>> from tellapart.counts import Counts
    >>> old, new = [1] * 20 + [0] * 30 + [1] * 50, [0] * 20 + [1] * 30 + [1] * 50
    >>> counts = Counts.from_arrays({"old": old, "new": new})
    >>> record, scored = compare_counts(counts, None, Options())
    >>> items_to_settle(scored[0], record.pairs[0])
    308
    """
    scores, options, n = scored.scores, scored.options, scored.scores.n
    a, b = scores.systems.index(pair.a), scores.systems.index(pair.b)
    higher, margin = scores.metric.higher_is_better, options.margin
    apart = pair.difference
    level = options.alpha if options.correction == "none" else options.alpha / family_size(scored)
    enough: int | None = None
    if margin is not None:
        base = options.baseline or scores.systems[0]
        old, new = (a, b) if pair.a == base else (b, a)
        kept = pair.b_no_worse if pair.a == base else pair.a_no_worse
        pilot = None if kept or pair.spread is not None else checked_pilot(scores, new, old)
        if pilot is not None:
            enough = needed(pilot, pilot.observed, power=wanted, level=level, margin=margin).n
    elif pair.different or pair.p is None:
        return None
    elif pair.spread is not None:
        sign = pair.sign if higher else -pair.sign
        size = apart * sign if sign else abs(apart)
        runs = PowerOfRuns(pair.spread, n, wanted, level, abs(sign))
        enough = runs.units_for(size) if size > 0 else None
    elif (pilot := pilot_of(scores, a, b)) is not None:
        sign = pair.sign if higher else -pair.sign
        alternative = {0: "two-sided", 1: "greater", -1: "less"}[sign]
        enough = needed(pilot, power=wanted, level=level, alternative=alternative).n
    return None if enough is None else max(1, enough - n)
