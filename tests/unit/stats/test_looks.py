"""Repeated checks against the same items: a whole series keeps its level."""

import math

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from tellapart.stats.corrections import level_of_look


def _series(series: int, checks: int, items: int) -> np.ndarray:
    """Return the p-values of builds that change nothing, series × checks, each one-sided.

    The items of a series are the same in all of its checks, and so is the release.
    """
    rng = np.random.default_rng(20260811)
    release = rng.random((series, 1, items)) < 0.7
    builds = np.where(
        rng.random((series, checks, items)) < 0.4,
        rng.random((series, checks, items)) < 0.7,
        release,
    )
    lost = (release & ~builds).sum(axis=2)
    won = (~release & builds).sum(axis=2)
    return np.asarray(stats.binom.cdf(won, won + lost, 0.5))


def test_a_series_of_checks_has_a_false_alarm_in_no_more_than_alpha() -> None:
    """Of 2,000 series of 20 checks at most alpha have one; at alpha each, most would."""
    p = _series(series=2000, checks=20, items=60)
    levels = [level_of_look(0.05, look) for look in range(1, 21)]

    alarms = (p <= levels).any(axis=1).mean()

    assert alarms <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 2000)
    assert alarms > 0.005  # the simulation can alarm at all
    assert (p <= 0.05).any(axis=1).mean() > 0.3


def test_choosing_the_next_build_by_the_last_answer_keeps_the_level() -> None:
    """A maker who goes on from each build that passed, and only sees that it did, gains nothing."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(500):
        release = rng.random(60) < 0.7
        last = release
        for look in range(1, 11):
            build = np.where(rng.random(60) < 0.2, rng.random(60) < 0.7, last)
            lost, won = int((release & ~build).sum()), int((~release & build).sum())
            if stats.binom.cdf(won, won + lost, 0.5) <= level_of_look(0.05, look):
                alarms += 1
                break
            last = build
    assert alarms / 500 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 500)


def test_the_levels_of_all_checks_add_up_to_alpha() -> None:
    levels = [level_of_look(0.1, look) for look in range(1, 10_000)]
    assert math.fsum(levels) == pytest.approx(0.1, rel=1e-3)
    assert math.fsum(levels) < 0.1


@pytest.mark.parametrize(("alpha", "look"), [(0.05, 0), (0.05, 1.5), (0, 1), (1.0, 1), (0.05, -3)])
def test_levels_that_cannot_be(alpha: float, look: float) -> None:
    with pytest.raises(ta.UsageError, match="must"):
        level_of_look(alpha, look)  # type: ignore[arg-type]
