"""Counts that are never in one memory: systems × items × columns in parts, read one at a time.

Items have places from 0 on, whichever part they are in, and random numbers are dealt to them by
their places. So what is found does not depend on where one part ends and the next begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.counts import Counts
from tellapart.errors import Notice
from tellapart.words import several

PartMap = Callable[[Callable[[Any, Any], Any], Any, Sequence[Any]], Iterable[Any]]
"""What runs a function of a payload and each of some parts, here or on a cluster"""


class Part(Protocol):
    """Some items in a row, which can be read alone, here or by another process."""

    @property
    def first(self) -> int:
        """The place of its first item."""

    @property
    def size(self) -> int:
        """The number of its items."""

    def values(self) -> NDArray[np.int64]:
        """Return systems × items × columns, on the grid that all parts share."""

    def clusters(self, label: str) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """Return the values of a label by first appearance, and what items with each add up to.

        Sums are values × systems × columns; then come the numbers of items.
        """


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of a column over all parts."""

    scale: int
    exact: bool
    """False if floats were rounded onto a binary grid"""
    largest: int
    """No value is larger, but for its sign, on the grid"""
    two_valued: bool
    """Whether all values are 0 or the largest one"""


@dataclass(frozen=True, slots=True)
class PartitionedCounts:
    """Counts of systems on items in parts; `tellapart.open_partitions` opens a folder as such."""

    names: tuple[str, ...]
    columns: Mapping[str, ColumnFacts]
    items: int
    parts: tuple[Part, ...]
    kind: str = "item"
    form: str = "counts"
    source: str = ""
    """What was opened: a folder, a pattern or an address"""
    notices: tuple[Notice, ...] = ()
    lower: tuple[str, ...] = ()

    @property
    def extent(self) -> str:
        """How many systems, items, columns and parts there are, in words."""
        systems, items = several(len(self.names), "system"), several(self.items, self.kind)
        columns, parts = several(len(self.columns), "column"), several(len(self.parts), "part")
        return f"{systems} × {items} × {columns} in {parts}"

    def __repr__(self) -> str:
        return f"<PartitionedCounts: {self.extent}>"

    def empty(self) -> Counts:
        """Return counts without items, which know all else."""
        return self.of(np.empty((len(self.names), 0, len(self.columns)), np.int64))

    def of(self, values: NDArray[np.int64]) -> Counts:
        """Return the values of some items as counts; their ids are not known."""
        items = values.shape[1]
        return Counts(
            self.names,
            ("",) * items,
            tuple(self.columns),
            values,
            tuple(each.scale for each in self.columns.values()),
            tuple(each.exact for each in self.columns.values()),
            np.ones(items, np.int64),
            kind=self.kind,
            form=self.form,
            notices=self.notices,
            lower=self.lower,
        )

    def by(self, label: str, part_map: PartMap) -> Counts:
        """Return a row for each cluster, which may cross parts: the sum of items with a label.

        They stand in the order of their first items. Each is an item of its own here, of the size
        of its cluster, and keeps the label.
        """
        places: dict[str, int] = {}
        sums = np.zeros((0, len(self.names), len(self.columns)), np.int64)
        sizes = np.zeros(0, np.int64)
        for names, more, items in part_map(_clusters, label, self.parts):
            at = np.array([places.setdefault(name, len(places)) for name in names], np.int64)
            grown = len(places) - len(sums)
            sums = np.concatenate([sums, np.zeros((grown, *sums.shape[1:]), np.int64)])
            sizes = np.concatenate([sizes, np.zeros(grown, np.int64)])
            sums[at] += more
            sizes[at] += items
        numbered = tuple(str(k + 1) for k in range(len(places)))
        found = replace(self.of(sums.transpose(1, 0, 2)), items=numbered, sizes=sizes)
        return replace(found, labels={label: tuple(places)})


def _clusters(label: str, part: Part) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    return part.clusters(label)
