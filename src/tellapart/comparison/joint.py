"""Corrections from shuffles that all pairs share: maxT and the randomized Tukey test."""

from __future__ import annotations

from typing import Any

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.testing import Pairs, Work, linear_form
from tellapart.errors import UsageError
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.joint import JointTest, max_t, tukey
from tellapart.stats.result import Floats, alternative_of


def check_joint(scores: Scores, options: Options) -> None:
    """Refuse what cannot be corrected by joint shuffles, before anything is tested."""
    if not scores.has_sums:
        raise UsageError(f"metric {scores.name!r} is no function of sums: use --correction holm")
    if options.correction == "tukey" and options.tail != "two":
        raise UsageError("--correction tukey is two-sided: use --tail two, or maxt")


def joint_adjusted(
    scores: Scores, pairs: Pairs, options: Options, n_resamples: int, work: Work
) -> JointTest:
    """Return the adjusted p-values of all pairs of one metric; `check_joint` comes first."""
    settings: dict[str, Any] = {
        "n_resamples": n_resamples,
        "rng": options.seed,
        "alpha": options.alpha,
        "pool": work.pool,
        "progress": work.progress,
    }
    by_terms = options.test == "auto"
    if options.correction == "tukey":
        systems = list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))
        terms = scores.system_terms(range(len(scores.systems))) if by_terms else None
        if terms is None:
            return tukey(scores.columns, systems, statistic=scores.of_sums, **settings)
        weights, constants = terms
        values = np.einsum("sc,csi->si", weights, scores.columns) + constants[:, None]
        return tukey(values, systems, **settings)
    alternative = alternative_of(int(pairs.signs[0]))
    found = [scores.terms(a, b) for a, b, _ in pairs] if by_terms else [None]
    known = [own for own in found if own is not None]
    if len(known) == len(found):
        rows, places, sparse = linear_form(scores, pairs, known)
        # In units of the score, so that pairs can be held against each other.
        worth, observed, slack = np.array([[t.worth, t.observed, t.slack] for t in known]).T
        weights = np.zeros((len(pairs), len(rows)))
        np.put_along_axis(weights, places, worth[:, None] * sparse, axis=1)
        return max_t(rows, weights, worth * observed, slack=worth * slack,
                     alternative=alternative, **settings)  # fmt: skip
    columns, systems_, items = scores.columns.shape
    relative = (scores.columns - scores.columns[:, :1]).reshape(columns * systems_, items)

    def differences(sums: Floats) -> Floats:
        by_system = sums.reshape(columns, systems_, -1)
        return exchanged_differences(scores, pairs, by_system[:, pairs.b] - by_system[:, pairs.a])

    return max_t(relative, differences, alternative=alternative, **settings)


def exchanged_differences(scores: Scores, pairs: Pairs, moved: Floats) -> Floats:
    """Return differences of scores after exchanges: pairs × exchanges.

    `moved` is what exchanges add to the first systems' sums: columns × pairs × exchanges. Equal
    differences of ratios are equal floats: a difference of two rounded scores would break ties.
    """
    first = scores.totals[:, pairs.a, None] + moved
    second = scores.totals[:, pairs.b, None] - moved
    one, other = (scores.of_sums(np.moveaxis(part, 0, -1)) for part in (first, second))
    if not isinstance(scores, RatioScores):
        return np.asarray(one - other)
    (c, d), (tn, td) = first - second, first + second
    rest = td * td - d * d  # zero where a score is undefined
    exact = float(scores.factor) * (2 * (c * td - tn * d) / np.where(rest == 0, 1, rest))
    return np.asarray(np.where(rest == 0, one - other, exact))
