"""Sequential evaluation: known capitals, intervals that agree with p, and the level at any look.

That the level holds over whole trajectories, 2,000 of each kind, is tried in test_validity.py by
the settings of `benchmarks/validity/anytime.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import tellapart as ta
from tellapart.significance.anytime import Capital, lower_end

scores = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.3, 0.75, 1])),
    min_size=1,
    max_size=25,
)


def _integral(differences: list[float], supposed: float) -> float:
    """Return the capital by another way: numerical integration over the stakes."""

    def product(stake: float) -> float:
        return math.prod(1 - stake + stake * (1 + x) / (1 + supposed) for x in differences)

    return float(integrate.quad(product, 0, 1, epsabs=1e-13, epsrel=1e-12)[0])


def _evaluation(pairs: list[tuple[Any, Any]], **options: Any) -> ta.Sequential:
    found = ta.Sequential("A", "B", **options)
    found.extend(pairs)
    return found


@given(scores, st.sampled_from([-0.6, -0.05, 0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_the_capital_is_the_mean_over_all_stakes(
    pairs: list[tuple[float, float]], supposed: float
) -> None:
    differences = [a - b for a, b in pairs]
    capital = Capital(supposed)
    most = 1.0
    for n, x in enumerate(differences, 1):
        capital.bet(x)
        most = max(most, _integral(differences[:n], supposed))
    assert math.exp(capital.now) == pytest.approx(_integral(differences, supposed), rel=1e-9)
    assert math.exp(capital.most) == pytest.approx(most, rel=1e-9)


def test_right_and_wrong_items_by_hand() -> None:
    """Seven wins: the capital is (2^8 - 1) / 8 = 31.9, below 40; eight: 511 / 9 = 56.8."""
    found = ta.Sequential("A", "B")
    assert not any(found.add(1, 0) for _ in range(7))
    assert found.look().p == pytest.approx(2 * 8 / 255)
    assert found.add(1, 0)
    look = found.look()
    assert (look.settled, look.settled_at, look.better, look.leader) == (True, 8, "A", "A")
    assert look.p == pytest.approx(2 * 9 / 511)


def test_ties_change_nothing() -> None:
    without = _evaluation([(1, 0)] * 6)
    with_ties = _evaluation([(1, 1), (1, 0), (0, 0)] * 6)
    assert with_ties.look().p == pytest.approx(without.look().p, rel=1e-12)


def test_no_item_and_equal_items() -> None:
    nothing = ta.Sequential().look()
    assert (nothing.items, nothing.difference, nothing.interval, nothing.p) == (0, None, None, 1.0)
    same = _evaluation([(1, 1)] * 50).look()
    assert (same.p, same.leader, same.settled, same.difference) == (1.0, None, False, 0.0)
    low, high = same.interval or (0, 0)
    assert low == pytest.approx(-high)
    assert _integral([0.0] * 50, low) == pytest.approx(40, rel=1e-6)  # 1 / .025


@given(scores)
@settings(max_examples=40, deadline=None)
def test_swapping_the_systems_turns_the_sign_and_keeps_p(
    pairs: list[tuple[float, float]],
) -> None:
    one = _evaluation(pairs).look()
    other = _evaluation([(b, a) for a, b in pairs]).look()
    assert one.p == other.p
    assert one.interval is not None
    assert other.interval is not None
    assert one.interval == pytest.approx([-end for end in other.interval[::-1]])
    assert one.difference == -(other.difference or 0.0)


@given(st.lists(st.sampled_from([(1, 0), (1, 0), (0, 1), (1, 1)]), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_p_and_interval_agree_at_every_look(pairs: list[tuple[float, float]]) -> None:
    """0 is outside, or at the end that was ruled out once, just where it is settled."""
    found = ta.Sequential("A", "B", alpha=0.3)
    for a, b in pairs:
        found.add(a, b)
        look = found.look()
        assert look.interval is not None
        assert look.difference is not None
        low, high = look.interval
        assert look.settled == (look.p <= 0.3) == (low >= 0 or high <= 0)
        assert low <= high


def test_what_is_settled_stays_so() -> None:
    found = _evaluation([(1, 0)] * 10)
    assert found.settled_at == 8
    found.extend([(0, 1)] * 60)  # against all odds
    look = found.look()
    assert (look.settled, look.settled_at, look.better, look.leader) == (True, 8, "A", "B")


def test_the_ends_are_where_the_capital_is_enough() -> None:
    rng = np.random.default_rng(5)
    values = rng.uniform(-0.2, 0.6, 30)
    end = lower_end(values, 0.025)
    assert _integral(values.tolist(), end) == pytest.approx(40, rel=1e-6)
    assert end < values.mean()


def test_a_margin_asks_whether_the_second_is_no_worse() -> None:
    """Items that both have right rule out a loss of .05 when the capital against it is 20."""
    found = ta.Sequential("old", "new", margin=0.05)
    needed = next(n for n in range(1, 1000) if found.add(1, 1))
    bets = [-x for x in [0.0] * needed]
    assert _integral(bets, -0.05) >= 20 > _integral(bets[:-1], -0.05)
    look = found.look()
    assert (look.no_worse, look.better, look.settled_at) == (True, None, needed)
    assert look.p <= 0.05
    assert look.interval is not None
    assert look.interval[1] <= 0.05

    worse = _evaluation([(1, 0)] * 30 + [(0, 1)] * 2, margin=0.05).look()
    assert worse.no_worse is False
    assert worse.p > 0.9
    assert worse.interval is not None
    assert worse.interval[0] >= 0.05


def test_less_is_better() -> None:
    found = _evaluation([(2.0, 9.0)] * 12, bounds=(0, 10), higher_is_better=False).look()
    assert found.better == "A"
    assert found.difference == pytest.approx(-7.0)
    assert found.interval is not None
    assert -10 <= found.interval[0] < found.interval[1] <= 0


def test_bounds_are_a_scale() -> None:
    """Scores of 1 to 10 are scores of 0 to 1, but for the scale of the interval."""
    rng = np.random.default_rng(1)
    pairs = rng.random((40, 2)).round(3)
    unit = _evaluation(pairs.tolist()).look()
    wide = _evaluation((1 + 9 * pairs).tolist(), bounds=(1, 10)).look()
    assert wide.p == pytest.approx(unit.p, rel=1e-9)
    assert unit.interval is not None
    assert wide.interval is not None
    assert wide.interval == pytest.approx([9 * end for end in unit.interval])


def test_a_cluster_counts_once() -> None:
    """Twenty copies of one item show no more than one: the mean of their differences counts."""
    clustered = _evaluation([([1] * 20, [0] * 20), ([1, 0], [0, 0])]).look()
    single = _evaluation([(1, 0), (0.5, 0)]).look()
    assert clustered.items == 2
    assert clustered.p == pytest.approx(single.p)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (1.2, 0, "A scores 1.2, and scores must lie between 0 and 1: give the least and the most"),
        (0, math.nan, "B scores nan"),
        ("yes", 0, "no score of A"),
        ([1, 0], [1], "2 scores of A and 1 of B"),
        ([], [], "a number"),
    ],
)
def test_scores_that_cannot_be_counted(first: Any, second: Any, said: str) -> None:
    found = ta.Sequential("A", "B")
    with pytest.raises(ta.DataError, match=said):
        found.add(first, second)
    assert len(found) == 0


@pytest.mark.parametrize(
    "options",
    [{"alpha": 0}, {"margin": 1.0}, {"margin": -1}, {"bounds": (1, 1)}, {"bounds": 5},
     {"bounds": (0, math.inf)}],
)  # fmt: skip
def test_options_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(ta.UsageError):
        ta.Sequential(**options)


def test_an_ordinary_test_looked_at_after_every_item_raises_false_alarms() -> None:
    """The trap that this is for: the sign test at 5 %, looked at 150 times, alarms in one of five.

    On the same trajectories the capital does in less than 5 %.
    """
    rng = np.random.default_rng(11)
    differences = rng.choice([1, -1, 0], (1000, 150), p=[0.2, 0.2, 0.6])
    won, lost = (differences == 1).cumsum(axis=1), (differences == -1).cumsum(axis=1)
    p = 2 * stats.binom.cdf(np.minimum(won, lost), won + lost, 0.5)
    above, below = Capital(0.0, (1000,)), Capital(0.0, (1000,))
    for item in differences.T:
        above.bet(item)
        below.bet(-item)
    settled = np.maximum(above.most, below.most) >= math.log(40)
    assert (p <= 0.05).any(axis=1).mean() > 0.15
    assert settled.mean() <= 0.05


def test_power_at_the_planned_number_of_items() -> None:
    """Where the sign test on a fixed 307 items has power .80, half are settled, and most by twice.

    The figures of docs/sequential.md are drawn by `python -m benchmarks sequential`.
    """
    rng = np.random.default_rng(2)
    differences = rng.choice([1, -1, 0], (300, 614), p=[0.25, 0.15, 0.6])
    above = Capital(0.0, (300,))
    settled = []
    for item in differences.T:
        above.bet(item)
        settled.append((above.most >= math.log(40)).mean())
    assert 0.40 < settled[306] < 0.60
    assert 0.80 < settled[613] < 0.97
