"""What looking after every item costs and saves: `python -m benchmarks sequential`.

The number of items is planned for a test that looks once, at the end: 80 % power at the difference
that is planned for. The sequential test has the same items, and stops when it is settled. Shown are
how often it is settled by then, and by twice that number, and the mean number of items it took (in
percent of the planned one), for the planned difference and for larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tellapart.stats.sequential import Capital

ALPHA, POWER, SETS, SEED = 0.05, 0.80, 2000, 20260801
Floats = NDArray[np.float64]
Make = Callable[[np.random.Generator, tuple[int, int], float], Floats]


@dataclass(frozen=True, slots=True)
class Plan:
    """Two systems: how differences are drawn, given the mean, and what is planned for."""

    name: str
    make: Make
    difference: float
    deviation: float
    """The standard deviation of a difference"""

    @property
    def items(self) -> int:
        """The number of items for the power that is planned, with one look at the end."""
        needed = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)
        return math.ceil((needed * self.deviation / self.difference) ** 2)


def right_or_wrong(
    rng: np.random.Generator, shape: tuple[int, int], mean: float, *, discordant: float
) -> Floats:
    """Return differences of right and wrong items, of which a share is discordant."""
    share = max(discordant, mean)
    won, lost = (share + mean) / 2, (share - mean) / 2
    return rng.choice([1.0, -1.0, 0.0], shape, p=[won, lost, 1 - won - lost])


def graded(
    rng: np.random.Generator, shape: tuple[int, int], mean: float, *, deviation: float
) -> Floats:
    """Return differences of graded scores, cut off at -1 and 1."""
    return np.clip(rng.normal(mean, deviation, shape), -1, 1)


def _binary(discordant: float, difference: float) -> Plan:
    name = f"right/wrong, {discordant:g} discordant, difference {difference:g}"
    spread = math.sqrt(discordant - difference**2)
    return Plan(name, partial(right_or_wrong, discordant=discordant), difference, spread)


def _graded(deviation: float, difference: float) -> Plan:
    name = f"graded, deviation {deviation:g}, difference {difference:g}"
    return Plan(name, partial(graded, deviation=deviation), difference, deviation)


PLANS = (
    _binary(0.4, 0.1),
    _binary(0.2, 0.04),
    _binary(0.08, 0.04),
    _binary(0.6, 0.2),
    _graded(0.4, 0.1),
    _graded(0.2, 0.05),
)
TIMES = (1.0, 1.5, 2.0)
"""The true difference, in those that were planned for"""


def stops(differences: Floats) -> NDArray[np.int64]:
    """Return after how many items each trajectory is settled; one more than there are if never."""
    above, below = (Capital(0.0, differences.shape[:1]) for _ in range(2))
    found = np.full(len(differences), differences.shape[1] + 1)
    for n, item in enumerate(differences.T, 1):
        above.bet(item)
        below.bet(-item)
        settled = np.maximum(above.most, below.most) >= -math.log(ALPHA / 2)
        found = np.where(settled & (found > n), n, found)
    return found


def fixed_power(differences: Floats) -> float:
    """Return how often a test with one look, at the end, finds the difference."""
    n = differences.shape[1]
    errors = differences.std(axis=1, ddof=1) / math.sqrt(n)
    z = NormalDist().inv_cdf(1 - ALPHA / 2)
    return float((np.abs(differences.mean(axis=1)) > z * errors).mean())


def rows(plan: Plan, sets: int = SETS) -> list[tuple[float, float, float, float, float]]:
    """Return, for each true difference: times, power of one look, settled by n and 2 n, items."""
    n = plan.items
    found = []
    for times in TIMES:
        drawn = plan.make(np.random.default_rng(SEED), (sets, 2 * n), times * plan.difference)
        stopped = stops(drawn)
        used = float(np.minimum(stopped, n).mean() / n)
        by_n, by_2n = (float((stopped <= most).mean()) for most in (n, 2 * n))
        found.append((times, fixed_power(drawn[:, :n]), by_n, by_2n, used))
    return found


def run(plans: Sequence[Plan] = PLANS) -> None:
    """Print the table."""
    print(f"{'planned':<46} {'items':>6} {'true':>5} {'one look':>9} {'settled by n':>13} "
          f"{'by 2 n':>7} {'mean items':>11}")  # fmt: skip
    for plan in plans:
        for times, once, by_n, by_2n, used in rows(plan):
            print(
                f"{plan.name:<46} {plan.items:>6} {times:>4g}x {once:>9.2f} {by_n:>13.2f} "
                f"{by_2n:>7.2f} {100 * used:>9.0f} %",
                flush=True,
            )
