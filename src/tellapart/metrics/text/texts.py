"""Outputs and references, line by line in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError

Reference = Sequence[str | None]

BLOCK = 20_000
"""Segments that are worked on at a time, so that memory does not grow with them."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Lines of all systems and of all references; None is a reference that is not there."""

    systems: tuple[Sequence[str], ...]
    references: tuple[Reference, ...]

    def __post_init__(self) -> None:
        lengths = {len(lines) for lines in (*self.systems, *self.references)}
        if not self.systems or not self.references or len(lengths) > 1:
            raise DataError(
                "texts need one system or more and one reference or more, all with the same number "
                f"of lines; found {len(self.systems)} and {len(self.references)} with "
                f"{' or '.join(map(str, sorted(lengths))) or 'no'} lines"
            )

    def __len__(self) -> int:
        return len(self.references[0])

    def blocks(self) -> Iterator[tuple[int, Texts]]:
        """Yield parts of the texts with the number of their first segment."""
        for start in range(0, len(self), BLOCK):
            part = slice(start, start + BLOCK)
            yield (
                start,
                Texts(
                    tuple(lines[part] for lines in self.systems),
                    tuple(lines[part] for lines in self.references),
                ),
            )

    def outputs(self) -> Iterator[str]:
        """Yield the lines of all systems, one system after the other."""
        for lines in self.systems:
            yield from lines

    def grouped(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the references segment by segment, and where each segment's begin.

        >>> lines, starts = Texts((["x", "y"],), (["a", "b"], [None, "c"])).grouped()
        >>> lines, starts.tolist()
        (['a', 'b', 'c'], [0, 1, 3])
        """
        groups = [[r for r in refs if r is not None] for refs in zip(*self.references, strict=True)]
        starts = np.zeros(len(groups) + 1, np.int64)
        np.cumsum([len(group) for group in groups], out=starts[1:])
        return [line for group in groups for line in group], starts


def joined(blocks: Sequence[Texts]) -> Texts:
    """Return blocks of texts as one."""
    return Texts(
        tuple(list(chain(*some)) for some in zip(*(each.systems for each in blocks), strict=True)),
        tuple(
            list(chain(*some)) for some in zip(*(each.references for each in blocks), strict=True)
        ),
    )


Counter: TypeAlias = Callable[[int, Texts], NDArray[Any]]
"""Counts a block that starts at a segment: systems × segments × columns"""
