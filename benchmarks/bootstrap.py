"""Bootstrap intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.data import busy
from benchmarks.measure import best_cpu, heading, line
from benchmarks.shuffles import f1
from tellapart.counts import Counts


def ours(counts: Counts) -> None:
    ta.compare(counts, metrics=["f1"], test="bootstrap", workers=1)


def scipy_interval(counts: Counts, resamples: int) -> None:
    from scipy.stats import bootstrap

    a, b = counts.values

    def statistic(items: NDArray[np.int64], axis: int = -1) -> NDArray[np.float64]:
        return f1(a[items].sum(axis=axis - 1)) - f1(b[items].sum(axis=axis - 1))

    items = (np.arange(len(a)),)
    bootstrap(items, statistic, n_resamples=resamples, vectorized=True, batch=200, rng=0)


def run() -> None:
    counts = busy()
    heading(
        "bootstrap test, BCa intervals of the F1 difference and of both systems, 9,999 resamples"
    )
    mine = best_cpu(lambda: ours(counts), 3)
    line("tellapart compare", mine)
    peer = best_cpu(lambda: scipy_interval(counts, 9_999), 1)
    line("scipy.stats.bootstrap, the difference alone", peer, mine)
