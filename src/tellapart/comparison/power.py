"""Power of a test set to find differences of any size, and how many items more would take."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

from tellapart.comparison.record import Comparison, PairResult
from tellapart.significance.diagnostics import POWER, round_off

_POINTS = 40


@dataclass(frozen=True, slots=True)
class Power:
    """The power of this test set by one metric, for the pair that the headline is about."""

    metric: str
    a: str
    b: str
    detectable: float
    """The difference that would be found four times out of five, all tests counted"""
    items: int
    items_for_half: int
    """The number of items that half of that difference would need"""
    curve: tuple[tuple[float, float], ...] = ()
    """Difference and power, from no difference to one that is always found"""


def deciding_level(result: Comparison) -> float:
    """Return the level that the smallest p of a family has to pass: alpha over the tests in it.

    That is Bonferroni's and Holm's level; other corrections are taken to be about as strict.
    """
    return result.alpha / corrected_for(result)


def corrected_for(result: Comparison) -> int:
    """Return how many tests are counted together."""
    return 1 if result.correction == "none" else int(result.family.size)


def detectable(result: Comparison, pair: PairResult) -> float | None:
    """Return the true difference that would be found four times out of five, all tests counted.

    The record has it for a pair alone; both by a normal approximation.
    """
    alone = pair.diagnostics.detectable
    if not alone or corrected_for(result) == 1:
        return alone or None
    factor = _needed(deciding_level(result)) / _needed(result.alpha)
    return round_off(alone * factor)


def _needed(level: float) -> float:
    """Return by how many standard errors a difference must differ from 0."""
    normal = NormalDist()
    return normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)


def power(result: Comparison, pair: PairResult) -> Power | None:
    """Return the power of the test set for a pair; None where the pair's spread is not known.

    By the normal approximation that gave the pair's detectable difference, and at the same level.
    """
    sought = detectable(result, pair)
    if not sought:
        return None
    items = result.units.exchanged.count
    normal, level = NormalDist(), deciding_level(result)
    error, limit = sought / _needed(level), normal.inv_cdf(1 - level / 2)
    curve = []
    for k in range(_POINTS + 1):  # the middle point is the detectable difference itself
        size = 2 * sought * k / _POINTS
        found = normal.cdf(size / error - limit) + normal.cdf(-size / error - limit)
        curve.append((round_off(size), round_off(found)))
    # An error shrinks with the root of the number of items: half of it takes four times as many.
    return Power(pair.metric, pair.a, pair.b, sought, items, _rounded_up(4 * items), tuple(curve))


def _rounded_up(number: int) -> int:
    """Return a number of which only the first three digits are not 0, rounded up.

    >>> _rounded_up(288), _rounded_up(12_012)
    (288, 12100)
    """
    step = int(10 ** max(0, len(str(number)) - 3))
    return -(-number // step) * step
