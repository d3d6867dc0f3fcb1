"""The sentences that a verdict is made of: direction, size, interval, certainty."""

from __future__ import annotations

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.power import corrected_for
from tellapart.comparison.ranking import favours_worse_scorer, told_apart
from tellapart.comparison.record import Comparison
from tellapart.report.numbers import (
    SAME,
    ends_words,
    p_text,
    pair_adjusted,
    range_words,
    signed,
    size,
    two_digits,
)
from tellapart.report.wording import (
    decides_words,
    family_words,
    interval_scope,
    item_count,
    item_kind,
    p_name,
    pair_level_words,
    percent,
)
from tellapart.significance.observed_spread import (
    ALIKE,
    FEW_DIFFERING,
    FEW_ITEMS,
    FEW_RUNS,
    UNEVEN,
    UNREACHABLE,
)
from tellapart.words import clean, plural, several

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def pair_sentence(result: Comparison, pair: PairResult) -> str:
    """Return what was found about a pair that is the only one, its better system first."""
    a, b = clean(pair.a), clean(pair.b)
    if pair.discordant == 0:
        kind = item_kind(result)
        return f"{a} and {b} have the same score on every {kind}; nothing differs."
    if pair.claim is not None:
        shown = "is shown" if pair.different else "is not shown"
        claim = f"the claim that {clean(pair.claim)} {shown} (p = {_p(result, pair)})"
        return f"{scores_words(result, pair)}; {claim}{_power(result, pair)}."
    if not pair.different:
        return f"{without_decision(result, pair)}{_power(result, pair)}."
    otherwise = _otherwise(result, pair)
    if otherwise:
        return f"{scores_words(result, pair, p=True)}{otherwise}."
    return (
        f"{a} is better than {b}: {scores_words(result, pair, 'it', rival='')}, and chance does "
        f"not explain that (p = {_p(result, pair)})."
    )


def margin_sentence(result: Comparison, seen: PairResult) -> str:
    """Return what was found about a pair and a margin, seen from the system in question."""
    margin = f"{result.margin:g}"
    how = "is ruled out" if seen.a_no_worse else "is not ruled out"
    known = seen.p_a_no_worse_adjusted is not None
    p = p_text(seen.p_a_no_worse_adjusted, result.alpha)
    p = f" ({p_name(result)} = {p})" if known else ""
    found = f"{scores_words(result, seen, rival='')}; a loss of more than {margin} {how}{p}."
    kind = result.units.kind
    # Where items have no answer or another size, more of them may get worse and the score better.
    is_mean = result.metrics[seen.metric].kind in ("mean", "weighted mean")
    if is_mean and (seen.units_a_better or seen.units_b_better):
        worse = several(seen.units_b_better, kind)
        found += f" {worse} got worse, {seen.units_a_better:,} got better."
    otherwise = _otherwise(result, seen)
    if otherwise:
        found += f" The {otherwise.removeprefix(', but the ')} (p = {_p(result, seen)})."
    elif seen.different:
        gain = "gain" if seen.favours == seen.a else "loss"
        found += f" Chance does not explain the {gain} (p = {_p(result, seen)})."
    return found


def with_decision(
    result: Comparison, pair: PairResult, subject: str | None = None, *, rival: str | None = None
) -> str:
    """Return what was measured where the systems are told apart, together with its p."""
    found = scores_words(result, pair, subject, rival=rival, p=True)
    return found + _otherwise(result, pair)


def without_decision(result: Comparison, pair: PairResult, subject: str | None = None) -> str:
    """Return what was measured where the systems are not told apart, and why they are not."""
    found = scores_words(result, pair, subject)
    if pair.p is None or pair.p_adjusted is None:
        return f"{found}; the test is undefined"
    if same_score(pair):
        return scores_words(result, pair, subject, p=True)
    p = with_p(result, pair)
    if pair.p_adjusted <= result.alpha:
        sure = "-" if pair.confidence is None else f"{pair.confidence:.3f}"
        return f"{found}, but that is not sure enough (confidence {sure}; {p})"
    if pair.p <= result.alpha:
        together = _together(result)
        return f"{found}, but with {together} this can be chance ({p})"
    return f"{found}; that cannot be told from chance ({p})"


def pair_line(pair: PairResult) -> str:
    """Return a pair in a line: the difference, its interval, and p."""
    held = ends_words(pair.interval)
    level = "" if pair.interval_level is None else f"{percent(pair.interval_level)} interval "
    p = f"p = {p_text(pair.p)}" if pair.p is not None else "no p"
    if pair.p_adjusted is not None and pair.p_adjusted != pair.p:
        p += f", adjusted {p_text(pair.p_adjusted)}"
    within = f" ({level}{held})" if held else ""
    return f"{pair.a} − {pair.b} by {pair.metric}: {signed(pair.difference)}{within}, {p}"


def two_metrics_sentence(result: Comparison) -> str:
    """Return how many pairs differ in both of two metrics, one or neither; "" for a single pair."""
    found = result.two_metrics
    if found is None:
        return ""
    pairs = found.both + found.first_only + found.second_only + found.neither
    if pairs < 2:
        return ""
    ahead = f" ({found.same_ahead} with the same system ahead)" if found.both else ""
    return (
        f"Of {pairs} pairs, {found.both} differ in both {found.first} and {found.second}{ahead}, "
        f"{found.first_only} in {found.first} alone, {found.second_only} in {found.second} alone, "
        f"{found.neither} in neither."
    )


def same_score(pair: PairResult) -> bool:
    """Return whether two scores are the same, but for rounding."""
    return abs(pair.difference) < SAME


def scores_words(
    result: Comparison,
    pair: PairResult,
    subject: str | None = None,
    *,
    rival: str | None = None,
    p: bool = False,
) -> str:
    """Return how far the first system of a pair is ahead or behind, with the interval.

    `subject` and `rival` replace the names; an empty rival is left out.
    """
    a, b = subject or clean(pair.a), clean(pair.b) if rival is None else rival
    details = [*interval_words(result, pair), *([with_p(result, pair)] if p else [])]
    if same_score(pair):
        same = f"{a} has the same score as {b or clean(pair.b)}"
        same += f", though not on every {result.units.kind}" if pair.discordant else ""
        return f"{same} ({'; '.join(details)})" if details else same
    direction = "higher" if pair.difference > 0 else "lower"
    if not result.metrics[pair.metric].higher_is_better:
        details.insert(0, "lower is better")
    than = f" than {b}" if b else ""
    found = f"{a} scores {size(pair.difference)} {direction}{than}"
    return f"{found} ({'; '.join(details)})" if details else found


def with_p(result: Comparison, pair: PairResult) -> str:
    """Return the p that decides, with its name."""
    return f"{p_name(result)} = {_p(result, pair)}"


def told_apart_words(result: Comparison, metric: str) -> str:
    """Return how many pairs are different."""
    apart, pairs = told_apart(result, metric)
    return f"{apart:,} of {pairs:,} pairs can be told apart."


def detectable_words(result: Comparison, pair: PairResult) -> str:
    """Return which difference this test set could show, or why that is not told.

    The correction for many tests counts: what it takes is more than a pair alone would need. With a
    margin nothing is told, since the power is that of the test of a difference.
    """
    if result.margin_of(pair.metric) is not None:
        return ""
    kind = item_kind(result)
    given = f"With {several(item_count(result, pair.metric), kind)}"
    if corrected_for(result) > 1:
        given += f" and the correction for {family_words(result)}"
    found, why = pair.diagnostics.detectable_corrected, pair.diagnostics.detectable_missing
    if why == UNREACHABLE:
        return f"{given}, no difference could be shown at {result.alpha:g}."
    if why == FEW_DIFFERING:
        items = plural(kind)
        which = f"{pair.discordant:,} of {item_count(result, pair.metric):,} {items}"
        return (
            f"They differ on {which}: too few to count on finding a difference, even if one system "
            "won all of them."
        )
    if why == FEW_ITEMS:
        return f"{given}, it cannot be said how large a difference would be found."
    if why == UNEVEN:
        return (
            f"A few {plural(kind)} make up most of the differences, so that it cannot be said how "
            "large a difference would be found."
        )
    if why == ALIKE:
        return (
            f"All {plural(kind)} add the same to the difference, so that it cannot be said how "
            "large a difference would be found."
        )
    if why == FEW_RUNS:
        return "With so few runs it cannot be said how large a difference would be found."
    if found is None:
        return ""
    if result.metrics[pair.metric].kind == "ratio" and found >= 1:
        return f"{given}, not even the largest difference would be found four times out of five."
    return (
        f"{given}, a true difference of {two_digits(found)} would be found four times out of five."
    )


def _power(result: Comparison, pair: PairResult) -> str:
    """Return the end of a sentence and what could be shown, without the last full stop."""
    words = "" if pair.different else detectable_words(result, pair)
    return f". {words.removesuffix('.')}" if words else ""


def _p(result: Comparison, pair: PairResult) -> str:
    return pair_adjusted(pair, result.alpha)


def _together(result: Comparison) -> str:
    """Return what a correction allows for."""
    number = len(result.systems) - (result.baseline is not None)
    systems = f"{_NUMBERS[number] if number < len(_NUMBERS) else number} systems"
    how = "in pairs" if result.baseline is None else f"with {clean(result.baseline)}"
    return f"{systems} compared {how}"


def interval_words(
    result: Comparison, pair: PairResult, decides: str = "which decides"
) -> list[str]:
    """Return the interval with its level, or nothing where there is none.

    `decides` is what is said of the one that decides a margin.
    """
    if pair.interval is None or result.interval_level is None:
        return []
    if pair.interval == (None, None):
        return []
    words = f"{pair_level_words(result, pair)} {range_words(pair.interval)}"
    scope = decides if decides_words(pair) else interval_scope(result, pair)
    return [f"{words}, {scope}" if scope else words]


def _otherwise(result: Comparison, pair: PairResult) -> str:
    """Return a remark where the test does not speak for the system with the better score."""
    if pair.favours is None or not pair.different:
        return ""
    if not (favours_worse_scorer(result, pair) or same_score(pair)):
        return ""
    lead = pair.units_a_better - pair.units_b_better
    often = lead > 0 if pair.favours == pair.a else lead < 0
    why = ", which is ahead more often" if often else ""
    return f", but the {pair.method} test speaks for {clean(pair.favours)}{why}"
