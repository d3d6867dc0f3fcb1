"""The method of a comparison in words: for the report, and as a sentence for a paper."""

from __future__ import annotations

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import (
    as_reported,
    favours_worse_scorer,
    has_every_pair,
    headline,
)
from tellapart.comparison.record import Comparison
from tellapart.report.numbers import p_text, pair_adjusted, pair_p, signed
from tellapart.report.sentences import interval_words
from tellapart.report.wording import family_words, item_count, item_kind
from tellapart.significance.registry import JOINT
from tellapart.words import clean, plural, several

_RANDOMIZATION = {
    "exact": "exact paired randomization test",
    "enumeration": "exact paired randomization test",
    "shuffles": "paired randomization test",
    "sequential": "sequential paired randomization test",
}
_FLIPPED = {
    "exact": "exact sign-flip test of residuals",
    "enumeration": "exact sign-flip test of residuals",
    "shuffles": "sign-flip test of residuals",
    "sequential": "sequential sign-flip test of residuals",
}
"""The same, where systems have different denominators and equal scores are tested"""
_TESTS = _RANDOMIZATION | {
    "auto": "no test, for want of scores",
    "runs": "t test over items and runs",
    "unpaired": "unpaired randomization test",
    "bootstrap": "bootstrap test",
    "bootstrap-abs": "bootstrap test of folded differences",
    "bootstrap-t": "studentized bootstrap test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "t": "paired t test",
    "mcnemar": "McNemar's test",
    "chi2": "chi-square test",
    "two-sample-t": "two-sample t test",
    "binomial": "binomial test",
}
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm": "Holm",
    "holm-sidak": "Holm-Šidák",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "maxt": "maxT, step-down",
    "maxt-single": "maxT, single step",
    "minp": "minP, step-down",
    "tukey": "randomized Tukey",
}


def method(result: Comparison) -> str:
    """Return how it was done, so that anyone can do it again."""
    parts = [_test(result), f"alpha {result.alpha:g}"]
    if result.min_confidence is not None:
        parts.append(f"different only with confidence {result.min_confidence:g}")
    if result.margin is not None:
        parts.append(_margin(result, result.margin))
    parts += [
        part
        for part in (
            _over_budget(result),
            _supposed(result),
            _correction(result),
            _intervals(result),
            _slices(result),
        )
        if part
    ]
    parts += [
        f"{clean(metric)} is the {clean(table.aggregate)}" for metric, table in result.suite.items()
    ]
    assumed = dict.fromkeys(pair.assumption for pair in result.pairs if pair.assumption)
    parts += [f"assumes {assumption}" for assumption in assumed]
    return f"{'; '.join(parts)}."


_MARGIN_TESTS = {
    "exact score": "the exact unconditional score test of right and wrong {items}",
    "score": "Tango's score test of right and wrong {items}",
    "bounded score": "the score test of a bounded mean over {items}",
    "runs": "a score test over {items} and t over items and runs",
}


def _margin(result: Comparison, margin: float) -> str:
    """Return how a margin was decided."""
    names = dict.fromkeys(pair.interval_method for pair in result.pairs)
    known = [_MARGIN_TESTS[name] for name in names if name in _MARGIN_TESTS]
    by = f" by {' or '.join(known)}".format(items=_items(result)) if known else ""
    many = f"{margin_correction(result)}, " if margin_correction(result) else ""
    return f"margin {margin:g}, {many}two one-sided tests at alpha{by}"


def margin_p_words(result: Comparison) -> str:
    """Return what the p of a margin is against, and how it is corrected."""
    many = margin_correction(result)
    what = "loss" if result.baseline or len(result.systems) == 2 else "difference"
    words = f"margin p: against a {what} of {result.margin:g} or more"
    return f"{words}, {many}" if many else words


def margin_correction(result: Comparison) -> str:
    """Return how the p-values of a margin are corrected; nothing where there is only one pair."""
    if result.family.size == 1:
        return ""
    if result.correction == "none":
        return f"not corrected for {family_words(result)}"
    named = CORRECTIONS["holm" if result.correction in JOINT else result.correction]
    return f"{named} over {family_words(result)}"


def _items(result: Comparison) -> str:
    return plural(item_kind(result))


def _test(result: Comparison) -> str:
    """Return the test with its sides, its shuffles and the seed."""
    tested = [pair for pair in result.pairs if pair.p is not None] or result.pairs
    named = " and ".join(dict.fromkeys(_test_name(result, pair) for pair in tested))
    words = [named[0].upper() + named[1:]]
    words.append("two-sided" if result.tail == "two" else f"one-sided ({result.tail})")
    drawn = sorted({pair.shuffles for pair in tested if pair.shuffles})
    items = _items(result)
    if drawn:
        many = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
        what = "resamples" if "bootstrap" in result.test else "shuffles"
        words.append(f"{many} {what} of {items}")
    elif {pair.method for pair in tested} <= {"exact", "enumeration"}:
        flipped = all(_is_flipped(result, pair) for pair in tested)
        words.append(f"all {'signs' if flipped else 'exchanges'} of {items}")
    if any(pair.method == "sequential" for pair in result.pairs):
        words.append("so that p is an estimate")
    return ", ".join([*words, f"seed {result.seed}"])


def _is_flipped(result: Comparison, pair: PairResult) -> bool:
    """Return whether signs were flipped of what items add to a difference of scores."""
    on_scale = result.preferences is not None and result.preferences.scale is not None
    return pair.equal_scores or (on_scale and pair.method in _FLIPPED)


def _test_name(result: Comparison, pair: PairResult) -> str:
    names = _FLIPPED if _is_flipped(result, pair) else _TESTS
    return names.get(pair.method, f"{pair.method} test")


def _over_budget(result: Comparison) -> str:
    """Return how many tests are by shuffles although they could be exact."""
    many = sum(pair.how == "budget" for pair in result.pairs)
    if not many:
        return ""
    which = (
        "shuffled" if many == len(result.pairs) else f"{many:,} of {len(result.pairs):,} shuffled"
    )
    if not has_every_pair(result):
        which = "some pairs shuffled"
    return f"{which} because exact tests of all pairs would take more than 6 · 10^9 steps"


def _supposed(result: Comparison) -> str:
    """Return whether equal scores or exchanged outputs were tested, where that is not the same."""
    metrics = dict.fromkeys(pair.metric for pair in result.pairs if _is_flipped(result, pair))
    if not metrics:
        ratios = [n for n, m in result.metrics.items() if m.kind in ("ratio", "function of sums")]
        if not ratios or result.test not in ("exact", "shuffle"):
            return ""
        return f"for {', '.join(ratios)} whole outputs were exchanged (--test auto: equal scores)"
    return (
        f"for {', '.join(metrics)} the signs of what each {item_kind(result)} adds to the "
        "difference were flipped, which supposes equal scores, not that outputs can be exchanged"
    )


def _correction(result: Comparison) -> str:
    """Return what was corrected for, and what was not: never the number of metrics."""
    size, metrics = result.family.size, len(result.metrics)
    if metrics > 1 and result.correction != "none":
        if size == 1:
            return f"no correction over the {metrics} metrics"
        return f"{CORRECTIONS[result.correction]} over the {size:,} pairs of each metric"
    if size == 1:
        return ""
    pairs = f"{size:,} pairs"
    if result.correction != "none":
        return f"{CORRECTIONS[result.correction]} over {pairs}"
    error = result.family.experimentwise_error
    return (
        f"no correction over {pairs} (were the tests independent, the chance of a false alarm "
        f"among them would be {error:.2f})"
    )


def _intervals(result: Comparison) -> str:
    """Return how the intervals were made."""
    if result.interval_level is None:
        return ""
    found = dict.fromkeys(
        pair.interval_method
        for pair in result.pairs
        if pair.interval_method and pair.interval_for != "margin" and _has_ends(pair)
    )
    parts = []
    inverted = [name for name in found if name.endswith("inversion")]
    if inverted:
        parts.append(" or ".join(_inverted(result, name) for name in inverted))
    parts += [_interval_name(result, name) for name in found if name not in inverted]
    alone = dict.fromkeys(
        name
        for each in result.systems
        for metric, name in each.interval_methods.items()
        if each.intervals[metric] != (None, None)
    )
    systems = " or ".join(_interval_name(result, name) for name in alone)
    if not parts or not alone or list(alone) == list(found):
        return f"intervals {', '.join(parts) or f'of systems {systems}'}" if parts or alone else ""
    return f"intervals of differences {', '.join(parts)}, of systems {systems}"


def _has_ends(pair: PairResult) -> bool:
    return not (pair.interval_method or "").startswith("none")


_INTERVALS = {
    "bca": "by BCa bootstrap",
    "percentile": "by percentile bootstrap",
    "basic": "by basic bootstrap",
    "tango": "by Tango's score method",
    "newcombe": "by Newcombe's method",
    "wilson": "by Wilson's method",
    "refits": "by t with the standard error of resamples that were put on the scale again",
}


def _interval_name(result: Comparison, name: str) -> str:
    if name in ("t", "runs"):
        return f"by t over {_items(result)}{' and runs' if name == 'runs' else ''}"
    return _INTERVALS.get(name, f"by {name}")


def _slices(result: Comparison) -> str:
    """Return how the intervals of slices were made, where that is not as those of pairs."""
    methods = sorted({each.interval_method or "" for each in result.slices} - {""}, key="t".__ne__)
    if "t" not in methods:
        return ""
    names = dict.fromkeys(slice_interval_name(result, each) for each in methods)
    return f"intervals of slices {' and '.join(names)}"


def slice_interval_name(result: Comparison, name: str) -> str:
    """Return in words how the interval of a slice was made; its p is by the test it may invert."""
    inverted = name.endswith("inversion")
    return "by inverting the test" if inverted else _interval_name(result, name)


def _inverted(result: Comparison, name: str) -> str:
    """Return which test an interval inverts: the one that gave p, or another."""
    if name == "saddlepoint inversion":
        return "by inverting the randomization test (saddlepoint approximation)"
    methods = {pair.method for pair in result.pairs}
    drawn = name == "inversion"
    if methods <= _RANDOMIZATION.keys() and drawn == bool(methods & {"shuffles", "sequential"}):
        return "by inverting the same test"
    if drawn:
        same = "the same" if methods <= _RANDOMIZATION.keys() else "a randomization"
        return f"by inverting {same} test with shuffles"
    return "by inverting the exact randomization test"


_PAPER_TESTS = {
    "exact": "an exact paired randomization test",
    "enumeration": "an exact paired randomization test",
    "shuffles": "a paired approximate randomization test",
    "sequential": "a sequential paired randomization test",
    "runs": "a t test over items and runs with Satterthwaite's degrees of freedom",
}
_PAPER_FLIPPED = {
    "exact": "an exact sign-flip test of linearised residuals",
    "enumeration": "an exact sign-flip test of linearised residuals",
    "shuffles": "a sign-flip test of linearised residuals",
    "sequential": "a sequential sign-flip test of linearised residuals",
}


def for_paper(result: Comparison, metric: str, pair: PairResult | None = None) -> str:
    """Return a sentence to paste: what was found and how, for a pair or that of the verdict.

    >>> import tellapart as ta
    >>> counts = ta.Counts.from_arrays({"A": [1] * 7, "B": [0] * 7}, kind="item")
    >>> print(for_paper(ta.compare(counts, intervals=False), "mean"))  # doctest: +ELLIPSIS
    By mean, A and B differ at the 0.05 level (difference +1.000, p = .0156; an exact paired ...
    """
    pair = headline(result, metric) if pair is None else as_reported(result, pair)
    numbers = [
        f"difference {signed(pair.difference)}",
        *interval_words(result, pair, "which decides the margin"),
        _paper_p(result, pair),
    ]
    return (
        f"By {pair.metric}, {_paper_finding(result, pair)} ({', '.join(numbers)}; "
        f"{_paper_test(result, pair)}, {items_counted(result, pair)}"
        f"{_paper_clusters(result, pair)}; tellapart {result.tellapart}, seed {result.seed})."
        f"{_paper_margin(result, pair)}"
    )


def _paper_finding(result: Comparison, pair: PairResult) -> str:
    level = f"at the {result.alpha:g} level"
    if pair.claim is not None:
        shown = "is shown" if pair.different else "is not shown"
        return f"the claim that {pair.claim} {shown} {level}"
    verb = "differ" if pair.different else "were not shown to differ"
    against = favours_worse_scorer(result, pair)
    for_other = f", and the test speaks for {pair.favours}" if against else ""
    return f"{pair.a} and {pair.b} {verb} {level}{for_other}"


def _paper_p(result: Comparison, pair: PairResult) -> str:
    """Return p, and what the correction for many tests makes of it."""
    if pair.p is None:
        return "p undefined"
    p, adjusted = (each(pair, result.alpha) for each in (pair_p, pair_adjusted))
    if result.family.size == 1:
        return f"p = {p}"
    if result.correction == "none":
        return f"p = {p}, not corrected for {family_words(result)}"
    after = f"after {CORRECTIONS[result.correction]} correction over {family_words(result)}"
    return f"p = {p}, {'also' if adjusted == p else adjusted} {after}"


def _paper_test(result: Comparison, pair: PairResult) -> str:
    words = _PAPER_FLIPPED[pair.method] if pair.equal_scores else ""
    words = words or _PAPER_TESTS.get(pair.method, f"the {pair.method} test")
    sides = "two-sided" if result.tail == "two" else "one-sided"
    drawn = f", {pair.shuffles:,} shuffles" if pair.shuffles else ""
    return f"{words}, {sides}{drawn}"


def items_counted(result: Comparison, pair: PairResult) -> str:
    """Return how many items a pair was compared on; of several tasks, also how many tasks."""
    units, suite = result.units_of(pair.metric), result.suite.get(pair.metric)
    tasks = "" if suite is None else f" of {several(len(suite.tasks), suite.label)}"
    return f"{several(units.count, units.kind)}{tasks}"


def _paper_clusters(result: Comparison, pair: PairResult) -> str:
    if result.units_of(pair.metric).clusters is None:
        return ""
    return f" exchanged in {item_count(result, pair.metric):,} whole {_items(result)}"


def _paper_margin(result: Comparison, pair: PairResult) -> str:
    """Return what two one-sided tests make of a margin."""
    if result.margin_of(pair.metric) is None:
        return ""
    both = ((pair.a, pair.b, pair.a_no_worse, pair.p_a_no_worse_adjusted),
            (pair.b, pair.a, pair.b_no_worse, pair.p_b_no_worse_adjusted))  # fmt: skip
    found = []
    for one, other, shown, p in both:
        how = "is" if shown else "is not shown to be"
        known = "" if p is None else f" (p = {p_text(p, result.alpha)})"
        found.append(f"{one} {how} no worse than {other}{known}")
    equivalent = ", so that the two are equivalent" if pair.equivalent else ""
    correction = f", {margin_correction(result)}" if margin_correction(result) else ""
    return (
        f" With a margin of {result.margin:g}, by two one-sided tests at the {result.alpha:g} "
        f"level{correction}, {found[0]} and {found[1]}{equivalent}."
    )
