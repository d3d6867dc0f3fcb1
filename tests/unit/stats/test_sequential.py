"""Sequential evaluation: known capitals, intervals that agree with p, and the level at any look."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from tellapart.stats.sequential import Capital, Look, Sequential, lower_end

scores = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.3, 0.75, 1])),
    min_size=1,
    max_size=25,
)


def integral(differences: list[float], supposed: float) -> float:
    """Return the capital by another way: numerical integration over the stakes."""

    def product(stake: float) -> float:
        return math.prod(1 - stake + stake * (1 + x) / (1 + supposed) for x in differences)

    return float(integrate.quad(product, 0, 1, epsabs=1e-13, epsrel=1e-12)[0])


def look(pairs: list[tuple[Any, Any]], **options: Any) -> Look:
    evaluation = Sequential("A", "B", **options)
    for a, b in pairs:
        evaluation.add(a, b)
    return evaluation.look()


@given(scores, st.sampled_from([-0.6, -0.05, 0.0, 0.3]))
def test_the_capital_is_the_mean_over_all_stakes(
    pairs: list[tuple[float, float]], supposed: float
) -> None:
    differences = [a - b for a, b in pairs]
    capital, most = Capital(supposed), 1.0
    for n, x in enumerate(differences, 1):
        capital.bet(x)
        most = max(most, integral(differences[:n], supposed))
    assert math.exp(capital.now) == pytest.approx(integral(differences, supposed), rel=1e-9)
    assert math.exp(capital.most) == pytest.approx(most, rel=1e-9)


def test_right_and_wrong_items_by_hand() -> None:
    """Seven wins: the capital is (2^8 - 1) / 8 = 31.9, below 40; eight: 511 / 9 = 56.8."""
    evaluation = Sequential("A", "B")
    assert not any(evaluation.add(1, 0) for _ in range(7))
    assert evaluation.look().p == pytest.approx(2 * 8 / 255)
    assert evaluation.add(1, 0)
    assert evaluation.look().p == pytest.approx(2 * 9 / 511)
    for _ in range(60):
        evaluation.add(0, 1)  # what is settled stays so
    found = evaluation.look()
    assert (found.settled, found.settled_at, found.better, found.leader) == (True, 8, "A", "B")
    assert len(evaluation) == found.items == 68


@given(st.lists(st.sampled_from([(1, 0), (1, 0), (0, 1), (1, 1)]), min_size=1, max_size=60))
def test_p_and_interval_agree_at_every_look(pairs: list[tuple[float, float]]) -> None:
    """0 is outside, or at the end that was ruled out once, just where it is settled."""
    evaluation = Sequential("A", "B", alpha=0.3)
    for a, b in pairs:
        evaluation.add(a, b)
        found = evaluation.look()
        low, high = found.interval
        assert found.settled == (found.p <= 0.3) == (low >= 0 or high <= 0)
        assert low <= high


def test_a_margin_asks_whether_the_second_is_no_worse() -> None:
    """Items that both have right rule out a loss of .05 when the capital against it is 20."""
    evaluation = Sequential("old", "new", margin=0.05)
    needed = next(n for n in range(1, 1000) if evaluation.add(1, 1))
    assert integral([0.0] * needed, -0.05) >= 20 > integral([0.0] * (needed - 1), -0.05)
    found = evaluation.look()
    assert (found.no_worse, found.better, found.settled_at) == (True, None, needed)
    assert found.p <= 0.05
    assert found.interval[1] <= 0.05
    worse = look([(1, 0)] * 30 + [(0, 1)] * 2, margin=0.05)
    assert worse.no_worse is False
    assert worse.p > 0.9
    assert worse.interval[0] >= 0.05


def test_scales_directions_and_clusters() -> None:
    """Bounds are a scale, low scores may be good, and items of a cluster come together."""
    pairs = np.random.default_rng(1).random((40, 2)).round(3)
    unit, wide = look(pairs.tolist()), look((1 + 9 * pairs).tolist(), bounds=(1, 10))
    assert wide.p == pytest.approx(unit.p, rel=1e-9)
    assert wide.interval == pytest.approx([9 * end for end in unit.interval])
    wide = look((1 + 9 * pairs).tolist(), bounds=(1, 10), margin=0.9)
    assert wide.p == pytest.approx(look(pairs.tolist(), margin=0.1).p, rel=1e-9)
    low = look([(2.0, 9.0)] * 12, bounds=(0, 10), higher_is_better=False)
    assert low.better == "A"
    assert low.difference == pytest.approx(-7.0)
    assert -10 <= low.interval[0] < low.interval[1] <= 0
    clustered = look([([1] * 20, [0] * 20), ([1, 0], [0, 0])], cluster_size=20)
    assert clustered.items == 2
    assert clustered.p == pytest.approx(look([(1, 0), (0.05, 0)]).p)
    assert clustered.difference == pytest.approx(21 / 22)  # of items, not of clusters


def test_the_interval_of_clusters_ends_where_the_capital_is_enough() -> None:
    """Nine documents of one item won, one of nine lost: equal by items, won by documents."""
    large = np.random.default_rng(7).random(200) < 0.1
    sums, weights = np.where(large, -9, 1) / 9, np.where(large, 9, 1) / 9
    end = lower_end(sums, 0.025, weights)

    def capital(stake: float) -> float:
        return float(np.prod(1 + stake * (sums - end * weights) / (1 + end)))

    assert integrate.quad(capital, 0, 1, epsrel=1e-10)[0] == pytest.approx(40, rel=1e-5)
