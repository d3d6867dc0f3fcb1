"""Yeh's randomization by response (2000, section 3.3), exact and by shuffles.

Every response that exactly one of two systems gave, correct or spurious, goes to either system by
a fair coin. With o correct and s spurious responses shuffled, the first system gets a of the one
and e of the other, binomial and independent, and that is all a score depends on.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from itertools import accumulate

import numpy as np

from tellapart.errors import DataError, UsageError
from tellapart.stats import streams
from tellapart.stats.result import SMALLEST_P, Ints, Test, sign_of


@dataclass(frozen=True, slots=True)
class ResponseCounts:
    """How many responses both systems gave, or one of them only.

    >>> ResponseCounts(103, 19, 28, 6, 5, 43, 9).scores()
    (Fraction(47, 99), Fraction(25, 71))
    """

    possible: int
    """Responses that are correct, given or not"""
    correct_both: int
    correct_a: int
    """Correct responses that only the first system gave"""
    correct_b: int
    spurious_both: int
    spurious_a: int
    spurious_b: int

    def __post_init__(self) -> None:
        counts = astuple(self)
        if any(count != int(count) or count < 0 for count in counts):
            raise UsageError(f"counts must be whole numbers, 0 or more: {counts}")
        if self.correct_both + self.correct_a + self.correct_b > self.possible:
            raise UsageError(f"more responses are correct than the {self.possible} possible ones")

    @classmethod
    def of(
        cls, gold: Iterable[Hashable], a: Iterable[Hashable], b: Iterable[Hashable]
    ) -> ResponseCounts:
        """Return the counts of responses, each a value that names its item and its content.

        >>> ResponseCounts.of(["1:x", "1:y"], ["1:x", "2:z"], ["1:y", "1:x"])
        ResponseCounts(possible=2, correct_both=1, correct_a=0, correct_b=1, spurious_both=0, \
spurious_a=1, spurious_b=0)
        """
        key, first, second = map(_distinct, ("gold", "a", "b"), (gold, a, b))
        parts = first & second, first - second, second - first
        return cls(len(key), *(len(part & key) for part in parts), *(len(p - key) for p in parts))

    def scores(self, beta: float = 1.0) -> tuple[Fraction, Fraction]:
        """Return the F-scores of both systems; 0 where the denominator is 0."""
        score = _Score.of(self, beta)
        return (
            Fraction(*score.ratio(self.correct_a, self.spurious_a)),
            Fraction(*score.ratio(self.correct_b, self.spurious_b)),
        )


def response_test(
    counts: ResponseCounts,
    *,
    beta: float = 1.0,
    alternative: str = "two-sided",
    n_resamples: int | None = None,
    rng: int = 0,
) -> Test:
    """Test whether two systems have the same F-score, by exchanging single responses.

    Args:
        counts: responses that both systems gave, or one of them only.
        beta: of the F-score: 1 weighs recall and precision alike, 0 is precision, infinity recall.
        alternative: ``two-sided``, ``greater`` (the first is better) or ``less``.
        n_resamples: shuffles to draw; by default all exchanges count.
        rng: the seed of the shuffles, which are the same for every score.

    >>> found = response_test(ResponseCounts(103, 19, 28, 6, 5, 43, 9))
    >>> round(found.p, 6), found.n
    (0.029551, 86)

    """
    sign = sign_of(alternative)
    first, second = counts.scores(beta)
    difference = first - second
    # Exchanging everything turns d into -d: `less` is `greater` at -d, two-sided is both tails.
    threshold = abs(difference) if sign == 0 else sign * difference
    steps = _staircase(counts, _Score.of(counts, beta), threshold)
    spurious = counts.spurious_a + counts.spurious_b
    if n_resamples is None:
        found = _counted(steps, spurious, sign)
    else:
        found = _drawn(np.array(steps), spurious, sign, n_resamples, rng)
    return replace(found, statistic=float(difference), n=len(steps) - 1 + spurious)


@dataclass(frozen=True, slots=True)
class _Score:
    """F-scores of two systems: gain × correct / (fixed + per response × responses), 0 for 0/0.

    `correct` and `spurious` are what a system gave beside what both gave.
    """

    correct_both: int
    responses_both: int
    gain: int
    fixed: int
    per_response: int

    @classmethod
    def of(cls, counts: ResponseCounts, beta: float) -> _Score:
        if not beta >= 0:
            raise UsageError(f"beta must be 0 or more, not {beta}")
        square = None if math.isinf(beta) else Fraction(str(beta)) ** 2
        p, q = (1, 0) if square is None else (square.numerator, square.denominator)
        both = counts.correct_both, counts.correct_both + counts.spurious_both
        return cls(*both, p + q, p * counts.possible, q)

    def ratio(self, correct: int, spurious: int) -> tuple[int, int]:
        """Return numerator and denominator."""
        responses = self.responses_both + correct + spurious
        below = self.fixed + self.per_response * responses
        return (self.gain * (self.correct_both + correct), below) if below else (0, 1)


def _distinct(name: str, responses: Iterable[Hashable]) -> set[Hashable]:
    distinct: set[Hashable] = set()
    for response in responses:
        if response in distinct:
            raise DataError(f"{name}: response {response!r} is given twice; give it once")
        distinct.add(response)
    return distinct


def _staircase(counts: ResponseCounts, score: _Score, threshold: Fraction) -> list[int]:
    """Return, for each a from 0 to o, how many e from 0 up give at least the threshold.

    The difference never falls when the first system gets one more correct response and never rises
    when it gets one more spurious one, so the cells that reach the threshold form a staircase, and
    its edge takes o + s comparisons of integers instead of one for each cell.
    """
    o, s = counts.correct_a + counts.correct_b, counts.spurious_a + counts.spurious_b
    steps, e = [], 0
    for a in range(o + 1):
        while e <= s:
            (n1, d1), (n2, d2) = score.ratio(a, e), score.ratio(o - a, s - e)
            if (n1 * d2 - n2 * d1) * threshold.denominator < threshold.numerator * d1 * d2:
                break
            e += 1
        steps.append(e)
    return steps


def _counted(steps: list[int], spurious: int, sign: int) -> Test:
    """Return the test by all exchanges, as a double binomial sum."""
    tails = 2 if sign == 0 else 1  # which meet only where d is 0, and then everything is reached
    correct = len(steps) - 1
    ways = list(accumulate((math.comb(spurious, k) for k in range(spurious + 1)), initial=0))
    reached = sum(math.comb(correct, a) * ways[step] for a, step in enumerate(steps))
    total = 1 << (correct + spurious)
    reached = min(tails * reached, total)
    return Test.counted(reached, total, SMALLEST_P)


def _drawn(steps: Ints, spurious: int, sign: int, n_resamples: int, seed: int) -> Test:
    """Return the test by so many shuffles."""
    if n_resamples < 1:
        raise UsageError(f"n_resamples must be at least 1, not {n_resamples}")
    generator, correct = streams.generator(seed, streams.RESPONSES), len(steps) - 1
    a = generator.binomial(correct, 0.5, n_resamples)
    e = generator.binomial(spurious, 0.5, n_resamples)
    large, small = e < steps[a], spurious - e < steps[correct - a]
    count = int(np.count_nonzero(large | small if sign == 0 else large if sign > 0 else small))
    return Test.drawn(count, n_resamples)
