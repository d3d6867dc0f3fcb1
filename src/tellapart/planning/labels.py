"""How many more items people should label beside a judge, and which ones first.

The variance of a difference by n labels of M items is R/n + (A - R)/M: A is that of people's
differences, and R what the judge does not explain of it. Labels so far show both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.judged import judged_values
from tellapart.counts.judged import JudgedScores
from tellapart.errors import UsageError
from tellapart.limits import ALPHA, DIFFERENCE, PLANNED_PAIRS, POWER
from tellapart.significance.diagnostics import round_off
from tellapart.significance.prediction_powered import (
    FEWEST_LABELS,
    Judged,
    difference,
    imagined_variance,
    powered_difference,
    powered_mean,
)
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
    items: int
    labels: int
    kind: str
    found: float
    """The difference so far, by judge and people together"""
    detectable: float
    """The difference that so many labels find, as often as asked"""
    wanted: float
    """The difference that should be found"""
    settles: bool
    """Whether that is the difference so far, since none was asked for"""
    needed: int | None
    """Labels for it; None if labels of all items would not do"""
    needed_alone: int | None
    """The same without the judge"""
    items_needed: int | None
    """Where labels of all items would not do: items that would, all of them labelled"""
    power: float
    alpha: float
    level: float
    """Of the test: alpha, divided by the pairs"""

    @property
    def more(self) -> int | None:
        """Labels that are still to be made."""
        return None if self.needed is None else max(0, self.needed - self.labels)

    def to_json(self) -> str:
        """Return the record as JSON."""
        record: dict[str, Any] = {**asdict(self), "more": self.more}
        return json_text(record)


@dataclass(frozen=True, slots=True)
class Listed:
    """One item of a list to be labelled, in order."""

    item: str
    stratum: str
    scores: tuple[float | None, float | None]
    """Those that people gave already"""


def plan_labels(
    scores: JudgedScores,
    *,
    pair: tuple[str, str] | None = None,
    difference_wanted: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    pairs: int = 1,
    cluster: str | None = None,
) -> LabelPlan:
    """Return how many labels it takes to tell two systems apart.

    >>> judge = {"A": [1, 1, 0, 1, 0] * 40, "B": [1, 0, 0, 1, 1] * 40}
    >>> human = {"A": [1, 1, 0, 0, 0] * 8 + [None] * 160, "B": [1, 0, 0, 1, 0] * 8 + [None] * 160}
    >>> plan = plan_labels(JudgedScores.from_arrays(judge, human), difference_wanted=0.15)
    >>> plan.labels, plan.needed < plan.needed_alone
    (40, True)
    """
    power = float(POWER.checked(power, "power"))
    level = float(ALPHA.checked(alpha, "alpha")) / int(PLANNED_PAIRS.checked(pairs, "pairs"))
    if difference_wanted is not None:
        difference_wanted = float(DIFFERENCE.checked(difference_wanted, "difference"))
    chosen = chosen_pair(scores, pair)
    first, second = (judged_values(chosen, k, cluster) for k in (0, 1))
    labels, items = min(first.n_labels, second.n_labels), len(chosen.items)
    if labels < FEWEST_LABELS:
        raise UsageError(
            f"people labelled {several(labels, chosen.kind)} of both systems; a plan needs "
            f"{FEWEST_LABELS} to know how far the judge goes with people (--label-first without "
            "--human lists which)"
        )
    both = powered_difference(first, second)
    people = powered_difference(first.people_alone, second.people_alone)
    spread = people.bare_variance * labels
    left = _unexplained(spread, both.bare_variance, labels, items)
    imagined = difference(first, second).disagreement
    lost = 2 if first.strata is None else 1 + len(np.unique(first.strata))
    curve = _Curve(spread, left, items, imagined, level, power, lost)
    wanted = abs(both.value) if difference_wanted is None else difference_wanted
    alone = replace(curve, left=spread)
    return LabelPlan(
        chosen.names[0],
        chosen.names[1],
        items,
        labels,
        chosen.kind,
        round_off(both.value),
        round_off(curve.detectable(labels)),
        round_off(wanted),
        difference_wanted is None,
        curve.needed(wanted),
        alone.needed(wanted),
        _items_needed(curve, wanted),
        power,
        alpha,
        level,
    )


def chosen_pair(scores: JudgedScores, pair: tuple[str, str] | None) -> JudgedScores:
    """Return the scores of two systems: those named, or the only ones."""
    if pair is not None:
        if pair[0] == pair[1]:
            raise UsageError(f"a pair has two systems, not {pair[0]!r} twice")
        return scores.choose(pair)
    if len(scores.names) == 1:
        raise UsageError(
            f"a plan is about two systems, and here is {scores.names[0]} alone; name another"
        )
    if len(scores.names) != 2:
        choose = "; choose them with --pair A B" if len(scores.names) > 2 else ""
        verb = "are" if len(scores.names) > 1 else "is"
        raise UsageError(
            f"a plan is about two systems, and here {verb} {listed(scores.names)}{choose}"
        )
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

    def detectable(self, labels: int) -> float:
        """Return the difference that so many labels find, as often as wanted."""
        from scipy.special import ndtri, stdtrit

        freedom = max(1, labels - self.lost)
        variance = self.left / labels + (self.spread - self.left) / self.items
        variance += imagined_variance(self.disagreement, labels)
        needed = float(stdtrit(freedom, 1 - self.level / 2)) + float(ndtri(self.power))
        return needed * math.sqrt(variance)

    def needed(self, wanted: float) -> int | None:
        """Return the least labels that find a difference; None if all items are too few."""
        if wanted <= 0 or self.detectable(self.items) > wanted:
            return None
        low, high = FEWEST_LABELS, self.items
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.detectable(middle) <= wanted else (middle + 1, high)
        return low


def _items_needed(curve: _Curve, wanted: float) -> int | None:
    """Return how many items would do if all were labelled, where those that there are do not."""
    if wanted <= 0 or curve.needed(wanted) is not None:
        return None
    ratio = (curve.detectable(curve.items) / wanted) ** 2
    return math.ceil(curve.items * ratio)


def judge_strata(scores: JudgedScores) -> tuple[str, ...]:
    """Return for each item which of two systems the judge puts ahead.

    Where the judge hardly ever calls two answers equal, those in the middle third are close.

    >>> judge = {"A": [1, 0, 1], "B": [0, 0, 1]}
    >>> judge_strata(JudgedScores.from_arrays(judge, {"A": [1, None, None], "B": [1, None, None]}))
    ('A ahead', 'level', 'level')
    """
    first, second = scores.names
    ahead = scores.judge[0] - scores.judge[1]
    if not scores.higher_is_better:
        ahead = -ahead
    low = high = 0.0
    middle = "level"
    if (ahead == 0).mean() < _CLOSE:
        low, high = (float(end) for end in np.quantile(ahead, (1 / 3, 2 / 3)))
        middle = "close"
    names = np.where(
        ahead > high, f"{first} ahead", np.where(ahead < low, f"{second} ahead", middle)
    )
    return tuple(map(str, names.tolist()))


def label_first(scores: JudgedScores, seed: int = 0) -> list[Listed]:
    """Return all items: those that people saw, then the others in the order to label them.

    Within each stratum of `judge_strata` the order is random, so that whoever stops anywhere has a
    random part of each, and a comparison makes that right. Strata in which people's differences
    spread further get more labels than their share (Neyman's rule, from the labels so far).
    """
    strata = np.array(judge_strata(scores))
    seen = np.asarray(~np.isnan(scores.people).any(axis=0))
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    queues = {
        str(name): rng.permutation(np.flatnonzero((strata == name) & ~seen)).tolist()[::-1]
        for name in np.unique(strata)
    }
    quota = dict(zip(queues, _quotas(scores, strata, seen), strict=True))
    taken = {name: int((seen & (strata == name)).sum()) for name in queues}
    order = [*np.flatnonzero(seen).tolist(), *_interleaved(queues, quota, taken)]
    return [Listed(scores.items[k], str(strata[k]), _known(scores, k)) for k in order]


def _known(scores: JudgedScores, item: int) -> tuple[float | None, float | None]:
    first, second = (float(value) for value in scores.people[:, item])
    return (None if math.isnan(first) else first), (None if math.isnan(second) else second)


def _quotas(scores: JudgedScores, strata: NDArray[Any], seen: NDArray[np.bool_]) -> list[float]:
    """Return the share of labels of each stratum: its share of items times its spread."""
    people = scores.people[0] - scores.people[1]
    judge = scores.judge[0] - scores.judge[1]
    known = int(seen.sum())
    weight = powered_mean(Judged(judge, people)).weight if known >= FEWEST_LABELS else 0.0
    residuals = np.where(seen, people - weight * judge, 0.0)
    overall = float(residuals[seen].var()) if known > 1 else 1.0
    found = []
    for name in np.unique(strata):
        here = strata == name
        guess = (overall or 1.0) * (1.0 if name in ("level", "close") else _UNLIKE**2)
        mine = residuals[seen & here]
        squares = float(((mine - mine.mean()) ** 2).sum()) if len(mine) else 0.0
        variance = (squares + _PRIOR * guess) / (len(mine) + _PRIOR)
        found.append(float(here.mean()) * math.sqrt(variance))
    total = math.fsum(found)
    return [share / total for share in found]


def _interleaved(
    queues: dict[str, list[int]], quota: dict[str, float], taken: dict[str, int]
) -> Iterator[int]:
    """Yield items, always of the stratum that is farthest behind its quota."""
    total = sum(taken.values())
    while any(queues.values()):
        open_ones = [name for name in queues if queues[name]]
        few = [name for name in open_ones if taken[name] < _FIRST]
        if few:
            name = min(few, key=lambda each: taken[each])
        else:
            behind = {each: quota[each] * (total + 1) - taken[each] for each in open_ones}
            name = max(behind, key=behind.__getitem__)
        yield queues[name].pop()
        taken[name] += 1
        total += 1
