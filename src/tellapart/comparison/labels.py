"""How many more items people should label beside a judge, and which ones first.

The variance of a difference by n labels of M items is R/n + (A - R)/M: A is that of people's
differences, and R what the judge does not explain of it. Labels so far show both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.judged import judged_values
from tellapart.comparison.plan import Basis, Scenario
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.stats.power import EstimatedError
from tellapart.stats.ppi import (
    FEWEST_LABELS,
    Judged,
    imagined_variance,
    powered_difference,
    powered_mean,
)
from tellapart.words import several

_PRIOR: Final = 4  # labels that the first guess at a stratum's spread is worth
_UNLIKE: Final = 1.5  # how much more people's differences spread where the judge sees one
_FIRST: Final = 5  # labels of every stratum before any has more
_CLOSE: Final = 0.05  # with a smaller share of ties, the middle third is taken for close


def from_labels(counts: Counts, *, cluster: str | None = None) -> Scenario:
    """Return two systems that a judge scored on all items, and people on some; units are labels.

    >>> from tellapart.comparison.plan import Question, make_plan
    >>> judge = {"A": [1, 1, 0, 1, 0] * 40, "B": [1, 0, 0, 1, 1] * 40}
    >>> human = {"A": [1, 1, 0, 0, 0] * 8 + [None] * 160, "B": [1, 0, 0, 1, 0] * 8 + [None] * 160}
    >>> scenario = from_labels(Counts.from_arrays(judge, people=human))
    >>> plan = make_plan(scenario, Question(difference=0.15))
    >>> plan.units, plan.needed < plan.variants["without the judge"]
    (40, True)
    """
    first, second = judged_values(counts, cluster)
    labels, items = min(first.n_labels, second.n_labels), len(counts.items)
    if labels < FEWEST_LABELS:
        raise UsageError(
            f"people labelled {several(labels, counts.kind)} of both systems; a plan needs "
            f"{FEWEST_LABELS} to know how far the judge goes with people (--label-first without "
            "--human lists which)"
        )
    both = powered_difference(first, second)
    alone = powered_difference(first.people_alone, second.people_alone)
    spread, unexplained = alone.bare_variance * labels, alone.bare_variance * labels
    if labels < items:
        unexplained = (both.bare_variance - spread / items) / (1 / labels - 1 / items)
        unexplained = min(max(unexplained, 0.0), spread)
    lost = 2 if first.strata is None else 1 + len(np.unique(first.strata))
    disagreement = first.minus(second).disagreement

    def pilot(left: float) -> EstimatedError:
        def error(n: int) -> tuple[float, float]:
            variance = left / n + (spread - left) / items + imagined_variance(disagreement, n)
            return math.sqrt(variance), max(1, n - lost)

        return EstimatedError(error, labels, both.value, min(FEWEST_LABELS, items), items)

    basis = Basis(
        "labels", counts.people_name, "label", units=labels, difference=abs(both.value) or None,
        systems=counts.names, assumed={"items": items, "kind": counts.kind, "so_far": both.value},
    )  # fmt: skip
    return Scenario(basis, pilot(unexplained), {"without the judge": pilot(spread)})


def judge_strata(counts: Counts) -> tuple[str, ...]:
    """Return for each item which of two systems the judge puts ahead.

    Where the judge hardly ever calls two answers equal, those in the middle third are close.

    >>> judge_strata(Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 1]}))
    ('A ahead', 'level', 'level')
    """
    first, second = counts.names
    judge = counts.column(counts.columns[0])
    ahead = (judge[0] - judge[1]) * (-1 if counts.lower else 1)
    low = high = 0.0
    middle = "level"
    if (ahead == 0).mean() < _CLOSE:
        low, high = np.quantile(ahead, (1 / 3, 2 / 3)).tolist()
        middle = "close"
    names = np.where(
        ahead > high, f"{first} ahead", np.where(ahead < low, f"{second} ahead", middle)
    )
    return tuple(map(str, names.tolist()))


def label_first(counts: Counts, seed: int = 0) -> list[tuple[str, str, float | None, float | None]]:
    """Return all items: those that people saw, then the others in the order to label them.

    Each has its stratum and the scores that people gave both systems already.

    Within each stratum of `judge_strata` the order is random, so that whoever stops anywhere has a
    random part of each, and `strata` makes that right. Strata in which people's differences spread
    further get more labels than their share (Neyman's rule, from the labels so far).
    """
    strata, data = np.array(judge_strata(counts)), judged_values(counts, None)
    apart = data[0].minus(data[1])
    seen = apart.labelled
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    queues = {
        str(name): rng.permutation(np.flatnonzero((strata == name) & ~seen)).tolist()[::-1]
        for name in np.unique(strata)
    }
    quotas = dict(zip(queues, _quotas(apart, strata), strict=True))
    taken = {name: int((seen & (strata == name)).sum()) for name in queues}
    order = [*np.flatnonzero(seen).tolist(), *_interleaved(queues, quotas, taken)]
    first, second = (
        [None if math.isnan(score) else score for score in own.people.tolist()] for own in data
    )
    return [(counts.items[k], str(strata[k]), first[k], second[k]) for k in order]


def _quotas(apart: Judged, strata: NDArray[Any]) -> list[float]:
    """Return the share of labels of each stratum: its share of items times its spread."""
    seen, known = apart.labelled, apart.n_labels
    alone = Judged(apart.judge, apart.people)
    weight = powered_mean(alone).weight if known >= FEWEST_LABELS else 0.0
    residuals = np.where(seen, apart.people - weight * apart.judge, 0.0)
    overall = float(residuals[seen].var()) if known > 1 else 1.0
    spreads = []
    for name in np.unique(strata):
        here = strata == name
        guess = (overall or 1.0) * (1.0 if name in ("level", "close") else _UNLIKE**2)
        own = residuals[seen & here]
        squares = float(((own - own.mean()) ** 2).sum()) if len(own) else 0.0
        variance = (squares + _PRIOR * guess) / (len(own) + _PRIOR)
        spreads.append(float(here.mean()) * math.sqrt(variance))
    return [spread / math.fsum(spreads) for spread in spreads]


def _interleaved(
    queues: dict[str, list[int]], quotas: dict[str, float], taken: dict[str, int]
) -> Iterator[int]:
    """Yield items, always of the stratum that is farthest behind its quota."""
    total = sum(taken.values())
    while waiting := [name for name in queues if queues[name]]:
        few = [name for name in waiting if taken[name] < _FIRST]
        behind = {name: quotas[name] * (total + 1) - taken[name] for name in waiting}
        name = min(few, key=taken.__getitem__) if few else max(waiting, key=behind.__getitem__)
        yield queues[name].pop()
        taken[name] += 1
        total += 1
