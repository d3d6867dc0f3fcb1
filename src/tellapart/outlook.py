"""What the test set can show: the power to find differences of any size, and what more would."""

from __future__ import annotations

import math
from statistics import NormalDist

from tellapart.comparison import Comparison, PairResult
from tellapart.details import Power
from tellapart.significance.diagnostics import POWER, steady

_POINTS = 40


def headline_pair(result: Comparison, metric: str) -> PairResult:
    """Return the pair that a verdict speaks of.

    The best system and the one behind it; but where the best is told from no other, the pair of it
    that comes nearest to being told apart. With a baseline, the surest difference from it.
    """
    sign = -1 if result.metrics[metric]["higher_is_better"] else 1
    ranked = sorted(result.systems, key=lambda each: (sign * each.scores[metric], each.name))
    best, second = ranked[0].name, ranked[1].name
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    if result.baseline is None:
        pairs = [pair for pair in pairs if best in (pair.a, pair.b)]
        if any(pair.different for pair in pairs):
            return next(pair for pair in pairs if second in (pair.a, pair.b))

    def doubt(pair: PairResult) -> tuple[float, float, float]:
        p, adjusted = (math.inf if each is None else each for each in (pair.p, pair.p_adjusted))
        return adjusted, p, -abs(pair.difference)

    return min(pairs, key=doubt)


def power(result: Comparison, pair: PairResult) -> Power | None:
    """Say what the test set can show for a pair; None where the pair's spread is not known.

    By the normal approximation that gave the pair's detectable difference.
    """
    detectable = pair.diagnostics.get("detectable")
    if not detectable:
        return None
    units = (result.units["clusters"] or result.units)["count"]
    normal = NormalDist()
    level = normal.inv_cdf(1 - result.alpha / 2)
    error = detectable / (level + normal.inv_cdf(POWER))
    curve = []
    for k in range(_POINTS + 1):  # the middle point is the detectable difference itself
        size = 2 * detectable * k / _POINTS
        found = normal.cdf(size / error - level) + normal.cdf(-size / error - level)
        curve.append((steady(size), steady(found)))
    # An error shrinks with the root of the number of units: half of it takes four times as many.
    return Power(
        pair.metric, pair.a, pair.b, detectable, units, _rounded_up(4 * units), tuple(curve)
    )


def _rounded_up(number: int) -> int:
    """Keep three digits.

    >>> _rounded_up(288), _rounded_up(12_012)
    (288, 12100)
    """
    step = int(10 ** max(0, len(str(number)) - 3))
    return -(-number // step) * step
