"""How a comparison was made, in words: test, items, numbers, correction, intervals."""

from __future__ import annotations

from tellapart.comparison.record import Comparison
from tellapart.words import plural

_RANDOMIZATION = {
    "exact": "exact paired randomization test",
    "enumeration": "exact paired randomization test",
    "shuffles": "paired randomization test",
    "sequential": "sequential paired randomization test",
}
_TESTS = _RANDOMIZATION | {
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
    """Say how it was done, so that anyone can do it again."""
    parts = [_test(result), f"alpha {result.alpha:g}"]
    if result.min_confidence is not None:
        parts.append(f"different only with confidence {result.min_confidence:g}")
    if result.margin is not None:
        many = ", not corrected for several pairs" if result.family["size"] > 1 else ""
        parts.append(f"margin {result.margin:g}, two one-sided tests at alpha{many}")
    parts += [part for part in (_correction(result), _intervals(result), _slices(result)) if part]
    assumed = dict.fromkeys(pair.assumption for pair in result.pairs if pair.assumption)
    parts += [f"assumes {assumption}" for assumption in assumed]
    return f"{'; '.join(parts)}."


def _items(result: Comparison) -> str:
    return plural((result.units["clusters"] or result.units)["kind"])


def _test(result: Comparison) -> str:
    """Name the test with its sides, its shuffles and the seed."""
    names = dict.fromkeys(_TESTS.get(pair.method, f"{pair.method} test") for pair in result.pairs)
    named = " and ".join(names)
    words = [named[0].upper() + named[1:]]
    words.append("two-sided" if result.tail == "two" else f"one-sided ({result.tail})")
    drawn = sorted({pair.shuffles for pair in result.pairs if pair.shuffles})
    items = _items(result)
    if drawn:
        many = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
        what = "resamples" if "bootstrap" in result.test else "shuffles"
        words.append(f"{many} {what} of {items}")
    elif {pair.method for pair in result.pairs} <= {"exact", "enumeration"}:
        words.append(f"all exchanges of {items}")
    if any(pair.method == "sequential" for pair in result.pairs):
        words.append("so that p is an estimate")
    return ", ".join([*words, f"seed {result.seed}"])


def _correction(result: Comparison) -> str:
    """Say what was corrected for, and what was not: by default, not the number of metrics."""
    size, metrics = result.family["size"], len(result.metrics)
    of_each = result.family["kind"] == "metric" and metrics > 1
    if of_each and result.correction != "none":
        hint = f"--family all corrects over all {size * metrics:,}"
        if size == 1:
            return f"no correction over the {metrics} metrics ({hint})"
        return f"{CORRECTIONS[result.correction]} over the {size:,} pairs of each metric ({hint})"
    if size == 1:
        return ""
    pairs = f"{size:,} {'pairs and metrics' if result.family['kind'] == 'all' else 'pairs'}"
    if result.correction != "none":
        return f"{CORRECTIONS[result.correction]} over {pairs}"
    error = result.family["experimentwise_error"]
    return (
        f"no correction over {pairs} (were the tests independent, the chance of a false alarm "
        f"among them would be {error:.2f})"
    )


def _intervals(result: Comparison) -> str:
    """Say how the intervals were made; those of systems follow from those of pairs."""
    if result.interval_level is None:
        return ""
    found = dict.fromkeys(pair.interval_method for pair in result.pairs if pair.interval_method)
    parts = []
    inverted = [name for name in found if name.endswith("inversion")]
    if inverted:
        how = " or ".join(_inverted(result, name) for name in inverted)
        parts.append(f"intervals of differences {how}, of systems by t over {_items(result)}")
    for name in found:
        if name in inverted:
            continue
        if name == "t":
            parts.append(f"intervals by t over {_items(result)}")
        else:
            named = "BCa bootstrap" if name == "bca" else f"{name} bootstrap"
            parts.append(f"intervals by {named}")
    return ", ".join(parts)


def _slices(result: Comparison) -> str:
    """Say how the intervals of slices were made, where that is not as those of pairs."""
    methods = dict.fromkeys(each.interval_method for each in result.slices)
    if "t" not in methods:
        return ""
    others = " and by inverting the test" if any(m and m != "t" for m in methods) else ""
    return f"intervals of slices by t over {_items(result)}{others}"


def _inverted(result: Comparison, name: str) -> str:
    """Say which test an interval inverts: the one that gave p, or another."""
    methods = {pair.method for pair in result.pairs}
    drawn = name == "inversion"
    if methods <= _RANDOMIZATION.keys() and drawn == bool(methods & {"shuffles", "sequential"}):
        return "by inverting the same test"
    return f"by inverting the {'shuffle' if drawn else 'exact randomization'} test"
