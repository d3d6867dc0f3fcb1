"""A thousand pairs without a difference, 9,999 shuffles each, on one thread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.measure import best, goal, heading, line
from benchmarks.shuffles import matrix_product, scipy_test
from tellapart import engine as path
from tellapart.counts import Counts

PAIRS, SHUFFLES = 1_000, 9_999
COLUMNS = ["tp", "fp", "fn"]
BOTH_TESTS = ["shuffle", "bootstrap"]


def example() -> Counts:
    """Return the built-in example as tp, fp and fn, which the peers' F1 reads."""
    counts = ta.example("muc4")
    pos, act, cor, par = (counts.column(name) for name in ("pos", "act", "cor", "par"))
    right = 2 * cor + par  # a partial answer counts half: everything doubled
    values = np.stack([right, 2 * act - right, 2 * pos - right], axis=2)
    return Counts.from_arrays(dict(zip(counts.names, values, strict=True)), columns=COLUMNS)


def ours(counts: Counts, tests: list[str], pairs: int = PAIRS) -> None:
    ta.calibrate(counts, metrics=["f1"], tests=tests, pairs=pairs, shuffles=SHUFFLES, workers=1)


def null_pairs(counts: Counts, number: int) -> list[Counts]:
    """Swap the outputs of random pairs of systems, for peers that test one pair at a time."""
    rng = np.random.default_rng(0)
    pairs = []
    for _ in range(number):
        a, b = rng.choice(len(counts.names), 2, replace=False)
        heads = rng.random(len(counts.items)) < 0.5
        one, other = counts.values[a], counts.values[b]
        pairs.append(
            _pair(np.where(heads[:, None], other, one), np.where(heads[:, None], one, other))
        )
    return pairs


def _pair(first: NDArray[np.int64], second: NDArray[np.int64]) -> Counts:
    return Counts.from_arrays({"A": first, "B": second}, columns=COLUMNS)


def compare(pair: Counts) -> None:
    ta.compare(pair, metrics=["f1"], test="shuffle", shuffles=SHUFFLES, workers=1, intervals=False)


def extrapolated(
    what: str, pairs: list[Counts], work: Callable[[Counts], object], mine: float
) -> None:
    """Time a peer on a few pairs, and print what all of them would take."""
    seconds = best(lambda: [work(pair) for pair in pairs], 1) * PAIRS / len(pairs)
    line(f"{what}, from {len(pairs)} pairs", seconds, mine)


def run() -> None:
    counts = example()
    heading(f"{PAIRS:,} null pairs of 17 systems × 100 messages, F1, {SHUFFLES:,} shuffles each")
    print(f"  engine: {path.describe()}")
    mine = best(lambda: ours(counts, ["shuffle"]), 3)
    line("tellapart calibrate, one thread", mine)
    extrapolated("tellapart compare, pair by pair", null_pairs(counts, 50), compare, mine)
    extrapolated(
        "NumPy matrix product", null_pairs(counts, 20), lambda p: matrix_product(p, SHUFFLES), mine
    )
    extrapolated(
        "scipy.stats.permutation_test",
        null_pairs(counts, 3),
        lambda p: scipy_test(p, SHUFFLES),
        mine,
    )
    goal("seconds", mine, 5, " s")
    heading(f"the same with the bootstrap beside it, {SHUFFLES:,} resamples each")
    line("tellapart calibrate, one thread", best(lambda: ours(counts, BOTH_TESTS), 1))
