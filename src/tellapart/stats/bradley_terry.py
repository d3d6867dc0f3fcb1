"""Scores of systems that met in pairs, on the scale of Bradley and Terry, and whether it fits.

A system's score is the log-odds by which it wins, up to a constant: A beats B with probability
1 / (1 + exp(score of B - score of A)). A tie is half a win for each. Scores are of mean 0.

Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika 39.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.result import Flags, Floats, Ints, Test

_STEPS = 200
_LONGEST_STEP = 2.0  # on the scale of log-odds: a full Newton step may overshoot
_SETTLED = 1e-12
_FLIPS, _MOST_UNITS = 1_999, 2_000  # of signs, to say whether one scale fits


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Which systems met on which unit, and what the first of two scored there, between 0 and 1.

    A unit is a prompt, or a cluster of prompts: what is resampled as a whole.
    """

    units: Ints
    pair: Ints
    """By its position among `pairs`"""
    points: Floats
    pairs: Ints
    """Pairs × 2: the systems that met, the lower number first"""
    n_units: int
    n_systems: int

    @classmethod
    def of(
        cls,
        a: ArrayLike,
        b: ArrayLike,
        points: ArrayLike,
        units: ArrayLike | None = None,
        size: tuple[int, int] | None = None,
    ) -> Matches:
        """Return the matches of systems a and b, with the points of a.

        Each match is a unit by itself where `units` are not given. `size` says how many units and
        systems there are in all, where some have no match.
        """
        first, second = np.asarray(a, np.int64), np.asarray(b, np.int64)
        of_first = np.asarray(points, np.float64)
        unit = np.arange(len(first)) if units is None else np.asarray(units, np.int64)
        if not len(first) == len(second) == len(of_first) == len(unit):
            raise UsageError("a, b, points and units must have an entry for each match")
        if (first == second).any() or not ((of_first >= 0) & (of_first <= 1)).all():
            raise UsageError("a system meets another one, for points between 0 and 1")
        if size is None:
            size = (int(unit.max()) + 1, int(max(first.max(), second.max())) + 1)
        low, high = np.minimum(first, second), np.maximum(first, second)
        codes, pair = np.unique(low * size[1] + high, return_inverse=True)
        pairs = np.stack([codes // size[1], codes % size[1]], axis=1)
        won = np.where(first < second, of_first, 1 - of_first)
        return cls(unit, pair.reshape(-1), won, pairs, *size)

    def totals(self) -> tuple[Floats, Floats]:
        """Return the points and the number of matches of every pair."""
        n = len(self.pairs)
        won = np.bincount(self.pair, self.points, n).astype(np.float64)
        return won, np.bincount(self.pair, minlength=n).astype(np.float64)

    def dominance(self) -> Flags:
        """Return which systems, by row, scored on which others, and never the other way round.

        Directly or through others; systems × systems.
        """
        reached = _reached(*self.totals(), self.pairs, self.n_systems)
        return np.asarray(reached & ~reached.T)

    def components(self) -> list[list[int]]:
        """Return the systems in groups that met, directly or through others; one, if all did."""
        met = np.ones(len(self.pairs))
        reached = _reached(met, 2 * met, self.pairs, self.n_systems)
        return sorted(np.flatnonzero(row).tolist() for row in np.unique(reached, axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Scores of systems on one scale, and what each unit adds to them."""

    scores: Floats
    contributions: Floats
    """Units × systems: their means are the scores, their spread is that of the scores × units"""


def bradley_terry(
    a: ArrayLike, b: ArrayLike, points: ArrayLike, units: ArrayLike | None = None
) -> Scale:
    """Return the maximum-likelihood scores of systems that met in pairs.

    Args:
        a: the first system of each match, numbered from 0.
        b: the second one.
        points: what a scored: 1 if it won, 1/2 for a tie, 0 if b won.
        units: the prompt, or cluster of prompts, of each match; matches of a unit may go together.

    >>> bradley_terry([0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 0, 0]).scores.round(6)
    array([ 0.549306, -0.549306])

    """
    return put_on_scale(Matches.of(a, b, points, units))


def put_on_scale(matches: Matches) -> Scale:
    """Return the scores of all systems, and what each unit adds to them.

    What a unit adds is its influence: how the scores would move, times the number of units, if it
    weighed a little more.
    """
    pairs, k = matches.pairs, matches.n_systems
    won, met = matches.totals()
    if not _reached(won, met, pairs, k).all():
        # Some systems never scored against others, and no likelihood is the largest: one tie is
        # added to every pair, which keeps all scores finite.
        won, met = won + 0.5, met + 1
    scores = _fitted(won, met, pairs, k)
    chance = _chances(scores, pairs)
    information = _information(met * chance * (1 - chance), pairs, k)
    residuals = matches.points - chance[matches.pair]
    gradient = np.zeros((matches.n_units, k))
    np.add.at(gradient, (matches.units, pairs[matches.pair, 0]), residuals)
    np.add.at(gradient, (matches.units, pairs[matches.pair, 1]), -residuals)
    moves = np.linalg.solve(information, gradient.T).T * matches.n_units
    moves -= moves.mean(axis=0)  # nothing but where ties were added
    return Scale(scores, scores + moves)


def check_fit(matches: Matches, *, rng: int = 0) -> Test | None:
    """Test whether one scale fits; None where no pair is left to tell.

    The statistic is the sum over pairs of squared standardized residuals, less what the scores take
    up. Flipping the signs of whole units, which may hang together, says how large it is by chance.
    """
    pairs, k = matches.pairs, matches.n_systems
    if len(pairs) < k:
        return None
    chance = _chances(put_on_scale(matches).scores, pairs)
    # Very many units are put together, at random.
    order = streams.generator(rng, streams.MATCH_SIGNS, 0).permutation(matches.n_units)
    n = min(matches.n_units, _MOST_UNITS)
    residuals = np.zeros((n, len(pairs)))
    added = matches.points - chance[matches.pair]
    np.add.at(residuals, (order[matches.units] % n, matches.pair), added)
    weights = matches.totals()[1] * chance * (1 - chance)
    information = _information(weights, pairs, k)
    moves = np.linalg.solve(information, _by_system(residuals, pairs, k).T).T
    left = residuals - weights * (moves[:, pairs[:, 0]] - moves[:, pairs[:, 1]])
    spread = np.sqrt(np.square(left).sum(axis=0))
    left = left[:, spread > 1e-9] / spread[spread > 1e-9]
    statistic = float(np.square(left.sum(axis=0)).sum())
    generator = streams.generator(rng, streams.MATCH_SIGNS, 1)
    signs = generator.integers(0, 2, (_FLIPS, n), dtype=np.int8) * 2.0 - 1
    flipped = np.square(signs @ left).sum(axis=1)
    reached = int(np.count_nonzero(flipped >= statistic * (1 - 1e-9)))
    return Test.drawn(reached, _FLIPS, statistic=statistic)


def _fitted(won: Floats, met: Floats, pairs: Ints, n_systems: int) -> Floats:
    """Return the maximum-likelihood scores of points and matches by pair, by Newton's steps."""
    a, b = pairs.T
    scores = np.zeros(n_systems)
    for _ in range(_STEPS):
        chance = _chances(scores, pairs)
        information = _information(met * chance * (1 - chance), pairs, n_systems)
        step = np.linalg.solve(information, _by_system(won - met * chance, pairs, n_systems))
        longest = float(np.abs(step).max())
        scores += step * min(1, _LONGEST_STEP / max(longest, 1e-300))
        if longest <= _SETTLED * (1 + np.abs(scores[a] - scores[b]).max()):
            break
    return np.asarray(scores - scores.mean())


def _chances(scores: Floats, pairs: Ints) -> Floats:
    """Return the probability that the first of each pair wins."""
    return np.asarray(1 / (1 + np.exp(scores[pairs[:, 1]] - scores[pairs[:, 0]])))


def _by_system(of_pairs: Floats, pairs: Ints, n_systems: int) -> Floats:
    """Return sums by system of what its pairs have, with the sign of its side."""
    incidence, rows = np.zeros((len(pairs), n_systems)), np.arange(len(pairs))
    incidence[rows, pairs[:, 0]], incidence[rows, pairs[:, 1]] = 1, -1
    return np.asarray(of_pairs @ incidence)


def _information(weights: Floats, pairs: Ints, n_systems: int) -> Floats:
    """Return the information about the scores; a constant is added that fixes their mean."""
    information = np.zeros((n_systems, n_systems))
    a, b = pairs.T
    information[a, b] = information[b, a] = -weights
    information -= np.diag(information.sum(axis=1))
    # Scores are known up to a constant: what is added is of the size of the rest.
    return np.asarray(information + max(information.max(), 1e-300) / n_systems)


def _reached(won: Floats, met: Floats, pairs: Ints, n_systems: int) -> Flags:
    """Return which systems scored against which others, or through others."""
    reached = np.eye(n_systems, dtype=np.bool_)
    a, b = pairs.T
    reached[a, b], reached[b, a] = won > 0, met - won > 0
    for _ in range(max(1, (n_systems - 1).bit_length())):
        reached = reached @ reached
    return reached
