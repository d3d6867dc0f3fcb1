"""Plans: power, the smallest difference that is found, the items needed, and the command."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tellapart as ta
from tellapart.comparison.diagnostics import items_to_settle
from tellapart.comparison.plan import Question, from_pilot, from_scores, make_plan
from tellapart.counts import Counts
from tellapart.metrics.scores import metrics_of, score_counts
from tellapart.report.plan import render_plan

SETS = 2_000
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _told_apart(first: Floats, second: Floats, rng: np.random.Generator) -> Ints:
    """Test sets (sets × clusters × (numerator, denominator)) by 999 random exchanges, plainly."""
    x, y = np.moveaxis(first - second, 2, 0)  # sets × clusters
    top, bottom = np.moveaxis((first + second).sum(axis=1), 1, 0)
    signs = rng.choice([-1.0, 1.0], (999, x.shape[1]))

    def differences(c: Floats, d: Floats) -> Floats:
        return np.asarray(np.abs((top + c) / (bottom + d) - (top - c) / (bottom - d)))

    measured = differences(x.sum(axis=1), y.sum(axis=1))
    reached = differences(signs @ x.T, signs @ y.T) >= measured - 1e-9
    return np.asarray((reached.sum(axis=0) + 1) / 1000 <= 0.05, np.int64)


def _right_answers(rng: np.random.Generator, difference: float, items: int) -> Floats:
    """Two systems of accuracies 0.7 and 0.7 + difference, correlated by 0.5."""
    a, b = 0.7, 0.7 + difference
    both = a * b + 0.5 * math.sqrt(a * (1 - a) * b * (1 - b))
    cells = [both, a - both, b - both, 1 - a - b + both]
    cell = rng.choice(4, items, p=cells)
    right = np.stack([cell <= 1, (cell == 0) | (cell == 2)], axis=1)
    return np.stack([right, np.ones_like(right)], axis=2).astype(float)  # item × system × form


def _error(share: float, sets: int) -> float:
    return math.sqrt(share * (1 - share) / sets)


def test_plan_agrees_with_brute_force() -> None:
    """The difference that a plan calls detectable is found as often as it says."""
    plan = make_plan(from_scores(0.7, 0.8), Question(items=150, seed=3))
    rng = np.random.default_rng(151)
    drawn = _right_answers(rng, plan.detectable, SETS * 150).reshape(SETS, 150, 2, 2)
    share = float(_told_apart(drawn[:, :, 0], drawn[:, :, 1], rng).mean())
    assert abs(share - 0.8) <= 0.005 + 3 * _error(0.8, SETS)


def test_pilot_agrees_with_resampling_it() -> None:
    """At the pilot's own difference, drawing its items as they are gives the power of the plan."""
    counts = ta.example("muc4").systems["GE", "SRI"]
    scenario = from_pilot(counts, "f1")
    difference = abs(scenario.basis.difference or 0)
    plan = make_plan(scenario, Question(difference=difference))
    rng = np.random.default_rng(8)
    scores = score_counts(counts, metrics_of(counts, ["f1"])[0])
    forms = scores.columns.transpose(2, 1, 0).astype(float)  # item × system × form
    drawn = forms[rng.integers(0, 100, (SETS, 100))]
    share = float(_told_apart(drawn[:, :, 0], drawn[:, :, 1], rng).mean())
    assert share == pytest.approx(plan.found, abs=0.04)


PAIRS_OF_SYSTEMS = [("AB", 1), ("ABCD", 6)]


@pytest.mark.parametrize(("systems", "pairs"), PAIRS_OF_SYSTEMS)
@pytest.mark.parametrize("kind", ["right or wrong", "real", "clusters", "f1"])
def test_a_plan_says_what_the_report_says(kind: str, systems: str, pairs: int) -> None:
    rng = np.random.default_rng(len(kind))
    values: dict[str, NDArray[np.generic]] = {
        name: rng.normal(0, 1, 40).round(3)
        if kind == "real"
        else rng.integers(0, 4, (40, 3))
        if kind == "f1"
        else rng.integers(0, 2, 240 if kind == "clusters" else 60)
        for name in systems
    }
    columns = ["tp", "fp", "fn"] if kind == "f1" else None
    labels = {"doc": [f"d{k // 6}" for k in range(240)]} if kind == "clusters" else None
    counts = Counts.from_arrays(values, columns, labels=labels)
    cluster, metric = ("doc" if kind == "clusters" else None), ("f1" if kind == "f1" else "mean")
    report = ta.compare(counts, metrics=metric, cluster=cluster, intervals=False)
    scenario = from_pilot(counts, metric, pair=("A", "B"), cluster=cluster)
    plan = make_plan(scenario, Question(pairs=pairs))
    told = report.pair("A", "B").diagnostics.detectable
    assert plan.detectable == pytest.approx(told, rel=1e-6)


def _in_runs(runs: int, spread: float, items: int = 60) -> Counts:
    """Two systems with runs of their own quality, as files of ready scores give them."""
    rng = np.random.default_rng(runs)
    ease = rng.normal(0, 1, items)
    found = {
        name: (ease + rng.normal(lead, spread, (runs, 1)) + rng.normal(0, 0.5, (runs, items)))
        for name, lead in (("old", 0.0), ("new", 0.4))
    }
    rows = [
        {"system": name, "item": f"i{k}", "run": f"r{run}", "score": round(float(value), 3)}
        for name, values in found.items()
        for run, own in enumerate(values)
        for k, value in enumerate(own)
    ]
    counts = ta.read(rows)
    assert isinstance(counts, Counts)
    return counts


def test_what_helps_most_for_its_cost() -> None:
    """Dear items leave runs to be made; per answer alone, what varies most."""
    counts = _in_runs(12, spread=0.0)
    dear = {"item": 100.0, "run": 1.0, "answer": 0.001}
    cheap = from_pilot(counts, "mean").basis
    priced = from_pilot(counts, "mean", Question(costs=dear)).basis
    falls = {name: cheap.shares[name] + cheap.shares["residual"] for name in ("items", "runs")}
    assert cheap.helps == pytest.approx({name: own / 11 for name, own in falls.items()})
    assert cheap.helps["items"] > cheap.helps["runs"]
    # 60 items, 12 runs, 720 answers: of 6012.72, items cost 6000.72 and runs 12.72.
    assert priced.helps["items"] == pytest.approx(
        falls["items"] * (1 - 1 / (1 + 601.272 / 6000.72))
    )
    assert priced.helps["runs"] == pytest.approx(falls["runs"] * (1 - 1 / (1 + 601.272 / 12.72)))
    assert priced.helps["runs"] > priced.helps["items"]


def test_runs_that_could_be_others_bound_what_items_can_show() -> None:
    """Items shrink their own part of the variance alone; more runs the larger part of it."""
    counts = _in_runs(12, spread=0.4)
    report = ta.compare(counts, intervals=False)
    plan = make_plan(from_pilot(counts, "mean"), Question())
    told = report.pairs[0].diagnostics.detectable
    assert plan.detectable == pytest.approx(told, rel=1e-6)
    assert plan.basis.shares["runs"] > 0.5
    assert 0.9 * (plan.detectable or 0) < plan.curve[120] < (plan.detectable or 0)
    assert plan.needed is None  # half of it: runs alone vary by more
    text = " ".join(render_plan(plan).split())
    assert "for half of it, 0." in text
    assert "no number of items will do" in text


def _settled(won: int, lost: int, items: int = 100, **options: Any) -> int | None:
    old = [1] * lost + [0] * won + [1] * (items - won - lost)
    new = [0] * lost + [1] * won + [1] * (items - won - lost)
    result = ta.compare({"old": old, "new": new}, **options)
    return items_to_settle(result.scored[0], result.record.pairs[0], level=0.05)


def test_items_that_would_settle_it_are_those_that_are_needed() -> None:
    first, second = [1] * 30 + [0] * 20 + [1] * 50, [0] * 30 + [1] * 20 + [1] * 50
    scenario = from_pilot(Counts.from_arrays({"A": first, "B": second}), "mean")
    plan = make_plan(scenario, Question(difference=0.1))
    assert _settled(30, 20) == plan.needed - 100


@pytest.mark.parametrize(
    ("won", "lost", "options", "found"),
    [
        (40, 10, {}, False),  # shown already
        (20, 20, {}, False),  # nothing to be shown
        (30, 20, {"tail": "less"}, True),
        (30, 20, {"tail": "greater"}, False),  # the other system is ahead
        (21, 20, {"margin": 0.05}, True),
        (40, 10, {"margin": 0.05}, False),  # no worse, which is shown already
        (0, 20, {"margin": 0.05}, False),  # worse than the margin
    ],
)
def test_what_would_settle_it(won: int, lost: int, options: dict[str, Any], found: bool) -> None:
    assert (_settled(won, lost, **options) is not None) == found
