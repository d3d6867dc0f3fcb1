"""The candidates of n-best lists, one below the other, and the phrases that are in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from studies.riezler.loglinear import Features
from studies.riezler.translate.alignment import Words
from studies.riezler.translate.decoder import Candidate

_PHRASES: Final = (2, 3)  # words
_FEWEST: Final = 3  # training sentences in which a phrase is; rarer ones cannot pass the test


@dataclass(frozen=True, slots=True)
class Candidates:
    """The distinct candidates of every sentence, one below the other."""

    words: list[Words]
    sentence: NDArray[np.intp]
    """Of each candidate, which sentence it is a translation of"""
    starts: NDArray[np.intp]
    rank: NDArray[np.intp]
    """Of each candidate, its first place in the list of its sentence, from 0"""

    def of(self, sentence: int) -> list[Words]:
        """Return the candidates of a sentence."""
        ends = np.append(self.starts, len(self.words))
        return self.words[ends[sentence] : ends[sentence + 1]]


def gather(lists: Sequence[Sequence[Candidate]]) -> Candidates:
    """Return the candidates of all sentences, each of a sentence once.

    >>> both = [[Candidate(("a", "b"), (), 0.0)] * 2, [Candidate(("c",), (), 0.0)]]
    >>> found = gather(both)
    >>> found.words, found.sentence.tolist(), found.rank.tolist()
    ([('a', 'b'), ('c',)], [0, 1], [0, 0])
    """
    words: list[Words] = []
    sentence, starts, ranks = [], [], []
    for number, best in enumerate(lists):
        starts.append(len(words))
        distinct: dict[Words, int] = {}
        for rank, candidate in enumerate(best):
            distinct.setdefault(candidate.words, rank)
        words += list(distinct)
        ranks += list(distinct.values())
        sentence += [number] * len(distinct)
    return Candidates(words, *(np.array(each, np.intp) for each in (sentence, starts, ranks)))


def phrases(words: Words, size: int) -> list[Words]:
    """Return all runs of so many words.

    >>> phrases(("a", "b", "c"), 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [words[k : k + size] for k in range(len(words) - size + 1)]


def component_features(
    candidates: Candidates,
    lists: Sequence[Sequence[Candidate]],
    training: NDArray[np.bool_],
) -> Features:
    """Return the components' features, with mean 0 in a sentence, and in training a spread of 1.

    A shift of all candidates of a sentence changes nothing.
    """
    places = zip(candidates.sentence.tolist(), candidates.rank.tolist(), strict=True)
    table = np.array([lists[sentence][rank].features for sentence, rank in places])
    sizes = np.diff(np.append(candidates.starts, len(table)))
    means = np.add.reduceat(table, candidates.starts) / sizes[:, None]
    within = table - np.repeat(means, sizes, axis=0)
    spread = np.sqrt((within[training[candidates.sentence]] ** 2).mean(axis=0))
    return sparse.csc_array(within / np.where(spread > 0, spread, 1.0))


def phrase_features(
    candidates: Candidates, training: NDArray[np.bool_]
) -> tuple[list[Words], Features]:
    """Return the phrases of two and three words that are in enough training sentences.

    A phrase that all candidates of a sentence have says nothing there, and does not count.
    """
    holders: Counter[Words] = Counter()
    own: list[list[Words]] = []
    for number in range(len(candidates.starts)):
        every = [
            {phrase for size in _PHRASES for phrase in phrases(words, size)}
            for words in candidates.of(number)
        ]
        shared = set.intersection(*every)
        kept = [sorted(each - shared) for each in every]
        own += kept
        if training[number]:
            holders.update({phrase for each in kept for phrase in each})
    known = sorted(phrase for phrase, count in holders.items() if count >= _FEWEST)
    place = {phrase: k for k, phrase in enumerate(known)}
    cells = [(row, place[phrase]) for row, each in enumerate(own) for phrase in each
             if phrase in place]  # fmt: skip
    rows, columns = np.array(cells, np.intp).reshape(-1, 2).T
    shape = (len(own), len(known))
    return known, sparse.csc_array((np.ones(len(cells)), (rows, columns)), shape=shape)
