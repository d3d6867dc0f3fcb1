"""NIST (Doddington 2002), as in the mteval scripts, version 13."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, UsageError
from tellapart.files import room_for
from tellapart.metrics.text.ngrams import match
from tellapart.metrics.text.texts import Counter, References, Texts, grouped
from tellapart.metrics.text.tokenizers import Tokenizer, check_tokenizer, tokenizer_signature

ORDER: Final = 5
_IN_MEMORY: Final = 1 << 22  # bytes of a list of numbers; more go to a temporary file
_PART: Final = 1 << 22  # n-grams that are counted at a time
_MOST_PARTS: Final = 200  # files are open at a time
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

    def counter(self, references: References) -> Counter:
        """Return what counts the blocks of texts in their order, by the weights of all references.

        Memory grows with the n-grams whose beginning comes more than once, not with the texts.
        """
        tokenizer = self._tokenizer()
        tokens = _Tokens.of(tokenizer, references)
        if not tokens.number:
            raise DataError("no reference has any words: NIST is undefined without them")
        zero = tokenizer.number("0") if self.compat == "mteval" else None
        weights = _Weights.of(tokens, zero)
        return lambda texts: _count(self._tokenizer(), texts, weights)

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


class _Numbers:
    """Whole numbers that are written, and then read again, in their order."""

    def __init__(self, kind: type[np.int32] | type[np.int64] = np.int32) -> None:
        self._kind = np.dtype(kind)
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115

    def add(self, numbers: NDArray[Any]) -> None:
        """Write some more."""
        with self._room():
            self._file.write(numbers.astype(self._kind, copy=False).tobytes())

    def rewind(self) -> None:
        """Begin to read."""
        with self._room():
            self._file.seek(0)

    def _room(self) -> AbstractContextManager[None]:
        return room_for("what NIST counts in large references", self._file)

    def take(self, n: int = -1) -> NDArray[Any]:
        """Return the next n, or all that are left."""
        found = np.frombuffer(self._file.read(n if n < 0 else n * self._kind.itemsize), self._kind)
        if len(found) < n:
            raise DataError("the references changed while they were read; try again")
        return found


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of all references."""

    words: _Numbers
    lengths: list[NDArray[np.int32]]
    """Of the references, a block at a time"""
    number: int
    size: int
    """More than any token is"""

    @classmethod
    def of(cls, tokenizer: Tokenizer, references: References) -> _Tokens:
        """Return the tokens of references that come a block at a time."""
        words, lengths, size = _Numbers(), [], 0
        for block in references:
            encoded = tokenizer.encode(grouped(block)[0])
            words.add(encoded.tokens)
            lengths.append(encoded.lengths.astype(np.int32))
            size = max(size, int(encoded.tokens.max(initial=-1)) + 1)
        return cls(words, lengths, sum(int(each.sum()) for each in lengths), size)

    def ngrams(
        self, order: int, histories: _Numbers, known: int
    ) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
        """Yield where n-grams with a known history start, and a key of each, block by block.

        `histories` are the numbers of the n-grams that are shorter by one; those below `known` are
        of known ones. A key is the number of the history times `size`, and the last word.
        """
        self.words.rewind()
        histories.rewind()
        for lengths in self.lengths:
            n = int(lengths.sum())
            words, before = self.words.take(n), histories.take(n)
            left = np.repeat(np.cumsum(lengths), lengths) - np.arange(n)
            starts = (left > order) & (before < known)
            last = words[np.flatnonzero(starts) + order]
            yield starts, before[starts].astype(np.int64) * self.size + last


@dataclass(frozen=True, slots=True)
class _Weights:
    """The information of every n-gram of the references, by where it stands."""

    numbers: tuple[_Numbers, ...]  # per order: of the n-gram that starts at each token
    information: tuple[Floats, ...]  # per order: by these numbers

    @classmethod
    def of(cls, tokens: _Tokens, zero: int | None) -> _Weights:
        """Return n-gram weights by how often they follow their history; `zero` is the word "0".

        An n-gram that comes once is weighed by its history alone, and what goes on with it has no
        information: it always follows. So only those that come again are known by numbers.
        """
        histories, counts = _Numbers(), np.array([tokens.number])
        for lengths in tokens.lengths:
            histories.add(np.zeros(int(lengths.sum()), np.int32))
        numbers, information = list[_Numbers](), list[Floats]()
        special = -1  # the history "0", which the script takes for an empty one
        for order in range(ORDER):
            tally = _Tally(min(1 + tokens.number // _PART, _MOST_PARTS))
            for _, keys in tokens.ngrams(order, histories, len(counts)):
                tally.add(keys)
            known, times = tally.repeated(zero if order == 0 else None)
            before = counts if order != 1 else np.where(
                np.arange(len(counts)) == special, tokens.number, counts
            )  # fmt: skip
            if order == 0 and zero is not None:
                special = int(np.searchsorted(known, zero))
            # First those known by numbers, then none, then those that come once, by history.
            weighed = np.log2(before[known // tokens.size] / times)
            information.append(np.concatenate([weighed, [0.0], np.log2(before / 1)]))
            found = _Numbers()
            for starts, keys in tokens.ngrams(order, histories, len(counts)):
                codes = np.full(len(starts), len(known))
                codes[starts] = _numbered(known, keys, tokens.size)
                found.add(codes)
            histories, counts = found, times
            numbers.append(found)
        for each in numbers:
            each.rewind()
        return cls(tuple(numbers), tuple(information))

    def take(self, n: int) -> list[Floats]:
        """Return the information of the n-grams that start at the next n tokens, per order."""
        both = zip(self.information, self.numbers, strict=True)
        return [information[numbers.take(n)] for information, numbers in both]


class _Tally:
    """Counts keys: those of a part, by their remainder, at a time, so that memory is bounded."""

    def __init__(self, parts: int) -> None:
        self._parts = [_Numbers(np.int64) for _ in range(parts)]

    def add(self, keys: NDArray[np.int64]) -> None:
        """Note some more keys."""
        part = (keys % len(self._parts)).astype(np.uint16)
        ends = np.cumsum(np.bincount(part, minlength=len(self._parts)))[:-1]
        for one, some in zip(
            self._parts, np.split(keys[np.argsort(part, kind="stable")], ends), strict=True
        ):
            one.add(some)

    def repeated(self, always: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return in order the keys that came more than once, or are one, and how often."""
        found = []
        for part in self._parts:
            part.rewind()
            keys, times = np.unique(part.take(), return_counts=True)
            kept = (times > 1) | (keys == always)
            found.append((keys[kept], times[kept]))
        known, counts = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(known)
        return known[order], counts[order]


def _numbered(known: NDArray[np.int64], keys: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the places of keys among the known ones; of others, that of their history, behind."""
    distinct, back = np.unique(keys, return_inverse=True)
    places = np.searchsorted(known, distinct)
    there = places < len(known)
    there[there] = known[places[there]] == distinct[there]
    return np.asarray(np.where(there, places, len(known) + 1 + distinct // size)[back])


def _count(tokenizer: Tokenizer, texts: Texts, weights: _Weights) -> NDArray[Any]:
    lines, ref_of = texts.grouped()
    references, outputs = tokenizer.encode(lines), tokenizer.encode(texts.outputs())
    found, owners, n = match(outputs, references, ref_of, ORDER), outputs.owners, len(outputs)
    rows = np.empty((n, 2 * ORDER + 1))
    for order, information in enumerate(weights.take(len(references.tokens))):
        hit = found[order] >= 0
        rows[:, order] = np.bincount(owners[hit], information[found[order][hit]], n)
    rows[:, ORDER : 2 * ORDER] = outputs.totals(ORDER)
    sums = np.diff(references.starts[ref_of])
    rows[:, 2 * ORDER] = np.tile(sums / np.diff(ref_of), len(texts.systems))
    return rows.reshape(len(texts.systems), len(texts), -1)
