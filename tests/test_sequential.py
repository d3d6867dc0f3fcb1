"""When to stop shuffling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tellapart.errors import UsageError
from tellapart.significance.sequential import (
    robbins_settled,
    robbins_value,
)


@pytest.fixture(scope="module")
def expected(reference_data: Path) -> dict[str, Any]:
    content = json.loads((reference_data / "significance/expected.json").read_text())
    sequential: dict[str, Any] = content["sequential"]
    return sequential


def test_robbins_value_by_hand() -> None:
    """After 3 shuffles with 1 exceedance: 4 * C(3,1) * 0.1 * 0.9^2 = 0.972."""
    assert float(robbins_value(3, 1, 0.1)) == pytest.approx(0.972, rel=1e-14)
    assert float(robbins_value(0, 0, 0.1)) == 1.0


@given(st.integers(1, 2_000_000), st.floats(0, 1), st.floats(0.001, 0.5))
@settings(max_examples=50, deadline=None)
def test_robbins_value_is_a_scaled_binomial(shuffles: int, share: float, alpha: float) -> None:
    exceedances = int(share * shuffles)
    oracle = (shuffles + 1) * stats.binom.pmf(exceedances, shuffles, alpha)

    value = float(robbins_value(shuffles, exceedances, alpha))

    assert value == pytest.approx(oracle, rel=1e-7, abs=1e-200)


def test_robbins_points_of_the_reference(expected: dict[str, Any]) -> None:
    for point in expected["robbins_interval"]["points"]:
        arguments = (point["n"], point["exceedances"], point["alpha"])
        assert float(robbins_value(*arguments)) == pytest.approx(point["value"], rel=1e-9)
        assert bool(robbins_settled(*arguments, point["eps"])) is point["decided"]


def test_robbins_extreme_paths_of_the_reference(expected: dict[str, Any]) -> None:
    drawn = np.arange(1, 2000)
    for path in expected["robbins_interval"]["extreme_paths"]:
        none = robbins_settled(drawn, np.zeros_like(drawn), path["alpha"], path["eps"])
        every = robbins_settled(drawn, drawn, path["alpha"], path["eps"])
        assert drawn[np.argmax(none)] == path["shuffles_to_decide_if_no_exceedance"]
        assert drawn[np.argmax(every)] == path["shuffles_to_decide_if_every_shuffle_exceeds"]


def test_robbins_for_pairs_and_levels_at_once() -> None:
    exceedances, levels = np.array([20, 40, 85]), np.array([0.01, 0.05])

    settled = robbins_settled(1000, exceedances[:, None], levels)

    one_by_one = [[bool(robbins_settled(1000, c, a)) for a in levels] for c in exceedances]
    assert settled.tolist() == one_by_one


def test_estimate_at_alpha_itself_is_never_settled() -> None:
    drawn = np.arange(20, 1_000_000, 20)

    assert not robbins_settled(drawn, drawn // 20, 0.05).any()


@pytest.mark.parametrize("exact_p", [0.03, 0.075])
def test_robbins_rule_seldom_decides_against_the_exact_test(exact_p: float) -> None:
    """With error 0.05 at most 5 % of runs may ever settle on the wrong side of alpha."""
    runs, shuffles = 400, 2000
    reached = np.random.default_rng(1).random((runs, shuffles)) < exact_p
    exceedances, drawn = reached.cumsum(axis=1), np.arange(1, shuffles + 1)
    settled = robbins_settled(drawn, exceedances, 0.05, error=0.05)
    rejecting = exceedances <= 0.05 * drawn
    first = settled.argmax(axis=1)

    decided = settled.any(axis=1)
    wrong = decided & (rejecting[np.arange(runs), first] != (exact_p < 0.05))

    assert decided.mean() > 0.5
    assert wrong.sum() <= runs * 0.05


def test_impossible_robbins_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="exceedances"):
        robbins_value(3, 4, 0.05)
    with pytest.raises(UsageError, match="alpha"):
        robbins_value(3, 1, np.array([0.05, 1.0]))
