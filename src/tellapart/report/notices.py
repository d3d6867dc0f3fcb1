"""The sentence of every notice, by its code.

Most are templates, filled in with what the notice is about and its numbers. What readers of files
noticed comes with a sentence of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tellapart.comparison.notices import REMARKS
from tellapart.comparison.record import Comparison, Notice
from tellapart.report.sentences import and_list, count_words, exchanged_kind
from tellapart.report.text import p_text, whole_percent
from tellapart.words import clean, listed, plural, several, typed

Words: TypeAlias = dict[str, Any]
"""What templates are filled in with"""


def notice_sentences(record: Comparison) -> list[str]:
    """Return the sentences of all notices, in order."""
    return [notice_sentence(record, notice) for notice in record.notices]


def warnings(record: Comparison) -> list[str]:
    """Return the sentences of what may change what a reader does."""
    return [notice_sentence(record, n) for n in record.notices if n.code not in REMARKS]


def remarks(record: Comparison) -> list[str]:
    """Return the sentences that tell how data were taken."""
    return [notice_sentence(record, n) for n in record.notices if n.code in REMARKS]


def notice_sentence(record: Comparison, notice: Notice) -> str:
    """Return the sentence of a notice: that of its reader, or the one for its code."""
    if notice.text is not None:
        return clean(notice.text)
    made = NOTICES[notice.code]
    words = _words(record, notice)
    return clean(made.format_map(words) if isinstance(made, str) else made(record, notice, words))


def _words(record: Comparison, notice: Notice) -> Words:
    """Return what templates are filled in with."""
    first, second = (*notice.about, "", "")[:2]
    one = len(notice.about) == 1
    return {
        "names": listed(notice.about),
        "first": first,
        "second": second,
        "has": "has" if one else "have",
        "is": "is" if one else "are",
        "s": "s" if one else "",
        "them": "it" if one else "them",
        "kind": exchanged_kind(record),
        "kinds": plural(exchanged_kind(record)),
        "item": record.items.kind,
        "items": plural(record.items.kind),
        "Items": _capital(plural(record.items.kind)),
        "typed": typed(first),
        "pairs": _some_pairs(notice),
        "alpha": record.alpha,
        "test": record.test,
        "correction": record.correction,
        **{
            f"n_{name}": _Count(value) if isinstance(value, int) else value
            for name, value in notice.numbers.items()
        },
    }


class _Count(int):
    """A number that is written with a noun where one is named: `{n_items:{kind}}`."""

    def __format__(self, form: str) -> str:
        return several(self, form) if form.isidentifier() else super().__format__(form)


def _some_pairs(notice: Notice) -> str:
    """Return the names of the first pairs, and how many more there are."""
    shown = "; ".join(notice.about[:3])
    more = len(notice.about) - 3
    return shown if more <= 0 else f"{shown}; and {more} more"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


# Runs

_THESE_RUNS: Final = {
    "option": "The runs are taken as they are (--runs fixed)",
    "test": "The {test} test takes the runs as they are",
    "correction": "--correction {correction} exchanges items, not runs",
    "confidence": "--min-confidence is about items, not runs",
    "single": "{names} {has} a single run",
    "missing": "More than 10 % of the runs of items are missing",
    "metric": "The noise of runs is not known for {names}",
}
_SOURCES: Final = {
    "runs": "runs",
    "conditions": "conditions",
    "residual": "chance in single answers",
    "repeats": "chance in repeats of the same answers",
}


def _these_runs(_: Comparison, notice: Notice, words: Words) -> str:
    why = _THESE_RUNS[notice.numbers["why"]].format_map(words)
    return f"{why}: the verdict holds for these runs only."


def _runs(_: Comparison, notice: Notice, words: Words) -> str:
    """Return where the uncertainty comes from, and what would help most."""
    shares: dict[str, list[float]] = notice.numbers["shares"]
    most = [name for name in ("items", "runs", "conditions") if shares[name][0] > 0.5]
    helps = "".join(f": more {_source(name, words)} would help most" for name in most)
    uncertainty = _uncertainty(notice, words)
    return f"The verdict allows for other runs of these systems. {uncertainty}{helps}."


def _source(name: str, words: Words) -> str:
    return _SOURCES.get(name, str(words["kinds"]))


def _uncertainty(notice: Notice, words: Words) -> str:
    """Return the shares of all sources."""
    always = ("items", "runs")[: 1 + (notice.code == "runs")]
    named = [
        f"{_share_range(low, high)} from {_source(name, words)}"
        for name, (low, high) in notice.numbers["shares"].items()
        if high > 0 or name in always
    ]
    return f"Of the uncertainty, {and_list(named).replace(' from', ' comes from', 1)}"


def _repeats_spread(_: Comparison, notice: Notice, words: Words) -> str:
    return f"{_uncertainty(notice, words)}: more repeats or {words['kinds']} help."


def _share_range(low: float, high: float) -> str:
    """Return the shares of several pairs.

    >>> _share_range(0.191, 0.194), _share_range(0.1, 0.25)
    ('19 %', '10 to 25 %')
    """
    first, last = f"{100 * low:.0f}", f"{100 * high:.0f}"
    return f"{last} %" if first == last else f"{first} to {last} %"


# Items and tests


def _few(record: Comparison, notice: Notice, _: Words) -> str:
    small = "p-values may be too small"
    remarks = ["the intervals are rough"] if notice.numbers["rough_intervals"] else []
    if record.test == "bootstrap":
        remarks.append(f"and {small}" if remarks else small)
    elif notice.numbers["exact"]:
        remarks.append("the exact test was used")
    shown = ", ".join(remarks) or "little can be shown"
    return f"Only {count_words(record.items.exchanged)}: {shown}."


def _maybe_clustered(record: Comparison, notice: Notice, _: Words) -> str:
    return clustered_words(record.items.kind, notice)


def clustered_words(kind: str, notice: Notice) -> str:
    """Return that items may hang together, by a label or by ids that look grouped."""
    about, groups = notice.about, notice.numbers.get("groups", 0)
    if len(about) > 1:
        alike = f"{_capital(kind)} ids look grouped ({', '.join(about)} ...)"
        return f"{alike}. If so, name the group in a column, and add --cluster."
    return (
        f"{_capital(plural(kind))} come in {groups:,} groups by {about[0]}, which may be right or "
        f"wrong together: add --cluster {about[0]}, and trust that answer."
    )


def _undefined_test(_: Comparison, notice: Notice, words: Words) -> str:
    why = {"undefined": ": a score is undefined", "constant": ": all differences are the same"}
    reason = why.get(notice.numbers["reason"] or "", "")
    return f"The test is undefined for {words['pairs']}{reason}."


def _unsettled(_: Comparison, notice: Notice, words: Words) -> str:
    told = "More shuffles are needed to settle on which side of the level p is"
    if not notice.numbers["drawn"]:
        told = "The exact p is too near to the level to tell its side; the larger bound decides"
    return f"{told}: {words['pairs']}."


# Preferences and judges


def _one_order(_: Comparison, notice: Notice, words: Words) -> str:
    which = words["first"] if notice.numbers["pairs"] == 1 else "of every pair, one system"
    return (
        f"Only one order was judged: {which} was always first (or the columns do not tell). A "
        "liking for a place looks like one for a system: judge both orders."
    )


def _orders(_: Comparison, notice: Notice, words: Words) -> str:
    """Return what is to be said of outputs that were not shown in both orders alike."""
    figures, known = notice.numbers, ""
    if figures["p"] is not None:
        known = f"the first place won {whole_percent(figures['rate'])} (p = {figures['p']:.2g})"
    if notice.code == "first-place":
        item = words["item"]
        return f"{_capital(known)}, and not every {item} was judged in both orders. Judge both."
    others = f", and so for {several(figures['more'], 'other pair')}" if figures["more"] else ""
    where_both = f" ({known} where both are there)" if known else ""
    return (
        f"{figures['a']} was shown first {figures['a_first']:,} times and {figures['b']} "
        f"{figures['b_first']:,} times{others}: "
        f"a judge's liking for a place does not cancel{where_both}. Judge both orders."
    )


def _always_won(_: Comparison, notice: Notice, _words: Words) -> str:
    sides = (("winners", "won always"), ("losers", "lost always"))
    said = [f"{listed(notice.numbers[who])} {how}" for who, how in sides if notice.numbers[who]]
    return (
        f"{' and '.join(said) or 'Some systems won always against some others'}: how far apart has "
        "no bound. One tie was added to every pair that met; read scores as at least so far apart."
    )


def _labels_not_random(_: Comparison, notice: Notice, words: Words) -> str:
    odd = [
        f"{name} {own['labelled']:.3f} on them, {own['others']:.3f} on the others (p = "
        f"{p_text(own['p'])})"
        for name, own in notice.numbers["systems"].items()
    ]
    return (
        f"The labelled {words['items']} are unlike the others: the judge gives {listed(odd, 3)}. "
        "Unless they are a random part, do not trust corrected scores."
    )


def _labelled_apart(_: Comparison, notice: Notice, words: Words) -> str:
    numbers = ", ".join(f"{own:,} of {name}" for name, own in notice.numbers["labels"].items())
    return (
        f"People did not see the same {words['items']} of all systems ({numbers}; "
        f"{notice.numbers['of_all']:,} of all), which makes differences less sure."
    )


def _missing_bounds(record: Comparison, notice: Notice, _: Words) -> str:
    n, (low, high) = notice.numbers["missing"], notice.numbers["ends"]
    lacking = {name: own for name, own in notice.numbers["lacking"].items() if own}
    those = ", ".join(f"{name} lacks {own:,}" for name, own in lacking.items())
    items = several(n, record.items.kind)
    text = f"{items} not every system has {'is' if n == 1 else 'are'} left out"
    scores = f"any scores of {low:g} to {high:g} for {'it' if n == 1 else 'them'}"
    if "p" not in notice.numbers:
        return f"{text} ({those}); whether {scores} change the answer was tried."
    ends = [p_text(p, record.alpha) for p in notice.numbers["p"]]
    return f"{text} ({those}); with {scores}, p is between {ends[0]} and {ends[1]}."


NOTICES: Final[dict[str, str | Callable[[Comparison, Notice, Words], str]]] = {
    "missing-bounds": _missing_bounds,
    "no-lowest": "{first} has scores below 0, and no known lowest one: the margin is kept if no "
    "{item} scores below {n_lowest:g}, the least that was seen.",
    "no-bounds": "{first} has no known lowest and highest score: whether the {n_missing:{item}} "
    "not every system has would change the answer is not known.",
    "runs-used-up": "{names} use{s} up the runs of an item: the verdict is about other {kinds}, "
    "not other runs.",
    "these-runs": _these_runs,
    "runs": _runs,
    "repeats-spread": _repeats_spread,
    "single-run": "{names} {has} a single run: with {them} the verdict holds for these runs only.",
    "two-runs": "Two runs hardly tell how far apart runs lie: make three or more of {names}.",
    "direction": "Higher was taken to be better: {names}; --lower-is-better {typed} reverses that.",
    "few-items": _few,
    "few-clusters": _few,
    "maybe-clustered": _maybe_clustered,
    "duplicates": "{n_repeated:{item}} with the {first} of another one, which is not independent: "
    "--cluster {typed} keeps them together.",
    "identical": "{first} and {second} have the same score on every {kind}; p is 1.",
    "undefined": "{n_metric} of {names} is undefined and counts as {n_value:g}.",
    "cannot-reach": "No outcome could be significant at {alpha:g} where so few items differ: "
    "{pairs}.",
    "floor": "p cannot be smaller than 1/({n_shuffles:,} + 1) with {n_shuffles:,} shuffles.",
    "many-pairs": "{n_pairs:,} pairs were tested without correction.",
    "few-shuffles": "With {n_pairs:,} pairs and {correction}, nothing can be significant: use "
    "--shuffles {n_needed} or more.",
    "unsettled": _unsettled,
    "unpaired-test": "The unpaired test ignores that the systems saw the same items: use --test "
    "auto.",
    "undefined-test": _undefined_test,
    "unequal-spreads": "The randomized Tukey test supposes that all differences vary alike; by "
    "{first} one varies {n_times:.1f} times as much as another: use --correction maxt.",
    "skewed": "The differences are very skewed, or all the same, on {n_items:{kind}}: p supposes "
    "that each could as well be reversed, and a rare large one not yet seen may undo the answer: "
    "{pairs}.",
    "influence": "Leaving out one {kind} ({n_items}) would change whether they are told apart: "
    "{pairs}.",
    "not-all-tested": "Of {n_pairs:,} pairs of {n_systems:,} systems, {n_tested:,} were tested: "
    "the best with every other, and neighbours in rank. --baseline NAME compares all with one.",
    "one-scale": "One scale does not fit these judgments (p = {n_p:.2g}). Look at the pairs that "
    "met.",
    "one-order": _one_order,
    "orders-unbalanced": _orders,
    "first-place": _orders,
    "always-won": _always_won,
    "labels-not-random": _labels_not_random,
    "labelled-apart": _labelled_apart,
    "few-labels": "Only {n_labels} labelled {items}: intervals hold from {n_enough} on.",
    "few-labelled-clusters": "The labels are from {n_clusters} {first} groups: intervals hold from "
    "{n_enough} on.",
    "different-scales": "Judge and people use different scales ({n_judge[0]:g} to {n_judge[1]:g}, "
    "{n_people[0]:g} to {n_people[1]:g}): scores are on people's, and bias is not told.",
}
"""The template of each code that a comparison has, or the function that makes it"""
