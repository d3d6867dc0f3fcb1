"""Diagnostics of pairs: standard error, and what could be found."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from tellapart.comparison.record import Diagnostics, Pair
from tellapart.comparison.scored import Scored, Tested, numbers_of
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.intervals import BoundedMean
from tellapart.stats.margins import RightOrWrong
from tellapart.stats.power import (
    UNREACHABLE,
    Detectable,
    EstimatedError,
    ItemDifferences,
    Pilot,
    Settings,
    WinsAndLosses,
    detectable,
    needed,
    read_pilot,
)
from tellapart.stats.result import alternative_of
from tellapart.stats.runs import Spread


def round_off(value: float) -> float:
    """Return a value without its last digits, which depend on how a machine's vector units add up.

    >>> round_off(0.1 + 0.2)
    0.3
    """
    return float(f"{value:.12g}")


def standard_error(scores: Scores, a: int, b: int) -> float | None:
    """Return the standard error of a difference over items (clusters).

    For a mean this is the standard deviation of the paired differences over √n.
    """
    if scores.n < 2:
        return None
    terms = scores.terms(a, b, "own")
    if terms is None:
        return None
    apart = terms.values - terms.observed / scores.n
    squares = float(apart @ apart if scores.times is None else scores.times @ apart**2)
    return round_off(math.sqrt(squares * scores.n / (scores.n - 1)))


def diagnose(
    scored: Scored, tested: Tested, differences: Sequence[float], detailed: Collection[int]
) -> dict[int, Diagnostics]:
    """Return the diagnostics of some pairs, by their numbers; differences are those of all."""
    scores, found = scored.scores, {}
    for k in detailed:
        a, b, sign = tested.pairs[k]
        test, spread = tested.tests[k], tested.spreads[k]
        error, pilot = None, None
        if scored.of_items:
            error = standard_error(scores, a, b) if spread is None else round_off(spread.error)
            pilot = pilot_of(scores, a, b, spread)
        elif test.statistic and test.df is not None:
            error = round_off(abs(differences[k] / test.statistic))
            pilot = _pilot_of_test(error, test.df, scores.n)
        could = Detectable(None, "no-test" if test.p is None else "other-test")
        if pilot is not None and test.p is not None:
            could = _detectable(pilot, sign, scored)
        smallest = could.difference and round_off(could.difference)
        found[k] = Diagnostics(error, smallest, could.reason)
    return found


def _detectable(pilot: Pilot, sign: int, scored: Scored) -> Detectable:
    """Return the difference that would be found four times out of five, all tests counted."""
    alternative = alternative_of(abs(sign))
    found = detectable(pilot, level=scored.strict_level, alternative=alternative)
    if found.reason == UNREACHABLE and scored.options.correction == "bh":
        alone = detectable(pilot, level=scored.options.alpha, alternative=alternative)
        if alone.difference is not None:  # what one pair cannot reach, several may pass together
            return Detectable(None, "few-items")
    return found


def pilot_of(scores: Scores, a: int, b: int, spread: Spread | None) -> Pilot | None:
    """Return what a pair tells of other items; None where that is nothing."""
    return pilot_of_items(scores, a, b) if spread is None else pilot_of_runs(spread, scores.n)


def _pilot_of_test(error: float, df: float, n: int) -> EstimatedError:
    """Return what the test of scores tells that are no sums over items."""
    return EstimatedError(lambda _: (error, df), n)


def pilot_of_items(scores: Scores, a: int, b: int) -> Pilot | None:
    """Return what the items of a pair tell of other items; None where they have no terms."""
    terms = scores.terms(a, b, "own") if scores.times is None else None
    if terms is None or scores.counts.present is not None:
        return None
    values, differing = terms.values * scores.n, scores.differing(a, b)
    if isinstance(scores, RatioScores) and scores.same_denominators(a, b):
        return read_pilot(values, differing=differing)
    return ItemDifferences.of(values, differing)  # of equal size by chance, not wins and losses


def pilot_of_runs(spread: Spread, n: int) -> EstimatedError:
    """Return what items, runs and conditions tell of other items."""
    rest, total = spread.runs + spread.conditions, spread.variance
    # The df of runs and conditions is what Satterthwaite's rule leaves to them.
    spent = total**2 / spread.df - (total - rest) ** 2 / (n - 1)
    df = rest**2 / spent if spent > 0 and rest > 0 else spread.df

    def error(units: int) -> tuple[float, float]:
        items = (total - rest) * n / units
        if not rest:  # runs so few that they might differ, though these do not: no item tells more
            return math.sqrt(items), df
        squares = items**2 / (units - 1) + rest**2 / df
        return math.sqrt(items + rest), (items + rest) ** 2 / squares

    return EstimatedError(error, n, spread.difference)


def pilot_for_margins(scores: Scores, a: int, b: int) -> Pilot | None:
    """Return what the items tell of the first system against a margin; None if that is nothing."""
    from tellapart.comparison.margins import lead  # only where there is a margin

    ahead = lead(scores, a, b)
    if isinstance(ahead, RightOrWrong):
        return WinsAndLosses(ahead.won, ahead.lost, ahead.items)
    if not isinstance(ahead, BoundedMean):
        return None
    values = np.repeat(ahead.values, ahead.times.astype(np.int64))
    return ItemDifferences.of(values, scores.differing(a, b), (ahead.lowest, ahead.highest))


def items_to_settle(scored: Scored, pair: Pair, level: float) -> int | None:
    """Return how many more items (clusters) would show a pair's difference, or that a margin holds.

    So many find it at a level four times out of five, if the true difference is the observed one;
    of a loss within a margin that is not shown, if there is none. None where that is shown already,
    or nothing can be said, or no number would do.

    >>> import tellapart as ta
    >>> old, new = [1] * 20 + [0] * 30 + [1] * 50, [0] * 20 + [1] * 30 + [1] * 50
    >>> result = ta.compare({"old": old, "new": new})
    >>> items_to_settle(result.scored[0], result.pairs[0], 0.05)
    308
    """
    scores, margin = scored.scores, scored.options.margin
    a, b = numbers_of(scores, pair)
    settings: Settings = {"level": level, "margin": margin}
    if margin is not None:
        new_is_a = pair.a != (scored.options.baseline or scores.systems[0])
        new, old = (a, b) if new_is_a else (b, a)
        better = pair.different and pair.favours == scores.systems[new]
        shown = better or (pair.a_no_worse if new_is_a else pair.b_no_worse)
        pilot = None if pair.spread is not None else pilot_for_margins(scores, new, old)
    else:
        shown, pilot = pair.different, pilot_of(scores, a, b, pair.spread)
        sign = pair.sign if scores.metric.higher_is_better else -pair.sign
        settings["alternative"] = alternative_of(sign)
    if shown or pair.p is None or pilot is None:
        return None
    difference = None
    if margin is not None:
        lost = -margin < pilot.observed <= 0 and not pair.different
        difference = 0.0 if lost else pilot.observed
    enough = needed(pilot, difference, **settings).n
    return None if enough is None else max(1, enough - scores.n)
