"""NIST (Doddington 2002), as in the mteval scripts, version 13."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, UsageError
from tellapart.metrics.text.ngrams import Counter, Texts, grouped, match
from tellapart.metrics.text.tokenizers import Tokenizer, check_tokenizer, tokenizer_signature

ORDER: Final = 5
_BETA: Final = math.log(0.5) / math.log(1.5) ** 2  # the penalty is 1/2 at two thirds of the length

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Nist:
    """How NIST is computed.

    `compat="mteval"` repeats what the script does with a history that is the word "0", and its
    handling of entities. `lowercase` is of ASCII letters only, as in the script, except with
    `intl`.
    """

    tokenize: str = "13a"
    lowercase: bool = False
    compat: str | None = None

    name = "nist"
    higher_is_better = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        if self.compat not in (None, "mteval"):
            raise UsageError(f"NIST can be compatible with 'mteval', not with {self.compat!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers that the score is made of."""
        orders = range(1, ORDER + 1)
        sums, totals = (tuple(f"nist_{what}_{n}" for n in orders) for what in ("info", "total"))
        return (*sums, *totals, "nist_ref_len")

    def signature(self, references: str) -> str:
        """Return all that changes the number."""
        case = ("lc" if self._lower == "unicode" else "lc-ascii") if self.lowercase else "mixed"
        return (
            f"nrefs:{references}|case:{case}|tok:{tokenizer_signature(self.tokenize)}|order:{ORDER}|"
            f"history:{self.compat or 'correct'}"
        )

    @property
    def _lower(self) -> str:
        if not self.lowercase:
            return "no"
        return "unicode" if self.tokenize == "intl" else "ascii"

    def counter(self, texts: Texts) -> Counter:
        """Return what counts the blocks of texts, in order, by the weights of all references."""
        tokenizer = self._tokenizer()
        blocks = [tokenizer.encode(grouped(block.references)[0]) for block in texts.blocks()]
        sizes = [len(block.tokens) for block in blocks]
        if not sum(sizes):
            raise DataError("no reference has any words: NIST is undefined without them")
        words = np.concatenate([block.tokens for block in blocks]).astype(np.int64)
        lengths = np.concatenate([block.lengths for block in blocks])
        zero = tokenizer.number("0") if self.compat == "mteval" else None
        parts = iter(np.split(_information(words, lengths, zero), np.cumsum(sizes)[:-1], axis=1))
        return lambda block: _count(self._tokenizer(), block, next(parts))

    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.tokenize, self._lower, script=self.compat == "mteval")

    def score(self, sums: Floats) -> Floats:
        """Return NIST for sums of the columns, which run along the last axis."""
        length, words = sums[..., 2 * ORDER], sums[..., ORDER]
        x = words / np.where(length > 0, length, 1)
        inside = (x > 0) & (x < 1) & (length > 0)
        penalty = np.where(inside, np.exp(_BETA * np.log(np.where(inside, x, 1)) ** 2), 1.0)
        penalty = np.where((words <= 0) | (length <= 0), 0.0, penalty)
        gain = np.zeros(np.shape(length))
        for n in range(ORDER):
            gain = gain + sums[..., n] / np.maximum(sums[..., ORDER + n], 1)
        return np.asarray(penalty * gain)


def _information(words: NDArray[np.int64], lengths: NDArray[np.int64], zero: int | None) -> Floats:
    """Return the information of the n-gram that starts at each word of references: orders × words.

    It is how seldom the n-gram follows its history. `zero` is the word "0", which the script takes
    for an empty history.
    """
    n, size = len(words), int(words.max()) + 1
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(n)  # words to the end of the line
    information = np.zeros((ORDER, n))
    histories, times = np.zeros(n, np.int64), np.array([n])
    empty = None
    for order in range(ORDER):
        starts = np.flatnonzero(left > order)
        keys = histories[starts] * size + words[starts + order]
        ngrams, numbers, counts = np.unique(keys, return_inverse=True, return_counts=True)
        before = times[ngrams // size]
        if order == 1 and empty is not None:
            before = np.where(ngrams // size == empty, n, before)
        if order == 0 and zero is not None:
            empty = int(np.searchsorted(ngrams, zero))
        information[order, starts] = np.log2(before / counts)[numbers]
        histories[starts], times = numbers, counts
    return information


def _count(tokenizer: Tokenizer, texts: Texts, weights: Floats) -> NDArray[Any]:
    lines, ref_of = grouped(texts.references)
    references, outputs = tokenizer.encode(lines), tokenizer.encode(texts.outputs())
    found, owners, n = match(outputs, references, ref_of, ORDER), outputs.owners, len(outputs)
    rows = np.empty((n, 2 * ORDER + 1))
    for order, information in enumerate(weights):
        hit = found[order] >= 0
        rows[:, order] = np.bincount(owners[hit], information[found[order][hit]], n)
    rows[:, ORDER : 2 * ORDER] = outputs.totals(ORDER)
    sums = np.diff(references.starts[ref_of])
    rows[:, 2 * ORDER] = np.tile(sums / np.diff(ref_of), len(texts.systems))
    return rows.reshape(len(texts.systems), len(texts), -1)
