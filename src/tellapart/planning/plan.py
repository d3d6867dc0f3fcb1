"""Plans: the smallest difference that a test set can show, and what it takes to show another.

Test sets are counted in clusters, which are what the test exchanges; where items do not come in
clusters, each is one of its own.
"""

from __future__ import annotations

import importlib.metadata
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tellapart.errors import Notice, UsageError
from tellapart.limits import ALPHA, DIFFERENCE, ITEMS, PLANNED_PAIRS, POWER, SEED, SIMULATED_SETS
from tellapart.planning.scenarios import Scenario, check_enough_items
from tellapart.planning.simulation import Answer, Check, Simulator
from tellapart.progress import Progress, no_progress
from tellapart.significance.diagnostics import round_off
from tellapart.significance.power import PowerCurve, fewest_items
from tellapart.words import json_text

_CLEARLY = 1.15  # times the clusters: less is within what simulation can tell
_POINTS = 25
_FACTORS = (0.25, 0.5, 1, 2, 4)  # of the number of clusters, in the table
_ROUND = (1, 2, 3, 5)  # differences in the table, times powers of ten


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan should answer, and how."""

    clusters: int | None = None
    """In the test set; None for those of the pilot, if there is one"""
    difference: float | None = None
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1
    sets: int | None = None
    """Simulated test sets for each check; None leaves the number to the plan, 0 does without"""
    seed: int = 0

    @property
    def level(self) -> float:
        """The level of one pair, if several are to be compared (Bonferroni)."""
        return self.alpha / self.pairs


@dataclass(frozen=True, slots=True)
class Row:
    """A number of clusters, and the smallest difference that it shows."""

    clusters: int
    items: int
    difference: float


@dataclass(frozen=True, slots=True)
class Variant:
    """What the answer would be if the systems were correlated otherwise."""

    correlation: str
    answer: float | None
    """The smallest difference, or the clusters needed where no number of them is given"""


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer: how large a difference so many clusters show, and how many another one needs."""

    options: PlanOptions
    scenario: Scenario
    clusters: int | None
    detectable: float | None
    difference: float | None
    needed: int | None
    found: float | None
    """How often the difference is found with the given clusters"""
    by_difference: tuple[Row, ...]
    """For round differences: the clusters needed"""
    by_clusters: tuple[Row, ...]
    """For multiples of the clusters: the smallest difference"""
    curve: tuple[Row, ...]
    variants: tuple[Variant, ...]
    checks: tuple[Check, ...]
    withheld: tuple[str, ...]
    """What has no figure because simulated test sets bear none out: "detectable", "needed" """
    notices: tuple[Notice, ...]

    def items(self, clusters: int) -> int:
        """Return how many items so many clusters have."""
        return round(clusters * self.scenario.items_per_cluster)

    def to_json(self) -> str:
        """Return the record."""
        return json_text(_record(self))


def make_plan(scenario: Scenario, options: PlanOptions, progress: Progress = no_progress) -> Plan:
    """Return the plan for a scenario: by formula where simulation bears it out, else by simulation.

    >>> from tellapart.planning.scenarios import from_scores
    >>> options = PlanOptions(clusters=500, difference=0.03, sets=0)
    >>> plan = make_plan(from_scores(0.70, 0.75), options)
    >>> round(plan.detectable, 3), plan.needed
    (0.058, 1840)
    """
    _check_options(options)
    clusters = options.clusters if options.clusters is not None else scenario.clusters
    planner = _Planner(scenario, options, progress)
    detectable = needed = None
    if clusters is not None:
        check_enough_items(clusters, scenario.exchanged, options.level)
        detectable = planner.detectable(clusters)
    difference = options.difference or scenario.difference or (detectable and detectable / 2)
    if difference is not None:
        _check_difference(difference, scenario)
        needed = planner.needed(difference)
    elif clusters is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    anchor = clusters or needed or fewest_items(options.level)
    found = None
    if clusters is not None and difference is not None:
        found = planner.found(clusters, difference)
    by_clusters = planner.by_clusters(anchor)  # first: the other tables build on it
    return Plan(
        options,
        scenario,
        clusters,
        None if detectable is None else round_off(detectable),
        difference,
        needed,
        found,
        by_difference=planner.by_difference(anchor),
        by_clusters=by_clusters,
        curve=planner.curve_points(anchor),
        variants=planner.variants(clusters, difference),
        checks=tuple(planner.checks),
        withheld=tuple(planner.withheld),
        notices=(*scenario.notices, *planner.notices()),
    )


def _check_options(options: PlanOptions) -> None:
    """Refuse what cannot be planned."""
    ALPHA.checked(options.alpha, "--alpha")
    PLANNED_PAIRS.checked(options.pairs, "--pairs")
    SEED.checked(options.seed, "--seed")
    if options.clusters is not None:
        ITEMS.checked(options.clusters, "--items")
    if options.sets is not None:
        SIMULATED_SETS.checked(options.sets, "--simulate")
    if options.difference is not None:
        DIFFERENCE.checked(options.difference, "--difference")
    if not options.level < POWER.checked(options.power, "--power"):
        raise UsageError(
            f"--power must lie between the level, {options.level:g}, and 1, not {options.power:g}: "
            "it is how often a true difference is found (0.8 is usual)"
        )


def _check_difference(difference: float, scenario: Scenario) -> None:
    largest = scenario.population.largest
    if difference > largest:
        raise UsageError(
            f"--difference {difference:g}: with {scenario.source}, no difference above "
            f"{largest:.3g} is possible; ask for less, or assume other scores"
        )


def _curve_factors() -> list[float]:
    """Return factors from an eighth to eight, evenly spaced by ratio."""
    return [8 ** (2 * k / (_POINTS - 1) - 1) for k in range(_POINTS)]


class _Planner:
    """Answers questions by formula where simulations bear it out, and else by simulations."""

    def __init__(self, scenario: Scenario, options: PlanOptions, progress: Progress) -> None:
        self.scenario, self.options = scenario, options
        self.curve = PowerCurve(scenario.population, options.level)
        self.simulator = Simulator(
            self.curve.level, options.power, options.sets, options.seed, progress
        )
        self.checks: list[Check] = []
        self.withheld: list[str] = []
        self.unsettled = 0
        self.answered: tuple[float, int] | None = None
        """The difference of the plan, and the clusters that it needs"""
        self.known: dict[int, float | None] = {}
        """The smallest difference of numbers of clusters; None where it could not be settled"""

    def detectable(self, clusters: int) -> float | None:
        """Return the smallest difference that a number of clusters shows."""
        answer = self.simulator.detectable(self.scenario.population, clusters, main=True)
        if answer.value is not None:
            self._add_check(clusters, answer.value, answer)
        elif not answer.impossible:
            self.withheld.append("detectable")
        if not answer.impossible:
            self.known[clusters] = answer.value
        return answer.value

    def needed(self, difference: float) -> int | None:
        """Return the number of clusters that a difference needs."""
        answer = self.simulator.needed(self.scenario.population, difference, main=True)
        if answer.value is None or self._contradicted(int(answer.value), difference):
            self.withheld += [] if answer.impossible else ["needed"]
            return None
        clusters = int(answer.value)
        self.answered = (difference, clusters)
        self._add_check(clusters, difference, answer)
        if difference < self.scenario.population.largest:
            self.known.setdefault(clusters, difference)
        return clusters

    def _add_check(self, clusters: int, difference: float, answer: Answer) -> None:
        if answer.sets:
            expected = round_off(answer.expected)
            check = Check(clusters, round_off(difference), answer.sets, answer.found, expected)
            self.checks.append(check)

    def found(self, clusters: int, difference: float) -> float | None:
        """Return how often a difference is found with so many clusters."""
        population = self.scenario.population
        sets = self.simulator.sets(population, clusters, main=True)
        if not sets or population.spread(difference).counted(clusters):
            return round_off(self.curve.power(clusters, difference))
        return self.simulator.draw(population, clusters, difference, sets) / sets

    def by_clusters(self, anchor: int) -> tuple[Row, ...]:
        """Return the smallest difference for multiples of a number of clusters."""
        least = fewest_items(self.options.level)
        numbers = list(dict.fromkeys(max(least, round(anchor * factor)) for factor in _FACTORS))
        for n in numbers:
            if n not in self.known:
                answer = self.simulator.detectable(self.scenario.population, n)
                if not answer.impossible:
                    self.known[n] = answer.value
                    self.unsettled += answer.value is None
        self._keep_order()
        found = ((n, self.known.get(n)) for n in numbers)
        return tuple(self._row(n, difference) for n, difference in found if difference is not None)

    def _keep_order(self) -> None:
        """Withhold what would say that more clusters find less."""
        own = {check.clusters for check in self.checks}
        settled = sorted((n, d) for n, d in self.known.items() if d is not None)
        for n, difference in settled:
            wrong = any((m - n) * (d - difference) >= 0 for m, d in settled if m != n)
            if wrong and n not in own:
                self.known[n] = None
                self.unsettled += 1

    def _row(self, clusters: int, difference: float) -> Row:
        items = round(clusters * self.scenario.items_per_cluster)
        return Row(clusters, items, round_off(difference))

    def by_difference(self, anchor: int) -> tuple[Row, ...]:
        """Return the clusters that round differences need, near the smallest that is found."""
        largest = self.scenario.population.largest
        centre = self.known.get(anchor) or largest / 2
        power = math.floor(math.log10(centre))
        rounds = [float(f"{step}e{k}") for k in range(power - 1, power + 2) for step in _ROUND]
        near = [size for size in rounds if centre / 5 <= size <= min(3 * centre, largest)]
        rows: list[Row] = []
        for size in near:
            clusters = self._needed_for_row(size)
            if clusters is not None and rows and clusters > rows[-1].clusters:
                self.unsettled += 1
            elif clusters is not None:
                rows.append(self._row(clusters, size))
        return tuple(rows)

    def _needed_for_row(self, size: float) -> int | None:
        if self.answered is not None and math.isclose(size, self.answered[0]):
            return self.answered[1]
        answer = self.simulator.needed(self.scenario.population, size, guess=self._guess(size))
        if answer.value is None or self._contradicted(int(answer.value), size):
            self.unsettled += not answer.impossible
            return None
        return int(answer.value)

    def _contradicted(self, clusters: int, size: float) -> bool:
        """Return whether what is known says that fewer clusters find a smaller difference."""
        known = [(n, d) for n, d in self.known.items() if d is not None]
        fewer = any(n * _CLEARLY < clusters and d < size for n, d in known)
        return fewer or any(n > clusters * _CLEARLY and d > size for n, d in known)

    def _guess(self, difference: float) -> int | None:
        """Return the clusters for a difference, read off those known, in a double logarithm."""
        pairs = sorted((d, n) for n, d in self.known.items() if d is not None)
        if len(pairs) < 2 or not pairs[0][0] <= difference <= pairs[-1][0]:
            return None
        sizes, numbers = np.log(np.array(pairs)).T
        return max(
            fewest_items(self.options.level),
            math.ceil(math.exp(float(np.interp(math.log(difference), sizes, numbers)))),
        )

    def curve_points(self, anchor: int) -> tuple[Row, ...]:
        """Return the smallest difference over many numbers of clusters, for a curve.

        Between settled numbers of clusters it is read off a line, in a double logarithm.
        """
        least = fewest_items(self.options.level)
        numbers = list(dict.fromkeys(max(least, round(anchor * each)) for each in _curve_factors()))
        if self._by_formula(anchor):
            found = [self.curve.detectable(n, self.options.power) for n in numbers]
        elif len(self.known) < 2:
            return ()
        else:
            places = sorted(self.known)
            numbers = sorted({*numbers, *(n for n in places if numbers[0] <= n <= numbers[-1])})
            sizes = [math.log(self.known[n] or math.nan) for n in places]
            lines = np.interp(np.log(numbers), np.log(places), sizes, math.nan, math.nan)
            # A number of clusters that is known is itself, whatever its neighbours are.
            found = [
                self.known.get(n) or (None if math.isnan(line) else math.exp(line))
                for n, line in zip(numbers, lines.tolist(), strict=True)
            ]
        pairs = zip(numbers, found, strict=True)
        return tuple(self._row(n, size) for n, size in pairs if size is not None)

    def _by_formula(self, anchor: int) -> bool:
        """Return whether the formula holds all along: exact, unchecked, or of many clusters."""
        population = self.scenario.population
        spread = population.spread(population.largest / 2)
        if self.unsettled or self.withheld:
            return False
        return spread.wins is not None or not self.simulator.sets(population, anchor // 4)

    def variants(self, clusters: int | None, difference: float | None) -> tuple[Variant, ...]:
        """Return the answers under other correlations."""
        found = []
        for name, population in self.scenario.variants:
            answer = Answer(None, impossible=True)
            if clusters is not None:
                answer = self.simulator.detectable(population, clusters)
            elif difference is not None and difference <= population.largest:
                answer = self.simulator.needed(population, difference)
            if answer.value is not None or answer.impossible:
                value = None if answer.value is None else round_off(answer.value)
                found.append(Variant(name, value))
            else:
                self.unsettled += 1
        return tuple(found)

    def notices(self) -> list[Notice]:
        """Return a warning if figures were withheld."""
        if not self.unsettled and not self.withheld:
            return []
        text = (
            "Some figures could not be settled by simulation and are left out: test sets drawn "
            "afresh do not bear out what formula and search gave. This happens where few items "
            "decide; try more items, or a pilot in which more of them differ."
        )
        return [Notice("withheld", text)]


def _record(plan: Plan) -> dict[str, Any]:
    scenario, options = plan.scenario, plan.options
    return {
        "tellapart": importlib.metadata.version("tellapart"),
        "metric": scenario.metric,
        "source": scenario.source,
        "alpha": options.alpha,
        "pairs": options.pairs,
        "level": options.level,
        "power": options.power,
        "seed": options.seed,
        "unit": scenario.exchanged,
        "items_per_unit": scenario.items_per_cluster,
        "units": plan.clusters,
        "items": None if plan.clusters is None else plan.items(plan.clusters),
        "detectable": plan.detectable,
        "difference": plan.difference,
        "needed": plan.needed,
        "needed_items": None if plan.needed is None else plan.items(plan.needed),
        "found": plan.found,
        "table": {
            "by_units": _row_records(plan.by_clusters),
            "by_difference": _row_records(plan.by_difference),
        },
        "curve": _row_records(plan.curve),
        "withheld": list(plan.withheld),
        "assumptions": list(scenario.assumptions),
        "variants": [asdict(each) for each in plan.variants],
        "checks": [_check_record(each) for each in plan.checks],
        "warnings": [{"code": each.code, "text": each.text} for each in plan.notices],
    }


def _row_records(rows: tuple[Row, ...]) -> list[dict[str, float]]:
    return [
        {"units": row.clusters, "items": row.items, "difference": row.difference} for row in rows
    ]


def _check_record(check: Check) -> dict[str, float]:
    return {
        "units": check.clusters,
        "difference": check.difference,
        "sets": check.sets,
        "found": check.found,
        "expected": check.expected,
        "share": check.share,
        "error": check.error,
    }
