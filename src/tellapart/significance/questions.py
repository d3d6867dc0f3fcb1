"""One test to make and its outcome: two systems under one metric, whichever the test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.metrics.projection import Bound, Projection
from tellapart.significance.residuals import ColumnSums, Residuals, lacks_score, residuals
from tellapart.significance.varying_runs import RunNoise


@dataclass(frozen=True, slots=True)
class Question:
    """One test to make: a metric, two systems, and the tail in terms of first minus second."""

    bound: Bound
    a: int
    b: int
    tail: str
    residuals: Residuals | None = None
    """What signs are flipped of to test equal scores; None where outputs are exchanged"""


@dataclass(frozen=True, slots=True, eq=False)
class Questions(Sequence[Question]):
    """Many questions, kept in columns: a `Question` is made of one when it is asked for.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> bounds = project(Counts.from_arrays({"A": [1, 0], "B": [0, 1], "C": [1, 1]})).metrics
    >>> questions = Questions.of(bounds, [0, 0, 1], [1, 2, 2])
    >>> len(questions), questions[2].a, questions[2].b, questions.take([0, 2]).b
    (3, 1, 2, array([1, 2]))
    """

    bounds: tuple[Bound, ...]
    metric: NDArray[np.int64]
    """Which of the bounds each question is about"""
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    tail: NDArray[np.object_]

    @classmethod
    def of(
        cls, bounds: Sequence[Bound], a: ArrayLike, b: ArrayLike, tail: str = "two"
    ) -> Questions:
        """Return a question for every metric and pair, in terms of first minus second.

        `tail` is that of scores of which more is better.
        """
        first, second = np.asarray(a, np.int64), np.asarray(b, np.int64)
        tails = [tail if each.metric.higher_is_better else flipped(tail) for each in bounds]
        return cls(
            tuple(bounds),
            np.repeat(np.arange(len(bounds)), len(first)),
            np.tile(first, len(bounds)),
            np.tile(second, len(bounds)),
            np.repeat(np.array(tails, object), len(first)),
        )

    def __len__(self) -> int:
        return len(self.a)

    @overload
    def __getitem__(self, which: int) -> Question: ...
    @overload
    def __getitem__(self, which: slice) -> Questions: ...
    def __getitem__(self, which: int | slice) -> Question | Questions:
        if isinstance(which, slice):
            return self.take(np.arange(len(self))[which])
        bound = self.bounds[self.metric[which]]
        return Question(bound, int(self.a[which]), int(self.b[which]), self.tail[which])

    def __iter__(self) -> Iterator[Question]:
        columns = (self.metric, self.a, self.b, self.tail)
        for metric, a, b, tail in zip(*(each.tolist() for each in columns), strict=True):
            yield Question(self.bounds[metric], a, b, tail)

    def take(self, numbers: ArrayLike) -> Questions:
        """Return some of the questions, by their numbers."""
        k = np.asarray(numbers, np.int64)
        return replace(self, metric=self.metric[k], a=self.a[k], b=self.b[k], tail=self.tail[k])


def as_tested(projection: Projection, questions: Sequence[Question], test: str) -> list[Question]:
    """Return questions as a test asks them: `auto` for equal scores, others for exchanged outputs.

    Where the systems have the same denominator on every item, both are the same.
    """
    found = []
    known: dict[tuple[int, int], ColumnSums] = {}
    for each in questions:
        parts = None
        if test == "auto":
            parts = residuals(projection, each.bound, each.a, each.b, known)
        plain = parts is None and each.residuals is None  # as it is, and there may be thousands
        found.append(each if plain else replace(each, residuals=parts))
    return found


def unscored(projection: Projection, question: Question) -> list[str]:
    """Return the names of a pair's systems that have no score: nothing to divide by.

    None where neither has one and nothing differs.
    """
    bound, pair = question.bound, (question.a, question.b)
    lacking = [k for k in pair if lacks_score(projection, bound, k)]
    if not lacking or not projection.discordant(bound, *pair).any():
        return []
    return [projection.counts.names[k] for k in lacking]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A p-value and how it came about."""

    p: float | None
    """None where the test is undefined; the note says why."""
    method: str
    """``exact``, ``enumeration``, ``shuffles``, ``sequential`` or the test's name"""
    how: str | None = None
    shuffles: int | None = None
    exceedances: int | None = None
    arrangements: int | None = None
    error: float = 0.0
    exact: bool = False
    settled: bool | None = None
    statistic: float | None = None
    df: float | None = None
    n: int | None = None
    assumption: str | None = None
    note: str | None = None
    wins: float | None = None
    equal_scores: bool = False
    """Whether equal scores were tested by flipping signs of residuals, not exchanged outputs"""
    direction: int | None = None
    """Which way the test leans (1: first minus second is up), where the score does not tell"""
    noise: RunNoise | None = None
    """What the difference varies by, where items and runs both could be others"""
    p_these_runs: float | None = None
    """The p of these very runs, beside the one of runs that could be others"""


def flipped(tail: str) -> str:
    """Return the tail with greater and less exchanged, as where lower is better."""
    return {"greater": "less", "less": "greater"}.get(tail, tail)


def smallest_p(discordant: int, tail: str) -> float:
    """Return the smallest p that any outcome on so many discordant items could have.

    >>> smallest_p(5, "two")
    0.0625
    """
    return (
        math.ldexp(1.0, max((1 if tail == "two" else 0) - discordant, -1074)) if discordant else 1.0
    )


def tie_tolerance(*scores: float) -> float:
    """Return how far below the threshold a difference of floats still counts as tied."""
    return float(tie_tolerances(np.max(np.abs(scores))))


def tie_tolerances(largest: ArrayLike) -> NDArray[np.float64]:
    """Return the same for the larger ones of many pairs of scores."""
    return np.maximum(1e-12, 64 * float(np.finfo(float).eps) * np.asarray(largest))
