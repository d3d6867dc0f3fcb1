"""Power: how often a test finds a true difference, and what it takes to find it often enough.

A pilot, the paired differences of some items, tells how much items vary. Where an item is won, lost
or tied, and no more, power is a sum over the numbers of wins and losses. Otherwise sets of items
are drawn from the pilot, moved to the wanted difference, and tested by flipping signs; for many
items an expansion in the skewness and kurtosis of the pilot says the same. Where runs or a judge
add their noise, the test is t with a standard error of its own.

Differences count in the direction that the test claims; a two-sided test claims that of the pilot.
A pilot that tells too little gets a reason instead of a figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.intervals import BoundedMean, crossing, least_wins, tango_statistic
from tellapart.stats.margins import (
    EXACT_ITEMS,
    RightOrWrong,
    chance_of_wins,
)
from tellapart.stats.result import Flags, Floats, Ints, probability, sample, sign_of
from tellapart.stats.signed_sums import coin_tails

FEW_ITEMS, FEW_DIFFERING, UNEVEN = "few-items", "few-differing", "uneven"
NOTHING, ALIKE, UNREACHABLE, FEW_RUNS = "nothing-differs", "alike", "unreachable", "few-runs"
"""Why there is no figure"""
MOST_ITEMS = 10**9

_COUNTED = 2000  # differing items: of more, wins and losses are as good as normal
_SETS, _DRAWN, _FEWEST_SETS = 1000, 100_000, 300  # that are drawn: sets, and items of all of them
_FEW, _MANY, _EXPANDED = 50, 500, 2.0  # items, and times kurtosis z²: where no sets are drawn
_MARGIN_ITEMS, _MARGIN_SETS = 200, 400  # for a margin, whose test takes longer
_FEW_PATTERNS, _LOWEST = 300, 12  # where fewer sign patterns pass, those of the lowest items count
_WRONG_SIDE = 3.0  # standard errors, within which a difference may be found the wrong way round
_BEYOND = (2, 4, 8, 16)  # times the items that seem to be needed: where it is looked if they are
_AHEAD = 20  # items, in which the power of a sign test may fall short again
# A deviation from few items is too small as often as too large, which costs more power than it
# gains: on average a test of power .8 finds .755 where the squared deviation has this variance.
_UNSURE = 0.486
# Items for each squared skewness below which the tail of a pilot is seen by luck (Cochran 1977 has
# 25 for the interval of a mean).
_SKEWED = 20


class Settings(TypedDict, total=False):
    """The arguments that `power`, `detectable` and `needed` have in common."""

    level: float
    alternative: str
    margin: float | None
    rng: int


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest difference that is found often enough, or a code: why none is named."""

    difference: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Needed:
    """The number of items that finds a difference often enough, or a code: why none is named."""

    n: int | None
    reason: str | None = None


def power(
    pilot: ArrayLike | Pilot,
    difference: float | None = None,
    n: int | None = None,
    **settings: Unpack[Settings],
) -> float:
    """Return how often the sign-flip test, or that of a margin, finds a true difference.

    Args:
        pilot: paired differences of some items, or what `read_pilot` made of them.
        difference: the true difference; by default that of the pilot, with a margin none.
        n: the number of items to test; by default as many as the pilot has.
        settings: `level` of the test, by default 0.05; `alternative`, ``two-sided``, ``greater``
            (the first system is better) or ``less``; `margin`, a loss to be ruled out, as by
            `non_inferiority`, instead of a difference; `rng`, the seed of sets that are drawn.

    >>> round(power([1] * 60 + [-1] * 40 + [0] * 100, n=400), 3)
    0.792
    """
    rule = _Rule(**settings)
    population = _oriented(pilot, rule)
    return population.power(_wanted(population, difference, rule), _items(population, n), rule)


def detectable(
    pilot: ArrayLike | Pilot,
    n: int | None = None,
    *,
    power: float = 0.8,
    **settings: Unpack[Settings],
) -> Detectable:
    """Return the smallest true difference that is found with the wanted power on n items.

    With a margin it is the largest true loss, as a number below 0, that still passes so often.

    Args:
        pilot: paired differences of some items, or what `read_pilot` made of them.
        n: the number of items to test; by default as many as the pilot has.
        power: how often the difference is to be found.
        settings: `level`, `alternative`, `margin` and `rng`, as of `power`.

    >>> round(detectable([1] * 60 + [-1] * 40 + [0] * 100).difference, 3)
    0.143
    >>> detectable([1, 0, 0, 1, 0, -1]).reason
    'few-differing'
    """
    rule = _Rule(**settings)
    population = _oriented(pilot, rule)
    items = _items(population, n)
    few = items < rule.fewest_items
    reason = UNREACHABLE if few else population.missing(rule, power, items)
    if reason is not None:
        return Detectable(None, reason)
    if isinstance(population, WinsAndLosses) and not population.assumed:
        # Many pairs differ on as many items: what is found of one is found of all.
        population = WinsAndLosses(population.differing, 0.0, 1, population.worth, assumed=True)
        size = _known_smallest(population, items, power, rule)
    else:
        size = _smallest(population, items, power, rule)
    return Detectable(size, UNREACHABLE if size is None else None)


def needed(
    pilot: ArrayLike | Pilot,
    difference: float | None = None,
    *,
    power: float = 0.8,
    **settings: Unpack[Settings],
) -> Needed:
    """Return from how many items on a true difference is found with the wanted power.

    Args:
        pilot: paired differences of some items, or what `read_pilot` made of them.
        difference: the true difference; by default that of the pilot, with a margin none.
        power: how often it is to be found.
        settings: `level`, `alternative`, `margin` and `rng`, as of `power`.

    >>> needed([1] * 60 + [-1] * 40 + [0] * 100).n
    408
    """
    rule = _Rule(**settings)
    population = _oriented(pilot, rule)
    reason = population.missing(rule, power, population.n)
    wanted = _wanted(population, difference, rule)
    if reason is None and not -(rule.margin or 0.0) < wanted <= population.largest:
        reason = UNREACHABLE
    if reason is not None:
        return Needed(None, reason)

    least, most = rule.fewest_items, MOST_ITEMS
    if isinstance(population, EstimatedError):
        least, most = population.least, population.most

    @cache
    def surplus(items: int) -> float:
        return _probit(population.power(wanted, items, rule)) - _probit(power)

    if surplus(most) < 0:
        return Needed(None, UNREACHABLE)

    def from_here(start: int) -> int:
        ends = math.log(start), math.log(most)
        return round(math.exp(crossing(lambda x: surplus(round(math.exp(x))), *ends, xtol=5e-4)))

    items = from_here(least)
    # Of uneven items, a few may find more than some more do: what counts is from where on.
    while (
        isinstance(population, ItemDifferences)
        and items < _MANY
        and (behind := [items * times for times in _BEYOND if surplus(items * times) < 0])
    ):
        items = from_here(behind[-1])
    if isinstance(population, WinsAndLosses) and rule.margin is None:  # goes up in a sawtooth
        ahead = range(items, items + _AHEAD)
        items = max((k + 1 for k in ahead if surplus(k) < -1e-6), default=items)
    return Needed(items)


def read_pilot(
    differences: ArrayLike,
    *,
    differing: int | None = None,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Pilot:
    """Return what paired differences tell of other items.

    Args:
        differences: one per item; their mean is the difference of the scores.
        differing: on how many items the systems differ, if not where a difference is not 0.
        bounds: between which the difference of any item lies, for margins.

    >>> pilot = read_pilot([0.5, 0, 0, -0.5, 0.5])
    >>> pilot.wins, pilot.losses, pilot.worth
    (2, 1, 0.5)
    """
    values = sample(differences, "pilot").astype(np.float64)
    if len(values) == 0:
        raise UsageError("a pilot has at least one item")
    sizes = np.abs(values)
    moving = sizes > 1e-9 * sizes.max()
    apart = int(moving.sum())
    alike = apart == 0 or np.ptp(sizes[moving]) <= 1e-9 * sizes.max()
    if alike and differing in (None, apart):
        won = int((values[moving] > 0).sum())
        return WinsAndLosses(won, apart - won, len(values), float(sizes.max()) or 1.0)
    return ItemDifferences.of(values, apart if differing is None else differing, bounds)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a set of items is decided."""

    level: float = 0.05
    alternative: str = "two-sided"
    margin: float | None = None
    rng: int = 0

    def __post_init__(self) -> None:
        probability(self.level, "a level")

    @property
    def sign(self) -> int:
        """Which side the test looks at, 0 for both; that of a margin is about the first system."""
        return sign_of(self.alternative) if self.margin is None else 1

    @property
    def tail(self) -> float:
        """The level of one side."""
        return self.level / 2 if self.sign == 0 else self.level

    @property
    def fewest_items(self) -> int:
        """How many items it takes for any outcome to be significant."""
        return 2 if self.margin is not None else max(2, math.ceil(-math.log2(self.tail) - 1e-9))


@dataclass(frozen=True, slots=True)
class WinsAndLosses:
    """Items that one system wins or loses, or that are tied; each win is worth the same.

    The share of items on which the systems differ is the same for every true difference.
    """

    wins: float
    losses: float
    n: int
    worth: float = 1.0
    assumed: bool = False
    """Whether the numbers are not those of a pilot, which may be too small"""

    @property
    def differing(self) -> float:
        """The share of items on which the systems differ."""
        return float(f"{(self.wins + self.losses) / self.n:.12g}")

    @property
    def observed(self) -> float:
        """The observed difference."""
        return self.worth * (self.wins - self.losses) / self.n

    @property
    def deviation(self) -> float:
        """The standard deviation of an item, if the systems are equally good."""
        return self.worth * math.sqrt(self.differing)

    @property
    def largest(self) -> float:
        """The largest difference that there can be."""
        return self.worth * self.differing

    def mirrored(self) -> WinsAndLosses:
        """Return the same seen from the other system."""
        return replace(self, wins=self.losses, losses=self.wins)

    def missing(self, rule: _Rule, power: float, _: int) -> str | None:
        """Return why the pilot tells too little; None if it tells enough."""
        if not self.differing:
            return NOTHING
        return None if self.assumed else _few_differing(self.n, self.differing, rule, power)

    def rates(self, difference: float) -> tuple[float, float]:
        """Return the chances that an item is won and lost, if that is the true difference."""
        lead = difference / self.worth
        return max(0.0, (self.differing + lead) / 2), max(0.0, (self.differing - lead) / 2)

    def power(self, difference: float, n: int, rule: _Rule) -> float:
        """Return how often a true difference is found on n items."""
        won, lost = self.rates(difference)
        if rule.margin is not None:
            return _margin_power(won, lost, n, rule.margin / self.worth, rule.level)
        return _sign_test_power(won, lost, n, rule)


@dataclass(frozen=True, slots=True)
class AssumedScores(WinsAndLosses):
    """Right and wrong answers of two systems with assumed scores; `of` makes it of these.

    For other differences the first score stays, and the second moves.

    >>> round(detectable(AssumedScores.of(0.7, 0.75), 500).difference, 3)
    0.058
    """

    score: float = 0.5
    """Of the worse system, or how often the better is wrong, if that is the first"""
    correlation: float = 0.5

    @classmethod
    def of(cls, first: float, second: float, correlation: float = 0.5) -> AssumedScores:
        """Return two scores whose answers are correlated so much, or as much as they can be."""
        score = first if second >= first else 1 - first
        assumed = cls(1, 0, 1, assumed=True, score=score, correlation=correlation)
        won, lost = assumed.rates(abs(second - first))
        return replace(assumed, wins=won, losses=lost)

    @property
    def largest(self) -> float:
        """The largest difference: until the second system is always right, or always wrong."""
        return 1 - self.score

    def mirrored(self) -> AssumedScores:
        """Return itself: a difference is how far the second system is from the first."""
        return self

    def rates(self, difference: float) -> tuple[float, float]:
        """Return the chances that an item is won and lost, if that is the true difference."""
        first, second = self.score, min(1.0, self.score + difference)
        spread = math.sqrt(first * (1 - first) * second * (1 - second))
        both = max(0.0, first + second - 1, first * second + self.correlation * spread)
        return second - min(first, second, both), first - min(first, second, both)


@dataclass(frozen=True, eq=False)
class ItemDifferences:
    """Paired differences of any size: around every true difference they vary as they were seen."""

    residuals: Floats  # ascending; their mean is 0
    observed: float
    differing: int
    step: float
    """What all differences are multiples of; 0 if that is nothing coarse"""
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls, differences: Floats, differing: int, bounds: tuple[float, float] = (-1.0, 1.0)
    ) -> ItemDifferences:
        """Return what differences tell, spread a little so that power is right on average."""
        n, mean = len(differences), math.fsum(differences) / len(differences)
        scale = float(np.abs(differences).max())
        residuals = np.sort(differences) - mean
        if np.ptp(residuals) <= 1e-9 * scale:
            residuals = np.zeros(n)
        seen = cls(residuals, mean, differing, _coarse_step(np.abs(differences)), bounds)
        # A quarter of 1 / df makes the deviation unbiased; as much again, since one that is too
        # small costs more power than one that is too large gains. What is skewed has a tail of
        # which most pilots see too little.
        unsure = (1 + seen.moments[1] ** 2) / (2 * max(seen.df, 1.0))
        spread = math.sqrt(n / max(n - 1, 1)) * (1 + unsure)
        return replace(seen, residuals=spread * residuals)

    @property
    def n(self) -> int:
        """The number of items of the pilot."""
        return len(self.residuals)

    @cached_property
    def moments(self) -> tuple[float, float, float]:
        """Standard deviation, skewness and kurtosis of an item."""
        squares = self.residuals**2
        deviation = math.sqrt(float(squares.mean()))
        third, fourth = float((squares * self.residuals).mean()), float((squares**2).mean())
        return deviation, third / (deviation or 1.0) ** 3, fourth / (deviation or 1.0) ** 4

    @property
    def deviation(self) -> float:
        """The standard deviation of an item."""
        return self.moments[0]

    @property
    def df(self) -> float:
        """Its degrees of freedom: fewer where few items make up most of it."""
        return min(self.n - 1.0, 2.0 * self.n / max(self.moments[2] - 1, 1e-9))

    @property
    def largest(self) -> float:
        """The largest difference: there is none."""
        return math.inf

    def mirrored(self) -> ItemDifferences:
        """Return the same seen from the other system."""
        (low, high), residuals = self.bounds, np.ascontiguousarray(-self.residuals[::-1])
        return replace(self, residuals=residuals, observed=-self.observed, bounds=(-high, -low))

    def missing(self, rule: _Rule, power: float, _: int) -> str | None:
        """Return why the pilot tells too little; None if it tells enough."""
        if not self.differing:
            return NOTHING
        few = _few_differing(self.n, self.differing / self.n, rule, power)
        if few is not None:
            return few
        if self.deviation == 0:
            return ALIKE
        if self.df < _least_df(rule.tail, power):
            return FEW_ITEMS if self.df >= 0.5 * (self.n - 1) else UNEVEN
        return UNEVEN if _SKEWED * self.moments[1] ** 2 > self.n else None

    def power(self, difference: float, n: int, rule: _Rule) -> float:
        """Return how often a true difference is found on n items."""
        if rule.margin is not None:
            return self._margin_power(difference, n, rule)
        if self.deviation == 0:
            return float(difference > 0 and n >= rule.fewest_items)
        difference -= self.step / n  # what it costs that sums move in steps
        if n > min(max(_FEW, _EXPANDED * self.moments[2] * _probit(rule.tail) ** 2), _MANY):
            return _mean_power(difference, n, self.moments, rule)
        limits = _limits(self, n, rule, 1)
        found = int(np.searchsorted(limits, difference, "right"))
        if rule.sign == 0 and difference < _WRONG_SIDE * self.deviation / math.sqrt(n):
            found += int(np.searchsorted(_limits(self, n, rule, -1), -difference, "right"))
        return min(1.0, found / len(limits))

    def _margin_power(self, difference: float, n: int, rule: _Rule) -> float:
        """Return how often a loss of the margin is ruled out, items being as often won as lost."""
        from scipy.special import ndtr, ndtri

        assert rule.margin is not None
        values = self.residuals + self.observed
        both = np.sort(np.concatenate([values, -values])) + difference
        if n <= _MARGIN_ITEMS:
            places = (len(both) * _positions(n, rule.rng)[:_MARGIN_SETS]).astype(np.intp)
            p = [BoundedMean.of(items, *self.bounds).p_loss(rule.margin) for items in both[places]]
            return float(np.mean(np.array(p) <= rule.level))
        expected = BoundedMean.of(both, *self.bounds, times=np.full(len(both), n / len(both)))
        statistic = expected.statistic(-rule.margin)
        # The statistic has the standard error of a loss of the margin, and varies with its own.
        shift = (difference + rule.margin) * math.sqrt(n) / float(both.std())
        return float(ndtr(shift * (1 + ndtri(rule.level) / statistic)))


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedError:
    """A difference that is tested by t, where more than items makes its standard error.

    >>> three_runs = EstimatedError(lambda n: (0.1, 4), 100)
    >>> detectable(three_runs).reason
    'few-runs'
    >>> round(power(EstimatedError(lambda n: (n**-0.5, n - 1), 33), 0.5), 3)
    0.783
    """

    error: Callable[[int], tuple[float, float]]
    """From a number of items to the standard error, and its degrees of freedom"""
    n: int
    observed: float = 0.0
    least: int = 2
    most: int = MOST_ITEMS
    """How many items there can be"""

    @property
    def deviation(self) -> float:
        """What the standard error would be of one item."""
        return self.error(self.n)[0] * math.sqrt(self.n)

    @property
    def largest(self) -> float:
        """The largest difference: there is none."""
        return math.inf

    def mirrored(self) -> EstimatedError:
        """Return the same seen from the other system."""
        return replace(self, observed=-self.observed)

    def missing(self, rule: _Rule, power: float, n: int) -> str | None:
        """Return why n items tell too little; None if they tell enough."""
        error, df = self.error(n)
        return None if error > 0 and df >= _least_df(rule.tail, power) else FEW_RUNS

    def power(self, difference: float, n: int, rule: _Rule) -> float:
        """Return how often a true difference is found on n items, or a loss is ruled out."""
        from scipy.special import nctdtr, stdtrit

        error, df = self.error(n)
        # The error is spread a little, as in `ItemDifferences.of`, so that power is right on
        # average. Beyond a shift of 37, all is found, and SciPy has no number for smaller tails.
        shift = (difference + (rule.margin or 0.0)) / max(error * (1 + 1 / (2 * df)), 1e-300)
        critical = float(stdtrit(df, 1 - rule.tail))
        below, wrong = np.nan_to_num(nctdtr(df, min(shift, 37.0), [critical, -critical])).tolist()
        return float(1 - below + (0.0 if rule.sign else wrong))


Pilot: TypeAlias = WinsAndLosses | ItemDifferences | EstimatedError


def _oriented(pilot: ArrayLike | Pilot, rule: _Rule) -> Pilot:
    """Return the pilot, with the direction that the test claims upwards."""
    if not isinstance(pilot, Pilot):
        pilot = read_pilot(pilot)
    # Systems that are equally good have a direction, too: what they differ by may be skewed.
    skewness = pilot.moments[1] if isinstance(pilot, ItemDifferences) else 0.0
    turned = rule.sign < 0 or (rule.sign == 0 and (pilot.observed, skewness) < (0.0, 0.0))
    return pilot.mirrored() if turned else pilot


def _items(population: Pilot, n: int | None) -> int:
    if n is not None:
        return n
    if isinstance(population, WinsAndLosses) and population.assumed:
        raise UsageError("no items were seen of what is assumed; give their number, n")
    return population.n


def _wanted(population: Pilot, difference: float | None, rule: _Rule) -> float:
    if difference is not None:
        return difference
    return population.observed if rule.margin is None else 0.0


def _few_differing(n: int, differing: float, rule: _Rule, power: float) -> str | None:
    """Return the code where one system could win wherever they differ, and seldom be found."""
    if n < rule.fewest_items:
        return FEW_ITEMS
    # With more than a hundred, no level in use is out of reach; a margin is reached by ties, too.
    if n * differing > 100 or rule.margin is not None:
        return None
    return None if _sign_test_power(differing, 0.0, n, rule) >= power else FEW_DIFFERING


def _least_df(tail: float, power: float) -> float:
    """Return the degrees of freedom with which a deviation is known well enough."""
    return (_probit(power) - _probit(tail)) ** 2 / (2 * _UNSURE)


def _probit(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(min(max(share, 1e-12), 1 - 1e-12)))


def _smallest(population: Pilot, n: int, power: float, rule: _Rule) -> float | None:
    """Return the smallest difference that is found often enough on n items; None if none is."""

    @cache
    def surplus(difference: float) -> float:
        return _probit(population.power(difference, n, rule)) - _probit(power)

    most = min(population.largest, 10 * population.deviation)  # which six items always show
    if surplus(most) < 0:
        return None
    xtol = 1e-4 * population.deviation / math.sqrt(n)
    return crossing(surplus, -(rule.margin or 0.0), most, xtol=xtol)


_known_smallest = lru_cache(maxsize=4096)(_smallest)


def _sign_test_power(won: float, lost: float, n: int, rule: _Rule) -> float:
    """Return the power where items are won and lost with given chances."""
    from scipy.special import bdtrc

    lead, differing = won - lost, won + lost
    variance = max(differing - lead**2, 1e-12)
    if n * differing > _COUNTED:
        third = lead - 3 * lead * differing + 2 * lead**3
        fourth = differing - 4 * lead**2 + 6 * lead**2 * differing - 3 * lead**4
        moments = math.sqrt(variance), third / variance**1.5, fourth / variance**2
        return _mean_power(lead - 1 / n, n, moments, rule)
    if differing == 0:
        return 0.0
    numbers, chances = _binomial(n, min(1.0, differing))
    enough = _significant_wins(1 << int(numbers[-1]).bit_length(), rule.tail)[numbers]
    both = rule.sign == 0 and lead < _WRONG_SIDE * math.sqrt(variance / n)
    shares = (won / differing, lost / differing)[: 2 if both else 1]
    found = [float(chances @ bdtrc(enough - 1, numbers, share)) for share in shares]
    return min(1.0, math.fsum(found))


def _likely(n: int, chance: float) -> Ints:
    """Return on how many of n items something of a given chance may happen."""
    reach = 7 * math.sqrt(n * chance * (1 - chance)) + 10
    low, high = math.floor(n * chance - reach), math.ceil(n * chance + reach)
    return np.arange(max(0, low), min(n, high) + 1)


@lru_cache(maxsize=256)
def _binomial(n: int, chance: float) -> tuple[Ints, Floats]:
    """Return likely numbers of n items, and the chance of each."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = _likely(n, chance)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return k, np.exp(ways + xlogy(k, chance) + xlog1py(n - k, -chance))


@lru_cache(maxsize=64)
def _significant_wins(size: int, tail: float) -> Ints:
    """Return the least significant wins of 0 to `size` - 1 items; one more if none will do."""

    def significant(wins: Ints, items: Ints) -> Flags:
        return np.asarray(coin_tails(items, 2 * wins - items, 1) <= tail)

    items = np.arange(size)
    return least_wins(significant, items, items)


def _margin_power(won: float, lost: float, n: int, margin: float, level: float) -> float:
    """Return how often right and wrong answers rule out a loss of the margin."""
    from scipy.special import ndtri

    losses = _likely(n, lost)
    if margin >= 1:  # more than can be lost
        return 1.0
    if n > EXACT_ITEMS:

        def passes(wins: Ints, losses: Ints) -> Flags:
            return np.asarray(tango_statistic(wins, losses, n, -margin) >= -ndtri(level))

        least = least_wins(passes, losses, n - losses)
    else:
        least, wins = np.empty_like(losses), 0
        for k, number in enumerate(losses.tolist()):  # with more losses, no fewer wins pass
            while wins <= n - number and RightOrWrong(wins, number, n).p_loss(margin) > level:
                wins += 1
            least[k] = wins
    return float(chance_of_wins(least, losses, n, won, lost)[0])


def _mean_power(
    difference: float, n: int, moments: tuple[float, float, float], rule: _Rule
) -> float:
    """Return the power of the test of a mean of many items, by an Edgeworth expansion.

    A set is found if the lower end of its interval is above 0. That end varies as the mean does,
    and as the deviation does, which in skewed items goes along with the mean.
    """
    from scipy.special import ndtr

    deviation, skewness, kurtosis = moments
    critical = float(_critical(np.array(kurtosis), n, rule))
    centre = critical * (1 - (kurtosis - 1) / (8 * n))
    found = 0.0
    for sign in (1, -1)[: 2 if rule.sign == 0 else 1]:
        skew = sign * skewness / math.sqrt(n)
        spread = math.sqrt(max(0.25, 1 - critical * skew + critical**2 * (kurtosis - 1) / (4 * n)))
        x = (sign * difference * math.sqrt(n) / deviation - centre) / spread
        found += float(ndtr(x + skew * (min(x * x, 9.0) - 1) / (6 * spread**3)))  # not far out
    return min(1.0, found)


def _critical(kurtosis: Floats, n: int, rule: _Rule) -> Floats:
    """Return the t from which on items of a kurtosis, about 0, are significant.

    By a Cornish-Fisher expansion of their sum with random signs, whose odd cumulants vanish.
    """
    z = _probit(rule.tail)
    square = (z * (1 - (z * z - 3) / (12 * n) * kurtosis)) ** 2
    return np.asarray(np.sqrt(square * (n - 1) / np.maximum(n - square, 1e-9)))


@lru_cache(maxsize=8)
def _positions(n: int, seed: int) -> Floats:
    """Return sets of n places in a pilot, from 0 to 1; all of its parts are drawn as often."""
    sets = max(_FEWEST_SETS, min(_SETS, _DRAWN // n))
    places = (np.arange(sets * n) + 0.5) / (sets * n)
    streams.generator(seed, streams.PLACES, n).shuffle(places)
    return places.reshape(sets, n)


@lru_cache(maxsize=2)
def _drawn(population: ItemDifferences, n: int, seed: int) -> tuple[Floats, Floats]:
    """Return sets of items that are drawn from a pilot, and their mean and central moments."""
    sets = population.residuals[(population.n * _positions(n, seed)).astype(np.intp)]
    mean = sets.mean(axis=1)
    away = sets - mean[:, None]
    squares = away * away
    central = [(squares * power).mean(axis=1) for power in (1.0, away, squares)]
    return sets, np.stack([mean, *central])


@lru_cache(maxsize=8)
def _limits(population: ItemDifferences, n: int, rule: _Rule, sign: int) -> Floats:
    """Return the true differences from which on drawn sets of items are found, ascending.

    With sign -1 as differences in the other direction.
    """
    sets, (mean, second, third, fourth) = _drawn(population, n, rule.rng)
    patterns = math.floor(rule.tail * 2.0 ** min(n, 60) * (1 + 1e-12))
    if patterns == 0:
        return np.full(len(sets), math.inf)
    if patterns < _FEW_PATTERNS:
        return np.sort(_counted_limits(sign * sets, patterns))
    lead = np.zeros_like(mean)
    for _ in range(3):  # the kurtosis about 0 is that of items moved to their limit
        moved = fourth + 4 * sign * third * lead + 6 * second * lead**2 + lead**4
        kurtosis = moved / np.maximum((second + lead**2) ** 2, 1e-300)
        lead = _critical(kurtosis, n, rule) * np.sqrt(second / (n - 1))
    return np.sort(lead - sign * mean)


def _counted_limits(sets: Floats, patterns: int) -> Floats:
    """Return the limits where few sign patterns may reach the observed sum.

    Items moved by d are significant if at most so many of their subsets, the empty one among them,
    have a sum of 0 or less: a mean of -d or less before. Few have, and those of the lowest items.
    """
    count = min(sets.shape[1], _LOWEST)
    lowest = np.sort(sets, axis=1)[:, :count]
    members = (np.arange(1, 1 << count)[:, None] >> np.arange(count)) & 1
    means = lowest @ (members / members.sum(axis=1, keepdims=True)).T
    last = min(patterns, len(members)) - 1
    return np.asarray(-np.partition(means, last, axis=1)[:, last])


def _coarse_step(sizes: Floats) -> float:
    """Return what all sizes are whole multiples of, by Euclid; 0 where that is nothing coarse."""
    step, most = 0.0, float(sizes.max()) or 1.0
    for size in np.unique(np.round(sizes / most, 9)).tolist():
        while size > 1e-6:
            step, size = size, abs(math.remainder(step, size))
        if 0 < step < 1e-3:
            return 0.0
    return step * most
