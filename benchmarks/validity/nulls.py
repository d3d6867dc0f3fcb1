"""Equal means that are not equal in all else: spreads and shapes.

What a test supposes beside its null is let go: unequal spreads of two samples and of labels, skewed
differences, skewed pilots.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.stats.power import detectable
from tellapart.stats.unpaired import dependence, unpaired

_ALPHA = 0.05
Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
"""Values of so many items, of which the mean is known"""


def normal(rng: np.random.Generator, n: int, sd: float = 1.0) -> Floats:
    """Return normal values about 0."""
    return rng.normal(0, sd, n)


def lognormal(rng: np.random.Generator, n: int, sigma: float = 1.0) -> Floats:
    """Return costs about 0: many small ones, and rare large ones."""
    return rng.lognormal(0, sigma, n) - math.exp(sigma**2 / 2)


def unpaired_alarms(a: Draw, b: Draw, sizes: tuple[int, int], sets: int, seed: int) -> float:
    """Return how often samples of equal means are called different."""
    rng, alarms = np.random.default_rng(seed), 0
    for k in range(sets):
        test = unpaired(a(rng, sizes[0]), b(rng, sizes[1]), n_resamples=199, rng=k)
        alarms += test.p is not None and test.p <= _ALPHA
    return alarms / sets


def right_or_wrong(rng: np.random.Generator, n: int, chance: float = 0.9) -> Floats:
    """Return right and wrong items."""
    return (rng.random(n) < chance).astype(np.float64)


def ratios(rng: np.random.Generator, n: int, size: float = 5.0) -> Floats:
    """Return documents with what is right of what was found, six of ten on average."""
    found = rng.poisson(size, n) + 1
    return np.stack([rng.binomial(found, 0.6), found], axis=1).astype(np.float64)


def label_alarms(sizes: Sequence[int], spreads: Sequence[float], sets: int, seed: int) -> float:
    """Return how often a label that says nothing is found to explain a difference."""
    rng, alarms = np.random.default_rng(seed), 0
    labels, sd = np.repeat(np.arange(len(sizes)), sizes), np.repeat(spreads, sizes)
    for k in range(sets):
        p = dependence(rng.normal(0, sd), labels, n_resamples=199, rng=k).p
        alarms += p is not None and p <= _ALPHA
    return alarms / sets


def lucky_pilots(draw: Draw, n: int, sets: int, seed: int) -> float:
    """Return how often a pilot is told a difference that is found in less than 60 %, not 80."""
    rng, lucky = np.random.default_rng(seed), 0
    for _ in range(sets):
        told = detectable(draw(rng, n) + 0.5).difference
        if told is not None:
            drawn = np.reshape(draw(rng, 200 * n), (200, n)) + told
            lucky += (stats.ttest_1samp(drawn, 0, axis=1).pvalue <= _ALPHA).mean() < 0.6
    return lucky / sets


def unwarned(draw: Draw, n: int, sets: int, seed: int) -> float:
    """Return how often equal means are called different, and no notice says why that may be."""
    rng, alarms = np.random.default_rng(seed), 0
    for _ in range(sets):
        values = draw(rng, n).round(3) + 10
        result = ta.compare({"A": values, "B": np.full(n, 10.0)}, intervals=False, workers=1)
        said = {notice.code for notice in result.record.notices}
        alarms += result.pairs[0].different and not said & {"skewed", "few-items"}
    return alarms / sets


def warned(draw: Draw, n: int, sets: int, seed: int) -> float:
    """Return how often differences are called skewed where they are not."""
    rng, told = np.random.default_rng(seed), 0
    for _ in range(sets):
        values = {"A": draw(rng, n).round(3) + 11, "B": np.full(n, 10.0)}
        notices = ta.compare(values, intervals=False, workers=1).record.notices
        told += any(notice.code == "skewed" for notice in notices)
    return told / sets


def constant_and_right(n: int, sets: int, seed: int) -> float:
    """Return how often a constant .9 and right items of nine in ten differ, without a notice."""
    rng, alarms = np.random.default_rng(seed), 0
    for _ in range(sets):
        values = {"A": right_or_wrong(rng, n), "B": np.full(n, 0.9)}
        result = ta.compare(values, intervals=False, workers=1)
        said = {notice.code for notice in result.record.notices}
        alarms += result.pairs[0].different and "skewed" not in said
    return alarms / sets


_UNPAIRED: tuple[tuple[str, Draw, Draw, tuple[int, int]], ...] = (
    ("20 items sd 3, 100 items sd 1", partial(normal, sd=3.0), normal, (20, 100)),
    ("100 items sd 3, 20 items sd 1", partial(normal, sd=3.0), normal, (100, 20)),
    ("10 items sd 5, 50 items sd 1", partial(normal, sd=5.0), normal, (10, 50)),
    ("20 and 200 right/wrong items", right_or_wrong, right_or_wrong, (20, 200)),
    ("ratios, 20 small documents, 100 large", partial(ratios, size=2.0),
     partial(ratios, size=20.0), (20, 100)),
)  # fmt: skip

SETTINGS = (
    *(
        Setting(f"unpaired, equal: {name}", partial(unpaired_alarms, a, b, sizes),
                most=0.08 if "ratios" in name else 0.06, sets=1000, small=100 * (k == 0))
        for k, (name, a, b, sizes) in enumerate(_UNPAIRED)
    ),
    *(
        Setting(f"labels that say nothing: items {sizes}, sd {spreads}",
                partial(label_alarms, sizes, spreads), most=0.06, sets=1000, small=150)
        for sizes, spreads in (((20, 100), (3, 1)), ((5, 5, 100), (3, 3, 1)), ((10, 50), (5, 1)))
    ),
    *(
        Setting(f"pilots of {n} items, {name}: told a number of power below .6",
                partial(lucky_pilots, draw, n), most=0.2, sets=300,
                small=300 * (name == "lognormal" and n < 200))
        for name, draw in (("normal", normal), ("lognormal", lognormal),
                           ("lognormal, sigma 1.5", partial(lognormal, sigma=1.5)))
        for n in (20, 50, 200)
    ),
    *(
        Setting(f"{n} differences of mean 0, {name}: different, and no notice",
                partial(unwarned, draw, n), most=0.05, sets=500, small=60 * (n == 20))
        for name, draw in (("lognormal", lognormal),
                           ("lognormal, sigma 1.5", partial(lognormal, sigma=1.5)))
        for n in (8, 20, 50)
    ),
    *(
        Setting(f"a constant .9, right/wrong .9, {n} items: different, and no notice",
                partial(constant_and_right, n), most=0.05, sets=500)
        for n in (8, 15)
    ),
    *(
        Setting(f"{n} normal differences: called skewed", partial(warned, normal, n), most=0.06,
                sets=500)
        for n in (10, 20, 50)
    ),
)  # fmt: skip
