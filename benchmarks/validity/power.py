"""Whether the difference that "would be found four times out of five" is found so often.

A report is made on a first set of items; then sets with just the difference that it prints are
drawn from the same truth, and tested at the level that its correction leaves. Where the report
leaves the sentence out there is nothing to keep: those rows say how often it must.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.comparison.answers import headline
from tellapart.counts import Counts
from tellapart.stats.signed_sums import sign_flip

_EACH = 20  # test sets drawn for each report


def _told(scores: NDArray[np.float64]) -> float | None:
    """Return the difference in the report's sentence, by the pair that its verdict is about."""
    counts = Counts.from_arrays({f"s{k}": own for k, own in enumerate(scores)})
    result = ta.compare(counts, intervals=False, workers=1)
    return headline(result.record, "mean").diagnostics.detectable


def _found(differences: NDArray[np.float64], level: float) -> int:
    """Return in how many sets (sets × items) a difference is found."""
    return sum((sign_flip(row.round(2)).p or 1.0) <= level for row in differences)


def _table(b: int, c: int, n: int) -> NDArray[np.float64]:
    rows = [[1, 0]] * b + [[0, 1]] * c + [[1, 1]] * (n - b - c)
    return np.array(rows, np.float64).T


def right_or_wrong(b: int, c: int, n: int, sets: int, seed: int) -> float:
    """Return the power at the difference that is told, as many items differing as before."""
    told = _told(_table(b, c, n))
    if told is None:
        return 0.0
    rng, differing = np.random.default_rng(seed), (b + c) / n
    chances = [(differing + told) / 2, (differing - told) / 2, 1 - differing]
    drawn = rng.choice([1.0, -1.0, 0.0], (sets, n), p=chances)
    return _found(drawn, 0.05) / sets


def told_anyway(b: int, c: int, n: int, sets: int, seed: int) -> float:  # noqa: ARG001  (nothing is drawn)
    """Return 1 if a difference is told where too few items differ."""
    return float(_told(_table(b, c, n)) is not None)


def normal(n: int, systems: int, sets: int, seed: int) -> float:
    """Return the power at what is told of normal items, on average over reports."""
    rng = np.random.default_rng(seed)
    level = 0.05 / (systems * (systems - 1) / 2)
    found = drawn = 0
    for _ in range(max(1, sets // _EACH)):
        told = _told(rng.standard_normal((systems, n)).round(4))
        if told is not None:
            found += _found(rng.normal(told, np.sqrt(2), (_EACH, n)), level)
            drawn += _EACH
    return found / max(1, drawn)


def normal_told(n: int, systems: int, sets: int, seed: int) -> float:
    """Return how often a difference is told of too few normal items."""
    rng = np.random.default_rng(seed)
    reports = max(1, sets // _EACH)
    told = [_told(rng.standard_normal((systems, n)).round(4)) for _ in range(reports)]
    return sum(each is not None for each in told) / reports


_FEW = ((1, 0, 20), (1, 0, 50), (2, 1, 100), (4, 2, 100))
_ENOUGH = ((5, 3, 100), (6, 3, 100), (10, 5, 100), (20, 22, 200), (60, 50, 1000))
_NORMAL = ((10, 2), (12, 2), (20, 2), (50, 2), (25, 5), (30, 10))

SETTINGS = (
    *(
        Setting(f"{b} won, {c} lost of {n}: a difference is told all the same",
                partial(told_anyway, b, c, n), most=0.0, small=1)
        for b, c, n in _FEW
    ),
    *(
        Setting(f"{b} won, {c} lost of {n}: power at the difference told",
                partial(right_or_wrong, b, c, n), 0.85, 0.75, small=400)
        for b, c, n in _ENOUGH
    ),
    *(
        Setting(f"{n} normal items, {systems} systems: a difference is told all the same",
                partial(normal_told, n, systems), most=0.0, small=100)
        for n, systems in ((6, 2), (8, 2), (10, 5), (12, 10))
    ),
    *(
        Setting(f"{n} normal items, {systems} systems: power at the difference told",
                partial(normal, n, systems), 0.85, 0.75, small=600 if systems < 10 else 0)
        for n, systems in _NORMAL
    ),
)  # fmt: skip
