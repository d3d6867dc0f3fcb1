"""The sentences of a verdict, made from codes, names and numbers.

First the words for parts of a comparison, which all reports use; then question and answer, the
verdict, what could have been found, and where metrics disagree. Sentences on tasks, costs,
preferences and judges are in `findings`, those of notices in `notices`; no other module makes any.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tellapart.comparison.answers import (
    as_reported,
    bar_conditions,
    beyond_margin,
    favours_worse_scorer,
    headline,
    in_question,
    keeps_margin,
    pairs_of_best,
    ranking,
    reported_pairs,
    shown_alone,
    waited_for,
)
from tellapart.comparison.record import Answer, Comparison, Items, Pair, Slice, System
from tellapart.report.text import (
    SAME,
    between,
    capital,
    has_ends,
    p_text,
    pair_adjusted,
    pair_p,
    percent,
    plain,
    range_words,
    size,
    two_digits,
)
from tellapart.words import clean, listed, plural, several

_SETTLING: Final = 100  # times the items there are: more are no advice
NAMED: Final = 4
"""Names of systems in a sentence"""
_LISTED: Final = 20
"""Systems that are listed against a baseline; the table has them all"""
_INTERVALS: Final = {
    "bca": "by BCa bootstrap",
    "percentile (BCa not possible)": "by percentile bootstrap",
    "tango": "by Tango's score method",
    "newcombe": "by Newcombe's method",
    "wilson": "by Wilson's method",
    "exact score": "by the exact unconditional score test",
    "score": "by Tango's score test",
    "bounded score": "by the score test of a bounded mean",
    "inverted test": "by inverting the randomization test",
    "unseen": "with room for {items} unlike those seen",
    "t": "by t over {items}",
    "runs": "by t over {items} and runs",
}
"""The methods of intervals in words"""

# The words for parts of a comparison


def exchanged_words(record: Comparison, metric: str) -> str:
    """Return how much is exchanged, as in `24 passages`."""
    return count_words(record.metrics[metric].items.exchanged)


def count_words(items: Items) -> str:
    """Return how many items there are, of each system where they are different ones.

    >>> count_words(Items(16, "document", apart=(8, 8)))
    '8 and 8 documents'
    """
    if items.apart is None:
        return several(items.count, items.kind)
    return f"{' and '.join(f'{n:,}' for n in items.apart)} {plural(items.kind)}"


def items_words(record: Comparison, metric: str) -> str:
    """Return on how much the systems were compared, as in `72 items in 24 passages`."""
    items = record.metrics[metric].items
    words = count_words(items)
    return words if items.clusters is None else f"{words} in {exchanged_words(record, metric)}"


def better_direction(record: Comparison, metric: str) -> str:
    """Return which scores are better, as in `higher is better`."""
    return f"{'higher' if record.metrics[metric].higher_is_better else 'lower'} is better"


def is_corrected(record: Comparison) -> bool:
    """Return whether p-values are corrected for the number of pairs."""
    return record.correction != "none" and record.family_size > 1


def p_name(record: Comparison) -> str:
    """Return what the p-value that decides is called."""
    return "adjusted p" if is_corrected(record) else "p"


def different_words(record: Comparison) -> str:
    """Return when a pair is told apart: p at the level, and sure enough if that was asked for."""
    sure = "" if record.min_confidence is None else f", confidence {record.min_confidence:g}"
    return f"{p_name(record)} at most {record.alpha:g}{sure}"


def pairs_words(record: Comparison) -> str:
    """Return what a correction counts, as in `3 pairs`."""
    return several(record.family_size, "pair")


def all_words(count: int, noun: str) -> str:
    """Return that it is about all of some.

    >>> all_words(2, "pair"), all_words(3, "pair")
    ('both pairs', 'all 3 pairs')
    """
    return f"both {plural(noun)}" if count == 2 else f"all {several(count, noun)}"


def with_p(record: Comparison, pair: Pair) -> str:
    """Return the p that decides, with its name; where it is an upper bound, that is said."""
    return equals(p_name(record), pair_adjusted(pair, record.alpha))


def equals(name: str, text: str) -> str:
    """Return a number with its name.

    >>> equals("p", ".0284"), equals("p", "≤.0284")
    ('p = .0284', 'p at most .0284')
    """
    return f"{name} at most {text[1:]}" if text.startswith("≤") else f"{name} = {text}"


def claim_word(record: Comparison) -> str:
    """Return what a one-sided test claims of the first system: `better` or `worse`."""
    return "better" if record.tail == "greater" else "worse"


def claim_words(record: Comparison, pair: Pair) -> str:
    """Return the claim of a one-sided test of a pair, given as reports show it."""
    return f"{pair.a} is {claim_word(record)} than {pair.b}"


def interval_scope(record: Comparison, pair: Pair) -> str:
    """Return what the interval of a pair holds for; nothing where there is but one pair."""
    if pair.a_no_worse is not None:
        return "from the margin's test"
    if record.family_size == 1:
        return ""
    every = f"for {all_words(record.family_size, 'pair')} at once"
    return every if pair.simultaneous else "for this pair alone"


def interval_name(record: Comparison, method: str) -> str:
    """Return the method of an interval in words, as in `by BCa bootstrap`."""
    words = _INTERVALS.get(method, f"by {method}")
    return words.format(items=plural(record.items.exchanged.kind))


def interval_disagrees(pair: Pair | Slice) -> bool:
    """Return whether an interval holds 0 though a difference is shown, or the reverse.

    It is by another method than p, or for all pairs at once, which takes more than tests by steps.
    One that ends at 0 says the same as either.
    """
    of_margin = isinstance(pair, Pair) and pair.a_no_worse is not None
    low, high = pair.interval or (None, None)
    if pair.p is None or of_margin or not has_ends(pair.interval):
        return False
    least = min(math.inf if low is None else -low, math.inf if high is None else high)
    return least > 0 if pair.different else least < 0


def interval_words(record: Comparison, pair: Pair) -> str:
    """Return the confidence interval with its level, or nothing where there is none."""
    ends = range_words(pair.interval, record.metrics[pair.metric].decimals)
    if not ends or pair.interval_level is None:
        return ""
    words = [f"{percent(pair.interval_level)} confidence interval {ends}"]
    words.append(interval_scope(record, pair))
    if interval_disagrees(pair):
        by = interval_name(record, pair.interval_method or "")
        words.append(f"{by}; p, found otherwise, decides")
    return ", ".join(filter(None, words))


def ranks_words(record: Comparison) -> str:
    """Return what ranks say, and whether they say it of all systems at once."""
    words = "rank: the places that a system may truly hold,"
    if record.correction in ("none", "bh"):
        return f"{words} pair by pair; that is not sure for all systems at once"
    return f"{words} for all systems at once ({percent(1 - record.alpha)})"


_SOURCES: Final = {
    "runs": "runs",
    "conditions": "conditions",
    "residual": "chance in single answers",
    "repeats": "chance in repeats of the same answers",
}


def source_words(name: str, kind: str) -> str:
    """Return where uncertainty comes from, by the code of a source and the kind of items."""
    return _SOURCES.get(name, plural(kind))


def share_words(shares: Mapping[str, tuple[float, float]], kind: str) -> list[str]:
    """Return how much of the uncertainty comes from each source: the ends of several pairs.

    >>> share_words({"items": (0.191, 0.194), "runs": (0.1, 0.25)}, "query")
    ['19 % from queries', '10 to 25 % from runs']
    """
    said = []
    for name, (low, high) in shares.items():
        first, last = f"{100 * low:.0f}", f"{100 * high:.0f}"
        share = last if first == last else f"{first} to {last}"
        said.append(f"{share} % from {source_words(name, kind)}")
    return said


def same_score(pair: Pair) -> bool:
    """Return whether two scores are the same, but for rounding."""
    return abs(pair.difference) < SAME


def apart_words(record: Comparison, metric: str) -> str:
    """Return how many pairs are told apart, which adjusted p-values say."""
    pairs = record.pairs_of(metric)
    apart = sum(pair.different for pair in pairs)
    corrected = ", corrected for all of them" if is_corrected(record) else ""
    return f"{apart:,} of {several(len(pairs), 'pair')} can be told apart{corrected}."


# Question and answer

_QUESTIONS: Final = {
    ("score", 1): "How good is {0}",
    ("at-least", 1): "Is {0} {bar}",
    ("best", 1): "Is {0} really better",
    ("baseline", 1): "Is any system better than {0}",
    ("baseline", 2): "Is {1} better than {0}",
    ("claim", 0): "Is any of the claims true",
    ("claim", 1): "Is any system {claim} than {0}",
    ("claim", 2): "Is {0} {claim} than {1}",
    ("margin", 1): "Is any system as good as {0}, within {margin:g}",
    ("margin", 2): "Is {0} as good as {1}",
    ("equivalent", 0): "Are any two systems equivalent within {margin:g}",
}
"""By the code of a question and how many systems it names"""


def question(record: Comparison, metric: str) -> str:
    """Return the question that the comparison answers by a metric."""
    standard = "" if record.judged is None else ", by people's standard"
    by = f" by {metric}" if len(record.metrics) > 1 else ""
    answer, margin = record.answers[metric], record.margin_of(metric)
    bar = "" if record.bar_of(metric) is None else bar_words(record, metric)
    template = _QUESTIONS[answer.question, len(answer.about)]
    asked = template.format(*answer.about, bar=bar, claim=claim_word(record), margin=margin)
    return clean(f"{asked}{by}{standard}?")


def answer_text(record: Comparison, metric: str) -> str:
    """Return the answer by a metric: Yes, No or Cannot tell, and what goes with it."""
    answer = record.answers[metric]
    if answer.question == "score":
        return clean(score_words(record, record.systems[0], metric))
    supposed = condition_words(record, answer.conditions)
    return clean(", ".join([f"{answer.answer}{_detail(record, metric, answer)}", *supposed]))


def _detail(record: Comparison, metric: str, answer: Answer) -> str:
    """Return what is shown, and of how many; for one pair, the margin."""
    if answer.question in ("margin", "equivalent") and answer.tried == 1:
        how = {"Yes": ", within", "No": ", not within"}.get(answer.answer, " whether within")
        return f"{how} {record.margin_of(metric):g}"
    if not answer.shown or answer.tried == 1:
        return ""
    if answer.question == "claim" and not answer.about:
        return f": {len(answer.shown)} of {answer.tried}"
    what = " pairs" if answer.question == "equivalent" else ""
    return f": {listed(answer.shown, NAMED)} ({len(answer.shown)} of {answer.tried}{what})"


def condition_words(record: Comparison, codes: Iterable[str]) -> list[str]:
    """Return what an answer supposes, in words."""
    words = {
        "independent-items": f"if {_taken_for_independent(record)} are independent",
        "same-scale": "if all scores are on one scale",
        "place": "if the place does not matter to the judge",
        "these-runs": "for these runs only",
        "no-correction": f"without a correction for {pairs_words(record)}",
        "more-shuffles": "if more shuffles confirm it",
        "few-for-bootstrap": f"if {exchanged_words(record, next(iter(record.metrics)))} are enough "
        "for a bootstrap",
        "rare-labels": "if the labels missed no rare failures",
        "no-lowest": f"if no {record.items.kind} can score below what was seen",
        "whatever-missing": f"whatever the {_missing(record)} scored",
        "unless-missing": f"unless the {_missing(record)} would change that",
    }
    return [words[code] for code in codes if code in words]


def _missing(record: Comparison) -> str:
    """Return how many items not every system has."""
    codes = ("missing-bounds", "no-bounds")
    numbers = (n.numbers["missing"] for n in record.notices if n.code in codes)
    return several(next(numbers, 0), f"missing {record.items.kind}")


def _taken_for_independent(record: Comparison) -> str:
    """Return the items that seem to hang together, but were taken for independent."""
    alike = []
    for notice in record.notices:
        if notice.code == "duplicates" and notice.about:
            alike.append(f"with the same {notice.about[0]}")
        elif notice.code == "maybe-clustered" and len(notice.about) == 1:
            alike.append(f"of the same {notice.about[0]}")
        elif notice.code == "maybe-clustered" and notice.about:
            alike.append(f"with ids like {' and '.join(notice.about)}")
    return f"{plural(record.items.kind)} {' or '.join(alike)}".rstrip()


# The verdict

ALIKE: Final = ("duplicates", "maybe-clustered")
"""The notices that items seem to hang together"""


def verdict(record: Comparison, metric: str) -> str:
    """Return what was found by the question's metric, below the answer; of a condition, "If so"."""
    pairs, answer, found = reported_pairs(record, metric), record.answers[metric], ""
    if not pairs:
        if answer.at_least:  # else the answer is the score
            found = f"{bar_shown(record, record.systems[0], metric)}."
    elif len(pairs) > 1:
        found = _many_pairs(record, metric, pairs)
    elif record.margin_of(metric) is not None:
        found = _margin_sentence(record, in_question(record, pairs[0]))
    else:
        found = _pair_sentence(record, pairs[0])
    supposed = condition_words(record, answer.conditions)
    start = ["if so"] if any(each.startswith("if ") for each in supposed) else []
    if record.baseline is not None and record.tail == "two" and len(pairs) > 1:
        start.append(f"against {record.baseline}")
    found = capital(", ".join([*start, found])) if start else found
    return clean(f"{found} {bar_sentence(record, metric)}".strip())


def advice(record: Comparison, metric: str) -> str:
    """Return what to do about an answer: make sure of its condition, or settle what is open."""
    if "independent-items" in record.answers[metric].conditions:
        labels = [n.about[0] for n in record.notices if n.code in ALIKE and len(n.about) == 1]
        return f"To make sure, add --cluster {shlex.quote(labels[0])}." if labels else ""
    return clean(settling_words(record, metric))


def score_words(record: Comparison, system: System, metric: str) -> str:
    """Return the score of one system with its interval, in a sentence without a full stop."""
    decimals = record.metrics[metric].decimals
    words = between(system.intervals.get(metric), decimals, plain)
    details = [items_words(record, metric)]
    if words and record.confidence_level is not None:
        details.insert(0, f"{percent(record.confidence_level)} confidence interval {words}")
    by = f" by {metric}" if len(record.metrics) > 1 else ""
    score = plain(system.scores[metric], decimals)
    return f"{system.name} scores {score}{by} ({', '.join(details)})"


def bar_words(record: Comparison, metric: str, outcome: str = "Yes") -> str:
    """Return on which side of the bar a score is shown, or asked, to be, as in `at least 0.8`."""
    sides = {True: ("at least", "below"), False: ("at most", "above")}
    reached, missed = sides[record.metrics[metric].higher_is_better]
    return f"{missed if outcome == 'No' else reached} {record.bar_of(metric):g}"


def bar_shown(record: Comparison, system: System, metric: str) -> str:
    """Return the score of a system and what it shows of the bar, without a full stop."""
    outcome = record.answers[metric].at_least[system.name]
    shown = "does not show whether" if outcome == "Cannot tell" else "shows that"
    score = score_words(record, system, metric)
    return f"{score}, which {shown} it is {bar_words(record, metric, outcome)}"


def bar_sentence(record: Comparison, metric: str) -> str:
    """Return which of several systems reach the bar, each by itself; nothing without a bar."""
    reached = record.answers[metric].at_least
    if not record.pairs or not reached:
        return ""
    by_words: dict[str, list[str]] = {}
    for name in (system.name for system in ranking(record, metric)):
        shown = f"shown to be {bar_words(record, metric, reached[name])}"
        by_words.setdefault("cannot tell" if reached[name] == "Cannot tell" else shown, []).append(
            name
        )
    parts = [f"{words}: {listed(names, NAMED)}" for words, names in by_words.items()]
    codes = bar_conditions(record, metric) if by_words.keys() - {"cannot tell"} else ()
    before = ", ".join(["Each score by itself", *condition_words(record, codes)])
    return f"{before}: {'; '.join(parts)}."


def settling_words(record: Comparison, metric: str) -> str:
    """Return about how many more items it takes to settle what cannot be told, if not very many.

    With so many the hardest pair is told four times out of five. To tell the best of several
    systems from all others at once can take more, so that it speaks of that pair.
    """
    answer, items = record.answers[metric], record.metrics[metric].items.exchanged
    more, pair = answer.more_items, waited_for(record, metric, answer)
    if more is None or pair is None or more > _SETTLING * items.count:
        return ""
    about = several(int(float(f"{more:.2g}")), f"more {items.kind}")
    pair, settled = as_reported(record, pair), "settle it"
    true = f"the true difference is {size(pair.difference, record.metrics[metric].decimals)}"
    if len(record.pairs_of(metric)) > 1:
        settled = f"tell {pair.a} and {pair.b} apart"
        if answer.question == "best":  # which needs no correction
            settled = f"show that {pair.a} is ahead of {pair.b}"
    if answer.question == "margin":
        new = in_question(record, pair)
        if not pair.different and (new.a == pair.b or same_score(pair)):
            true = f"{new.a} truly loses nothing"
        if len(record.pairs_of(metric)) > 1:
            settled = f"show that {new.a} is as good"
    return f"About {about} would {settled} four times out of five, if {true}."


def _pair_sentence(record: Comparison, pair: Pair) -> str:
    """Return what was found about a pair that is the only one, its better system first."""
    if pair.differing == 0:
        kind = record.metrics[pair.metric].items.exchanged.kind
        return f"{pair.a} and {pair.b} have the same score on every {kind}; nothing differs."
    if record.tail != "two":
        shown = f"is {'' if pair.different else 'not '}shown ({with_p(record, pair)})"
        claim = f"the claim that {claim_words(record, pair)} {shown}"
        return _closed(f"{_scores(record, pair)}; {claim}.", record, pair)
    if not pair.different:
        return _closed(f"{_undecided(record, pair)}.", record, pair)
    if _speaks_for_other(record, pair):
        return f"{_decided(record, pair)}."
    return (
        f"{pair.a} is better than {pair.b}: {_scores(record, pair, 'it', rival='')}, and chance "
        f"does not explain that ({with_p(record, pair)})."
    )


def _margin_sentence(record: Comparison, seen: Pair) -> str:
    """Return what was found about a pair and a margin, seen from the system in question."""
    how = "is shown" if beyond_margin(record, seen) else "is not ruled out"
    how = "is ruled out" if seen.a_no_worse else how
    p = ""
    if seen.a_no_worse is not None and how != "is shown":
        p = f" ({p_name(record)} = {p_text(seen.p_a_adjusted, record.alpha)})"
    margin = f"{record.margin_of(seen.metric):g}"
    found = f"{_scores(record, seen, rival='')}; a loss of more than {margin} {how}{p}."
    if otherwise := _speaks_for_other(record, seen):
        return f"{found} {capital(otherwise)} ({with_p(record, seen)})."
    if keeps_margin(record, seen) and not seen.a_no_worse:
        better = f"it is shown to be better ({with_p(record, seen)})"
        return f"{_scores(record, seen, rival='')}; {better}, which rules out a loss."
    if seen.different:
        gain = "gain" if seen.favours == seen.a else "loss"
        found += f" Chance does not explain the {gain} ({with_p(record, seen)})."
    return found


def _many_pairs(record: Comparison, metric: str, pairs: Sequence[Pair]) -> str:
    if record.tail != "two":
        return _claims(record, pairs)
    if record.baseline is None:
        found, alike = _about_best(record, metric, pairs), "Equivalent"
    else:
        found = _against_baseline(record, record.baseline, pairs)
        alike = f"As good as {record.baseline},"
    margin = record.margin_of(metric)
    if margin is None:
        return found
    kept = listed(record.answers[metric].shown, NAMED) or "none is shown to be"
    return f"{found} {alike} within {margin:g}: {kept}."


def _claims(record: Comparison, pairs: Sequence[Pair]) -> str:
    """Return how many claims of one-sided tests are shown, and which."""
    shown = [f"{claim_words(record, p)} ({with_p(record, p)})" for p in pairs if p.different]
    found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
    found += f": {listed(shown, NAMED)}." if shown else "."
    return _closed(found, record, headline(record, pairs[0].metric))


def _about_best(record: Comparison, metric: str, pairs: Sequence[Pair]) -> str:
    """Return the finding about the best system and those that it cannot be told from."""
    (best, mine), pair = pairs_of_best(record, metric), headline(record, metric)
    against = [each.other(best) for each in mine if favours_worse_scorer(each)]
    if against:
        found = f"{best} has the best score, but is not better than {listed(against, NAMED)}"
        return f"{found}: {_decided(record, pair, 'it')}."
    undecided = [each.other(best) for each in mine if not each.different]
    if all(shown_alone(record, each, best) for each in mine):
        found = f"{best} is better than every other system. {_least_lead(record, pair)}."
        if undecided:  # what needs all its comparisons has none of them corrected
            found += (
                " Being the best is one claim and needs no correction; the letters and ranks "
                f"are corrected for {pairs_words(record)}, and do not tell "
                f"{listed(undecided, NAMED)} from {best}."
            )
        return found
    alone = pair.favours in (best, None)
    if not any(each.different for each in pairs):
        none = "Overall, no" if record.suite else "No"
        found = _undecided(record, pair, alone=alone)
        return f"{found}. {none} two systems can be told apart."
    shares = listed([each.other(best) for each in mine if same_score(each)], NAMED)
    first = f"shares the best score with {shares}" if shares else "has the best score"
    found = f"{best} {first}, but cannot be told from {listed(undecided, NAMED)}"
    return f"{found}: {_undecided(record, pair, 'it', alone=alone)}."


def is_one_claim(record: Comparison, metric: str) -> bool:
    """Return whether the best system is shown to be it, though not by the corrected pairs alone."""
    answer = record.answers[metric]
    if (answer.question, answer.answer) != ("best", "Yes"):
        return False
    return not all(pair.different for pair in pairs_of_best(record, metric)[1])


def _least_lead(record: Comparison, pair: Pair) -> str:
    """Return the lead of the best system on the one that is hardest to tell from it."""
    second = ranking(record, pair.metric)[1].name
    rival = f"the next, {pair.b}" if pair.b == second else f"{pair.b}, the hardest to tell from it"
    p = f"{_alone_p(record, pair)}, the largest of its {len(record.systems) - 1}, uncorrected"
    return _scores(record, pair, "It", rival=rival, p=p, interval=pair.different)


def _alone_p(record: Comparison, pair: Pair) -> str:
    return equals("p", pair_p(pair, record.alpha))


def _against_baseline(record: Comparison, baseline: str, pairs: Sequence[Pair]) -> str:
    """Return the finding about a baseline: the systems that are better, worse, or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "not told from it": []}
    for pair in pairs:
        ahead = "worse" if pair.favours == baseline else "better"
        found[ahead if pair.different else "not told from it"].append(pair.other(baseline))
    parts = "; ".join(f"{how}: {listed(names, _LISTED)}" for how, names in found.items() if names)
    first = headline(record, pairs[0].metric)
    lead = _decided(record, first) if first.different else _undecided(record, first)
    return _closed(f"{parts}. {lead}.", record, first)


def _closed(found: str, record: Comparison, pair: Pair) -> str:
    """Return a finding that leaves something open, with what could have been found."""
    return found if pair.different else f"{found} {detectable_words(record, pair)}".rstrip()


def _scores(
    record: Comparison,
    pair: Pair,
    subject: str | None = None,
    *,
    rival: str | None = None,
    p: str = "",
    interval: bool = True,
) -> str:
    """Return how far the first system of a pair is ahead or behind, with the interval.

    `subject` and `rival` replace the names; an empty rival is left out.
    """
    a, b = subject or pair.a, pair.b if rival is None else rival
    details = [interval_words(record, pair) if interval else "", p]
    if same_score(pair):
        found = f"{a} has the same score as {b or pair.b}"
        if pair.differing:
            found += f", though not on every {record.metrics[pair.metric].items.exchanged.kind}"
    else:
        if not record.metrics[pair.metric].higher_is_better:
            details.insert(0, "lower is better")
        than = f" than {b}" if b else ""
        found = f"{a} scores {size(pair.difference, record.metrics[pair.metric].decimals)} "
        found += f"{'higher' if pair.difference > 0 else 'lower'}{than}"
    said = "; ".join(filter(None, details))
    return f"{found} ({said})" if said else found


def _decided(record: Comparison, pair: Pair, subject: str | None = None) -> str:
    """Return what was measured where the systems are told apart, together with its p."""
    found = _scores(record, pair, subject, p=with_p(record, pair))
    otherwise = _speaks_for_other(record, pair)
    return f"{found}, but {otherwise}" if otherwise else found


def _undecided(
    record: Comparison, pair: Pair, subject: str | None = None, *, alone: bool = False
) -> str:
    """Return what was measured where the systems are not told apart, and why they are not.

    A pair that counts `alone` is not corrected for others.
    """
    found = _scores(record, pair, subject)
    if pair.p is None or pair.p_adjusted is None:
        return f"{found}; the test is undefined"
    p = _alone_p(record, pair) if alone else with_p(record, pair)
    if same_score(pair):
        return _scores(record, pair, subject, p=p)
    if (pair.p if alone else pair.p_adjusted) <= record.alpha:
        sure = "-" if pair.confidence is None else f"{pair.confidence:.3f}"
        return f"{found}, but that is not sure enough (confidence {sure}; {p})"
    if pair.p <= record.alpha:
        return f"{found}, but of {pairs_words(record)} one may do so by chance ({p})"
    return f"{found}; that cannot be told from chance ({p})"


def _speaks_for_other(record: Comparison, pair: Pair) -> str:
    """Return a remark where the test does not speak for the system with the better score."""
    if pair.favours is None or not pair.different:
        return ""
    if not (favours_worse_scorer(as_reported(record, pair)) or same_score(pair)):
        return ""
    lead = pair.items_a_better - pair.items_b_better
    often = lead > 0 if pair.favours == pair.a else lead < 0
    why = ", which is ahead more often" if often else ""
    return f"the {record.test} test speaks for {pair.favours}{why}"


def detectable_words(record: Comparison, pair: Pair) -> str:
    """Return which difference this test set could show; nothing where that is not known.

    The correction for many tests counts: what it takes is more than a pair alone would need. With a
    margin nothing is told, since the power is that of the test of a difference.
    """
    if record.margin_of(pair.metric) is not None:
        return ""
    figures, info = pair.diagnostics, record.metrics[pair.metric]
    items = exchanged_words(record, pair.metric)
    many = f" and the correction for {pairs_words(record)}" if is_corrected(record) else ""
    if figures.detectable is None:
        words = {
            "unreachable": f"With {items}{many}, no difference could be shown at {record.alpha:g}.",
            "few-differing": f"They differ on {pair.differing:,} of {items}: too few to count on "
            "finding a difference.",
        }
        return words.get(figures.detectable_missing or "", "")
    found = f"a true difference of {two_digits(figures.detectable)} would be"
    if info.kind == "ratio" and figures.detectable >= 1:
        found = "not even the largest difference is"
    return f"With {items}{many}, {found} found four times out of five."


# Where metrics disagree, and how many pairs differ in two of them


def two_metrics_sentence(record: Comparison) -> str:
    """Return how many pairs differ in both of two metrics, one or neither; "" for a single pair."""
    found = record.two_metrics
    if found is None:
        return ""
    pairs = found.both + found.first_only + found.second_only + found.neither
    if pairs < 2:
        return ""
    ahead = f" ({found.same_ahead} with the same system ahead)" if found.both else ""
    differ = "differs" if found.both == 1 else "differ"
    return clean(
        f"Of {pairs:,} pairs, {found.both} {differ} in both {found.first} and {found.second}"
        f"{ahead}, {found.first_only} in {found.first} alone, {found.second_only} in "
        f"{found.second} alone, {found.neither} in neither."
    )


def disagreement(record: Comparison) -> str:
    """Return that metrics show opposite leads of the pair that the first answer is about.

    Costs are no opinion: what is better may well be dearer.
    """
    if not record.pairs:
        return ""
    about = headline(record, next(iter(record.metrics)))
    ahead: dict[str, list[str]] = {}
    for pair in record.pairs:
        opinion = pair.different and not record.metrics[pair.metric].cost
        if opinion and pair.favours is not None and {pair.a, pair.b} == {about.a, about.b}:
            ahead.setdefault(pair.favours, []).append(pair.metric)
    if len(ahead) < 2:
        return ""
    (a, for_a), (b, for_b) = ahead.items()
    opposite = f"by {and_list(for_b)} {b} is better than {a}"
    return clean(f"By {and_list(for_a)} {a} is better than {b}, but {opposite}.")


def and_list(names: Sequence[str]) -> str:
    """Return names in a sentence.

    >>> and_list(["f1"]), and_list(["a", "b", "c"])
    ('f1', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
