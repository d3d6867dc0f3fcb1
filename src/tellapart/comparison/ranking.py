"""Ranking: systems by score, pairs in the order of reports, and the pair the verdict is about."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.comparison.columns import rows
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison, SystemResult, TwoMetrics


def ranking(result: Comparison, metric: str) -> list[SystemResult]:
    """Return the systems by score, the best first, then by name."""
    sign = -1 if result.metrics[metric].higher_is_better else 1
    return sorted(result.systems, key=lambda s: (sign * s.scores[metric], s.name))


def pairs_of(result: Comparison, metric: str) -> list[PairResult]:
    """Return the pairs of one metric as reports show them: the better system first."""
    return [as_reported(result, pair) for pair in result.pairs if pair.metric == metric]


def as_reported(result: Comparison, pair: PairResult) -> PairResult:
    """Return a pair as reports show it: the better system first, or the one that is claimed."""
    if result.tail != "two":
        return pair if pair.tail == result.tail else pair.mirrored()
    if pair.difference == 0 and result.baseline is not None:
        return pair if pair.b == result.baseline else pair.mirrored()
    return pair.better_first(higher_is_better=result.metrics[pair.metric].higher_is_better)


def headline(result: Comparison, metric: str) -> PairResult:
    """Return the pair that the verdict speaks of, its better system first.

    The best system and the next one if it is ahead of all; otherwise one that the test speaks for
    against it, or the nearest that it cannot be told from, or, if it cannot be told from any, the
    one that it comes closest to being told from. With a baseline: the clearest lead on it, or what
    comes nearest to one.
    """
    pairs = pairs_of(result, metric)
    if result.tail != "two":
        return smallest_p_pair(pairs)
    if result.baseline is not None:
        return _baseline_headline(result, result.baseline, pairs)
    place = {system.name: k for k, system in enumerate(ranking(result, metric))}
    best = min(place, key=place.__getitem__)
    mine = sorted(
        (pair for pair in pairs if best in (pair.a, pair.b)),
        key=lambda pair: place[pair.other(best)],
    )
    against = [pair for pair in mine if favours_worse_scorer(result, pair)]
    if against:
        return against[0]
    if not any(pair.different for pair in mine):
        return smallest_p_pair(mine)
    return next((pair for pair in mine if not pair.different), mine[0])


def ordered_pairs(result: Comparison, metric: str) -> list[PairResult]:
    """Return the pairs of a metric, the better first: from the best system's to the worst's."""
    pairs = pairs_of(result, metric)
    if result.tail != "two":
        return pairs
    place = {system.name: k for k, system in enumerate(ranking(result, metric))}
    if result.baseline is not None:
        base = result.baseline
        return sorted(pairs, key=lambda pair: place[pair.other(base)])
    return sorted(pairs, key=lambda pair: (place[pair.a], -abs(pair.difference)))


def rank_sets(names: Sequence[str], pairs: Sequence[PairResult]) -> dict[str, tuple[int, int]]:
    """Return for each system the best and the worst place that its pairs do not rule out.

    `pairs` are all pairs of one metric. A system that k others are shown to be better than comes
    after k of them at best. If no pair is called different wrongly, no place is ruled out wrongly:
    a correction that keeps the one promise keeps the other, for all systems at once.
    """
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for different, favours, a, b in rows(pairs, "different", "favours", "a", "b"):
        if different and favours is not None:
            worse[favours] += 1
            better[b if favours == a else a] += 1
    return {name: (1 + better[name], len(names) - worse[name]) for name in names}


def told_apart(result: Comparison, metric: str) -> tuple[int, int]:
    """Return how many pairs are different by a metric, and of how many.

    Of very many pairs, reports see some (`boards.as_shown`); ranks have counted all of them.
    """
    found = [own for name, own in rows(result.pairs, "metric", "different") if name == metric]
    if has_every_pair(result):
        return sum(found), len(found)
    n = len(result.systems)
    return sum(best - 1 for best, _ in result.ranks[metric].values()), n * (n - 1) // 2


def has_every_pair(result: Comparison) -> bool:
    """Return whether every pair that was compared is here, not only those that reports see."""
    n = len(result.systems)
    every = len(result.pairs) == len(result.metrics) * n * (n - 1) // 2
    return every or not result.ranks or result.preferences is not None


def two_metrics(pairs: Sequence[PairResult], metrics: Sequence[str]) -> TwoMetrics | None:
    """Return how many pairs differ in recall and precision or, of two other metrics, in these.

    None where there are no two metrics to count by.

    >>> two_metrics([], ["f1"]) is None
    True
    """
    recall_precision = "recall", "precision"
    names = recall_precision if set(metrics) >= set(recall_precision) else tuple(metrics)
    if len(names) != 2:
        return None
    found: dict[str, dict[tuple[str, str], str | None]] = {name: {} for name in names}
    for metric, a, b, different, favours in rows(pairs, "metric", "a", "b", "different", "favours"):
        if metric in found and different:
            found[metric][a, b] = favours
    first, second = (found[name] for name in names)
    both = first.keys() & second.keys()
    tested = sum(metric == names[0] for metric, _ in rows(pairs, "metric", "a"))
    return TwoMetrics(
        *names,
        both=len(both),
        same_ahead=sum(first[key] == second[key] for key in both),
        first_only=len(first) - len(both),
        second_only=len(second) - len(both),
        neither=tested - len(first.keys() | second.keys()),
    )


def different_before_correction(pair: PairResult, alpha: float) -> bool:
    """Return whether a pair alone would be called different, but not once all pairs are counted."""
    return not pair.different and pair.p is not None and pair.p <= alpha


def favours_worse_scorer(result: Comparison, pair: PairResult) -> bool:
    """Return whether the test speaks for the system with the worse score.

    Signs and ranks do so where one is ahead more often and the other by more.
    """
    shown = as_reported(result, pair)
    return shown.tail == "two" and shown.different and shown.favours == shown.b


def smallest_p_pair(pairs: Sequence[PairResult]) -> PairResult:
    """Return the pair with the smallest p or, of those, the largest difference."""
    return min(pairs, key=_p_order)


def in_question(result: Comparison, pair: PairResult) -> PairResult:
    """Return a pair seen from the system that a margin or a build check is about.

    That is the one that is compared with a baseline or, of two, the one given last.
    """
    if result.baseline is not None:
        return pair if pair.b == result.baseline else pair.mirrored()
    return pair if pair.a == result.systems[-1].name else pair.mirrored()


def margin_p(result: Comparison, pair: PairResult) -> float | None:
    """Return the adjusted p of what a margin is asked about.

    That is whether the system in question is no worse than the other, where one is; of several
    systems without a baseline, whether two are equivalent.
    """
    if result.baseline is not None or len(result.systems) == 2:
        return in_question(result, pair).p_a_no_worse_adjusted
    both = pair.p_a_no_worse_adjusted, pair.p_b_no_worse_adjusted
    return None if None in both else max(p for p in both if p is not None)


def _baseline_headline(result: Comparison, baseline: str, pairs: list[PairResult]) -> PairResult:
    """Return the clearest lead on the baseline, or what comes nearest to one."""
    ahead = [pair for pair in pairs if pair.favours == pair.other(baseline)]
    shown = [pair for pair in ahead if pair.different]
    nearly = [pair for pair in ahead if different_before_correction(pair, result.alpha)]
    open_ones = [pair for pair in pairs if not pair.different]
    for some in (shown, nearly, open_ones):
        if some:
            return smallest_p_pair(some)
    return min(pairs, key=lambda pair: abs(pair.difference))


def _p_order(pair: PairResult) -> tuple[float, float]:
    return 2.0 if pair.p is None else pair.p, -abs(pair.difference)
