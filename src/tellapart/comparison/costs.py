"""Costs beside quality: what systems spend, and which are as good and spend less.

A cost is compared as any value is, by a test of equal means; beside it stands the ratio of the
means. That a system is as good within the margin *and* spends less is shown if both are: the test
of both claims together needs no correction, since the larger p counts (Berger 1982, Technometrics
24). Several such claims are corrected by Holm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison, CostRatio, Costs, Saving
from tellapart.counts import Counts, errors
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.directions import cost_kind, is_cost
from tellapart.metrics.projection import BoundRatio
from tellapart.significance.corrections import adjust
from tellapart.significance.interval_formulas import fieller_interval
from tellapart.words import nearest


def cost_names(named: Sequence[str], metrics: Sequence[Metric]) -> frozenset[str]:
    """Return which metrics are costs: those named, and those whose names say so.

    None is by its name alone where there would be nothing else.

    >>> from tellapart.metrics import mean
    >>> some = [mean("f1", "f1"), mean("cost", "cost", higher_is_better=False)]
    >>> sorted(cost_names((), some)), sorted(cost_names((), some[1:]))
    (['cost'], [])
    """
    known = [each.name for each in metrics]
    for name in named:
        if name not in known:
            raise UsageError(
                f"--cost names {name!r}, which is not compared; {nearest(name, known)}"
            )
    told = {each.name for each in metrics if not each.higher_is_better and is_cost(each.name)}
    found = frozenset({*named, *told})
    return found if named or len(found) < len(known) else frozenset()


def with_costs(
    counts: Counts, metrics: Sequence[str | Metric] | None, named: Sequence[str]
) -> tuple[Counts, Sequence[str | Metric] | None]:
    """Return counts in which less of what is named is better, and metrics with these among them."""
    if counts.form != "items":
        raise UsageError("--cost is about ready values, and these are counts: drop it")
    known = [str(each) for each in metrics or ()]
    if metrics:
        metrics = [*metrics, *(name for name in named if name not in known)]
    ready = [name for name in named if name in counts.columns]
    return (errors(counts, ready) if ready else counts), metrics


def find_costs(result: Comparison) -> Costs | None:
    """Return what the record says of costs; None where there are none."""
    costs = [name for name, each in result.metrics.items() if each.cost]
    if not costs or result.tail != "two":
        return None
    quality = [name for name in result.metrics if name not in costs]
    ratios = [found for pair in result.pairs if pair.metric in costs
              if (found := _ratio(result, pair)) is not None]  # fmt: skip
    return Costs(
        tuple(costs),
        tuple(quality),
        tuple(ratios),
        tuple(_savings(result, costs, quality)) if result.margin is not None else (),
        {one: {cost: _dominated(result, one, cost) for cost in costs} for one in quality},
    )


def _ratio(result: Comparison, pair: PairResult) -> CostRatio | None:
    """Return how the costs of a pair compare; None where there is nothing to divide by."""
    scores = {system.name: system.scores[pair.metric] for system in result.systems}
    if scores[pair.b] <= 0 or scores[pair.a] < 0:
        return None
    level = pair.interval_level
    return CostRatio(
        pair.metric,
        pair.a,
        pair.b,
        scores[pair.a] / scores[pair.b],
        None if level is None else _interval(result, pair, 1 - level),
        level,
        pair.p_adjusted,
        pair.favours if pair.different else None,
        cost_kind(pair.metric),
    )


def _interval(
    result: Comparison, pair: PairResult, error: float
) -> tuple[float, float | None] | None:
    """Return the interval of a ratio, which leaves out 1 just where the test decides."""
    analysis = result.analysis_of(pair.metric)
    if analysis is None or analysis.counts.present is not None:
        return None
    projection = analysis.projection
    bound = next(each for each in projection.metrics if each.metric.name == pair.metric)
    if not isinstance(bound, BoundRatio) or not isinstance(bound.metric, Ratio):
        return None
    names = projection.counts.names
    one, other = (projection.forms[bound.numerator, names.index(name)] for name in (pair.a, pair.b))
    found = fieller_interval(one, other, error, _inflation(pair))
    if found is None:
        return None
    low, high = found
    if not pair.different:
        return min(low, 1.0), None if high is None else max(high, 1.0)
    if pair.difference < 0:
        return low, 1.0 if high is None else min(high, 1.0)
    return max(low, 1.0), high


def _inflation(pair: PairResult) -> float:
    """Return by how much other runs widen the standard error that the items show."""
    if pair.noise is None or pair.noise.items <= 0:
        return 1.0
    whole = pair.noise.items + pair.noise.runs + pair.noise.chance
    return float((whole / (pair.noise.items + pair.noise.chance)) ** 0.5)


def _savings(result: Comparison, costs: Sequence[str], quality: Sequence[str]) -> Iterator[Saving]:
    """Yield which systems are as good as another within the margin, and spend less."""
    for one in quality:
        for cost in costs:
            tried = list(_claims(result, one, cost))
            if not tried:
                continue
            corrected = adjust([claim.p for claim, _ in tried], "holm")
            for (claim, both), p in zip(tried, corrected.tolist(), strict=True):
                if both and p <= result.alpha:
                    yield Saving(claim.system, claim.than, one, cost, p)


def _claims(result: Comparison, quality: str, cost: str) -> Iterator[tuple[Saving, bool]]:
    """Yield a claim for each pair, about the one that spends less, and whether both parts hold."""
    for spent in result.pairs:
        if spent.metric != cost or spent.p is None or spent.difference == 0:
            continue
        seen = spent if spent.difference < 0 else spent.mirrored()
        good = result.pair(seen.a, seen.b, quality)
        if good.p_a_no_worse is None:
            continue
        claim = Saving(seen.a, seen.b, quality, cost, max(good.p_a_no_worse, spent.p))
        yield claim, bool(good.a_no_worse and seen.different and seen.favours == seen.a)


def _dominated(result: Comparison, quality: str, cost: str) -> dict[str, list[str]]:
    """Return the systems that another one is ahead of by one score, and not behind by the other."""
    sign = 1 if result.metrics[quality].higher_is_better else -1
    places = {each.name: (sign * each.scores[quality], -each.scores[cost])
              for each in result.systems}  # fmt: skip
    found = {
        name: [other for other, there in places.items()
               if there != place and there[0] >= place[0] and there[1] >= place[1]]
        for name, place in places.items()
    }  # fmt: skip
    return {name: by for name, by in found.items() if by}
