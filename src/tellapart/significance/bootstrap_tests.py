"""Bootstrap tests: items drawn with replacement, the difference shifted to the null hypothesis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.limits import MOST_RESAMPLED
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling.bootstrap import BLOCK, Blocks, GroupedResampler, Resampler
from tellapart.resampling.ratios import reaches_threshold, sign_of
from tellapart.resampling.shuffles import distinct_rows
from tellapart.resampling.streams import shares
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.questions import Question, tie_tolerance

RESAMPLES = 9_999
ENUMERATED_ITEMS = 6
"""Up to this many items all n^n resamples are taken, each once."""

_TASK_SUMS = 1 << 20  # that one task returns at most
_SQUARES = 1 << 18  # forms are rounded to this size before they are squared


@dataclass(frozen=True, slots=True)
class Resampled:
    """Sums of the forms over resamples, and how many resamples each one stands for."""

    sums: NDArray[np.int64]  # resamples × forms × systems
    times: NDArray[np.int64] | None = None
    """None where resamples were drawn; multiplicities where all were enumerated."""

    @property
    def enumerated(self) -> bool:
        """Whether all n^n resamples are there."""
        return self.times is not None


def _some_blocks(
    payload: tuple[Resampler | GroupedResampler, int], blocks: Blocks
) -> NDArray[np.int64]:
    resampler, seed = payload
    return resampler.sums_of_blocks(seed, blocks)


def _tasks(resamples: int, columns: int, pool: WorkerPool) -> list[Blocks]:
    """Return the blocks of resamples put into tasks: few, but enough to share out evenly."""
    blocks = shares(resamples, BLOCK)
    size = min(len(blocks) // (4 * pool.count), _TASK_SUMS // (BLOCK * columns))
    return [blocks[k : k + max(1, size)] for k in range(0, len(blocks), max(1, size))]


def _draw(
    rows: NDArray[np.int64],
    strata: NDArray[np.int64] | None,
    resamples: int,
    seed: int,
    pool: WorkerPool,
    progress: Progress,
    grouped: bool,
) -> NDArray[np.int64]:
    check_memory(resamples, rows.shape[1])
    tasks = _tasks(resamples, rows.shape[1], pool)
    kinds = Resampler.of(rows, strata).grouped() if grouped else None
    if kinds is not None:
        drawn = pool.map(_some_blocks, (kinds, seed), tasks, progress, "resamples")
        return np.concatenate(list(drawn))
    different, places = distinct_rows(rows.T)
    resampler = Resampler.of(rows[:, different], strata)
    drawn = pool.map(_some_blocks, (resampler, seed), tasks, progress, "resamples")
    return np.concatenate([part[:, places] for part in drawn])


def all_resamples(items: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct weights of all n^n resamples of a few items, and their multiplicities.

    >>> weights, times = all_resamples(2)
    >>> weights.tolist(), times.tolist()
    ([[2, 0], [1, 1], [0, 2]], [1, 2, 1])
    """
    draws = combinations_with_replacement(range(items), items)
    weights = np.array([np.bincount(draw, minlength=items) for draw in draws], np.int64)
    factorials = np.array([math.factorial(k) for k in range(items + 1)], np.int64)
    return weights, factorials[items] // factorials[weights].prod(axis=1)


def check_memory(resamples: int, sums: int) -> None:
    """Refuse more resamples than can be kept, before any is drawn."""
    if resamples * sums > MOST_RESAMPLED:
        raise UsageError(
            f"{resamples:,} resamples of {sums:,} sums each would not fit in memory: draw at most "
            f"{MOST_RESAMPLED // sums:,}, or compare fewer systems or metrics at a time"
        )


def resample(
    projection: Projection,
    resamples: int,
    seed: int,
    pool: WorkerPool,
    strata: NDArray[np.int64] | None = None,
    progress: Progress = no_progress,
    grouped: bool = True,
) -> Resampled:
    """Return resamples of the items of all systems; `grouped` allows to draw equal items at once.

    Where systems have items of their own, resamples keep the number of each one's.
    """
    forms, systems, items = projection.forms.shape
    if strata is None and projection.counts.present is not None:
        present = projection.counts.present
        strata = np.unique(present.T, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    rows = np.ascontiguousarray(projection.forms.reshape(forms * systems, items).T)
    if items <= ENUMERATED_ITEMS and strata is None:
        weights, times = all_resamples(items)
        return Resampled((weights @ rows).reshape(-1, forms, systems), times)
    sums = _draw(rows, strata, resamples, seed, pool, progress, grouped)
    return Resampled(sums.reshape(-1, forms, systems))


def scores(bound: Bound, sums: NDArray[Any]) -> NDArray[np.float64]:
    """Return the scores of summed forms, which run along the last axis."""
    if isinstance(bound, BoundRatio):
        num, den = sums[..., bound.numerator], sums[..., bound.denominator]
        undefined = float(bound.metric.undefined)
        value = float(bound.factor) * num / np.where(den == 0, 1, den)
        return np.asarray(np.where(den == 0, undefined, value))
    if isinstance(bound.metric, ItemFunction):
        raise UsageError(
            f"metric {bound.metric.name!r} has no bootstrap: it is no function of sums"
        )
    return bound.metric.scores(sums[..., list(bound.forms)] / bound.scales)


def differences(resampled: Resampled, question: Question) -> NDArray[np.float64]:
    """Return the resampled differences, first minus second."""
    first, second = (resampled.sums[:, :, system] for system in (question.a, question.b))
    return scores(question.bound, first) - scores(question.bound, second)


@dataclass(frozen=True, slots=True)
class BootstrapTest:
    """The outcome of a bootstrap test; without enumeration p is (exceedances+1)/(resamples+1)."""

    p: float
    exceedances: int
    resamples: int
    wins: float
    """The fraction of resamples in which the first system is ahead: no p-value."""


def bootstrap_test(
    projection: Projection,
    question: Question,
    resampled: Resampled,
    rule: str,
    t: Studentized | None = None,
) -> BootstrapTest:
    """Return the test of one pair by a rule: ``shift``, ``shift-abs`` or ``studentized``."""
    bound, a, b = question.bound, question.a, question.b
    measured = [float(projection.score(bound, system)) for system in (a, b)]
    d = measured[0] - measured[1]
    drawn = differences(resampled, question)
    slack, sign = tie_tolerance(*measured), sign_of(question.tail)
    times = np.ones(len(drawn), np.int64) if resampled.times is None else resampled.times
    if rule == "shift-abs":
        if sign:
            raise UsageError("the rule that folds before shifting has no one-sided form")
        mean = math.fsum(np.abs(drawn) * times) / int(times.sum())
        hit = np.abs(drawn) - mean >= abs(d) - slack
    elif rule == "shift":
        threshold = abs(d) - slack if sign == 0 else d - sign * slack
        hit = reaches_threshold(drawn - d, threshold, sign)
    else:
        if t is None:
            raise UsageError("the studentized test needs standard errors")
        hit = t.reached(drawn - d, d, sign)
    count, total = int(times[hit].sum()), int(times.sum())
    # All resamples of a few items may fall short of the threshold: even then p is not 0.
    p = max(count, 1) / total if resampled.enumerated else (count + 1) / (total + 1)
    ahead = drawn > 0 if bound.metric.higher_is_better else drawn < 0
    return BootstrapTest(p, count, total, float(times[ahead].sum() / total))


@dataclass(frozen=True, slots=True)
class Studentized:
    """Standard errors of a difference of ratios, on the data and on every resample."""

    measured: float
    resampled: NDArray[np.float64]

    def reached(self, shifted: NDArray[np.float64], d: float, sign: int) -> NDArray[np.bool_]:
        """Return which shifted differences are at least as many standard errors as the measured."""
        # Cross-multiplied, so that a standard error of zero needs no division.
        left, right = shifted * self.measured, d * self.resampled
        slack = 1e-12 * (np.abs(right) + abs(d) * self.measured)
        if sign == 0:
            return np.asarray(np.abs(left) >= np.abs(right) - slack)
        return np.asarray(left >= right - slack if sign > 0 else left <= right + slack)


def studentize(
    projection: Projection,
    question: Question,
    resamples: int,
    seed: int,
    pool: WorkerPool,
    strata: NDArray[np.int64] | None = None,
    progress: Progress = no_progress,
) -> Studentized:
    """Return standard errors by the delta method, from second moments over the same draws."""
    bound = question.bound
    if not isinstance(bound, BoundRatio):
        raise UsageError(f"metric {bound.metric.name!r} has no studentized bootstrap: no ratio")
    both = [question.a, question.b]
    # A few digits are enough for a standard error, and their products must not overflow. All
    # standard errors of the pair are off by the same factor, which the comparison cancels.
    coarse = np.concatenate(
        [_coarse(projection.forms[form, both]) for form in (bound.numerator, bound.denominator)]
    )
    products = [coarse[i] * coarse[k] for i, k in _TRIANGLE]
    rows = np.ascontiguousarray(np.concatenate([coarse, np.stack(products)]).T)
    measured = _standard_errors(rows.sum(axis=0)[None, :], rows.shape[0])[0]
    items = rows.shape[0]
    if items <= ENUMERATED_ITEMS and strata is None:
        sums = all_resamples(items)[0] @ rows
    else:
        sums = _draw(rows, strata, resamples, seed, pool, progress, grouped=False)
    return Studentized(float(measured), _standard_errors(sums, items))


def _coarse(forms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows divided by a common constant and rounded, so that squares fit."""
    divisor = max(1, int(np.abs(forms).max(initial=0)) // _SQUARES)
    return np.rint(forms / divisor).astype(np.int64) if divisor > 1 else forms


# Forms in order: numerators of a and b, denominators of a and b.
_TRIANGLE = [(i, k) for i in range(4) for k in range(i, 4)]


def _standard_errors(sums: NDArray[np.int64], items: int) -> NDArray[np.float64]:
    """Return standard errors by the delta method, whose terms are (n - R d) / D for a, less b's."""
    num_a, num_b, den_a, den_b = sums[:, :4].T.astype(np.float64)
    safe_a, safe_b = np.where(den_a == 0, np.inf, den_a), np.where(den_b == 0, np.inf, den_b)
    weights = [1 / safe_a, -1 / safe_b, -num_a / safe_a**2, num_b / safe_b**2]
    variance = np.zeros(len(sums))
    for column, (i, k) in enumerate(_TRIANGLE, 4):
        variance += (1 if i == k else 2) * weights[i] * weights[k] * sums[:, column]
    return np.asarray(np.sqrt(np.maximum(variance, 0) * items / max(items - 1, 1)))


def jackknife(projection: Projection, bound: Bound, system: int) -> NDArray[np.float64]:
    """Return the score with each item left out in turn."""
    if isinstance(bound, BoundRatio) or not isinstance(bound.metric, ItemFunction):
        left = projection.totals[:, system] - projection.forms[:, system, :].T
        return scores(bound, left)
    rows, score = projection.rows(bound, system), bound.metric.score
    return np.array([score(part) for part in _leave_one_out(rows)])


def _leave_one_out(rows: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    for item in range(len(rows)):
        yield np.delete(rows, item, axis=0)
