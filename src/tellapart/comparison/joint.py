"""Corrections from shuffles that all pairs share: maxT and the randomized Tukey test."""

from __future__ import annotations

from typing import Any

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.testing import Pairs, Work, linear_form
from tellapart.errors import UsageError
from tellapart.metrics.scores import Scores
from tellapart.stats.joint import JointTest, max_t, tukey
from tellapart.stats.result import alternative_of


def check_joint(scores: Scores, options: Options) -> None:
    """Refuse what cannot be corrected by joint shuffles, before anything is tested."""
    if not scores.has_sums:
        raise UsageError(f"metric {scores.name!r} is no function of sums: use --correction holm")
    if options.correction == "tukey" and options.tail != "two":
        raise UsageError("--correction tukey is two-sided: use --tail two, or maxt")


def joint_adjusted(scores: Scores, pairs: Pairs, options: Options, work: Work) -> JointTest:
    """Return the adjusted p-values of all pairs of one metric; `check_joint` comes first."""
    settings: dict[str, Any] = {
        "n_resamples": options.fixed_shuffles,
        "rng": options.seed,
        "alpha": options.alpha,
        "pool": work.pool,
        "progress": work.progress,
    }
    if options.correction == "tukey":
        terms = scores.system_terms(range(len(scores.systems)))
        if terms is None:
            raise _without_terms(scores)
        weights, constants = terms
        values = np.einsum("sc,csi->si", weights, scores.columns) + constants[:, None]
        return tukey(values, list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)), **settings)
    known = [own for own in (scores.terms(a, b) for a, b, _ in pairs) if own is not None]
    if len(known) < len(pairs):
        raise _without_terms(scores)
    rows, places, sparse = linear_form(scores, pairs, known)
    # In units of the score, so that pairs can be held against each other.
    worth, observed, slack = np.array([[t.worth, t.observed, t.slack] for t in known]).T
    weights = np.zeros((len(pairs), len(rows)))
    np.put_along_axis(weights, places, worth[:, None] * sparse, axis=1)
    alternative = alternative_of(int(pairs.signs[0]))
    return max_t(
        rows, weights, worth * observed, slack=worth * slack, alternative=alternative, **settings
    )


def _without_terms(scores: Scores) -> UsageError:
    return UsageError(f"{scores.name} is undefined for a system: use --correction holm")
