"""Outputs and references, line by line in parallel, and which n-grams they share."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tellapart.engine as path
from tellapart.errors import DataError


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequence k is `tokens[starts[k]:starts[k + 1]]`.

    >>> Sequences.of_characters(["ab", "", "b a"]).lengths.tolist()
    [2, 0, 3]
    """

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of_lengths(cls, tokens: NDArray[np.int32], lengths: Sequence[int]) -> Sequences:
        """Return tokens cut into sequences of these lengths."""
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(np.asarray(lengths, np.int64), out=starts[1:])
        return cls(tokens, starts)

    @classmethod
    def of_characters(cls, texts: Iterable[str]) -> Sequences:
        """Return lines whose tokens are characters, blanks included, as code points."""
        kept = list(texts)
        packed = "".join(kept).encode("utf-32-le", "surrogatepass")
        return cls.of_lengths(np.frombuffer(packed, np.int32), [len(text) for text in kept])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each sequence."""
        return np.diff(self.starts)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The number of the sequence that each token is in."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def lists(self) -> Iterator[list[int]]:
        """Yield the sequences as lists."""
        tokens = self.tokens.tolist()
        return (tokens[start:end] for start, end in pairwise(self.starts.tolist()))

    def part(self, first: int, last: int) -> Sequences:
        """Return the sequences from `first` up to, not including, `last`."""
        starts = self.starts[first : last + 1]
        tokens = self.tokens[starts[0] : starts[-1]]
        return Sequences(tokens, np.ascontiguousarray(starts - starts[0]))

    def ngrams(self, sequence: int, order: int) -> dict[int, tuple[int, ...]]:
        """Return the n-grams of one sequence, by the place of their first token."""
        start, end = self.starts[sequence : sequence + 2].tolist()
        tokens = self.tokens[start:end].tolist()
        return {start + k: tuple(tokens[k : k + order]) for k in range(len(tokens) - order + 1)}

    def totals(self, orders: int) -> NDArray[np.int64]:
        """Return the n-grams of each order in each sequence: sequences × orders.

        >>> Sequences.of_characters(["abc", "a"]).totals(2).tolist()
        [[3, 2], [1, 0]]
        """
        return np.asarray(np.maximum(self.lengths[:, None] - np.arange(orders), 0))


def match(
    hypotheses: Sequences, references: Sequences, ref_of: NDArray[np.int64], orders: int
) -> NDArray[np.int32]:
    """Return where every n-gram of a hypothesis is in its references: orders × tokens.

    Segment s has the references `ref_of[s]` up to `ref_of[s + 1]`; hypotheses come system by
    system, each with all segments. What is found is the position in the references' tokens where
    the n-gram that starts at a token first stands; -1 where it is in no reference, would go past
    the end, or is used up: it counts at most as often as in the reference that has it most often.

    >>> refs = Sequences.of_characters(["abab"])
    >>> match(Sequences.of_characters(["bbb", "abc"]), refs, np.array([0, 1]), 2).tolist()
    [[1, 1, -1, 0, 1, -1], [-1, -1, -1, 0, -1, -1]]
    """
    native = path.native
    if path.active() == "numpy" or native is None:
        return _match(hypotheses, references, ref_of, orders)
    found = np.empty((orders, len(hypotheses.tokens)), np.int32)
    native.match_ngrams(
        hypotheses.tokens, hypotheses.starts, references.tokens, references.starts, ref_of, found
    )
    return found


def count_matches(
    hypotheses: Sequences, references: Sequences, ref_of: NDArray[np.int64], orders: int
) -> NDArray[np.int64]:
    """Return how many n-grams of each hypothesis `match` finds: sequences × orders.

    >>> refs = Sequences.of_characters(["abab"])
    >>> count_matches(Sequences.of_characters(["bbb", "abc"]), refs, np.array([0, 1]), 2).tolist()
    [[2, 0], [2, 1]]
    """
    native = path.native
    if path.active() == "numpy" or native is None:
        owners, n = hypotheses.owners, len(hypotheses)
        found = _match(hypotheses, references, ref_of, orders)
        return np.stack([np.bincount(owners[row >= 0], minlength=n) for row in found], axis=1)
    counts = np.empty((len(hypotheses), orders), np.int64)
    native.count_ngrams(
        hypotheses.tokens, hypotheses.starts, references.tokens, references.starts, ref_of, counts
    )
    return counts


def _match(
    hypotheses: Sequences, references: Sequences, ref_of: NDArray[np.int64], orders: int
) -> NDArray[np.int32]:
    """Return what the native code finds, n-gram by n-gram."""
    found = np.full((orders, len(hypotheses.tokens)), -1, np.int32)
    segments = len(ref_of) - 1
    for order, segment in product(range(1, orders + 1), range(segments)):
        first: dict[tuple[int, ...], int] = {}
        most: Multiset[tuple[int, ...]] = Multiset()
        for reference in range(*ref_of[segment : segment + 2].tolist()):
            places = references.ngrams(reference, order)
            for place, ngram in places.items():
                first.setdefault(ngram, place)
            most |= Multiset(places.values())
        for hypothesis in range(segment, len(hypotheses), segments):
            left = most.copy()
            for place, ngram in hypotheses.ngrams(hypothesis, order).items():
                if left[ngram] > 0:
                    left[ngram] -= 1
                    found[order - 1, place] = first[ngram]
    return found


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
                "texts need systems and references with the same number of lines; found "
                f"{len(self.systems)} and {len(self.references)} with "
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


Counter: TypeAlias = Callable[[Texts], NDArray[Any]]
"""Counts the next block of texts: systems × segments × columns"""
