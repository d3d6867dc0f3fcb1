"""The sentence of every notice, by its code.

Most are templates, filled in with what the notice is about and its numbers. What readers of files
noticed comes with a sentence of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tellapart.comparison.notices import REMARKS
from tellapart.comparison.record import Comparison, Notice
from tellapart.report.sentences import (
    and_list,
    count_words,
    share_words,
    source_words,
)
from tellapart.report.text import capital, p_text, whole_percent
from tellapart.words import clean, listed, plural, several

Words: TypeAlias = dict[str, Any]
"""What templates are filled in with"""


def notice_sentences(record: Comparison) -> list[str]:
    """Return the sentences of all notices, in order."""
    return [notice_sentence(record, notice) for notice in record.notices]


def warnings_and_remarks(record: Comparison) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return what to beware of, and what goes with the method, each a code and its sentence."""
    told = [(notice.code, notice_sentence(record, notice)) for notice in record.notices]
    remarks = [said for said in told if said[0] in REMARKS]
    return [said for said in told if said[0] not in REMARKS], remarks


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
    one, numbers = len(notice.about) == 1, notice.numbers
    words = {
        "names": listed(notice.about),
        "first": first,
        "second": second,
        "has": "has" if one else "have",
        "s": "s" if one else "",
        "them": "it" if one else "them",
        "kind": record.items.exchanged.kind,
        "kinds": plural(record.items.exchanged.kind),
        "item": record.items.kind,
        "items": plural(record.items.kind),
        "typed": shlex.quote(first),
        "pairs": listed(notice.about, 3),
        "alpha": record.alpha,
        "test": record.test,
        "correction": record.correction,
        "rate": whole_percent(notice.numbers.get("rate", 0.0)),
    }
    for name, value in numbers.items():
        words[f"n_{name}"] = _Count(value) if isinstance(value, int) else value
    reason = _REASONS.get(numbers.get("why") or numbers.get("reason") or "", "")
    return {**words, "why": reason.format_map(words)}


class _Count(int):
    """A number that is written with a noun where one is named: `{n_items:{kind}}`."""

    def __format__(self, form: str) -> str:
        return several(self, form) if form.isidentifier() else super().__format__(form)


# Runs

_REASONS: Final = {
    "undefined": ": a score is undefined",
    "constant": ": all differences are the same",
    "option": "The runs are taken as they are (--runs fixed)",
    "test": "The {test} test takes the runs as they are",
    "correction": "--correction {correction} exchanges items, not runs",
    "confidence": "--min-confidence is about items, not runs",
    "single": "{names} {has} a single run",
    "missing": "More than 10 % of the runs of items are missing",
}


def _runs(_: Comparison, notice: Notice, words: Words) -> str:
    """Return where the uncertainty comes from, and what would help."""
    shares: dict[str, list[float]] = notice.numbers["shares"]
    if not shares:
        return "The verdict allows for other runs: here, runs add no uncertainty."
    uncertainty = _uncertainty(notice, words)
    if notice.code == "repeats-spread":
        return f"{uncertainty}: more repeats or {words['kinds']} help."
    most = [name for name in ("items", "runs", "conditions") if shares[name][0] > 0.5]
    helps = "".join(f": more {source_words(name, words['kind'])} would help most" for name in most)
    helps = helps or f": more runs or {words['kinds']} help"
    return f"The verdict allows for other runs of these systems. {uncertainty}{helps}."


def _uncertainty(notice: Notice, words: Words) -> str:
    """Return the shares of all sources."""
    always = ("items", "runs")[: 1 + (notice.code == "runs")]
    shares = notice.numbers["shares"].items()
    told = {name: ends for name, ends in shares if ends[1] > 0 or name in always}
    named = and_list(share_words(told, words["kind"]))
    return f"Of the uncertainty, {named.replace(' from', ' comes from', 1)}"


# Items and tests


def _few(record: Comparison, notice: Notice, _: Words) -> str:
    remarks = ["intervals are rough"] if notice.numbers["rough_intervals"] else []
    remarks += ["p-values may be too small"] if record.test == "bootstrap" else []
    told = all(answer.answer in ("Yes", "No") for answer in record.answers.values())
    shown = " and ".join(remarks) or ("intervals are wide" if told else "little can be shown")
    return f"Only {count_words(record.items.exchanged)}: {shown}."


def clustered_words(kind: str, notice: Notice) -> str:
    """Return that items may hang together, by a label or by ids that look grouped."""
    about, groups = notice.about, notice.numbers.get("groups", 0)
    if len(about) > 1:
        alike = f"{capital(kind)} ids look grouped ({', '.join(about)} ...)"
        return f"{alike}. If so, name the group in a column for --cluster."
    return (
        f"{capital(plural(kind))} come in {groups:,} groups by {about[0]}, which may be right or "
        f"wrong together: add --cluster {about[0]}."
    )


def _unsettled(_: Comparison, notice: Notice, words: Words) -> str:
    told = "More shuffles would tell on which side of the level p is"
    if not notice.numbers["drawn"]:
        told = "The bounds of p lie on both sides of the level, and the larger one decides"
    return f"{told}: {words['pairs']}."


# Preferences and judges


def _orders_unbalanced(_: Comparison, notice: Notice, words: Words) -> str:
    more = notice.numbers["more"]
    others = f", and so for {several(more, 'other pair')}" if more else ""
    text = (
        "{n_a} stands first {n_a_first:,} times, {n_b} {n_b_first:,} times{others}: if they were "
        "shown so, a judge's bias to a place does not cancel. Judge both orders."
    )
    return text.format(others=others, **words)


def _always_won(_: Comparison, notice: Notice, _words: Words) -> str:
    sides = (("winners", "won always"), ("losers", "lost always"))
    said = [f"{listed(notice.numbers[who])} {how}" for who, how in sides if notice.numbers[who]]
    return (
        f"{' and '.join(said) or 'Some systems won always against some others'}: they may be any "
        "distance apart, and one tie was added to every pair that met."
    )


def _labels_not_random(_: Comparison, notice: Notice, words: Words) -> str:
    odd = [
        f"{name} {own['labelled']:.3f} on them, {own['others']:.3f} on the others (p = "
        f"{p_text(own['p'])})"
        for name, own in notice.numbers["systems"].items()
    ]
    return (
        f"The labelled {words['items']} are unlike the others: the judge gives {listed(odd, 3)}. "
        "Corrected scores hold only if they were drawn at random."
    )


def _labelled_apart(_: Comparison, notice: Notice, words: Words) -> str:
    numbers = ", ".join(f"{own:,} of {name}" for name, own in notice.numbers["labels"].items())
    return (
        f"People did not see the same {words['items']} of all systems ({numbers}; "
        f"{notice.numbers['common']:,} of all), which makes differences less sure."
    )


def _missing_bounds(record: Comparison, notice: Notice, _: Words) -> str:
    low, high = notice.numbers["ends"]
    those = ", ".join(f"{name} lacks {k:,}" for name, k in notice.numbers["lacking"].items() if k)
    items = several(notice.numbers["missing"], record.items.kind)
    text = f"{items} left out ({those})"
    if "p" not in notice.numbers:
        return f"{text}: scores of {low:g} to {high:g} were tried for whether the answer changes."
    ends = [p_text(p, record.alpha) for p in notice.numbers["p"]]
    return f"{text}: with any scores of {low:g} to {high:g}, p is between {ends[0]} and {ends[1]}."


NOTICES: Final[dict[str, str | Callable[[Comparison, Notice, Words], str]]] = {
    "missing-bounds": _missing_bounds,
    "margin-scales": "One margin serves {first} and {second}, whose scales differ: compare them "
    "one by one.",
    "two-scales": "By {n_metric}, {first} scores 1 at most on every {item}, and {second} up to "
    "{n_top:g}: give both on one scale.",
    "bar-scales": "One --at-least serves {first} and {second}, whose scales differ: ask of them "
    "one by one.",
    "no-lowest": "{first} has no known lowest score: the margin is kept if no {item} scores below "
    "{n_lowest:g}, the least seen.",
    "no-bounds": "Bounds need a mean of items that score from 0 to 1, or 0 and 100 alone, and "
    "{first} is none: what the {n_missing:{item}} would change is not known.",
    "runs-used-up": "{names} use{s} up the runs of an item: the verdict is about other {kinds}, "
    "not other runs.",
    "these-runs": "{why}: the verdict holds for these runs only.",
    "runs": _runs,
    "repeats-spread": _runs,
    "single-run": "{names} {has} a single run: with {them} the verdict holds for these runs only.",
    "two-runs": "Two runs hardly tell how far apart runs lie: make three or more of {names}.",
    "direction": "Higher was taken to be better: {names}; --lower-is-better {typed} reverses that.",
    "few-items": _few,
    "few-clusters": _few,
    "maybe-clustered": lambda record, notice, _: clustered_words(record.items.kind, notice),
    "duplicates": "{n_repeated:{item}} with the same {first} as another one, which makes them "
    "dependent: add --cluster {typed}.",
    "identical": "{first} and {second} have the same score on every {kind}; p is 1.",
    "undefined": "{n_metric} of {names} is undefined and counts as {n_value:g}.",
    "cannot-reach": "No outcome could be significant at {alpha:g} where so few items differ: "
    "{pairs}.",
    "few-shuffles": "With {n_pairs:,} pairs and {correction}, nothing can be significant: use "
    "--shuffles {n_needed} or more.",
    "unsettled": _unsettled,
    "unpaired-test": "The unpaired test ignores that the systems saw the same items: use --test "
    "auto.",
    "undefined-test": "The test is undefined for {pairs}{why}.",
    "unequal-spreads": "The randomized Tukey test needs differences that vary alike; by "
    "{first} one varies {n_times:.1f} times as much as another: use --correction maxt.",
    "skewed": "Differences are very skewed, or all the same, on {n_items:{kind}}: p supposes that "
    "each could be reversed, and a rare large one may undo the answer: {pairs}.",
    "not-all-tested": "{n_tested:,} of {n_pairs:,} pairs were tested: the best of {n_systems:,} "
    "systems with all, and neighbours in rank. --baseline NAME compares all with one.",
    "orders-unbalanced": _orders_unbalanced,
    "first-place": "The first place won {rate} (p = {n_p:.2g}), and not every {item} was judged in "
    "both orders: judge both.",
    "always-won": _always_won,
    "one-scale": "One scale does not fit these judgments (p = {n_p:.2g}): some systems beat others "
    "more or less than their scores say.",
    "labels-not-random": _labels_not_random,
    "labelled-apart": _labelled_apart,
    "few-labels": "Only {n_labels} labelled {items}: intervals hold from {n_enough} on.",
    "few-labelled-clusters": "The labels are from {n_clusters} {first} groups: intervals hold from "
    "{n_enough} on.",
    "different-scales": "Judge and people use different scales ({n_judge[0]:g} to {n_judge[1]:g}, "
    "{n_people[0]:g} to {n_people[1]:g}): scores are on people's, and bias is not known.",
}
"""The template of each code that a comparison has, or the function that makes it"""
