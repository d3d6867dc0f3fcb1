"""BLEU (Papineni and others 2002), with the counts and the smoothing of sacreBLEU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics.text.ngrams import (
    Counter,
    Sequences,
    Texts,
    count_matches,
    grouped,
)
from tellapart.metrics.text.tokenizers import Tokenizer, check_tokenizer, tokenizer_signature
from tellapart.words import nearest

SMOOTHING: Final = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
LARGEST_ORDER: Final = 9

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bleu:
    """How BLEU is computed; scores are from 0 to 100.

    >>> sums = np.array([6, 6, 3, 0, 0, 0, 6, 5, 4, 3])  # lengths, matches, totals
    >>> round(float(Bleu().score(sums)), 6)
    10.682175
    """

    tokenize: str = "13a"
    lowercase: bool = False
    smooth: str = "exp"
    smooth_value: float | None = None
    order: int = 4
    effective_order: bool = False

    name = "bleu"
    higher_is_better = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        if self.smooth not in SMOOTHING:
            raise UsageError(
                f"there is no smoothing {self.smooth!r}; {nearest(self.smooth, list(SMOOTHING))}"
            )
        if self.smooth_value is not None and (
            SMOOTHING[self.smooth] is None or not 0 <= self.smooth_value < float("inf")
        ):
            raise UsageError(
                f"smoothing {self.smooth!r} with the value {self.smooth_value}: floor and add-k "
                "take a value, 0 or more; the others take none"
            )
        if not 1 <= self.order <= LARGEST_ORDER:
            raise UsageError(f"the order of BLEU is 1 to {LARGEST_ORDER}, not {self.order}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The counts that the score is made of."""
        orders = range(1, self.order + 1)
        matches, totals = (tuple(f"{what}_{n}" for n in orders) for what in ("match", "total"))
        return ("hyp_len", "ref_len", *matches, *totals)

    def signature(self, references: str) -> str:
        """Return all that changes the number."""
        smooth = self.smooth
        if self._value is not None:
            smooth += f"[{self._value:.2f}]"
        return (
            f"nrefs:{references}|case:{'lc' if self.lowercase else 'mixed'}|"
            f"eff:{'yes' if self.effective_order else 'no'}|"
            f"tok:{tokenizer_signature(self.tokenize)}|smooth:{smooth}|order:{self.order}"
        )

    @property
    def _value(self) -> float | None:
        return SMOOTHING[self.smooth] if self.smooth_value is None else self.smooth_value

    def counter(self, _: Texts) -> Counter:
        """Return what counts a block of texts: systems × segments × columns."""
        return self._count

    def _count(self, texts: Texts) -> NDArray[Any]:
        tokenizer = Tokenizer(self.tokenize, "unicode" if self.lowercase else "no")
        lines, ref_of = grouped(texts.references)
        references, outputs = tokenizer.encode(lines), tokenizer.encode(texts.outputs())
        lengths = outputs.lengths
        closest = _closest(lengths, references, ref_of)
        matches = count_matches(outputs, references, ref_of, self.order)
        totals = outputs.totals(self.order)
        rows = np.concatenate([np.stack([lengths, closest], axis=1), matches, totals], axis=1)
        return rows.reshape(len(texts.systems), len(texts), -1).astype(np.int32)

    def score(self, sums: Floats) -> Floats:
        """Return BLEU for sums of the columns, which run along the last axis."""
        if self.smooth != "add-k" and np.min(sums) > 0:  # nothing to smooth, as in most corpora
            product = sums[..., 2] / sums[..., 2 + self.order]
            for n in range(1, self.order):
                product *= sums[..., 2 + n] / sums[..., 2 + self.order + n]
            return np.asarray(100 * _penalty(sums) * product ** (1 / self.order))
        shape = np.shape(sums[..., 0])
        product, reached = np.ones(shape), np.full(shape, float(self.order))
        for n, (precision, ends) in enumerate(self._precisions(sums)):
            if self.effective_order:
                reached = np.where(ends, max(n, 1), reached)
                precision = np.where(ends | (reached <= n), 1.0, precision)
            product = product * precision
        root = product ** (1 / reached)
        return np.asarray(np.where(self._any_match(sums), 100 * _penalty(sums) * root, 0.0))

    def parts(self, sums: Floats) -> dict[str, Any]:
        """Return what the score of one sum is made of, precisions in percent.

        >>> Bleu(order=2).parts(np.array([6.0, 8, 3, 1, 6, 5]))["precisions"]
        [50.0, 20.0]
        """
        some = self._any_match(sums)
        precisions = [100 * float(p * some) for p, _ in self._precisions(sums)]
        return {"brevity_penalty": float(_penalty(sums)), "precisions": precisions}

    def _any_match(self, sums: Floats) -> NDArray[np.bool_]:
        return np.asarray((sums[..., 2 : 2 + self.order] > 0).any(axis=-1))

    def _precisions(self, sums: Floats) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
        """Yield the smoothed precision of each order, and whether it is the first without n-grams.

        From there on precisions are 0.
        """
        value, shape = self._value or 0.0, np.shape(sums[..., 0])
        halved, alive = np.ones(shape), np.ones(shape, np.bool_)
        for n in range(self.order):
            c, t = sums[..., 2 + n], sums[..., 2 + self.order + n]
            if self.smooth == "add-k" and n > 0:
                c, t = c + value, t + value
            ends, alive = alive & (t == 0), alive & (t > 0)
            top = c
            if self.smooth == "exp":
                halved = np.where(alive & (c == 0), halved / 2, halved)
                top = np.where(c == 0, halved, c)
            elif self.smooth == "floor":
                top = np.where(c == 0, value, c)
            yield np.where(alive, top / np.where(t > 0, t, 1), 0.0), ends


def _penalty(sums: Floats) -> Floats:
    """Return the brevity penalty: 1 unless the output is shorter than the reference."""
    h, r = sums[..., 0], sums[..., 1]
    if (h >= r).all():
        return np.ones(np.shape(h))
    some = h > 0
    if some.all():
        return np.asarray(np.exp(np.minimum(0.0, 1 - r / h)))
    shorter = np.exp(1 - np.maximum(r / np.where(some, h, 1), 1))
    return np.asarray(np.where(h >= r, 1.0, np.where(some, shorter, 0.0)))


def _closest(
    lengths: NDArray[np.int64], references: Sequences, ref_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the length of the reference closest to each hypothesis; on a tie the shorter one."""
    numbers, sizes = np.diff(ref_of), references.lengths
    segments = len(numbers)
    hyp_lengths = lengths.reshape(-1, segments)
    best = np.full(hyp_lengths.shape, -1)
    for k in range(int(numbers.max(initial=0))):
        there = numbers > k
        size = np.where(there, sizes[np.where(there, ref_of[:-1] + k, 0)], -1)
        nearer = np.abs(hyp_lengths - size) * 2 - (size < best) < np.abs(hyp_lengths - best) * 2
        best = np.where(there & ((best < 0) | nearer), size, best)
    return best.reshape(-1)
