"""Plans: the smallest difference that a test set can show, and what it takes to show another."""

from __future__ import annotations

import importlib.metadata
import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tellapart.errors import Notice, UsageError
from tellapart.planning.bases import Basis, refuse_few_items
from tellapart.planning.planted import Check, Settled, Simulator
from tellapart.planning.power import PowerCurve, fewest_items
from tellapart.progress import Progress, no_progress
from tellapart.significance.diagnostics import steady

_CLEARLY = 1.15  # times the units: less is within what simulation can tell
_POINTS = 25
_FACTORS = (0.25, 0.5, 1, 2, 4)  # of the number of units, in the table
_ROUND = (1, 2, 3, 5)  # differences in the table, times powers of ten


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is asked."""

    units: int | None = None
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
    """So many units are needed to find so large a difference."""

    units: int
    items: int
    difference: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer: how large a difference so many units show, and how many another one needs."""

    options: PlanOptions
    basis: Basis
    units: int | None
    detectable: float | None
    difference: float | None
    needed: int | None
    found: float | None
    """How often the asked difference is found with the given units"""
    sizes: tuple[Row, ...]
    """For round differences: the units needed"""
    numbers: tuple[Row, ...]
    """For multiples of the units: the smallest difference"""
    curve: tuple[Row, ...]
    variants: tuple[tuple[str, float | None], ...]
    """Under other assumptions: the smallest difference, or the units needed where none are given"""
    checks: tuple[Check, ...]
    withheld: tuple[str, ...]
    """What has no figure because simulated test sets bear none out: "detectable", "needed" """
    notices: tuple[Notice, ...]

    def items(self, units: int) -> int:
        """Return how many items so many units have."""
        return round(units * self.basis.per_item)

    def to_json(self) -> str:
        """Write the record."""
        return json.dumps(_record(self), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def make_plan(basis: Basis, options: PlanOptions, progress: Progress = no_progress) -> Plan:
    """Answer what was asked by formula where simulation bears it out, and else by simulation.

    >>> from tellapart.planning.bases import from_scores
    >>> plan = make_plan(from_scores(0.70, 0.75), Asked(units=500, difference=0.03, sets=0))
    >>> round(plan.detectable, 3), plan.needed
    (0.058, 1840)
    """
    _refuse(options)
    units = options.units if options.units is not None else basis.items
    planner = _Planner(basis, options, progress)
    detectable = needed = None
    if units is not None:
        refuse_few_items(units, basis.cluster or basis.kind, options.level)
        detectable = planner.detectable(units)
    difference = options.difference or basis.difference or (detectable and detectable / 2)
    if difference is not None:
        _refuse_difference(difference, basis)
        needed = planner.needed(difference)
    elif units is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    anchor = units or needed or fewest_items(options.level)
    found = None
    if units is not None and difference is not None:
        found = planner.found(units, difference)
    numbers = planner.rows(anchor)
    return Plan(
        options,
        basis,
        units,
        None if detectable is None else steady(detectable),
        difference,
        needed,
        found,
        numbers=numbers,
        sizes=planner.needed_rows(anchor),
        curve=planner.points(anchor),
        variants=planner.variants(units, difference),
        checks=tuple(planner.checks),
        withheld=tuple(planner.withheld),
        notices=(*basis.notices, *planner.notices()),
    )


def _refuse(options: PlanOptions) -> None:
    """Refuse what cannot be planned."""
    if not 0 < options.alpha < 1:
        raise UsageError(f"--alpha must lie between 0 and 1, not {options.alpha:g}")
    if options.pairs < 1:
        raise UsageError(f"--pairs must be at least 1, not {options.pairs}")
    if not options.level < options.power < 1:
        raise UsageError(
            f"--power must lie between the level, {options.level:g}, and 1, not {options.power:g}: "
            "it is how often a true difference is found (0.8 is usual)"
        )
    if options.difference is not None and not 0 < options.difference < math.inf:
        raise UsageError(
            f"--difference must be above 0, not {options.difference:g}: the test is two-sided, a "
            "loss is found as easily as a gain"
        )
    if options.sets is not None and options.sets < 0:
        raise UsageError(f"--simulate must be 0 or more, not {options.sets}")
    if options.seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {options.seed}")


def _refuse_difference(difference: float, basis: Basis) -> None:
    largest = basis.population.largest
    if difference > largest:
        raise UsageError(
            f"--difference {difference:g}: with {basis.source}, no difference above {largest:.3g} "
            "is possible; ask for less, or assume other scores"
        )


def _spaced() -> list[float]:
    """Return factors from an eighth to eight, evenly spaced by ratio."""
    return [8 ** (2 * k / (_POINTS - 1) - 1) for k in range(_POINTS)]


class _Planner:
    """Answers questions by formula where simulations bear it out, and else by simulations."""

    def __init__(self, basis: Basis, options: PlanOptions, progress: Progress) -> None:
        self.basis, self.options = basis, options
        self.curve = PowerCurve(basis.population, options.level)
        self.simulator = Simulator(
            self.curve.level, options.power, options.sets, options.seed, progress
        )
        self.checks: list[Check] = []
        self.withheld: list[str] = []
        self.unsettled = 0
        self.answered: tuple[float, int] | None = None
        """The difference that was asked, and the units that it needs"""
        self.known: dict[int, float | None] = {}
        """The smallest difference of numbers of units; None where it could not be settled"""

    def detectable(self, units: int) -> float | None:
        """Find the smallest difference for a number of units."""
        answer = self.simulator.detectable(self.basis.population, units, first=True)
        if answer.place is not None:
            self._checked(units, answer.place, answer)
        elif not answer.impossible:
            self.withheld.append("detectable")
        if not answer.impossible:
            self.known[units] = answer.place
        return answer.place

    def needed(self, difference: float) -> int | None:
        """Find the number of units for a difference."""
        answer = self.simulator.needed(self.basis.population, difference, first=True)
        if answer.place is None or self._against(int(answer.place), difference):
            self.withheld += [] if answer.impossible else ["needed"]
            return None
        units = int(answer.place)
        self.answered = (difference, units)
        self._checked(units, difference, answer)
        if difference < self.basis.population.largest:
            self.known.setdefault(units, difference)
        return units

    def _checked(self, units: int, difference: float, answer: Settled) -> None:
        if answer.sets:
            expected = steady(answer.expected)
            check = Check(units, steady(difference), answer.sets, answer.found, expected)
            self.checks.append(check)

    def found(self, units: int, difference: float) -> float | None:
        """Tell how often a difference is found with so many units."""
        population = self.basis.population
        sets = self.simulator.sets(population, units, first=True)
        if not sets or population.spread(difference).counted(units):
            return steady(self.curve.power(units, difference))
        return self.simulator.draw(population, units, difference, sets) / sets

    def rows(self, anchor: int) -> tuple[Row, ...]:
        """Tell the smallest difference for multiples of a number of units."""
        least = fewest_items(self.options.level)
        numbers = list(dict.fromkeys(max(least, round(anchor * factor)) for factor in _FACTORS))
        for n in numbers:
            if n not in self.known:
                answer = self.simulator.detectable(self.basis.population, n)
                if not answer.impossible:
                    self.known[n] = answer.place
                    self.unsettled += answer.place is None
        self._keep_order()
        found = ((n, self.known.get(n)) for n in numbers)
        return tuple(self._row(n, difference) for n, difference in found if difference is not None)

    def _keep_order(self) -> None:
        """Withhold what would say that more units find less."""
        own = {check.items for check in self.checks}
        settled = sorted((n, d) for n, d in self.known.items() if d is not None)
        for n, difference in settled:
            wrong = any((m - n) * (d - difference) >= 0 for m, d in settled if m != n)
            if wrong and n not in own:
                self.known[n] = None
                self.unsettled += 1

    def _row(self, units: int, difference: float) -> Row:
        return Row(units, round(units * self.basis.per_item), steady(difference))

    def needed_rows(self, anchor: int) -> tuple[Row, ...]:
        """Tell how many units round differences need, smaller and larger than the detectable."""
        largest = self.basis.population.largest
        centre = self.known.get(anchor) or largest / 2
        power = math.floor(math.log10(centre))
        rounds = [float(f"{step}e{k}") for k in range(power - 1, power + 2) for step in _ROUND]
        near = [size for size in rounds if centre / 5 <= size <= min(3 * centre, largest)]
        rows: list[Row] = []
        for size in near:
            units = self._needed_row(size)
            if units is not None and rows and units > rows[-1].units:
                self.unsettled += 1
            elif units is not None:
                rows.append(self._row(units, size))
        return tuple(rows)

    def _needed_row(self, size: float) -> int | None:
        if self.answered is not None and math.isclose(size, self.answered[0]):
            return self.answered[1]
        answer = self.simulator.needed(self.basis.population, size, guess=self._guess(size))
        if answer.place is None or self._against(int(answer.place), size):
            self.unsettled += not answer.impossible
            return None
        return int(answer.place)

    def _against(self, units: int, size: float) -> bool:
        """Whether what is known says that fewer units find a smaller difference."""
        known = [(n, d) for n, d in self.known.items() if d is not None]
        fewer = any(n * _CLEARLY < units and d < size for n, d in known)
        return fewer or any(n > units * _CLEARLY and d > size for n, d in known)

    def _guess(self, difference: float) -> int | None:
        """Read the units for a difference off those that are known, in a double logarithm."""
        pairs = sorted((d, n) for n, d in self.known.items() if d is not None)
        if len(pairs) < 2 or not pairs[0][0] <= difference <= pairs[-1][0]:
            return None
        sizes, numbers = np.log(np.array(pairs)).T
        return max(
            fewest_items(self.options.level),
            math.ceil(math.exp(float(np.interp(math.log(difference), sizes, numbers)))),
        )

    def points(self, anchor: int) -> tuple[Row, ...]:
        """Tell the smallest difference over many numbers of units, for a curve.

        Between settled numbers of units it is read off a line, in a double logarithm.
        """
        least = fewest_items(self.options.level)
        numbers = list(dict.fromkeys(max(least, round(anchor * each)) for each in _spaced()))
        if self._by_formula(anchor):
            found = [self.curve.detectable(n, self.options.power) for n in numbers]
        elif len(self.known) < 2:
            return ()
        else:
            places = sorted(self.known)
            numbers = sorted({*numbers, *(n for n in places if numbers[0] <= n <= numbers[-1])})
            sizes = [math.log(self.known[n] or math.nan) for n in places]
            lines = np.interp(np.log(numbers), np.log(places), sizes, math.nan, math.nan)
            # A number of units that is known is itself, whatever its neighbours are.
            found = [
                self.known.get(n) or (None if math.isnan(line) else math.exp(line))
                for n, line in zip(numbers, lines.tolist(), strict=True)
            ]
        pairs = zip(numbers, found, strict=True)
        return tuple(self._row(n, size) for n, size in pairs if size is not None)

    def _by_formula(self, anchor: int) -> bool:
        """Whether the formula holds all along: exact, not to be checked, or of many units."""
        population = self.basis.population
        spread = population.spread(population.largest / 2)
        if self.unsettled or self.withheld:
            return False
        return spread.wins is not None or not self.simulator.sets(population, anchor // 4)

    def variants(
        self, units: int | None, difference: float | None
    ) -> tuple[tuple[str, float | None], ...]:
        """Answer under other assumptions: the smallest difference, or the units needed."""
        found = []
        for name, population in self.basis.variants:
            answer = Settled(None, impossible=True)
            if units is not None:
                answer = self.simulator.detectable(population, units)
            elif difference is not None and difference <= population.largest:
                answer = self.simulator.needed(population, difference)
            if answer.place is not None or answer.impossible:
                place = answer.place
                found.append((name, place if place is None else steady(place)))
            else:
                self.unsettled += 1
        return tuple(found)

    def notices(self) -> list[Notice]:
        """Say that figures were withheld."""
        if not self.unsettled and not self.withheld:
            return []
        text = (
            "Some figures could not be settled by simulation and are left out: test sets drawn "
            "afresh do not bear out what formula and search gave. This happens where few units "
            "decide; try more units, or a pilot in which more of them differ."
        )
        return [Notice("withheld", text)]


def _record(plan: Plan) -> dict[str, Any]:
    basis, options = plan.basis, plan.options
    return {
        "tellapart": importlib.metadata.version("tellapart"),
        "metric": basis.metric,
        "source": basis.source,
        "alpha": options.alpha,
        "pairs": options.pairs,
        "level": options.level,
        "power": options.power,
        "seed": options.seed,
        "unit": basis.cluster or basis.kind,
        "items_per_unit": basis.per_item,
        "units": plan.units,
        "items": None if plan.units is None else plan.items(plan.units),
        "detectable": plan.detectable,
        "difference": plan.difference,
        "needed": plan.needed,
        "needed_items": None if plan.needed is None else plan.items(plan.needed),
        "found": plan.found,
        "table": {"by_units": _dicts(plan.numbers), "by_difference": _dicts(plan.sizes)},
        "curve": _dicts(plan.curve),
        "withheld": list(plan.withheld),
        "assumptions": list(basis.assumptions),
        "variants": [{"correlation": name, "answer": answer} for name, answer in plan.variants],
        "checks": [{**asdict(each), "share": each.share, "error": each.error}
                   for each in plan.checks],
        "warnings": [{"code": each.code, "text": each.text} for each in plan.notices],
    }  # fmt: skip


def _dicts(rows: tuple[Row, ...]) -> list[dict[str, float]]:
    return [asdict(row) for row in rows]
