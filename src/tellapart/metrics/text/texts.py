"""Outputs and references, line by line in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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

    def blocks(self) -> Iterator[Texts]:
        """Yield the texts part by part."""
        for start in range(0, len(self), BLOCK):
            part = slice(start, start + BLOCK)
            yield Texts(
                tuple(lines[part] for lines in self.systems),
                tuple(lines[part] for lines in self.references),
            )

    def outputs(self) -> Iterator[str]:
        """Yield the lines of all systems, one system after the other."""
        for lines in self.systems:
            yield from lines

    def grouped(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the references segment by segment, and where each segment's begin."""
        return grouped(self.references)


def grouped(references: Sequence[Reference]) -> tuple[list[str], NDArray[np.int64]]:
    """Return references segment by segment, and where each segment's begin.

    >>> lines, starts = grouped((["a", "b"], [None, "c"]))
    >>> lines, starts.tolist()
    (['a', 'b', 'c'], [0, 1, 3])
    """
    groups = [[r for r in refs if r is not None] for refs in zip(*references, strict=True)]
    starts = np.zeros(len(groups) + 1, np.int64)
    np.cumsum([len(group) for group in groups], out=starts[1:])
    return [line for group in groups for line in group], starts


References: TypeAlias = Iterable[Sequence[Reference]]
"""All references, a block of segments at a time"""
Counter: TypeAlias = Callable[[Texts], NDArray[Any]]
"""Counts the next block of texts: systems × segments × columns"""
