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
from tellapart.formats.texts import check_parallel, read_lines

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


def sample(number: int = 100) -> Corpus:
    """Return so many pairs of the sample."""
    both = ((tokens(a), (tokens(b),)) for a, b in pairs(number))
    return Corpus(*map(list, zip(*both, strict=True)))


def read_corpus(source: Path, targets: Sequence[Path], most: int) -> Corpus:
    """Return the pairs of parallel files of so many words at most, and empty on no side."""
    if not targets:
        raise DataError(f"{source.parent}: there is no translation, ref1.txt; give one or more")
    lines = {str(path): read_lines(path) for path in (source, *targets)}
    check_parallel(lines)
    rows = [tuple(tokens(line) for line in row) for row in zip(*lines.values(), strict=True)]
    kept = [row for row in rows if all(0 < len(words) <= most for words in row)]
    return Corpus([row[0] for row in kept], [row[1:] for row in kept])


def split(corpus: Corpus, train: int | None, decode: int) -> tuple[Corpus, Corpus]:
    """Return what is trained on and what is held back, both spread evenly over the whole.

    No sentence that is held back is also trained on: one that comes twice is dropped from training.
    Without a number, or with too few, all that are not held back are trained on.
    """
    size = len(corpus.source)
    if 2 * decode > size:
        raise DataError(
            f"{size:,} sentence pairs that are short enough are too few to translate {decode:,} "
            "and to learn from the rest; give twice as many"
        )
    wanted = size if train is None else min(size, train + decode)
    taken = [k * size // wanted for k in range(wanted)]
    held = {k * wanted // decode for k in range(decode)}
    test = corpus.of([number for k, number in enumerate(taken) if k in held])
    unseen = set(test.source)
    rest = [number for k, number in enumerate(taken) if k not in held]
    return corpus.of([k for k in rest if corpus.source[k] not in unseen]), test
