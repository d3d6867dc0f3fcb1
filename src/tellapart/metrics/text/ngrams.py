"""Which n-grams of hypotheses are in their references: exact, for all systems at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path


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
    """Return which n-grams match, order by order: equal ones of both sides share a number."""
    segments = len(ref_of) - 1
    at_hyp = len(references.tokens)
    both = np.concatenate([references.tokens, hypotheses.tokens])
    distinct, tokens = np.unique(both, return_inverse=True)
    of_ref = np.repeat(np.arange(segments), np.diff(ref_of))[references.owners]
    segment = np.concatenate([of_ref, hypotheses.owners % max(segments, 1)])
    ends = np.concatenate(
        [
            references.starts[references.owners + 1],
            hypotheses.starts[hypotheses.owners + 1] + at_hyp,
        ]
    )
    found = np.full((orders, len(hypotheses.tokens)), -1, np.int32)
    places = np.arange(len(tokens))
    # N-grams of different segments never match: an n-gram's number tells its segment, too.
    numbers = segment
    for order in range(orders):
        whole = places + order < ends[places]
        places = places[whole]
        longer = numbers[whole] * len(distinct) + tokens[places + order]
        numbers = np.unique(longer, return_inverse=True)[1]
        cut = int(np.searchsorted(places, at_hyp))
        used = _positions(numbers, places, cut, references.owners, hypotheses.owners)
        found[order, places[cut:] - at_hyp] = used
    return found


def _positions(
    numbers: NDArray[np.intp],
    places: NDArray[np.intp],
    cut: int,
    ref_owners: NDArray[np.int64],
    hyp_owners: NDArray[np.int64],
) -> NDArray[np.intp]:
    """Return where each numbered n-gram of the hypotheses first stands in references, or -1."""
    n = int(numbers.max(initial=-1)) + 1
    first, most = np.full(n, -1), np.zeros(n, np.int64)
    known, at = np.unique(numbers[:cut], return_index=True)
    first[known] = places[at]
    # How often each stands in one reference, at most: the rank of its last occurrence there.
    np.maximum.at(most, numbers[:cut], 1 + _ranks(numbers[:cut], ref_owners[places[:cut]]))
    hyp_numbers = numbers[cut:]
    ranks = _ranks(hyp_numbers, hyp_owners[places[cut:] - len(ref_owners)])
    return np.where(ranks < most[hyp_numbers], first[hyp_numbers], -1)


def _ranks(numbers: NDArray[np.intp], owners: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return how often the same number came before in the same sequence."""
    order = np.lexsort((numbers, owners))
    by_number, by_owner = numbers[order], owners[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (by_number[1:] != by_number[:-1]) | (by_owner[1:] != by_owner[:-1])
    begins = np.flatnonzero(new)
    ranks = np.empty(len(order), np.intp)
    ranks[order] = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    return ranks
