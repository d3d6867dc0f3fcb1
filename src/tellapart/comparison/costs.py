"""Costs beside quality: what systems spend, and which are as good and spend less.

A cost is compared as any value is, by a test of equal means. That a system is as good within the
margin *and* spends less is shown if both are: the test of both claims together needs no correction,
since the larger p counts (Berger 1982, Technometrics 24). Several such claims are corrected by
Holm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison.record import Comparison, Costs, Saving
from tellapart.counts import Counts, errors
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.metrics.directions import is_cost
from tellapart.stats.corrections import holm
from tellapart.words import nearest


def cost_names(named: Sequence[str], metrics: Sequence[Metric]) -> frozenset[str]:
    """Return which metrics are costs: those named, and those whose names say so.

    None is by its name alone where there would be nothing else.

    >>> from tellapart.metrics import mean
    >>> metrics = [mean("f1", "f1"), mean("cost", "cost", higher_is_better=False)]
    >>> sorted(cost_names((), metrics)), sorted(cost_names((), metrics[1:]))
    (['cost'], [])
    """
    known = [metric.name for metric in metrics]
    for name in named:
        if name not in known:
            raise UsageError(
                f"--cost names {name!r}, which is not compared; {nearest(name, known)}"
            )
    by_name = {m.name for m in metrics if not m.higher_is_better and is_cost(m.name)}
    costs = frozenset({*named, *by_name})
    return costs if named or len(costs) < len(known) else frozenset()


def mark_costs(
    counts: Counts, metrics: Sequence[str | Metric] | None, named: Sequence[str]
) -> tuple[Counts, Sequence[str | Metric] | None]:
    """Return counts in which less of what is named is better, and metrics with these among them."""
    if counts.form != "items":
        raise UsageError("--cost is about ready values, and these are counts: drop it")
    known = [str(metric) for metric in metrics or ()]
    if metrics:
        metrics = [*metrics, *(name for name in named if name not in known)]
    ready = [name for name in named if name in counts.columns]
    return (errors(counts, ready) if ready else counts), metrics


def find_costs(record: Comparison) -> Costs:
    """Return what the record says of costs."""
    costs = [name for name, info in record.metrics.items() if info.cost]
    quality = [name for name in record.metrics if name not in costs]
    return Costs(
        tuple(costs),
        tuple(quality),
        tuple(_savings(record, costs, quality)) if record.margin is not None else (),
        {one: {cost: _dominated(record, one, cost) for cost in costs} for one in quality},
    )


def _savings(record: Comparison, costs: Sequence[str], quality: Sequence[str]) -> Iterator[Saving]:
    """Yield which systems are as good as another within the margin, and spend less."""
    for one in quality:
        for cost in costs:
            tried = list(_claims(record, one, cost))
            if not tried:
                continue
            corrected = holm([claim.p for claim, _ in tried])
            for (claim, both), p in zip(tried, corrected.tolist(), strict=True):
                if both and p <= record.alpha:
                    yield Saving(claim.system, claim.than, one, cost, p)


def _claims(record: Comparison, quality: str, cost: str) -> Iterator[tuple[Saving, bool]]:
    """Yield a claim for each pair, about the one that spends less, and whether both parts hold."""
    for spent in record.pairs_of(cost):
        if spent.p is None or spent.difference == 0:
            continue
        seen = spent if spent.difference < 0 else spent.turned()
        good = record.pair(seen.a, seen.b, quality)
        if good.p_a_no_worse is None:
            continue
        claim = Saving(seen.a, seen.b, quality, cost, max(good.p_a_no_worse, spent.p))
        yield claim, bool(good.a_no_worse and seen.different and seen.favours == seen.a)


def _dominated(record: Comparison, quality: str, cost: str) -> dict[str, list[str]]:
    """Return the systems that another one is ahead of by one score, and not behind by the other."""
    sign = 1 if record.metrics[quality].higher_is_better else -1
    places = {s.name: (sign * s.scores[quality], -s.scores[cost]) for s in record.systems}
    found = {
        name: [other for other, there in places.items()
               if there != place and there[0] >= place[0] and there[1] >= place[1]]
        for name, place in places.items()
    }  # fmt: skip
    return {name: others for name, others in found.items() if others}
