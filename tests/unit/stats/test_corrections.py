"""Adjusted p-values, experimentwise error, and groups of systems."""

from __future__ import annotations

import importlib
import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studies.riezler.levels import experimentwise_error, per_comparison_level
from tellapart.stats.corrections import (
    Groups,
    adjust,
    groups,
    implied_levels,
    least_shuffles,
    letters,
)


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


module = importlib.import_module("tellapart.stats.corrections")
Flags = NDArray[np.bool_]


def matrix(systems: int, pairs: Any) -> Flags:
    found = np.zeros((systems, systems), np.bool_)
    for a, b in pairs:
        found[a, b] = found[b, a] = True
    return found


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[list[int], Flags]:
    """Return up to seven systems, some with equal scores, and which pairs are different."""
    scores = draw(st.lists(st.integers(0, 4), max_size=7))
    pairs = list(combinations(range(len(scores)), 2))
    different = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return scores, matrix(len(scores), different)


@given(comparisons())
def test_groups_are_the_maximal_sets_in_order(comparison: tuple[list[int], Flags]) -> None:
    scores, different = comparison
    found = groups(scores, different)
    assert list(found.order) == sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    alike = [
        frozenset(members)
        for size in range(1, len(scores) + 1)
        for members in combinations(range(len(scores)), size)
        if not different[np.ix_(members, members)].any()
    ]
    maximal = {group for group in alike if not any(group < other for other in alike)}
    assert len(found.members) == len(maximal)
    assert {frozenset(group) for group in found.members} == maximal
    ranks = [[found.order.index(system) for system in group] for group in found.members]
    assert all(group == sorted(group) for group in ranks)
    assert ranks == sorted(ranks)


def test_letters_after_z() -> None:
    """Where a letter may be two characters, letters are kept apart."""
    chain = letters(Groups(tuple(range(29)), tuple(pairwise(range(29)))))
    assert [chain[k] for k in (0, 26, 27, 28)] == ["a", "z aa", "aa ab", "ab"]
    alone = letters(Groups(tuple(range(800)), tuple((k,) for k in range(800))))
    assert [alone[k] for k in (25, 26, 701, 702)] == ["z", "aa", "zz", "aaa"]


def test_too_many_groups_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six systems, each different from one partner, and one apart: 8 groups and itself."""
    apart = [(0, 1), (2, 3), (4, 5), *((k, 6) for k in range(6))]
    monkeypatch.setattr(module, "MAX_GROUPS", 8)
    assert groups(-np.arange(7), matrix(7, apart)).members == ()
    monkeypatch.setattr(module, "MAX_GROUPS", 9)
    assert len(groups(-np.arange(7), matrix(7, apart)).members) == 9
