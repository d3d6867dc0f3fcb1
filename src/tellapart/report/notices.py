"""The sentence of every notice, by its code.

Most are templates, filled in with what the notice is about and its numbers. What readers of files
noticed comes with a sentence of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tellapart.comparison.notices import REMARKS
from tellapart.comparison.ranking import as_reported
from tellapart.comparison.record import Comparison, Notice, Pair
from tellapart.report.sentences import and_list, count_words, exchanged_kind
from tellapart.report.text import p_text, whole_percent
from tellapart.words import clean, listed, plural, several, typed


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
    words = made.format_map(_words(record, notice)) if isinstance(made, str) else (
        made(record, notice)
    )  # fmt: skip
    return clean(words)


def _words(record: Comparison, notice: Notice) -> dict[str, Any]:
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
        "share": whole_percent(notice.numbers.get("share", 0.0)),
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


def _some_pairs(notice: Notice, remark: Callable[[str], str] = lambda _: "") -> str:
    """Return the names of the first pairs, a remark on each, and how many more there are."""
    shown = "; ".join(f"{name}{remark(name)}" for name in notice.about[:3])
    more = len(notice.about) - 3
    return shown if more <= 0 else f"{shown}; and {more} more"


def pair_name(pair: Pair) -> str:
    """Return what a pair is called in notices."""
    return f"{pair.a} - {pair.b}, {pair.metric}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


# Runs

_THESE_RUNS: Final = {
    "option": "The runs are taken as they are (--runs fixed)",
    "test": "The {test} test takes the runs as they are",
    "correction": "--correction {correction} exchanges items, not runs",
    "confidence": "--min-confidence is about exchanges of items, not of runs",
    "single": "{names} {has} a single run",
    "missing": "More than 10 % of the runs of items are missing",
    "metric": "{names} {is} not a function of sums, so that the noise of runs is not known",
}
_SOURCES: Final = {
    "runs": "runs",
    "conditions": "conditions",
    "residual": "chance in single answers",
    "repeats": "chance in repeats of the same answers",
}


def _these_runs(record: Comparison, notice: Notice) -> str:
    why = _THESE_RUNS[notice.numbers["why"]].format_map(_words(record, notice))
    return f"{why}: the verdict holds for these runs only; other runs may give another."


def _runs(record: Comparison, notice: Notice) -> str:
    """Return where the uncertainty comes from, and what would help more."""
    shares: dict[str, list[float]] = notice.numbers["shares"]
    kinds = plural(exchanged_kind(record))
    several = [name for name in ("items", "runs", "conditions") if name in shares]
    most = max(several, key=lambda name: shares[name][0])
    others = [name for name in several if name != most and (name == "items" or shares[name][1] > 0)]
    helps = ""
    if others and all(shares[most][0] > shares[name][1] for name in others):
        less = " or ".join(_SOURCES.get(name, kinds) for name in others)
        helps = f": more {_SOURCES.get(most, kinds)} would help more than more {less}"
    uncertainty = _uncertainty(record, notice)
    return f"The verdict allows for other runs of these systems. {uncertainty}{helps}."


def _uncertainty(record: Comparison, notice: Notice) -> str:
    """Return the shares of all sources."""
    shares: dict[str, list[float]] = notice.numbers["shares"]
    kinds = plural(exchanged_kind(record))
    named = [
        f"{_share_range(low, high)} from {_SOURCES.get(name, kinds)}"
        for name, (low, high) in shares.items()
        if high > 0 or name in ("items", "runs")[: 1 + (notice.code == "runs")]
    ]
    return f"Of the uncertainty, {and_list(named).replace(' from', ' comes from', 1)}"


def _repeats_spread(record: Comparison, notice: Notice) -> str:
    return f"{_uncertainty(record, notice)}: more repeats or {plural(exchanged_kind(record))} help."


def _share_range(low: float, high: float) -> str:
    """Return the shares of several pairs.

    >>> _share_range(0.191, 0.194), _share_range(0.1, 0.25)
    ('19 %', '10 to 25 %')
    """
    first, last = f"{100 * low:.0f}", f"{100 * high:.0f}"
    return f"{last} %" if first == last else f"{first} to {last} %"


# Items


def _few(record: Comparison, notice: Notice) -> str:
    rough, bootstrap = notice.numbers["rough_intervals"], record.test == "bootstrap"
    remarks = ["the intervals are rough"] if rough else []
    if bootstrap:
        remarks.append("and p-values may be too small" if rough else "p-values may be too small")
    elif notice.numbers["exact"]:
        remarks.append("the exact test was used")
    few = f"Only {count_words(record.items.exchanged)}"
    few += ", which is too few" if notice.code == "few-clusters" else ""
    return f"{few}: {', '.join(remarks) or 'little can be shown'}."


def _maybe_clustered(record: Comparison, notice: Notice) -> str:
    return clustered_words(record.items.kind, notice.about, notice.numbers.get("groups", 0))


def clustered_words(kind: str, about: Sequence[str], groups: int) -> str:
    """Return that items may hang together, by a label or by ids that look grouped."""
    if len(about) > 1:
        return (
            f"{_capital(kind)} ids look grouped ({', '.join(about)} ...). If so, add a column that "
            "names the group, and --cluster."
        )
    return (
        f"{_capital(plural(kind))} come in {groups:,} groups by {about[0]}, which may be right or "
        f"wrong together: add --cluster {about[0]}, and trust that answer."
    )


def _skewed(record: Comparison, notice: Notice) -> str:
    (a, b), numbers = notice.about, notice.numbers
    items, kinds = several(numbers["items"], exchanged_kind(record)), plural(exchanged_kind(record))
    seen, more = f"are all the same, on {items}", ""
    if numbers["skewness"] is not None:
        seen = f"are very skewed (skewness {numbers['skewness']:.1f} on {items})"
        more = f"; from about {numbers['enough']:,} {kinds} on it matters little"
    return (
        f"The differences of {a} and {b} by {numbers['metric']} {seen}: p supposes that each could "
        f"as well be reversed, and a rare large one that was not seen may undo the answer{more}."
    )


# Tests

_NO_TEST: Final = {
    "undefined": ": a score is undefined",
    "constant": ": all differences are the same",
}


def _undefined_test(_: Comparison, notice: Notice) -> str:
    why = _NO_TEST.get(notice.numbers["reason"] or "", "")
    return f"The test is undefined for {_some_pairs(notice)}{why}."


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
        told = "The exact p is too near to the level to tell its side; the larger bound decides"
    return f"{told}: {_some_pairs(notice, where_p_is)}."


# Preferences and judges


def _one_scale(_: Comparison, notice: Notice) -> str:
    p = f"{notice.numbers['p']:.2g}"
    return f"One scale does not fit these judgments (p = {p}). Look at the pairs that met."


def _one_order(_: Comparison, notice: Notice) -> str:
    one = notice.numbers["pairs"] == 1
    which = f"{notice.about[0]} was" if one else "of every pair, one system was"
    return (
        f"Only one order was judged: {which} always first (or the columns do not tell the order). "
        "Whether the judge likes a place or a system cannot be told: judge both orders."
    )


def _orders(record: Comparison, notice: Notice) -> str:
    """Return what is to be said of outputs that were not shown in both orders alike."""
    figures, known = notice.numbers, ""
    if figures["p"] is not None:
        known = f"the first place won {whole_percent(figures['rate'])} (p = {figures['p']:.2g})"
    if notice.code == "first-place":
        kind = record.items.kind
        return f"{_capital(known)}, and not every {kind} was judged in both orders. Judge both."
    others = f", and so for {several(figures['more'], 'other pair')}" if figures["more"] else ""
    return (
        f"{figures['a']} was shown first {figures['a_first']:,} times and {figures['b']} "
        f"{figures['b_first']:,} times{others}: a judge's liking for a place does not cancel"
        f"{f'; {known} where both are there' if known else ''}. Judge both orders."
    )


def _always_won(_: Comparison, notice: Notice) -> str:
    sides = (("winners", "won always"), ("losers", "lost always"))
    said = [f"{listed(notice.numbers[who])} {how}" for who, how in sides if notice.numbers[who]]
    return (
        f"{' and '.join(said) or 'Some systems won always against some others'}: how far apart has "
        "no bound. One tie was added to every pair that met; read these scores as at least so far "
        "apart."
    )


def _labels_not_random(record: Comparison, notice: Notice) -> str:
    odd = [
        f"{name} {own['labelled']:.3f} on them, {own['others']:.3f} on the others (p = "
        f"{p_text(own['p'])})"
        for name, own in notice.numbers["systems"].items()
    ]
    return (
        f"The labelled {plural(record.items.kind)} are unlike the others: the judge gives "
        f"{listed(odd, 3)}. Unless they are a random part, do not trust corrected scores."
    )


def _labelled_apart(record: Comparison, notice: Notice) -> str:
    numbers = ", ".join(f"{own:,} of {name}" for name, own in notice.numbers["labels"].items())
    return (
        f"People did not see the same {plural(record.items.kind)} of all systems ({numbers}; "
        f"{notice.numbers['of_all']:,} of all), which makes differences less sure."
    )


def _missing_bounds(record: Comparison, notice: Notice) -> str:
    n, (low, high) = notice.numbers["missing"], notice.numbers["ends"]
    lacking = {name: own for name, own in notice.numbers["lacking"].items() if own}
    those = ", ".join(f"{name} lacks {own:,}" for name, own in lacking.items())
    is_are = "is" if n == 1 else "are"
    text = f"{several(n, record.items.kind)} that not every system has {is_are} left out ({those})"
    scores = f"any scores of {low:g} to {high:g} for {'it' if n == 1 else 'them'}"
    if "p" not in notice.numbers:
        return f"{text}; whether {scores} change the answer was tried."
    ends = [p_text(p, record.alpha) for p in notice.numbers["p"]]
    return f"{text}; with {scores}, p is between {ends[0]} and {ends[1]}."


NOTICES: Final[dict[str, str | Callable[[Comparison, Notice], str]]] = {
    "missing-bounds": _missing_bounds,
    "no-lowest": "{first} has scores below 0, and no known lowest score: the margin is kept if no "
    "{item} scores below {n_lowest:g}, the least that was seen.",
    "no-bounds": "{first} has no known lowest and highest score: whether the {n_missing:{item}} "
    "that not every system has would change the answer is not known.",
    "runs-used-up": "{names} use{s} up the runs of an item: the verdict is about other {kinds}, "
    "not other runs.",
    "these-runs": _these_runs,
    "runs": _runs,
    "repeats-spread": _repeats_spread,
    "single-run": "{names} {has} a single run: with {them} the verdict holds for these runs "
    "only; other runs may give another.",
    "two-runs": "Two runs can hardly tell how far apart the runs of a system lie: make three or "
    "more of {names}.",
    "direction": "The name does not tell which way is better, and higher was taken to be: {names}; "
    "--lower-is-better {typed} reverses that.",
    "clustered": "{Items} of one {first} are not independent: they were taken together.",
    "few-items": _few,
    "few-clusters": _few,
    "maybe-clustered": _maybe_clustered,
    "duplicates": "{n_repeated:{item}} with the {first} of another one, which is not independent: "
    "--cluster {typed} keeps them together.",
    "ceiling": "{share} of {items} are right for all systems by {first}.",
    "identical": "{first} and {second} have the same score on every {kind}; p is 1.",
    "undefined": "{n_metric} of {names} is undefined and counts as {n_value:g}.",
    "cannot-reach": "No outcome could be significant at {alpha:g} where so few items differ: "
    "{pairs}.",
    "floor": "p cannot be smaller than 1/({n_shuffles:,} + 1) with {n_shuffles:,} shuffles.",
    "many-pairs": "{n_pairs:,} pairs were tested without correction.",
    "few-shuffles": "With {n_pairs:,} pairs and {correction}, nothing can be significant below "
    "{n_needed:,} shuffles: use --shuffles {n_needed} or more.",
    "unsettled": _unsettled,
    "unpaired-test": "The unpaired test ignores that the systems saw the same items: use --test "
    "auto.",
    "undefined-test": _undefined_test,
    "joint-null": "The joint null is exact where the differences on an item are symmetric, and "
    "approximate otherwise.",
    "complete-null": "The randomized Tukey test supposes that no system differs.",
    "unequal-spreads": "The randomized Tukey test supposes that all differences vary alike, but "
    "the noisiest pair varies {n_times:.1f} times as much as the quietest by {first}: use "
    "--correction maxt.",
    "outliers": "Half of the difference comes from {n_items:{kind}} or fewer (see tellapart diff): "
    "{pairs}.",
    "outlier": "Half of the difference of {first} and {second} by {n_metric} comes from "
    "{n_items:{kind}}: see tellapart diff.",
    "skewed": _skewed,
    "skewed-pairs": "Of some pairs the differences are very skewed for so few {kinds}: a rare "
    "large one that was not seen may undo the answer: {pairs}.",
    "influence": "Without {kind} {n_item} alone, the answer on {first} and {second} by {n_metric} "
    "would change: look at it.",
    "influences": "Without one {kind} alone, these pairs would come out otherwise: {pairs}.",
    "not-all-tested": "Of {n_pairs:,} pairs of {n_systems:,} systems, {n_tested:,} were tested: "
    "the best system with every other, and neighbours in rank. --baseline NAME compares all "
    "systems with one.",
    "one-scale": _one_scale,
    "one-order": _one_order,
    "orders-unbalanced": _orders,
    "first-place": _orders,
    "always-won": _always_won,
    "labels-not-random": _labels_not_random,
    "labelled-apart": _labelled_apart,
    "few-labels": "Only {n_labels} labelled {items}: intervals hold what they promise from "
    "{n_enough} labels on.",
    "few-labelled-clusters": "The labels are from {n_clusters} {first} groups; intervals hold what "
    "they promise from {n_enough} on.",
    "different-scales": "Judge and people use different scales ({n_judge[0]:g} to {n_judge[1]:g}, "
    "{n_people[0]:g} to {n_people[1]:g}): scores are on people's scale, and bias is not told.",
}
"""The sentence of each code that a comparison has, or the function that makes it"""
