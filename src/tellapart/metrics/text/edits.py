"""Edits of TER in plain Python: the same steps as the native code, slower.

Edit distance in a band around the diagonal; then, as long as it helps, the block shift that lowers
it most (Snover and others 2006, with the limits of Tercom and sacreBLEU).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.metrics.text.ngrams import Sequences

LONGEST_SHIFT: Final = 10
FARTHEST_SHIFT: Final = 50
BAND: Final = 25
MOST_CANDIDATES: Final = 1000
_FAR: Final = 1 << 29
_KEEP, _REPLACE, _DROP, _INSERT = range(4)  # from hypothesis to reference


def count_edits(hypotheses: Sequences, references: Sequences) -> NDArray[np.int32]:
    """Return the edits of each hypothesis to the reference of the same number.

    >>> outputs, references = ["defabc", "abx"], ["abcdef", "ab"]
    >>> count_edits(*map(Sequences.of_characters, (outputs, references))).tolist()
    [1, 1]
    """
    native = path.native
    if path.active() != "numpy" and native is not None:
        edits = np.empty(len(hypotheses), np.int32)
        native.count_edits(
            hypotheses.tokens, hypotheses.starts, references.tokens, references.starts, edits
        )
        return edits
    pairs = zip(_lists(hypotheses), _lists(references), strict=True)
    return np.array([_edits(hyp, ref) for hyp, ref in pairs], np.int32)


def _lists(sequences: Sequences) -> Iterator[list[int]]:
    tokens, starts = sequences.tokens.tolist(), sequences.starts.tolist()
    return (tokens[a:b] for a, b in pairwise(starts))


def _edits(hyp: list[int], ref: list[int]) -> int:
    if not ref:
        return len(hyp)
    search, shifts = _Search(ref, len(hyp)), 0
    while True:
        shift = search.best_shift(hyp)
        if search.checked >= MOST_CANDIDATES or shift is None or shift[0] <= 0:
            return shifts + search.distance(hyp)
        hyp = _moved(hyp, -shift[2], shift[1], -shift[3])
        shifts += 1


Shift = tuple[int, int, int, int]  # gain, length, minus start, minus target: larger is better


@dataclass(slots=True)
class _Search:
    """Shifts of one hypothesis, whose length does not change, towards a reference."""

    ref: list[int]
    hyp_size: int
    checked: int = 0
    _bands: list[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        ratio = len(self.ref) / self.hyp_size if self.hyp_size else 1.0
        band = math.ceil(ratio / 2 + BAND) if ratio / 2 > BAND else BAND
        width = len(self.ref) + 1
        self._bands = [(0, width)]
        for i in range(1, self.hyp_size + 1):
            diagonal = math.floor(i * ratio)
            high = width if i == self.hyp_size else min(width, diagonal + band)
            self._bands.append((max(0, diagonal - band), high))

    def distance(self, hyp: list[int]) -> int:
        """Return the edit distance within the band."""
        return self._rows(hyp)[0][-1][-1]

    def _rows(self, hyp: list[int]) -> tuple[list[list[int]], list[list[int]]]:
        """Return the costs, and which operation led to each."""
        width = len(self.ref) + 1
        costs, ops = [list(range(width))], [[_INSERT] * width]
        for i, word in enumerate(hyp, 1):
            above, here, how = costs[-1], [_FAR] * width, [_INSERT] * width
            low, high = self._bands[i]
            if low == 0:
                here[0], how[0] = above[0] + 1, _DROP
            for j in range(max(low, 1), high):
                same = word == self.ref[j - 1]
                best, op = above[j - 1] + (not same), _KEEP if same else _REPLACE
                if above[j] + 1 < best:
                    best, op = above[j] + 1, _DROP
                if here[j - 1] + 1 < best:
                    best, op = here[j - 1] + 1, _INSERT
                here[j], how[j] = best, op
            costs.append(here)
            ops.append(how)
        return costs, ops

    def best_shift(self, hyp: list[int]) -> Shift | None:
        """Return the shift that gains most; None where there is none to try."""
        costs, ops = self._rows(hyp)
        at, ref_wrong, hyp_wrong = _alignment(ops)
        best: Shift | None = None
        for start, r, length in _common(hyp, self.ref):
            if not any(hyp_wrong[start : start + length]) or not any(ref_wrong[r : r + length]):
                continue
            if start <= at[r] < start + length:
                continue
            for target in _targets(at, r, length):
                gain = costs[-1][-1] - self.distance(_moved(hyp, start, length, target))
                self.checked += 1
                best = max(best or (gain, 0, 0, 0), (gain, length, -start, -target))
            if self.checked >= MOST_CANDIDATES:
                break
        return best


def _alignment(ops: list[list[int]]) -> tuple[list[int], list[bool], list[bool]]:
    """Return the hypothesis word at or before each reference word, and which words are wrong."""
    i, j = len(ops) - 1, len(ops[0]) - 1
    at, ref_wrong, hyp_wrong = [0] * j, [False] * j, [False] * i
    while i > 0 or j > 0:
        op = ops[i][j]
        if op in (_KEEP, _REPLACE):
            i, j = i - 1, j - 1
            at[j], ref_wrong[j], hyp_wrong[i] = i, op == _REPLACE, op == _REPLACE
        elif op == _INSERT:
            j -= 1
            at[j], ref_wrong[j] = i - 1, True
        else:
            i -= 1
            hyp_wrong[i] = True
    return at, ref_wrong, hyp_wrong


def _common(hyp: list[int], ref: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield equal stretches as (start in hypothesis, start in reference, length)."""
    for h in range(len(hyp)):
        for r in range(max(0, h - FARTHEST_SHIFT), min(len(ref), h + FARTHEST_SHIFT + 1)):
            for length in range(1, min(LONGEST_SHIFT, len(hyp) - h, len(ref) - r) + 1):
                if hyp[h + length - 1] != ref[r + length - 1]:
                    break
                yield h, r, length


def _targets(at: list[int], r: int, length: int) -> Iterator[int]:
    """Yield the places behind the words that are aligned just before and within a stretch."""
    previous = -1
    for place in range(r - 1, r + length):
        target = 0 if place < 0 else at[place] + 1
        if target != previous:
            yield target
        previous = target


def _moved(words: list[int], start: int, length: int, target: int) -> list[int]:
    """Return words with a block moved; inside itself it goes as far behind as that is past it."""
    block = words[start : start + length]
    if target < start:
        return words[:target] + block + words[target:start] + words[start + length :]
    end = target if target > start + length else target + length
    return words[:start] + words[start + length : end] + block + words[end:]
