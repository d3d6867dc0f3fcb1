"""What a comparison says: systems in order, groups and places, pairs as reports show them, answers.

An answer is to a question by each metric: Yes, No or Cannot tell. It follows from p-values and from
nothing else. "One of these is better" takes the adjusted ones; "this is the best" needs all of its
pairs, and takes theirs as they are. What an answer depends on beside them stands with it as a
condition. All of it is codes and names: `report` makes the sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tellapart.comparison.record import (
    Answer,
    Comparison,
    Notice,
    Pair,
    RunsInfo,
    System,
    TwoMetrics,
)
from tellapart.stats.corrections import groups, letters

YES, NO, CANNOT_TELL = "Yes", "No", "Cannot tell"
MISSING = ("whatever-missing", "unless-missing")
"""The conditions that say whether missing items could change an answer"""
_INFLATED = 1.05  # times the variance: less hardly changes p

# Systems and pairs in order


def ranking(record: Comparison, metric: str) -> list[System]:
    """Return the systems by score, the best first, then by name."""
    sign = -1 if record.metrics[metric].higher_is_better else 1
    return sorted(record.systems, key=lambda system: (sign * system.scores[metric], system.name))


def grouped(record: Comparison) -> dict[str, Any]:
    """Return the groups and letters of each metric; none where not all pairs were tested."""
    found: dict[str, dict[str, Any]] = {"groups": {}, "letters": {}}
    every = len(record.pairs) == len(record.metrics) * math.comb(len(record.systems), 2)
    # A one-sided test does not say that two systems do not differ.
    if record.tail != "two" or not every or len(record.systems) < 2:
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
    one that the test speaks for against it, or the nearest that it cannot be told from. With a
    baseline: the clearest lead on it, or what comes nearest to one.
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


def keeps_margin(record: Comparison, seen: Pair) -> bool:
    """Return whether a loss of the first system beyond the margin is ruled out.

    That is so by the test of the margin, or where the first system is shown to be better.
    """
    if seen.a_no_worse or not seen.different or seen.favours != seen.a:
        return bool(seen.a_no_worse)
    return (seen.difference > 0) == record.metrics[seen.metric].higher_is_better


# Answers


def answer(record: Comparison, metric: str) -> Answer:
    """Return the question that the comparison answers by one metric, and the answer.

    In question is the system with the best score; with a baseline, all others; with a margin, the
    last of two. Yes: it is shown. No: the opposite is shown. Cannot tell: neither. A one-sided test
    asks about one direction, and never says No.
    """
    pairs, reached = record.pairs_of(metric), _bar_reached(record, metric)
    rests_on: Sequence[Pair] = ()
    if not pairs:  # of one system: whether it reaches the bar, or how good it is
        name = record.systems[0].name
        found = Answer("at-least" if reached else "score", reached.get(name, ""), (name,))
    elif record.tail != "two":
        found, rests_on = _about_claims(record, pairs)
    elif record.margin_of(metric) is not None:
        found = _about_margin(record, pairs)
    elif record.baseline is not None:
        found, rests_on = _about_baseline(record.baseline, pairs)
    else:
        found, rests_on = _about_best(record, metric)
    conditions = tuple(_conditions(record, metric, found, rests_on))
    return replace(found, conditions=conditions, at_least=reached)


def _bar_reached(record: Comparison, metric: str) -> dict[str, str]:
    """Return by system whether its whole interval lies on one side of the bar; {} without one."""
    bar = record.bar_of(metric)
    if bar is None:
        return {}
    sign = 1 if record.metrics[metric].higher_is_better else -1
    found = {}
    for system in record.systems:
        ends = system.intervals.get(metric, (None, None))[::sign]
        worst, best = (None if end is None else sign * (end - bar) for end in ends)
        reaches = worst is not None and worst >= 0
        found[system.name] = (
            YES if reaches else NO if best is not None and best < 0 else CANNOT_TELL
        )
    return found


def waited_for(record: Comparison, metric: str, told: Answer) -> Pair | None:
    """Return the pair without which an answer cannot be told; None where it is.

    The best system has to be told from every other: of those that it is not, the hardest counts.
    """
    if told.answer != CANNOT_TELL or told.question in ("equivalent", "at-least"):
        return None
    if told.question != "best":
        return headline(record, metric)
    best, pairs = pairs_of_best(record, metric)
    return hardest([pair for pair in pairs if not shown_alone(record, pair, best)])


def _about_best(record: Comparison, metric: str) -> tuple[Answer, Sequence[Pair]]:
    """Return whether the system with the best score is ahead of every other.

    That it is needs all of its pairs, each by itself; that another is ahead of it needs one of
    them, corrected for all.
    """
    best, pairs = pairs_of_best(record, metric)
    against = [pair for pair in pairs if pair.different and pair.favours not in (best, None)]
    found = Answer("best", CANNOT_TELL, (best,), tried=len(pairs), p=hardest(pairs).p)
    if against:
        return replace(found, answer=NO), _settled(against)
    if all(shown_alone(record, pair, best) for pair in pairs):
        return replace(found, answer=YES), pairs
    return found, ()


def _about_baseline(baseline: str, pairs: Sequence[Pair]) -> tuple[Answer, Sequence[Pair]]:
    """Return whether any other system is ahead of the baseline; No if all are behind it."""
    about = (baseline, pairs[0].other(baseline)) if len(pairs) == 1 else (baseline,)
    different = [pair for pair in pairs if pair.different]
    ahead = [pair for pair in different if pair.favours != baseline]
    found = Answer("baseline", CANNOT_TELL, about, tried=len(pairs))
    if ahead:
        return replace(found, answer=YES), _settled(ahead)
    if len(different) == len(pairs):
        return replace(found, answer=NO), different
    return found, ()


def _about_claims(record: Comparison, pairs: Sequence[Pair]) -> tuple[Answer, Sequence[Pair]]:
    """Return whether a one-sided test shows what it was asked to show."""
    pairs = [as_reported(record, pair) for pair in pairs]
    shown = [pair for pair in pairs if pair.different]
    word = YES if shown else CANNOT_TELL
    if len(pairs) == 1:
        about: tuple[str, ...] = (pairs[0].a, pairs[0].b)
    else:
        about = () if record.baseline is None else (record.baseline,)
    names = tuple(pair.a if record.baseline else f"{pair.a} - {pair.b}" for pair in shown)
    return Answer("claim", word, about, names, len(pairs)), _settled(shown)


def _about_margin(record: Comparison, pairs: Sequence[Pair]) -> Answer:
    """Return whether a loss beyond the margin is ruled out; No if such a loss is shown."""
    if len(pairs) == 1:
        seen = in_question(record, pairs[0])
        word = NO if beyond_margin(record, seen) else CANNOT_TELL
        word = YES if keeps_margin(record, seen) else word
        return Answer("margin", word, (seen.a, seen.b))
    if record.baseline is None:
        shown = [as_reported(record, pair) for pair in pairs if pair.equivalent]
        kept = [f"{pair.a} - {pair.b}" for pair in shown]
        lost = [p for p in pairs if beyond_margin(record, p) or beyond_margin(record, p.turned())]
        about: tuple[str, ...] = ()
    else:
        seen_pairs = [in_question(record, pair) for pair in pairs]
        kept = [seen.a for seen in seen_pairs if keeps_margin(record, seen)]
        lost = [seen for seen in seen_pairs if beyond_margin(record, seen)]
        about = (record.baseline,)
    word = YES if kept else NO if len(lost) == len(pairs) else CANNOT_TELL
    question = "equivalent" if record.baseline is None else "margin"
    return Answer(question, word, about, tuple(kept), len(pairs))


def _weighty_codes(notices: Iterable[Notice], metric: str) -> set[str]:
    """Return the codes of notices that an answer by a metric may hang on.

    Few repeated texts change little, and what is said of another metric changes nothing.
    """
    about = (own for own in notices if own.numbers.get("metric", metric) == metric)
    return {own.code for own in about if own.numbers.get("inflation", math.inf) > _INFLATED}


def pair_conditions(record: Comparison, pair: Pair, *, margin: bool = False) -> Iterator[str]:
    """Yield what it supposes that one pair is told apart, or that one of it keeps the margin."""
    told = record.answers[pair.metric]
    shown = pair.a_no_worse or pair.b_no_worse if margin else pair.different
    found = Answer("margin" if margin else "claim", YES if shown else CANNOT_TELL)
    yield from _conditions(record, pair.metric, found, () if margin else (pair,))
    # What missing items leave of an answer, they leave of its pairs; of others, nobody has asked.
    only = len(record.pairs_of(pair.metric)) == 1
    of_best = (told.question, told.answer, told.about) == ("best", YES, (pair.favours,))
    for code in told.conditions:
        if code in MISSING:
            yield code if only or of_best else "unless-missing"


def bar_conditions(record: Comparison, metric: str) -> Iterator[str]:
    """Yield what it supposes that scores are shown to lie on one side of a bar."""
    return _conditions(record, metric, Answer("at-least", YES), ())


def _settled(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Return the pairs behind an answer that needs only one of them: the settled ones, if any."""
    return [pair for pair in pairs if pair.settled is not False] or pairs


def _conditions(
    record: Comparison, metric: str, found: Answer, rests_on: Sequence[Pair]
) -> Iterator[str]:
    """Yield what an answer supposes, where it would not stand without."""
    if found.answer not in (YES, NO):
        return
    codes = _weighty_codes(record.notices, metric)
    if codes & {"duplicates", "maybe-clustered"}:
        yield "independent-items"
    if "two-scales" in codes:
        yield "same-scale"
    if "orders-unbalanced" in codes:
        yield "place"
    runs = record.runs
    if runs and (not runs.vary or any(_single_run(runs, pair) for pair in rests_on)):
        yield "these-runs"
    is_best = found.question == "best" and found.answer == YES
    of_pairs = rests_on or found.question in ("margin", "equivalent")
    if record.correction == "none" and record.family_size > 1 and of_pairs and not is_best:
        yield "no-correction"
    if any(_unsettled(record, pair, alone=is_best) for pair in rests_on):
        yield "more-shuffles"
    if codes & {"few-items", "few-clusters"} and record.test == "bootstrap" and record.pairs:
        yield "few-for-bootstrap"
    if record.judged is not None and any(_may_be_zero(pair) for pair in rests_on):
        yield "rare-labels"
    if "no-lowest" in codes and found.question in ("margin", "equivalent"):
        yield "no-lowest"


def _may_be_zero(pair: Pair) -> bool:
    """Return whether 0 lies within the interval of a difference."""
    low, high = pair.interval or (None, None)
    return low is not None and high is not None and low < 0 < high


def _unsettled(record: Comparison, pair: Pair, *, alone: bool) -> bool:
    """Return whether shuffles leave open on which side of its level p is: alone, that is alpha."""
    if not alone or pair.level >= record.alpha:
        return pair.settled is False
    low, high = pair.p_interval or (0.0, 0.0)
    return low <= record.alpha < high


def _single_run(runs: RunsInfo, pair: Pair) -> bool:
    """Return whether a pair has a single run of a system, which does not tell how far it varies."""
    return min(runs.runs[pair.a], runs.runs[pair.b]) < 2
