"""The answers of a comparison: a question by each metric, and Yes, No or Cannot tell.

An answer follows from p-values and from nothing else. "One of these is better" takes the adjusted
ones; "this is the best" needs all of its pairs, and takes theirs as they are. What an answer
depends on beside them stands with it as a condition. All of it is codes and names: `report` makes
the sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from tellapart.comparison.ranking import (
    as_reported,
    beyond_margin,
    hardest,
    headline,
    in_question,
    pairs_of_best,
    shown_alone,
)
from tellapart.comparison.record import Answer, Comparison, Pair, RunsInfo

YES, NO, CANNOT_TELL = "Yes", "No", "Cannot tell"


def answer(record: Comparison, metric: str, codes: Collection[str]) -> Answer:
    """Return the question that the comparison answers by one metric, and the answer.

    `codes` are those of the notices, some of which are conditions.

    In question is the system with the best score; with a baseline, all others; with a margin, the
    last of two. Yes: it is shown. No: the opposite is shown. Cannot tell: neither. A one-sided test
    asks about one direction, and never says No.
    """
    pairs, reached = record.pairs_of(metric), _bar_reached(record, metric)
    if not pairs:
        return _about_one(record.systems[0].name, reached)
    if record.tail != "two":
        found, rests_on = _about_claims(record, pairs)
    elif record.margin_of(metric) is not None:
        found, rests_on = _about_margin(record, pairs)
    elif record.baseline is not None:
        found, rests_on = _about_baseline(record.baseline, pairs)
    else:
        found, rests_on = _about_best(record, metric)
    conditions = tuple(_conditions(record, found, rests_on, set(codes)))
    return replace(found, conditions=conditions, at_least=reached)


def _about_one(name: str, reached: dict[str, str]) -> Answer:
    """Return the question about a single system: whether it reaches the bar, or how good it is."""
    question = "at-least" if reached else "score"
    return Answer(question, reached.get(name, ""), (name,), at_least=reached)


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
    about = (
        (baseline, *(pair.other(baseline) for pair in pairs)) if len(pairs) == 1 else (baseline,)
    )
    different = [pair for pair in pairs if pair.different]
    ahead = [pair for pair in different if pair.favours != baseline]
    tried = len(pairs)
    if ahead:
        return Answer("baseline", YES, about, tried=tried), _settled(ahead)
    if len(different) == tried:
        return Answer("baseline", NO, about, tried=tried), different
    return Answer("baseline", CANNOT_TELL, about, tried=tried), ()


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


def _about_margin(record: Comparison, pairs: Sequence[Pair]) -> tuple[Answer, Sequence[Pair]]:
    """Return whether a loss beyond the margin is ruled out; No if such a loss is shown."""
    if len(pairs) == 1:
        seen = in_question(record, pairs[0])
        word = YES if seen.a_no_worse else NO if beyond_margin(record, seen) else CANNOT_TELL
        return Answer("margin", word, (seen.a, seen.b)), ()
    if record.baseline is None:
        shown = [as_reported(record, pair) for pair in pairs if pair.equivalent]
        kept = [f"{pair.a} - {pair.b}" for pair in shown]
        lost = [p for p in pairs if beyond_margin(record, p) or beyond_margin(record, p.turned())]
        about: tuple[str, ...] = ()
    else:
        seen_pairs = [in_question(record, pair) for pair in pairs]
        kept = [seen.a for seen in seen_pairs if seen.a_no_worse]
        lost = [seen for seen in seen_pairs if beyond_margin(record, seen)]
        about = (record.baseline,)
    word = YES if kept else NO if len(lost) == len(pairs) else CANNOT_TELL
    question = "equivalent" if record.baseline is None else "margin"
    return Answer(question, word, about, tuple(kept), len(pairs)), ()


def _settled(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Return the pairs that an answer rests on which needs one of them: the settled if any is."""
    return [pair for pair in pairs if pair.settled is not False] or pairs


def _conditions(
    record: Comparison, found: Answer, rests_on: Sequence[Pair], codes: set[str]
) -> Iterator[str]:
    """Yield what an answer supposes, where it would not stand without."""
    if found.answer == CANNOT_TELL:
        return
    if codes & {"duplicates", "maybe-clustered"}:
        yield "independent-items"
    if codes & {"one-order", "orders-unbalanced"}:
        yield "place"
    runs = record.runs
    if runs and (not runs.vary or any(_single_run(runs, pair) for pair in rests_on)):
        yield "these-runs"
    is_best = found.question == "best" and found.answer == YES
    if record.correction == "none" and record.family_size > 1 and rests_on and not is_best:
        yield "no-correction"
    if any(_unsettled(record, pair, alone=is_best) for pair in rests_on):
        yield "more-shuffles"
    if codes & {"few-items", "few-clusters"} and record.test == "bootstrap":
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
