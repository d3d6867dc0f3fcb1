"""The items on which two systems differ: found, ordered, and chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.projection import project
from tellapart.unit_items import Differing, UnitScores, unit_text
from tellapart.words import listed, plural


@dataclass(frozen=True, slots=True)
class Difference:
    """One item: the scores of both systems, and its texts where they are known."""

    unit: str
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
        yield from (self.unit, self.input, self.gold, *self.outputs, *self.labels.values())


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
        texts = unit_text(self._counts, int(self._found.units[k]))
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

    >>> counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 0.5]}, units=["x", "y", "z"])
    >>> found = find(counts)
    >>> [(item.unit, item.a, item.b) for item in found.items], found.tied
    ([('x', 1.0, 0.0), ('z', 1.0, 0.5)], 1)
    """
    counts = _two_systems(counts, names)
    if counts.present is not None:
        raise UsageError(f"the systems do not have the same {plural(counts.kind)}")
    projection = project(counts, None if metric is None else [metric])
    bound = projection.metrics[0]
    scores = UnitScores(projection, bound)
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
        len(counts.units) - found.in_all,
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
