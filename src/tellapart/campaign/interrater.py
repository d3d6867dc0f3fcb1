"""How far several people agree who answered the same questions: raw, kappa, Krippendorff's alpha.

Any number of people, each with any part of the questions; a question that fewer than two answered
tells nothing, and is left out. Kappa and alpha are 1 - (disagreement) / (disagreement by chance).

Cohen's kappa takes chance from how often each person gives each answer. Of more than two people,
every pair of answers to a question counts, and chance is that of its two people; for two people it
is the kappa that Cohen (1960) defined. Alpha (Krippendorff 2004) takes chance from all answers
together, and may weigh a disagreement by the square of the distance on a scale.

The intervals come from leaving out one question after the other (a jackknife), or all questions of
one item where these belong together: on the scale log(1 - x), by Student's t. Where hardly anybody
disagrees, they are Wilson's of the share of equal answers, chance being taken as known.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.stats.intervals import share_ends

Floats = NDArray[np.float64]
Ends = tuple[float, float]

FEW_DISAGREE: Final = 5
"""With fewer items about which people disagree, a jackknife is too coarse"""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of agreement with its interval; None where there is nothing to tell it from."""

    value: float
    interval: Ends | None


@dataclass(frozen=True, slots=True)
class InterRater:
    """Agreement on the questions that two or more people answered."""

    questions: int
    people: int
    same: int
    """Questions to which all gave the same answer"""
    share: Figure | None = None
    """Of pairs of answers to one question that are the same"""
    kappa: Figure | None = None
    """Cohen's kappa; None where people gave one answer only, so that chance explains everything"""
    alpha: Figure | None = None
    """Krippendorff's alpha; None as kappa"""


def interrater(
    answers: Sequence[Mapping[str, Hashable]],
    *,
    scale: Mapping[Any, float] | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> InterRater:
    """Return the agreement of people: of each question who answered what.

    `scale` says what the answers are worth, for alpha; `clusters` which questions belong together.

    >>> both = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no"), ("yes", "yes")]
    >>> found = interrater([{"ann": a, "bob": b} for a, b in both])
    >>> found.questions, found.same, round(found.kappa.value, 4), round(found.alpha.value, 4)
    (5, 4, 0.6154, 0.64)
    """
    kept = [k for k, each in enumerate(answers) if len(each) > 1]
    people = sorted({person for k in kept for person in answers[k]})
    same = len([k for k in kept if len(set(answers[k].values())) == 1])
    if not kept:
        return InterRater(0, 0, 0)
    of = list(range(len(answers))) if clusters is None else clusters
    counted = _count([answers[k] for k in kept], people, [of[k] for k in kept], scale)
    n = len(kept)
    share = 1 - float(counted.observed_plain.sum() / counted.weight.sum())
    # As many independent questions as there are clusters, if these are of one mind throughout.
    worth = _worth(counted, share, n)
    ends = share_ends(share, NormalDist().inv_cdf((1 + level) / 2) ** 2 / worth)
    return InterRater(
        n,
        len(people),
        same,
        Figure(share, ends),
        _figure(_kappas(counted), counted, ends, level),
        _figure(_alphas(counted), counted, ends, level),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Sums over the questions of each cluster, the clusters along the first axis."""

    weight: Floats
    """Pairs of answers, m / 2 of a question with m answers"""
    observed: Floats
    """The same, each times the distance of its answers"""
    observed_plain: Floats
    """The same where any two different answers are 1 apart"""
    totals: Floats
    """clusters × categories: how often each answer was given"""
    pairs: Floats
    """clusters × people × people, in both orders: pairs of answers"""
    given: Floats
    """clusters × people × categories: how often each person gave each answer"""
    distance: Floats
    """categories × categories"""


def _count(
    answers: Sequence[Mapping[str, Hashable]],
    people: Sequence[str],
    clusters: Sequence[Hashable],
    scale: Mapping[Any, float] | None,
) -> _Counted:
    who = {person: k for k, person in enumerate(people)}
    what: dict[Hashable, int] = {}
    where: dict[Hashable, int] = {}
    for each, cluster in zip(answers, clusters, strict=True):
        where.setdefault(cluster, len(where))
        for answer in each.values():
            what.setdefault(answer, len(what))
    distance = 1 - np.eye(len(what))
    if scale is not None:
        worth = np.array([scale[answer] for answer in what])
        distance = (worth[:, None] - worth) ** 2
    n, p, c = len(where), len(people), len(what)
    weight, observed, plain = np.zeros(n), np.zeros(n), np.zeros(n)
    totals, pairs, given = np.zeros((n, c)), np.zeros((n, p, p)), np.zeros((n, p, c))
    for each, cluster in zip(answers, clusters, strict=True):
        u, m = where[cluster], len(each)
        told = [(who[person], what[answer]) for person, answer in each.items()]
        weight[u] += m / 2
        for i, (one, said) in enumerate(told):
            totals[u, said] += 1
            given[u, one, said] += 1
            for other, replied in told[:i]:
                observed[u] += distance[said, replied] / (m - 1)
                plain[u] += (said != replied) / (m - 1)
                pairs[u, one, other] += 1 / (m - 1)
                pairs[u, other, one] += 1 / (m - 1)
    return _Counted(weight, observed, plain, totals, pairs, given, distance)


def _left_out(each: Floats) -> Floats:
    """Return the sum of all clusters, and after it those without each of them."""
    total = each.sum(axis=0, keepdims=True)
    return np.concatenate([total, total - each])


def _alphas(counted: _Counted) -> Floats:
    """Return 1 - alpha of all, and without each cluster: observed by expected disagreement."""
    totals = _left_out(counted.totals)
    n = totals.sum(axis=1)
    chance = np.einsum("uc,ck,uk->u", totals, counted.distance, totals)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = _left_out(counted.observed) / _left_out(counted.weight)
        return np.asarray(observed / (chance / n / (n - 1)), float)


def _kappas(counted: _Counted) -> Floats:
    """Return 1 - kappa of all, and without each cluster."""
    given, pairs = _left_out(counted.given), _left_out(counted.pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = given / given.sum(axis=2, keepdims=True)
        shares = np.where(np.isfinite(shares), shares, 0.0)
        agree = np.einsum("upc,uqc->upq", shares, shares)
        chance = 1 - (agree * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2))
        observed = _left_out(counted.observed_plain) / _left_out(counted.weight)
        return np.asarray(observed / np.where(chance > 1e-12, chance, 0.0), float)


def _figure(ratios: Floats, counted: _Counted, share: Ends, level: float) -> Figure | None:
    """Return a figure of agreement from 1 - itself, of all and without each cluster."""
    from scipy.special import stdtrit

    if not np.isfinite(ratios[0]):
        return None
    ratio, n = float(ratios[0]), len(ratios) - 1
    if n < 2:
        return Figure(1 - ratio, None)
    if np.count_nonzero(counted.observed_plain) < FEW_DISAGREE:
        weights = counted.weight.sum()
        differ = float(counted.observed_plain.sum() / weights)
        # With no disagreement at all: as large ones as chance would make.
        each = ratio / differ if differ else 1 / _differ_by_chance(counted)
        return Figure(1 - ratio, (1 - (1 - share[0]) * each, 1 - (1 - share[1]) * each))
    if not (np.isfinite(ratios) & (ratios > 0)).all():
        return Figure(1 - ratio, None)
    logs = np.log(ratios[1:])
    error = math.sqrt((n - 1) / n * float(((logs - logs.mean()) ** 2).sum()))
    stretch = math.exp(float(stdtrit(n - 1, (1 + level) / 2)) * error)
    return Figure(1 - ratio, (1 - ratio * stretch, 1 - ratio / stretch))


def _differ_by_chance(counted: _Counted) -> float:
    totals = counted.totals.sum(axis=0)
    return 1 - float(((totals / totals.sum()) ** 2).sum())


def _worth(counted: _Counted, share: float, questions: int) -> float:
    """Return how many independent questions the share is worth, at most as many as there are."""
    n = len(counted.weight)
    residuals = counted.observed_plain - (1 - share) * counted.weight
    variance = n / max(n - 1, 1) * float((residuals**2).sum()) / float(counted.weight.sum()) ** 2
    if n < 2 or variance <= 0:
        return float(min(n, questions))
    return min(max(share * (1 - share) / variance, 1.0), float(questions))
