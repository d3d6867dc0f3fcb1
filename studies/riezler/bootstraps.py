"""Two more bootstrap tests, by name: with folded differences, and in standard errors.

Riezler and Maxwell (2005, figure 2) take absolute differences before they shift them. The
studentized bootstrap divides each shifted difference by its own standard error.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.testing import Pairs, PairTests, Work, resampled_scores, strata_of
from tellapart.errors import UsageError
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.bootstrap import RESAMPLES, resample, share_reached
from tellapart.stats.result import Floats, Ints, Test, tie_slack
from tellapart.stats.shuffles import reaches, thresholds_of

_MOST_SQUARED: Final = 1 << 18  # values are rounded to this size before they are squared
# Columns in order: numerators of a and b, denominators of a and b; then products of two of them.
_PRODUCTS: Final = [(i, k) for i in range(4) for k in range(i, 4)]


def folded(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return the bootstrap tests whose differences are folded before they are shifted."""
    if pairs.signs.any():
        raise UsageError("the rule that folds before shifting has no one-sided form")
    values, times = resampled_scores(scores, options.shuffles or RESAMPLES, options.seed, work)
    tests = []
    for a, b, _ in pairs:
        sizes = np.abs(values[a] - values[b])
        weights = np.ones(len(sizes)) if times is None else times
        mean = math.fsum(sizes * weights) / float(weights.sum())
        known = float(scores.values[a]), float(scores.values[b])
        reached = sizes - mean >= abs(known[0] - known[1]) - tie_slack(*known)
        tests.append(replace(share_reached(reached, times), method="bootstrap-abs"))
    return tests


def studentized(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return the bootstrap tests that count shifted differences in their standard errors."""
    if not isinstance(scores, RatioScores):
        raise UsageError(f"metric {scores.name!r} has no studentized bootstrap: no ratio")
    return [_studentized(scores, a, b, sign, options, work) for a, b, sign in pairs]


def _studentized(
    scores: RatioScores, a: int, b: int, sign: int, options: Options, work: Work
) -> Test:
    own = scores.columns[:, [a, b]]  # numerators and denominators × two systems × items
    moments = _values_and_products(own)
    rows = np.concatenate([own.reshape(4, -1), moments]).T
    resamples = options.shuffles or RESAMPLES
    sums, times = resample(
        np.ascontiguousarray(rows), resamples, options.seed, work.pool, strata=strata_of(scores)
    )
    values = scores.of_sums(sums[:, :4].reshape(-1, 2, 2).transpose(0, 2, 1))
    difference = float(scores.values[a] - scores.values[b])
    error = float(_standard_errors(moments.sum(axis=1)[None])[0])
    # Both sides are multiplied by both standard errors, of which one may be 0.
    left = (values[:, 0] - values[:, 1] - difference) * error
    right = difference * _standard_errors(sums[:, 4:])
    slack = 1e-12 * (np.abs(right) + np.abs(left))
    reached = reaches(left, thresholds_of(right, slack, sign), sign)
    return replace(share_reached(reached, times), method="bootstrap-t")


def _values_and_products(own: Ints) -> Ints:
    """Return values of both systems, and their products, by item.

    A few digits are enough for a standard error, and products must not overflow: values are divided
    by a constant, which both sides of the comparison have in common.
    """
    sizes = np.abs(own).max(axis=(1, 2), initial=0, keepdims=True)
    values = np.rint(own / np.maximum(1, sizes // _MOST_SQUARED)).astype(np.int64).reshape(4, -1)
    return np.concatenate([values, np.stack([values[i] * values[k] for i, k in _PRODUCTS])])


def _standard_errors(sums: Ints) -> Floats:
    """Return standard errors by the delta method, whose terms are (n - R d) / D for a, less b's.

    All are off by the same factor, which depends on the number of items.
    """
    num_a, num_b, den_a, den_b = sums[:, :4].T.astype(np.float64)
    safe_a, safe_b = np.where(den_a == 0, np.inf, den_a), np.where(den_b == 0, np.inf, den_b)
    slopes = [1 / safe_a, -1 / safe_b, -num_a / safe_a**2, num_b / safe_b**2]
    variance = np.zeros(len(sums))
    for column, (i, k) in enumerate(_PRODUCTS, 4):
        variance += (1 if i == k else 2) * slopes[i] * slopes[k] * sums[:, column]
    return np.asarray(np.sqrt(np.maximum(variance, 0)))


FOLDED: Final = PairTests(folded)
STUDENTIZED: Final = PairTests(studentized)
