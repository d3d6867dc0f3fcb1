"""Candidates of sentences and their features: what all of them have, and the phrases in each.

The paper's candidates are the 1,000 best of one system, with eight features from its components;
here they are the outputs of several systems, with eight features that need no more than texts.
Who said what is no feature: the reranker sees candidates, not systems.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from studies.riezler.loglinear import Features
from tellapart.metrics.text.tokenizers import Tokenizer

COMPONENTS: Final = ("words", "language model", "1-grams in common", "2-grams in common",
                     "3-grams in common", "4-grams in common", "words of its own",
                     "distance from usual place")  # fmt: skip
_PHRASES: Final = (2, 3)  # words
_FEWEST: Final = 3  # training sentences in which a phrase is; rarer ones cannot pass the test
_ORDERS: Final = (1, 2, 3, 4)
_START: Final = ""
_SMOOTHING: Final = 5.0  # words that the language model adds to each history

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The distinct candidates of every sentence, one below the other."""

    words: list[Words]
    sentence: NDArray[np.intp]
    """Of each candidate, which sentence it is a translation of"""
    starts: NDArray[np.intp]
    system: NDArray[np.intp]
    """Of each candidate, the first system that said it"""

    def of(self, sentence: int) -> list[Words]:
        """Return the candidates of a sentence."""
        ends = np.append(self.starts, len(self.words))
        return self.words[ends[sentence] : ends[sentence + 1]]


def gather(outputs: Mapping[str, Sequence[str]]) -> Candidates:
    """Return what the systems said, each candidate of a sentence once.

    >>> found = gather({"A": ["a b", "c"], "B": ["a b", "d"]})
    >>> found.words, found.sentence.tolist(), found.system.tolist()
    ([('a', 'b'), ('c',), ('d',)], [0, 1, 1], [0, 0, 1])
    """
    cut = _Cutter()
    words: list[Words] = []
    sentence, starts, system = [], [], []
    for number, lines in enumerate(zip(*outputs.values(), strict=True)):
        starts.append(len(words))
        distinct: dict[Words, int] = {}
        for k, line in enumerate(lines):
            distinct.setdefault(cut(line), k)
        words += list(distinct)
        system += list(distinct.values())
        sentence += [number] * len(distinct)
    return Candidates(words, *(np.array(each, np.intp) for each in (sentence, starts, system)))


class _Cutter:
    """Lines cut into words as for BLEU, what stands between blanks only once."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer("13a", "no")
        self._known: dict[str, list[str]] = {}

    def __call__(self, line: str) -> Words:
        """Return the words of a line."""
        words: list[str] = []
        for chunk in line.split():
            if chunk not in self._known:
                self._known[chunk] = self._tokenizer.tokens(chunk)
            words += self._known[chunk]
        return tuple(words)


def phrases(words: Words, size: int) -> list[Words]:
    """Return all runs of so many words.

    >>> phrases(("a", "b", "c"), 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [words[k : k + size] for k in range(len(words) - size + 1)]


def components(
    candidates: Candidates, references: Sequence[str], training: NDArray[np.bool_]
) -> Features:
    """Return the features that every candidate has, each with a spread of 1 within a sentence."""
    model = _LanguageModel(references, training)
    rows: list[list[float]] = []
    for number in range(len(candidates.starts)):
        every = candidates.of(number)
        likely = [model.log_probability(words, number) for words in every]
        agree = [_in_common(every, size) for size in _ORDERS]
        places = _usual_places(every)
        for k, words in enumerate(every):
            own = sum(count == 1 for count in (places[word][1] for word in set(words)))
            rows.append([
                float(len(words)), likely[k], *(each[k] for each in agree), float(own),
                _distance(words, places),
            ])  # fmt: skip
    return scaled(candidates, np.array(rows), training)


def scaled(
    candidates: Candidates, table: NDArray[np.float64], training: NDArray[np.bool_]
) -> Features:
    """Return the features of candidates with mean 0, and in training a spread of 1, in a sentence.

    A shift of all candidates of a sentence changes nothing.
    """
    sizes = np.diff(np.append(candidates.starts, len(table)))
    means = np.add.reduceat(table, candidates.starts) / sizes[:, None]
    within = table - np.repeat(means, sizes, axis=0)
    spread = np.sqrt((within[training[candidates.sentence]] ** 2).mean(axis=0))
    return sparse.csc_array(within / np.where(spread > 0, spread, 1.0))


def _in_common(every: Sequence[Words], size: int) -> list[float]:
    """Return of each candidate the share of the other candidates that have its phrases."""
    own = [set(phrases(words, size)) for words in every]
    holders = Counter(phrase for each in own for phrase in each)
    others = max(len(every) - 1, 1)
    return [sum(holders[phrase] - 1 for phrase in each) / (others * max(len(each), 1))
            for each in own]  # fmt: skip


def _usual_places(every: Sequence[Words]) -> dict[str, tuple[float, int]]:
    """Return of each word its mean place from 0 to 1, and in how many candidates it is."""
    found: dict[str, list[float]] = defaultdict(list)
    for words in every:
        for word, place in {word: k / len(words) for k, word in enumerate(words)}.items():
            found[word].append(place)
    return {word: (math.fsum(places) / len(places), len(places)) for word, places in found.items()}


def _distance(words: Words, places: Mapping[str, tuple[float, int]]) -> float:
    away = [abs(k / len(words) - places[word][0]) for k, word in enumerate(words)]
    return math.fsum(away) / max(len(away), 1)


class _LanguageModel:
    """Words after words, from the references of the training sentences.

    A training sentence is scored without its own reference, which would tell the answer.
    """

    def __init__(self, references: Sequence[str], training: NDArray[np.bool_]) -> None:
        cut = _Cutter()
        self._own: dict[int, tuple[Counter[str], Counter[tuple[str, str]]]] = {}
        self._words: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        for number in np.flatnonzero(training).tolist():
            words = (_START, *cut(references[number]))
            own = Counter(words), Counter(pairwise(words))
            self._own[number] = own
            self._words.update(own[0])
            self._pairs.update(own[1])
        self._total = sum(self._words.values())
        self._kinds = len(self._words) + 1

    def log_probability(self, words: Words, sentence: int) -> float:
        """Return the log of a candidate's probability, per word."""
        if not words:
            return 0.0
        single, double = self._own.get(sentence, (Counter(), Counter()))
        total = self._total - single.total() + self._kinds
        found = 0.0
        for before, word in pairwise((_START, *words)):
            alone = (self._words[word] - single[word] + 1) / total
            history = self._words[before] - single[before]
            pair = self._pairs[before, word] - double[before, word]
            found += math.log((pair + _SMOOTHING * alone) / (history + _SMOOTHING))
        return found / len(words)


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
