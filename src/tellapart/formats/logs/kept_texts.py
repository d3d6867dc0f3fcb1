"""What is kept of the texts of a log's samples: all of a small log, none of a very large one.

Scores do not depend on texts: these are for reports, which show those of a few items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from tellapart.errors import Notice
from tellapart.files import shown
from tellapart.formats.logs.log import Sample
from tellapart.words import several

MOST_TEXTS: Final = 50_000
MOST_CHARACTERS: Final = 1 << 25
"""Of a file with more samples, or with longer texts of all of them together, none are kept"""
LARGE: Final = 1 << 26
"""Bytes of a file whose long texts are not kept whole"""
LONGEST_TEXT: Final = 2000
_LONGEST_LABEL: Final = 80  # what is longer is free text, unless it repeats
_LONGEST_PRINT: Final = 64


class KeptTexts:
    """The texts of one file, as long as they are few; `large` files have long texts cut."""

    def __init__(self, *, large: bool = False) -> None:
        self.dropped = False
        """Whether there were too many"""
        self._large, self._cut, self._samples, self._characters = large, 0, 0, 0
        self._free: frozenset[str] = frozenset()  # what is called like a label, and is free text
        self._labels: dict[str, str] = {}  # each text once

    def take(self, sample: Sample) -> Sample:
        """Return a further sample with what is kept of its texts."""
        if self.dropped:
            return self._without_texts(sample)
        if self._large and (short := _with_short_texts(sample)) != sample:
            sample, self._cut = short, self._cut + 1
        self._samples += 1
        self._characters += sum(map(len, (sample.input, sample.gold, sample.output)))
        self._characters += sum(map(len, sample.labels.values()))
        return sample

    def too_many(self) -> bool:
        """Return whether the samples that were taken must go through `drop` now, which is once."""
        many = self._samples > MOST_TEXTS or self._characters > MOST_CHARACTERS
        return many and not self.dropped

    def drop(self, samples: Sequence[Sample]) -> Iterator[Sample]:
        """Yield the samples without texts; labels stay, unless they are free texts."""
        self.dropped = True
        texts: dict[str, list[str]] = {}
        for sample in samples:
            for name, text in sample.labels.items():
                texts.setdefault(name, []).append(text)
        self._free = frozenset(name for name, some in texts.items() if not is_label(some))
        return map(self._without_texts, samples)

    def notices(self, path: str) -> Iterator[Notice]:
        """Yield what became of texts."""
        if self.dropped:
            text = (
                f"{shown(path)} is very large: its texts were not kept for reports; scores do not "
                "depend on them."
            )
            yield Notice("texts-dropped", text, (path,))
        elif self._cut:
            text = (
                f"{shown(path)} is large: of {several(self._cut, 'sample')}, texts longer than "
                f"{LONGEST_TEXT:,} characters were cut for reports; scores do not depend on them."
            )
            yield Notice("texts-cut", text, (path,))

    def _without_texts(self, sample: Sample) -> Sample:
        labels = {
            name: self._labels.setdefault(text, text)
            for name, text in sample.labels.items()
            if name not in self._free
        }
        return replace(sample, input="", gold="", output="", labels=labels)


def is_label(texts: Sequence[str]) -> bool:
    """Return whether texts, one for each item, are labels: they are short, or repeat.

    >>> is_label(["sea", "air"]), is_label(["x" * 100, "y" * 100]), is_label(["x" * 100] * 2)
    (True, False, True)
    """
    return max(map(len, texts)) <= _LONGEST_LABEL or 2 * len(set(texts)) <= len(texts)


def text_print(text: str) -> str:
    """Return a text, or what stands for a longer one, by which texts are told apart.

    >>> text_print("Who?"), len(text_print("Who? " * 100))
    ('Who?', 64)
    """
    if len(text) <= _LONGEST_PRINT:
        return text
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _with_short_texts(sample: Sample) -> Sample:
    """Return a sample with the beginnings and ends of long texts; what tells them apart stays."""
    return replace(
        sample,
        input=_short(sample.input),
        gold=_short(sample.gold),
        output=_short(sample.output),
        labels={name: _short(text) for name, text in sample.labels.items()},
    )


def _short(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    # Texts that differ in the middle alone still differ.
    return f"{text[:half]} […] {text[-half:]} [{text_print(text)[:8]}]"
