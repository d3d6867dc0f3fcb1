"""A beam decoder over phrases (Koehn 2004): the best translations of a sentence, with features.

A hypothesis has translated some source words into the beginning of a sentence. Stack k holds the
best that cover k words, by score so far and an estimate of what the rest costs. Hypotheses which no
future can tell apart are one node with several edges, so that the n best ways are read back from
the end, best first and exactly (A* search with the true score of each node).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush, nlargest
from itertools import count
from typing import Final

from studies.riezler.translate.alignment import Words
from studies.riezler.translate.language import END, ORDER, START, LanguageModel
from studies.riezler.translate.phrases import MOST_WORDS, PhraseTable, Translation

COMPONENTS: Final = ("distortion", "lm", "source-given-target", "lexical-source",
                     "target-given-source", "lexical-target", "phrases", "words")  # fmt: skip
"""The eight features of PHARAOH: all logs, or counts with a minus"""
WEIGHTS: Final = (0.3, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, -1.0)
"""Those that Moses begins with: second of nine settings that were tried on 60 verses of a Bible"""
STACK: Final = 30
DISTORTION_LIMIT: Final = 4

Features = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation of a sentence, its eight features and their weighted sum."""

    words: Words
    features: Features
    score: float


@dataclass(frozen=True, slots=True)
class _Option:
    """A translation of the source words from one place up to another."""

    begin: int
    end: int
    words: Words
    features: tuple[float, float, float, float]
    score: float
    """Of the phrase alone, without the language model"""
    covers: int
    """A bit for each source word"""


@dataclass(slots=True)
class _Edge:
    """How a node is reached from another."""

    before: _Node
    option: _Option | None
    """None for the end of the sentence"""
    language: float
    jump: int
    gain: float


@dataclass(slots=True, eq=False)
class _Node:
    """Hypotheses that cover the same words, end at the same place and with the same two words."""

    covered: int
    end: int
    history: Words
    score: float
    hope: float
    """The score, with the estimate of what is still to come"""
    edges: list[_Edge] = field(default_factory=list)


_Way = tuple[float, int, _Node, float, Words, tuple[_Edge, ...]]
"""From a node to the end: cost of the whole, a number, the node, what is gained, words, edges"""


class Decoder:
    """Translates sentences with a phrase table and a language model."""

    def __init__(
        self,
        table: PhraseTable,
        language: LanguageModel,
        weights: Sequence[float] = WEIGHTS,
        stack: int = STACK,
        limit: int = DISTORTION_LIMIT,
    ) -> None:
        self._table, self._language = table, language
        self._weights = dict(zip(COMPONENTS, weights, strict=True))
        self._phrase_weights = tuple(weights[2:6])
        self._stack, self._limit = stack, limit

    def best(self, source: Words, number: int = 1) -> list[Candidate]:
        """Return the best distinct translations, at most so many, best first."""
        if not source:
            return [Candidate((), (0.0,) * len(COMPONENTS), 0.0)]
        return self._read_back(self._search(source), number)

    def _options(self, source: Words) -> dict[int, list[_Option]]:
        """Return by its first place what every run of source words may become.

        A word that the table does not have stands for itself.
        """
        options: dict[int, list[_Option]] = {begin: [] for begin in range(len(source))}
        for begin in range(len(source)):
            for end in range(begin + 1, min(begin + MOST_WORDS, len(source)) + 1):
                phrase = source[begin:end]
                copied = [Translation(phrase, (0.0,) * 4)] if end == begin + 1 else []
                options[begin] += [
                    self._option(begin, end, each) for each in self._table.get(phrase, copied)
                ]
        return options

    def _option(self, begin: int, end: int, translation: Translation) -> _Option:
        pairs = zip(self._phrase_weights, translation.features, strict=True)
        score = math.fsum(weight * value for weight, value in pairs)
        score -= self._weights["phrases"] + self._weights["words"] * len(translation.words)
        covers = (1 << end) - (1 << begin)
        return _Option(begin, end, translation.words, translation.features, score, covers)

    def _estimates(
        self, length: int, options: Mapping[int, Sequence[_Option]]
    ) -> dict[tuple[int, int], float]:
        """Return for each run of source words how good its translation is at best."""
        best: dict[tuple[int, int], float] = {}
        for begin in range(length):
            for option in options[begin]:
                fluency, _ = self._speak((), option.words)
                score = option.score + self._weights["lm"] * fluency
                span = begin, option.end
                best[span] = max(best.get(span, score), score)
        for size in range(2, length + 1):
            for begin in range(length - size + 1):
                end = begin + size
                parts = [best[begin, k] + best[k, end] for k in range(begin + 1, end)]
                best[begin, end] = max(best.get((begin, end), parts[0]), *parts)
        return best

    def _speak(self, history: Words, words: Words) -> tuple[float, Words]:
        """Return the log-probability of words after others, and what the next words follow."""
        log = 0.0
        for word in words:
            log += self._language.log(history, word)
            history = (*history, word)[1 - ORDER :]
        return log, history

    def _search(self, source: Words) -> _Node:
        """Fill the stacks; return the node at which every whole translation ends."""
        length = len(source)
        options = self._options(source)
        estimates = self._estimates(length, options)

        @cache
        def rest(covered: int) -> float:
            total, begin = 0.0, None
            for place in range(length + 1):
                free = place < length and not covered >> place & 1
                if free and begin is None:
                    begin = place
                elif not free and begin is not None:
                    total += estimates[begin, place]
                    begin = None
            return total

        stacks: list[dict[tuple[int, int, Words], _Node]] = [{} for _ in range(length + 1)]
        start = _Node(0, 0, (START,) * (ORDER - 1), 0.0, rest(0))
        stacks[0][0, 0, start.history] = start
        for stack in stacks[:-1]:
            for node in nlargest(self._stack, stack.values(), key=lambda each: each.hope):
                gap = (~node.covered & (node.covered + 1)).bit_length() - 1
                first = max(gap, node.end - self._limit)
                for begin in range(first, min(length, node.end + self._limit + 1)):
                    for option in options[begin]:
                        reachable = begin == gap or option.end - gap <= self._limit
                        if reachable and not option.covers & node.covered:
                            self._extend(node, option, stacks, rest(node.covered | option.covers))
        end = _Node((1 << length) - 1, length, (END,), -float("inf"), 0.0)
        for node in nlargest(self._stack, stacks[-1].values(), key=lambda each: each.hope):
            log = self._language.log(node.history, END)
            jump = abs(length - node.end)
            gain = self._weights["lm"] * log - self._weights["distortion"] * jump
            _link(end, _Edge(node, None, log, jump, gain))
        return end

    def _extend(
        self,
        node: _Node,
        option: _Option,
        stacks: Sequence[dict[tuple[int, int, Words], _Node]],
        rest: float,
    ) -> None:
        log, history = self._speak(node.history, option.words)
        jump = abs(option.begin - node.end)
        gain = option.score + self._weights["lm"] * log - self._weights["distortion"] * jump
        covered = node.covered | option.covers
        stack, key = stacks[covered.bit_count()], (covered, option.end, history)
        if key not in stack:
            stack[key] = _Node(covered, option.end, history, -float("inf"), 0.0)
        _link(stack[key], _Edge(node, option, log, jump, gain))
        stack[key].hope = stack[key].score + rest

    def _read_back(self, end: _Node, number: int) -> list[Candidate]:
        """Return the best distinct translations that end at a node.

        Of ways that go on from the same node with the same words only the best is followed.
        """
        order = count()  # of equal ways the first one met comes first
        heap: list[_Way] = [(-end.score, next(order), end, 0.0, (), ())]
        followed: set[tuple[_Node, Words]] = set()
        found: dict[Words, Candidate] = {}
        while heap and len(found) < number:
            cost, _, node, gained, words, edges = heappop(heap)
            if (node, words) in followed:
                continue
            followed.add((node, words))
            if not node.edges:
                found.setdefault(words, _candidate(words, edges, -cost))
            for edge in node.edges:
                total = gained + edge.gain
                spoken = words if edge.option is None else edge.option.words + words
                hope = edge.before.score + total
                way = -hope, next(order), edge.before, total, spoken, (edge, *edges)
                heappush(heap, way)
        return list(found.values())


def _link(node: _Node, edge: _Edge) -> None:
    node.edges.append(edge)
    node.score = max(node.score, edge.before.score + edge.gain)


def _candidate(words: Words, edges: Sequence[_Edge], score: float) -> Candidate:
    options = [edge.option for edge in edges if edge.option is not None]
    phrase = map(math.fsum, zip(*(option.features for option in options), strict=True))
    features = (
        -float(sum(edge.jump for edge in edges)), math.fsum(edge.language for edge in edges),
        *phrase, -float(len(options)), -float(len(words)),
    )  # fmt: skip
    return Candidate(words, features, score)
