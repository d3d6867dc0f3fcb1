"""The finding in words: a question, a short answer, and the sentence that goes with it."""

from __future__ import annotations

from tellapart.comparison import Comparison, PairResult
from tellapart.report.fitting import clean
from tellapart.report.sentences import (
    asked_about,
    detectable_words,
    margin_sentence,
    pair_sentence,
    same_score,
    told_apart,
    with_decision,
    with_p,
    without_decision,
)
from tellapart.standings import headline as headline
from tellapart.standings import near
from tellapart.standings import pairs_of as pairs_of
from tellapart.standings import ranking as ranking
from tellapart.standings import shown_first as shown_first
from tellapart.words import listed

_SHOWN = 4  # names of systems in a sentence


def question(result: Comparison, metric: str, asked: str | None = None) -> str:
    """Return the question that the comparison answers, with its short answer.

    Yes: the system in question is ahead of every other. No: it is behind one. Perhaps: the lead
    that the verdict speaks of would be shown alone, but is not once all pairs are counted. Cannot
    tell: all else. In question is the best system, unless `asked` names another.
    """
    pairs = pairs_of(result, metric)
    by = f" by {metric}" if len(result.metrics) > 1 else ""
    if result.tail != "two":
        return _claim_question(result, pairs, by)
    if result.margin is not None:
        return _margin_question(result, pairs, by, asked)
    if result.baseline is not None:
        return _baseline_question(result, result.baseline, metric, pairs, by)
    name = asked or ranking(result, metric)[0].name
    return f"Is {clean(name)} really better{by}?  {_answer(result, metric, name)}."


def verdict(result: Comparison, metric: str | None = None, asked: str | None = None) -> str:
    """Return the finding by one metric (the first if none is named)."""
    metric = metric or next(iter(result.metrics))
    pairs = pairs_of(result, metric)
    two_sided = result.tail == "two"
    if two_sided and result.margin is not None and len(pairs) == 1:
        found = margin_sentence(result, asked_about(result, pairs[0], asked))
    elif two_sided and result.margin is None and _asked_behind(result, metric, asked):
        found = _about_asked(result, metric, asked or "", pairs)
    elif len(pairs) > 1:
        found = _many_pairs(result, metric, pairs)
    else:
        found = pair_sentence(result, pairs[0])
    return f"By {metric}, {found}" if len(result.metrics) > 1 else found


def _answer(result: Comparison, metric: str, name: str) -> str:
    """Answer whether a system is better than every other."""
    mine = [pair for pair in pairs_of(result, metric) if name in (pair.a, pair.b)]
    told = [pair for pair in mine if pair.different]
    if len(told) == len(mine) and all(pair.favours == name for pair in told):
        return "Yes"
    if any(pair.favours != name for pair in told):
        return "No"
    spoken = _spoken(result, metric, name)
    return "Perhaps" if near(spoken, result.alpha) and spoken.favours == name else "Cannot tell"


def _spoken(result: Comparison, metric: str, name: str) -> PairResult:
    """Return the pair that a sentence about a system speaks of, seen from that system.

    For one that is not the best: the best of those that it is shown to be behind, or the surest of
    its differences.
    """
    order = [system.name for system in ranking(result, metric)]
    if name == order[0]:
        return headline(result, metric)
    mine = [result.pair(name, other, metric) for other in order if other != name]
    behind = [pair for pair in mine if pair.different and pair.favours != name]
    return behind[0] if behind else min(mine, key=lambda pair: 2.0 if pair.p is None else pair.p)


def _asked_behind(result: Comparison, metric: str, asked: str | None) -> bool:
    """Tell whether the system in question is one that has not the best score."""
    if asked is None or result.baseline is not None:
        return False
    return asked != ranking(result, metric)[0].name


def _about_asked(result: Comparison, metric: str, asked: str, pairs: list[PairResult]) -> str:
    """Speak of a system in question that has not the best score."""
    pair = _spoken(result, metric, asked)
    told = with_decision(result, pair) if pair.different else without_decision(result, pair)
    found = f"{told}. {told_apart(pairs)}" if len(pairs) > 1 else f"{told}."
    return found if pair.different else _closed(found, result, pair)


def _claim_question(result: Comparison, pairs: list[PairResult], by: str) -> str:
    shown = [pair for pair in pairs if pair.different]
    worded = "better" if result.tail == "greater" else "worse"
    if len(pairs) > 1 and result.baseline is not None:
        found = _some([clean(pair.a) for pair in shown], len(pairs))
        return f"Which systems are {worded} than {clean(result.baseline)}{by}?  {found}."
    if len(pairs) > 1:
        return f"Which claims are shown{by}?  {len(shown)} of {len(pairs)}."
    asked = f"Is {clean(pairs[0].a)} {worded} than {clean(pairs[0].b)}{by}?"
    return f"{asked}  {'Yes' if shown else 'Not shown'}."


def _some(names: list[str], of: int, what: str = "") -> str:
    """Name what is shown, and say of how many."""
    return f"{listed(names, _SHOWN)} ({len(names)} of {of}{what})" if names else "None is shown"


def _baseline_question(
    result: Comparison, baseline: str, metric: str, pairs: list[PairResult], by: str
) -> str:
    others = f"Is {clean(pairs[0].other(baseline))}" if len(pairs) == 1 else "Is any system"
    asked = f"{others} better than {clean(baseline)}{by}?"
    told = [pair for pair in pairs if pair.different]
    if any(pair.favours != baseline for pair in told):
        return f"{asked}  Yes."
    if len(told) == len(pairs):
        return f"{asked}  No."
    spoken = headline(result, metric)
    perhaps = near(spoken, result.alpha) and spoken.favours == spoken.other(baseline)
    return f"{asked}  {'Perhaps' if perhaps else 'Cannot tell'}."


def _margin_question(
    result: Comparison, pairs: list[PairResult], by: str, asked: str | None
) -> str:
    margin = f"{result.margin:g}"
    if len(pairs) > 1:
        kept = _within_margin(result, pairs)
        if result.baseline is None:
            shown = _some(kept, len(pairs), " pairs")
            return f"Which systems are equivalent within {margin}{by}?  {shown}."
        as_good = f"as good as {clean(result.baseline)}, within {margin}"
        return f"Which systems are {as_good}{by}?  {_some(kept, len(pairs))}."
    seen = asked_about(result, pairs[0], asked)
    answer = "Cannot tell, within"
    if seen.a_no_worse:
        answer = "Yes, within"
    elif _beyond_margin(result, seen):
        answer = "No, not within"
    return f"Is {clean(seen.a)} as good as {clean(seen.b)}{by}?  {answer} {margin}."


def _within_margin(result: Comparison, pairs: list[PairResult]) -> list[str]:
    """Name the pairs that are equivalent or, with a baseline, the systems no worse than it."""
    if result.baseline is None:
        return [f"{clean(pair.a)} - {clean(pair.b)}" for pair in pairs if pair.equivalent]
    return [clean(pair.other(result.baseline)) for pair in pairs if _kept(result, pair)]


def _kept(result: Comparison, pair: PairResult) -> bool:
    return bool(pair.b_no_worse if pair.a == result.baseline else pair.a_no_worse)


def _margin_words(result: Comparison, pairs: list[PairResult]) -> str:
    """Name what keeps a margin, for a comparison of many pairs."""
    kept, margin = listed(_within_margin(result, pairs), _SHOWN), f"{result.margin:g}"
    if result.baseline is None:
        shown = f"Equivalent within {margin}: {kept}."
        return shown if kept else f"No two systems are shown to be equivalent within {margin}."
    shown = f"As good as {clean(result.baseline)}, within {margin}: {kept}."
    none = f"No system is shown to be as good as {clean(result.baseline)}, within {margin}."
    return shown if kept else none


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
        return _claims(result, metric, pairs)
    if result.baseline is not None:
        found = _against_baseline(result, result.baseline, metric, pairs)
    else:
        found = _about_best(result, metric, pairs)
    return found if result.margin is None else f"{found} {_margin_words(result, pairs)}"


def _claims(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    """Name the claims of one-sided tests: those that are shown, and those that are not."""
    worded = [(p.different, f"{clean(p.claim or '')} ({with_p(result, p)})") for p in pairs]
    shown = [claim for different, claim in worded if different]
    open_ones = [claim for different, claim in worded if not different]
    found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
    found += f": {listed(shown, _SHOWN)}." if shown else "."
    if not open_ones:
        return found
    return _closed(
        f"{found} Not shown: {listed(open_ones, _SHOWN)}.", result, headline(result, metric)
    )


def _about_best(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    """Speak of the best system and of those that it cannot be told from."""
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
    alike = [each for each in others if near(each, result.alpha)]
    found = without_decision(result, pair)
    if any(each.different for each in others):
        rest = f"Its other leads are not shown, either. {told_apart(pairs)}"
    elif same_score(pair):
        rest = "No difference can be told from chance."
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
        ahead = "worse" if each.favours == baseline else "better"
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
