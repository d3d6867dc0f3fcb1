"""How many more items people should label beside a judge, and which ones first.

The variance of a difference by n labels of M items is R/n + (A - R)/M: A is that of people's
differences, and R what the judge does not explain of it. Labels so far show both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.diagnostics import round_off
from tellapart.comparison.plan import Question
from tellapart.comparison.record import encoded
from tellapart.counts.judged import STRATUM, JudgedScores
from tellapart.errors import UsageError
from tellapart.stats.power import power_by_error
from tellapart.stats.ppi import (
    FEWEST_LABELS,
    Judged,
    imagined_variance,
    powered_difference,
    powered_mean,
)
from tellapart.stats.result import Flags
from tellapart.stats.search import crossing
from tellapart.words import json_text, listed, several

_PRIOR: Final = 4  # labels that the first guess at a stratum's spread is worth
_UNLIKE: Final = 1.5  # how much more people's differences spread where the judge sees one
_FIRST: Final = 5  # labels of every stratum before any has more
_CLOSE: Final = 0.05  # with a smaller share of ties, the middle third is taken for close


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """How many labels tell a difference of two systems, with the judge and without."""

    a: str
    b: str
    kind: str
    items: int
    labels: int
    observed: float
    """The difference so far, by judge and people together"""
    detectable: float
    """The difference that so many labels find, as often as asked"""
    difference: float
    """The difference that should be found"""
    settles: bool
    """Whether that is the difference so far, since none was asked for"""
    needed: int | None
    """Labels for it; None if labels of all items would not do"""
    more: int | None
    """Those of them that are still to be made"""
    needed_alone: int | None
    """Labels for it without the judge"""
    items_needed: int | None
    """Where labels of all items would not do: items that would, all of them labelled"""
    power: float
    alpha: float
    level: float

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json_text(encoded(self))


@dataclass(frozen=True, slots=True)
class ItemToLabel:
    """One item of a list to be labelled, in order."""

    item: str
    stratum: str
    scores: tuple[float | None, float | None]
    """Those that people gave already"""


def plan_labels(
    scores: JudgedScores, question: Question, *, cluster: str | None = None
) -> LabelPlan:
    """Return how many labels it takes to tell two systems apart.

    >>> judge = {"A": [1, 1, 0, 1, 0] * 40, "B": [1, 0, 0, 1, 1] * 40}
    >>> human = {"A": [1, 1, 0, 0, 0] * 8 + [None] * 160, "B": [1, 0, 0, 1, 0] * 8 + [None] * 160}
    >>> plan = plan_labels(JudgedScores.from_arrays(judge, human), Question(difference=0.15))
    >>> plan.labels, plan.needed < plan.needed_alone
    (40, True)
    """
    strata = STRATUM if STRATUM in scores.labels else None
    clusters, parts = (None if name is None else scores.codes(name) for name in (cluster, strata))
    first, second = (
        Judged.of(judge, people, clusters, parts)
        for judge, people in zip(scores.judge, scores.people, strict=True)
    )
    labels, items = min(first.n_labels, second.n_labels), len(scores.items)
    if labels < FEWEST_LABELS:
        raise UsageError(
            f"people labelled {several(labels, scores.kind)} of both systems; a plan needs "
            f"{FEWEST_LABELS} to know how far the judge goes with people (--label-first without "
            "--human lists which)"
        )
    both = powered_difference(first, second)
    people = powered_difference(first.people_alone, second.people_alone)
    spread = people.bare_variance * labels
    curve = _Curve(
        spread,
        _unexplained(spread, both.bare_variance, labels, items),
        items,
        first.minus(second).disagreement,
        question.level,
        question.power,
        2 if parts is None else 1 + len(np.unique(parts)),
    )
    wanted = abs(both.value) if question.difference is None else question.difference
    needed = curve.needed(wanted)
    beyond = None
    if needed is None and wanted > 0:
        beyond = math.ceil(items * (curve.detectable(items) / wanted) ** 2)
    return LabelPlan(
        scores.names[0],
        scores.names[1],
        scores.kind,
        items,
        labels,
        round_off(both.value),
        round_off(curve.detectable(labels)),
        round_off(wanted),
        question.difference is None,
        needed,
        None if needed is None else max(0, needed - labels),
        replace(curve, left=spread).needed(wanted),
        beyond,
        question.power,
        question.alpha,
        question.level,
    )


def chosen_pair(scores: JudgedScores, pair: tuple[str, str] | None) -> JudgedScores:
    """Return the scores of two systems: those named, or the only ones."""
    if pair is not None and pair[0] == pair[1]:
        raise UsageError(f"a pair has two systems, not {pair[0]!r} twice")
    if pair is not None:
        return scores.choose(pair)
    if len(scores.names) != 2:
        here = f"are {listed(scores.names)}; choose them with --pair A B"
        if len(scores.names) == 1:
            here = f"is {scores.names[0]} alone; name another"
        raise UsageError(f"a plan is about two systems, and here {here}")
    return scores


def _unexplained(spread: float, variance: float, labels: int, items: int) -> float:
    """Return what the judge does not explain of people's differences, per label."""
    if labels >= items:
        return spread
    left = (variance - spread / items) / (1 / labels - 1 / items)
    return min(max(left, 0.0), spread)


@dataclass(frozen=True, slots=True)
class _Curve:
    """The variance of a difference by the number of labels, and what follows from it."""

    spread: float
    left: float
    items: int
    disagreement: float
    level: float
    power: float
    lost: int

    def share(self, difference: float, labels: int) -> float:
        """Return how often a true difference is found with so many labels."""
        variance = self.left / labels + (self.spread - self.left) / self.items
        variance += imagined_variance(self.disagreement, labels)
        df = max(1, labels - self.lost)
        return power_by_error(difference, math.sqrt(variance), df, self.level)

    def detectable(self, labels: int) -> float:
        """Return the difference that so many labels find, as often as wanted."""
        high = 1.0
        while self.share(high, labels) < self.power:
            high *= 2
        return crossing(
            lambda size: self.share(size, labels) - self.power, 0.0, high, xtol=1e-7 * high
        )

    def needed(self, wanted: float) -> int | None:
        """Return the least labels that find a difference; None if all items are too few."""
        if wanted <= 0 or self.share(wanted, self.items) < self.power:
            return None
        low, high = min(FEWEST_LABELS, self.items), self.items
        while low < high:
            middle = (low + high) // 2
            enough = self.share(wanted, middle) >= self.power
            low, high = (low, middle) if enough else (middle + 1, high)
        return low


def judge_strata(scores: JudgedScores) -> tuple[str, ...]:
    """Return for each item which of two systems the judge puts ahead.

    Where the judge hardly ever calls two answers equal, those in the middle third are close.

    >>> judge = {"A": [1, 0, 1], "B": [0, 0, 1]}
    >>> judge_strata(JudgedScores.from_arrays(judge, {"A": [1, None, None], "B": [1, None, None]}))
    ('A ahead', 'level', 'level')
    """
    first, second = scores.names
    ahead = (scores.judge[0] - scores.judge[1]) * (1 if scores.higher_is_better else -1)
    low = high = 0.0
    middle = "level"
    if (ahead == 0).mean() < _CLOSE:
        low, high = np.quantile(ahead, (1 / 3, 2 / 3)).tolist()
        middle = "close"
    names = np.where(
        ahead > high, f"{first} ahead", np.where(ahead < low, f"{second} ahead", middle)
    )
    return tuple(map(str, names.tolist()))


def label_first(scores: JudgedScores, seed: int = 0) -> list[ItemToLabel]:
    """Return all items: those that people saw, then the others in the order to label them.

    Within each stratum of `judge_strata` the order is random, so that whoever stops anywhere has a
    random part of each, and `strata` makes that right. Strata in which people's differences spread
    further get more labels than their share (Neyman's rule, from the labels so far).
    """
    strata = np.array(judge_strata(scores))
    seen = np.asarray(~np.isnan(scores.people).any(axis=0))
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    queues = {
        str(name): rng.permutation(np.flatnonzero((strata == name) & ~seen)).tolist()[::-1]
        for name in np.unique(strata)
    }
    quotas = dict(zip(queues, _quotas(scores, strata, seen), strict=True))
    taken = {name: int((seen & (strata == name)).sum()) for name in queues}
    order = [*np.flatnonzero(seen).tolist(), *_interleaved(queues, quotas, taken)]
    known = [[None if math.isnan(x) else x for x in own] for own in scores.people.T.tolist()]
    return [ItemToLabel(scores.items[k], str(strata[k]), (known[k][0], known[k][1])) for k in order]


def _quotas(scores: JudgedScores, strata: NDArray[Any], seen: Flags) -> list[float]:
    """Return the share of labels of each stratum: its share of items times its spread."""
    people, judge = (rows[0] - rows[1] for rows in (scores.people, scores.judge))
    known = int(seen.sum())
    weight = powered_mean(Judged(judge, people)).weight if known >= FEWEST_LABELS else 0.0
    residuals = np.where(seen, people - weight * judge, 0.0)
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
