"""Sentence pairs to train on and to translate: those of two or more files, or the sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studies.riezler.translate.alignment import Words
from studies.riezler.translate.sample import pairs
from tellapart.errors import DataError
from tellapart.formats.text.format import check_parallel, read_lines

MOST_WORDS: Final = 20
"""Longer sentences are left out"""
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences, and one or more translations of each."""

    source: list[Words]
    targets: list[tuple[Words, ...]]

    def of(self, numbers: Sequence[int]) -> Corpus:
        """Return some of the sentences."""
        return Corpus([self.source[k] for k in numbers], [self.targets[k] for k in numbers])


def tokens(line: str) -> Words:
    """Return words and marks in small letters.

    >>> tokens("Él duerme.")
    ('él', 'duerme', '.')
    """
    return tuple(_TOKEN.findall(line.lower()))


def sample() -> Corpus:
    """Return the sample."""
    return Corpus(*map(list, zip(*((tokens(a), (tokens(b),)) for a, b in pairs()), strict=True)))


def read_corpus(source: Path, targets: Sequence[Path]) -> Corpus:
    """Return the pairs of parallel files that are short enough, and empty on no side."""
    lines = {str(path): read_lines(path) for path in (source, *targets)}
    check_parallel(lines)
    rows = [tuple(tokens(line) for line in row) for row in zip(*lines.values(), strict=True)]
    kept = [row for row in rows if all(0 < len(words) <= MOST_WORDS for words in row)]
    return Corpus([row[0] for row in kept], [row[1:] for row in kept])


def split(corpus: Corpus, train: int, decode: int) -> tuple[Corpus, Corpus]:
    """Return what is trained on and what is held back, both spread evenly over the whole.

    No sentence that is held back is also trained on: one that comes twice is dropped from training.
    """
    size = len(corpus.source)
    if train + decode > size:
        raise DataError(
            f"{size:,} sentence pairs of up to {MOST_WORDS} words cannot give {train:,} to train "
            f"on and {decode:,} to translate; lower --train or --decode"
        )
    taken = [k * size // (train + decode) for k in range(train + decode)]
    held = {k * (train + decode) // decode for k in range(decode)}
    test = corpus.of([number for k, number in enumerate(taken) if k in held])
    unseen = set(test.source)
    rest = [number for k, number in enumerate(taken) if k not in held]
    return corpus.of([k for k in rest if corpus.source[k] not in unseen]), test
