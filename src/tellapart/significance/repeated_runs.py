"""Repeated runs of systems: relabelling whole runs, and the bootstrap of runs and items.

*New runs, these test items*: `relabel_runs`, an exact test that exchanges whole runs.
*New runs and new items*: `crossed_bootstrap`, an interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import DataError, UsageError
from tellapart.significance.textbook_paired import check_tail
from tellapart.significance.unpaired_tests import (
    BLOCK,
    ENUMERATION_LIMIT,
    LinearRatio,
    block_generator,
    fit_integers,
    random_splits,
    subset_sums,
)

Score = int | float | str | Decimal | Fraction
Floats = NDArray[np.float64]
_BATCH_CELLS = 2**22


@dataclass(frozen=True, slots=True)
class RelabelTest:
    """Outcome of a test that relabels whole runs; the difference is of mean scores."""

    difference: Fraction
    p: float
    tail: str
    method: str  # "enumeration" or "shuffles"
    exceeding: int
    total: int  # relabellings enumerated, or drawn
    smallest_p: Fraction  # smallest two-sided p that these numbers of runs allow
    seed: int | None  # None where nothing was drawn
    note: str


def smallest_relabel_p(runs_a: int, runs_b: int) -> Fraction:
    """Return the smallest two-sided p that relabelling so many runs can reach.

    With equal numbers, exchanging all runs reverses the difference, so two relabellings tie.

    >>> smallest_relabel_p(3, 3), smallest_relabel_p(5, 5)
    (Fraction(1, 10), Fraction(1, 126))
    """
    if min(runs_a, runs_b) < 1:
        raise DataError(f"{runs_a} against {runs_b} runs; each system needs at least one")
    return Fraction(2 if runs_a == runs_b else 1, math.comb(runs_a + runs_b, runs_a))


def relabel_runs(
    scores_a: Sequence[Score],
    scores_b: Sequence[Score],
    tail: str = "two",
    *,
    shuffles: int = 9999,
    seed: int = 0,
) -> RelabelTest:
    """Return the test of mean scores that relabels whole runs.

    Scores keep their decimal value (text, or the shortest decimal of a float). All relabellings are
    enumerated up to 2^20 of them; above, `shuffles` are drawn.

    >>> result = relabel_runs([81, 83, 84], [78, 79, 82])
    >>> result.p, result.exceeding, result.total
    (0.2, 4, 20)
    """
    check_tail(tail)
    smallest = smallest_relabel_p(len(scores_a), len(scores_b))
    k1, k2 = len(scores_a), len(scores_b)
    exact = [_exact(score) for score in (*scores_a, *scores_b)]
    scale = math.lcm(*(score.denominator for score in exact))
    pooled = fit_integers(np.array([[int(score * scale)] for score in exact], object))
    total, first = int(pooled.sum()), int(pooled[:k1].sum())
    # The difference of means, times k1 k2 scale, is S (k1 + k2) - total k1 for a first sum S.
    observed = first * (k1 + k2) - total * k1
    high = -(-(abs(observed) + total * k1) // (k1 + k2))
    low = (total * k1 - abs(observed)) // (k1 + k2)

    def count(sums: NDArray[Any]) -> int:
        if tail == "two":
            return int(((sums >= high) | (sums <= low)).sum())
        return int((sums >= first if tail == "greater" else sums <= first).sum())

    splits = math.comb(k1 + k2, k1)
    if splits <= ENUMERATION_LIMIT:
        exceeding, tried, method, used = count(subset_sums(pooled, k1)), splits, "enumeration", None
        p = exceeding / splits
    else:
        if shuffles < 1:
            raise UsageError(f"{shuffles} relabellings are too few; draw at least 1")
        exceeding = sum(count(sums) for sums in random_splits([pooled], [k1], shuffles, seed))
        tried, method, used = shuffles, "shuffles", seed
        p = (exceeding + 1) / (shuffles + 1)
    difference = Fraction(observed, k1 * k2 * scale)
    ways = f"{2 if k1 == k2 else 1}/{splits}"
    note = (
        f"{k1} against {k2} runs: no two-sided p below {ways} ({float(smallest):.2g}) is possible"
    )
    return RelabelTest(difference, p, tail, method, exceeding, tried, smallest, used, note)


def _exact(score: Score) -> Fraction:
    try:
        return Fraction(repr(float(score)) if isinstance(score, float) else score)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise DataError(f"score {score!r} of a run is not a finite number") from error


@dataclass(frozen=True, slots=True)
class CrossedBootstrap:
    """Interval of a difference when both runs and items could have been others.

    The three variances add up to the estimated variance of the difference.
    """

    difference: float
    interval: tuple[float, float]
    level: float
    standard_error: float  # of the resampled differences
    unit_variance: float
    run_variance: float
    residual_variance: float
    resamples: int
    seed: int


def crossed_bootstrap(
    values_a: ArrayLike,
    values_b: ArrayLike,
    statistic: LinearRatio | None = None,
    *,
    resamples: int = 9999,
    seed: int = 0,
    level: float = 0.95,
) -> CrossedBootstrap:
    """Return the interval from independent resamples of runs and of items, shared by both.

    Values are runs × items, scored by their mean, or runs × items × columns with a LinearRatio of
    the sums. The interval is the percentile one.

    The variance of d is split by a two-way analysis of variance. With value z[r,u] (for a ratio
    its linearisation, (numerator - score × denominator) / mean denominator), k runs and n items,
    for each system: MSE = Σ (z[r,u] - z[r,.] - z[.,u] + z[.,.])² / ((k-1)(n-1)) and
    MSR = n Σ (z[r,.] - z[.,.])² / (k-1). Then, sums over the two systems,

    * residual part: Σ MSE / (k n);
    * run part: Σ max(0, MSR - MSE) / (k n);
    * item part: max(0, variance over u of (z_a[.,u] - z_b[.,u]) - Σ MSE / k) / n.

    >>> a, b = [[3, 5, 4, 6], [4, 5, 5, 6]], [[2, 4, 4, 5], [2, 5, 4, 4]]
    >>> result = crossed_bootstrap(a, b, resamples=999)
    >>> result.difference, result.interval[0] < 1 < result.interval[1]
    (1.0, True)
    """
    a, b = _as_ratio(values_a, statistic), _as_ratio(values_b, statistic)
    if a.n_items != b.n_items:
        raise DataError(f"{a.n_items} items against {b.n_items}; runs must share their items")
    rank = math.floor((resamples + 1) * (1 - Fraction(repr(float(level)))) / 2)
    if not 0 < level < 1 or rank < 1:
        raise UsageError(f"a level of {level} from {resamples} resamples; draw more resamples")
    draws = np.sort(np.concatenate(_resampled_differences(a, b, resamples, seed)))
    item, run, residual = _variance_parts(a, b)
    return CrossedBootstrap(
        difference=a.score - b.score,
        interval=(float(draws[rank - 1]), float(draws[resamples - rank])),
        level=level,
        standard_error=float(draws.std(ddof=1)),
        unit_variance=item,
        run_variance=run,
        residual_variance=residual,
        resamples=resamples,
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class _Runs:
    """One system: numerators and denominators, runs × items."""

    numerator: Floats
    denominator: Floats
    undefined: float

    @property
    def n_runs(self) -> int:
        return len(self.numerator)

    @property
    def n_items(self) -> int:
        return int(self.numerator.shape[1])

    @property
    def score(self) -> float:
        below = float(self.denominator.sum())
        return float(self.numerator.sum()) / below if below else self.undefined

    def linearised(self) -> Floats:
        below = self.denominator.mean()
        z = (self.numerator - self.score * self.denominator) / (below if below else 1.0)
        return np.asarray(z)

    def resampled(self, run_weights: Floats, item_weights: Floats) -> Floats:
        """Return scores under weights, resamples × runs and resamples × items."""
        above = ((item_weights @ self.numerator.T) * run_weights).sum(axis=1)
        below = ((item_weights @ self.denominator.T) * run_weights).sum(axis=1)
        scores = np.full(len(above), self.undefined)
        np.divide(above, below, out=scores, where=below != 0)
        return scores


def _as_ratio(values: ArrayLike, statistic: LinearRatio | None) -> _Runs:
    array = np.asarray(values, float)
    if array.ndim != (2 if statistic is None else 3) or min(array.shape[:2]) < 2:
        raise DataError(
            f"found an array of shape {array.shape}; give at least two runs of two items or more"
        )
    if not np.isfinite(array).all():
        raise DataError("values of runs must be finite; remove NaN and infinity")
    if statistic is None:
        return _Runs(array, np.ones_like(array), 0.0)
    above, below = np.array(statistic.numerator), np.array(statistic.denominator)
    return _Runs(array @ above, array @ below, float(statistic.undefined))


def _resampled_differences(a: _Runs, b: _Runs, resamples: int, seed: int) -> list[Floats]:
    """Return resampled differences in blocks, each from its own stream."""
    rows = max(1, min(BLOCK, _BATCH_CELLS // a.n_items))
    parts = []
    for block in range(-(-resamples // BLOCK)):
        rng = block_generator(seed, block)
        runs_a, runs_b = _weights(rng, BLOCK, a.n_runs), _weights(rng, BLOCK, b.n_runs)
        wanted = min(BLOCK, resamples - block * BLOCK)
        for start in range(0, wanted, rows):
            part = slice(start, min(start + rows, wanted))
            items = _weights(rng, part.stop - start, a.n_items)
            parts.append(a.resampled(runs_a[part], items) - b.resampled(runs_b[part], items))
    return parts


def _weights(rng: np.random.Generator, rows: int, n: int) -> Floats:
    """Return how often each of n was drawn in n draws, one row per resample."""
    drawn = rng.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def _variance_parts(a: _Runs, b: _Runs) -> tuple[float, float, float]:
    n = a.n_items
    run, residual = 0.0, 0.0
    for system in (a, b):
        z, k = system.linearised(), system.n_runs
        by_run, by_item = z.mean(axis=1, keepdims=True), z.mean(axis=0, keepdims=True)
        mse = float(((z - by_run - by_item + z.mean()) ** 2).sum()) / ((k - 1) * (n - 1))
        msr = n * float(((by_run - z.mean()) ** 2).sum()) / (k - 1)
        residual += mse / (k * n)
        run += max(0.0, msr - mse) / (k * n)
    between = a.linearised().mean(axis=0) - b.linearised().mean(axis=0)
    return max(0.0, float(between.var(ddof=1)) / n - residual), run, residual
