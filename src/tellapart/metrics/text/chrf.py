"""chrF, chrF+ and chrF++ (Popović 2015, 2017)."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.text.ngrams import Counter, Sequences, Texts, count_matches
from tellapart.metrics.text.tokenizers import Tokenizer

_CHARACTERS: Final = 6  # the longest n-grams of characters
_BETA: Final = 2
_PUNCTUATION: Final = frozenset(string.punctuation)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Chrf:
    """How chrF is computed: chrF+ has `word_order` 1, chrF++ has 2; scores are from 0 to 100."""

    word_order: int = 0
    lowercase: bool = False

    higher_is_better = True

    @property
    def name(self) -> str:
        """The name by which users ask for the metric."""
        return "chrf" + "+" * self.word_order

    @property
    def columns(self) -> tuple[str, ...]:
        """The counts that the score is made of: of outputs, of references, of both."""
        kinds = [f"{n}" for n in range(1, _CHARACTERS + 1)]
        kinds += [f"w{n}" for n in range(1, self.word_order + 1)]
        return tuple(f"{self.name}_{what}_{k}" for k in kinds for what in ("hyp", "ref", "match"))

    def signature(self, references: str) -> str:
        """Return all that changes the number."""
        return (
            f"nrefs:{references}|case:{'lc' if self.lowercase else 'mixed'}|"
            f"eff:yes|nc:{_CHARACTERS}|nw:{self.word_order}|space:no|beta:{_BETA}"
        )

    def counter(self, _: Texts) -> Counter:
        """Return what counts a block of texts: systems × segments × columns."""
        return self._count

    def _count(self, texts: Texts) -> NDArray[Any]:
        """Return the counts against the reference with the best score, segment by segment."""
        words = Tokenizer("none", prepare=_split_punctuation)
        outputs = list(self._sequences(words, texts.outputs()))
        shape = len(texts.systems), len(texts), -1
        best = np.full(shape[:2], -np.inf)
        kept = np.zeros((*best.shape, len(self.columns)), np.int64)
        for lines in texts.references:
            references = self._sequences(words, [line or "" for line in lines])
            parts = [
                _statistics(output, reference, order)
                for (output, order), (reference, _) in zip(outputs, references, strict=True)
            ]
            counts = np.concatenate(parts, axis=1).reshape(shape)
            there = np.array([line is not None for line in lines])
            scores = np.where(there, self.score(counts.astype(np.float64)), -1.0)
            better = scores > best
            kept, best = np.where(better[..., None], counts, kept), np.maximum(scores, best)
        return kept.astype(np.int32)

    def _sequences(
        self, words: Tokenizer, lines: Iterator[str] | Sequence[str]
    ) -> Iterator[tuple[Sequences, int]]:
        """Yield characters and, if wanted, words, each with the largest order."""
        cased = [line.lower() for line in lines] if self.lowercase else list(lines)
        yield Sequences.of_characters("".join(line.split()) for line in cased), _CHARACTERS
        if self.word_order:
            yield words.encode(cased), self.word_order

    def score(self, sums: Floats) -> Floats:
        """Return chrF for sums of the columns, which run along the last axis."""
        b2 = _BETA**2
        shape = np.shape(sums[..., 0])
        precisions, recalls, orders = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for k in range(0, sums.shape[-1], 3):
            hyp, ref, both = sums[..., k], sums[..., k + 1], sums[..., k + 2]
            counts = (hyp > 0) & (ref > 0)
            precisions = precisions + np.where(counts, _over(both, hyp), 0.0)
            recalls = recalls + np.where(counts, _over(both, ref), 0.0)
            orders = orders + counts
        precisions, recalls = precisions / np.maximum(orders, 1), recalls / np.maximum(orders, 1)
        below = b2 * precisions + recalls
        above = (1 + b2) * precisions * recalls
        return np.asarray(100 * np.where(below > 0, above / np.where(below > 0, below, 1), 0.0))


def _over(part: Floats, whole: Floats) -> Floats:
    return np.asarray(part / np.where(whole > 0, whole, 1))


def _statistics(outputs: Sequences, references: Sequences, orders: int) -> NDArray[np.int64]:
    """Return n-gram counts of outputs, of references and of both: outputs × (3 × orders)."""
    segments = len(references)
    of_refs = np.tile(references.totals(orders), (len(outputs) // segments, 1))
    # Without any n-gram in the reference, those of the output do not count.
    of_hyps = np.where(of_refs > 0, outputs.totals(orders), 0)
    both = count_matches(outputs, references, np.arange(segments + 1), orders)
    return np.stack([of_hyps, of_refs, both], axis=2).reshape(len(outputs), 3 * orders)


def _split_punctuation(line: str) -> str:
    """Return a line with one mark set off from each word: the last character, or the first.

    >>> _split_punctuation('(hi) there, "so !')
    '(hi ) there , " so !'
    """
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in _PUNCTUATION:
            words.append(f"{word[:-1]} {word[-1]}")
        elif word[0] in _PUNCTUATION:
            words.append(f"{word[0]} {word[1:]}")
        else:
            words.append(word)
    return " ".join(words)
