"""Adjusted p-values and experimentwise error."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studies.riezler.levels import experimentwise_error, per_comparison_level
from tellapart.errors import UsageError
from tellapart.stats.corrections import (
    METHODS,
    adjust,
    benjamini_hochberg,
    bonferroni,
    holm,
    implied_levels,
    least_shuffles,
    level_of_look,
)

families = st.lists(
    st.floats(0, 1, exclude_min=True) | st.sampled_from([1e-300, 1e-18, 0.05, 1.0]),
    min_size=1,
    max_size=12,
)


def test_by_hand() -> None:
    raw = [0.03, 0.01, 0.02]
    assert adjust(raw, "none").tolist() == raw
    assert bonferroni(raw) == pytest.approx([0.09, 0.03, 0.06])
    assert holm(raw) == pytest.approx([0.04, 0.03, 0.04])
    assert benjamini_hochberg(raw) == pytest.approx([0.03, 0.03, 0.03])
    assert all(adjust([p], method) == [p] for p in (0.037, 0.435, 1.0) for method in METHODS)
    assert all(adjust([], method).size == 0 for method in METHODS)


def test_reference(reference_data: Path) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)["multiplicity"]
    cases = expected["adjusted_p"]
    for method, key in (("bonferroni",) * 2, ("holm",) * 2, ("bh", "benjamini_hochberg")):
        assert adjust(cases["raw"], method) == pytest.approx(cases[key], rel=1e-12, abs=0)
    for case in expected["experimentwise"]:
        found = experimentwise_error(case["pc"], case["k"])
        assert found == pytest.approx(case["pe"], rel=1e-12, abs=0)
    for case in expected["sidak_per_comparison"]:
        found = per_comparison_level(case["pe"], case["k"])
        assert found == pytest.approx(case["pc"], rel=1e-12, abs=0)


@given(families)
def test_agrees_with_others(raw: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    names = "holm", "bonferroni"
    peers = {name: multitest.multipletests(raw, method=name)[1] for name in names}
    for method, peer in (peers | {"bh": stats.false_discovery_control(raw)}).items():
        assert adjust(raw, method) == pytest.approx(peer, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("method", ["none", "bonferroni", "holm"])
def test_a_test_at_its_implied_level_is_just_rejected(method: str) -> None:
    """The first to fail of a family whose others are rejected meets its own level."""
    others = [1e-6, 1e-5, 1e-4]
    level = float(implied_levels([*others, 0.03, 0.9], method, 0.05)[3])
    for factor, rejected in ((1 - 1e-9, True), (1 + 1e-9, False)):
        adjusted = adjust([*others, level * factor, 0.9], method)
        assert bool(adjusted[3] <= 0.05) is rejected


@given(st.floats(0.001, 0.5), st.integers(1, 1000))
def test_least_shuffles(error: float, k: int) -> None:
    least = least_shuffles(k, error)
    assert k / (least + 1) <= error
    assert least == 1 or k / least > error


def test_the_levels_of_all_looks_add_up_to_alpha() -> None:
    """So that a whole series of checks has a false alarm with a chance of alpha at most."""
    total = math.fsum(level_of_look(0.1, look) for look in range(1, 10_000))
    assert total == pytest.approx(0.1, rel=1e-3)
    assert total < 0.1


@pytest.mark.parametrize("p", [0.0, -0.1, 1.1, math.nan])
def test_bad_input_is_refused(p: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        adjust([0.5, p], "holm")
    with pytest.raises(UsageError, match="at least 1"):
        level_of_look(0.05, 0)
    with pytest.raises(UsageError, match="no correction 'hom'; there are none, bonferroni"):
        adjust([0.5], "hom")
