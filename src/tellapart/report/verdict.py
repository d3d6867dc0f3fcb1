"""The verdict in words: a question, a short answer, and the sentence that goes with it."""

from __future__ import annotations

from tellapart.comparison.ranking import (
    different_before_correction,
    favours_worse_scorer,
    headline,
    in_question,
    pairs_of,
    ranking,
    smallest_p_pair,
)
from tellapart.comparison.record import Comparison, PairResult
from tellapart.report.sentences import (
    detectable_words,
    margin_sentence,
    pair_sentence,
    same_score,
    told_apart,
    with_decision,
    with_p,
    without_decision,
)
from tellapart.report.terminal_text import clean
from tellapart.report.wording import claim_word
from tellapart.words import listed

_SHOWN = 4  # names of systems in a sentence


def question(result: Comparison, metric: str) -> str:
    """Return the question that the comparison answers, with its short answer.

    In question is the system with the best score; with a baseline, all others; with a margin, the
    last of two. Yes: it is shown to be ahead of every other. No: the test speaks for another.
    Perhaps: the lead that the verdict speaks of would be shown alone, but is not once all pairs are
    counted. Cannot tell: all else.
    """
    pairs = pairs_of(result, metric)
    by = f" by {metric}" if len(result.metrics) > 1 else ""
    if result.tail != "two":
        return _claim_question(result, pairs, by)
    if result.margin is not None:
        return _margin_question(result, pairs, by)
    if result.baseline is not None:
        return _baseline_question(result, result.baseline, metric, pairs, by)
    best = ranking(result, metric)[0].name
    return f"Is {clean(best)} really better{by}?  {_answer(result, metric, best)}."


def verdict(result: Comparison, metric: str | None = None) -> str:
    """Return the verdict by one metric (the first if none is named)."""
    metric = metric or next(iter(result.metrics))
    pairs = pairs_of(result, metric)
    if len(pairs) > 1:
        found = _many_pairs(result, metric, pairs)
    elif result.margin is not None:
        found = margin_sentence(result, in_question(result, pairs[0]))
    else:
        found = pair_sentence(result, pairs[0])
    return f"By {metric}, {found}" if len(result.metrics) > 1 else found


def _answer(result: Comparison, metric: str, best: str) -> str:
    """Return the answer to whether the best system is better than every other."""
    mine = [pair for pair in pairs_of(result, metric) if best in (pair.a, pair.b)]
    different = [pair for pair in mine if pair.different]
    if any(pair.favours not in (best, None) for pair in different):
        return "No"
    if len(different) == len(mine):
        return "Yes"
    lead = headline(result, metric)
    perhaps = different_before_correction(lead, result.alpha) and lead.favours == best
    return "Perhaps" if perhaps else "Cannot tell"


def _claim_question(result: Comparison, pairs: list[PairResult], by: str) -> str:
    shown = [pair for pair in pairs if pair.different]
    claim = claim_word(result)
    if len(pairs) > 1 and result.baseline is not None:
        found = _some([clean(pair.a) for pair in shown], len(pairs))
        return f"Which systems are {claim} than {clean(result.baseline)}{by}?  {found}."
    if len(pairs) > 1:
        return f"Which claims are shown{by}?  {len(shown)} of {len(pairs)}."
    words = f"Is {clean(pairs[0].a)} {claim} than {clean(pairs[0].b)}{by}?"
    return f"{words}  {'Yes' if shown else 'Not shown'}."


def _some(names: list[str], of: int, what: str = "") -> str:
    """Return what is shown, and of how many."""
    return f"{listed(names, _SHOWN)} ({len(names)} of {of}{what})" if names else "None is shown"


def _baseline_question(
    result: Comparison, baseline: str, metric: str, pairs: list[PairResult], by: str
) -> str:
    others = f"Is {clean(pairs[0].other(baseline))}" if len(pairs) == 1 else "Is any system"
    words = f"{others} better than {clean(baseline)}{by}?"
    different = [pair for pair in pairs if pair.different]
    if any(pair.favours != baseline for pair in different):
        return f"{words}  Yes."
    if len(different) == len(pairs):
        return f"{words}  No."
    lead = headline(result, metric)
    ahead = lead.favours == lead.other(baseline)
    perhaps = ahead and different_before_correction(lead, result.alpha)
    return f"{words}  {'Perhaps' if perhaps else 'Cannot tell'}."


def _margin_question(result: Comparison, pairs: list[PairResult], by: str) -> str:
    margin = f"{result.margin:g}"
    if len(pairs) > 1:
        kept = _within_margin(result, pairs)
        if result.baseline is None:
            shown = _some(kept, len(pairs), " pairs")
            return f"Which systems are equivalent within {margin}{by}?  {shown}."
        as_good = f"as good as {clean(result.baseline)}, within {margin}"
        return f"Which systems are {as_good}{by}?  {_some(kept, len(pairs))}."
    seen = in_question(result, pairs[0])
    answer = "Cannot tell, within"
    if seen.a_no_worse:
        answer = "Yes, within"
    elif _beyond_margin(result, seen):
        answer = "No, not within"
    return f"Is {clean(seen.a)} as good as {clean(seen.b)}{by}?  {answer} {margin}."


def _within_margin(result: Comparison, pairs: list[PairResult]) -> list[str]:
    """Return the pairs that are equivalent or, with a baseline, the systems no worse than it."""
    if result.baseline is None:
        return [f"{clean(pair.a)} - {clean(pair.b)}" for pair in pairs if pair.equivalent]
    return [clean(pair.other(result.baseline)) for pair in pairs if _kept(result, pair)]


def _kept(result: Comparison, pair: PairResult) -> bool:
    return bool(pair.b_no_worse if pair.a == result.baseline else pair.a_no_worse)


def _margin_words(result: Comparison, pairs: list[PairResult]) -> str:
    """Return what keeps a margin, for a comparison of many pairs."""
    kept, margin = listed(_within_margin(result, pairs), _SHOWN), f"{result.margin:g}"
    if result.baseline is None:
        shown = f"Equivalent within {margin}: {kept}."
        return shown if kept else f"No two systems are shown to be equivalent within {margin}."
    shown = f"As good as {clean(result.baseline)}, within {margin}: {kept}."
    none = f"No system is shown to be as good as {clean(result.baseline)}, within {margin}."
    return shown if kept else none


def _beyond_margin(result: Comparison, seen: PairResult) -> bool:
    """Return whether a loss beyond the margin is shown: the whole interval lies beyond it."""
    if seen.interval is None or result.margin is None:
        return False
    low, high = seen.interval
    if result.metrics[seen.metric].higher_is_better:
        return high is not None and high < -result.margin
    return low is not None and low > result.margin


def _many_pairs(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    if result.tail != "two":
        return _claims(result, pairs)
    if result.baseline is not None:
        found = _against_baseline(result, result.baseline, metric, pairs)
    else:
        found = _about_best(result, metric, pairs)
    return found if result.margin is None else f"{found} {_margin_words(result, pairs)}"


def _claims(result: Comparison, pairs: list[PairResult]) -> str:
    """Return the claims of one-sided tests: those that are shown, and those that are not."""
    claims = [(p.different, f"{clean(p.claim or '')} ({with_p(result, p)})") for p in pairs]
    shown = [claim for different, claim in claims if different]
    open_ones = [claim for different, claim in claims if not different]
    found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
    found += f": {listed(shown, _SHOWN)}." if shown else "."
    if not open_ones:
        return found
    found += f" Not shown: {listed(open_ones, _SHOWN)}."
    return _closed(found, result, smallest_p_pair([pair for pair in pairs if not pair.different]))


def _about_best(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    """Return the finding about the best system and those that it cannot be told from."""
    pair = headline(result, metric)
    best = pair.a
    mine = [each for each in pairs if best in (each.a, each.b)]
    against = [each.other(best) for each in mine if favours_worse_scorer(result, each)]
    if against:
        others = listed(_order(result, metric, against), _SHOWN)
        found = f"{clean(best)} has the best score, but is not better than {others}"
        return f"{found}: {with_decision(result, pair, 'it')}. {told_apart(pairs)}"
    undecided = [each.other(best) for each in mine if not each.different]
    if not undecided:
        lead = with_decision(result, pair, "It", rival=f"the next, {clean(pair.b)}")
        return f"{clean(best)} is better than every other system. {lead}. {told_apart(pairs)}"
    if len(undecided) == len(mine):
        return _no_lead(result, pair, pairs)
    names = _order(result, metric, undecided)
    found = (
        f"{clean(best)} has the best score, but cannot be told from {listed(names, _SHOWN)}: "
        f"{without_decision(result, pair, 'it')}. {told_apart(pairs)}"
    )
    return _closed(found, result, pair)


def _closed(found: str, result: Comparison, pair: PairResult) -> str:
    """Return a finding that leaves something open, with what could have been shown."""
    return f"{found} {detectable_words(result, pair)}".rstrip()


def _no_lead(result: Comparison, pair: PairResult, pairs: list[PairResult]) -> str:
    """Return the finding about a best system that cannot be told from any other."""
    others = [each for each in pairs if (each.a, each.b) != (pair.a, pair.b)]
    alike = [each for each in others if different_before_correction(each, result.alpha)]
    found = without_decision(result, pair)
    if any(each.different for each in others):
        rest = f"No other lead of {clean(pair.a)} is shown, either. {told_apart(pairs)}"
    elif same_score(pair) and not alike:
        rest = "No difference can be told from chance."
    else:
        names = listed([f"{clean(each.a)} - {clean(each.b)}" for each in alike], 3)
        nearly = different_before_correction(pair, result.alpha)
        same = "The same goes for" if nearly else "Not decisive, either:"
        rest = f"{same} {names}. " if alike else ""
        rest += "No other difference can be told from chance." if len(alike) < len(others) else ""
    return _closed(f"{found}. {rest.strip()}", result, pair)


def _order(result: Comparison, metric: str, names: list[str]) -> list[str]:
    return [clean(each.name) for each in ranking(result, metric) if each.name in names]


def _against_baseline(
    result: Comparison, baseline: str, metric: str, pairs: list[PairResult]
) -> str:
    """Return the finding about a baseline: the systems that are better, worse, or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "not told from it": []}
    for each in pairs:
        ahead = "worse" if each.favours == baseline else "better"
        found[ahead if each.different else "not told from it"].append(each.other(baseline))
    ordered = {how: _order(result, metric, names) for how, names in found.items() if names}
    parts = "; ".join(f"{how}: {', '.join(names)}" for how, names in ordered.items())
    pair = headline(result, metric)
    differ = sum(each.different for each in pairs)
    lead = with_decision(result, pair) if pair.different else without_decision(result, pair)
    finding = (
        f"{differ} of {len(pairs)} systems can be told from {clean(baseline)}. "
        f"{parts[0].upper()}{parts[1:]}. {lead}."
    )
    undecided = [each for each in pairs if not each.different]
    return _closed(finding, result, smallest_p_pair(undecided)) if undecided else finding
