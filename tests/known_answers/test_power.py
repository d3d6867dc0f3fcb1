"""Power: by all outcomes, by brute force, by statsmodels, and what holds of every pilot."""

from __future__ import annotations

import importlib
import json
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import tellapart as ta
from known_answers.golden import GOLDEN, needs_golden
from tellapart.metrics import metric
from tellapart.metrics.scores import score_counts
from tellapart.stats.power import (
    AssumedScores,
    EstimatedError,
    ItemDifferences,
    Pilot,
    WinsAndLosses,
    detectable,
    needed,
    read_pilot,
)

module = importlib.import_module("tellapart.stats.power")  # its name is the function's, too
Floats = NDArray[np.float64]


def answers(won: float, lost: float) -> WinsAndLosses:
    return WinsAndLosses(won, lost, 1, assumed=True)


# --- items that are won, lost or tied: all outcomes, and SciPy's binomials ---


# --- other means: brute force, which shares no code ---


def brute_force(pilot: ItemDifferences, difference: float, n: int, level: float) -> float:
    """Draw 2,000 sets and flip their signs: all of up to twelve items, else 4,999 times."""
    rng = np.random.default_rng(n)
    sets = rng.choice(pilot.residuals, (2000, n)) + difference
    if n <= 12:
        signs = np.array(list(product((1.0, -1.0), repeat=n)))
    else:
        signs = np.concatenate([np.ones((1, n)), rng.choice([1.0, -1.0], (4999, n))])
    reached = np.abs(signs @ sets.T) >= np.abs(sets.sum(axis=1)) - 1e-9
    return float((reached.mean(axis=0) <= level).mean())


def item_differences(values: Floats) -> ItemDifferences:
    pilot = read_pilot(values)
    assert isinstance(pilot, ItemDifferences)
    return pilot


def _pilots() -> dict[str, ItemDifferences]:
    rng = np.random.default_rng(3)
    return {
        "normal": item_differences(rng.normal(0.1, 1, 300)),
        "skewed": item_differences(rng.exponential(1, 300)),
        "skewed the other way": item_differences(1.5 - rng.exponential(1, 300)),
        "heavy tails": item_differences(rng.standard_t(4, 300) + 0.1),
        "mostly ties": item_differences((rng.random(300) < 0.2) * rng.normal(0.2, 1, 300)),
    }


PILOTS = _pilots()


# --- t tests with a standard error of their own ---


def t_test(error: float, df: float) -> EstimatedError:
    """Return a pilot whose error does not depend on items, less what it is spread by."""
    return EstimatedError(lambda _: (error / (1 + 1 / (2 * df)), df), 100)


# --- margins ---


# --- what holds of every pilot ---

ANY_PILOT: dict[str, Pilot] = {
    **PILOTS,
    "right or wrong": answers(0.15, 0.1),
    "assumed": AssumedScores.of(0.6, 0.7),
}


# --- what cannot be told ---


# --- plans of version 0.1 ---


@needs_golden
@pytest.mark.parametrize(
    ("case", "table", "pair", "name"),
    [
        ("plan-60", "right_wrong_60", ("sysA", "sysB"), "score"),
        ("plan-250", "right_wrong_250", ("sysA", "sysB"), "score"),
        ("plan-decimals", "decimals_150", ("one", "three"), "score"),
        ("plan-f1", "tp_fp_fn", ("crf", "bert"), "f1"),
    ],
)
def test_plans_are_those_of_the_first_version(
    case: str, table: str, pair: tuple[str, str], name: str
) -> None:
    counts = ta.read(GOLDEN / "tables" / f"{table}.csv")
    chosen = ta.mean("score") if name == "score" else metric(name, counts.columns)
    scores = score_counts(counts, chosen)
    a, b = (counts.names.index(system) for system in pair)
    terms = scores.terms(a, b, "own")
    assert terms is not None
    pilot = read_pilot(terms.contributions * scores.n, differing=scores.differing(a, b))
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    (expected,) = (each["answer"]["plan"] for each in cases if each["name"] == case)
    found = detectable(pilot).difference
    assert found == pytest.approx(expected["detectable"], rel=0.06)
    assert found is not None
    assert needed(pilot, found / 2).n == pytest.approx(expected["needed"], rel=0.06)
