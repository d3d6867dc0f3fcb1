"""NIST (Doddington 2002), as in the mteval scripts, version 13."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, UsageError
from tellapart.metrics.text.ngrams import Sequences, match
from tellapart.metrics.text.texts import Counter, Texts
from tellapart.metrics.text.tokenizers import TOKENIZERS, Tokenizer
from tellapart.words import nearest

ORDER: Final = 5
_CHUNK: Final = 1 << 20
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
    looks_ahead = True

    def __post_init__(self) -> None:
        if self.tokenize not in TOKENIZERS:
            raise UsageError(
                f"there is no tokenizer {self.tokenize!r}; {nearest(self.tokenize, TOKENIZERS)}"
            )
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
            f"nrefs:{references}|case:{case}|tok:{self.tokenize}|order:{ORDER}|"
            f"history:{self.compat or 'correct'}"
        )

    @property
    def _lower(self) -> str:
        if not self.lowercase:
            return "no"
        return "unicode" if self.tokenize == "intl" else "ascii"

    def counter(self, texts: Texts) -> Counter:
        """Return what counts a block of texts, by the weights of all references."""
        tokenizer = Tokenizer(self.tokenize, self._lower, script=self.compat == "mteval")
        encoded = [tokenizer.encode(part.grouped()[0]) for _, part in texts.blocks()]
        references, ref_of = _joined(encoded), texts.grouped()[1]
        if not len(references.tokens):
            raise DataError("no reference has any words: NIST is undefined without them")
        zero = tokenizer.number("0") if self.compat == "mteval" else None
        weights = _Weights.of(references, zero)

        def count(start: int, block: Texts) -> NDArray[Any]:
            outputs, first = tokenizer.encode(block.outputs()), int(ref_of[start])
            mine = references.part(first, int(ref_of[start + len(block)]))
            offset = int(references.starts[first])
            return _count(block, outputs, mine, weights, offset)

        return count

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


@dataclass(frozen=True, slots=True)
class _Weights:
    """The information of every n-gram of the references, by where it stands."""

    numbers: tuple[NDArray[np.int32], ...]  # per order: the n-gram that starts at each token
    information: tuple[Floats, ...]  # per order: of each n-gram

    @classmethod
    def of(cls, references: Sequences, zero: int | None) -> _Weights:
        """Return n-gram weights by how often they follow their history; `zero` is the word "0"."""
        tokens = references.tokens
        n, size = len(tokens), int(tokens.max()) + 1
        left = (np.repeat(references.starts[1:], references.lengths) - np.arange(n)).astype(
            np.int32
        )
        histories, counts = np.zeros(n, np.int32), np.array([n])
        numbers, information = list[NDArray[np.int32]](), list[Floats]()
        for order in range(ORDER):
            whole = left > order
            # A number for each n-gram: that of its history, and its last word.
            keys = (
                histories[whole].astype(np.int64) * size
                + tokens[order:][whole[: max(n - order, 0)]]
            )
            known, times = np.unique(keys, return_counts=True)
            before = counts[known // size]
            if order == 1 and zero is not None:
                before = np.where(numbers[0][tokens == zero][:1] == known // size, n, before)
            information.append(np.log2(before / times))
            histories, counts = np.zeros(n, np.int32), times
            histories[whole] = _places(known, keys)
            numbers.append(histories)
        return cls(tuple(numbers), tuple(information))

    def at(self, order: int, places: NDArray[Any]) -> Floats:
        """Return the information of the n-grams that start at these tokens."""
        return np.asarray(self.information[order][self.numbers[order][places]])


def _joined(parts: list[Sequences]) -> Sequences:
    lengths = np.concatenate([part.lengths for part in parts])
    return Sequences.of_lengths(np.concatenate([part.tokens for part in parts]), lengths.tolist())


def _places(known: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the places of keys among the known ones, some at a time to save memory."""
    found = np.empty(len(keys), np.int32)
    for start in range(0, len(keys), _CHUNK):
        part = slice(start, start + _CHUNK)
        found[part] = np.searchsorted(known, keys[part])
    return found


def _count(
    texts: Texts, outputs: Sequences, references: Sequences, weights: _Weights, offset: int
) -> NDArray[Any]:
    ref_of = texts.grouped()[1]
    found, owners, n = match(outputs, references, ref_of, ORDER), outputs.owners, len(outputs)
    rows = np.empty((n, 2 * ORDER + 1))
    for order, row in enumerate(found):
        hit = row >= 0
        gained = weights.at(order, row[hit] + offset)
        rows[:, order] = np.bincount(owners[hit], gained, n)
    rows[:, ORDER : 2 * ORDER] = outputs.totals(ORDER)
    sums = np.diff(references.starts[ref_of])
    rows[:, 2 * ORDER] = np.tile(sums / np.diff(ref_of), len(texts.systems))
    return rows.reshape(len(texts.systems), len(texts), -1)
