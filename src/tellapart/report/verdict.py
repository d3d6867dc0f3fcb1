"""The finding in words: a question, a short answer, and the sentence that goes with it."""

from __future__ import annotations

from tellapart.comparison import Comparison, PairResult, SystemResult
from tellapart.report.fitting import clean
from tellapart.report.sentences import (
    asked_about,
    detectable_words,
    margin_sentence,
    near,
    pair_sentence,
    told_apart,
    with_decision,
    without_decision,
)
from tellapart.words import listed

_SHOWN = 4  # names of systems in a sentence


def question(result: Comparison, metric: str, asked: str | None = None) -> str:
    """Return the question that the comparison answers, with its short answer.

    Yes: the best system is ahead of every other. No: the asked-for system is behind one. Perhaps:
    ahead of some, or only while other pairs are not counted. Cannot tell: all else. `asked` names
    the system that a question about a margin is about, where that is known.
    """
    pairs = pairs_of(result, metric)
    by = f" by {metric}" if len(result.metrics) > 1 else ""
    if result.tail != "two":
        return _claim_question(result, pairs, by)
    if result.margin is not None:
        return _margin_question(result, pairs, by, asked)
    if result.baseline is not None:
        return _baseline_question(result, result.baseline, pairs, by)
    best = ranking(result, metric)[0].name
    mine = [pair for pair in pairs if best in (pair.a, pair.b)]
    return f"Is {clean(best)} really better{by}?  {_answer(mine, result.alpha)}."


def verdict(result: Comparison, metric: str | None = None, asked: str | None = None) -> str:
    """Return the finding by one metric (the first if none is named)."""
    metric = metric or next(iter(result.metrics))
    pairs = pairs_of(result, metric)
    if len(pairs) > 1:
        found = _many_pairs(result, metric, pairs)
    elif result.margin is not None and result.tail == "two":
        found = margin_sentence(result, asked_about(result, pairs[0], asked))
    else:
        found = pair_sentence(result, pairs[0])
    return f"By {metric}, {found}" if len(result.metrics) > 1 else found


def pairs_of(result: Comparison, metric: str) -> list[PairResult]:
    """Return the pairs of one metric as reports show them: the better system first."""
    return [shown_first(result, pair) for pair in result.pairs if pair.metric == metric]


def ranking(result: Comparison, metric: str) -> list[SystemResult]:
    """Order systems by score, the best first, then by name."""
    sign = -1 if result.metrics[metric]["higher_is_better"] else 1
    return sorted(result.systems, key=lambda s: (sign * s.scores[metric], s.name))


def shown_first(result: Comparison, pair: PairResult) -> PairResult:
    """Put the better system first; a one-sided test keeps the order of its claim."""
    return pair.better_first(higher_is_better=result.metrics[pair.metric]["higher_is_better"])


def headline(result: Comparison, metric: str) -> PairResult:
    """Return the pair that the verdict speaks of, its better system first.

    The best system and the next one if it is ahead of all; otherwise the nearest that it cannot be
    told from, or, if it cannot be told from any, the one that it comes closest to being told from.
    With a baseline: the clearest lead on it, or what comes nearest to one.
    """
    pairs = pairs_of(result, metric)
    if result.tail != "two":
        return min(pairs, key=_p_order)
    if result.baseline is not None:
        return _baseline_headline(result.baseline, pairs)
    place = {system.name: k for k, system in enumerate(ranking(result, metric))}
    best = min(place, key=place.__getitem__)
    mine = sorted(
        (pair for pair in pairs if best in (pair.a, pair.b)),
        key=lambda pair: place[pair.other(best)],
    )
    told = [pair for pair in mine if pair.different]
    if not told:
        return min(mine, key=_p_order)
    return next((pair for pair in mine if not pair.different), mine[0])


def _baseline_headline(baseline: str, pairs: list[PairResult]) -> PairResult:
    """Choose the clearest lead on the baseline, or what comes nearest to one."""
    ahead = [pair for pair in pairs if pair.different and pair.b == baseline]
    open_ones = [pair for pair in pairs if not pair.different]
    if ahead or open_ones:
        return min(ahead or open_ones, key=_p_order)
    return min(pairs, key=lambda pair: abs(pair.difference))


def _p_order(pair: PairResult) -> tuple[float, float]:
    return 2.0 if pair.p is None else pair.p, -abs(pair.difference)


def _answer(pairs: list[PairResult], alpha: float) -> str:
    if all(pair.different for pair in pairs):
        return "Yes"
    alone = any(pair.p is not None and pair.p <= alpha for pair in pairs)
    return "Perhaps" if alone else "Cannot tell"


def _claim_question(result: Comparison, pairs: list[PairResult], by: str) -> str:
    shown = [pair for pair in pairs if pair.different]
    if len(pairs) > 1:
        return f"Which claims are shown{by}?  {len(shown)} of {len(pairs)}."
    worded = "better" if result.tail == "greater" else "worse"
    asked = f"Is {clean(pairs[0].a)} {worded} than {clean(pairs[0].b)}{by}?"
    return f"{asked}  {'Yes' if shown else 'Not shown'}."


def _baseline_question(result: Comparison, baseline: str, pairs: list[PairResult], by: str) -> str:
    others = f"Is {clean(pairs[0].other(baseline))}" if len(pairs) == 1 else "Is any system"
    asked = f"{others} better than {clean(baseline)}{by}?"
    ahead = [pair for pair in pairs if pair.b == baseline and pair.difference]
    if any(pair.different for pair in ahead):
        return f"{asked}  Yes."
    if all(pair.different for pair in pairs):
        return f"{asked}  No."
    near = any(pair.p is not None and pair.p <= result.alpha for pair in ahead)
    return f"{asked}  {'Perhaps' if near else 'Cannot tell'}."


def _margin_question(
    result: Comparison, pairs: list[PairResult], by: str, asked: str | None
) -> str:
    margin = f"{result.margin:g}"
    if len(pairs) > 1 and result.baseline is not None:
        kept = [clean(pair.other(result.baseline)) for pair in pairs if _kept(result, pair)]
        as_good = f"as good as {clean(result.baseline)}, within {margin}"
        shown = f"{listed(kept, _SHOWN)} ({len(kept)} of {len(pairs)})" if kept else "None is shown"
        return f"Which systems are {as_good}{by}?  {shown}."
    if len(pairs) > 1:
        kept_by = sum(bool(pair.equivalent) for pair in pairs)
        return (
            f"Which systems are equivalent within {margin}{by}?  {kept_by} of {len(pairs)} pairs."
        )
    seen = asked_about(result, pairs[0], asked)
    answer = "Cannot tell, within"
    if seen.a_no_worse:
        answer = "Yes, within"
    elif _beyond_margin(result, seen):
        answer = "No, not within"
    return f"Is {clean(seen.a)} as good as {clean(seen.b)}{by}?  {answer} {margin}."


def _kept(result: Comparison, pair: PairResult) -> bool:
    return bool(pair.b_no_worse if pair.a == result.baseline else pair.a_no_worse)


def _beyond_margin(result: Comparison, seen: PairResult) -> bool:
    """Tell whether a loss by more than the margin is shown: the whole interval lies beyond it."""
    if seen.interval is None or result.margin is None:
        return False
    low, high = seen.interval
    if result.metrics[seen.metric]["higher_is_better"]:
        return high is not None and high < -result.margin
    return low is not None and low > result.margin


def _many_pairs(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    if result.tail != "two":
        shown = [pair.claim for pair in pairs if pair.different and pair.claim]
        found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
        which = f": {listed(shown, _SHOWN)}" if shown else ""
        return _closed(f"{found}{which}.", result, headline(result, metric))
    if result.baseline is not None:
        return _against_baseline(result, result.baseline, metric, pairs)
    pair = headline(result, metric)
    best = pair.a
    mine = [each for each in pairs if best in (each.a, each.b)]
    beside = [each.other(best) for each in mine if not each.different]
    if not beside:
        lead = with_decision(result, pair, "It", rival=f"the next, {clean(pair.b)}")
        return f"{clean(best)} is better than every other system. {lead}. {told_apart(pairs)}"
    if len(beside) == len(mine):
        return _no_lead(result, pair, pairs)
    names = _order(result, metric, beside)
    found = (
        f"{clean(best)} has the best score, but cannot be told from {listed(names, _SHOWN)}: "
        f"{without_decision(result, pair, 'it')}. {told_apart(pairs)}"
    )
    return _closed(found, result, pair)


def _closed(found: str, result: Comparison, pair: PairResult) -> str:
    """End a finding that leaves something open by what could have been shown."""
    return f"{found} {detectable_words(result, pair)}".rstrip()


def _no_lead(result: Comparison, pair: PairResult, pairs: list[PairResult]) -> str:
    """Speak of a best system that cannot be told from any other."""
    others = [each for each in pairs if (each.a, each.b) != (pair.a, pair.b)]
    alike = [each for each in others if not each.different and near(each, result.alpha)]
    found = without_decision(result, pair)
    if any(each.different for each in others):
        rest = f"Nor can its other leads. {told_apart(pairs)}"
    elif not near(pair, result.alpha):
        rest = "Nor can any other difference."
    else:
        names = [f"{clean(each.a)} - {clean(each.b)}" for each in alike]
        rest = f"The same goes for {listed(names, 3)}. " if alike else ""
        if len(alike) < len(others):
            rest += "No other difference can be told from chance."
    return _closed(f"{found}. {rest.strip()}", result, pair)


def _order(result: Comparison, metric: str, names: list[str]) -> list[str]:
    return [clean(each.name) for each in ranking(result, metric) if each.name in names]


def _against_baseline(
    result: Comparison, baseline: str, metric: str, pairs: list[PairResult]
) -> str:
    """Name the systems that are better, worse, or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "not told from it": []}
    for each in pairs:
        ahead = "better" if each.b == baseline else "worse"
        found[ahead if each.different else "not told from it"].append(each.other(baseline))
    ordered = {how: _order(result, metric, names) for how, names in found.items() if names}
    parts = "; ".join(f"{how}: {', '.join(names)}" for how, names in ordered.items())
    pair = headline(result, metric)
    differ = sum(each.different for each in pairs)
    lead = with_decision(result, pair) if pair.different else without_decision(result, pair)
    told = (
        f"{differ} of {len(pairs)} systems can be told from {clean(baseline)}. "
        f"{parts[0].upper()}{parts[1:]}. {lead}."
    )
    return _closed(told, result, pair) if found["not told from it"] else told
