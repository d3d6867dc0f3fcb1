"""Groups of systems that are not shown to differ, and their letters."""

from __future__ import annotations

import importlib
import json
import math
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.stats.corrections import Groups, groups, letters

module = importlib.import_module("tellapart.stats.corrections")  # its name is the function's, too
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


def named(case: dict[str, Any], different: set[frozenset[str]]) -> tuple[list[str], Groups]:
    """Return the names of systems, and their groups."""
    names = sorted(case)
    pairs = [tuple(names.index(name) for name in pair) for pair in different]
    return names, groups([case[name] for name in names], matrix(len(names), pairs))


def check(case: dict[str, Any], different: set[frozenset[str]], wanted: dict[str, Any]) -> None:
    names, found = named(case, different)
    assert [[names[k] for k in group] for group in found.members] == wanted["groups"]
    if "letters" in wanted:
        assert dict(zip(names, letters(found), strict=True)) == wanted["letters"]
    if "order" in wanted:
        assert [names[k] for k in found.order] == wanted["order"]


def test_reference(reference_data: Path) -> None:
    """Published groupings, and groups of five systems by exact p-values."""
    expected = json.loads((reference_data / "significance/expected.json").read_text())
    for case in expected["grouping_examples"]:
        if "not_different" in case:
            alike = {frozenset(pair) for pair in case["not_different"]}
            pairs = {frozenset(pair) for pair in combinations(case["scores"], 2)}
            check(case["scores"], pairs - alike, case)
    cases = expected["multi_system_exact"]
    for key, wanted in cases["groups"].items():
        metric, alpha = key.split("@")
        rows = [row for row in cases["pairwise"] if row["metric"] == metric]
        scores = {
            name: float(Fraction(row[f"score_{side}"]))
            for row in rows
            for side, name in enumerate(row["pair"], start=1)
        }
        different = {frozenset(row["pair"]) for row in rows if row["p_two_sided"] <= float(alpha)}
        check(scores, different, wanted)


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


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="not finite"):
        groups([1.0, math.nan], np.zeros((2, 2)))
    for wrong in (np.zeros((2, 3)), [[False, True], [False, False]]):
        with pytest.raises(UsageError, match="symmetric matrix of 2 systems"):
            groups([1.0, 2.0], wrong)
