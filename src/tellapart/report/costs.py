"""Costs in words: who spends less, by how much, and who is as good for less."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.comparison.ranking import in_question
from tellapart.comparison.record import Comparison, CostRatio, Costs, Saving
from tellapart.report.wording import percent
from tellapart.words import clean, listed, p_text, several

MOST_RATIOS = 6
"""Pairs whose costs are told one by one"""
_MOST_SAVINGS = 4
_LESS = {"money": "cheaper", "time": "less time", "tokens": "fewer tokens"}


def cost_sentences(result: Comparison) -> Iterator[str]:
    """Yield what the costs show: savings first, then pairs, then who is dominated."""
    costs = result.costs
    if costs is None:
        return
    yield from saving_sentences(result)
    told = {(each.cost, frozenset((each.system, each.than))) for each in costs.savings}
    open_ones = [
        each for each in costs.ratios if (each.metric, frozenset((each.a, each.b))) not in told
    ]
    for ratio in open_ones[:MOST_RATIOS]:
        yield f"{ratio_words(result, ratio)}."
    if len(open_ones) > MOST_RATIOS:
        more = several(len(open_ones) - MOST_RATIOS, "further pair")
        yield f"Costs of {more} are in the record (--json)."
    yield from dominated_sentences(costs)


def saving_sentences(result: Comparison) -> Iterator[str]:
    """Yield which systems are as good within the margin, and spend less."""
    savings = () if result.costs is None else result.costs.savings
    for each in savings[:_MOST_SAVINGS]:
        yield _saving(result, each)
    if len(savings) > _MOST_SAVINGS:
        yield f"So are {several(len(savings) - _MOST_SAVINGS, 'further pair')}."


def _saving(result: Comparison, saving: Saving) -> str:
    assert result.costs is not None
    ratio = next(
        each
        for each in result.costs.ratios
        if each.metric == saving.cost and {each.a, each.b} == {saving.system, saving.than}
    )
    return (
        f"{clean(saving.system)}: same quality as {clean(saving.than)} within {result.margin:g} by "
        f"{clean(saving.quality)} (or better), {_less(_seen_from(ratio, saving.system))}; both are "
        f"shown together (p = {p_text(saving.p, result.alpha)})."
    )


def ratio_words(result: Comparison, ratio: CostRatio) -> str:
    """Return how the costs of two systems compare."""
    if ratio.cheaper is not None:
        seen = _seen_from(ratio, ratio.cheaper)
        return f"{clean(seen.a)} against {clean(seen.b)}: {_less(seen)}"
    seen = ratio
    if result.baseline is not None or len(result.systems) == 2:
        asked = in_question(result, result.pair(ratio.a, ratio.b, ratio.metric))
        seen = _seen_from(ratio, asked.a)
    share = f"{100 * seen.ratio:.0f} %"
    return (
        f"By {clean(seen.metric)} {clean(seen.a)} spends {share} of what {clean(seen.b)} does"
        f"{_ends_of_ratio(seen)}; that cannot be told from chance"
    )


def _less(seen: CostRatio) -> str:
    """Return how much less the first of a pair spends, with its interval."""
    less = _LESS.get(seen.kind, "less")
    words = f"{_whole(1 - seen.ratio)} % {less} by {clean(seen.metric)}"
    if seen.interval is None or seen.interval_level is None:
        return words
    low, high = seen.interval
    least, most = 0.0 if high is None else 1 - high, 1 - low
    decimals = 0 if most - least >= 0.01 else 1
    ends = " to ".join(_whole(end, decimals) for end in (least, most))
    return f"{words} ({percent(seen.interval_level)} interval {ends})"


def _whole(share: float, decimals: int = 0) -> str:
    """Return a share in percent; 100 only where it is all, and 0 only where it is nothing."""
    words = f"{100 * share:.{decimals}f}"
    if 0 < share < 1 and float(words) in (0, 100):
        return f"{100 * share:.2g}" if share < 0.5 else "over 99"
    return words


def _ends_of_ratio(seen: CostRatio) -> str:
    if seen.interval is None or seen.interval_level is None:
        return ""
    low, high = seen.interval
    most = "any share" if high is None else f"{100 * high:.0f} %"
    return f" ({percent(seen.interval_level)} interval {100 * low:.0f} to {most})"


def _seen_from(ratio: CostRatio, system: str) -> CostRatio:
    """Return a ratio with a system of the pair first."""
    if ratio.a == system:
        return ratio
    interval = None
    if ratio.interval is not None:
        low, high = ratio.interval
        interval = (0.0 if high is None else 1 / high, 1 / low if low > 0 else None)
    return CostRatio(
        ratio.metric,
        ratio.b,
        ratio.a,
        1 / ratio.ratio if ratio.ratio > 0 else float("inf"),
        interval,
        ratio.interval_level,
        ratio.p,
        ratio.cheaper,
        ratio.kind,
    )


def dominated_sentences(costs: Costs) -> Iterator[str]:
    """Yield which systems are dominated: another is as good or better for as little or less."""
    for quality, by_cost in (costs.dominated or {}).items():
        for cost, names in by_cost.items():
            if names:
                yield (
                    f"By what was measured, others are as good by {clean(quality)} for no more "
                    f"{clean(cost)} than {clean(listed(tuple(names), 6))}."
                )
