"""A 3-gram language model by interpolated Kneser–Ney (1995; Chen and Goodman 1999).

Each order takes a discount from what was seen and gives it to the order below. Below the highest
order a run of words counts by how many different words it was seen after, not by how often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from studies.riezler.translate.alignment import Words

START, END = "<s>", "</s>"
ORDER: Final = 3
_DISCOUNT: Final = 0.5  # where no run was seen once, or none twice


class LanguageModel:
    """Probabilities of words after two others; a word never seen has a share of its own."""

    def __init__(self, sentences: Iterable[Words]) -> None:
        runs: Counter[Words] = Counter()
        for words in sentences:
            padded = (START,) * (ORDER - 1) + words + (END,)
            runs.update(padded[k : k + ORDER] for k in range(len(words) + 1))
        self._orders = [_Order(runs)]
        while len(next(iter(runs))) > 1:
            runs = Counter(run[1:] for run in runs)
            self._orders.append(_Order(runs))
        self._uniform = 1 / (len(runs) + 1)
        self._known: dict[tuple[Words, str], float] = {}

    def probability(self, history: Words, word: str) -> float:
        """Return the probability of a word after two others."""
        lower = self._uniform
        for order, size in zip(reversed(self._orders), range(ORDER), strict=True):
            lower = order.probability(history[-size:] if size else (), word, lower)
        return lower

    def log(self, history: Words, word: str) -> float:
        """Return the log of the probability of a word after two others."""
        key = history, word
        if key not in self._known:
            self._known[key] = math.log(self.probability(history, word))
        return self._known[key]

    def sentence_log(self, words: Words) -> float:
        """Return the log of the probability of a whole sentence."""
        padded = (START,) * (ORDER - 1) + words + (END,)
        return math.fsum(
            self.log(padded[k : k + ORDER - 1], padded[k + ORDER - 1])
            for k in range(len(words) + 1)
        )


class _Order:
    """Counts of runs of one length, by what comes before the last word."""

    def __init__(self, runs: Mapping[Words, int]) -> None:
        self._runs = dict(runs)
        self._totals: Counter[Words] = Counter()
        self._kinds: Counter[Words] = Counter()
        for run, count in runs.items():
            self._totals[run[:-1]] += count
            self._kinds[run[:-1]] += 1
        times = Counter(runs.values())
        whole = times[1] and times[2]
        self._discount = times[1] / (times[1] + 2 * times[2]) if whole else _DISCOUNT

    def probability(self, history: Words, word: str, lower: float) -> float:
        total = self._totals.get(history, 0)
        if not total:
            return lower
        seen = max(self._runs.get((*history, word), 0) - self._discount, 0.0)
        return (seen + self._discount * self._kinds[history] * lower) / total
