"""What single items contribute to a difference of scores, and what others might to a score."""

from __future__ import annotations

import math

import numpy as np

from tellapart.metrics.scores import FAR_BELOW, Floats, RatioScores, Scores


def signed_differences(scores: Scores, a: int, b: int) -> Floats:
    """Return per-item differences whose signs are exact where the metric is a ratio."""
    plain = scores.item_scores(a) - scores.item_scores(b)
    if not isinstance(scores, RatioScores):
        return plain
    num, den = scores.columns
    crossed = num[a].astype(np.float64) * den[b] - num[b].astype(np.float64) * den[a]
    return np.asarray(np.where((den[a] > 0) & (den[b] > 0), crossed, plain))


def contributions(scores: Scores, a: int, b: int) -> Floats | None:
    """Return what each item adds to the difference of two systems, first minus second.

    They sum to the difference times the number of items, and are 0 on items where the systems
    agree. Of a mean they are the items' own differences. Of a ratio they are the terms of

        n_a/d_a - n_b/d_b = Σ 2 (c_u T_d - T_n d_u) / (T_d² - D²),

    c_u and d_u being what the first system has more on item u in numerator and denominator, T_n and
    T_d the totals of both systems, D = Σ d_u. Of a function of sums: half of what exchanging the
    systems' outputs on this item alone takes away; what is then left of the difference is shared
    out in proportion. None where systems have items of their own.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics import mean
    >>> from tellapart.metrics.scores import score_counts
    >>> counts = Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 1, 0]}, columns=["score"])
    >>> contributions(score_counts(counts, mean("score")), 0, 1).tolist()
    [1.0, 0.0, -1.0, 1.0]
    """
    if scores.counts.present is not None:
        return None
    items, difference = scores.n, float(scores.values[a] - scores.values[b])
    if isinstance(scores, RatioScores):
        if not (scores.is_defined(a) and scores.is_defined(b)):
            return np.full(items, difference)  # an undefined score belongs to all items alike
        (c, d) = scores.columns[:, a] - scores.columns[:, b]
        tn, td = scores.totals[:, [a, b]].sum(axis=1).astype(np.float64)
        rest = td * td - float(d.sum()) ** 2
        return np.asarray(items * float(scores.factor) * 2 * (c * td - tn * d) / rest)
    moved = scores.columns[:, b] - scores.columns[:, a]  # columns × items
    first = scores.of_sums((scores.totals[:, a, None] + moved).T)
    second = scores.of_sums((scores.totals[:, b, None] - moved).T)
    parts = np.where(scores.differs(a, b), items * (difference - (first - second)) / 2, 0.0)
    weight = np.abs(parts)
    if weight.any():
        parts += (items * difference - parts.sum()) * (weight / weight.sum())
    return np.asarray(parts)


def item_range(scores: Scores, system: int, values: Floats) -> tuple[float, float]:
    """Return the least and the most that another item might contribute to a system's score."""
    if not isinstance(scores, RatioScores):
        return _range(values)
    score, sizes = float(scores.values[system]), scores.columns[1, system].astype(np.float64)
    low, high = range_of(scores, system, bounded=True)
    # Another item of average size, among those that have any, with the worst and the best score.
    share = float(sizes[sizes > 0].mean()) / (float(scores.totals[1, system]) / scores.n)
    return score + (low - score) * share, score + (high - score) * share


def range_of(scores: RatioScores, system: int, bounded: bool = False) -> tuple[float, float]:
    """Return the lowest and the highest score that a ratio of sums over such items might have."""
    tops, sizes = scores.columns[:, system].astype(np.float64)
    there = sizes > 0
    if not bounded and (tops[~there].any() or not there.any()):
        return -math.inf, math.inf
    return _range(float(scores.factor) * tops[there] / sizes[there])


def span_of(scores: Scores) -> float:
    """Return how far apart the lowest and the highest score might be; nearly so of a function."""
    if not isinstance(scores, RatioScores):
        return 1.0 if np.abs(scores.values).max() <= 1 else 100.0
    defined = [k for k in range(len(scores.systems)) if scores.is_defined(k)]
    ends = [end for k in defined for end in range_of(scores, k, bounded=True)]
    return max(ends, default=1.0) - min(ends, default=0.0)


def _range(values: Floats) -> tuple[float, float]:
    """Return the lowest and the highest score that items might have: 0, and all that were seen.

    Where all lie between 0 and 1 the highest is 1, unless all are far below it.
    """
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    unit = low == 0 and (high == 0 or FAR_BELOW <= high <= 1)
    return (0.0, 1.0) if unit else (low, high)
