"""Ranking: systems by score, groups, places, and pairs as reports show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tellapart.comparison.record import Comparison, Pair, System, TwoMetrics
from tellapart.stats.corrections import groups, letters


def ranking(record: Comparison, metric: str) -> list[System]:
    """Return the systems by score, the best first, then by name."""
    sign = -1 if record.metrics[metric].higher_is_better else 1
    return sorted(record.systems, key=lambda system: (sign * system.scores[metric], system.name))


def has_all_pairs(record: Comparison) -> bool:
    """Return whether every pair was tested, both ways, of two systems or more."""
    n = len(record.systems)
    every = len(record.pairs) == len(record.metrics) * n * (n - 1) // 2
    # A one-sided test does not say that two systems do not differ.
    return record.tail == "two" and every and n > 1


def grouped(record: Comparison) -> dict[str, Any]:
    """Return the groups and letters of each metric; none where not all pairs were tested."""
    found: dict[str, dict[str, Any]] = {"groups": {}, "letters": {}}
    if not has_all_pairs(record):
        return found
    place = {system.name: k for k, system in enumerate(record.systems)}
    for metric, info in record.metrics.items():
        apart = np.zeros((len(place),) * 2, np.bool_)
        for pair in record.pairs_of(metric):
            a, b = place[pair.a], place[pair.b]
            apart[a, b] = apart[b, a] = pair.different
        # Systems with the same score stand in the order of their names.
        names = sorted(place)
        order = [place[name] for name in names]
        scores = [record.systems[k].scores[metric] for k in order]
        made = groups(scores, apart[np.ix_(order, order)], higher_is_better=info.higher_is_better)
        found["groups"][metric] = [[names[k] for k in group] for group in made.members]
        found["letters"][metric] = dict(zip(names, letters(made), strict=True))
    return found


def rank_sets(record: Comparison) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the places of each metric; none of two systems, or where only some are compared."""
    if len(record.systems) < 3 or record.tail != "two" or record.baseline is not None:
        return {}
    return {metric: places(record, metric) for metric in record.metrics}


def places(record: Comparison, metric: str) -> dict[str, tuple[int, int]]:
    """Return by system the best and the worst place that no pair rules out.

    A system that k others are shown to be better than comes after k of them at best. If no pair is
    called different wrongly, no place is ruled out wrongly: a correction that keeps the one promise
    keeps the other, for all systems at once. Pairs that were not tested rule out nothing.
    """
    better = dict.fromkeys((system.name for system in record.systems), 0)
    worse = dict(better)
    for pair in record.pairs_of(metric):
        if pair.different and pair.favours is not None:
            worse[pair.favours] += 1
            better[pair.other(pair.favours)] += 1
    return {name: (1 + better[name], len(better) - worse[name]) for name in better}


def two_metrics(pairs: Sequence[Pair], metrics: Sequence[str]) -> TwoMetrics | None:
    """Return how many pairs differ in recall and precision or, of two other metrics, in these.

    None where there are no two metrics to count by.

    >>> two_metrics([], ["f1"]) is None
    True
    """
    recall_precision = ("recall", "precision")
    names = recall_precision if set(metrics) >= set(recall_precision) else tuple(metrics)
    if len(names) != 2:
        return None
    first, second = (
        {(p.a, p.b): p.favours for p in pairs if p.metric == name and p.different} for name in names
    )
    both = first.keys() & second.keys()
    tested = sum(pair.metric == names[0] for pair in pairs)
    return TwoMetrics(
        *names,
        both=len(both),
        same_ahead=sum(first[key] == second[key] for key in both),
        first_only=len(first) - len(both),
        second_only=len(second) - len(both),
        neither=tested - len(first.keys() | second.keys()),
    )


def as_reported(record: Comparison, pair: Pair) -> Pair:
    """Return a pair as reports show it: the better system first, or the one that is claimed."""
    return pair if reported_names(record, pair)[0] == pair.a else pair.turned()


def reported_names(record: Comparison, pair: Pair) -> tuple[str, str]:
    """Return the systems of a pair in the order in which reports show them."""
    if record.tail != "two":
        turned = pair.sign != (1 if record.tail == "greater" else -1)
    elif pair.difference == 0:  # the one that the question names, as in `ranking`
        turned = pair.b != (record.baseline or max(pair.a, pair.b))
    else:
        turned = (pair.difference > 0) != record.metrics[pair.metric].higher_is_better
    return (pair.b, pair.a) if turned else (pair.a, pair.b)


def reported_pairs(record: Comparison, metric: str) -> list[Pair]:
    """Return the pairs of a metric as reports show them: from the best system's to the worst's."""
    pairs = [as_reported(record, pair) for pair in record.pairs_of(metric)]
    if record.tail != "two":
        return pairs
    place = {system.name: k for k, system in enumerate(ranking(record, metric))}
    if record.baseline is not None:
        base = record.baseline
        return sorted(pairs, key=lambda pair: place[pair.other(base)])
    return sorted(pairs, key=lambda pair: (place[pair.a], place[pair.b]))


def headline(record: Comparison, metric: str) -> Pair:
    """Return the pair that the verdict speaks of, its better system first.

    The best system and the one that is hardest to tell from it, if it is ahead of all; otherwise
    one that the test speaks for against it, or the nearest that it cannot be told from, or, if it
    cannot be told from any, the one that it comes closest to being told from. With a baseline: the
    clearest lead on it, or what comes nearest to one.
    """
    pairs = record.pairs_of(metric)
    if record.tail != "two":
        return as_reported(record, _surest(pairs))
    if record.baseline is not None:
        return as_reported(record, _baseline_headline(record, record.baseline, pairs))
    best, mine = pairs_of_best(record, metric)
    against = [pair for pair in mine if favours_worse_scorer(pair)]
    if against:
        return against[0]
    if not any(shown_alone(record, pair, best) for pair in mine):
        return _surest(mine)
    return next((pair for pair in mine if not shown_alone(record, pair, best)), hardest(mine))


def pairs_of_best(record: Comparison, metric: str) -> tuple[str, list[Pair]]:
    """Return the system with the best score, and its pairs as reports show them, by rank."""
    place = {system.name: k for k, system in enumerate(ranking(record, metric))}
    best = min(place, key=place.__getitem__)
    pairs = record.pairs_of(metric)
    mine = [as_reported(record, pair) for pair in pairs if best in (pair.a, pair.b)]
    return best, sorted(mine, key=lambda pair: place[pair.other(best)])


def shown_alone(record: Comparison, pair: Pair, ahead: str) -> bool:
    """Return whether a pair by itself shows that a system is ahead.

    "The best of all" is one claim that needs all its pairs, and none of them has to be corrected
    for the others (an intersection-union test).
    """
    if pair.p is None or pair.p > record.alpha or pair.favours != ahead:
        return False
    return record.min_confidence is None or (pair.confidence or 0.0) >= record.min_confidence


def hardest(pairs: Sequence[Pair]) -> Pair:
    """Return the pair with the largest p."""
    return max(pairs, key=lambda pair: 2.0 if pair.p is None else pair.p)


def _baseline_headline(record: Comparison, baseline: str, pairs: Sequence[Pair]) -> Pair:
    """Return the clearest lead on the baseline, or what comes nearest to one."""
    ahead = [pair for pair in pairs if pair.favours == pair.other(baseline)]
    shown = [pair for pair in ahead if pair.different]
    nearly = [pair for pair in ahead if different_before_correction(pair, record.alpha)]
    undecided = [pair for pair in pairs if not pair.different]
    for candidates in (shown, nearly, undecided):
        if candidates:
            return _surest(candidates)
    return min(pairs, key=lambda pair: abs(pair.difference))


def _surest(pairs: Sequence[Pair]) -> Pair:
    """Return the pair with the smallest p or, of those, the largest difference."""
    return min(pairs, key=lambda p: (2.0 if p.p is None else p.p, -abs(p.difference)))


def different_before_correction(pair: Pair, alpha: float) -> bool:
    """Return whether a pair alone would be called different, but not once all pairs are counted."""
    return not pair.different and pair.p is not None and pair.p <= alpha


def favours_worse_scorer(reported: Pair) -> bool:
    """Return whether the test of a pair, the better first, speaks for the worse score.

    Signs and ranks do so where one is ahead more often and the other by more.
    """
    return reported.sign == 0 and reported.different and reported.favours == reported.b


def in_question(record: Comparison, pair: Pair) -> Pair:
    """Return a pair seen from the system that a margin or a build check is about.

    That is the one that is compared with a baseline or, of two, the one given last.
    """
    if record.baseline is not None:
        return pair if pair.b == record.baseline else pair.turned()
    return pair if pair.a == record.systems[-1].name else pair.turned()


def margin_p(record: Comparison, pair: Pair) -> float | None:
    """Return the adjusted p of what a margin is asked about.

    That is whether the system in question is no worse than the other, where one is; of several
    systems without a baseline, whether two are equivalent.
    """
    if pair.p_a_adjusted is None or pair.p_b_adjusted is None:
        return None
    if record.baseline is not None or len(record.systems) == 2:
        return in_question(record, pair).p_a_adjusted
    return max(pair.p_a_adjusted, pair.p_b_adjusted)


def beyond_margin(record: Comparison, seen: Pair) -> bool:
    """Return whether a loss of the first system beyond the margin is shown.

    That is so where the whole interval lies beyond it.
    """
    margin = record.margin_of(seen.metric)
    if seen.interval is None or margin is None:
        return False
    low, high = seen.interval
    if record.metrics[seen.metric].higher_is_better:
        return high is not None and high < -margin
    return low is not None and low > margin
