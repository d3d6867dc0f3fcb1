"""Several people judge: how often intervals of agreement hold, and those that carry leanings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.validity import Setting
from tellapart.campaign.interrater import interrater
from tellapart.campaign.judge_effects import SecondOpinion, judge_variance

_RIGHT = np.array([[0.65], [0.5]])  # of the outputs of two systems
_ERROR = 0.15  # how often any judge takes right for wrong, or wrong for right
_DIFFERENCE = 0.15 * (1 - 2 * _ERROR)  # as the average judge sees it


@dataclass(frozen=True, slots=True)
class Judges:
    """Judges who err, and lean towards one of two systems by an amount of their own."""

    number: int
    lean: float
    """The standard deviation of the leanings"""
    items: int = 150
    twice: float = 0.3
    """The share of the outputs that two of them judge"""

    def held(self, sets: int, seed: int) -> tuple[float, float]:
        """Return how often the plain interval, and the one with leanings, holds what it should.

        That is the average judge's difference; of two judges, that of each.
        """
        rng = np.random.default_rng(seed)
        found = np.array([self._one(rng) for _ in range(sets)])
        plain, wide = found.mean(axis=0)
        return float(plain), float(wide)

    def _one(self, rng: np.random.Generator) -> tuple[bool, bool]:
        n, system = self.items, np.array([[0], [1]])
        leaning = np.clip(rng.normal(0, self.lean, self.number), -0.28, 0.28) / 2
        says_right = np.array(
            [[_ERROR + leaning, 1 - _ERROR + leaning], [_ERROR - leaning, 1 - _ERROR - leaning]]
        )
        truth = (rng.random((2, n)) < _RIGHT).astype(int)
        first = rng.integers(self.number, size=(2, n))
        second = (first + rng.integers(1, self.number, size=(2, n))) % self.number
        one, other = (
            rng.random((2, n)) < says_right[system, truth, who] for who in (first, second)
        )
        twice = rng.random((2, n)) < self.twice
        held = np.where(twice & (rng.random((2, n)) < 0.5), other, one).astype(float)
        opinions = [
            SecondOpinion(
                (f"j{first[s, k]}", f"j{second[s, k]}"),
                np.array([(1 - 2 * s) * (float(one[s, k]) - float(other[s, k])) / n]),
            )
            for s, k in zip(*np.nonzero(twice), strict=True)
        ]
        parts = np.bincount(first.ravel(), np.where(twice, 0.5, 1).ravel(), self.number)
        parts += np.bincount(second.ravel(), np.where(twice, 0.5, 0).ravel(), self.number)
        found = judge_variance(opinions, 2 * n, {f"j{k}": part for k, part in enumerate(parts)})
        assert found is not None
        values = held[0] - held[1]
        middle, half = float(values.mean()), 1.976 * float(values.std(ddof=1)) / n**0.5
        low, high = found.widened(0, middle, (middle - half, middle + half), 0.95)
        assert low is not None
        assert high is not None
        wanted = [_DIFFERENCE] if self.number > 2 else list(_DIFFERENCE + 2 * leaning)
        plain = all(abs(middle - each) <= half for each in wanted)
        return plain, all(low <= each <= high for each in wanted)


def plain_held(judges: Judges, sets: int, seed: int) -> float:
    """Return how often the interval that knows of no leanings holds."""
    return judges.held(sets, seed)[0]


def wide_held(judges: Judges, sets: int, seed: int) -> float:
    """Return how often the interval that carries leanings holds."""
    return judges.held(sets, seed)[1]


def agreement_held(questions: int, error: float, what: str, sets: int, seed: int) -> float:
    """Return how often the interval of kappa or alpha holds its limit, which a formula gives."""
    rng, share, hits = np.random.default_rng(seed), np.array([0.6, 0.4]), 0
    said = share * (1 - error) + share[::-1] * error
    chance = float((said**2).sum())
    limit = ((1 - error) ** 2 + error**2 - chance) / (1 - chance)
    for _ in range(sets):
        truth = rng.random(questions) < share[1]
        wrong = rng.random((2, questions)) < error
        found = interrater([{"a": bool(a), "b": bool(b)} for a, b in (truth ^ wrong).T])
        ends = getattr(found, what).interval
        hits += ends[0] <= limit <= ends[1]
    return hits / sets


SETTINGS = (
    *(
        Setting(
            f"{number} judges who lean by {lean:g}, interval with leanings",
            partial(wide_held, Judges(number, lean)),
            least=0.93,
            sets=1000,
            small=120 if (number, lean) in ((2, 0.2), (4, 0.2), (4, 0.0)) else 0,
        )
        for number in (2, 3, 4, 6, 10)
        for lean in (0.0, 0.1, 0.2)
    ),
    # Errors on single items are in the items' scores; leanings are not.
    Setting("4 judges without leanings, plain interval", partial(plain_held, Judges(4, 0.0)),
            least=0.94, sets=1000, small=120),
    Setting("4 judges who lean by 0.2, plain interval, which is too narrow",
            partial(plain_held, Judges(4, 0.2)), most=0.8, sets=1000, small=120),
    *(
        Setting(
            f"{what} of {questions} questions, errors in {error:.0%}",
            partial(agreement_held, questions, error, what),
            least=0.93,
            small=120 if questions < 200 else 0,
        )
        for questions, error in ((25, 0.1), (60, 0.3), (200, 0.2))
        for what in ("kappa", "alpha")
    ),
)  # fmt: skip
