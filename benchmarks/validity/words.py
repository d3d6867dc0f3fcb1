"""The words of a report: how often equal systems get another answer than Cannot tell, and ranks.

Systems have right and wrong items, of which some are easy and some hard for all. The p of a pair
depends on how many items only the one and only the other has right; it is asked of `compare` once
for each such table, which makes thousands of reports quick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.comparison.answers import CANNOT_TELL, answer, places
from tellapart.comparison.record import Comparison, Pair
from tellapart.stats.corrections import adjust

_ITEMS = 50
_METRIC = "mean"


@cache
def _p(more: int, less: int, items: int) -> float:
    """Return the p of a pair of systems that are right alone on so many items."""
    a = [1] * more + [0] * (items - more)
    b = [0] * more + [1] * less + [0] * (items - more - less)
    counts = ta.Counts.from_arrays({"A": a, "B": b})
    return float(ta.compare(counts, intervals=False).pairs[0].p or 0)


@cache
def _empty(systems: int, baseline: str | None) -> Comparison:
    """Return a report about systems that have nothing right, to be filled in."""
    scores = {f"S{k}": [0] * 20 for k in range(systems)}
    return ta.compare(ta.Counts.from_arrays(scores), intervals=False, baseline=baseline).record


def report(right: NDArray[np.bool_], baseline: str | None = None) -> Comparison:
    """Return the report about systems × items that are right or wrong, by Holm's rule."""
    blank = _empty(len(right), baseline)
    scores = right.mean(axis=1)
    systems = tuple(
        replace(system, scores={_METRIC: float(score)})
        for system, score in zip(blank.systems, scores, strict=True)
    )
    place = {system.name: k for k, system in enumerate(systems)}
    only = (right[:, None] & ~right[None]).sum(axis=2)
    raw = []
    for pair in blank.pairs:
        a, b = place[pair.a], place[pair.b]
        one, other = sorted((int(only[a, b]), int(only[b, a])))
        raw.append(_p(other, one, right.shape[1]))
    adjusted = adjust(raw, blank.correction)
    pairs = tuple(
        _filled(pair, float(scores[place[pair.a]] - scores[place[pair.b]]), p, float(after), blank)
        for pair, p, after in zip(blank.pairs, raw, adjusted, strict=True)
    )
    return replace(blank, systems=systems, pairs=pairs)


def _filled(pair: Pair, difference: float, p: float, adjusted: float, blank: Comparison) -> Pair:
    favours = None if difference == 0 else pair.a if difference > 0 else pair.b
    return replace(
        pair,
        difference=difference,
        p=p,
        p_adjusted=adjusted,
        different=adjusted <= blank.alpha,
        favours=favours,
    )


def _drawn(
    skills: Sequence[float], items: int, sets: int, seed: int
) -> Iterator[NDArray[np.bool_]]:
    """Yield systems × items: skill and ease on the logit scale, the ease the same for all."""
    rng = np.random.default_rng(seed)
    for _ in range(sets):
        ease = rng.normal(0, 1, items)
        chance = 1 / (1 + np.exp(-(np.array(skills)[:, None] + ease)))
        yield rng.random(chance.shape) < chance


def _decided(systems: int, baseline: str | None, sets: int, seed: int) -> float:
    """Return the share of reports on equal systems that say Yes or No."""
    said = [
        answer(report(right, baseline), _METRIC).answer != CANNOT_TELL
        for right in _drawn([0.5] * systems, _ITEMS, sets, seed)
    ]
    return float(np.mean(said))


def _different(systems: int, sets: int, seed: int) -> float:
    """Return the share of reports on equal systems in which the answer or any rank is narrowed."""
    found = []
    for right in _drawn([0.5] * systems, _ITEMS, sets, seed):
        result = report(right)
        found.append(any(each != (1, systems) for each in places(result, _METRIC).values()))
    return float(np.mean(found))


_SKILLS = (0.0, 0.0, 0.6, 0.6, 0.9, 1.8)
"""Two equal pairs of systems, one a little and one far ahead of them"""


def _ranks_hold(items: int, sets: int, seed: int) -> float:
    """Return the share of reports in which the rank of every system holds its true places."""
    skills = np.array(_SKILLS)
    true = [(1 + int((skills > s).sum()), len(skills) - int((skills < s).sum())) for s in skills]
    held = []
    for right in _drawn(_SKILLS, items, sets, seed):
        result = report(right)
        found = places(result, _METRIC)
        inside = [a[0] <= b[0] and b[1] <= a[1] for a, b in zip(found.values(), true, strict=True)]
        held.append(all(inside))
    return float(np.mean(held))


def _row(name: str, measure: Callable[[int, int], float], small: int) -> Setting:
    return Setting(name, measure, most=0.07, small=small)


SETTINGS = (
    *(_row(f"{k} equal systems: an answer but Cannot tell", partial(_decided, k, None), 300)
      for k in (2, 3, 5, 10)),
    *(_row(f"a baseline and {k - 1} equal systems: an answer", partial(_decided, k, "S0"), 300)
      for k in (3, 10)),
    *(_row(f"{k} equal systems: any rank that leaves out a place", partial(_different, k), 300)
      for k in (3, 10)),
    *(Setting(f"6 systems, some equal, {n} items: all ranks hold", partial(_ranks_hold, n),
              least=0.95, small=small)
      for n, small in ((50, 300), (200, 0))),
)  # fmt: skip
