"""All sentences of reports, made from codes, names and numbers: this is the one place for words.

First the words for parts of a comparison; then question and answer, the verdict, what could have
been found, where metrics disagree; tasks, costs and preferences; and a sentence for each notice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from tellapart.comparison2.ranking import (
    as_reported,
    favours_worse_scorer,
    headline,
    in_question,
    ranking,
)
from tellapart.comparison2.record import (
    Answer,
    Comparison,
    CostRatio,
    Effect,
    HeadToHead,
    Notice,
    Pair,
    Preferences,
    Saving,
    Slice,
)
from tellapart.report2.numbers import (
    SAME,
    p_text,
    pair_adjusted,
    pair_p,
    percent,
    range_words,
    signed,
    size,
    two_digits,
    whole_percent,
)
from tellapart.words import clean, listed, plural, several, typed

NAMED: Final = 4
"""Names of systems in a sentence"""
_LISTED: Final = 20
"""Systems that are listed against a baseline; the table has them all"""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

# The words for parts of a comparison


def exchanged_kind(record: Comparison) -> str:
    """Return the word for what is exchanged: the items, or their clusters."""
    return record.items.exchanged.kind


def exchanged_words(record: Comparison, metric: str) -> str:
    """Return how much is exchanged, as in `24 passages`."""
    exchanged = record.metrics[metric].items.exchanged
    return several(exchanged.count, exchanged.kind)


def items_words(record: Comparison, metric: str) -> str:
    """Return on how much the systems were compared, as in `72 items in 24 passages`."""
    items = record.metrics[metric].items
    words = several(items.count, items.kind)
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


def pairs_words(record: Comparison) -> str:
    """Return what a correction counts, as in `3 pairs`."""
    return several(record.family_size, "pair")


def with_p(record: Comparison, pair: Pair) -> str:
    """Return the p that decides, with its name; where it is an upper bound, that is said."""
    return _equals(p_name(record), pair_adjusted(pair, record.alpha))


def _p(record: Comparison, pair: Pair) -> str:
    return _equals("p", pair_adjusted(pair, record.alpha))


def _equals(name: str, text: str) -> str:
    """Return a number with its name.

    >>> _equals("p", ".0284"), _equals("p", "≤.0284")
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
    if pair.margin is not None or record.family_size == 1:
        return ""
    return f"for all {pairs_words(record)} at once" if pair.simultaneous else "for this pair alone"


def interval_words(record: Comparison, pair: Pair, decides: str = "which decides") -> list[str]:
    """Return the confidence interval with its level, or nothing where there is none.

    `decides` is what is said of the one that decides a margin.
    """
    if pair.interval in (None, (None, None)) or pair.interval_level is None:
        return []
    assert pair.interval is not None
    words = f"{percent(pair.interval_level)} confidence interval {range_words(pair.interval)}"
    scope = decides if pair.margin is not None else interval_scope(record, pair)
    return [f"{words}, {scope}" if scope else words]


def ranks_words(record: Comparison) -> str:
    """Return what ranks say, and whether they say it of all systems at once."""
    words = "rank: the places that a system may truly hold,"
    if record.correction in ("none", "bh"):
        return f"{words} pair by pair; that is not sure for all systems at once"
    return f"{words} for all systems at once ({percent(1 - record.alpha)})"


def same_score(pair: Pair) -> bool:
    """Return whether two scores are the same, but for rounding."""
    return abs(pair.difference) < SAME


def apart_words(record: Comparison, metric: str) -> str:
    """Return how many pairs are told apart."""
    pairs = record.pairs_of(metric)
    apart = sum(pair.different for pair in pairs)
    return f"{apart:,} of {several(len(pairs), 'pair')} can be told apart."


# Question and answer


def question(record: Comparison, metric: str) -> str:
    """Return the question that the comparison answers by a metric."""
    answer = record.answers[metric]
    return clean(f"{_asked(record, metric, answer)}{_by(record, metric)}?")


def _asked(record: Comparison, metric: str, answer: Answer) -> str:
    about, claim = answer.about, claim_word(record)
    if answer.question == "best":
        return f"Is {about[0]} really better"
    if answer.question == "baseline":
        return f"Is {about[1] if len(about) > 1 else 'any system'} better than {about[0]}"
    if answer.question == "claim":
        if not about:
            return "Is any of the claims true"
        one, other = about if len(about) > 1 else ("any system", about[0])
        return f"Is {one} {claim} than {other}"
    margin = f"{record.margin_of(metric):g}"
    if answer.question == "equivalent":
        return f"Are any two systems equivalent within {margin}"
    if len(about) > 1:
        return f"Is {about[0]} as good as {about[1]}"
    return f"Is any system as good as {about[0]}, within {margin}"


def _by(record: Comparison, metric: str) -> str:
    return f" by {metric}" if len(record.metrics) > 1 else ""


def answer_text(record: Comparison, metric: str) -> str:
    """Return the answer by a metric: Yes, No or Cannot tell, and what goes with it."""
    answer = record.answers[metric]
    parts = [f"{answer.answer}{_detail(record, metric, answer)}", *_conditions(record, answer)]
    return clean(", ".join(parts))


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


def _conditions(record: Comparison, answer: Answer) -> list[str]:
    """Return what an answer supposes, in words."""
    words = {
        "independent-items": f"if {_taken_for_independent(record)} are independent",
        "place": "if the place does not matter to the judge",
        "these-runs": "for these runs only",
        "no-correction": f"without a correction for {pairs_words(record)}",
        "more-shuffles": "if more shuffles confirm it",
        "few-for-bootstrap": f"if {exchanged_words(record, next(iter(record.metrics)))} are enough "
        "for a bootstrap",
    }
    return [words[code] for code in answer.conditions if code in words]


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


def verdict(record: Comparison, metric: str | None = None, *, below_answer: bool = False) -> str:
    """Return the verdict by one metric (the first if none is named).

    Below an answer with an if it says "If so"; elsewhere it says the condition itself.
    """
    metric = metric or next(iter(record.metrics))
    pairs = [as_reported(record, pair) for pair in record.pairs_of(metric)]
    if len(pairs) > 1:
        found = _many_pairs(record, metric, pairs)
    elif record.margin_of(metric) is not None:
        found = _margin_sentence(record, in_question(record, pairs[0]))
    else:
        found = _pair_sentence(record, pairs[0])
    start = [f"by {metric}"] if len(record.metrics) > 1 else []
    ifs = [each for each in _conditions(record, record.answers[metric]) if each.startswith("if ")]
    if ifs:
        start.insert(0, "if so" if below_answer else ", ".join(ifs))
    before = ", ".join(start)
    return clean(f"{before[0].upper()}{before[1:]}, {found}" if before else found)


def _pair_sentence(record: Comparison, pair: Pair) -> str:
    """Return what was found about a pair that is the only one, its better system first."""
    if pair.differing == 0:
        kind = record.metrics[pair.metric].items.kind
        return f"{pair.a} and {pair.b} have the same score on every {kind}; nothing differs."
    if record.tail != "two":
        shown = "is shown" if pair.different else "is not shown"
        claim = f"the claim that {claim_words(record, pair)} {shown} ({_p(record, pair)})"
        return _closed(f"{_scores(record, pair)}; {claim}.", record, pair)
    if not pair.different:
        return _closed(f"{_undecided(record, pair)}.", record, pair)
    if otherwise := _speaks_for_other(record, pair):
        return f"{_scores(record, pair, p=True)}, but {otherwise}."
    return (
        f"{pair.a} is better than {pair.b}: {_scores(record, pair, 'it', rival='')}, and chance "
        f"does not explain that ({_p(record, pair)})."
    )


def _margin_sentence(record: Comparison, seen: Pair) -> str:
    """Return what was found about a pair and a margin, seen from the system in question."""
    how = "is ruled out" if seen.a_no_worse else "is not ruled out"
    p = ""
    if seen.margin is not None:
        p = f" ({p_name(record)} = {p_text(seen.margin.p_a_adjusted, record.alpha)})"
    margin = f"{record.margin_of(seen.metric):g}"
    found = f"{_scores(record, seen, rival='')}; a loss of more than {margin} {how}{p}."
    info = record.metrics[seen.metric]
    # Where items have no answer or another size, more of them may get worse and the score better.
    if "mean" in info.kind and (seen.items_a_better or seen.items_b_better):
        worse = several(seen.items_b_better, info.items.kind)
        found += f" {worse} got worse, {seen.items_a_better:,} got better."
    if otherwise := _speaks_for_other(record, seen):
        return f"{found} {otherwise[0].upper()}{otherwise[1:]} ({_p(record, seen)})."
    if seen.different:
        gain = "gain" if seen.favours == seen.a else "loss"
        found += f" Chance does not explain the {gain} ({_p(record, seen)})."
    return found


def _many_pairs(record: Comparison, metric: str, pairs: Sequence[Pair]) -> str:
    if record.tail != "two":
        return _claims(record, pairs)
    if record.baseline is not None:
        found = _against_baseline(record, record.baseline, metric, pairs)
    else:
        found = _about_best(record, metric, pairs)
    margin = record.margin_of(metric)
    return found if margin is None else f"{found} {_kept_margin(record, metric, margin)}"


def _kept_margin(record: Comparison, metric: str, margin: float) -> str:
    """Return what keeps a margin, for a comparison of many pairs."""
    kept = listed(record.answers[metric].shown, NAMED)
    if record.baseline is None:
        none = f"No two systems are shown to be equivalent within {margin:g}."
        return f"Equivalent within {margin:g}: {kept}." if kept else none
    none = f"No system is shown to be as good as {record.baseline}, within {margin:g}."
    return f"As good as {record.baseline}, within {margin:g}: {kept}." if kept else none


def _claims(record: Comparison, pairs: Sequence[Pair]) -> str:
    """Return the claims of one-sided tests: those that are shown, and those that are not."""
    claims = [(p.different, f"{claim_words(record, p)} ({with_p(record, p)})") for p in pairs]
    shown = [claim for different, claim in claims if different]
    others = [claim for different, claim in claims if not different]
    found = f"{len(shown)} of {len(pairs)} claims {'is' if len(shown) == 1 else 'are'} shown"
    found += f": {listed(shown, NAMED)}." if shown else "."
    if not others:
        return found
    found += f" Not shown: {listed(others, NAMED)}."
    return _closed(found, record, _surest([pair for pair in pairs if not pair.different]))


def _about_best(record: Comparison, metric: str, pairs: Sequence[Pair]) -> str:
    """Return the finding about the best system and those that it cannot be told from."""
    pair = headline(record, metric)
    best, apart = pair.a, apart_words(record, metric)
    mine = [each for each in pairs if best in (each.a, each.b)]
    against = [each.other(best) for each in mine if favours_worse_scorer(each)]
    if against:
        others = listed(_in_order(record, metric, against), NAMED)
        found = f"{best} has the best score, but is not better than {others}"
        return f"{found}: {_decided(record, pair, 'it')}. {apart}"
    undecided = [each.other(best) for each in mine if not each.different]
    if not undecided:
        lead = _decided(record, pair, "It", rival=f"the next, {pair.b}")
        return f"{best} is better than every other system. {lead}. {apart}"
    if len(undecided) == len(mine):
        rest = f"No other lead of {best} is shown, either. {apart}"
        if not any(each.different for each in pairs):
            rest = "No two systems can be told apart."
        return _closed(f"{_undecided(record, pair)}. {rest}", record, pair)
    names = listed(_in_order(record, metric, undecided), NAMED)
    found = f"{best} has the best score, but cannot be told from {names}"
    return _closed(f"{found}: {_undecided(record, pair, 'it')}. {apart}", record, pair)


def _against_baseline(
    record: Comparison, baseline: str, metric: str, pairs: Sequence[Pair]
) -> str:
    """Return the finding about a baseline: the systems that are better, worse, or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "not told from it": []}
    for pair in pairs:
        ahead = "worse" if pair.favours == baseline else "better"
        found[ahead if pair.different else "not told from it"].append(pair.other(baseline))
    ordered = {how: _in_order(record, metric, names) for how, names in found.items() if names}
    parts = "; ".join(f"{how}: {listed(names, _LISTED)}" for how, names in ordered.items())
    first = headline(record, metric)
    differ = sum(pair.different for pair in pairs)
    lead = _decided(record, first) if first.different else _undecided(record, first)
    finding = (
        f"{differ} of {several(len(pairs), 'system')} can be told from {baseline}. "
        f"{parts[0].upper()}{parts[1:]}. {lead}."
    )
    undecided = [pair for pair in pairs if not pair.different]
    return _closed(finding, record, _surest(undecided)) if undecided else finding


def _surest(pairs: Sequence[Pair]) -> Pair:
    return min(pairs, key=lambda pair: 2.0 if pair.p is None else pair.p)


def _in_order(record: Comparison, metric: str, names: Sequence[str]) -> list[str]:
    return [system.name for system in ranking(record, metric) if system.name in names]


def _closed(found: str, record: Comparison, pair: Pair) -> str:
    """Return a finding that leaves something open, with what could have been found."""
    return found if pair.different else f"{found} {detectable_words(record, pair)}".rstrip()


def _scores(
    record: Comparison,
    pair: Pair,
    subject: str | None = None,
    *,
    rival: str | None = None,
    p: bool = False,
) -> str:
    """Return how far the first system of a pair is ahead or behind, with the interval.

    `subject` and `rival` replace the names; an empty rival is left out.
    """
    a, b = subject or pair.a, pair.b if rival is None else rival
    details = [*interval_words(record, pair), *([with_p(record, pair)] if p else [])]
    if same_score(pair):
        found = f"{a} has the same score as {b or pair.b}"
        if pair.differing:
            found += f", though not on every {record.metrics[pair.metric].items.kind}"
    else:
        if not record.metrics[pair.metric].higher_is_better:
            details.insert(0, "lower is better")
        than = f" than {b}" if b else ""
        found = f"{a} scores {size(pair.difference)} "
        found += f"{'higher' if pair.difference > 0 else 'lower'}{than}"
    return f"{found} ({'; '.join(details)})" if details else found


def _decided(
    record: Comparison, pair: Pair, subject: str | None = None, *, rival: str | None = None
) -> str:
    """Return what was measured where the systems are told apart, together with its p."""
    found = _scores(record, pair, subject, rival=rival, p=True)
    otherwise = _speaks_for_other(record, pair)
    return f"{found}, but {otherwise}" if otherwise else found


def _undecided(record: Comparison, pair: Pair, subject: str | None = None) -> str:
    """Return what was measured where the systems are not told apart, and why they are not."""
    found = _scores(record, pair, subject)
    if pair.p is None or pair.p_adjusted is None:
        return f"{found}; the test is undefined"
    if same_score(pair):
        return _scores(record, pair, subject, p=True)
    p = with_p(record, pair)
    if pair.p_adjusted <= record.alpha:
        sure = "-" if pair.confidence is None else f"{pair.confidence:.3f}"
        return f"{found}, but that is not sure enough (confidence {sure}; {p})"
    if pair.p <= record.alpha:
        return f"{found}, but with {_together(record)} this can be chance ({p})"
    return f"{found}; that cannot be told from chance ({p})"


def _together(record: Comparison) -> str:
    """Return what a correction allows for."""
    number = len(record.systems) - (record.baseline is not None)
    systems = f"{_NUMBERS[number] if number < len(_NUMBERS) else number} systems"
    how = "in pairs" if record.baseline is None else f"with {record.baseline}"
    return f"{systems} compared {how}"


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


def pair_line(pair: Pair) -> str:
    """Return a pair in a line: the difference, its interval, and p."""
    within = ""
    if pair.interval not in (None, (None, None)) and pair.interval_level is not None:
        assert pair.interval is not None
        within = f" ({percent(pair.interval_level)} confidence interval {range_words(pair.interval)})"
    p = "no p" if pair.p is None else _equals("p", pair_p(pair, pair.level))
    if pair.p_adjusted is not None and pair.p_adjusted != pair.p:
        p += f", adjusted {p_text(pair.p_adjusted)}"
    return f"{pair.a} - {pair.b} by {pair.metric}: {signed(pair.difference)}{within}, {p}"


def detectable_words(record: Comparison, pair: Pair) -> str:
    """Return which difference this test set could show, or why that is not told.

    The correction for many tests counts: what it takes is more than a pair alone would need. With a
    margin nothing is told, since the power is that of the test of a difference.
    """
    if record.margin_of(pair.metric) is not None:
        return ""
    figures, info = pair.diagnostics, record.metrics[pair.metric]
    given = f"With {exchanged_words(record, pair.metric)}"
    if is_corrected(record):
        given += f" and the correction for {pairs_words(record)}"
    if figures.detectable_corrected is not None:
        if info.kind == "ratio" and figures.detectable_corrected >= 1:
            return f"{given}, not even the largest difference would be found four times out of five."
        found = two_digits(figures.detectable_corrected)
        return f"{given}, a true difference of {found} would be found four times out of five."
    why, kinds = figures.detectable_missing, plural(exchanged_kind(record))
    if why == "unreachable" and record.correction == "bh" and figures.detectable is not None:
        why = "few-items"  # what one pair cannot reach, several may pass together
    unknown = "it cannot be said how large a difference would be found."
    words = {
        "unreachable": f"{given}, no difference could be shown at {record.alpha:g}.",
        "few-differing": f"They differ on {pair.differing:,} of "
        f"{several(info.items.count, info.items.kind)}: too few to count on finding a difference, "
        "even if one system won all of them.",
        "few-items": f"{given}, {unknown}",
        "uneven": f"A few {kinds} make up most of the differences, so that {unknown}",
        "alike": f"All {kinds} add the same to the difference, so that {unknown}",
        "few-runs": f"With so few runs {unknown}",
    }
    return words.get(why or "", "")


# Where metrics disagree, and how many pairs differ in two of them

_Opposed: TypeAlias = dict[tuple[str, str], tuple[list[str], list[str]]]
_OPPOSED_NAMED: Final = 2


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
    """Return in a sentence that metrics speak for different systems; nothing if they do not.

    It is said where no system has the best score by all of them. They disagree where one shows a
    system to be better than another, and a second one shows it to be worse. Costs are no opinion:
    what is better may well be dearer.
    """
    metrics = [name for name, info in record.metrics.items() if not info.cost]
    if len(metrics) < 2:
        return ""
    opposed, best = _opposed(record, metrics), _best_by_metrics(record, metrics)
    leaders = tuple(sorted(best)) if len(best) == 2 else ()
    if len(best) > 1 and leaders not in opposed:
        (first, by), *others = best.items()
        rest = "".join(f", by {_and(some)} {name}" for name, some in others[: NAMED - 1])
        found = f"By {_and(by)} {first} has the best score{rest}: {_leads_shown(record, best)}"
        found += f". The metrics disagree: {_both_ways(opposed)}" if opposed else ""
        return clean(f"{found}.")
    if not opposed:
        return ""
    a, b = leaders if leaders in opposed else next(iter(opposed))
    for_a, for_b = opposed.pop((a, b))
    if metrics.index(for_b[0]) < metrics.index(for_a[0]):
        (a, for_a), (b, for_b) = (b, for_b), (a, for_a)
    than = (f" than {b}", f" than {a}") if len(record.systems) > 2 else ("", "")
    found = f"By {_and(for_a)} {a} is better{than[0]}, by {_and(for_b)} {b}{than[1]}"
    too = f", and on {several(len(opposed), 'other pair')} too" if opposed else ""
    return clean(f"{found}: they disagree{too}.")


def _opposed(record: Comparison, metrics: Sequence[str]) -> _Opposed:
    """Return the pairs, by name, of which some metrics show the first better, some the second."""
    found: _Opposed = {}
    for pair in record.pairs:
        if pair.metric in metrics and pair.different and pair.favours is not None:
            a, b = sorted((pair.a, pair.b))
            found.setdefault((a, b), ([], []))[pair.favours == b].append(pair.metric)
    return {names: either for names, either in found.items() if all(either)}


def _best_by_metrics(record: Comparison, metrics: Sequence[str]) -> dict[str, list[str]]:
    """Return the systems with the best score by some metric, and these metrics.

    Of several with the same score, the one that is best by most metrics.
    """
    best = {}
    for metric in metrics:
        top = ranking(record, metric)[0].scores[metric]
        best[metric] = {
            system.name
            for system in record.systems
            if math.isclose(system.scores[metric], top, rel_tol=1e-9)
        }
    found: dict[str, list[str]] = {}
    for metric, names in best.items():
        often = max(sorted(names), key=lambda name: sum(name in some for some in best.values()))
        found.setdefault(often, []).append(metric)
    return found


def _leads_shown(record: Comparison, best: Mapping[str, Sequence[str]]) -> str:
    """Return which of the systems with the best score by some metric are shown to be better."""
    named = []
    for name, metrics in best.items():
        shown = [metric for metric in metrics if _is_ahead_of_all(record, name, metric)]
        named += [f"{name} by {_and(shown)}"] if shown else []
    if not named:
        return f"{'neither' if len(best) == 2 else 'none'} is shown to be better"
    return f"only {_and(named)} {'is' if len(named) == 1 else 'are'} shown to be better"


def _is_ahead_of_all(record: Comparison, name: str, metric: str) -> bool:
    pairs = [pair for pair in record.pairs_of(metric) if name in (pair.a, pair.b)]
    return all(pair.different and pair.favours in (name, None) for pair in pairs)


def _both_ways(opposed: _Opposed) -> str:
    """Return which systems are shown to be better than each other, each by some metrics."""
    named = [
        f"{a} is better than {b} by {_and(for_a)}, {b} better than {a} by {_and(for_b)}"
        for (a, b), (for_a, for_b) in list(opposed.items())[:_OPPOSED_NAMED]
    ]
    more = len(opposed) - len(named)
    return "; ".join([*named, *([f"and so for {several(more, 'other pair')}"] if more else [])])


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Tasks of a suite


def turns_sentence(record: Comparison, metric: str, turned: Sequence[Slice]) -> str:
    """Return on which tasks the order turns, and whether that is shown or may be chance.

    `turned` are the slices on which it does, the system that is ahead overall first.
    """
    table = record.suite[metric]
    tasks, pairs, label = len(table.tasks), len(record.pairs_of(metric)), table.label
    if record.tail != "two":
        return ""
    if not turned:
        same = "The order is the same" if pairs == 1 else "The order of every pair is the same"
        return f"{same} on {'both' if tasks == 2 else f'all {tasks}'} {plural(label)}."
    shown = [part for part in turned if part.different]
    rest = [part for part in turned if not part.different]
    if pairs > 1:
        text = f"Of {tasks * pairs:,} pairs and {plural(label)}, {len(turned)} stand the other way "
        if not shown:
            return f"{text}round than overall: each of these may be chance."
        each = [f"{p.b} better than {p.a} on {_task_with_p(record, p)}" for p in shown]
        text += f"round than overall: shown {'is' if len(shown) == 1 else 'are'} "
        return f"{text}{listed(each, NAMED)}{'; the others may be chance' if rest else ''}."
    behind, parts = turned[0].b, []
    if shown:
        named = listed([_task_with_p(record, part) for part in shown], NAMED)
        parts.append(f"{behind} is shown to be better on {named}")
    if rest:
        named = listed([part.value for part in rest], NAMED)
        ahead = "ahead" if shown else f"{behind} is ahead"
        parts.append(f"{ahead} on {named}, which may be chance")
    return f"The order turns on {several(len(turned), label)} of {tasks}: {'; '.join(parts)}."


def _task_with_p(record: Comparison, part: Slice) -> str:
    return f"{part.value} (adjusted p = {p_text(part.p_adjusted, record.alpha)})"


def correction_of_tasks(record: Comparison, metric: str) -> str:
    """Return what the p-values of tasks are corrected over."""
    table, pairs = record.suite[metric], len(record.pairs_of(metric))
    over = several(len(table.tasks), table.label)
    return f"Holm over {over}" if pairs == 1 else f"Holm over {over} × {pairs} pairs"


# Costs

_MOST_RATIOS, _MOST_SAVINGS = 6, 4
_LESS = {"money": "cheaper", "time": "less time", "tokens": "fewer tokens"}


def cost_sentences(record: Comparison) -> Iterator[str]:
    """Yield what the costs show: savings first, then pairs, then who is dominated."""
    costs = record.costs
    if costs is None:
        return
    for saving in costs.savings[:_MOST_SAVINGS]:
        yield clean(_saving(record, saving))
    if len(costs.savings) > _MOST_SAVINGS:
        yield f"So are {several(len(costs.savings) - _MOST_SAVINGS, 'further pair')}."
    told = {(saving.cost, frozenset((saving.system, saving.than))) for saving in costs.savings}
    others = [r for r in costs.ratios if (r.metric, frozenset((r.a, r.b))) not in told]
    for ratio in others[:_MOST_RATIOS]:
        yield clean(f"{ratio_words(record, ratio)}.")
    if len(others) > _MOST_RATIOS:
        more = several(len(others) - _MOST_RATIOS, "further pair")
        yield f"Costs of {more} are in the record (--json)."
    for quality, by_cost in costs.dominated.items():
        for cost, names in by_cost.items():
            if names:
                yield clean(
                    f"By what was measured, others are as good by {quality} for no more {cost} "
                    f"than {listed(tuple(names), 6)}."
                )


def _saving(record: Comparison, saving: Saving) -> str:
    assert record.costs is not None
    pair = {saving.system, saving.than}
    ratios = (r for r in record.costs.ratios if r.metric == saving.cost and {r.a, r.b} == pair)
    less = "".join(f", {_less(_seen_from(ratio, saving.system))}" for ratio in ratios)
    return (
        f"{saving.system}: same quality as {saving.than} within {record.margin:g} by "
        f"{saving.quality} (or better){less}; both are shown together "
        f"(p = {p_text(saving.p, record.alpha)})."
    )


def ratio_words(record: Comparison, ratio: CostRatio) -> str:
    """Return how the costs of two systems compare."""
    if ratio.cheaper is not None:
        seen = _seen_from(ratio, ratio.cheaper)
        return f"{seen.a} against {seen.b}: {_less(seen)}"
    seen = ratio
    if record.baseline is not None or len(record.systems) == 2:
        asked = in_question(record, record.pair(ratio.a, ratio.b, ratio.metric))
        seen = _seen_from(ratio, asked.a)
    within = ""
    if seen.interval is not None and seen.interval_level is not None:
        low, high = seen.interval
        most = "any share" if high is None else f"{100 * high:.0f} %"
        within = f" ({percent(seen.interval_level)} confidence interval {100 * low:.0f} to {most})"
    return (
        f"By {seen.metric} {seen.a} spends {100 * seen.ratio:.0f} % of what {seen.b} does{within}; "
        "that cannot be told from chance"
    )


def _less(seen: CostRatio) -> str:
    """Return how much less the first of a pair spends, with its interval."""
    words = f"{_share(1 - seen.ratio)} % {_LESS.get(seen.kind, 'less')} by {seen.metric}"
    if seen.interval is None or seen.interval_level is None:
        return words
    low, high = seen.interval
    least, most = 0.0 if high is None else 1 - high, 1 - low
    decimals = 0 if most - least >= 0.01 else 1
    ends = " to ".join(_share(end, decimals) for end in (least, most))
    return f"{words} ({percent(seen.interval_level)} confidence interval {ends})"


def _share(share: float, decimals: int = 0) -> str:
    """Return a share in percent; 100 only where it is all, and 0 only where it is nothing."""
    words = f"{100 * share:.{decimals}f}"
    if 0 < share < 1 and float(words) in (0, 100):
        return f"{100 * share:.2g}" if share < 0.5 else "over 99"
    return words


def _seen_from(ratio: CostRatio, system: str) -> CostRatio:
    """Return a ratio with a system of the pair first."""
    if ratio.a == system:
        return ratio
    interval = None
    if ratio.interval is not None:
        low, high = ratio.interval
        interval = (0.0 if high is None else 1 / high, 1 / low if low > 0 else None)
    turned = 1 / ratio.ratio if ratio.ratio > 0 else math.inf
    return replace(ratio, a=ratio.b, b=ratio.a, ratio=turned, interval=interval)


# Preferences

_SCALES = {
    "bradley_terry": ("log-odds of winning by Bradley and Terry, of mean 0", "0.5", 0.622),
    "elo": (
        "those of Bradley and Terry in units of Elo: 400 points are odds of ten to one, the mean "
        "is 1000",
        "100",
        0.640,
    ),
}


def preference_sentences(record: Comparison) -> list[str]:
    """Return what is to be said of judgments side by side, a sentence or two each."""
    found = record.preferences
    if found is None:
        return []
    longer = "" if found.longer is None else (
        f"The longer of two outputs won {_rate(record, found.longer)}."
    )  # fmt: skip
    texts = (_outcomes(record, found), _scale(record, found), _places(record, found), longer)
    return [clean(text) for text in texts if text]


def _outcomes(record: Comparison, found: Preferences) -> str:
    """Return wins, ties and losses of two systems."""
    if found.reference is not None:
        return f"All were judged against {found.reference}; win_rate is what they won there."
    if len(record.systems) != 2 or not found.head_to_head:
        return ""
    best = ranking(record, next(iter(record.metrics)))[0].name
    met = seen_from(found.head_to_head[0], best)
    shares = [whole_percent(number / met.items) for number in (met.wins, met.ties, met.losses)]
    kind, judged = record.items.kind, ""
    if found.judgments != found.items:
        judged = f" ({found.judgments:,} judgments; those of a {kind} are averaged)"
    return (
        f"{met.a} wins {shares[0]}, ties {shares[1]} and loses {shares[2]} of "
        f"{several(met.items, kind)} against {met.b}{judged}."
    )


def seen_from(met: HeadToHead, system: str) -> HeadToHead:
    """Return two systems that met, the named one first."""
    if met.a == system:
        return met
    return replace(
        met, a=met.b, b=met.a, wins=met.losses, losses=met.wins, win_rate=1 - met.win_rate
    )


def _scale(record: Comparison, found: Preferences) -> str:
    """Return what the scores of many systems are, and whether one scale fits."""
    if found.scale is None:
        return ""
    words, lead, share = _SCALES[found.scale]
    said = f"Scores are {words}; a tie is half a win. A lead of {lead} wins {whole_percent(share)}."
    if found.fit_p is None:
        return f"{said} Whether one scale fits cannot be told: too few pairs met."
    p = f"(p = {p_text(found.fit_p, record.alpha)})"
    if found.fit_p > record.alpha:
        return f"{said} Nothing speaks against one scale for all {p}."
    return f"{said} One scale does not fit {p}."


def _places(record: Comparison, found: Preferences) -> str:
    """Return what is known of the order in which outputs were shown."""
    if found.orders == "unknown":
        return "In which order the two were shown is not known."
    if found.first_place is None:
        return ""
    first = f"the first place won {_rate(record, found.first_place)}"
    if found.orders == "both":
        return f"Both orders were judged, so that places cancel; {first}."
    return f"Of what was judged in either order, {first}."


def _rate(record: Comparison, effect: Effect) -> str:
    p = "" if effect.p is None else f" (p = {p_text(effect.p, record.alpha)})"
    return f"{whole_percent(effect.rate)}{p}"


# Notices


def notice_sentences(record: Comparison) -> list[str]:
    """Return the sentences of all notices, in order."""
    return [notice_sentence(record, notice) for notice in record.notices]


def notice_sentence(record: Comparison, notice: Notice) -> str:
    """Return the sentence of a notice: that of its reader, or the one for its code."""
    if notice.text is not None:
        return clean(notice.text)
    return clean(NOTICES[notice.code](record, notice))


def _some_pairs(notice: Notice, remark: Callable[[str], str] = lambda _: "") -> str:
    """Return the names of the first pairs, a remark on each, and how many more there are."""
    shown = "; ".join(f"{name}{remark(name)}" for name in notice.about[:3])
    more = len(notice.about) - 3
    return shown if more <= 0 else f"{shown}; and {more} more"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


_OTHER_RUNS = "other runs of the same systems may give another"


def _runs_used_up(record: Comparison, notice: Notice) -> str:
    use = "uses" if len(notice.about) == 1 else "use"
    kinds = plural(exchanged_kind(record))
    return (
        f"{listed(notice.about)} {use} up the runs of an item: the verdict is about other {kinds}, "
        "not about other runs."
    )


def _these_runs(record: Comparison, notice: Notice) -> str:
    why, has = notice.numbers["why"], "has" if len(notice.about) == 1 else "have"
    if why == "metric":
        return (
            f"{listed(notice.about)} is not a function of sums, so the noise of runs is not known: "
            "what it shows holds for these runs only."
        )
    reasons = {
        "option": "The runs are taken as they are (--runs fixed)",
        "test": f"The {record.test} test takes the runs as they are",
        "correction": f"--correction {record.correction} exchanges items, not runs",
        "confidence": "--min-confidence is about exchanges of items, not of runs",
        "single": f"{listed(notice.about)} {has} a single run",
        "missing": "More than 10 % of the runs of items are missing",
    }
    return f"{reasons[why]}: the verdict holds for these runs only, and {_OTHER_RUNS}."


_SOURCES = {"runs": "runs", "conditions": "conditions", "residual": "chance in single answers"}


def _runs(record: Comparison, notice: Notice) -> str:
    """Return where the uncertainty comes from, and what would help more."""
    shares: dict[str, tuple[float, float]] = notice.numbers["shares"]
    kinds = plural(exchanged_kind(record))
    named = [
        f"{_share_range(*shares[source])} from {_SOURCES.get(source, kinds)}"
        for source in shares
        if source in ("items", "runs") or shares[source][1] > 0
    ]
    runs, items = shares.get("runs", (0.0, 0.0)), shares.get("items", (0.0, 0.0))
    helps = "."
    if runs[0] > items[1]:
        helps = f": more runs would help more than more {kinds}."
    elif items[0] > runs[1]:
        helps = f": more {kinds} would help more than more runs."
    verdict_is = "The verdict allows for other runs of these systems. Of the uncertainty, "
    return f"{verdict_is}{_and(named).replace(' from ', ' comes from ', 1)}{helps}"


def _share_range(low: float, high: float) -> str:
    """Return the shares of several pairs.

    >>> _share_range(0.191, 0.194), _share_range(0.1, 0.25)
    ('19 %', '10 to 25 %')
    """
    first, last = f"{100 * low:.0f}", f"{100 * high:.0f}"
    return f"{last} %" if first == last else f"{first} to {last} %"


def _single_run(record: Comparison, notice: Notice) -> str:
    one = len(notice.about) == 1
    has = "has a single run" if one else "have a single run each"
    return (
        f"{listed(notice.about)} {has}: for pairs with {'it' if one else 'them'} the verdict holds "
        f"for these runs only, and {_OTHER_RUNS}."
    )


def _two_runs(record: Comparison, notice: Notice) -> str:
    return (
        "Two runs can hardly tell how far apart the runs of a system lie: make three or more of "
        f"{listed(notice.about)}."
    )


def _direction(record: Comparison, notice: Notice) -> str:
    return (
        "The name does not tell which way is better, and higher was taken to be: "
        f"{', '.join(notice.about)}; --lower-is-better {typed(notice.about[0])} reverses that."
    )


def _clustered(record: Comparison, notice: Notice) -> str:
    kind, whole = record.items.kind, plural(notice.about[0])
    done, doing = "taken together", "Taking"
    if record.test == "bootstrap":
        done, doing = "drawn", "Drawing"
    elif record.test in ("auto", "exact", "shuffle") and record.runs is None:
        done, doing = "shuffled", "Shuffling"
    text = (
        f"{_capital(plural(kind))} of one {notice.about[0]} are not independent: whole {whole} "
        f"were {done}."
    )
    figures = notice.numbers
    if figures.get("p_ignoring") is None:
        return text
    by = f" by {figures['metric']}" if len(record.metrics) > 1 else ""
    p = p_text(figures["p_ignoring"], record.alpha)
    small = figures["p"] is not None and figures["p_ignoring"] < figures["p"]
    return (
        f"{text} {doing} single {plural(kind)} would give p = {p} for {figures['a']} - "
        f"{figures['b']}{by}{': too small' if small else ''}."
    )


def _few(record: Comparison, notice: Notice) -> str:
    clusters = notice.code == "few-clusters"
    rough, remarks = notice.numbers["rough_intervals"], []
    if rough:
        remarks.append("the intervals are rough")
    if record.test == "bootstrap":
        remarks.append("and p-values too small" if rough else "p-values are too small")
    elif notice.numbers["exact"]:
        remarks.append("the exact test was used")
    few = f"Only {several(notice.numbers['count'], exchanged_kind(record))}"
    few += ", which is too few" if clusters else ""
    remark = ", ".join(remarks) or ("" if clusters else "little can be shown")
    return f"{few}: {remark}." if remark else f"{few}."


def _maybe_clustered(record: Comparison, notice: Notice) -> str:
    kind = record.items.kind
    if len(notice.about) == 1:
        label = notice.about[0]
        return (
            f"{_capital(plural(kind))} come in {notice.numbers['groups']:,} groups by {label}, and "
            f"those of one group may be right or wrong together: add --cluster {label}, and trust "
            "that answer."
        )
    return (
        f"{_capital(kind)} ids look grouped ({', '.join(notice.about)} ...). If so, add a column "
        "that names the group, and name it with --cluster."
    )


def _duplicates(record: Comparison, notice: Notice) -> str:
    label, repeated = notice.about[0], notice.numbers["repeated"]
    return (
        f"{several(repeated, record.items.kind)} {'repeats' if repeated == 1 else 'repeat'} the "
        f"{label} of another one, and repeats are not independent: --cluster {label} keeps them "
        "together."
    )


def _ceiling(record: Comparison, notice: Notice) -> str:
    share, kinds = 100 * notice.numbers["share"], plural(record.items.kind)
    return f"{share:.0f} % of {kinds} are right for all systems by {notice.about[0]}."


def _identical(record: Comparison, notice: Notice) -> str:
    a, b = notice.about
    return f"{a} and {b} have the same score on every {record.items.kind}; p is 1."


def _undefined(record: Comparison, notice: Notice) -> str:
    metric, value = notice.numbers["metric"], f"{notice.numbers['value']:g}"
    if record.metrics[metric].kind.startswith("function"):
        why = "is not a finite number"
    else:
        why = "is undefined (the denominator is 0)"
    return f"{metric} of {', '.join(notice.about)} {why} and counts as {value}."


def _cannot_reach(record: Comparison, notice: Notice) -> str:
    return (
        f"No outcome could be significant at {record.alpha:g} where so few items differ: "
        f"{_some_pairs(notice)}."
    )


def _floor(record: Comparison, notice: Notice) -> str:
    drawn = notice.numbers["shuffles"]
    return f"p cannot be smaller than {1 / (drawn + 1):.2g} with {drawn:,} shuffles."


def _many_pairs_uncorrected(record: Comparison, notice: Notice) -> str:
    return f"{several(notice.numbers['pairs'], 'pair')} were tested without correction."


def _few_shuffles(record: Comparison, notice: Notice) -> str:
    needed = notice.numbers["needed"]
    return (
        f"With {several(notice.numbers['pairs'], 'pair')} and {record.correction}, nothing can be "
        f"significant below {needed:,} shuffles: use --shuffles {needed} or more."
    )


def _unsettled(record: Comparison, notice: Notice) -> str:
    pairs = {pair_name(pair): pair for pair in (as_reported(record, p) for p in record.pairs)}

    def where_p_is(name: str) -> str:
        pair = pairs.get(name)
        if pair is None or pair.p is None:
            return ""
        if pair.p_interval is not None:
            low, high = (p_text(end) for end in pair.p_interval)
            return f" (exact p between {low} and {high})" if pair.p_interval[0] else ""
        # In digits that tell the bounds, and the level, apart.
        return f" (exact p between {pair.p - pair.error:.6g} and {pair.p:.6g})"

    told = "More shuffles are needed to settle on which side of the level p is"
    if not notice.numbers["drawn"]:
        told = (
            "The exact p is too near to the level to tell on which side it is; the larger one of "
            "its bounds decides"
        )
    return f"{told}: {_some_pairs(notice, where_p_is)}."


def pair_name(pair: Pair) -> str:
    """Return what a pair is called in notices."""
    return f"{pair.a} - {pair.b}, {pair.metric}"


def _unpaired_test(record: Comparison, notice: Notice) -> str:
    return (
        "The unpaired test ignores that the systems saw the same items, which misstates the spread "
        "of the difference: --test auto compares them item by item."
    )


_NO_TEST = {
    "undefined": "a score is undefined",
    "constant": "all differences are the same",
}


def _undefined_test(record: Comparison, notice: Notice) -> str:
    why = _NO_TEST.get(notice.numbers["reason"] or "", "")
    return f"The test is undefined for {_some_pairs(notice)}{f': {why}' if why else ''}."


def _joint_null(record: Comparison, notice: Notice) -> str:
    return (
        "The joint null is exact where the differences on an item are symmetric, and approximate "
        "otherwise."
    )


def _complete_null(record: Comparison, notice: Notice) -> str:
    return "The randomized Tukey test supposes that no system differs."


def _unequal_spreads(record: Comparison, notice: Notice) -> str:
    times = f"{notice.numbers['times']:.1f} times by {notice.about[0]}"
    return (
        "The randomized Tukey test also supposes that all differences vary alike; the noisiest "
        f"pair varies more than the quietest one, {times}, so that too much is called different: "
        "use --correction maxt."
    )


def _outliers(record: Comparison, notice: Notice) -> str:
    kinds = plural(exchanged_kind(record))
    return (
        f"{notice.numbers['items']} {kinds} or fewer make up half of the difference (tellapart "
        f"diff shows them): {_some_pairs(notice)}."
    )


def _outlier(record: Comparison, notice: Notice) -> str:
    (a, b), half = notice.about, notice.numbers["items"]
    return (
        f"{several(half, exchanged_kind(record))} {'makes' if half == 1 else 'make'} up half of "
        f"the difference of {a} and {b} by {notice.numbers['metric']}: see them with tellapart "
        "diff."
    )


def _influence(record: Comparison, notice: Notice) -> str:
    a, b = notice.about
    return (
        f"Without {exchanged_kind(record)} {notice.numbers['item']} alone, the answer on {a} and "
        f"{b} by {notice.numbers['metric']} would change: look at it."
    )


def _margin_needs_more(record: Comparison, notice: Notice) -> str:
    kinds = plural(exchanged_kind(record))
    return (
        f"With so few {kinds}, one that loses everything could still be missing from them; the "
        f"margin needs more {kinds}: {_some_pairs(notice)}."
    )


def _not_all_tested(record: Comparison, notice: Notice) -> str:
    figures = notice.numbers
    return (
        f"Of {several(figures['pairs'], 'pair')} of {several(figures['systems'], 'system')}, "
        f"{figures['tested']:,} were tested: the best system with every other, and neighbours in "
        "rank. --baseline NAME compares all systems with one."
    )


NOTICES: Final[dict[str, Callable[[Comparison, Notice], str]]] = {
    "runs-used-up": _runs_used_up,
    "these-runs": _these_runs,
    "runs": _runs,
    "single-run": _single_run,
    "two-runs": _two_runs,
    "direction": _direction,
    "clustered": _clustered,
    "few-items": _few,
    "few-clusters": _few,
    "maybe-clustered": _maybe_clustered,
    "duplicates": _duplicates,
    "ceiling": _ceiling,
    "identical": _identical,
    "undefined": _undefined,
    "cannot-reach": _cannot_reach,
    "floor": _floor,
    "many-pairs": _many_pairs_uncorrected,
    "few-shuffles": _few_shuffles,
    "unsettled": _unsettled,
    "unpaired-test": _unpaired_test,
    "undefined-test": _undefined_test,
    "joint-null": _joint_null,
    "complete-null": _complete_null,
    "unequal-spreads": _unequal_spreads,
    "outliers": _outliers,
    "outlier": _outlier,
    "influence": _influence,
    "margin-needs-more": _margin_needs_more,
    "not-all-tested": _not_all_tested,
}
"""The sentence of each code that a comparison has"""
