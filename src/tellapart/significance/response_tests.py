"""Yeh's response-level randomization test (Yeh 2000, section 3.3), exact and by shuffles.

Every response that exactly one of two systems gave, correct or spurious, goes to either system by
a fair coin. With o correct and s spurious responses shuffled, the first system gets a of the one
and e of the other, binomial and independent, and that is all a score depends on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import astuple, dataclass, fields
from fractions import Fraction
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, UsageError
from tellapart.significance.textbook_paired import as_counts, check_tail, positive

Response = TypeVar("Response", bound=Hashable)
_EXACT_RESPONSES = 10_000  # shuffled responses up to which the weights are integers


@dataclass(frozen=True, slots=True)
class ResponseCounts:
    """What the test needs to know: key items, and responses by both or by one system only.

    >>> counts = ResponseCounts(5, 2, 1, 0, 1, 0, 1)
    >>> counts.correct_both, counts.spurious_b
    (2, 1)
    """

    possible: int
    correct_both: int
    correct_a: int
    correct_b: int
    spurious_both: int
    spurious_a: int
    spurious_b: int

    def __post_init__(self) -> None:
        for field, count in zip(fields(self), as_counts(*astuple(self)), strict=True):
            object.__setattr__(self, field.name, count)
        found = self.correct_both + self.correct_a + self.correct_b
        if found > self.possible:
            raise DataError(f"{found} key items found, but only {self.possible} are possible")


@dataclass(frozen=True, slots=True)
class ResponseTest:
    """Outcome of a response-level test.

    `shuffled` is m, the number of responses that were exchanged. With method `exact`, `exceeding`
    of `total` = 2^m assignments reach the observed difference; both are None where m is so large
    that the weights were summed as floats. With method `shuffles`, `total` shuffles were drawn.
    """

    metric: str
    tail: str
    score_a: Fraction
    score_b: Fraction
    difference: Fraction
    p: float
    shuffled: int
    method: str
    exceeding: int | None
    total: int | None


@dataclass(frozen=True, slots=True)
class _Score:
    """A metric as correct * gain / (possible * p + correct * c + spurious * s), 0 for 0/0."""

    gain: int
    per_possible: int
    per_correct: int
    per_spurious: int

    def ratio(self, possible: int, correct: int, spurious: int) -> tuple[int, int]:
        below = (
            self.per_possible * possible + self.per_correct * correct + self.per_spurious * spurious
        )
        return (self.gain * correct, below) if below else (0, 1)


@dataclass(frozen=True, slots=True)
class _Observed:
    """The two scores and, for the asked tail, the exchanges that reach their difference."""

    score_a: Fraction
    score_b: Fraction
    difference: Fraction
    steps: list[int]


def _score(metric: str) -> _Score:
    if metric == "recall":
        return _Score(1, 1, 0, 0)
    if metric == "precision":
        return _Score(1, 0, 1, 1)
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", metric)
    if beta is None or not Fraction(beta[1]):
        raise UsageError(
            f"metric {metric!r} has no response-level test; choose recall, precision, f1, f0.5, f2"
        )
    weight = Fraction(beta[1]) ** 2
    p, q = weight.numerator, weight.denominator
    return _Score(p + q, p, q, q)


def _staircase(counts: ResponseCounts, score: _Score, threshold: Fraction) -> list[int]:
    """Return, for each a from 0 to o, how many e from 0 up give at least `threshold`.

    The difference never falls when the first system gets one more correct response and never rises
    when it gets one more spurious one, so the cells that reach the threshold form a staircase, and
    its edge takes o + s comparisons of integers instead of one for each cell.
    """
    o, s = counts.correct_a + counts.correct_b, counts.spurious_a + counts.spurious_b
    steps, e = [], 0
    for a in range(o + 1):
        while e <= s:
            n1, d1 = score.ratio(counts.possible, counts.correct_both + a, counts.spurious_both + e)
            n2, d2 = score.ratio(
                counts.possible, counts.correct_both + o - a, counts.spurious_both + s - e
            )
            if (n1 * d2 - n2 * d1) * threshold.denominator < threshold.numerator * d1 * d2:
                break
            e += 1
        steps.append(e)
    return steps


def _observe(counts: ResponseCounts, metric: str, tail: str) -> _Observed:
    check_tail(tail)
    score = _score(metric)
    both, spurious = counts.correct_both, counts.spurious_both
    a = score.ratio(counts.possible, both + counts.correct_a, spurious + counts.spurious_a)
    b = score.ratio(counts.possible, both + counts.correct_b, spurious + counts.spurious_b)
    d = Fraction(*a) - Fraction(*b)
    # Exchanging everything turns d into -d: `less` is `greater` at -d, two-sided is both tails.
    threshold = {"two": abs(d), "greater": d, "less": -d}[tail]
    return _Observed(Fraction(*a), Fraction(*b), d, _staircase(counts, score, threshold))


def response_test(counts: ResponseCounts, metric: str, tail: str = "two") -> ResponseTest:
    """Return the exact test over all 2^m exchanges, as a double binomial sum.

    A score with a zero denominator is 0. Above 10,000 shuffled responses the binomial weights are
    floats (relative error near 1e-11); which exchanges count is decided on integers always.

    >>> yeh = ResponseCounts(103, 19, 28, 6, 5, 43, 9)
    >>> result = response_test(yeh, "f1")
    >>> result.difference, round(result.p, 6), result.shuffled
    (Fraction(862, 7029), 0.029551, 86)
    """
    seen = _observe(counts, metric, tail)
    tails = 2 if tail == "two" else 1
    o, s = len(seen.steps) - 1, counts.spurious_a + counts.spurious_b
    exceeding, total = None, None
    if o + s <= _EXACT_RESPONSES:
        reached = list(accumulate(_binomials(s), initial=0))
        ways = sum(c * reached[step] for c, step in zip(_binomials(o), seen.steps, strict=True))
        # The tails meet only where the difference is 0, and then everything exceeds.
        total = 2 ** (o + s)
        exceeding = min(tails * ways, total)
        p = float(exceeding / total)
    else:
        below = np.concatenate([[0.0], np.cumsum(_binomial_weights(s))])
        p = tails * float(_binomial_weights(o) @ below[np.array(seen.steps)])
    return ResponseTest(
        metric,
        tail,
        seen.score_a,
        seen.score_b,
        seen.difference,
        p=positive(p),
        shuffled=o + s,
        method="exact",
        exceeding=exceeding,
        total=total,
    )


def response_shuffles(
    counts: ResponseCounts, metric: str, tail: str, shuffles: int, rng: np.random.Generator
) -> ResponseTest:
    """Return Yeh's approximate test by random shuffles: p = (c + 1)/(shuffles + 1).

    The same generator state gives the same shuffles for every metric.

    >>> yeh = ResponseCounts(103, 19, 28, 6, 5, 43, 9)
    >>> response_shuffles(yeh, "f1", "two", 999, np.random.default_rng(0)).total
    999
    """
    if shuffles < 1:
        raise UsageError(f"{shuffles} shuffles are too few; draw at least 1")
    seen = _observe(counts, metric, tail)
    steps = np.array(seen.steps)
    o, s = len(steps) - 1, counts.spurious_a + counts.spurious_b
    a, e = rng.binomial(o, 0.5, shuffles), rng.binomial(s, 0.5, shuffles)
    large, small = e < steps[a], s - e < steps[o - a]
    hits = int({"two": large | small, "greater": large, "less": small}[tail].sum())
    return ResponseTest(
        metric,
        tail,
        seen.score_a,
        seen.score_b,
        seen.difference,
        p=(hits + 1) / (shuffles + 1),
        shuffled=o + s,
        method="shuffles",
        exceeding=hits,
        total=shuffles,
    )


def _binomials(n: int) -> list[int]:
    terms = [1]
    for k in range(n):
        terms.append(terms[-1] * (n - k) // (k + 1))
    return terms


def _binomial_weights(n: int) -> NDArray[np.float64]:
    """Return Binomial(n, 1/2), from the middle outwards so that nothing underflows."""
    half = n // 2
    k = np.arange(half, n)
    weights = np.ones(n + 1)
    weights[half + 1 :] = np.cumprod((n - k) / (k + 1))
    weights[:half] = weights[n : n - half : -1]
    weights /= math.fsum(weights)
    return weights


def count_responses(
    gold: Iterable[Response], first: Iterable[Response], second: Iterable[Response]
) -> ResponseCounts:
    """Return the counts of responses, each a hashable value of its item and its content.

    >>> count_responses(["1:x", "1:y"], ["1:x", "2:z"], ["1:y", "1:x"])
    ResponseCounts(possible=2, correct_both=1, correct_a=0, correct_b=1, spurious_both=0, \
spurious_a=1, spurious_b=0)
    """
    key, a, b = _three_sets(gold, first, second)
    correct = len(a & b & key), len((a - b) & key), len((b - a) & key)
    spurious = len((a & b) - key), len(a - b - key), len(b - a - key)
    return ResponseCounts(len(key), *correct, *spurious)


def linked_items(
    gold: Iterable[Response],
    first: Iterable[Response],
    second: Iterable[Response],
    key: Callable[[Response], str],
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Return one row (tp, fp, fn) per cluster of responses and system.

    Two systems often give competing responses for one slot, and independent coins can hand both to
    one pseudo-system. `key` names the cluster of a response (its slot). Rows of shared responses
    are equal, so the ordinary paired test on these rows, one coin per row, is the response-level
    test with linked responses. Clusters come sorted by name.

    >>> linked_items(["s1=x"], ["s1=x"], ["s1=y", "s2=z"], lambda r: r[:2])
    (['s1', 's2'], array([[1, 0, 0],
           [0, 0, 0]]), array([[0, 1, 1],
           [0, 1, 0]]))
    """
    truth, a, b = _three_sets(gold, first, second)
    names = sorted({key(response) for response in truth | a | b})
    row = {name: i for i, name in enumerate(names)}
    tables = np.zeros((2, len(names), 3), np.int64)
    for table, responses in zip(tables, (a, b), strict=True):
        for response in responses:
            table[row[key(response)], 0 if response in truth else 1] += 1
        for response in truth - responses:
            table[row[key(response)], 2] += 1
    return names, tables[0], tables[1]


def _three_sets(*collections: Iterable[Response]) -> list[set[Response]]:
    sets = []
    for name, collection in zip(("key", "first system", "second system"), collections, strict=True):
        responses: set[Response] = set()
        for response in collection:
            if response in responses:
                raise DataError(f"{name}: response {response!r} is given twice; give it once")
            responses.add(response)
        sets.append(responses)
    return sets
