"""Sequential evaluation: whole trajectories, looked at after every item, on which nothing is wrong.

A trajectory counts as a false alarm if it is ever settled the wrong way (or, for intervals, if the
true difference was ever outside). The bets of all trajectories are placed side by side, by the
same `Capital` that `tellapart.Sequential` has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import Setting
from tellapart.stats.sequential import Capital

_ALPHA = 0.05
Floats = NDArray[np.float64]
Generator = np.random.Generator
Make = Callable[[Generator, int, int], Floats]
"""Differences of so many trajectories × items"""


def _ever(differences: Floats, supposed: float, error: float) -> NDArray[np.bool_]:
    """Return which trajectories are ever taken for having a larger mean than supposed."""
    capital = Capital(supposed, differences.shape[:1])
    for item in differences.T:
        capital.bet(item)
    return np.asarray(capital.most >= -math.log(error))


def false_alarms(make: Make, items: int, sets: int, seed: int) -> float:
    """Return how often one of two systems that do not differ is ever called better."""
    differences = make(np.random.default_rng(seed), sets, items)
    side = _ALPHA / 2
    return float((_ever(differences, 0.0, side) | _ever(-differences, 0.0, side)).mean())


def false_passes(margin: float, won: float, items: int, sets: int, seed: int) -> float:
    """Return how often a system that loses just the margin is ever shown to lose less."""
    lost = won + margin
    drawn = np.random.default_rng(seed).choice(
        [1.0, -1.0, 0.0], (sets, items), p=[won, lost, 1 - won - lost]
    )
    return float(_ever(drawn, -margin, _ALPHA).mean())


def misses(make: Make, true: float, items: int, sets: int, seed: int) -> float:
    """Return how often the confidence sequence ever leaves out the true mean, on either side."""
    differences = make(np.random.default_rng(seed), sets, items)
    side = _ALPHA / 2
    return float((_ever(differences, true, side) | _ever(-differences, -true, side)).mean())


def right_or_wrong(rng: Generator, sets: int, items: int, *, won: float, lost: float) -> Floats:
    """Return differences of right and wrong items."""
    return rng.choice([1.0, -1.0, 0.0], (sets, items), p=[won, lost, 1 - won - lost])


def graded(rng: Generator, sets: int, items: int) -> Floats:
    """Return differences of two scores between 0 and 1, equal in mean and not in shape."""
    return np.asarray(rng.beta(0.6, 0.4, (sets, items)) - rng.beta(3.0, 2.0, (sets, items)))


def skewed(rng: Generator, sets: int, items: int) -> Floats:
    """Return differences that are mostly small gains, and now and then the largest loss."""
    return np.where(rng.random((sets, items)) < 0.02, -0.98, 0.02)


def clusters(rng: Generator, sets: int, items: int) -> Floats:
    """Return sums over documents of 1 to 12 items, the small won and the large lost as a rule.

    A mean over documents would not be 0, as that over items is.
    """
    sizes = rng.integers(1, 13, (sets, items))
    lean = 0.5 + 0.05 * (25 / 3 - sizes)  # 25/3 is the mean of the squares over that of the sizes
    discordant = rng.binomial(sizes, 0.4)
    return np.asarray((2 * rng.binomial(discordant, lean) - discordant) / 12)


def drifting(rng: Generator, sets: int, items: int) -> Floats:
    """Return right and wrong items of which more and more are discordant."""
    discordant = rng.random((sets, items)) < np.linspace(0.02, 0.6, items)
    return np.where(discordant, rng.choice([1.0, -1.0], (sets, items)), 0.0)


def _ways() -> dict[str, Make]:
    return {
        "right/wrong, .20 discordant": partial(right_or_wrong, won=0.1, lost=0.1),
        "right/wrong, all discordant": partial(right_or_wrong, won=0.5, lost=0.5),
        "right/wrong, .02 discordant (ties)": partial(right_or_wrong, won=0.01, lost=0.01),
        "graded": graded,
        "graded, rare large losses": skewed,
        "clusters of 1 to 12 items, the large ones lost": clusters,
        "right/wrong, getting harder": drifting,
    }


_ITEMS = 1000
SETTINGS = (
    *(
        Setting(
            f"{name}: false alarms, {_ITEMS} looks",
            partial(false_alarms, make, _ITEMS),
            most=_ALPHA,
        )
        for name, make in _ways().items()
    ),
    *(
        Setting(
            f"{name}: false alarms, 150 looks",
            partial(false_alarms, make, 150),
            most=_ALPHA,
            small=300,
        )
        for name, make in _ways().items()
    ),
    *(
        Setting(
            f"loses the margin of {margin:g}, wins {won:g}: ever passes, {_ITEMS} looks",
            partial(false_passes, margin, won, _ITEMS),
            most=_ALPHA,
            small=150 if won == 0 else 0,
        )
        for margin in (0.02, 0.05)
        for won in (0.0, 0.05)
    ),
    *(
        Setting(
            f"right/wrong, won {won:g}, lost {lost:g}: the interval ever misses, {_ITEMS} looks",
            partial(misses, partial(right_or_wrong, won=won, lost=lost), won - lost, _ITEMS),
            most=_ALPHA,
        )
        for won, lost in ((0.3, 0.1), (0.05, 0.0))
    ),
)
