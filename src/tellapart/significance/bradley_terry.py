"""Bradley and Terry's scale of systems that met in pairs: scores, resamples, and whether it fits.

A system's score is the log-odds by which it wins, up to a constant: A beats B with probability
1 / (1 + exp(score of B - score of A)). A tie is half a win for each. Scores are of mean 0.

Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika 39.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.resampling import streams

RESAMPLES: Final = 1_999
FLIPS: Final = 1_999
_STEPS: Final = 200
_LONGEST_STEP: Final = 2.0  # on the scale of log-odds: a full Newton step may overshoot
_SETTLED: Final = 1e-12
_BLOCK: Final = 1 << 22  # numbers that are held at once, of resamples and of flips
_MOST_GROUPS: Final = 2_000  # prompts whose signs are flipped one by one

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Which systems met on which unit, and what the first of two scored there, between 0 and 1.

    A unit is a prompt, or a cluster of prompts: what is resampled as a whole.
    """

    units: NDArray[np.int64]
    pair: NDArray[np.int64]
    """By its position among `pairs`"""
    points: Array
    pairs: NDArray[np.int64]
    """Pairs × 2: the systems that met, the lower number first"""
    n_units: int
    n_systems: int

    @classmethod
    def of(
        cls,
        units: NDArray[np.int64],
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        points: Array,
        size: tuple[int, int],
    ) -> Matches:
        """Return the matches of systems a and b (a < b), `size` units and systems in all."""
        n_units, n_systems = size
        codes, pair = np.unique(a * n_systems + b, return_inverse=True)
        pairs = np.stack([codes // n_systems, codes % n_systems], axis=1)
        return cls(units, pair, points, pairs, n_units, n_systems)

    def totals(self, weights: Array | None = None) -> tuple[Array, Array]:
        """Return the points and the number of matches of every pair, units weighted."""
        matches = np.ones(len(self.units)) if weights is None else weights[self.units]
        n = len(self.pairs)
        won: Array = np.bincount(self.pair, matches * self.points, n).astype(np.float64)
        met: Array = np.bincount(self.pair, matches, n).astype(np.float64)
        return won, met

    def above(self) -> NDArray[np.bool_]:
        """Return which systems, by row, scored on which others, and never the other way round.

        Directly or through others; systems × systems.
        """
        won, met = (each[None] for each in self.totals())
        reached = _reached(won, met, self.pairs, self.n_systems)[0]
        return np.asarray(reached & ~reached.T)

    def components(self) -> list[list[int]]:
        """Return the systems in groups that met, directly or through others; one, if all did."""
        groups = [{k} for k in range(self.n_systems)]
        for a, b in self.pairs.tolist():
            one = next(group for group in groups if a in group)
            other = next(group for group in groups if b in group)
            if one is not other:
                one |= other
                groups.remove(other)
        return [sorted(group) for group in groups]


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Scores of systems on one scale, and what each unit adds to them."""

    scores: Array
    contributions: Array
    """Units × systems: their means are the scores, their spread is that of the scores × units"""
    separated: bool
    """Whether some systems beat others always, so that a tie was added to every pair that met"""


def fit(won: Array, met: Array, pairs: NDArray[np.int64], n_systems: int) -> Array:
    """Return the maximum-likelihood scores, samples × systems, of points and matches by pair.

    Where systems can be parted so that one part never scored against the other, the likelihood has
    no maximum: one tie is then added to every pair, which keeps all scores finite.

    >>> pairs = np.array([[0, 1]])
    >>> fit(np.array([[3.0]]), np.array([[4.0]]), pairs, 2).round(6).tolist()
    [[0.549306, -0.549306]]
    """
    won, met, _ = _with_ties(won, met, pairs, n_systems)
    a, b = pairs[:, 0], pairs[:, 1]
    scores = np.zeros((len(won), n_systems))
    open_ones = np.arange(len(won))
    for _ in range(_STEPS):
        theta, w, g = scores[open_ones], won[open_ones], met[open_ones]
        chance = _chances(theta, pairs)
        gradient = _by_system(w - g * chance, pairs, n_systems)
        information = _information(g * chance * (1 - chance), pairs, n_systems)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1, _LONGEST_STEP / np.maximum(longest, 1e-300))
        scores[open_ones] = theta + step
        open_ones = open_ones[
            longest[:, 0] > _SETTLED * (1 + np.abs(theta[:, a] - theta[:, b]).max())
        ]
        if not len(open_ones):
            break
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _chances(scores: Array, pairs: NDArray[np.int64]) -> Array:
    """Return the probability that the first of each pair wins: samples × pairs."""
    odds = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
    return np.asarray(1 / (1 + np.exp(-odds)))


def _by_system(of_pairs: Array, pairs: NDArray[np.int64], n_systems: int) -> Array:
    """Return sums by system of what its pairs have, with the sign of its side."""
    incidence = np.zeros((len(pairs), n_systems))
    rows = np.arange(len(pairs))
    incidence[rows, pairs[:, 0]], incidence[rows, pairs[:, 1]] = 1, -1
    return np.asarray(of_pairs @ incidence)


def _information(weights: Array, pairs: NDArray[np.int64], n_systems: int) -> Array:
    """Return the information about the scores; a constant is added that fixes their mean."""
    found = np.zeros((len(weights), n_systems, n_systems))
    a, b = pairs[:, 0], pairs[:, 1]
    found[:, a, b] = found[:, b, a] = -weights
    diagonal = np.arange(n_systems)
    found[:, diagonal, diagonal] = -found.sum(axis=2)
    # Scores are known up to a constant: what is added is of the size of the rest.
    size = np.maximum(found[:, diagonal, diagonal].max(axis=1), 1e-300)
    return np.asarray(found + (size / n_systems)[:, None, None])


def _with_ties(
    won: Array, met: Array, pairs: NDArray[np.int64], n_systems: int
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return totals that have a maximum of likelihood, and which of them got ties for that."""
    reached = _reached(won, met, pairs, n_systems)
    separated = np.asarray(~reached.all(axis=(1, 2)), np.bool_)
    ties = separated[:, None].astype(float)
    return won + ties / 2, met + ties, separated


def _reached(won: Array, met: Array, pairs: NDArray[np.int64], n_systems: int) -> NDArray[np.bool_]:
    """Return for each sample which systems scored against which others, or through others."""
    reached = np.zeros((len(won), n_systems, n_systems), np.float32)
    a, b = pairs[:, 0], pairs[:, 1]
    reached[:, a, b], reached[:, b, a] = won > 0, met - won > 0
    diagonal = np.arange(n_systems)
    reached[:, diagonal, diagonal] = 1
    for _ in range(max(1, (n_systems - 1).bit_length())):
        reached = (reached @ reached > 0).astype(np.float32)
    return np.asarray(reached > 0)


def put_on_scale(matches: Matches) -> Scale:
    """Return the scores of all systems, and what each unit adds to them.

    What a unit adds is its influence: how the scores would move, times the number of units, if it
    weighed a little more.
    """
    pairs, k = matches.pairs, matches.n_systems
    won, met = (each[None] for each in matches.totals())
    scores = fit(won, met, pairs, k)
    _, met, separated = _with_ties(won, met, pairs, k)
    chance = _chances(scores, pairs)[0]
    information = _information(met * chance * (1 - chance), pairs, k)[0]
    residuals = matches.points - chance[matches.pair]
    gradient = np.zeros((matches.n_units, k))
    np.add.at(gradient, (matches.units, pairs[matches.pair, 0]), residuals)
    np.add.at(gradient, (matches.units, pairs[matches.pair, 1]), -residuals)
    moves = np.linalg.solve(information, gradient.T).T * matches.n_units
    moves -= moves.mean(axis=0)  # nothing but where ties were added
    return Scale(scores[0], scores[0] + moves, bool(separated[0]))


def resampled_scores(matches: Matches, seed: int, resamples: int = RESAMPLES) -> Array:
    """Return the scores of resamples × systems: each of as many units, drawn with replacement."""
    generator = np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(streams.MATCHES,)))
    )
    n, p = matches.n_units, len(matches.pairs)
    won, met = np.empty((resamples, p)), np.empty((resamples, p))
    for r in range(resamples):
        weights = np.bincount(generator.integers(0, n, n), minlength=n).astype(float)
        won[r], met[r] = matches.totals(weights)
    size = max(1, _BLOCK // matches.n_systems**2)
    parts = [
        fit(won[k : k + size], met[k : k + size], matches.pairs, matches.n_systems)
        for k in range(0, resamples, size)
    ]
    return np.concatenate(parts)


def score_intervals(matches: Matches, alpha: float, seed: int, resamples: int = RESAMPLES) -> Array:
    """Return both ends of each score, 2 × systems: t with the standard error of resampled units.

    Scores of resamples lie too close where ties keep them finite; the influence of the units then
    has the larger standard error, and that counts.
    """
    from scipy.special import stdtrit

    scale = put_on_scale(matches)
    n = matches.n_units
    drawn = resampled_scores(matches, seed, resamples).std(axis=0, ddof=1)
    moved = scale.contributions.std(axis=0, ddof=1) / np.sqrt(n)
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * np.maximum(drawn, moved)
    return np.stack([scale.scores - reach, scale.scores + reach])


@dataclass(frozen=True, slots=True)
class ScaleFit:
    """Whether one scale fits: how far pairs come out otherwise than the scores say."""

    statistic: float
    """The sum over pairs of squared standardized residuals"""
    df: int
    """Pairs beyond those that it takes to put the systems on a scale"""
    p: float


def check_fit(matches: Matches, scale: Scale, seed: int, flips: int = FLIPS) -> ScaleFit | None:
    """Return whether one scale fits; None where no pair is left to tell.

    The residuals of pairs are held against those with the signs of whole units flipped, after
    what the scores take up is taken out; so it allows for judgments of a prompt that go together.
    """
    pairs, k = matches.pairs, matches.n_systems
    df = len(pairs) - (k - 1)
    if df < 1:
        return None
    chance = _chances(scale.scores[None], pairs)[0]
    units, n = _grouped(matches, seed)
    residuals = np.zeros((n, len(pairs)))
    np.add.at(residuals, (units, matches.pair), matches.points - chance[matches.pair])
    weights = matches.totals()[1] * chance * (1 - chance)
    information = _information(weights[None], pairs, k)[0]
    moves = np.linalg.solve(information, _by_system(residuals, pairs, k).T).T
    left = residuals - weights * (moves[:, pairs[:, 0]] - moves[:, pairs[:, 1]])
    spread = np.sqrt((left**2).sum(axis=0))
    left = left[:, spread > 1e-9] / spread[spread > 1e-9]
    seen = float((left.sum(axis=0) ** 2).sum())
    generator = np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(streams.MATCH_SIGNS, 1)))
    )
    reached, size = 0, max(1, _BLOCK // n)
    for start in range(0, flips, size):
        shape = min(size, flips - start), n
        signs = generator.integers(0, 2, shape, dtype=np.int8).astype(float) * 2 - 1
        reached += int(np.count_nonzero(((signs @ left) ** 2).sum(axis=1) >= seen * (1 - 1e-9)))
    return ScaleFit(seen, df, (reached + 1) / (flips + 1))


def _grouped(matches: Matches, seed: int) -> tuple[NDArray[np.int64], int]:
    """Return the unit of each match; very many are put together in groups, at random."""
    if matches.n_units <= _MOST_GROUPS:
        return matches.units, matches.n_units
    generator = np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(streams.MATCH_SIGNS, 0)))
    )
    groups = generator.permutation(matches.n_units) % _MOST_GROUPS
    return groups[matches.units], _MOST_GROUPS


def cycles(names: Sequence[str], leads: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Return the triples in which each system leads the next and the last leads the first.

    >>> cycles(["A", "B", "C"], [("A", "B"), ("B", "C"), ("C", "A")])
    [('A', 'B', 'C')]
    """
    found = set(leads)
    beaten = {name: [b for a, b in leads if a == name] for name in names}
    order = {name: k for k, name in enumerate(names)}
    return [
        (a, b, c)
        for a in names
        for b in beaten[a]
        for c in beaten[b]
        if (c, a) in found and order[a] < min(order[b], order[c])
    ]
