"""A conditional log-linear model with an l1 penalty, its features selected by the gradient test.

The reranker of section 2 (after Riezler and Vasserman 2004). A sentence s has candidates T(s), and
p(t | s) is proportional to exp(weights · features of t). What is minimised is minus the log of the
probabilities of the best candidates, plus gamma times the sum of the absolute weights. Features
start at weight 0; each step adds those whose gradient exceeds gamma by the most, since only these
can pay for their penalty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

_TOLERANCE: Final = 1e-3  # by how much, of gamma, a gradient must exceed it: no fit is perfect
_MOST_STEPS: Final = 2_000
_ITERATIONS: Final = 1_000  # of one fit
_PRECISION: Final = 1e-9  # relative, of the loss

Floats = NDArray[np.float64]
Features = Any
"""A sparse matrix, candidates × features; SciPy has no types"""


@dataclass(frozen=True, slots=True)
class Choices:
    """The candidates of many sentences, one below the other, and which of them are the best."""

    features: Features
    starts: NDArray[np.intp]
    """Where the candidates of each sentence begin"""
    best: Floats
    """1 for the best candidate of a sentence, 0 for others; equally good ones share the 1"""

    def of(self, columns: NDArray[np.intp]) -> Choices:
        """Return the same candidates with some of their features."""
        return Choices(self.features[:, columns], self.starts, self.best)

    def probabilities(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the probability of each candidate, and the log of each sentence's divisor."""
        sizes = np.diff(np.append(self.starts, len(scores)))
        highest = np.maximum.reduceat(scores, self.starts)
        raised = np.exp(scores - np.repeat(highest, sizes))  # no power overflows
        sums = np.add.reduceat(raised, self.starts)
        return raised / np.repeat(sums, sizes), np.log(sums) + highest

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood of the best candidates, and its gradient.

        >>> from scipy import sparse
        >>> both = Choices(sparse.csc_array([[1.0], [0.0]]), np.array([0]), np.array([1.0, 0.0]))
        >>> loss, gradient = both.loss(np.zeros(1))  # one of two, at random
        >>> round(loss, 4), gradient.tolist()
        (0.6931, [-0.5])
        """
        scores = np.asarray(self.features @ weights)
        found, divisors = self.probabilities(scores)
        loss = float(divisors.sum() - self.best @ scores)
        return loss, np.asarray(self.features.T @ (found - self.best))


def fit(choices: Choices, gamma: float, start: Floats | None = None) -> Floats:
    """Return the weights that minimise loss + gamma · sum of absolute weights, over all features.

    A weight is the difference of two that are 0 or more, which makes the penalty smooth and lets a
    weight be exactly 0.
    """
    number = choices.features.shape[1]
    begin = np.zeros(number) if start is None else start

    def split(both: Floats) -> tuple[float, Floats]:
        loss, gradient = choices.loss(both[:number] - both[number:])
        return (
            loss + gamma * float(both.sum()),
            np.concatenate([gradient + gamma, gamma - gradient]),
        )

    found = optimize.minimize(
        split,
        np.concatenate([np.maximum(begin, 0), np.maximum(-begin, 0)]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * number),
        options={"maxiter": _ITERATIONS, "ftol": _PRECISION, "gtol": 1e-6 * max(gamma, 1.0)},
    )
    return np.asarray(found.x[:number] - found.x[number:])


@dataclass(frozen=True, slots=True)
class Model:
    """The selected features, by number, and their weights; all others have weight 0."""

    selected: NDArray[np.intp]
    weights: Floats
    added: int
    """How many features were added on the way; some went back to 0"""

    def scores(self, features: Features) -> Floats:
        """Return the score of every candidate."""
        return np.asarray(features[:, self.selected] @ self.weights)


def graft(choices: Choices, gamma: float, step: int = 1, most: int | None = None) -> Model:
    """Return the model of features added `step` at a time, those first whose gradient is largest.

    It ends when no feature passes the gradient test, or when `most` features are selected. Of
    features with the same gradient the first one is added first.
    """
    number = choices.features.shape[1]
    limit = number if most is None else most
    active = np.empty(0, np.intp)
    weights = np.empty(0)
    added = 0
    for _ in range(_MOST_STEPS):
        everything = np.zeros(number)
        everything[active] = weights
        slopes = np.abs(choices.loss(everything)[1])
        slopes[active] = 0.0
        # Rounding must not decide between features that say the same.
        order = np.argsort(-np.round(slopes, 6), kind="stable")[: min(step, limit - len(active))]
        new = order[slopes[order] > gamma * (1 + _TOLERANCE)]
        if not len(new):
            break
        added += len(new)
        tried = np.concatenate([active, new])
        fitted = fit(choices.of(tried), gamma, np.concatenate([weights, np.zeros(len(new))]))
        kept = tried[fitted != 0]
        if np.array_equal(kept, active):
            break  # all that was added went back to 0
        active, weights = kept, fitted[fitted != 0]
    return Model(active, weights, added)
