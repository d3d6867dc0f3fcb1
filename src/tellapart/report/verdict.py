"""The verdict in words: a question, a short answer, and the sentence that goes with it."""

from __future__ import annotations

import re
from typing import Final

from tellapart.comparison import answers
from tellapart.comparison.answers import SHOWN, answer, within_margin
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import (
    favours_worse_scorer,
    headline,
    in_question,
    pairs_of,
    ranking,
    smallest_p_pair,
    told_apart,
)
from tellapart.comparison.record import Comparison
from tellapart.report.sentences import (
    detectable_words,
    margin_sentence,
    pair_sentence,
    told_apart_words,
    with_decision,
    with_p,
    without_decision,
)
from tellapart.words import clean, listed

_NAMED: Final = 20
"""Systems in a sentence; a board has them all"""


def question(result: Comparison, metric: str) -> str:
    """Return the question that the comparison answers, with its answer, in one line."""
    found = answer(result, metric)
    return f"{clean(found.question)}  {clean(found.text)}."


def disagreement(result: Comparison) -> str:
    """Return that metrics speak for different systems, in a sentence; nothing if they do not."""
    return clean(answers.disagreement(result))


def verdict(result: Comparison, metric: str | None = None, *, below_answer: bool = False) -> str:
    """Return the verdict by one metric (the first if none is named).

    Below an answer with an if it says "If so"; elsewhere it says the condition itself.
    """
    metric = metric or next(iter(result.metrics))
    pairs = pairs_of(result, metric)
    if len(pairs) > 1:
        found = _many_pairs(result, metric, pairs)
    elif result.margin_of(metric) is not None:
        found = margin_sentence(result, in_question(result, pairs[0]))
    else:
        found = pair_sentence(result, pairs[0])
    by = [f"by {metric}"] if len(result.metrics) > 1 else []
    condition = answer(result, metric).condition or ""
    if re.search(r"\bif ", condition):
        by.insert(0, "if so" if below_answer else clean(condition))
    start = ", ".join(by)
    return f"{start[0].upper()}{start[1:]}, {found}" if start else found


def _margin_words(result: Comparison, pairs: list[PairResult]) -> str:
    """Return what keeps a margin, for a comparison of many pairs."""
    kept, margin = clean(listed(within_margin(result, pairs), SHOWN)), f"{result.margin:g}"
    if result.baseline is None:
        shown = f"Equivalent within {margin}: {kept}."
        return shown if kept else f"No two systems are shown to be equivalent within {margin}."
    shown = f"As good as {clean(result.baseline)}, within {margin}: {kept}."
    none = f"No system is shown to be as good as {clean(result.baseline)}, within {margin}."
    return shown if kept else none


def _many_pairs(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    if result.tail != "two":
        return _claims(result, pairs)
    if result.baseline is not None:
        found = _against_baseline(result, result.baseline, metric, pairs)
    else:
        found = _about_best(result, metric, pairs)
    margin = result.margin_of(metric)
    return found if margin is None else f"{found} {_margin_words(result, pairs)}"


def _claims(result: Comparison, pairs: list[PairResult]) -> str:
    """Return the claims of one-sided tests: those that are shown, and those that are not."""
    claims = [(p.different, f"{clean(p.claim or '')} ({with_p(result, p)})") for p in pairs]
    shown = [claim for different, claim in claims if different]
    open_ones = [claim for different, claim in claims if not different]
    found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
    found += f": {listed(shown, SHOWN)}." if shown else "."
    if not open_ones:
        return found
    found += f" Not shown: {listed(open_ones, SHOWN)}."
    return _closed(found, result, smallest_p_pair([pair for pair in pairs if not pair.different]))


def _about_best(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    """Return the finding about the best system and those that it cannot be told from."""
    pair = headline(result, metric)
    best = pair.a
    mine = [each for each in pairs if best in (each.a, each.b)]
    against = [each.other(best) for each in mine if favours_worse_scorer(result, each)]
    if against:
        others = listed(_order(result, metric, against), SHOWN)
        found = f"{clean(best)} has the best score, but is not better than {others}"
        return f"{found}: {with_decision(result, pair, 'it')}. {told_apart_words(result, metric)}"
    undecided = [each.other(best) for each in mine if not each.different]
    if not undecided:
        lead = with_decision(result, pair, "It", rival=f"the next, {clean(pair.b)}")
        found = f"{clean(best)} is better than every other system. {lead}"
        return f"{found}. {told_apart_words(result, metric)}"
    if len(undecided) == len(mine):
        return _no_lead(result, metric, pair)
    names = _order(result, metric, undecided)
    found = (
        f"{clean(best)} has the best score, but cannot be told from {listed(names, SHOWN)}: "
        f"{without_decision(result, pair, 'it')}. {told_apart_words(result, metric)}"
    )
    return _closed(found, result, pair)


def _closed(found: str, result: Comparison, pair: PairResult) -> str:
    """Return a finding that leaves something open, with what could have been shown."""
    return f"{found} {detectable_words(result, pair)}".rstrip()


def _no_lead(result: Comparison, metric: str, pair: PairResult) -> str:
    """Return the finding about a best system that cannot be told from any other."""
    found = without_decision(result, pair)
    if told_apart(result, metric)[0]:
        rest = (
            f"No other lead of {clean(pair.a)} is shown, either. {told_apart_words(result, metric)}"
        )
    else:
        rest = "No two systems can be told apart."
    return _closed(f"{found}. {rest}", result, pair)


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
    parts = "; ".join(f"{how}: {listed(names, _NAMED)}" for how, names in ordered.items())
    pair = headline(result, metric)
    differ = sum(each.different for each in pairs)
    lead = with_decision(result, pair) if pair.different else without_decision(result, pair)
    finding = (
        f"{differ} of {len(pairs)} systems can be told from {clean(baseline)}. "
        f"{parts[0].upper()}{parts[1:]}. {lead}."
    )
    undecided = [each for each in pairs if not each.different]
    return _closed(finding, result, smallest_p_pair(undecided)) if undecided else finding
