"""Section 3.1: greedy or best mapping, credit by Dice or one half, spans of tokens or letters.

Each is a choice that the paper makes otherwise than MUC, or than it could have been made. All are
put to the generated systems, scored one to one by the public scorer's rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.nuggets.scores import swapped_pairs
from studies.nuggets.systems import GeneratedTask, Mention, as_tbf, crowded, letters
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.nuggets import PLAIN, ScoredDocument, evaluate
from tellapart.formats.annotation.tbf import TbfFile
from tellapart.result import compare

LEVEL: Final = 0.05
DOCUMENTS: Final = 30
"""As many of the generated ones are scored, to be quick"""
_ROOM: Final = 2  # tokens from one mention to the next, where they are crowded
_SHUFFLES: Final = 999
_EXACT: Final = 1.0  # Dice of equal spans

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """Span F1 of every system by one choice and by the other."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def largest(self) -> float:
        """The largest change of a score."""
        return max(abs(a - b) for a, b in zip(self.first, self.second, strict=True))

    @property
    def changed(self) -> int:
        """How many scores change."""
        return sum(a != b for a, b in zip(self.first, self.second, strict=True))

    @property
    def swapped(self) -> int:
        """How many pairs of systems change places."""
        return swapped_pairs(self.first, self.second)


@dataclass(frozen=True, slots=True)
class Choices:
    """What the three choices change."""

    mapping: Choice
    """Greedy and best, of mentions near to each other"""
    credit: Choice
    """By Dice, and one half for any overlap that is not exact"""
    told_apart: tuple[int, int]
    """Pairs of systems that differ at .05, by Dice and by one half"""
    spans: Choice
    """Of tokens, and of letters"""


def choose(task: GeneratedTask, seed: int, progress: Progress = no_progress) -> Choices:
    """Return what the three choices change for the generated systems."""
    begins = letters(seed, [*task.gold, *(m for each in task.systems for m in each.mentions)])
    right = _some(task.gold)
    gold = as_tbf("gold", right)
    lettered = as_tbf("gold", right, begins)
    near = as_tbf("gold", crowded(right, _ROOM))
    greedy, best, dice, half, by_letter = [], [], [], [], []
    for done, system in enumerate(task.systems):
        progress("mappings", done, len(task.systems))
        mentions = _some(system.mentions)
        close = as_tbf(system.name, crowded(mentions, _ROOM))
        greedy.append(_sums(near, close))
        best.append(_sums(near, close, best=True))
        documents = _scored(gold, as_tbf(system.name, mentions))
        dice.append(np.array([_row(each, _by_dice) for each in documents]))
        half.append(np.array([_row(each, _by_half) for each in documents]))
        by_letter.append(_sums(lettered, as_tbf(system.name, mentions, begins)))
    progress("mappings", len(task.systems), len(task.systems))
    names = [each.name for each in task.systems]
    return Choices(
        _choice(greedy, best),
        _choice(dice, half),
        (_told_apart(names, dice, seed), _told_apart(names, half, seed)),
        _choice(dice, by_letter),
    )


def _some(mentions: Sequence[Mention]) -> list[Mention]:
    return [each for each in mentions if each.document < DOCUMENTS]


def _scored(gold: TbfFile, system: TbfFile, best: bool = False) -> Sequence[ScoredDocument]:
    return evaluate(gold, system, NuggetOptions(mapping="best" if best else "greedy")).documents


def _sums(gold: TbfFile, system: TbfFile, best: bool = False) -> Floats:
    return np.array([_row(each, _by_dice) for each in _scored(gold, system, best)])


def _by_dice(dice: float) -> float:
    return dice


def _by_half(dice: float) -> float:
    """Return MUC's credit: all for what is exact, one half for what overlaps."""
    return 1.0 if dice == _EXACT else 0.5


def _row(document: ScoredDocument, credit: Callable[[float], float]) -> tuple[float, float, float]:
    """Return true positives, false positives and misses of a document."""
    found = math.fsum(credit(dice) for _, _, dice in document.mappings[PLAIN].links())
    return found, document.n_system - found, document.n_gold - found


def _choice(first: Sequence[Floats], second: Sequence[Floats]) -> Choice:
    return Choice(*(tuple(_f1(rows) for rows in side) for side in (first, second)))


def _f1(rows: Floats) -> float:
    right, spurious, missing = rows.sum(axis=0).tolist()
    return float(2 * right / (2 * right + spurious + missing))


def _told_apart(names: Sequence[str], rows: Sequence[Floats], seed: int) -> int:
    """Return how many pairs of systems differ by span F1, documents exchanged."""
    arrays = dict(zip(names, rows, strict=True))
    counts = Counts.from_arrays(arrays, columns=["tp", "fp", "fn"], kind="document")
    found = compare(counts, metrics="f1", test="shuffle", shuffles=_SHUFFLES, seed=seed,
                    alpha=LEVEL, correction="none", intervals=False)  # fmt: skip
    return sum(pair.different for pair in found.pairs)
