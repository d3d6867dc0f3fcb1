"""The items on which two systems differ, what each contributes to the difference, and its texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.ordering import in_order
from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.passes import with_passes
from tellapart.metrics.projection import (
    Bound,
    BoundFunction,
    BoundRatio,
    Projection,
    metrics_of,
    project,
)
from tellapart.significance.diagnostics import item_scores, signed_item_differences
from tellapart.words import listed, plural

SHOWN = 500
"""The most items that are shown for one pair and metric: those that differ most, both ways"""
MOST_POINTS = 400
"""The most contributions that a figure shows"""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item on which two systems differ, with the score of each."""

    position: int
    """In `Details.items`"""
    a: float
    b: float
    difference: float
    """First minus second, of the item's own scores"""
    contribution: float = 0.0
    """The item's part in the systems' difference; all parts add up to it times the items"""

    def mirrored(self) -> ItemDifference:
        """Return the same seen from the second system."""
        turned = 0.0 - self.difference, 0.0 - self.contribution
        return ItemDifference(self.position, self.b, self.a, *turned)


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item that some pair differs on: its name, texts and labels."""

    name: str
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Per system, in the order of the comparison; empty where no outputs are known"""
    labels: tuple[tuple[str, str], ...] = ()
    view: ItemView | None = None
    """What else there is to look at"""


@dataclass(frozen=True, slots=True)
class DifferingItems:
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
        """Return the items by their new places among those that any pair shows."""
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
_NONE = DifferingItems(np.empty(0, np.int64), _EMPTY, _EMPTY, _EMPTY, _EMPTY, 0)


class ItemScores:
    """The scores of single items under one metric, for all systems."""

    def __init__(self, projection: Projection, bound: Bound) -> None:
        self._projection, self._bound = projection, bound
        self._alone = item_scores(projection, bound)  # systems × items

    @property
    def known(self) -> bool:
        """Whether single items have scores by this metric."""
        return self._alone is not None

    def differing(self, a: int, b: int, most: int | None = SHOWN) -> DifferingItems:
        """Return the items whose scores differ between two systems: those that are to be shown."""
        parts = contributions(self._projection, self._bound, a, b)
        if self._alone is None or parts is None:
            return _NONE
        apart = signed_item_differences(self._projection, self._bound, a, b, self._alone)
        differ = np.flatnonzero(apart)
        shown = _both_ways(differ, parts, apart, len(differ) if most is None else most)
        scores = self._alone[:, shown]
        return DifferingItems(shown, scores[a], scores[b], parts[shown], apart[shown], len(differ))


def _both_ways(
    differ: NDArray[np.int64], parts: NDArray[np.float64], apart: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """Return the items that contribute most, half from each side where both have as many."""
    ordered = differ[np.argsort(-np.abs(parts[differ]), kind="stable")]
    if len(ordered) <= most:
        return ordered
    first, second = ordered[apart[ordered] > 0], ordered[apart[ordered] < 0]
    half = most // 2
    room = most - min(len(second), half), most - min(len(first), half)
    kept = np.zeros(len(parts), np.bool_)
    kept[first[: room[0]]] = kept[second[: room[1]]] = True
    return np.asarray(ordered[kept[ordered]])


def shown_places(found: Iterable[DifferingItems], items: int) -> NDArray[np.int64]:
    """Return the number of each item that any pair shows, in order; -1 for all others."""
    shown = np.zeros(items, np.bool_)
    for each in found:
        shown[each.items] = True
    place = np.full(items, -1, np.int64)
    place[shown] = np.arange(int(shown.sum()))
    return place


def item_texts(counts: Counts, place: NDArray[np.int64]) -> tuple[ShownItem, ...]:
    """Return names, texts and labels of the items that are shown."""
    return tuple(item_text(counts, u) for u in np.flatnonzero(place >= 0).tolist())


def item_text(counts: Counts, item: int) -> ShownItem:
    """Return name, texts and labels of one item."""
    texts = counts.texts or ItemTexts()
    outputs = [texts.outputs.get(name, ()) for name in counts.names] if texts.outputs else []
    return ShownItem(
        counts.items[item],
        _at(texts.inputs, item),
        _at(texts.golds, item),
        tuple(_at(each, item) for each in outputs),
        tuple((label, values[item]) for label, values in counts.labels.items() if values[item]),
        item_view(counts, item),
    )


def item_view(counts: Counts, item: int) -> ItemView | None:
    """Return what there is to look at behind an item: the reader's view, its runs, its counts.

    >>> counts = Counts.from_arrays({"A": [[2, 1]], "B": [[3, 0]]}, columns=["tp", "fp"])
    >>> for row in item_view(counts, 0).sections[0].rows:
    ...     print(row.label, row.outputs["A"][0].text, row.outputs["B"][0].text)
    tp 2 3
    fp 1 0
    """
    sections = [] if counts.views is None else list(counts.views(counts.items[item]).sections)
    runs = tuple(_run_rows(counts, item))
    if runs:
        sections.append(ViewSection(runs, "Run by run"))
    if counts.form == "counts":
        scales = np.array(counts.scales, np.float64)
        values = counts.values[:, item] / scales  # systems × columns
        rows = tuple(
            ViewRow(column, outputs=_numbers(counts.names, values[:, c]))
            for c, column in enumerate(counts.columns)
            if values[:, c].any()
        )
        if rows:
            sections.append(ViewSection(rows, "What is counted"))
    return ItemView(tuple(sections)) if sections else None


def _run_rows(counts: Counts, item: int) -> Iterator[ViewRow]:
    """Yield the values of each run, of the columns that runs have; runs are numbered as given."""
    if not counts.runs:
        return
    orders = counts.run_order or [range(len(runs)) for runs in counts.runs]
    columns = counts.runs[0].shape[2]
    for c in range(columns):
        for run in range(max(map(len, counts.runs))):
            values = {
                name: float(runs[order.index(run), item, c])
                for name, runs, order in zip(counts.names, counts.runs, orders, strict=True)
                if run < len(runs) and not np.isnan(runs[order.index(run), item, c])
            }
            label = f"run {run + 1}"
            label = f"{counts.columns[c]}, {label}" if columns > 1 else label
            yield ViewRow(label, outputs=_numbers(values, values.values()))


def _numbers(names: Iterable[str], values: Iterable[float]) -> dict[str, Cell]:
    return {name: (Piece(f"{v:.6g}"),) for name, v in zip(names, values, strict=True)}


def _at(texts: Sequence[str], item: int) -> str:
    return texts[item] if texts else ""


@dataclass(frozen=True, slots=True)
class Difference:
    """An item: its name, the scores of both systems, and its texts where they are known."""

    name: str
    a: float
    b: float
    a_better: bool
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Of both systems, or nothing"""
    labels: dict[str, str] = field(default_factory=dict)
    view: ItemView | None = None
    """What else there is to look at"""

    def texts(self) -> Iterator[str]:
        """Yield all that can be searched."""
        yield from (self.name, self.input, self.gold, *self.outputs, *self.labels.values())
        if self.view is not None:
            yield from self.view.texts()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The choice of items that are shown."""

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
    _found: DifferingItems
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
            None if texts.view is None else texts.view.of_systems((self.a, self.b)),
        )


def find(
    counts: Counts, names: Sequence[str] = (), metric: str | Metric | None = None
) -> Differences:
    """Return the items on which two systems differ, by one metric (the first if none is named).

    Those that contribute most to the difference come first.

    >>> counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 0.5]}, items=["x", "y", "z"])
    >>> found = find(counts)
    >>> [(item.name, item.a, item.b) for item in found.items], found.tied
    ([('x', 1.0, 0.0), ('z', 1.0, 0.5)], 1)
    """
    counts = in_order(two_systems(counts, names))
    if counts.present is not None:
        raise UsageError(f"the systems do not have the same {plural(counts.kind)}")
    wanted = None if metric is None else [metric]
    counts = with_passes(counts, wanted)
    projection = project(counts, metrics_of(counts, wanted)[:1])
    counts, bound = projection.counts, projection.metrics[0]
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
    """Return values without what sums and products of rounded numbers leave in the last bits.

    >>> _short(0.018000000000000002)
    0.018
    """
    return float(f"{score:.12g}")


def two_systems(counts: Counts, names: Sequence[str]) -> Counts:
    """Return the counts of two systems: those that are named, or the only ones there are."""
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


def contributions(projection: Projection, bound: Bound, a: int, b: int) -> Floats | None:
    """Return what each item adds to the difference of two systems, first minus second.

    They sum to the difference times the number of items, and are 0 on items where the systems
    agree. Of a mean they are the items' own differences. Of a ratio they are the terms of

        n_a/d_a - n_b/d_b = Σ 2 (c_u T_d - T_n d_u) / (T_d² - D²),

    c_u and d_u being what the first system has more on item u in numerator and denominator, T_n and
    T_d the totals of both systems, D = Σ d_u. Of a function of sums: half of what exchanging the
    systems' outputs on this item alone takes away; what is then left of the difference is shared
    out in proportion. None for a function of items, and where systems have items of their own.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> projection = project(Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 1, 0]}))
    >>> contributions(projection, projection.metrics[0], 0, 1).tolist()
    [1.0, 0.0, -1.0, 1.0]
    """
    if projection.counts.present is not None or isinstance(bound.metric, ItemFunction):
        return None
    if isinstance(bound, BoundRatio):
        return _of_ratio(projection, bound, a, b)
    return _of_function(projection, bound, a, b)


def _of_ratio(projection: Projection, bound: BoundRatio, a: int, b: int) -> Floats:
    num, den = projection.forms[bound.numerator], projection.forms[bound.denominator]
    tops, bottoms = (
        projection.totals[form].astype(np.float64) for form in (bound.numerator, bound.denominator)
    )
    items, factor = num.shape[1], float(bound.factor)
    if bottoms[a] == 0 or bottoms[b] == 0:  # an undefined score belongs to all items alike
        undefined = float(bound.metric.undefined)
        first, second = (
            items * factor * num[s] / bottoms[s] if bottoms[s] else np.full(items, undefined)
            for s in (a, b)
        )
        return np.asarray(first - second)
    both_tops, both_bottoms = tops[a] + tops[b], bottoms[a] + bottoms[b]
    apart = (num[a] - num[b]) * both_bottoms - both_tops * (den[a] - den[b])
    # T_d² - D² is four times the product of the denominators.
    return np.asarray(items * factor * apart / (2 * bottoms[a] * bottoms[b]))


def _of_function(projection: Projection, bound: BoundFunction, a: int, b: int) -> Floats:
    assert not isinstance(bound.metric, ItemFunction)
    used = list(bound.forms)
    forms, totals = projection.forms[used], projection.totals[used]
    differ = projection.discordant(bound, a, b)
    moved = (forms[:, b] - forms[:, a])[:, differ]
    sizes = bound.scales[:, None]
    exchanged = bound.metric.scores(((totals[:, [a]] + moved) / sizes).T)
    exchanged = exchanged - bound.metric.scores(((totals[:, [b]] - moved) / sizes).T)
    difference = float(projection.score(bound, a)) - float(projection.score(bound, b))
    items = len(differ)
    found = np.zeros(items)
    found[differ] = (difference - exchanged) * items / 2
    weight = np.abs(found)
    if weight.any():
        found += (items * difference - found.sum()) * (weight / weight.sum())
    return found


def sorted_contributions(found: Floats, *, falling: bool) -> tuple[float, ...]:
    """Return contributions in order; where there are over 400, so many evenly, with both ends.

    >>> sorted_contributions(np.array([0.5, -1.0, 1.0]), falling=True)
    (1.0, 0.5, -1.0)
    """
    ordered = np.sort(found)
    if falling:
        ordered = ordered[::-1]
    if len(ordered) > MOST_POINTS:
        places = np.rint(np.linspace(0, len(ordered) - 1, MOST_POINTS)).astype(np.int64)
        ordered = ordered[places]
    return tuple((ordered + 0.0).tolist())
