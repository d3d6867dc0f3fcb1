"""A sentence that can be pasted in a paper: finding, test, items, correction, margin, seed."""

from __future__ import annotations

from tellapart.comparison.ranking import headline, opposed, shown_first
from tellapart.comparison.record import Comparison, PairResult
from tellapart.report.method import CORRECTIONS
from tellapart.report.numbers import p_text, signed
from tellapart.report.sentences import family_words, interval_words
from tellapart.words import plural, several

_TESTS = {
    "exact": "an exact paired randomization test",
    "enumeration": "an exact paired randomization test",
    "shuffles": "a paired approximate randomization test",
    "sequential": "a sequential paired randomization test",
}


def for_paper(result: Comparison, metric: str, pair: PairResult | None = None) -> str:
    """Write what was found and how, for a pair or for the one that the verdict speaks of.

    >>> import tellapart as ta
    >>> counts = ta.Counts.from_arrays({"A": [1] * 7, "B": [0] * 7}, kind="item")
    >>> print(for_paper(ta.compare(counts, intervals=False), "mean"))  # doctest: +ELLIPSIS
    By mean, A and B differ at the 0.05 level (difference +1.000, p = .0156; an exact paired ...
    """
    pair = headline(result, metric) if pair is None else shown_first(result, pair)
    figures = [f"difference {signed(pair.difference)}", *interval_words(result, pair)]
    return (
        f"By {pair.metric}, {_finding(result, pair)} ({', '.join([*figures, _p(result, pair)])}; "
        f"{_test(result, pair)}, {several(result.units['count'], result.units['kind'])}"
        f"{_clusters(result)}; tellapart {result.tellapart}, seed {result.seed})."
        f"{_margin(result, pair)}"
    )


def _finding(result: Comparison, pair: PairResult) -> str:
    level = f"at the {result.alpha:g} level"
    if pair.claim is not None:
        shown = "is shown" if pair.different else "is not shown"
        return f"the claim that {pair.claim} {shown} {level}"
    verb = "differ" if pair.different else "were not shown to differ"
    for_other = f", and the test speaks for {pair.favours}" if opposed(result, pair) else ""
    return f"{pair.a} and {pair.b} {verb} {level}{for_other}"


def _p(result: Comparison, pair: PairResult) -> str:
    """Write p, and what the correction for many tests makes of it."""
    if pair.p is None:
        return "p undefined"
    p, adjusted = (p_text(each, result.alpha) for each in (pair.p, pair.p_adjusted))
    if result.family["size"] == 1:
        return f"p = {p}"
    if result.correction == "none":
        return f"p = {p}, not corrected for {family_words(result)}"
    after = f"after {CORRECTIONS[result.correction]} correction over {family_words(result)}"
    return f"p = {p}, {'also' if adjusted == p else adjusted} {after}"


def _test(result: Comparison, pair: PairResult) -> str:
    words = _TESTS.get(pair.method, f"the {pair.method} test")
    sides = "two-sided" if result.tail == "two" else "one-sided"
    drawn = f", {pair.shuffles:,} shuffles" if pair.shuffles else ""
    return f"{words}, {sides}{drawn}"


def _clusters(result: Comparison) -> str:
    clusters = result.units["clusters"]
    if clusters is None:
        return ""
    return f" exchanged in {clusters['count']:,} whole {plural(clusters['kind'])}"


def _margin(result: Comparison, pair: PairResult) -> str:
    """Say what two one-sided tests make of a margin."""
    if result.margin is None:
        return ""
    both = ((pair.a, pair.b, pair.a_no_worse, pair.p_a_no_worse),
            (pair.b, pair.a, pair.b_no_worse, pair.p_b_no_worse))  # fmt: skip
    found = []
    for one, other, shown, p in both:
        how = "is" if shown else "is not shown to be"
        known = "" if p is None else f" (p = {p_text(p, result.alpha)})"
        found.append(f"{one} {how} no worse than {other}{known}")
    equivalent = ", so that the two are equivalent" if pair.equivalent else ""
    uncorrected = ", not corrected for several pairs" if result.family["size"] > 1 else ""
    return (
        f" With a margin of {result.margin:g}, by two one-sided tests at the {result.alpha:g} "
        f"level{uncorrected}, {found[0]} and {found[1]}{equivalent}."
    )
