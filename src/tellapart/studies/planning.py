"""Plans: the smallest difference that a test set can show, and what it takes to show another."""

from __future__ import annotations

import importlib.metadata
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from tellapart.errors import UsageError
from tellapart.notices import Notice
from tellapart.resampling.workers import Progress, no_progress
from tellapart.significance.diagnostics import steady
from tellapart.studies.bases import Basis, refuse_few_units
from tellapart.studies.planted import Check, count_found
from tellapart.studies.power import PowerCurve, fewest_units, probit

_ATTEMPTS = 5  # at bringing formula and simulation together
_ITEMS_DRAWN = 1_000_000  # in the simulated sets of a check, where that leaves enough sets
_FEWEST_SETS, _MOST_SETS = 500, 2_000
_MOST_ITEMS = 20_000  # in a set; beyond, the formula needs no check
_POINTS = 33
_FACTORS = (0.25, 0.5, 1, 2, 4)  # of the number of units, in the table


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
    unit = basis.cluster or basis.kind
    if units is not None:
        refuse_few_units(units, unit, asked.level)
    curve, checks = PowerCurve(basis.population, asked.level), list[Check]()
    detectable = None
    if units is not None:
        curve, detectable, done = _settle_difference(curve, basis, asked, units, progress)
        checks += done
    difference = asked.difference or basis.difference or (detectable and detectable / 2)
    if difference is None and units is None:
        raise UsageError("give --items or --difference: there is nothing to work out yet")
    needed = None
    if difference is not None:
        _refuse_difference(difference, basis)
        curve, needed, done = _settle_units(curve, basis, asked, difference, progress)
        checks += done
    anchor = units or needed or fewest_units(asked.level)
    notices = list(basis.notices)
    if not all(each.agrees(errors=3.0) for each in checks):
        text = "The figures are rough: simulated test sets do not quite bear them out."
        notices.append(Notice("rough-plan", text))
    return Plan(
        asked,
        basis,
        units,
        _steady(detectable),
        difference,
        needed,
        None if units is None or difference is None else steady(curve.power(units, difference)),
        _needed_rows(curve, basis, asked, anchor),
        _rows(curve, basis, asked, [max(fewest_units(asked.level), round(anchor * factor))
                                    for factor in _FACTORS]),
        _rows(curve, basis, asked, _spaced(anchor, asked.level)),
        _variants(curve, basis, asked, units, difference),
        tuple(checks),
        tuple(notices),
    )  # fmt: skip


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


def _settle_difference(
    curve: PowerCurve, basis: Basis, asked: Asked, units: int, progress: Progress
) -> tuple[PowerCurve, float | None, list[Check]]:
    """Find the smallest difference for a number of units, and check it."""

    def answer(current: PowerCurve) -> tuple[int, float] | None:
        found = current.detectable(units, asked.power)
        return None if found is None else (units, found)

    curve, done = _settle(curve, basis, asked, answer, (1, progress))
    return curve, curve.detectable(units, asked.power), done


def _settle_units(
    curve: PowerCurve, basis: Basis, asked: Asked, difference: float, progress: Progress
) -> tuple[PowerCurve, int | None, list[Check]]:
    """Find the number of units for a difference, and check it."""

    def answer(current: PowerCurve) -> tuple[int, float] | None:
        found = current.needed(difference, asked.power)
        return None if found is None else (found, difference)

    curve, done = _settle(curve, basis, asked, answer, (2, progress))
    return curve, curve.needed(difference, asked.power), done


def _settle(
    curve: PowerCurve,
    basis: Basis,
    asked: Asked,
    answer: Callable[[PowerCurve], tuple[int, float] | None],
    stage: tuple[int, Progress],
) -> tuple[PowerCurve, list[Check]]:
    """Simulate at the answer; where it is not borne out, correct the curve and answer again."""
    for attempt in range(_ATTEMPTS):
        found = answer(curve)
        if found is None:
            break
        units, difference = found
        sets = _sets(asked, units * basis.population.clusters.size)
        if not sets:
            break
        expected = curve.power(units, difference)
        found_sets = count_found(
            basis.population.at(difference),
            units,
            asked.level,
            sets,
            (asked.seed, stage[0], attempt),
            stage[1],
        )
        done = Check(units, steady(difference), sets, found_sets, steady(expected))
        if basis.population.spread(difference).counted(units):
            return curve, [done]
        if done.agrees() or attempt == _ATTEMPTS - 1:
            return curve.corrected(units, 0.0), [done]
        curve = curve.corrected(units, probit(done.share) - probit(expected))
    return curve, []


def _sets(asked: Asked, items: int) -> int:
    """Return how many test sets to simulate: fewer of larger ones."""
    if asked.sets is not None:
        return asked.sets
    if items > _MOST_ITEMS:
        return 0
    return max(_FEWEST_SETS, min(_MOST_SETS, _ITEMS_DRAWN // items))


def _rows(curve: PowerCurve, basis: Basis, asked: Asked, numbers: list[int]) -> tuple[Row, ...]:
    found = ((n, curve.detectable(n, asked.power)) for n in dict.fromkeys(numbers))
    return tuple(
        Row(n, round(n * basis.per_unit), steady(difference))
        for n, difference in found
        if difference is not None
    )


def _needed_rows(curve: PowerCurve, basis: Basis, asked: Asked, anchor: int) -> tuple[Row, ...]:
    """Tell how many units round differences need, smaller and larger than the detectable one."""
    centre = curve.detectable(anchor, asked.power) or curve.population.largest / 2
    power = math.floor(math.log10(centre))
    rounds = [step * 10.0**k for k in range(power - 1, power + 2) for step in (1, 2, 3, 5)]
    near = [size for size in rounds if centre / 5 <= size <= 3 * centre]
    rows = []
    for size in near:
        size = float(f"{size:.6g}")
        needed = curve.needed(size, asked.power) if size <= curve.population.largest else None
        if needed is not None:
            rows.append(Row(needed, round(needed * basis.per_unit), size))
    return tuple(rows)


def _spaced(anchor: int, level: float) -> list[int]:
    """Return numbers of units around one, evenly spaced by ratio."""
    steps = (8 ** (2 * k / (_POINTS - 1) - 1) for k in range(_POINTS))
    return [max(fewest_units(level), round(anchor * step)) for step in steps]


def _variants(
    curve: PowerCurve, basis: Basis, asked: Asked, units: int | None, difference: float | None
) -> tuple[tuple[str, float | None], ...]:
    found = []
    for name, population in basis.variants:
        other = PowerCurve(population, curve.level, curve.offsets)
        answer: float | None = None
        if units is not None:
            answer = _steady(other.detectable(units, asked.power))
        elif difference is not None and difference <= population.largest:
            answer = other.needed(difference, asked.power)
        found.append((name, answer))
    return tuple(found)


def _steady(value: float | None) -> float | None:
    return None if value is None else steady(value)


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
