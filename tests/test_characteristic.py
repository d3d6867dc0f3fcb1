"""Sums with random signs by their characteristic function, against exact binomials and lattices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import tellapart as ta
from tellapart.metrics.projection import project
from tellapart.resampling import characteristic
from tellapart.resampling.characteristic import SignedTerms
from tellapart.resampling.signed_sums import inverted
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.questions import Question, as_tested


def two_kinds(sizes: tuple[float, float], times: tuple[int, int], reach: float) -> float:
    """Return the chance by binomials: of each sum of the one kind, the tail of the other."""
    heads = np.arange(times[0] + 1)
    rest = reach - sizes[0] * (2 * heads - times[0])
    least = np.ceil((rest / sizes[1] + times[1]) / 2 - 1e-9)
    return float(binom.pmf(heads, times[0], 0.5) @ binom.sf(least - 1, times[1], 0.5))


def bounds(terms: SignedTerms, reach: float) -> tuple[float, float]:
    found = terms.tail(reach)
    assert found is not None
    return found


@pytest.mark.parametrize("n", [30_001, 2_000_000])
@pytest.mark.parametrize("z", [-1.0, 0.0, 0.3, 1.96, 4.0, 6.5])
def test_whole_numbers_are_as_exact_as_binomials(n: int, z: float) -> None:
    """Ties are whole jumps: they count, and nothing but what was left out is uncertain."""
    ahead = round(z * math.sqrt(n))
    ahead += (n - ahead) % 2
    upper, lower = bounds(SignedTerms(np.ones(1), np.array([n])), float(ahead))
    exact = float(binom.sf((n + ahead) // 2 - 1, n, 0.5))
    assert lower <= exact <= upper
    assert upper - lower <= 3 * characteristic.ERROR


@given(
    st.floats(0.05, 20.0), st.integers(2_000, 30_000), st.integers(2_000, 30_000),
    st.floats(-4.0, 6.0),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_bounds_hold_for_two_sizes(ratio: float, first: int, second: int, z: float) -> None:
    """Both bounds hold, and are as close as is said, at most the chance of a tie apart."""
    spread = math.sqrt(first + ratio**2 * second)
    terms = SignedTerms(np.array([1.0, ratio]), np.array([first, second]))
    upper, lower = bounds(terms, z * spread)
    exact = two_kinds((1.0, ratio), (first, second), z * spread)
    assert lower - 1e-12 <= exact <= upper + 1e-12
    low, high = (
        two_kinds((1.0, ratio), (first, second), (z + move) * spread)
        for move in (3 * characteristic.MOVED, -3 * characteristic.MOVED)
    )
    assert upper <= high + 2e-12
    assert lower >= low - 2e-12


def test_rounded_sizes_bound_the_same_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sizes are rounded the bounds are wider, and still about what unrounded ones say."""
    terms = np.random.default_rng(0).normal(size=3_000)
    reach = 2 * float(np.linalg.norm(terms))
    high, low = bounds(SignedTerms.of(terms), reach)
    monkeypatch.setattr(characteristic, "_MOST_KINDS", 100)
    monkeypatch.setattr(characteristic, "_FINEST", 1 << 11)
    rounded = SignedTerms.of(terms)
    assert rounded.moved > 0
    assert len(rounded.sizes) < len(terms)
    upper, lower = bounds(rounded, reach)
    assert lower <= low <= high <= upper
    assert upper - lower < 0.001


def test_a_few_large_terms_leave_it_to_shuffles() -> None:
    """Sums lie in heaps about those of the large terms: bounds on both sides of one say nothing."""
    terms = np.append(np.repeat([1e-6, 2.5e-6], 10_000), [1.0, 2.0, 3.0])
    assert SignedTerms.of(terms).tail(4.0) is None
    upper, lower = bounds(SignedTerms.of(terms), 3.0)  # between two heaps
    assert lower <= 0.25 <= upper
    assert upper - lower < 1e-9


def counted(items: int, share: float, seed: int) -> ta.Counts:
    """Make two systems that differ on some items, the first a little better."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 5, (items, 3))
    b, differs = a.copy(), rng.random(items) < share
    b[differs] = np.maximum(b[differs] + rng.integers(-1, 2, (int(differs.sum()), 3)), 0)
    b[: items // 2_000, 0] += 1
    return ta.Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
@pytest.mark.parametrize("metric", ["f1", "precision"])
def test_exchanges_agree_with_the_lattice(
    metric: str, tail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P errs to the larger side, by no more than it says, beside the lattice of the same test."""
    projection = project(counted(20_000, 0.1, 1), [metric])
    question = Question(projection.metrics[0], 0, 1, tail)
    lattice = exact_test(projection, question)
    assert lattice is not None
    monkeypatch.setattr("tellapart.significance.exact_tests.exact_p", lambda *_: None)
    monkeypatch.setattr(characteristic, "_SPENT", 1e9)
    found = exact_test(projection, question)
    assert found is not None
    assert found.how == "characteristic"
    assert found.p - found.error - 1e-9 <= lattice.p <= found.p
    assert found.error < 2e-3 * max(lattice.p, 0.01)


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_residuals_agree_with_the_grid(tail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signs of residuals have the p that the grid of small data gives."""
    projection = project(counted(2_500, 0.3, 2), ["f1"])
    (question,) = as_tested(projection, [Question(projection.metrics[0], 0, 1, tail)], "auto")
    grid = exact_test(projection, question, patience=10)
    assert grid is not None
    monkeypatch.setattr("tellapart.resampling.signed_sums.MAX_UPDATES", 5e8)
    monkeypatch.setattr(characteristic, "_SPENT", 1e9)
    found = exact_test(projection, question)
    assert found is not None
    assert found.p != grid.p
    assert abs(found.p - grid.p) <= found.error + grid.error + 1e-9


def test_large_counts_need_no_shuffles() -> None:
    """Two hundred thousand items have an exact test, near the level, too, and its seed is idle."""
    counts = counted(200_000, 0.085, 3)
    first, second = (ta.compare(counts, ["f1"], seed=seed, intervals=False).pairs[0]
                     for seed in (0, 1))  # fmt: skip
    assert first.method == "exact"
    assert first.shuffles is None
    assert first.p == second.p
    exchanged, shuffled = (
        ta.compare(counts, ["f1"], test=test, intervals=False).pairs[0]
        for test in ("exact", "shuffle")
    )
    assert exchanged.method == "exact"
    assert exchanged.p == pytest.approx(shuffled.p, abs=4 * 0.5 / math.sqrt(9_999))


def test_many_decimals_need_no_shuffles() -> None:
    """Means of a hundred thousand scores are tested exactly; one sided, the two p cover all."""
    rng = np.random.default_rng(4)
    a = rng.random(100_000).round(3)
    b = (a + rng.normal(0.0004, 0.1, len(a))).round(3)
    counts = ta.Counts.from_arrays({"A": a, "B": b})
    pair = ta.compare(counts, intervals=False).pairs[0]
    assert pair.method == "exact"
    z = float((a - b).sum() / np.linalg.norm(a - b))
    assert pair.p == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=0.01)
    sides = [ta.compare(counts, tail=tail, intervals=False).pairs[0].p or 0.0
             for tail in ("greater", "less")]  # fmt: skip
    assert 1 <= sum(sides) <= 1.001


def test_p_is_never_nothing() -> None:
    """However far systems are apart, p is larger than 0."""
    found = inverted(SignedTerms(np.ones(1), np.array([10**6])), 1e6, doubled=True)
    assert found is not None
    assert 0 < found.p < 1e-300


def test_what_a_million_shuffles_leave_open_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair whose p is next to the level is decided, not left open."""
    rng = np.random.default_rng(5)
    a, noise = rng.random(4_000), rng.normal(0, 0.1, 4_000)
    noise += 1.97 * np.linalg.norm(noise) / len(noise) - noise.mean()
    monkeypatch.setattr("tellapart.significance.dispatch.MAX_SHUFFLES", 8_192)
    counts = ta.Counts.from_arrays({"A": a + noise, "B": a})
    found = ta.compare(counts, intervals=False).pairs[0]
    z = float(noise.sum() / np.linalg.norm(noise))
    assert found.method == "exact"
    assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)), rel=0.02)


def test_bounds_on_both_sides_of_the_level_are_told() -> None:
    """Such a p is not called settled, no confidence is claimed, and a notice says why."""
    rng = np.random.default_rng(6)
    a, noise = rng.random(20_000), rng.normal(0, 0.1, 20_000)
    counts = ta.Counts.from_arrays({"A": (a + noise).round(5), "B": a.round(5)})
    pair = ta.compare(counts, intervals=False).pairs[0]
    assert pair.p is not None
    assert pair.error_bound > 0
    for alpha, settled in ((pair.p - pair.error_bound / 2, False), (pair.p, True)):
        found = ta.compare(counts, alpha=alpha, intervals=False)
        assert found.pairs[0].p == pair.p
        assert found.pairs[0].settled is settled
        assert (found.pairs[0].confidence is not None) is settled
        told = [notice.text for notice in found.warnings if notice.code == "unsettled"]
        assert bool(told) is not settled
        assert all("too near to the level" in text for text in told)
        assert all(f"and {pair.p:.6g})" in text for text in told)


def test_p_is_never_below_the_exact_one() -> None:
    """However p is rounded, it errs to the larger side, and by no more than is said."""
    n = 200_001
    coins = SignedTerms(np.ones(1), np.array([n]))
    for ahead in range(1, 1_800, 30):
        found = inverted(coins, float(ahead), doubled=False)
        assert found is not None
        exact = float(binom.sf((n + ahead) // 2 - 1, n, 0.5))
        assert found.p - found.error - 1e-15 <= exact <= found.p
        assert found.error >= 0
