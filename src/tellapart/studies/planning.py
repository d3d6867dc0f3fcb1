"""Plans: the smallest difference that a test set can show, and what it takes to show another."""

from __future__ import annotations

import importlib.metadata
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from tellapart.errors import UsageError
from tellapart.notices import Notice
from tellapart.projection import BoundRatio
from tellapart.resampling.workers import Progress, no_progress
from tellapart.significance.diagnostics import steady
from tellapart.studies.bases import Basis, refuse_few_units
from tellapart.studies.planted import Check, Trial, count_found, standard_error
from tellapart.studies.power import PowerCurve, fewest_units, probit

_ATTEMPTS = 5  # at bringing formula and simulation together
_FORMULA_ERROR = 0.6  # over the root of the units: how far off formulas are, in probits
_POINTS = 25
_FACTORS = (0.25, 0.5, 1, 2, 4)  # of the number of units, in the table
_ROUND = (1, 2, 3, 5)  # differences in the table, times powers of ten


@dataclass(frozen=True, slots=True)
class Asked:
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

    asked: Asked
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
    notices: tuple[Notice, ...]

    def items(self, units: int) -> int:
        """Return how many items so many units have."""
        return round(units * self.basis.per_unit)

    def to_json(self) -> str:
        """Write the record."""
        return json.dumps(_record(self), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def make_plan(basis: Basis, asked: Asked, progress: Progress = no_progress) -> Plan:
    """Answer what was asked, by formula, checked and where needed corrected by simulation.

    >>> from tellapart.studies.bases import from_scores
    >>> plan = make_plan(from_scores(0.70, 0.75), Asked(units=500, difference=0.03, sets=0))
    >>> round(plan.detectable, 3), plan.needed
    (0.058, 1840)
    """
    _refuse(asked)
    units = asked.units if asked.units is not None else basis.units
    planner = _Planner(basis, asked, progress)
    detectable = needed = None
    if units is not None:
        refuse_few_units(units, basis.cluster or basis.kind, asked.level)
        detectable = planner.detectable(units)
    difference = asked.difference or basis.difference or (detectable and detectable / 2)
    if difference is not None:
        _refuse_difference(difference, basis)
        needed = planner.needed(difference)
    elif units is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    least = fewest_units(asked.level)
    anchor = units or needed or least
    found = None
    if units is not None and difference is not None:
        found = steady(planner.curve.power(units, difference))
    return Plan(
        asked,
        basis,
        units,
        None if detectable is None else steady(detectable),
        difference,
        needed,
        found,
        sizes=planner.needed_rows(anchor),
        numbers=planner.rows([max(least, round(anchor * factor)) for factor in _FACTORS]),
        curve=planner.rows([max(least, round(anchor * factor)) for factor in _spaced()]),
        variants=planner.variants(units, difference),
        checks=tuple(planner.checks),
        notices=(*basis.notices, *planner.notices()),
    )


def _refuse(asked: Asked) -> None:
    """Refuse what cannot be planned."""
    if not 0 < asked.alpha < 1:
        raise UsageError(f"--alpha must lie between 0 and 1, not {asked.alpha:g}")
    if asked.pairs < 1:
        raise UsageError(f"--pairs must be at least 1, not {asked.pairs}")
    if not asked.level < asked.power < 1:
        raise UsageError(
            f"--power must lie between the level, {asked.level:g}, and 1, not {asked.power:g}: it "
            "is how often a true difference is found (0.8 is usual)"
        )
    if asked.difference is not None and not 0 < asked.difference < math.inf:
        raise UsageError(
            f"--difference must be above 0, not {asked.difference:g}: the test is two-sided, a "
            "loss is found as easily as a gain"
        )
    if asked.sets is not None and asked.sets < 0:
        raise UsageError(f"--simulate must be 0 or more, not {asked.sets}")
    if asked.seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {asked.seed}")


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
    """Answers questions by a power curve, which simulations at the answers correct."""

    def __init__(self, basis: Basis, asked: Asked, progress: Progress) -> None:
        self.basis, self.asked, self.progress = basis, asked, progress
        self.curve = PowerCurve(basis.population, asked.level)
        self.checks: list[Check] = []

    def detectable(self, units: int) -> float | None:
        """Find the smallest difference for a number of units."""

        def answer() -> tuple[int, float] | None:
            found = self.curve.detectable(units, self.asked.power)
            return None if found is None else (units, found)

        found = self._settled(answer)
        return None if found is None else found[1]

    def needed(self, difference: float) -> int | None:
        """Find the number of units for a difference."""

        def answer() -> tuple[int, float] | None:
            found = self.curve.needed(difference, self.asked.power)
            return None if found is None else (found, difference)

        found = self._settled(answer)
        return None if found is None else found[0]

    def _settled(self, answer: Callable[[], tuple[int, float] | None]) -> tuple[int, float] | None:
        """Simulate at the answer; where it is not borne out, correct the curve, answer again."""
        question, attempt = len(self.checks), 0
        while True:
            found = answer()
            check = None if found is None else self._simulated(*found, (question, attempt))
            if found is None or check is None:
                return found
            units, difference = found
            counted = self.basis.population.spread(difference).counted(units)
            if counted or attempt == _ATTEMPTS or (attempt and check.agrees()):
                self.checks.append(check)
                self.curve = self.curve if counted else self.curve.corrected(units, 0.0)
                return found
            self.curve = self.curve.corrected(units, _correction(check))
            attempt += 1

    def _simulated(self, units: int, difference: float, key: tuple[int, int]) -> Check | None:
        """Count in how many simulated test sets a difference is found; None for none."""
        population, asked = self.basis.population, self.asked
        atoms = population.at(difference)
        effort = _RATIOS if isinstance(atoms.bound, BoundRatio) else _FUNCTIONS
        sets = effort.sets(units * population.clusters.size) if asked.sets is None else asked.sets
        if not sets:
            return None
        trial = Trial(units, asked.level, sets, (asked.seed, *key))
        found = count_found(atoms, trial, self.progress)
        expected = self.curve.power(units, difference)
        return Check(units, steady(difference), sets, found, steady(expected))

    def rows(self, numbers: list[int]) -> tuple[Row, ...]:
        """Tell the smallest difference for several numbers of units."""
        found = ((n, self.curve.detectable(n, self.asked.power)) for n in dict.fromkeys(numbers))
        return tuple(
            Row(n, round(n * self.basis.per_unit), steady(difference))
            for n, difference in found
            if difference is not None
        )

    def needed_rows(self, anchor: int) -> tuple[Row, ...]:
        """Tell how many units round differences need, smaller and larger than the detectable."""
        largest = self.basis.population.largest
        centre = self.curve.detectable(anchor, self.asked.power) or largest / 2
        power = math.floor(math.log10(centre))
        rounds = [float(f"{step}e{k}") for k in range(power - 1, power + 2) for step in _ROUND]
        near = [size for size in rounds if centre / 5 <= size <= min(3 * centre, largest)]
        found = [(self.curve.needed(size, self.asked.power), size) for size in near]
        return tuple(
            Row(n, round(n * self.basis.per_unit), size) for n, size in found if n is not None
        )

    def variants(
        self, units: int | None, difference: float | None
    ) -> tuple[tuple[str, float | None], ...]:
        """Answer under other assumptions: the smallest difference, or the units needed."""
        found = []
        for name, population in self.basis.variants:
            other = PowerCurve(population, self.curve.level, self.curve.offsets)
            answer: float | None = None
            if units is not None:
                answer = other.detectable(units, self.asked.power)
            elif difference is not None and difference <= population.largest:
                answer = other.needed(difference, self.asked.power)
            found.append((name, answer if answer is None else steady(answer)))
        return tuple(found)

    def notices(self) -> list[Notice]:
        """Warn where simulation and figures could not be brought together."""
        if all(each.agrees(errors=3.0) for each in self.checks):
            return []
        text = "The figures are rough: simulated test sets do not quite bear them out."
        return [Notice("rough-plan", text)]


def _correction(check: Check) -> float:
    """Return how far the formula is off, in probits, as far as a simulation can tell.

    Formula and simulation are weighted by how precise each is.
    """
    expected = probit(check.expected)
    slope = NormalDist().pdf(expected)
    error = standard_error(check.expected, check.sets) / slope
    formula = _FORMULA_ERROR / math.sqrt(check.units)
    return (probit(check.share) - expected) * formula**2 / (formula**2 + error**2)


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much simulating a check is worth: fewer sets of larger ones, and none beyond a size."""

    items: int
    fewest: int
    most: int
    largest: int

    def sets(self, items: int) -> int:
        """Return the number of sets of so many items; large ones need no check of the formula."""
        if items > self.largest:
            return 0
        return max(self.fewest, min(self.most, self.items // items))


_RATIOS = _Effort(items=1_000_000, fewest=500, most=2_000, largest=20_000)
_FUNCTIONS = _Effort(items=500_000, fewest=200, most=400, largest=3_000)
"""Metrics that are no ratios, which take far longer to shuffle"""


def _record(plan: Plan) -> dict[str, Any]:
    basis, asked = plan.basis, plan.asked
    return {
        "tellapart": importlib.metadata.version("tellapart"),
        "metric": basis.metric,
        "source": basis.source,
        "alpha": asked.alpha,
        "pairs": asked.pairs,
        "level": asked.level,
        "power": asked.power,
        "seed": asked.seed,
        "unit": basis.cluster or basis.kind,
        "items_per_unit": basis.per_unit,
        "units": plan.units,
        "items": None if plan.units is None else plan.items(plan.units),
        "detectable": plan.detectable,
        "difference": plan.difference,
        "needed": plan.needed,
        "needed_items": None if plan.needed is None else plan.items(plan.needed),
        "found": plan.found,
        "table": {"by_units": _dicts(plan.numbers), "by_difference": _dicts(plan.sizes)},
        "curve": _dicts(plan.curve),
        "assumptions": list(basis.assumptions),
        "variants": [{"correlation": name, "answer": answer} for name, answer in plan.variants],
        "checks": [{**asdict(each), "share": each.share, "error": each.error}
                   for each in plan.checks],
        "warnings": [{"code": each.code, "text": each.text} for each in plan.notices],
    }  # fmt: skip


def _dicts(rows: tuple[Row, ...]) -> list[dict[str, float]]:
    return [asdict(row) for row in rows]
