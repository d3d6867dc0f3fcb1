"""The phrase table: which phrases go together in aligned sentence pairs, and how often.

A phrase pair is a run of source words and a run of target words, aligned only with each other (Och,
Tillmann and Ney 1999). Its four features are logs: relative frequencies and lexical weights, each
in both directions (Koehn, Och and Marcu 2003).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from studies.riezler.translate.alignment import Point, Words

MOST_WORDS: Final = 3
"""The paper's phrases have up to three words"""
MOST_OPTIONS: Final = 10
"""Translations of a phrase that are kept"""
NULL: Final = ""

Span = tuple[int, int, int, int]
"""First source place and the one after the last, and the same of the target"""


def extract(
    source_length: int, target_length: int, points: Set[Point], most: int = MOST_WORDS
) -> Iterator[Span]:
    """Yield every phrase pair of a sentence pair; words without links may stand at their ends.

    >>> list(extract(2, 2, {(0, 1), (1, 0)}))
    [(0, 1, 1, 2), (0, 2, 0, 2), (1, 2, 0, 1)]
    """
    linked = {j for _, j in points}
    for begin in range(source_length):
        for end in range(begin + 1, min(begin + most, source_length) + 1):
            inside = [j for i, j in points if begin <= i < end]
            if not inside:
                continue
            first, last = min(inside), max(inside)
            if any(first <= j <= last and not begin <= i < end for i, j in points):
                continue
            for low in _free_run(first, -1, linked, -1):
                for high in _free_run(last, 1, linked, target_length):
                    if high - low < most:
                        yield begin, end, low, high + 1


def _free_run(start: int, step: int, linked: Set[int], stop: int) -> Iterator[int]:
    """Yield a place and those beside it up to the next word that has a link."""
    yield start
    place = start + step
    while place != stop and place not in linked:
        yield place
        place += step


class Lexicon:
    """How likely words stand for words, both ways, by the links of the corpus."""

    def __init__(
        self, source: Sequence[Words], target: Sequence[Words], links: Sequence[Set[Point]]
    ) -> None:
        self._pairs: Counter[tuple[str, str]] = Counter()
        for left, right, points in zip(source, target, links, strict=True):
            self._pairs.update((left[i], right[j]) for i, j in points)
            linked_left, linked_right = {i for i, _ in points}, {j for _, j in points}
            self._pairs.update((w, NULL) for i, w in enumerate(left) if i not in linked_left)
            self._pairs.update((NULL, w) for j, w in enumerate(right) if j not in linked_right)
        self._left: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        for (left_word, right_word), count in self._pairs.items():
            self._left[left_word] += count
            self._right[right_word] += count

    def target_given_source(self, source: str, target: str) -> float:
        """Return how often a source word, where it stands, is linked to this target word."""
        return self._pairs[source, target] / self._left[source]

    def source_given_target(self, source: str, target: str) -> float:
        """Return how often a target word, where it stands, is linked to this source word."""
        return self._pairs[source, target] / self._right[target]

    def links(self) -> Iterator[tuple[str, str, int]]:
        """Yield source word, target word and how often they are linked."""
        for (source, target), count in self._pairs.items():
            if source and target:
                yield source, target, count

    def best(self) -> dict[str, str]:
        """Return of each source word the target word that it is most often linked to."""
        found: dict[str, tuple[int, str]] = {}
        for source, target, count in self.links():
            if (-count, target) < found.get(source, (0, "")):
                found[source] = -count, target
        return {source: target for source, (_, target) in found.items()}


def lexical_weights(
    lexicon: Lexicon, source: Words, target: Words, points: Set[Point]
) -> tuple[float, float]:
    """Return the logs of a phrase pair's lexical weights: of the source words, of the target words.

    A word with several links has the mean of their probabilities, one without links that of NULL.
    """
    backward = forward = 0.0
    for i, word in enumerate(source):
        origins = [target[j] for k, j in points if k == i] or [NULL]
        backward += math.log(_mean([lexicon.source_given_target(word, w) for w in origins]))
    for j, word in enumerate(target):
        origins = [source[i] for i, k in points if k == j] or [NULL]
        forward += math.log(_mean([lexicon.target_given_source(w, word) for w in origins]))
    return backward, forward


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@dataclass(frozen=True, slots=True)
class Translation:
    """A target phrase and its four features."""

    words: Words
    features: tuple[float, float, float, float]
    """Logs: frequency and lexical weight given the target, then both given the source"""


PhraseTable = Mapping[Words, Sequence[Translation]]


def phrase_table(
    source: Sequence[Words],
    target: Sequence[Words],
    links: Sequence[Set[Point]],
    lexicon: Lexicon,
    most: int = MOST_WORDS,
) -> dict[Words, list[Translation]]:
    """Return the translations of every source phrase, the most probable first.

    A phrase pair that is aligned inside in several ways has the highest of its lexical weights. A
    word that is no phrase alone, since it shares its links, has each word that it is linked to.
    """
    counts: Counter[tuple[Words, Words]] = Counter()
    weights: dict[tuple[Words, Words], tuple[float, float]] = {}
    known: dict[tuple[Words, Words, frozenset[Point]], tuple[float, float]] = {}
    for left, right, points in zip(source, target, links, strict=True):
        for begin, end, low, high in extract(len(left), len(right), points, most):
            pair = left[begin:end], right[low:high]
            inside = frozenset((i - begin, j - low) for i, j in points if begin <= i < end)
            if (*pair, inside) not in known:
                known[*pair, inside] = lexical_weights(lexicon, *pair, inside)
            fresh = known[*pair, inside]
            held = weights.get(pair, fresh)
            weights[pair] = max(held[0], fresh[0]), max(held[1], fresh[1])
            counts[pair] += 1
    alone = {left for left, _ in counts if len(left) == 1}
    for left_word, right_word, count in lexicon.links():
        if (left_word,) not in alone:
            pair = (left_word,), (right_word,)
            counts[pair] = count
            weights[pair] = lexical_weights(lexicon, *pair, frozenset({(0, 0)}))
    return _scored(counts, weights)


def _scored(
    counts: Counter[tuple[Words, Words]], weights: Mapping[tuple[Words, Words], tuple[float, float]]
) -> dict[Words, list[Translation]]:
    of_source: Counter[Words] = Counter()
    of_target: Counter[Words] = Counter()
    for (left, right), count in counts.items():
        of_source[left] += count
        of_target[right] += count
    table: dict[Words, list[Translation]] = defaultdict(list)
    for (left, right), count in counts.items():
        backward, forward = weights[left, right]
        features = (
            math.log(count / of_target[right]), backward,
            math.log(count / of_source[left]), forward,
        )  # fmt: skip
        table[left].append(Translation(right, features))
    for translations in table.values():
        translations.sort(key=lambda each: (-math.fsum(each.features), each.words))
        del translations[MOST_OPTIONS:]
    return dict(table)
