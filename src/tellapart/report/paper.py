"""A sentence that can be pasted in a paper: finding, test, units, correction, seed."""

from __future__ import annotations

from tellapart.comparison import Comparison, PairResult
from tellapart.report.numbers import p_text, signed
from tellapart.report.verdict import headline
from tellapart.words import plural, several

_TESTS = {
    "exact": "an exact paired randomization test",
    "enumeration": "an exact paired randomization test",
    "shuffles": "a paired approximate randomization test",
    "sequential": "a sequential paired randomization test",
}


def for_paper(result: Comparison, metric: str) -> str:
    """Write what was found and how, for the pair that the verdict speaks of."""
    pair = headline(result, metric)
    verb = "differ" if pair.different else "were not shown to differ"
    figures = f"difference {signed(pair.difference)}"
    if pair.interval is not None and result.interval_level is not None:
        low, high = (signed(end) for end in pair.interval)
        figures += f", {100 * result.interval_level:g} % interval {low} to {high}"
    figures += f", p {_p(pair.p)}"
    if pair.p_adjusted != pair.p:
        figures += f", {_p(pair.p_adjusted)} after {result.correction} correction"
        figures += f" over {result.family['size']} comparisons"
    return (
        f"By {metric}, {pair.a} and {pair.b} {verb} at the {result.alpha:g} level ({figures}; "
        f"{_test(result, pair)}, {several(result.units['count'], result.units['kind'])}"
        f"{_clusters(result)}; tellapart {result.tellapart}, seed {result.seed})."
    )


def _p(p: float | None) -> str:
    return "undefined" if p is None else f"= {p_text(p)}"


def _test(result: Comparison, pair: PairResult) -> str:
    words = _TESTS.get(pair.method, f"the {pair.method} test")
    sides = "two-sided" if result.tail == "two" else f"one-sided ({result.tail})"
    drawn = f", {pair.shuffles:,} shuffles" if pair.shuffles else ""
    return f"{words}, {sides}{drawn}"


def _clusters(result: Comparison) -> str:
    clusters = result.units["clusters"]
    if clusters is None:
        return ""
    return f" exchanged in {clusters['count']:,} whole {plural(clusters['kind'])}"
