"""Corrections from shared shuffles."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.significance.corrections import adjust
from tellapart.significance.joint_formulas import MaxT, min_p, tukey

Floats = NDArray[np.float64]


@dataclass
class Enumerated:
    """A small comparison with all its coin sequences."""

    differences: Floats  # items × pairs

    @property
    def observed(self) -> Floats:
        """Absolute sum of differences for each pair."""
        return np.asarray(np.abs(self.differences.sum(axis=0)))

    @property
    def null(self) -> Floats:
        """Absolute sums after each sequence of coins (sequences × pairs)."""
        coins = np.array(list(product((1, -1), repeat=len(self.differences))))
        return np.asarray(np.abs(coins @ self.differences))


def all_pairs(scores: Floats) -> Floats:
    """Differences first - second of every pair of systems (items × systems → items × pairs)."""
    pairs = list(combinations(range(scores.shape[1]), 2))
    return np.stack([scores[:, i] - scores[:, j] for i, j in pairs], axis=1)


def max_t(observed: Floats, null: Floats, enumerated: bool, single_step: bool = False) -> Floats:
    tests = MaxT(observed, single_step)
    tests.add(null)
    return tests.adjusted(enumerated)


def fractions(p_values: Floats, total: int) -> list[Fraction]:
    """Write the p-values as exact multiples of 1/total."""
    counts = p_values * total
    assert np.all(counts == np.rint(counts))
    return [Fraction(int(count), total) for count in counts]


def random_case(seed: int, items: int = 6, systems: int = 4) -> Enumerated:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, size=(items, systems)) + np.arange(systems)
    return Enumerated(all_pairs(scores.astype(np.float64)))


def test_fractions_of_the_reference(reference_data: Path) -> None:
    """Raw, single-step maxT, step-down maxT, step-down minP and Holm p are equal fractions."""
    content = json.loads((reference_data / "significance/expected.json").read_text())
    expected: dict[str, Any] = content["westfall_young_exact"]
    scores = np.array(list(expected["scores"].values()), dtype=np.float64).T
    case = Enumerated(all_pairs(scores))
    observed, null = case.observed, case.null
    raw = np.count_nonzero(null >= observed, axis=0) / 256
    found = {
        "raw_p": raw,
        "maxT_single_step": max_t(observed, null, True, single_step=True),
        "maxT_step_down": max_t(observed, null, True),
        "minP_step_down": min_p(observed, null, True),
        "holm": adjust(raw, "holm"),
    }

    names = list(combinations(expected["scores"], 2))
    assert [tuple(row["pair"]) for row in expected["pairs"]] == names
    assert observed.tolist() == [row["abs_sum_difference"] for row in expected["pairs"]]
    for key, p_values in found.items():
        assert fractions(p_values, 256) == [Fraction(row[key]) for row in expected["pairs"]], key


def test_max_t_by_hand() -> None:
    """Shuffles whose maximum over both pairs reaches 3: one; over the second pair alone 2: two."""
    observed = np.array([2.0, 3.0])
    null = np.array([[0.0, 3.0], [2.0, 0.0], [2.5, 1.0], [0.0, 0.0]])

    assert max_t(observed, null, False).tolist() == [3 / 5, 2 / 5]
    assert max_t(observed, null, False, single_step=True).tolist() == [4 / 5, 2 / 5]


def test_running_maximum_keeps_the_order() -> None:
    """A pair whose own count is small gets no smaller p than one with a larger statistic."""
    observed = np.array([3.0, 2.9])
    null = np.array([[3.0, 0.0], [3.0, 0.0], [0.0, 0.0]])

    assert max_t(observed, null, False).tolist() == [3 / 4, 3 / 4]


def brute_step_down(observed: Floats, null: Floats) -> list[Fraction]:
    """Compute enumerated step-down maxT by its definition, one shuffle and pair at a time."""
    order = sorted(range(len(observed)), key=lambda j: -observed[j])
    p_values, running = [Fraction(0)] * len(observed), Fraction(0)
    for place, j in enumerate(order):
        reached = [max(row[i] for i in order[place:]) >= observed[j] for row in null]
        running = max(running, Fraction(sum(reached), len(null)))
        p_values[j] = running
    return p_values


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_max_t_is_its_definition(seed: int) -> None:
    case = random_case(seed)
    found = max_t(case.observed, case.null, True)

    assert fractions(found, 64) == brute_step_down(case.observed, case.null)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_min_p_is_max_t_of_negative_p(seed: int) -> None:
    """With the negative p-values of the shuffles as statistics, maxT is minP."""
    case = random_case(seed)
    observed, null = case.observed, case.null
    ranks = np.array([[np.sum(null[:, j] >= value) for j, value in enumerate(row)] for row in null])
    own = np.array([np.sum(null[:, j] >= value) for j, value in enumerate(observed)])

    expected = brute_step_down(-own.astype(np.float64), -ranks.astype(np.float64))

    assert fractions(min_p(observed, null, True), 64) == expected


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=25, deadline=None)
def test_shards_give_the_same_as_one_run(seed: int, single_step: bool) -> None:
    case = random_case(seed)
    whole, first, second = (MaxT(case.observed, single_step) for _ in range(3))
    whole.add(case.null)
    first.add(case.null[:5])
    first.add(case.null[5:20])
    second.add(case.null[20:])
    first.merge(second)

    assert first.counts.tolist() == whole.counts.tolist()
    assert first.shuffles == whole.shuffles == 64
    assert first.adjusted(False).tolist() == whole.adjusted(False).tolist()


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_adjusted_p_lies_between_raw_and_single_step(seed: int) -> None:
    case = random_case(seed)
    observed, null = case.observed, case.null
    raw = np.count_nonzero(null >= observed, axis=0) / 64
    step_down = max_t(observed, null, True)
    single_step = max_t(observed, null, True, single_step=True)

    assert np.all(raw <= step_down)
    assert np.all(step_down <= single_step)
    assert np.all(raw <= min_p(observed, null, True))
    assert np.all(min_p(observed, null, True) <= adjust(raw, "holm") + 1e-15)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_order_of_pairs_does_not_matter(seed: int) -> None:
    case = random_case(seed)
    observed, null = case.observed, case.null
    places = np.random.default_rng(seed).permutation(observed.size)
    moved = observed[places], null[:, places]

    assert max_t(*moved, False).tolist() == max_t(observed, null, False)[places].tolist()
    assert min_p(*moved, False).tolist() == min_p(observed, null, False)[places].tolist()


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_one_pair_is_not_adjusted(seed: int) -> None:
    case = random_case(seed, systems=2)
    observed, null = case.observed, case.null[1:]
    raw = [(1 + np.count_nonzero(null >= observed)) / 64]

    assert max_t(observed, null, False).tolist() == raw
    assert max_t(observed, null, False, single_step=True).tolist() == raw
    assert min_p(observed, null, False).tolist() == raw
    assert tukey(observed, null[:, 0]).tolist() == raw


@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_min_p_ignores_the_scales_of_pairs(seed: int) -> None:
    case = random_case(seed)
    scales = np.random.default_rng(seed).uniform(0.001, 1000, case.observed.size)

    rescaled = min_p(case.observed * scales, case.null * scales, False)

    assert rescaled.tolist() == min_p(case.observed, case.null, False).tolist()


def test_ties_split_by_rounding_count() -> None:
    """0.1 + 0.2 is not 0.3 in binary, but reaches it, and is reached by it."""
    observed, null = np.array([0.1 + 0.2]), np.array([[0.3], [0.1 + 0.2], [0.1]])

    assert max_t(observed, null, False).tolist() == [3 / 4]
    assert min_p(observed, null, False).tolist() == [3 / 4]
    assert tukey(observed, null[:, 0]).tolist() == [3 / 4]


def test_identical_systems_have_p_one() -> None:
    observed, null = np.array([0.0, 5.0]), np.array([[0.0, 5.0], [0.0, 1.0], [0.0, 2.0]])

    assert max_t(observed, null, False)[0] == 1.0
    assert min_p(observed, null, False)[0] == 1.0
    assert tukey(observed, null[:, 1])[0] == 1.0


def test_min_p_beyond_all_shuffles_still_pays_for_the_family() -> None:
    """Of k unrelated pairs one tops all its shuffles: so does some pair in about k shuffles."""
    shuffles, pairs = 999, 6
    rng = np.random.default_rng(3)
    null = rng.permuted(np.tile(np.arange(shuffles, dtype=np.float64), (pairs, 1)), axis=1).T
    observed = np.array([shuffles + 1.0] + [shuffles / 2] * (pairs - 1))

    # The five shuffles that are the largest of the other pairs, and the observed assignment.
    assert min_p(observed, null, False)[0] == (5 + 1) / 1000


@pytest.mark.parametrize("method", ["maxt", "maxt-single", "minp", "tukey"])
def test_null_data_are_rejected_at_the_level(method: str) -> None:
    """Four systems without a difference: some pair has p <= 0.2 in at most about 0.2 of cases."""
    cases, items, shuffles, alpha = 400, 12, 59, 0.2
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(cases):
        scores = rng.normal(size=(items, 4))
        differences = all_pairs(scores)
        observed = np.abs(differences.mean(axis=0))
        coins = rng.choice([-1.0, 1.0], size=(shuffles, items))
        null = np.abs(coins @ differences) / items
        if method == "tukey":
            mixed = rng.permuted(np.tile(scores, (shuffles, 1, 1)), axis=2).mean(axis=1)
            p_values = tukey(observed, np.ptp(mixed, axis=1))
        elif method == "minp":
            p_values = min_p(observed, null, False)
        else:
            p_values = max_t(observed, null, False, single_step=method == "maxt-single")
        rejected += bool(np.any(p_values <= alpha))

    spread = (alpha * (1 - alpha) / cases) ** 0.5
    assert 0.05 < rejected / cases <= alpha + 4 * spread


def test_tukey_by_hand() -> None:
    differences, ranges = [0.5, -0.2, 0.0], [0.1, 0.5, 0.2, 0.3]

    assert tukey(differences, ranges).tolist() == [2 / 5, 4 / 5, 1.0]
    assert tukey(differences, ranges, enumerated=True).tolist() == [1 / 4, 3 / 4, 1.0]


def test_tukey_of_two_systems_is_their_randomization_test() -> None:
    """With two systems and every order of both, the range is the absolute difference."""
    differences = np.array([3.0, -1.0, 2.0, 2.0])
    signs = np.array(list(product((1, -1), repeat=4)))

    p = tukey([differences.sum()], np.abs(signs @ differences), enumerated=True)

    assert p.tolist() == [4 / 16]  # all as they are, only the -1 turned, and both mirrored


def test_statistics_that_do_not_fit_are_refused() -> None:
    tests = MaxT(np.array([1.0, 2.0]), single_step=False)
    with pytest.raises(UsageError, match="one column for each of 2 pairs"):
        tests.add(np.zeros((4, 3)))
    with pytest.raises(UsageError, match="finite"):
        tests.add(np.array([[np.nan, 1.0]]))
    with pytest.raises(UsageError, match="finite"):
        MaxT(np.array([np.nan]), single_step=True)
    with pytest.raises(UsageError, match="merged"):
        tests.merge(MaxT(np.array([1.0, 2.0]), single_step=True))


def test_enumeration_without_the_observed_assignment_is_refused() -> None:
    """Its p-value would be 0."""
    with pytest.raises(UsageError, match="enumerated=False"):
        max_t(np.array([2.0]), np.array([[1.0]]), True)
    with pytest.raises(UsageError, match="enumerated=False"):
        MaxT(np.array([2.0]), single_step=False).adjusted(True)
