"""Groups of systems that are not shown to differ, and their letters."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.errors import UsageError
from tellapart.significance import groups as module
from tellapart.significance.groups import Groups, groups, letters
from tellapart.significance.p_value_confidence import confidence

Pairs = frozenset[frozenset[str]]


@pytest.fixture(scope="module")
def expected(reference_data: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        (reference_data / "significance/expected.json").read_text()
    )
    return content


def lists(found: Groups) -> list[list[str]]:
    return [list(group) for group in found.groups]


def all_but(scores: Mapping[str, float], not_different: list[list[str]]) -> Pairs:
    pairs = frozenset(frozenset(pair) for pair in combinations(scores, 2))
    return pairs - {frozenset(pair) for pair in not_different}


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[dict[str, float], Pairs]:
    """Up to seven systems, some with equal scores, and which pairs of them are different."""
    names = draw(st.lists(st.sampled_from("stuvwxyz"), unique=True, max_size=7))
    scores = {name: float(draw(st.integers(0, 4))) for name in names}
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    different = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return scores, frozenset(different)


def brute_groups(systems: tuple[str, ...], different: Pairs) -> set[frozenset[str]]:
    """Maximal sets without a different pair, out of all sets."""
    alike = [
        frozenset(members)
        for size in range(1, len(systems) + 1)
        for members in combinations(systems, size)
        if not any(frozenset(pair) in different for pair in combinations(members, 2))
    ]
    return {group for group in alike if not any(group < other for other in alike)}


def shared(given_letters: dict[str, str]) -> set[frozenset[str]]:
    return {
        frozenset(pair)
        for pair in combinations(given_letters, 2)
        if set(given_letters[pair[0]]) & set(given_letters[pair[1]])
    }


def test_groups_that_overlap_and_skip() -> None:
    scores = {"MDC": 24.33, "Paramax": 29.03, "SRA": 29.33}
    found = groups(scores, {frozenset(["MDC", "Paramax"])})

    assert found.systems == ("SRA", "Paramax", "MDC")
    assert lists(found) == [["SRA", "Paramax"], ["SRA", "MDC"]]
    assert found.skipped == ((), ("Paramax",))
    assert letters(found) == {"SRA": "ab", "Paramax": "a", "MDC": "b"}
    assert not found.stretches


def test_all_different_and_none_different() -> None:
    scores = {"a": 1.0, "b": 3.0, "c": 2.0}

    assert lists(groups(scores, all_but(scores, []))) == [["b"], ["c"], ["a"]]
    assert lists(groups(scores, frozenset())) == [["b", "c", "a"]]


def test_no_system_and_one_system() -> None:
    assert groups({}, frozenset()) == Groups((), ())
    assert letters(groups({"only": 0.5}, frozenset())) == {"only": "a"}


def test_lower_scores_first_where_lower_is_better() -> None:
    found = groups({"x": 0.3, "y": 0.1}, frozenset(), higher_is_better=False)

    assert found.systems == ("y", "x")


def test_equal_scores_are_ordered_by_name() -> None:
    for higher in (True, False):
        assert groups({"b": 1.0, "a": 1.0}, frozenset(), higher).systems == ("a", "b")


def test_function_is_asked_once_for_each_pair_the_better_first() -> None:
    asked = []

    def different(better: str, worse: str) -> bool:
        asked.append((better, worse))
        return False

    groups({"x": 1.0, "y": 3.0, "z": 2.0}, different)

    assert asked == [("y", "z"), ("y", "x"), ("z", "x")]


def test_grouping_examples_of_the_reference(expected: dict[str, Any]) -> None:
    examples = [case for case in expected["grouping_examples"] if "letters" in case]
    assert len(examples) == 2
    for case in examples:
        found = groups(case["scores"], all_but(case["scores"], case["not_different"]))
        assert lists(found) == case["groups"]
        assert letters(found) == case["letters"]


def test_groups_with_and_without_required_confidence(expected: dict[str, Any]) -> None:
    (case,) = (case for case in expected["grouping_examples"] if "levels" in case)
    shuffles: int = case["ns"]
    alpha: float = case["alpha"]
    p_values = {frozenset((first, second)): p for first, second, p in case["levels"]}
    below = {pair for pair, p in p_values.items() if p <= alpha}

    def exceedances(p: float) -> int:
        return round(p * (shuffles + 1)) - 1

    sure = {
        pair
        for pair in below
        if confidence(exceedances(p_values[pair]), shuffles, alpha) >= case["min_confidence"]
    }

    assert lists(groups(case["scores"], sure)) == case["groups"]
    without = lists(groups(case["scores"], below))
    assert without == case["groups_without_confidence_requirement"]


def test_five_systems_of_the_reference(expected: dict[str, Any]) -> None:
    """Groups and letters by five metrics at two levels, from exact p-values."""
    cases = expected["multi_system_exact"]
    for key, wanted in cases["groups"].items():
        metric, alpha = key.split("@")
        rows = [row for row in cases["pairwise"] if row["metric"] == metric]
        scores: dict[str, float] = {}
        for row in rows:
            for side, system in enumerate(row["pair"], start=1):
                scores[system] = float(Fraction(row[f"score_{side}"]))
        different = {frozenset(row["pair"]) for row in rows if row["p_two_sided"] <= float(alpha)}

        found = groups(scores, different)

        assert list(found.systems) == wanted["order"]
        assert lists(found) == wanted["groups"]
        assert letters(found) == wanted["letters"]


@given(comparisons())
@settings(max_examples=100, deadline=None)
def test_groups_are_the_maximal_sets(comparison: tuple[dict[str, float], Pairs]) -> None:
    scores, different = comparison
    found = groups(scores, different)

    assert len(found.groups) == len(set(found.groups))
    assert {frozenset(group) for group in found.groups} == brute_groups(found.systems, different)


@given(comparisons())
@settings(max_examples=100, deadline=None)
def test_groups_and_members_are_in_order(comparison: tuple[dict[str, float], Pairs]) -> None:
    scores, different = comparison
    found = groups(scores, different)
    ranks = [[found.systems.index(system) for system in group] for group in found.groups]

    assert list(found.systems) == sorted(scores, key=lambda name: (-scores[name], name))
    assert all(group == sorted(group) for group in ranks)
    assert ranks == sorted(ranks)
    for group, skipped in zip(ranks, found.skipped, strict=True):
        between = set(range(group[0], group[-1])) - set(group)
        assert skipped == tuple(found.systems[rank] for rank in sorted(between))


@given(comparisons(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_systems_share_a_letter_exactly_when_not_different(
    comparison: tuple[dict[str, float], Pairs], minimal: bool
) -> None:
    scores, different = comparison
    given_letters = letters(groups(scores, different), minimal)
    pairs = {frozenset(pair) for pair in combinations(scores, 2)}

    assert shared(given_letters) == pairs - different
    assert all(given_letters.values())
    used = sorted(set("".join(given_letters.values())))
    assert used == list("abcdefghijklmnopqrstuvwxyz"[: len(used)])


def test_minimal_letters_leave_a_covered_group_out() -> None:
    """Each pair of the group bce is also together in one of the other three."""
    alike = ["ab", "ac", "bc", "bd", "cd", "be", "ce", "bf", "ef", "cg", "eg", "ad"]
    scores = {name: float(-rank) for rank, name in enumerate("abcdefg")}
    found = groups(scores, all_but(scores, [list(pair) for pair in alike]))
    assert lists(found) == [list(group) for group in ("abcd", "bce", "bef", "ceg")]

    minimal = letters(found, minimal=True)

    assert minimal == {"a": "a", "b": "ab", "c": "ac", "d": "a", "e": "bc", "f": "b", "g": "c"}
    assert len(set("".join(letters(found).values()))) == 4


def test_letters_after_z() -> None:
    """Where a letter may be two characters, letters are kept apart."""
    names = [f"s{number:03}" for number in range(29)]
    chain = Groups(tuple(names), tuple(pairwise(names)))

    found = letters(chain)

    assert [found[name] for name in (names[0], names[26], names[27], names[28])] == [
        "a",
        "z aa",
        "aa ab",
        "ab",
    ]


def test_letters_of_many_groups() -> None:
    names = tuple(f"s{number:04}" for number in range(800))
    alone = letters(Groups(names, tuple((name,) for name in names)))

    assert [alone[names[number]] for number in (25, 26, 51, 52, 701, 702)] == [
        "z",
        "aa",
        "az",
        "ba",
        "zz",
        "aaa",
    ]


def test_too_many_groups_become_stretches_of_the_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six systems, each different from one partner, and one apart: 8 groups and itself."""
    monkeypatch.setattr(module, "MOST_GROUPS", 8)
    scores = {name: float(-rank) for rank, name in enumerate("abcdefz")}
    partners = {frozenset("ab"), frozenset("cd"), frozenset("ef")}
    apart = {frozenset((name, "z")) for name in "abcdef"}

    found = groups(scores, partners | apart)

    assert found.stretches
    assert lists(found) == [["a"], ["b", "c"], ["d", "e"], ["f"], ["z"]]
    assert letters(found) == dict(zip("abcdefz", "abbccde", strict=True))
    monkeypatch.setattr(module, "MOST_GROUPS", 9)
    assert len(groups(scores, partners | apart).groups) == 9


def test_real_cap_is_reached_quickly() -> None:
    """Thirty systems in fifteen different pairs have 2^15 groups."""
    scores = {f"s{number:02}": float(number) for number in range(30)}
    names = list(scores)
    partners = {frozenset(names[i : i + 2]) for i in range(0, 30, 2)}

    found = groups(scores, partners)

    assert found.stretches
    assert len(found.groups) == 16


def test_a_thousand_systems_alike() -> None:
    scores = {f"s{number:04}": 0.0 for number in range(1000)}

    assert groups(scores, frozenset()).groups == (tuple(scores),)


def test_systems_without_score_and_unknown_systems_are_refused() -> None:
    with pytest.raises(UsageError, match="without a score"):
        groups({"a": 1.0, "b": math.nan}, frozenset())
    for pair in (frozenset(["a", "x"]), frozenset(["a"])):
        with pytest.raises(UsageError, match="two of those with scores"):
            groups({"a": 1.0, "b": 2.0}, {pair})
