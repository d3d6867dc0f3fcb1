"""The items on which two systems differ: found, ordered, chosen, with their scores and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.contributions import contributions
from tellapart.comparison.details import ItemDifference, ShownItem
from tellapart.counts import Counts, ItemTexts
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.metrics.projection import Bound, Projection, project
from tellapart.significance.diagnostics import item_scores, items_apart
from tellapart.words import listed, plural

SHOWN = 500
"""The most items that are shown for one pair and metric: those that differ most, both ways"""


@dataclass(frozen=True, slots=True)
class Differing:
    """The items on which one pair differs, those that contribute most first."""

    items: NDArray[np.int64]
    """Positions of the items that are shown"""
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    contribution: NDArray[np.float64]
    apart: NDArray[np.float64]
    """First minus second, with the exact sign where the metric is a ratio"""
    in_all: int

    def differences(self, place: NDArray[np.int64]) -> tuple[ItemDifference, ...]:
        """Give the items by their new places among those that any pair shows."""
        rows = zip(
            place[self.items].tolist(),
            self.a.tolist(),
            self.b.tolist(),
            (self.a - self.b).tolist(),
            self.contribution.tolist(),
            strict=True,
        )
        return tuple(ItemDifference(*row) for row in rows)


_EMPTY = np.empty(0)
_NONE = Differing(np.empty(0, np.int64), _EMPTY, _EMPTY, _EMPTY, _EMPTY, 0)


class ItemScores:
    """The scores of single items under one metric, for all systems."""

    def __init__(self, projection: Projection, bound: Bound) -> None:
        self._projection, self._bound = projection, bound
        self._alone = item_scores(projection, bound)  # systems × items

    @property
    def known(self) -> bool:
        """Whether single items have scores by this metric."""
        return self._alone is not None

    def differing(self, a: int, b: int, most: int | None = SHOWN) -> Differing:
        """Find the items whose scores differ between two systems, and pick those to be shown."""
        parts = contributions(self._projection, self._bound, a, b)
        if self._alone is None or parts is None:
            return _NONE
        apart = items_apart(self._projection, self._bound, a, b, self._alone)
        differ = np.flatnonzero(apart)
        shown = _both_ways(differ, parts, apart, len(differ) if most is None else most)
        scores = self._alone[:, shown]
        return Differing(shown, scores[a], scores[b], parts[shown], apart[shown], len(differ))


def _both_ways(
    differ: NDArray[np.int64], parts: NDArray[np.float64], apart: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """Pick the items that contribute most, half of them from each side where both have as many."""
    ordered = differ[np.argsort(-np.abs(parts[differ]), kind="stable")]
    if len(ordered) <= most:
        return ordered
    first, second = ordered[apart[ordered] > 0], ordered[apart[ordered] < 0]
    half = most // 2
    room = most - min(len(second), half), most - min(len(first), half)
    kept = np.zeros(len(parts), np.bool_)
    kept[first[: room[0]]] = kept[second[: room[1]]] = True
    return np.asarray(ordered[kept[ordered]])


def shown_places(found: Iterable[Differing], items: int) -> NDArray[np.int64]:
    """Return the number of each item that any pair shows, in order; -1 for all others."""
    shown = np.zeros(items, np.bool_)
    for each in found:
        shown[each.items] = True
    place = np.full(items, -1, np.int64)
    place[shown] = np.arange(int(shown.sum()))
    return place


def item_texts(counts: Counts, place: NDArray[np.int64]) -> tuple[ShownItem, ...]:
    """Collect names, texts and labels of the items that are shown."""
    return tuple(item_text(counts, u) for u in np.flatnonzero(place >= 0).tolist())


def item_text(counts: Counts, item: int) -> ShownItem:
    """Collect name, texts and labels of one item."""
    texts = counts.texts or ItemTexts()
    outputs = [texts.outputs.get(name, ()) for name in counts.names] if texts.outputs else []
    return ShownItem(
        counts.items[item],
        _at(texts.inputs, item),
        _at(texts.golds, item),
        tuple(_at(each, item) for each in outputs),
        tuple((label, values[item]) for label, values in counts.labels.items() if values[item]),
    )


def _at(texts: Sequence[str], item: int) -> str:
    return texts[item] if texts else ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One item: the scores of both systems, and its texts where they are known."""

    item: str
    a: float
    b: float
    a_better: bool
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Of both systems, or nothing"""
    labels: dict[str, str] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """Give all that can be searched."""
        yield from (self.item, self.input, self.gold, *self.outputs, *self.labels.values())


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the items are shown."""

    better: str | None = None
    find: str | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Differences:
    """Two systems item by item: how many differ, and which, largest differences first."""

    a: str
    b: str
    metric: str
    kind: str
    better: int
    tied: int
    worse: int
    _counts: Counts
    _found: Differing
    _sign: int  # -1 where lower is better

    @property
    def items(self) -> tuple[Difference, ...]:
        """All items that differ."""
        return tuple(map(self._item, range(self._found.in_all)))

    def chosen(self, wanted: Wanted) -> tuple[list[Difference], int]:
        """Return the wanted items, and how many there would be without a limit."""
        order = np.arange(self._found.in_all)
        if wanted.better is not None:
            order = order[(self._sign * self._found.apart > 0) == (wanted.better == self.a)]
        if not wanted.find:
            return list(map(self._item, order[: wanted.most].tolist())), len(order)
        found, sought = [], wanted.find.casefold()
        number = 0
        for item in map(self._item, order.tolist()):
            if any(sought in text.casefold() for text in item.texts()):
                number += 1
                if wanted.most is None or number <= wanted.most:
                    found.append(item)
        return found, number

    def _item(self, k: int) -> Difference:
        texts = item_text(self._counts, int(self._found.items[k]))
        return Difference(
            texts.name,
            _short(self._found.a[k]),
            _short(self._found.b[k]),
            bool(self._sign * self._found.apart[k] > 0),
            texts.input,
            texts.gold,
            texts.outputs,
            dict(texts.labels),
        )


def find(
    counts: Counts, names: Sequence[str] = (), metric: str | Metric | None = None
) -> Differences:
    """Find the items on which two systems differ, by one metric (the first if none is named).

    Those that contribute most to the difference come first.

    >>> counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 0.5]}, items=["x", "y", "z"])
    >>> found = find(counts)
    >>> [(item.item, item.a, item.b) for item in found.items], found.tied
    ([('x', 1.0, 0.0), ('z', 1.0, 0.5)], 1)
    """
    counts = _two_systems(counts, names)
    if counts.present is not None:
        raise UsageError(f"the systems do not have the same {plural(counts.kind)}")
    projection = project(counts, None if metric is None else [metric])
    bound = projection.metrics[0]
    scores = ItemScores(projection, bound)
    if not scores.known:
        raise UsageError(
            f"metric {bound.metric.name!r} has no scores of single {plural(counts.kind)}; name "
            "another with --metric"
        )
    found = scores.differing(0, 1, most=None)
    sign = 1 if bound.metric.higher_is_better else -1
    better = int((sign * found.apart > 0).sum())
    return Differences(
        counts.names[0],
        counts.names[1],
        bound.metric.name,
        counts.kind,
        better,
        len(counts.items) - found.in_all,
        found.in_all - better,
        counts,
        found,
        sign,
    )


def _short(score: float) -> float:
    """Take off what sums and products of rounded numbers leave in the last bits.

    >>> _short(0.018000000000000002)
    0.018
    """
    return float(f"{score:.12g}")


def _two_systems(counts: Counts, names: Sequence[str]) -> Counts:
    if len(counts.names) < 2:
        raise UsageError(f"there is one system, {counts.names[0]!r}; give the files of two")
    if names:
        return counts.systems[tuple(names)]
    if len(counts.names) > 2:
        raise UsageError(
            f"there are {len(counts.names)} systems ({listed(counts.names, 8)}): name two of them "
            "before the files"
        )
    return counts
