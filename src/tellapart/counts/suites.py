"""Suites: tasks that are compared together, and how their scores are summed up to one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.words import listed, plural, several

TASK: Final = "task"
"""The label that names the task of an item"""
LARGEST_WEIGHT: Final = 1 << 20
"""Whole weights up to this are used as they are, and tests are exact; larger ones are rounded"""
_NAMED: Final = 6  # blocks in a sentence


@dataclass(frozen=True, slots=True)
class Block:
    """Items that count the same: those of a task, or of tasks that are summed up item by item."""

    name: str
    tasks: int = 1
    share: Fraction = Fraction(1)
    """Its part in the overall score, as against those of others"""


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """The tasks of a test set, and what part each of them has in the overall score.

    An overall score is a mean of the means of blocks, each of which has a share. Only blocks that
    have items count: the mean of some tasks of a suite is a mean, too.

    >>> suite = Suite.of(["a", "a", "a", "b"])
    >>> suite.weights(np.ones(4, np.int64)).tolist()
    [1, 1, 1, 3]
    >>> suite.aggregate(np.ones(4, np.int64), "item")
    'mean of 2 tasks'
    """

    blocks: tuple[Block, ...]
    codes: NDArray[np.int64]
    """The number of the block that each item is in"""
    label: str = TASK
    """The label that names the tasks"""
    scaled: bool = False
    """Whether values and sizes are of clusters, summed with the weights of their items"""
    scores: Mapping[str, str] = field(default_factory=dict)
    """What the score of each task is called, where tasks have different ones"""

    @classmethod
    def of(cls, tasks: Sequence[str]) -> Suite:
        """Return the suite in which every task counts the same; one task for each item is given."""
        place = {name: k for k, name in enumerate(dict.fromkeys(tasks))}
        codes = np.array([place[task] for task in tasks], np.int64)
        return cls(tuple(Block(name) for name in place), codes)

    def keep(self, items: NDArray[np.intp]) -> Suite:
        """Return the suite of some items, by position."""
        return replace(self, codes=self.codes[items])

    def summed(
        self, clusters: NDArray[np.intp], sizes: NDArray[np.int64]
    ) -> tuple[Suite, NDArray[np.int64] | None]:
        """Return the suite of clusters, and how often the values of each item are to be summed.

        `clusters` has the number of each item's. Where not all items count the same and a cluster
        has items of several blocks, its sums are of weighted values; otherwise of values as they
        are, and there are no numbers.
        """
        first = np.unique(clusters, return_index=True)[1]
        codes, weights = self.codes[first], self.weights(sizes)
        if weights is not None and (codes[clusters] == self.codes).all():
            return replace(self, codes=codes), None
        one = (Block("", sum(block.tasks for block in self.blocks)),)
        joined = replace(self, blocks=one, codes=np.zeros(len(first), np.int64))
        if weights is None:
            return joined, None
        if weights.dtype.kind == "f":
            raise UsageError(
                "clusters have items of tasks of very different sizes; use --weights items"
            )
        return replace(joined, scaled=True), weights.astype(np.int64)

    def weights(self, sizes: NDArray[np.int64]) -> NDArray[np.int64] | NDArray[np.float64] | None:
        """Return how much each item counts; None where all count the same.

        Whole numbers where they are small, otherwise real ones. `sizes` are the numbers of items
        that rows stand for.
        """
        if self.scaled:
            return np.ones(len(self.codes), np.int64)
        parts = self._parts(sizes)
        if len(set(parts.values())) <= 1:
            return None
        common = math.lcm(*(part.denominator for part in parts.values()))
        whole = {b: int(part * common) for b, part in parts.items()}
        divisor = math.gcd(*whole.values())
        whole = {b: weight // divisor for b, weight in whole.items()}
        if max(whole.values()) <= LARGEST_WEIGHT:
            found = np.zeros(len(self.blocks), np.int64)
            found[list(whole)] = list(whole.values())
            return found[self.codes]
        real = np.zeros(len(self.blocks))
        real[list(parts)] = [float(part) for part in parts.values()]
        return real[self.codes]

    def aggregate(self, sizes: NDArray[np.int64], kind: str) -> str:
        """Return what the overall score is, in words; `kind` is what an item is called."""
        parts = self._parts(sizes)
        blocks = [self.blocks[b] for b in parts]
        if len(blocks) == 1:
            group = f" of {blocks[0].name}" if blocks[0].name else ""
            return f"mean over all {plural(kind)}{group}"
        if all(block.tasks == 1 for block in blocks):
            found = f"mean of {several(len(blocks), 'task')}"
        else:
            named = [
                f"{block.name} ({block.tasks} tasks by {plural(kind)})"
                if block.tasks > 1
                else block.name
                for block in blocks
            ]
            found = f"mean of {len(blocks)}: {listed(named, _NAMED)}"
        if len({block.share for block in blocks}) > 1:
            found += ", of which not all count the same"
        elif len(set(parts.values())) <= 1:
            found += ", all of the same size"
        return found

    def _parts(self, sizes: NDArray[np.int64]) -> dict[int, Fraction]:
        """Return what one item of each block that has any adds to the overall score."""
        numbers = np.bincount(self.codes, sizes, len(self.blocks)).astype(np.int64)
        there = np.flatnonzero(numbers).tolist()
        return {b: self.blocks[b].share / int(numbers[b]) for b in there}
