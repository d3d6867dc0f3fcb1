"""The tail of a sum whose terms have random signs: the one engine behind all sign-flip tests.

Terms that are all alike are fair coins. The signs of a few terms are all walked, half of the terms
against the other half. More terms are counted on a grid of equal steps, which for whole numbers is
their own, and otherwise rounds each term; how far rounding may move a sum is known. For very many
terms the characteristic function gives bounds. Every sum that might reach the observed one counts,
so that p errs to the larger side only, and `Test.error` says by how much at most.

Terms may come with multiplicities: data reduced to their distinct rows take the same road.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

import tellapart.engine as engine
from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.result import (
    Floats,
    Ints,
    Test,
    paired_samples,
    sign_of,
    smallest_p,
    tie_slack,
)

MAX_UPDATES = 2e9
"""Grid cells that one test may update: a second or two"""
_ENUMERATED = 20  # up to so many equal terms, the arrangements are counted as whole numbers
_WALKED, _WALKED_IN_SEARCH = 30, 24  # up to so many terms, all signs are walked
_ROUNDING = 1e-3  # standard deviations of the sum by which rounding onto the grid may move it
_CHANCE = 1e-15  # that rounding moves a sum further than its bound
_FINER = 2  # times finer than a rounding grid may the grid of whole numbers be
RESCALE_EVERY = 512
"""Items, as in the native code, before counts leave the range of a double"""


def sign_flip(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    times: ArrayLike | None = None,
    n_resamples: int = 99_999,
    rng: int = 0,
) -> Test:
    """Test whether the mean of paired differences is zero, by flipping their signs.

    Under the null hypothesis each difference is as likely to be positive as negative. p is the
    share of all sign patterns whose sum is at least as extreme as the observed one: counted, not
    drawn, wherever that is affordable. Decimal numbers are compared as decimals, so that ties are
    exact.

    Args:
        a: scores of the first system, one per item; or paired differences, without `b`.
        b: scores of the second system on the same items.
        alternative: ``two-sided``, ``greater`` (a is better) or ``less``.
        times: how many items each pair of values stands for; one each by default.
        n_resamples: sign patterns to draw where counting would take too long.
        rng: the seed of these draws.

    >>> sign_flip([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).p
    0.0625
    >>> round(sign_flip([0.3, 0.1, 0.4, 0.2], alternative="greater").p, 4)
    0.0625

    """
    first, second = paired_samples(a, b)
    differences = whole_numbers(np.asarray(first - second))
    counts = None if times is None else np.asarray(times, np.int64)
    if counts is not None and (counts.shape != differences.shape or (counts < 0).any()):
        raise UsageError("times must hold one count of items, 0 or more, for each pair of values")
    sign = sign_of(alternative)
    observed = math.fsum(differences if counts is None else differences * counts)
    slack = 0.0
    if common_step(np.abs(differences)) is None:
        slack = tie_slack(*first.tolist(), *second.tolist()) * len(differences)
    terms = SignedSum.of(differences, counts)
    found = terms.test(observed, sign, slack)
    return found or terms.drawn(observed, sign, slack, n_resamples, rng)


def whole_numbers(values: Floats) -> Floats:
    """Return decimal numbers as whole numbers of their last digit; others as they are.

    >>> whole_numbers(np.array([0.1 + 0.2, 0.25])).tolist()
    [30.0, 25.0]
    """
    largest = float(np.abs(values).max(initial=0.0))
    for digits in range(10):
        if largest * 10.0**digits > 1e9:  # beyond, rounding of the floats would show
            break
        whole = np.rint(values * 10.0**digits)
        if (np.abs(values * 10.0**digits - whole) <= 1e-6).all():
            return np.asarray(whole, np.float64)
    return np.asarray(values, np.float64)


def common_step(sizes: Floats) -> float | None:
    """Return the largest number that all whole numbers are multiples of; None for others.

    >>> common_step(np.array([4.0, 6.0])), common_step(np.array([0.5, 1.0]))
    (2.0, None)
    """
    if sizes.max(initial=0.0) >= 1 << 53 or (sizes != np.rint(sizes)).any():
        return None
    return float(np.gcd.reduce(sizes.astype(np.int64))) or None


def coin_tails(n: ArrayLike, ahead: ArrayLike, sign: int) -> Floats:
    """Return p of n fair coins with so many more heads than tails, for arrays of both.

    >>> coin_tails([7, 7, 8], [5, -5, 0], 0).tolist()
    [0.125, 0.125, 1.0]
    """
    from scipy.special import betainc

    n, ahead = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(ahead, np.float64))
    lead = np.abs(ahead) if sign == 0 else sign * ahead
    heads = np.ceil((n + lead) / 2)
    inside = (heads > 0) & (heads <= n)
    tails = betainc(np.where(inside, heads, 1.0), np.where(inside, n - heads + 1, 1.0), 0.5)
    tails = np.where(inside, tails, np.where(heads <= 0, 1.0, 0.0))
    if sign == 0:
        tails = np.where(np.abs(ahead) <= n % 2, 1.0, np.minimum(1.0, 2 * tails))
    few = np.where(n <= 40, n, 0).astype(np.int64)  # of these, p times 2^n is a whole number
    tails = np.where(n <= 40, np.ldexp(np.rint(np.ldexp(tails, few)), -few), tails)
    least = np.ldexp(1.0, np.maximum((sign == 0) - n, -1074).astype(np.int64))
    return np.asarray(np.where(n > 0, np.maximum(tails, least), 1.0))


def coin_test(p: float, n: int) -> Test:
    """Return the test of n fair coins; of few, all outcomes were counted."""
    if n > _ENUMERATED:
        return Test(p, "exact")
    return Test(p, "enumeration", exceedances=round(p * 2**n), arrangements=1 << n)


@dataclass(frozen=True)
class SignedSum:
    """A sum of terms with random signs: the sizes of the terms, and how many have each.

    >>> SignedSum.of(np.array([0.5, -0.25, 0.25, 0.5])).test(1.0, 0).p
    0.375
    """

    sizes: Floats  # distinct, ascending, above 0
    times: Ints
    step: float | None
    """What all sizes are whole multiples of, where they are whole numbers"""

    @cached_property
    def n(self) -> int:
        """The number of terms."""
        return int(self.times.sum())

    @cached_property
    def total(self) -> float:
        """The largest sum that there can be."""
        return math.fsum((self.sizes * self.times).tolist())

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the sum."""
        return math.sqrt(math.fsum((self.sizes * self.sizes * self.times).tolist()))

    @classmethod
    def of(cls, terms: Floats, times: Ints | None = None) -> SignedSum:
        """Return the sum of terms; neither their order nor their signs matter."""
        moving = terms != 0
        sizes, places = np.unique(np.abs(terms[moving]), return_inverse=True)
        own = None if times is None else times[moving]
        counts = np.bincount(places.reshape(-1), weights=own, minlength=len(sizes))
        return cls(sizes[counts > 0], counts[counts > 0].astype(np.int64), common_step(sizes))

    @property
    def updates(self) -> float:
        """The work of `test` in updates of a grid cell; infinite if drawing is cheaper."""
        if self.n <= _WALKED or len(self.sizes) == 1:
            return float(1 << min(self.n, _WALKED) // 2 << 4)
        return min(self._grid_updates, _series_updates(self))

    @property
    def _grid_step(self) -> float:
        rounding = _short(_ROUNDING * self.spread / _moved_by_steps(self.n))
        if self.step is not None and self.step >= rounding / _FINER:
            return self.step
        return rounding

    @property
    def _grid_updates(self) -> float:
        updates = self.total / self._grid_step * self.n / 4
        return updates if updates <= MAX_UPDATES else math.inf

    def test(
        self,
        observed: float,
        sign: int,
        slack: float = 0.0,
        differing: int | None = None,
        steps: int | None = None,
    ) -> Test | None:
        """Return p of the observed sum; None where counting takes too much work.

        A sum that falls short by `slack` is tied. Where only so many items are `differing`, p is
        not below what these allow. A search that needs p to some digits alone, not a bound, takes a
        grid of so many `steps` per standard deviation; p is then ``rounded``.
        """
        reach = (abs(observed) if sign == 0 else sign * observed) - slack
        least = smallest_p(self.n if differing is None else differing, sign)
        if self.n == 0:
            return Test.counted(1, 1)
        if len(self.sizes) == 1:
            return self._coins(reach, sign, least)
        if sign == 0 and reach <= 0:
            return Test(1.0, "exact")
        if self.n <= (_WALKED if steps is None else _WALKED_IN_SEARCH):
            reached, every = self._walked(reach), 1 << self.n
            return Test.counted(min(every, reached * (2 if sign == 0 else 1)), every, least)
        bounds, method = None, "exact"
        if steps is not None:
            step, method = self.spread / steps, "rounded"
            counted = np.repeat(np.rint(self.sizes / step).astype(np.int64), self.times)
            bounds = (_Halves.of(counted).tail(reach / step),) * 2
        elif self._grid_updates < math.inf:
            bounds = self._grid_bounds(reach)
        elif _series_updates(self) < math.inf:
            bounds = _series_bounds(self, reach)
        if bounds is None:
            return None
        high, low = (min(1.0, (2 if sign == 0 else 1) * bound) for bound in bounds)
        p = max(high, least)
        return Test(p, method, error=float(f"{max(0.0, high - low):.9g}"))

    def drawn(self, observed: float, sign: int, slack: float, n_resamples: int, rng: int) -> Test:
        """Return p from random signs, where counting all of them takes too much work."""
        reach = (abs(observed) if sign == 0 else sign * observed) - slack
        generator = streams.generator(rng, streams.SIGN_COUNTS)
        count, rows = 0, max(1, (1 << 22) // len(self.sizes))
        for first in range(0, n_resamples, rows):
            shape = min(rows, n_resamples - first), len(self.sizes)
            sums = (2.0 * generator.binomial(self.times, 0.5, shape) - self.times) @ self.sizes
            reached = np.abs(sums) >= reach if sign == 0 else sums >= reach
            count += int(np.count_nonzero(reached))
        return Test.drawn(count, n_resamples)

    def _coins(self, reach: float, sign: int, least: float) -> Test:
        """Return the test of terms that are all alike: heads and tails of fair coins."""
        lead = math.ceil(reach / float(self.sizes[0]) - 1e-9)
        lead += (lead - self.n) % 2  # heads minus tails have the parity of n
        if sign == 0:
            lead = max(lead, 0)
        return coin_test(max(float(coin_tails(self.n, lead, 1 if sign else 0)), least), self.n)

    def _walked(self, reach: float) -> int:
        """Return how many of all signs reach: those of one half of the terms meet the others'."""
        sizes = np.repeat(self.sizes, self.times)
        first, second = _all_sums(sizes[::2]), np.sort(_all_sums(sizes[1::2]))
        return int((len(second) - np.searchsorted(second, reach - first)).sum())

    def _grid_bounds(self, reach: float) -> tuple[float, float]:
        """Return the chance that the sum is at least `reach`: an upper and a lower bound."""
        step = self._grid_step
        steps = np.rint(self.sizes / step)
        distribution = _Halves.of(np.repeat(steps.astype(np.int64), self.times))
        if step == self.step:
            high = low = distribution.tail(reach / step)
        else:
            errors = self.sizes - step * steps
            sure = math.fsum((np.abs(errors) * self.times).tolist())
            squares = math.fsum((errors * errors * self.times).tolist())
            # Hoeffding: hardly further than a few times the root of the squared errors.
            likely = min(sure, math.sqrt(2 * math.log(2 / _CHANCE) * squares))
            likely, sure = likely + 1e-12 * self.spread, sure + 1e-12 * self.spread
            high, low = (distribution.tail((reach + by) / step) for by in (-likely, likely))
            # Two bounds, either of which holds.
            high = min(high + _CHANCE, distribution.tail((reach - sure) / step))
            low = max(low - _CHANCE, distribution.tail((reach + sure) / step))
        # Without the last digits, which depend on how a machine's vector units add up.
        return float(f"{high:.12g}"), float(f"{low:.12g}")


def _all_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _short(step: float) -> float:
    """Return a step of a few binary digits, the same on every machine."""
    mantissa, exponent = math.frexp(step)
    return math.ldexp(math.floor(16 * mantissa), exponent - 4)


def _moved_by_steps(n: int) -> float:
    """Return how far n rounded terms are likely to move a sum, in steps."""
    error = math.sqrt(1 / 12)
    return min(math.sqrt(2 * math.log(2 / _CHANCE) * n) * error, n * error)


@dataclass(frozen=True, slots=True)
class _Halves:
    """The distribution of sums of random subsets of whole numbers, as two independent halves.

    Two halves take half of the work of the whole.
    """

    first: Floats
    """The chance of each sum of the one half"""
    above: Floats
    """The chance of each sum of the other half, or a larger one; 0 at the end"""
    total: int

    @classmethod
    def of(cls, steps: Ints) -> _Halves:
        """Return the distribution for numbers in ascending order."""
        first, second = (_subset_weights(steps[half::2]) for half in (0, 1))
        above = np.append(np.cumsum(second[::-1])[::-1], 0.0)
        return cls(first, above, int(steps.sum()))

    def tail(self, reach: float) -> float:
        """Return the chance that the sum with random signs is at least `reach`."""
        # If x is the sum of the terms with a plus, the signed sum is 2 x - total.
        least = math.ceil((self.total + reach) / 2)
        low = max(0, least - len(self.above) + 1)  # below, the other half cannot make up for it
        high = max(low, min(len(self.first), least + 1))  # from there on, it need not
        partners = self.above[least - high + 1 : least - low + 1][::-1]
        rest = self.first[high:].sum() * self.above[0]
        return min(1.0, float((self.first[low:high] * partners).sum() + rest))


def _subset_weights(steps: Ints) -> Floats:
    """Return the chance of each sum of a random subset, small numbers being added first."""
    if engine.active() != "numpy":
        assert engine.native is not None
        cells = np.zeros(int(steps.sum()) + 1)
        engine.native.subset_weights(np.ascontiguousarray(steps), cells)
    else:
        cells = convolved(np.stack([steps, np.zeros_like(steps)]))[0][0]
    cells *= 2.0 ** -(len(steps) % RESCALE_EVERY)
    return cells


def convolved(shifts: Ints) -> tuple[Floats, int]:
    """Return the weights of all sums of random subsets, y × x, and the lowest x.

    They are how many subsets there are, over 2^`RESCALE_EVERY` for as many shifts.

    >>> convolved(np.array([[1, 2, 2], [0, 0, 0]]))
    (array([[1., 1., 2., 2., 1., 1.]]), 0)
    """
    x0, x1, y1 = 0, 0, 0  # of the sums so far
    lowest = int(np.minimum(shifts[0], 0).sum())
    width, height = (np.abs(shifts).sum(axis=1) + 1).tolist()
    cells = np.zeros((height, width))
    cells[0, -lowest] = 1.0
    for step, (dx, dy) in enumerate(shifts.T.tolist()):
        before = cells[: y1 + 1, x0 - lowest : x1 + 1 - lowest].copy()
        cells[dy : dy + y1 + 1, x0 + dx - lowest : x1 + dx + 1 - lowest] += before
        x0, x1, y1 = x0 + min(dx, 0), x1 + max(dx, 0), y1 + dy
        if (step + 1) % RESCALE_EVERY == 0:
            cells *= 2.0**-RESCALE_EVERY
    return cells, lowest


_MOVED = 2e-4  # standard deviations between `reach` and where the noisy sum is looked at
_NOISE = _MOVED / 7.5  # which moves a sum further in six of 10^14 cases
_LEFT_OUT = 1e-12  # a bound: more noise than that, sums wrapped around, rounding
_APART = 0.02  # how far the bounds may be apart, as a share of the upper one
_LEAST_UPDATES = 1e8  # what the series takes at least, in updates of a grid cell
_STEP = math.pi / 8.7  # sums beyond 8.7 standard deviations (1e-16) are wrapped around
_FAR = 8.0  # standard deviations: from there on Hoeffding's bound, 1e-14, says enough
_NEGLIGIBLE = -45.0  # the logarithm of what is not worth adding up
_GRID = 1 << 22  # four times as fine as the points of the series
_MOST_KINDS = 1 << 16  # more sizes than that are rounded
_FINEST = 1 << 14  # steps in the size of a usual term, where sizes are rounded


def _series_updates(terms: SignedSum) -> float:
    """Return the work of `_series_bounds` in updates of a cell; infinite if drawing is cheaper."""
    updates = _LEAST_UPDATES + 1024 * min(len(terms.sizes), _MOST_KINDS)
    return updates if updates <= 10_000 * terms.n else math.inf


def _series_bounds(terms: SignedSum, reach: float) -> tuple[float, float] | None:
    """Return bounds of the chance that a sum of very many terms is at least `reach`.

    The characteristic function of the sum is a product of cosines, a power of one for all terms of
    a size. It belongs to a distribution with jumps, whose tail no finite number of its values
    gives. So a little normal noise is added to the sum: with it, the tail is a short series;
    without it, the tail lies between those of the noisy sum a little below and a little above.
    None where a few terms are so much larger than all others that sums lie in heaps.
    """
    sizes, times, rounded = _rounded(terms)
    reach = _between_sums(terms, reach)
    x, away = reach / terms.spread, _MOVED + rounded / terms.spread
    missed = _CHANCE if rounded else 0.0
    most = min(1.0, math.exp(-(max(0.0, x - away) ** 2) / 2) + missed)  # Hoeffding's bounds
    least = max(0.0, 1.0 - math.exp(-(min(0.0, x + away) ** 2) / 2) - missed)
    if abs(x) <= _FAR:
        series = _series(sizes * (_STEP / terms.spread), times)
        if series is None:
            return None
        high, low = (_noisy_tail(*series, at) for at in (x - away, x + away))
        most, least = min(high + _LEFT_OUT, most), max(low - _LEFT_OUT, least)
        if most - least > _APART * most + 3 * _LEFT_OUT:
            return None
    # Rounded up: without the digits that depend on how a machine's vector units add up.
    return min(1.0, float(f"{most * (1 + 6e-9):.9g}")), least


def _log_noise(numbers: Floats) -> Floats:
    return -np.square(_NOISE * _STEP * numbers) / 2


def _points_that_matter(angles: Floats, times: Ints) -> Floats:
    """Return the numbers of the points at which the characteristic function is not negligible.

    The logarithm of |cos x| is at most (cos 2x - 1) / 4. Of sizes on a grid, one Fourier
    transform has the sums of these cosines at all points, but for what the grid rounds away.
    """
    places = angles * (_GRID / math.pi)
    whole = np.rint(places)
    off = float(times @ np.abs(places - whole)) * (2 * math.pi / _GRID)
    held = np.bincount((whole % _GRID).astype(np.int64), times, _GRID)
    numbers = np.arange(1.0, int(8 / _NOISE / _STEP) + 1)  # beyond, the noise is negligible
    cosines = np.fft.rfft(held).real[1 : len(numbers) + 1] + off * numbers
    logs = np.minimum(cosines - int(times.sum()), 0.0) / 4 + _log_noise(numbers)
    return numbers[logs > _NEGLIGIBLE]


def _series(angles: Floats, times: Ints) -> tuple[Floats, Floats] | None:
    """Return the points that matter and the characteristic function there; None if too many."""
    order = np.argsort(-times * np.square(angles), kind="stable")  # what shrinks it most first
    numbers, start, left = _points_that_matter(angles, times), 0, 1 << 24
    logs, negative = _log_noise(numbers), np.zeros(len(numbers), np.bool_)
    while start < len(order):
        block = order[start : start + max(1, (1 << 17) // max(1, len(numbers)))]
        left -= len(block) * len(numbers)
        if left < 0:
            return None
        turned = np.outer(angles[block], numbers)
        turns = np.floor(turned[times[block] % 2 == 1] / math.pi + 0.5)
        negative ^= turns.sum(axis=0) % 2 == 1  # after an odd number, a cosine is below 0
        # Not log(cos): where the cosine is near 1, n times its rounding error would count.
        squares = np.square(np.sin(turned, out=turned), out=turned)
        with np.errstate(divide="ignore"):
            np.log1p(-np.minimum(squares, 1.0, out=squares), out=squares)
        logs += times[block] / 2 @ squares
        start += len(block)
        kept = logs > _NEGLIGIBLE
        numbers, logs, negative = numbers[kept], logs[kept], negative[kept]
    return numbers, np.where(negative, -np.exp(logs), np.exp(logs))


def _rounded(terms: SignedSum) -> tuple[Floats, Ints, float]:
    """Return not too many sizes, how many terms have each, and how far rounding moves the sum."""
    if len(terms.sizes) <= _MOST_KINDS:
        return terms.sizes, terms.times, 0.0
    step = terms.spread / math.sqrt(terms.n) / _FINEST
    steps = np.rint(terms.sizes / step)
    errors = float(terms.times @ np.square(terms.sizes - step * steps))
    kinds, places = np.unique(steps, return_inverse=True)
    times = np.bincount(places.reshape(-1), weights=terms.times).astype(np.int64)
    moved = math.sqrt(2 * math.log(2 / _CHANCE) * errors)
    return step * kinds[kinds > 0], times[kinds > 0], moved


def _between_sums(terms: SignedSum, reach: float) -> float:
    """Return the middle between the least sum that reaches and the one below it.

    Such are known of whole numbers alone, whose sums are two common steps apart.
    """
    if terms.step is None or terms.total >= 1 << 53 or len(terms.sizes) > _MOST_KINDS:
        return reach
    step = terms.step
    return terms.total + 2 * step * math.ceil((reach - terms.total) / (2 * step)) - step


def _noisy_tail(numbers: Floats, values: Floats, x: float) -> float:
    """Return the chance that the noisy sum is at least x standard deviations: a Fourier series."""
    series = math.fsum((values * np.sin(_STEP * x * numbers) / numbers).tolist())
    return min(1.0, max(0.0, 0.5 - x * _STEP / (2 * math.pi) - series / math.pi))
