"""Agreement of a judge with people."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tellapart.stats.judges import agreement
from tellapart.stats.result import Interval


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def test_agreement_of_the_textbook() -> None:
    """45 and 15 agreements, 15 and 25 disagreements of 100 ratings; the peers' kappa and r."""
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    judge = np.repeat([1.0, 1.0, 0.0, 0.0], [45, 15, 25, 15])
    people = np.repeat([1.0, 0.0, 1.0, 0.0], [45, 15, 25, 15])
    found = agreement(judge, people)
    assert found.share == pytest.approx(0.6)
    assert found.kappa == pytest.approx(raters.cohens_kappa([[45, 15], [25, 15]]).kappa)
    peer = stats.pearsonr(judge, people)
    assert found.correlation == pytest.approx(peer.statistic)
    assert ends(found.correlation_interval) == pytest.approx(tuple(peer.confidence_interval(0.95)))
    low, high = ends(found.share_interval)
    peer = stats.binomtest(60, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((peer.low, peer.high), abs=0.005)
    chance = 0.6 * 0.7 + 0.4 * 0.3
    around = [(end - chance) / (1 - chance) for end in (low, high)]
    assert ends(found.kappa_interval) == pytest.approx(around)


def test_full_agreement_has_an_interval() -> None:
    scores = np.array([1.0, 0.0] * 15)
    found = agreement(scores, scores)
    assert found.kappa == 1
    assert 0.8 < ends(found.share_interval)[0] < 0.95
    assert found.correlation == pytest.approx(1)
    assert found.correlation_interval is None


def test_clusters_widen_the_intervals() -> None:
    rng = np.random.default_rng(0)
    judge = rng.integers(0, 2, 40)
    people = np.where(rng.random(40) < 0.8, judge, 1 - judge)
    once = agreement(judge, people)
    tripled = np.repeat(judge, 3), np.repeat(people, 3)
    again = agreement(*tripled, clusters=np.repeat(np.arange(40), 3))
    assert ends(again.correlation_interval) == pytest.approx(ends(once.correlation_interval))
    assert ends(again.share_interval) == pytest.approx(ends(once.share_interval), abs=0.01)
    assert ends(agreement(*tripled).share_interval)[0] > ends(once.share_interval)[0] + 0.02


def test_fine_scores_have_a_correlation_only() -> None:
    rng = np.random.default_rng(1)
    found = agreement(rng.normal(size=30), rng.normal(size=30))
    assert found.share is found.kappa is None
    assert found.correlation is not None
    constant = agreement([1, 1, 1], [1, 1, 1])
    assert (constant.share, constant.kappa, constant.correlation) == (1.0, None, None)


def test_sensitivity_and_specificity_by_hand() -> None:
    """Of 10 right answers the judge calls 8 right, of 5 wrong ones 4 wrong."""
    people = [1] * 10 + [0] * 5
    judge = [1] * 8 + [0] * 2 + [0] * 4 + [1]
    found = agreement(judge, people)
    assert (found.sensitivity, found.specificity) == (0.8, 0.8)
    for interval, least in ((found.sensitivity_interval, 0.4), (found.specificity_interval, 0.2)):
        low, high = interval.ends  # type: ignore[union-attr]
        assert low is not None
        assert high is not None
        assert least < low < 0.8 < high < 1
    graded = agreement([1, 2, 3, 4], [1, 2, 3, 5])
    assert (graded.sensitivity, graded.specificity) == (None, None)
    all_right = agreement([1, 0, 1], [1, 1, 1])
    assert all_right.sensitivity == pytest.approx(2 / 3)
    assert all_right.specificity is None
