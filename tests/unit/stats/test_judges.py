"""Judges: agreement with people, and what they like beside the answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import inter_rater as raters

from tellapart.stats.judges import Bias, agreement, length_bias, position_bias


def test_agreement_of_the_textbook() -> None:
    """45 and 15 agreements, 15 and 25 disagreements of 100 ratings; the peers' kappa and r."""
    judge = np.repeat([1.0, 1.0, 0.0, 0.0], [45, 15, 25, 15])
    people = np.repeat([1.0, 0.0, 1.0, 0.0], [45, 15, 25, 15])
    found = agreement(judge, people)
    assert found.share == pytest.approx(0.6)
    assert found.kappa == pytest.approx(raters.cohens_kappa([[45, 15], [25, 15]]).kappa)
    peer = stats.pearsonr(judge, people)
    assert found.correlation == pytest.approx(peer.statistic)
    assert found.correlation_interval.ends == pytest.approx(tuple(peer.confidence_interval(0.95)))
    low, high = found.share_interval.ends
    peer = stats.binomtest(60, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((peer.low, peer.high), abs=0.005)
    chance = 0.6 * 0.7 + 0.4 * 0.3
    around = [(end - chance) / (1 - chance) for end in (low, high)]
    assert found.kappa_interval.ends == pytest.approx(around)


def test_clusters_widen_the_intervals() -> None:
    rng = np.random.default_rng(0)
    judge = rng.integers(0, 2, 40)
    people = np.where(rng.random(40) < 0.8, judge, 1 - judge)
    once = agreement(judge, people)
    tripled = np.repeat(judge, 3), np.repeat(people, 3)
    again = agreement(*tripled, clusters=np.repeat(np.arange(40), 3))
    assert again.correlation_interval.ends == pytest.approx(once.correlation_interval.ends)
    assert again.share_interval.ends == pytest.approx(once.share_interval.ends, abs=0.01)
    assert agreement(*tripled).share_interval.ends[0] > once.share_interval.ends[0] + 0.02


def test_fine_scores_have_a_correlation_only() -> None:
    rng = np.random.default_rng(1)
    found = agreement(rng.normal(size=30), rng.normal(size=30))
    assert found.share is found.kappa is None
    constant = agreement([1, 1, 1], [1, 1, 1])
    assert (constant.share, constant.kappa, constant.correlation) == (1.0, None, None)


def test_sensitivity_and_specificity_by_hand() -> None:
    """Of 10 right answers the judge calls 8 right, of 5 wrong ones 4 wrong."""
    people = [1] * 10 + [0] * 5
    judge = [1] * 8 + [0] * 2 + [0] * 4 + [1]
    found = agreement(judge, people)
    assert (found.sensitivity, found.specificity) == (0.8, 0.8)
    for interval, least in ((found.sensitivity_interval, 0.4), (found.specificity_interval, 0.2)):
        low, high = interval.ends
        assert least < low < 0.8 < high < 1
    graded = agreement([1, 2, 3, 4], [1, 2, 3, 5])
    assert (graded.sensitivity, graded.specificity) == (None, None)
    all_right = agreement([1, 0, 1], [1, 1, 1])
    assert all_right.sensitivity == pytest.approx(2 / 3)
    assert all_right.specificity is None


def test_in_both_orders_the_first_place_has_a_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    points = rng.choice([0.0, 0.5, 1.0], (40, 2), p=[0.3, 0.1, 0.6])
    found = position_bias(np.repeat(np.arange(40), 2), [0, 1] * 40, [1, 0] * 40, points.ravel())
    assert found.rate == pytest.approx(points.mean())
    assert found.p == pytest.approx(stats.ttest_1samp(points.mean(axis=1), 0.5).pvalue)
    assert found.n == 40
    everything = position_bias([0, 0, 1, 1], [0, 1] * 2, [1, 0] * 2, [1] * 4)
    assert everything == Bias(1.0, None, 2)  # nothing varies
    assert position_bias([0, 0, 1, 1], [0, 1] * 2, [1, 0] * 2, [0.5] * 4) == Bias(0.5, 1.0, 2)
    assert position_bias([0, 1], [0, 0], [1, 1], [1, 0]) is None  # in one order alone


def test_longer_outputs() -> None:
    lengths = np.array([[9, 4 if k % 2 else 20] for k in range(40)], float)
    points = np.array([float(k % 4 == 1) for k in range(40)])
    found = length_bias(np.arange(40), points, lengths)
    longer = np.where(lengths[:, 0] > lengths[:, 1], points, 1 - points)
    assert found.rate == pytest.approx(longer.mean())
    assert found.p == pytest.approx(stats.ttest_1samp(longer, 0.5).pvalue)
    unknown = np.concatenate([lengths, [[5, 5], [math.nan, 3]]])
    more = length_bias(np.arange(42), [*points, 1, 1], unknown)
    assert (more.rate, more.n) == (found.rate, 40)
    assert length_bias([0], [1], [[7, 7]]) is None
