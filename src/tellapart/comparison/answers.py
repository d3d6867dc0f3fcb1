"""The answers of a comparison: a question by each metric, and Yes, No or Cannot tell.

An answer follows from the adjusted p-values and from nothing else. What it depends on beside them
stands with it: "Yes, if items of the same passage are independent".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tellapart.comparison.columns import rows
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import in_question, pairs_of, ranking
from tellapart.comparison.record import Answer, Comparison
from tellapart.words import listed, plural, several

YES, NO, CANNOT_TELL = "Yes", "No", "Cannot tell"
SHOWN = 4
"""Names of systems in a sentence"""
OPPOSED_SHOWN = 2
"""Pairs in a sentence of which metrics show opposite leads"""
_Opposed: TypeAlias = dict[tuple[str, str], tuple[list[str], list[str]]]


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer before its conditions are known: the pairs that it rests on decide on these."""

    question: str
    word: str
    rests_on: Sequence[PairResult] = ()
    detail: str = ""


def answers(result: Comparison) -> dict[str, Answer]:
    """Return question and answer by every metric."""
    return {metric: answer(result, metric) for metric in result.metrics}


def answer(result: Comparison, metric: str) -> Answer:
    """Return the question that the comparison answers by one metric, and the answer.

    In question is the system with the best score; with a baseline, all others; with a margin, the
    last of two. Yes: it is shown. No: the opposite is shown. Cannot tell: neither. A one-sided test
    asks about one direction, and never says No.
    """
    pairs = pairs_of(result, metric)
    by = f" by {metric}" if len(result.metrics) > 1 else ""
    if result.tail != "two":
        found = _about_claims(result, pairs, by)
    elif result.margin_of(metric) is not None:
        found = _about_margin(result, pairs, by)
    elif result.baseline is not None:
        found = _about_baseline(result.baseline, pairs, by)
    else:
        found = _about_best(ranking(result, metric)[0].name, pairs, by)
    condition = ", ".join(_conditions(result, found)) or None
    text = f"{found.word}{found.detail}" + (f", {condition}" if condition else "")
    return Answer(found.question, found.word, text, condition)


def _about_best(best: str, pairs: Sequence[PairResult], by: str) -> _Found:
    """Return whether the system with the best score is ahead of every other."""
    words = f"Is {best} really better{by}?"
    mine = [pair for pair in pairs if best in (pair.a, pair.b)]
    against = [pair for pair in mine if pair.different and pair.favours not in (best, None)]
    if against:
        return _Found(words, NO, _surest(against))
    if all(pair.different for pair in mine):
        return _Found(words, YES, mine)
    return _Found(words, CANNOT_TELL)


def _about_baseline(baseline: str, pairs: Sequence[PairResult], by: str) -> _Found:
    """Return whether any other system is ahead of the baseline; No if all are behind it."""
    others = pairs[0].other(baseline) if len(pairs) == 1 else "any system"
    words = f"Is {others} better than {baseline}{by}?"
    different = [pair for pair in pairs if pair.different]
    ahead = [pair for pair in different if pair.favours != baseline]
    if ahead:
        return _Found(words, YES, _surest(ahead))
    return (
        _Found(words, NO, different) if len(different) == len(pairs) else _Found(words, CANNOT_TELL)
    )


def _about_claims(result: Comparison, pairs: Sequence[PairResult], by: str) -> _Found:
    """Return whether a one-sided test shows what it was asked to show."""
    shown = [pair for pair in pairs if pair.different]
    claim = "better" if result.tail == "greater" else "worse"
    word = YES if shown else CANNOT_TELL
    if len(pairs) == 1:
        return _Found(f"Is {pairs[0].a} {claim} than {pairs[0].b}{by}?", word, _surest(shown))
    if result.baseline is not None:
        words = f"Is any system {claim} than {result.baseline}{by}?"
        return _Found(words, word, _surest(shown), _some([pair.a for pair in shown], len(pairs)))
    detail = f": {len(shown)} of {len(pairs)}" if shown else ""
    return _Found(f"Is any of the claims true{by}?", word, _surest(shown), detail)


def _about_margin(result: Comparison, pairs: Sequence[PairResult], by: str) -> _Found:
    """Return whether a loss beyond the margin is ruled out; No if such a loss is shown."""
    margin = f"{result.margin:g}"
    if len(pairs) == 1:
        seen = in_question(result, pairs[0])
        words = f"Is {seen.a} as good as {seen.b}{by}?"
        if seen.a_no_worse:
            return _Found(words, YES, detail=f", within {margin}")
        if beyond_margin(result, seen):
            return _Found(words, NO, detail=f", not within {margin}")
        return _Found(words, CANNOT_TELL, detail=f" whether within {margin}")
    kept = within_margin(result, pairs)
    if result.baseline is None:
        words = f"Are any two systems equivalent within {margin}{by}?"
        lost = [pair for pair in pairs if beyond_margin(result, pair)]
        lost += [pair for pair in pairs if beyond_margin(result, pair.mirrored())]
        detail = _some(kept, len(pairs), " pairs")
    else:
        words = f"Is any system as good as {result.baseline}, within {margin}{by}?"
        lost = [pair for pair in pairs if beyond_margin(result, in_question(result, pair))]
        detail = _some(kept, len(pairs))
    word = YES if kept else NO if len(lost) == len(pairs) else CANNOT_TELL
    return _Found(words, word, detail=detail)


def within_margin(result: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    """Return the pairs that are equivalent or, with a baseline, the systems no worse than it."""
    if result.baseline is None:
        return [f"{pair.a} - {pair.b}" for pair in pairs if pair.equivalent]
    return [seen.a for seen in (in_question(result, pair) for pair in pairs) if seen.a_no_worse]


def beyond_margin(result: Comparison, seen: PairResult) -> bool:
    """Return whether a loss of the first system beyond the margin is shown.

    That is so where the whole interval lies beyond it.
    """
    margin = result.margin_of(seen.metric)
    if seen.interval is None or margin is None:
        return False
    low, high = seen.interval
    if result.metrics[seen.metric].higher_is_better:
        return high is not None and high < -margin
    return low is not None and low > margin


def _some(names: Sequence[str], of: int, what: str = "") -> str:
    """Return what is shown, and of how many; nothing if nothing is."""
    return f": {listed(names, SHOWN)} ({len(names)} of {of}{what})" if names else ""


def _surest(pairs: Sequence[PairResult]) -> Sequence[PairResult]:
    """Return the pairs that an answer rests on which needs one of them: the settled if any is."""
    return [pair for pair in pairs if pair.settled is not False] or pairs


def _conditions(result: Comparison, found: _Found) -> Iterator[str]:
    """Yield what an answer supposes, where it would not stand without."""
    if found.word == CANNOT_TELL:
        return
    together = _taken_for_independent(result)
    if together:
        yield f"if {together} are independent"
    if _place_may_matter(result, found):
        yield "if the place does not matter to the judge"
    runs = result.runs
    if runs and (runs.asked == "fixed" or any(pair.noise is None for pair in found.rests_on)):
        yield "in these very runs"
    if result.correction == "none" and result.family.size > 1 and found.rests_on:
        yield f"without a correction for {result.family.size:,} pairs"
    if any(pair.settled is False for pair in found.rests_on):
        yield "if more shuffles confirm it"
    few = any(notice.code in ("few-units", "few-clusters") for notice in result.warnings)
    if few and "bootstrap" in result.test:
        exchanged = result.units.exchanged
        yield f"if {several(exchanged.count, exchanged.kind)} are enough for a bootstrap"


def _place_may_matter(result: Comparison, found: _Found) -> bool:
    """Return whether an answer about preferences may be due to the places of outputs.

    With one order alone it always may. An answer about a margin rests on no pair's test: it may
    where orders are unbalanced, unless the judge is seen not to care.
    """
    judged = result.preferences
    codes = {notice.code for notice in result.warnings}
    if judged is None or "one-order" in codes:
        return judged is not None
    if not found.rests_on:
        liking = judged.first_place
        cares = liking is None or liking.p is None or liking.p <= result.alpha
        return "orders-unbalanced" in codes and cares
    open_pairs = [{*names} for names in judged.place_or_system]
    return any({pair.a, pair.b} in open_pairs for pair in found.rests_on)


def _taken_for_independent(result: Comparison) -> str:
    """Return the items that seem to hang together, but were taken for independent."""
    alike = []
    for notice in result.warnings:
        if notice.code == "duplicates" and notice.affected:
            alike.append(f"with the same {notice.affected[0]}")
        elif notice.code == "maybe-clustered" and len(notice.affected) == 1:
            alike.append(f"of the same {notice.affected[0]}")
        elif notice.code == "maybe-clustered" and notice.affected:
            alike.append(f"with ids like {' and '.join(notice.affected)}")
    return f"{plural(result.units.kind)} {' or '.join(alike)}" if alike else ""


def disagreement(result: Comparison) -> str:
    """Return in a sentence that metrics speak for different systems; nothing if they do not.

    It is said where no system has the best score by all of them. They disagree where one shows a
    system to be better than another, and a second one shows it to be worse. Costs are no opinion:
    what is better may well be dearer.
    """
    if len(_opinions(result)) < 2:
        return ""
    opposed, best = _opposed(result), _best_by_metrics(result)
    leaders = tuple(sorted(best)) if len(best) == 2 else ()
    if len(best) > 1 and leaders not in opposed:
        (first, metrics), *others = best.items()
        rest = "".join(f", by {_and(some)} {name}" for name, some in others[: SHOWN - 1])
        found = f"By {_and(metrics)} {first} has the best score{rest}: {_leads_shown(result, best)}"
        found += f". The metrics disagree: {_both_ways(opposed)}" if opposed else ""
    elif opposed:
        a, b = leaders if leaders in opposed else next(iter(opposed))
        for_a, for_b = opposed.pop((a, b))
        if list(result.metrics).index(for_b[0]) < list(result.metrics).index(for_a[0]):
            (a, for_a), (b, for_b) = (b, for_b), (a, for_a)
        than = (f" than {b}", f" than {a}") if len(result.systems) > 2 else ("", "")
        found = f"By {_and(for_a)} {a} is better{than[0]}, by {_and(for_b)} {b}{than[1]}"
        others_too = f", and on {several(len(opposed), 'other pair')} too" if opposed else ""
        found += f": they disagree{others_too}"
    else:
        return ""
    return f"{found}."


def _leads_shown(result: Comparison, best: Mapping[str, Sequence[str]]) -> str:
    """Return which of the systems with the best score by some metric are shown to be better."""
    shown = {
        name: [m for m in metrics if _about_best(name, pairs_of(result, m), "").word == YES]
        for name, metrics in best.items()
    }
    named = [f"{name} by {_and(metrics)}" for name, metrics in shown.items() if metrics]
    if not named:
        return f"{'neither' if len(best) == 2 else 'none'} is shown to be better"
    return f"only {_and(named)} {'is' if len(named) == 1 else 'are'} shown to be better"


def _both_ways(opposed: _Opposed) -> str:
    """Return which systems are shown to be better than each other, each by some metrics."""
    named = [
        f"{a} is better than {b} by {_and(for_a)}, {b} better than {a} by {_and(for_b)}"
        for (a, b), (for_a, for_b) in list(opposed.items())[:OPPOSED_SHOWN]
    ]
    more = len(opposed) - len(named)
    return "; ".join([*named, *([f"and so for {several(more, 'other pair')}"] if more else [])])


def _opposed(result: Comparison) -> _Opposed:
    """Return the pairs, by name, of which some metrics show the first better, some the second."""
    found: _Opposed = {}
    metrics = _opinions(result)
    names = ("metric", "different", "favours", "a", "b")
    for metric, different, favours, *pair in rows(result.pairs, *names):
        if metric in metrics and different and favours is not None:
            a, b = sorted(pair)
            either = found.setdefault((a, b), ([], []))
            either[favours == b].append(metric)
    return {names: either for names, either in found.items() if all(either)}


def _best_by_metrics(result: Comparison) -> dict[str, list[str]]:
    """Return the systems with the best score by some metric, and these metrics.

    Of several with the same score, the one that is best by most metrics.
    """
    best = {metric: _best(result, metric) for metric in _opinions(result)}
    found: dict[str, list[str]] = {}
    for metric, names in best.items():
        often = max(sorted(names), key=lambda name: sum(name in some for some in best.values()))
        found.setdefault(often, []).append(metric)
    return found


def _opinions(result: Comparison) -> list[str]:
    """Return the metrics that say how well systems do: all but costs."""
    return [name for name, metric in result.metrics.items() if not metric.cost]


def _best(result: Comparison, metric: str) -> set[str]:
    top = ranking(result, metric)[0].scores[metric]
    return {s.name for s in result.systems if math.isclose(s.scores[metric], top, rel_tol=1e-9)}


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
