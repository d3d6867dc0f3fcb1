"""The finding in words: a question, a short answer, and a sentence or two."""

from __future__ import annotations

from tellapart.comparison import Comparison, PairResult, SystemResult
from tellapart.report.numbers import p_text, signed

_FEW_UNITS = 20  # below, no word about what could have been found


def question(result: Comparison, metric: str) -> str:
    """Return the question that the comparison answers, with its short answer.

    Yes: the best system is ahead of every other. No: the asked-for system is behind one. Perhaps:
    ahead of some, or only while other pairs are not counted. Cannot tell: all else.
    """
    best = ranking(result, metric)[0].name
    if result.tail != "two":
        return _claim_question(result, metric)
    if result.margin is not None:
        return _margin_question(result, metric)
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    if result.baseline is not None:
        return _baseline_question(result, result.baseline, pairs)
    mine = [pair for pair in pairs if best in (pair.a, pair.b)]
    return f"Is {best} really better?  {_answer(mine, result.alpha)}."


def _answer(pairs: list[PairResult], alpha: float) -> str:
    if all(pair.different for pair in pairs):
        return "Yes"
    alone = any(pair.p is not None and pair.p <= alpha for pair in pairs)
    return "Perhaps" if alone else "Cannot tell"


def _claim_question(result: Comparison, metric: str) -> str:
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    shown = [pair for pair in pairs if pair.different]
    if len(pairs) > 1:
        return f"Which claims are shown?  {len(shown)} of {len(pairs)}."
    worded = "better" if result.tail == "greater" else "worse"
    asked = f"Is {pairs[0].a} {worded} than {pairs[0].b}?"
    return f"{asked}  {'Yes' if shown else 'Not shown'}."


def _baseline_question(result: Comparison, baseline: str, pairs: list[PairResult]) -> str:
    others = f"Is {pairs[0].other(baseline)}" if len(pairs) == 1 else "Is any system"
    asked = f"{others} better than {baseline}?"
    ahead = [p for p in pairs if _winner(p, result) not in (baseline, None)]
    if any(pair.different for pair in ahead):
        return f"{asked}  Yes."
    if all(pair.different for pair in pairs):
        return f"{asked}  No."
    near = any(p.p is not None and p.p <= result.alpha for p in ahead)
    return f"{asked}  {'Perhaps' if near else 'Cannot tell'}."


def _margin_question(result: Comparison, metric: str) -> str:
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    margin = f"{result.margin:g}"
    if len(pairs) > 1:
        kept_by = sum(bool(pair.equivalent) for pair in pairs)
        return f"Which systems are equivalent within {margin}?  {kept_by} of {len(pairs)} pairs."
    pair = pairs[0]
    asked = pair.b if pair.a == result.baseline else pair.a
    kept = pair.a_no_worse if asked == pair.a else pair.b_no_worse
    answer = "Yes" if kept else "No" if _beyond_margin(result, pair, asked) else "Cannot tell"
    return f"Is {asked} as good as {pair.other(asked)}?  {answer}, within {margin}."


def _beyond_margin(result: Comparison, pair: PairResult, asked: str) -> bool:
    """Tell whether a loss by more than the margin is shown: the whole interval lies beyond it."""
    seen = pair if pair.a == asked else pair.mirrored()
    if seen.interval is None or result.margin is None:
        return False
    low, high = seen.interval
    if result.metrics[pair.metric]["higher_is_better"]:
        return high is not None and high < -result.margin
    return low is not None and low > result.margin


def ranking(result: Comparison, metric: str) -> list[SystemResult]:
    """Order systems by score, the best first, then by name."""
    sign = -1 if result.metrics[metric]["higher_is_better"] else 1
    return sorted(result.systems, key=lambda s: (sign * s.scores[metric], s.name))


def _winner(pair: PairResult, result: Comparison) -> str | None:
    """Return the system with the better score; None where the scores are equal."""
    if pair.difference == 0:
        return None
    higher = result.metrics[pair.metric]["higher_is_better"]
    return pair.a if (pair.difference > 0) == higher else pair.b


def verdict(result: Comparison, metric: str | None = None) -> str:
    """Return the finding by one metric (the first if none is named)."""
    metric = metric or next(iter(result.metrics))
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    if len(pairs) == 1:
        return _one_pair(result, pairs[0])
    return _many_pairs(result, metric, pairs)


def _one_pair(result: Comparison, pair: PairResult) -> str:
    if pair.discordant == 0:
        return f"{pair.a} and {pair.b} have the same {pair.metric} on every unit; nothing differs."
    first = _winner(pair, result)
    if first is None:
        both = f"{pair.a} and {pair.b} have the same {pair.metric}"
        return f"{both}, though not on every unit (p = {p_text(pair.p_adjusted)})."
    if pair.claim is not None:
        return _claim_words(result, pair, first)
    size = f"{abs(pair.difference):.3f} {_up(result, pair)}"
    second = pair.other(first)
    if pair.different and pair.favours == first:
        lead = f"{first} is better than {second}: its {pair.metric} is {size}"
    else:
        lead = f"{first}'s {pair.metric} is {size} than {second}'s"
    sentence = lead + _interval_words(result, pair, first)
    if pair.different and pair.favours != first:
        return (
            f"{sentence}, but the {pair.method} test speaks for {pair.favours} "
            f"(p = {p_text(pair.p_adjusted)}): it is ahead more often, not by more."
        )
    if pair.different:
        return f"{sentence}, and chance does not explain that (p = {p_text(pair.p_adjusted)})."
    return sentence + _undecided_words(result, pair)


def _up(result: Comparison, pair: PairResult) -> str:
    return "higher" if result.metrics[pair.metric]["higher_is_better"] else "lower"


def _claim_words(result: Comparison, pair: PairResult, first: str) -> str:
    """Say what became of the claim of a one-sided test."""
    size = f"{first}'s {pair.metric} is {abs(pair.difference):.3f} {_up(result, pair)}"
    sentence = f"{size} than {pair.other(first)}'s{_interval_words(result, pair, first)}"
    shown = "is shown" if pair.different else "is not shown"
    return f"{sentence}; the claim that {pair.claim} {shown} (p = {p_text(pair.p_adjusted)})."


def _undecided_words(result: Comparison, pair: PairResult) -> str:
    if result.margin is not None and pair.equivalent:
        return f"; the difference is within {result.margin:g}."
    if pair.p is None:
        return "; the test is undefined."
    words = f"; that cannot be told from chance (p = {p_text(pair.p_adjusted)})"
    asked = pair.b if pair.a == result.baseline else pair.a
    kept = pair.a_no_worse if asked == pair.a else pair.b_no_worse
    if result.margin is not None and kept:
        return f"{words}, and a loss of {result.margin:g} or more by {asked} is ruled out."
    return words + _detectable_words(result, pair) + "."


def _interval_words(result: Comparison, pair: PairResult, first: str) -> str:
    if pair.interval is None or result.interval_level is None:
        return ""
    low, high = pair.interval
    if low is None or high is None:
        return ""
    if pair.a != first:
        low, high = -high, -low
    return f" ({100 * result.interval_level:g} % interval {signed(low)} to {signed(high)})"


def _detectable_words(result: Comparison, pair: PairResult) -> str:
    """Say what this test set could show, where it is large enough to show anything."""
    detectable = pair.diagnostics.get("detectable")
    units = (result.units["clusters"] or result.units)["count"]
    bounded = result.metrics[pair.metric]["class"] == "ratio"
    if not detectable or units < _FEW_UNITS or (bounded and detectable >= 1):
        return ""
    return f"; a true difference of {detectable:.3f} would be found four times out of five"


def _many_pairs(result: Comparison, metric: str, pairs: list[PairResult]) -> str:
    different = [pair for pair in pairs if pair.different]
    counted = f"By {metric}, {len(different)} of {len(pairs)} pairs of systems can be told apart"
    if result.correction != "none":
        counted += f" (p adjusted by {result.correction})"
    if result.baseline is not None:
        return f"{_against_baseline(result, result.baseline, pairs)} {counted}."
    order = ranking(result, metric)
    best = order[0].name
    beside = [
        other.name for other in order[1:]
        if not next(p for p in pairs if {p.a, p.b} == {best, other.name}).different
    ]  # fmt: skip
    if not beside:
        return f"{best} is better than every other system. {counted}."
    shown = ", ".join(beside[:4]) + (f" and {len(beside) - 4} more" if len(beside) > 4 else "")
    if len(beside) == len(order) - 1:
        return f"{best} has the best {metric}, but cannot be told from any other. {counted}."
    return f"{best} has the best {metric}, but cannot be told from {shown}. {counted}."


def _against_baseline(result: Comparison, baseline: str, pairs: list[PairResult]) -> str:
    """Name the systems that are better, worse, or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "not told from it": []}
    for pair in pairs:
        other = pair.other(baseline)
        ahead = "better" if _winner(pair, result) == other else "worse"
        found[ahead if pair.different else "not told from it"].append(other)
    parts = [f"{how}: {', '.join(names)}" for how, names in found.items() if names]
    return f"Against {baseline}, {'; '.join(parts)}."
