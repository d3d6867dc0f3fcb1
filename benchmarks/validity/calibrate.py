"""Whether `calibrate` sees what its tests cannot stand: dependent items, unequal denominators."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.validity import Setting
from tellapart.counts import Counts
from tellapart.metrics.projection import project
from tellapart.planning.calibration_record import OFTEN, calibrated_test
from tellapart.planning.dependence import suspected_groups
from tellapart.planning.null_pairs import EqualScores, make_pairs
from tellapart.planning.pair_tests import Draws, p_values
from tellapart.significance.diagnostics import ItemAnalysis

_PAIRS, _SHUFFLES = 400, 199


def seen_as_groups(clusters: int, size: int, spread: float, sets: int, seed: int) -> float:
    """Return how often neighbours are said to be alike; `spread` is that of their clusters."""
    rng, found = np.random.default_rng(seed), 0
    for k in range(sets):
        ease = np.repeat(rng.normal(0, spread, (2, clusters)), size, axis=1)
        right = (rng.random(ease.shape) < 1 / (1 + np.exp(-ease))).astype(np.float64)
        counts = Counts.from_arrays({"A": right[0].astype(int), "B": right[1].astype(int)})
        groups = suspected_groups(counts, right, k)
        found += groups is not None and groups.alike
    return found / sets


def failing(test: str, often: tuple[float, float], sets: int, seed: int) -> float:
    """Return how often a test is said to reject too often where precisions are equal.

    Systems give so many answers to each of 100 messages, on average.
    """
    rng, found = np.random.default_rng(seed), 0
    for k in range(sets):
        rows = {}
        for name, mean in zip("AB", often, strict=True):
            given = rng.poisson(mean, 100)
            right = rng.binomial(given, 0.7)
            rows[name] = np.stack([right, given - right, np.ones_like(given)], axis=1)
        projection = project(Counts.from_arrays(rows, ["tp", "fp", "fn"]), ["precision"])
        bound = projection.metrics[0]
        terms = ItemAnalysis.of(projection, bound).terms
        assert terms is not None
        source = EqualScores.of(projection, terms)
        if source is not None:
            pairs = make_pairs(source, k, range(_PAIRS))
            p = p_values(pairs, bound, [test], Draws(_SHUFFLES, _SHUFFLES, k))[test]
            assert not isinstance(p, str)
            found += calibrated_test(test, p, []).verdict == OFTEN
    return found / sets


SETTINGS = (
    Setting("60 independent items: neighbours said to be alike",
            partial(seen_as_groups, 60, 1, 0.0), 0.06, small=200),
    Setting("40 unnamed clusters of 6 items: neighbours said to be alike",
            partial(seen_as_groups, 40, 6, 1.5), least=0.95, sets=400, small=60),
    Setting("precision, 0.5 and 5 answers: exchange said to reject too often",
            partial(failing, "shuffle", (0.5, 5.0)), least=0.95, sets=100, small=6),
    Setting("precision, 2 and 2 answers: the default test said to reject too often",
            partial(failing, "auto", (2.0, 2.0)), 0.10, sets=100, small=6),
)  # fmt: skip
