"""Which word comes from which: IBM model 1, then a hidden Markov model, both trained by EM.

Each target word comes from one source word or from none (NULL). Model 1 knows only which words go
together; the Markov model (Vogel, Ney and Tillmann 1996) also knows how far one steps in the source
from a target word to the next. NULL keeps the place of the word before it (Och and Ney 2003).
Sentence pairs of the same two lengths are worked on at once, so no array is padded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = tuple[str, ...]
Floats = NDArray[np.float64]
Point = tuple[int, int]
"""A link: place in the source, place in the target"""

MODEL_1_ROUNDS, HMM_ROUNDS = 5, 5
NULL_SHARE: Final = 0.2
"""How often a target word comes from none, before it is looked at"""
_FURTHEST: Final = 6  # steps; longer ones count as so long
_LEAST: Final = 1e-9  # of a step's count: none is impossible


@dataclass(frozen=True, slots=True)
class Group:
    """Sentence pairs of the same two lengths."""

    numbers: list[int]
    links: NDArray[np.intp]
    """Pairs × target words × (NULL and source words): number of the pair of words"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentence pairs by their lengths, and the pairs of words in them."""

    groups: list[Group]
    origin: NDArray[np.intp]
    """Of each pair of words, the source word; 0 is NULL"""


def number_links(source: Sequence[Words], target: Sequence[Words]) -> Corpus:
    """Return sentence pairs with every pair of words that may be linked numbered."""
    origins, words = _vocabulary(source, 1), _vocabulary(target, 0)
    by_lengths: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, pair in enumerate(zip(source, target, strict=True)):
        if all(pair):
            by_lengths[len(pair[0]), len(pair[1])].append(number)
    keys = []
    for numbers in by_lengths.values():
        left = np.array([[0, *(origins[word] for word in source[k])] for k in numbers], np.intp)
        right = np.array([[words[word] for word in target[k]] for k in numbers], np.intp)
        keys.append(left[:, None, :] * len(words) + right[:, :, None])
    known, places = np.unique(np.concatenate([key.ravel() for key in keys]), return_inverse=True)
    ends = np.cumsum([key.size for key in keys])[:-1]
    groups = [
        Group(numbers, links.reshape(key.shape))
        for numbers, key, links in zip(
            by_lengths.values(), keys, np.split(places.ravel(), ends), strict=True
        )
    ]
    return Corpus(groups, known // len(words))


def _vocabulary(sentences: Iterable[Words], first: int) -> dict[str, int]:
    distinct = dict.fromkeys(chain.from_iterable(sentences))
    return {word: number for number, word in enumerate(distinct, first)}


def model_1(corpus: Corpus, rounds: int = MODEL_1_ROUNDS) -> Floats:
    """Return the probability of the target word given the source word, of each pair of words."""
    table = np.ones(len(corpus.origin))
    for _ in range(rounds):
        counts = np.zeros(len(table))
        for group in corpus.groups:
            shares = table[group.links]
            shares /= shares.sum(axis=2, keepdims=True)
            counts += _count(group, shares, len(table))
        table = _normalised(counts, corpus.origin)
    return table


def _count(group: Group, shares: Floats, size: int) -> Floats:
    return np.bincount(group.links.ravel(), shares.ravel(), size).astype(np.float64)


def _normalised(counts: Floats, origin: NDArray[np.intp]) -> Floats:
    return np.asarray(counts / np.bincount(origin, counts)[origin])


def step_matrix(steps: Floats, length: int) -> Floats:
    """Return from each source place to each other how likely one goes, NULL set apart."""
    moves = steps[_step_numbers(length)]
    return np.asarray((1 - NULL_SHARE) * moves / moves.sum(axis=1, keepdims=True))


def _step_numbers(length: int) -> NDArray[np.intp]:
    places = np.arange(length)
    steps = places[None, :] - places[:, None]
    return np.asarray(np.clip(steps, -_FURTHEST, _FURTHEST) + _FURTHEST)


def forward_backward(emission: Floats, moves: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each link in the light of the whole sentence, and of each move.

    `emission` is the probability of each target word by NULL and by each source place. A state is a
    source place, either giving the target word or kept while NULL gives it.
    """
    pairs, length, _ = emission.shape
    by_null, by_word = emission[:, :, :1], emission[:, :, 1:]
    places = by_word.shape[2]
    forward = np.empty((pairs, length, 2, places))
    totals = np.empty((pairs, length, 1))
    before = np.full((pairs, places), 1 / places)
    for j in range(length):
        reached = before @ moves if j else before * (1 - NULL_SHARE)
        forward[:, j, 0] = reached * by_word[:, j]
        forward[:, j, 1] = before * NULL_SHARE * by_null[:, j]
        totals[:, j] = forward[:, j].sum(axis=(1, 2))[:, None]
        forward[:, j] /= totals[:, j, :, None]
        before = forward[:, j].sum(axis=1)
    backward = np.ones((pairs, places))
    links = np.empty_like(emission)
    taken = np.zeros_like(moves)
    for j in reversed(range(length)):
        links[:, j, 1:] = forward[:, j, 0] * backward
        links[:, j, 0] = (forward[:, j, 1] * backward).sum(axis=1)
        if j:
            arriving = by_word[:, j] * backward / totals[:, j]
            taken += forward[:, j - 1].sum(axis=1).T @ arriving * moves
            staying = NULL_SHARE * by_null[:, j] * backward / totals[:, j]
            backward = arriving @ moves.T + staying
    return links, taken


def hidden_markov(corpus: Corpus, table: Floats, rounds: int = HMM_ROUNDS) -> tuple[Floats, Floats]:
    """Return the probabilities of pairs of words and of steps, trained on from those of model 1."""
    steps = np.ones(2 * _FURTHEST + 1)
    for _ in range(rounds):
        counts = np.zeros(len(table))
        step_counts = np.full(len(steps), _LEAST)
        for group in corpus.groups:
            length = group.links.shape[2] - 1
            links, taken = forward_backward(table[group.links], step_matrix(steps, length))
            counts += _count(group, links, len(table))
            numbers = _step_numbers(length).ravel()
            step_counts += np.bincount(numbers, taken.ravel(), len(steps))
        table = _normalised(counts + np.finfo(float).tiny, corpus.origin)
        steps = step_counts / step_counts.sum()
    return table, steps


def align(source: Sequence[Words], target: Sequence[Words]) -> list[set[Point]]:
    """Return for each sentence pair the links of target words, each to its most probable word."""
    corpus = number_links(source, target)
    table, steps = hidden_markov(corpus, model_1(corpus))
    points: list[set[Point]] = [set() for _ in source]
    for group in corpus.groups:
        moves = step_matrix(steps, group.links.shape[2] - 1)
        best = forward_backward(table[group.links], moves)[0].argmax(axis=2)
        for number, origins in zip(group.numbers, best.tolist(), strict=True):
            points[number] = {(i - 1, j) for j, i in enumerate(origins) if i}
    return points


def symmetrise(one: set[Point], other: set[Point]) -> set[Point]:
    """Return what both directions say, grown by points that one of them says.

    First come points that touch one that is there, also at a corner, and whose source or target
    word is still free; then all points of which one word is still free (Koehn, Och and Marcu 2003).

    >>> sorted(symmetrise({(0, 0), (1, 1)}, {(0, 0), (1, 0)}))
    [(0, 0), (1, 0), (1, 1)]
    """
    points, either = one & other, sorted(one | other)
    grown = True
    while grown:
        grown = False
        for point in either:
            if _is_free(point, points) and any(point in _around(place) for place in points):
                points.add(point)
                grown = True
    for point in either:
        if _is_free(point, points):
            points.add(point)
    return points


def _is_free(point: Point, points: set[Point]) -> bool:
    return all(point[0] != i for i, _ in points) or all(point[1] != j for _, j in points)


def _around(point: Point) -> set[Point]:
    i, j = point
    return {(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)}


def align_both_ways(source: Sequence[Words], target: Sequence[Words]) -> list[set[Point]]:
    """Return the links of each sentence pair: aligned in both directions, then brought together."""
    there, back = align(source, target), align(target, source)
    turned = [{(i, j) for j, i in points} for points in back]
    return [symmetrise(*both) for both in zip(there, turned, strict=True)]
