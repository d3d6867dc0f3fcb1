"""Texts as numbers: sequences of tokens, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
        """Cut tokens into sequences of these lengths."""
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(np.asarray(lengths, np.int64), out=starts[1:])
        return cls(tokens, starts)

    @classmethod
    def of_characters(cls, texts: Iterable[str]) -> Sequences:
        """Take every character, blanks included, for a token: its code point."""
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

    def part(self, first: int, last: int) -> Sequences:
        """Take the sequences from `first` up to, not including, `last`."""
        starts = self.starts[first : last + 1]
        tokens = self.tokens[starts[0] : starts[-1]]
        return Sequences(tokens, np.ascontiguousarray(starts - starts[0]))

    def totals(self, orders: int) -> NDArray[np.int64]:
        """Count the n-grams of each order in each sequence: sequences × orders.

        >>> Sequences.of_characters(["abc", "a"]).totals(2).tolist()
        [[3, 2], [1, 0]]
        """
        return np.asarray(np.maximum(self.lengths[:, None] - np.arange(orders), 0))
