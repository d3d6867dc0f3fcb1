"""Margins: whether a loss that would matter is ruled out, by one-sided tests that can be inverted.

Right and wrong items: the score test of paired proportions, exact for few items. All else: the
score test of a bounded mean, where an item might have lost all. No test supposes that differences
are symmetric, or that items are alike because those seen were.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.intervals import BoundedMean, crossing, least_wins, tango, tango_statistic
from tellapart.stats.result import SMALLEST_P, Flags, Floats, Ints, Test, paired_samples

EXACT_ITEMS = 100
"""Up to so many items p is exact; with more, the normal distribution errs by a hundredth at most"""

_RISK = 1e-5  # of leaving out the true rate of discordant items
_RATES, _FINER = 32, 8  # steps of the rates that are tried, and of a second look at the worst


def non_inferiority(
    a: ArrayLike, b: ArrayLike, margin: float, *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Test:
    """Test whether the first system loses less than a margin against the second.

    The null hypothesis is that it loses the margin or more; a small p rules that out.

    Args:
        a: scores of the first system, one per item.
        b: scores of the second one on the same items.
        margin: the loss that would matter, above 0.
        bounds: between which the score of any item lies.

    >>> right = [1] * 70 + [0] * 30
    >>> round(non_inferiority(right, right[::-1], 0.2).p, 4)
    0.0049
    """
    first, second = paired_samples(a, b)
    if not margin > 0:
        raise UsageError(f"a margin is above 0, not {margin}")
    low, high = bounds
    if np.isin(np.concatenate([first, second]), bounds).all():
        won, lost = (int(np.count_nonzero(x)) for x in (first > second, first < second))
        right = RightOrWrong(won, lost, len(first))
        return Test(max(right.p_loss(margin / (high - low)), SMALLEST_P), right.method)
    mean = BoundedMean.of(first - second, low - high, high - low)
    return Test(max(mean.p_loss(margin), SMALLEST_P), mean.method)


@dataclass(frozen=True, slots=True)
class RightOrWrong:
    """Items that one system alone has right, the other alone, and all.

    >>> RightOrWrong(0, 0, 30).p_loss(0.02) > 0.5  # thirty items alike rule out no loss of 0.02
    True
    """

    won: int
    lost: int
    items: int

    @property
    def method(self) -> str:
        """The name of the test."""
        return "exact score" if self.items <= EXACT_ITEMS else "score"

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a loss of the margin or more."""
        from scipy.special import ndtr

        if margin >= 1:  # more than can be lost
            return 0.0 if margin > 1 or self.lost < self.items else 1.0
        if self.items <= EXACT_ITEMS:
            return exact_score_p(self.won, self.lost, self.items, margin)
        return float(ndtr(-tango_statistic(self.won, self.lost, self.items, -margin)))

    def low_end(self, alpha: float) -> float:
        """Return the smallest lead that is not rejected."""
        if self.items > EXACT_ITEMS:
            return float(tango(self.won, self.lost, self.items, 1 - 2 * alpha)[0])

        def log_excess(shift: float) -> float:
            return math.log(self.p_loss(-shift) / alpha) or -1e-12

        observed = (self.won - self.lost) / self.items
        return crossing(log_excess, -1.0 + 1e-12, observed, xtol=1e-5)

    def mirrored(self) -> RightOrWrong:
        """Return the same seen from the other system."""
        return RightOrWrong(self.lost, self.won, self.items)


@lru_cache(maxsize=4096)
def exact_score_p(b: int, c: int, n: int, margin: float) -> float:
    """Return the exact one-sided p against the first system losing the margin or more.

    The chance of a score statistic as large, added up over all tables, at the rate of discordant
    items that makes it largest. Of these rates only those count that the data leave possible; the
    risk of missing the true one is added to p (Berger and Boos 1994, JASA 89).

    >>> round(exact_score_p(0, 0, 5, margin=0.1), 4)  # both have all right: at best 0.9 ** 5
    0.5905
    """
    from scipy.special import betaincinv

    discordant = b + c
    least = betaincinv(discordant, n - discordant + 1, _RISK / 2) if discordant else 0.0
    most = 1 - betaincinv(n - discordant, discordant + 1, _RISK / 2) if discordant < n else 1.0
    low, high = max(float(least), abs(margin)), min(float(most), 1.0)
    if low > high:
        return _RISK
    losses, statistic = np.arange(n + 1), float(tango_statistic(b, c, n, -margin))

    def as_extreme(wins: Ints, losses: Ints) -> Flags:  # the same but for rounding is as extreme
        return np.asarray(tango_statistic(wins, losses, n, -margin) >= statistic - 1e-9)

    wins = least_wins(as_extreme, losses, n - losses)
    # On the scale of the arcsine the chances are about equally smooth everywhere.
    start, stop = (math.asin(math.sqrt(end)) for end in (low, high))
    for steps in (_RATES, _FINER):
        rates = np.linspace(start, stop, steps + 1)
        discordant_rates = np.clip(np.sin(rates) ** 2, low, high)
        won, lost = (discordant_rates - margin) / 2, (discordant_rates + margin) / 2
        chances = chance_of_wins(wins, losses, n, won, lost)
        worst = int(chances.argmax())
        start, stop = float(rates[max(worst - 1, 0)]), float(rates[min(worst + 1, steps)])
    return min(1.0, float(chances.max()) + _RISK)


def chance_of_wins(
    least: Ints, losses: Ints, n: int, won: Floats | float, lost: Floats | float
) -> Floats:
    """Return the chance of the least wins or more among n items, whatever the losses.

    For each pair of chances that an item is won or lost. Losses that are left out have no chance.

    >>> chance_of_wins(np.array([2, 3]), np.array([0, 1]), 2, 0.5, 0.5).tolist()  # both won
    [0.25]
    """
    from scipy.special import betainc, gammaln, xlogy

    left = n - losses
    won, lost = (np.clip(np.atleast_1d(rate), 0.0, 1.0)[:, None] for rate in (won, lost))
    ways = gammaln(n + 1) - gammaln(losses + 1) - gammaln(left + 1)
    weights = np.exp(ways + xlogy(losses, lost) + xlogy(left, 1 - lost))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(lost < 1, np.minimum(won / (1 - lost), 1.0), 0.0)
    open_ones = (least > 0) & (least <= left) & (weights.max(axis=0) > 1e-18)
    tails = np.broadcast_to((least <= 0).astype(np.float64), weights.shape).copy()
    wins = least[open_ones]
    tails[:, open_ones] = betainc(wins, left[open_ones] - wins + 1, share)
    return np.asarray((weights * tails).sum(axis=1))
