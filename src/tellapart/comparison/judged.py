"""`compare_judged`: systems that an automatic judge scored on all items and people on some."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from tellapart.comparison.compare import compare
from tellapart.comparison.judged_record import (
    Ends,
    JudgedComparison,
    JudgedPair,
    JudgedSystem,
    Measured,
)
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.counts.judged import STRATUM, Floats, JudgedScores
from tellapart.errors import DataError, Notice, UsageError
from tellapart.limits import ALPHA
from tellapart.significance.agreement import agreement
from tellapart.significance.corrections import adjust, simultaneous_error
from tellapart.significance.diagnostics import round_off
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.options import corrected_words
from tellapart.significance.prediction_powered import (
    FEWEST_LABELS,
    Estimate,
    Judged,
    disagreement_of,
    powered_difference,
    powered_mean,
    variance_of_random_labels,
)
from tellapart.words import listed, nearest, p_text, plural, several

ENOUGH_LABELS: Final = 20
"""From so many labels on, intervals of differences hold what they promise"""
_ENOUGH_CLUSTERS: Final = 20
_UNLIKE: Final = 0.01  # below this p, labelled items are no random part of all


def compare_judged(
    scores: JudgedScores,
    *,
    cluster: str | None = None,
    alpha: float = 0.05,
    correction: str = "holm",
    baseline: str | None = None,
) -> JudgedComparison:
    """Return which systems differ, by a judge's scores of all items corrected by people's of some.

    `cluster` names a label whose items belong together. Where items have a label ``stratum``, those
    to label were drawn within its values (with shares that differ). The labelled items must be a
    random part, of all items or of each stratum.

    >>> judge = {"A": [1, 1, 0, 1] * 25, "B": [1, 0, 0, 1] * 25}
    >>> people = {name: [*given[:40], *[None] * 60] for name, given in judge.items()}
    >>> found = compare_judged(JudgedScores.from_arrays(judge, people))
    >>> round(found.pair("A", "B").both.value, 3), found.pair("A", "B").different
    (0.25, True)
    """
    if not isinstance(scores, JudgedScores):
        raise UsageError(
            f"compare_judged takes JudgedScores, not {type(scores).__name__}: make them with "
            "tellapart.read_judged or JudgedScores.from_arrays"
        )
    alpha = float(ALPHA.checked(alpha, "alpha"))
    if baseline is not None and baseline not in scores.names:
        raise UsageError(f"there is no system {baseline!r}; {nearest(baseline, scores.names)}")
    strata = STRATUM if STRATUM in scores.labels else None
    data = [judged_values(scores, k, cluster) for k in range(len(scores.names))]
    _check_labels(scores, data)
    same = _same_scale(scores)
    systems = tuple(
        _system(name, each, alpha, same) for name, each in zip(scores.names, data, strict=True)
    )
    pairs = _pairs(scores, data, cluster, alpha, correction, baseline, same)
    size = max(1, len(pairs))
    signature = " | ".join(
        [
            f"tellapart {importlib.metadata.version('tellapart')}",
            f"{scores.judge_name} corrected by {scores.people_name} (PPI++)",
            f"by {cluster or scores.kind}",
            f"alpha {alpha:g}",
            corrected_words(correction, size),
            *([f"strata {strata}"] if strata else []),
            *([f"baseline {baseline}"] if baseline else []),
            *([] if scores.higher_is_better else ["lower is better"]),
            f"data {scores.digest()}",
        ]
    )
    seen = (~np.isnan(scores.people)).any(axis=0)
    return JudgedComparison(
        importlib.metadata.version("tellapart"),
        signature,
        alpha,
        correction,
        scores.judge_name,
        scores.people_name,
        scores.higher_is_better,
        len(scores.items),
        int(seen.sum()),
        scores.kind,
        cluster,
        strata,
        baseline,
        same,
        systems,
        pairs,
        (*scores.notices, *_notices(scores, data, same, cluster)),
        1 - alpha,
        scores.files,
    )


def judged_values(scores: JudgedScores, k: int, cluster: str | None) -> Judged:
    """Return the scores of one system, with the clusters and strata of their items."""
    judge, people = scores.judge[k], scores.people[k]
    clusters = None if cluster is None else scores.codes(cluster)
    parts = scores.codes(STRATUM) if STRATUM in scores.labels else None
    return Judged(judge, people, clusters, parts, disagreement_of(judge, people))


def _check_labels(scores: JudgedScores, data: Sequence[Judged]) -> None:
    """Refuse labels from which nothing can be worked out, naming the system and the stratum."""
    for name, each in zip(scores.names, data, strict=True):
        if each.n_labels < FEWEST_LABELS:
            raise DataError(
                f"people labelled {several(each.n_labels, scores.kind)} of {name}; label at least "
                f"{FEWEST_LABELS}, better {ENOUGH_LABELS} or more"
            )
        if each.strata is None:
            continue
        values = scores.labels[STRATUM]
        numbers = dict.fromkeys(values, 0)
        for item in np.flatnonzero(each.labelled).tolist():
            numbers[values[item]] += 1
        for value, number in numbers.items():
            if number < 2:
                raise DataError(
                    f"people labelled {several(number, scores.kind)} of {name} where {STRATUM} is "
                    f"{value!r}; every stratum needs two labels: label more, join strata, or give "
                    "the column another name"
                )


def _same_scale(scores: JudgedScores) -> bool:
    """Return whether judge and people give scores of one scale, as far as scores tell."""
    people = scores.people[~np.isnan(scores.people)]
    ranges = [(float(v.min()), float(v.max())) for v in (scores.judge.ravel(), people)]
    (low, high), (least, most) = ranges
    if min(low, least) >= 0 and max(high, most) <= 1:
        return True
    wide = sorted((high - low, most - least))
    return low <= most and least <= high and wide[1] <= 2 * wide[0]


def _shares(judged: Judged) -> bool:
    """Return whether people say right or wrong, and the judge nothing beyond."""
    seen = judged.people[judged.labelled]
    within = judged.judge.min() >= 0 and judged.judge.max() <= 1
    return bool(within and np.isin(seen, (0.0, 1.0)).all())


def _system(name: str, judged: Judged, alpha: float, same: bool) -> JudgedSystem:
    both, people = powered_mean(judged), powered_mean(judged, 0.0)
    seen = judged.labelled
    clusters = None if judged.clusters is None else judged.clusters[seen]
    return JudgedSystem(
        name,
        judged.n_labels,
        round_off(both.value),
        _score_interval(both, judged, alpha),
        round_off(float(judged.judge.mean())),
        round_off(people.value),
        _score_interval(people, judged, alpha),
        _worth(both, variance_of_random_labels(judged), judged.n_labels, len(judged.judge)),
        _measured(_bias(judged), alpha) if same else None,
        agreement(judged.judge[seen], judged.people[seen], 1 - alpha, clusters),
    )


def _bias(judged: Judged) -> Estimate:
    """Return the mean of judge minus people, from the labels alone."""
    return powered_mean(_excess(judged), 0.0)


def _excess(judged: Judged) -> Judged:
    """Return what the judge gives beyond people, where they looked."""
    nothing = np.zeros_like(judged.judge)
    beyond = judged.judge - judged.people
    return Judged(nothing, beyond, judged.clusters, judged.strata, judged.disagreement)


def _score_interval(estimate: Estimate, judged: Judged, alpha: float) -> Ends:
    if _shares(judged):
        low, high = estimate.proportion_interval(1 - alpha, len(judged.judge))
    else:
        low, high = estimate.interval(1 - alpha)
    return round_off(low), round_off(high)


def _worth(both: Estimate, alone: float, labels: int, items: int) -> float:
    """Return how many labels would do as well without the judge: the ratio of the variances."""
    if both.bare_variance <= 0:
        return float(labels)
    return round_off(min(float(items), labels * alone / both.bare_variance))


def _measured(estimate: Estimate, alpha: float) -> Measured:
    low, high = estimate.interval(1 - alpha)
    return Measured(round_off(estimate.value), (round_off(low), round_off(high)), estimate.p)


def _pairs(
    scores: JudgedScores,
    data: Sequence[Judged],
    cluster: str | None,
    alpha: float,
    correction: str,
    baseline: str | None,
    same: bool,
) -> tuple[JudgedPair, ...]:
    asked = [
        (i, j)
        for i, j in combinations(range(len(data)), 2)
        if baseline is None or baseline in (scores.names[i], scores.names[j])
    ]
    if not asked:
        return ()
    both = [powered_difference(data[i], data[j]) for i, j in asked]
    adjusted = adjust([each.p for each in both], correction).tolist()
    people = [powered_difference(data[i].people_alone, data[j].people_alone) for i, j in asked]
    people_adjusted = adjust([each.p for each in people], correction).tolist()
    alone = _judge_alone(scores, cluster, alpha, correction, baseline)
    favours = [powered_difference(_excess(data[i]), _excess(data[j])) for i, j in asked]
    favour_adjusted = adjust([each.p for each in favours], "holm").tolist()
    miss = simultaneous_error(correction, alpha, len(asked)) or alpha
    sign = 1 if scores.higher_is_better else -1
    found = []
    for k, (i, j) in enumerate(asked):
        first, second = data[i], data[j]
        names = scores.names[i], scores.names[j]
        different = adjusted[k] <= alpha
        judge = alone.pair(*names)
        labels = int((first.labelled & second.labelled).sum())
        fewer = min(first.n_labels, second.n_labels)
        favoured = favour_adjusted[k] <= alpha and same
        found.append(
            JudgedPair(
                *names,
                labels,
                _decided(both[k], miss, different),
                _by_judge(judge, first, second, miss),
                _decided(people[k], miss, people_adjusted[k] <= alpha),
                adjusted[k],
                different,
                names[sign * both[k].value < 0] if different else None,
                judge.favours if judge.different else None,
                _worth(both[k], variance_of_random_labels(first, second), fewer, len(scores.items)),
                round_off(both[k].weight),
                _measured(favours[k], miss) if same else None,
                favour_adjusted[k] if same else None,
                names[sign * favours[k].value < 0] if favoured else None,
                _defined(judge.p_adjusted),
                people_adjusted[k],
            )
        )
    return tuple(found)


def _judge_alone(
    scores: JudgedScores,
    cluster: str | None,
    alpha: float,
    correction: str,
    baseline: str | None,
) -> Comparison:
    """Return what the judge's scores alone say: the comparison that people would make of them."""
    counts = Counts.from_arrays(
        dict(zip(scores.names, scores.judge, strict=True)),
        labels={} if cluster is None else {cluster: scores.labels[cluster]},
        form="items",
    )
    return compare(
        counts,
        cluster=cluster,
        alpha=alpha,
        correction=correction,
        baseline=baseline,
        lower_is_better=not scores.higher_is_better,
    )


def _by_judge(pair: PairResult, first: Judged, second: Judged, miss: float) -> Measured:
    """Return a pair of the judge's comparison; where that has no interval, Student's."""
    low, high = pair.interval or (None, None)
    if low is None or high is None:
        student = powered_difference(first.judge_alone, second.judge_alone)
        low, high = student.interval(1 - miss)
    ends = round_off(low), round_off(high)
    return Measured(round_off(pair.difference), ends, _defined(pair.p))


def _defined(p: float | None) -> float:
    """Return a p-value; a test that is undefined shows nothing."""
    return 1.0 if p is None else p


def _decided(estimate: Estimate, miss: float, different: bool) -> Measured:
    """Return a difference whose interval says of 0 what the adjusted p-value says."""
    low, high = estimate.interval(1 - miss)
    ends = Interval(low, high, "t").deciding(different, estimate.value).ends
    low, high = (float(end) for end in ends if end is not None)
    return Measured(round_off(estimate.value), (round_off(low), round_off(high)), estimate.p)


def _notices(
    scores: JudgedScores, data: Sequence[Judged], same: bool, cluster: str | None
) -> list[Notice]:
    found = [_unlike(scores, data), _seen_apart(scores, data)]
    few = min(each.n_labels for each in data)
    kinds = plural(scores.kind)
    if few < ENOUGH_LABELS:
        text = (
            f"Only {few} labelled {kinds}: intervals hold what they promise from "
            f"{ENOUGH_LABELS} labels on."
        )
        found.append(Notice("few-labels", text))
    if cluster is not None:
        codes = scores.codes(cluster)
        groups = min(len(np.unique(codes[each.labelled])) for each in data)
        if groups < _ENOUGH_CLUSTERS:
            text = (
                f"The labels are from {several(groups, cluster)}; intervals hold what they promise "
                f"from {_ENOUGH_CLUSTERS} on."
            )
            found.append(Notice("few-labelled-clusters", text))
    if not same:
        people = scores.people[~np.isnan(scores.people)]
        text = (
            f"Judge and people use different scales ({scores.judge.min():g} to "
            f"{scores.judge.max():g}, {people.min():g} to {people.max():g}): scores are on "
            "people's scale, and nothing is said about the judge's bias."
        )
        found.append(Notice("different-scales", text))
    return [notice for notice in found if notice is not None]


def _unlike(scores: JudgedScores, data: Sequence[Judged]) -> Notice | None:
    """Return a warning where labelled items differ from the others in what the judge says."""
    odd = []
    for name, each in zip(scores.names, data, strict=True):
        p = _unlike_p(each)
        if p < _UNLIKE / len(data):
            seen = each.labelled
            odd.append(
                f"{name} {float(each.judge[seen].mean()):.3f} on them, "
                f"{float(each.judge[~seen].mean()):.3f} on the others (p = {p_text(p)})"
            )
    if not odd:
        return None
    within = " of each stratum" if data[0].strata is not None else ""
    text = (
        f"The labelled {plural(scores.kind)} are unlike the others: the judge gives "
        f"{listed(odd, 3)}. Labels must be of a random part{within}; if they were chosen, the "
        "corrected scores are not to be trusted."
    )
    return Notice("labels-not-random", text)


def _unlike_p(judged: Judged) -> float:
    """Return the p-value of "the judge gives labelled items no other scores than the others".

    Were people to repeat the judge, his mean on the labelled items is one estimate, and his mean on
    the others another, stratum by stratum.
    """
    seen = judged.labelled
    if seen.all():
        return 1.0
    own = np.where(seen, judged.judge, np.nan)
    estimate = powered_mean(replace(judged, people=own, disagreement=0.0), 1.0)
    alone = powered_mean(replace(judged, people=own, disagreement=0.0), 0.0)
    gap = alone.value - estimate.value
    influence: Floats = alone.influence - estimate.influence
    sums = influence if judged.clusters is None else np.bincount(judged.clusters, influence)
    error = math.sqrt(float(sums @ sums))
    if error == 0:
        return 1.0
    units = len(np.unique(judged.clusters)) if judged.clusters is not None else len(seen)
    return _t_p(gap / error, max(1, units - 2))


def _t_p(t: float, freedom: float) -> float:
    from scipy.special import stdtr

    return max(2 * float(stdtr(freedom, -abs(t))), math.ulp(0.0))


def _seen_apart(scores: JudgedScores, data: Sequence[Judged]) -> Notice | None:
    """Return a remark where people saw different items of the systems."""
    masks = [each.labelled for each in data]
    if all(np.array_equal(masks[0], mask) for mask in masks):
        return None
    numbers = ", ".join(
        f"{int(mask.sum())} of {name}" for name, mask in zip(scores.names, masks, strict=True)
    )
    common = int(np.logical_and.reduce(masks).sum())
    text = (
        f"People did not see the same {plural(scores.kind)} of all systems ({numbers}; {common} of "
        "all): differences are less sure than if they had."
    )
    return Notice("labelled-apart", text)
