"""Margins: how often a candidate passes that really loses the whole margin, and one that does not.

Right and wrong items are drawn as tables of how many only the one and only the other system has
right; each table is decided once. Other scores go through counts, metrics and the decision of all
candidates as `compare` makes it, but for the intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.comparison.margins import decide_margins
from tellapart.comparison.options import Options
from tellapart.comparison.scored import Tested, score_metrics, spread_of
from tellapart.comparison.testing import pairs_to_test
from tellapart.stats.margins import RightOrWrong

_ALPHA = 0.05
_MOST = 0.06
_CHEAP = 20_000  # sets where each table is decided once

Generator = np.random.Generator


@cache
def _passes(won: int, lost: int, items: int, margin: float) -> bool:
    return RightOrWrong(won, lost, items).p_loss(margin) <= _ALPHA


def right_or_wrong(
    items: int, margin: float, won: float, lost: float, sets: int, seed: int
) -> float:
    """Return how often a candidate passes that alone is right at a rate, and alone wrong."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(items, [won, lost, 1 - won - lost], size=sets)
    tables, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    passed = [_passes(int(b), int(c), items, margin) for b, c in tables]
    return float(np.dot(passed, times) / sets)


def _decided(counts: ta.Counts, metric: str, margin: float, baseline: str) -> list[bool]:
    """Return which candidates pass against a baseline, which comes first."""
    options = Options(margin=margin, baseline=baseline, intervals=False, alpha=_ALPHA)
    (scored,) = score_metrics(counts, [metric], options)
    pairs = pairs_to_test(scored.scores, scored.options)
    spreads = [spread_of(scored.scores, a, b) for a, b, _ in pairs]
    decided = decide_margins(scored, Tested(pairs, [], spreads))
    names = scored.scores.systems
    return [
        bool(fields.get("b_no_worse" if names[a] == baseline else "a_no_worse"))
        for (_, fields), (a, _, _) in zip(decided, pairs, strict=True)
    ]


def candidates(items: int, margin: float, k: int, sets: int, seed: int) -> float:
    """Return how often at least one of k candidates passes that each lose the margin."""
    rng, wrong = np.random.default_rng(seed), 0
    for _ in range(sets):
        base = rng.random(items) < 0.8
        rows = {"base": base}
        for c in range(k):
            draw = rng.random(items)
            # A candidate mends some of what was wrong, and breaks more of what was right.
            rows[f"new{c}"] = np.where(base, draw >= (margin + 0.02) / 0.8, draw < 0.02 / 0.2)
        counts = ta.Counts.from_arrays({name: row.astype(int) for name, row in rows.items()})
        wrong += any(_decided(counts, "mean", margin, "base"))
    return wrong / sets


Counted = tuple[NDArray[np.int64], NDArray[np.int64]]
"""True and false positives per message, of one system"""


def _golds(rng: Generator, items: int) -> NDArray[np.int64]:
    return 1 + rng.poisson(5, items)


def _broken(rng: Generator, golds: NDArray[np.int64], *, empty: bool) -> tuple[Counted, Counted]:
    """Return two systems that are one, but that a twentieth of the candidate's messages broke."""
    tp, fp = rng.binomial(golds, 0.75), rng.poisson(golds / 4)
    lost = rng.random(len(golds)) < 0.05
    spurious = np.zeros_like(fp) if empty else fp + tp
    return (tp, fp), (np.where(lost, 0, tp), np.where(lost, spurious, fp))


def _ordinary(
    rng: Generator, golds: NDArray[np.int64], *, recall: float
) -> tuple[Counted, Counted]:
    """Return two systems that find half of the fills alike, and the others each for itself."""
    alike = rng.binomial(golds, 0.5)
    both = rng.binomial(alike, 0.7)
    rates = (0.7, 2 * recall - 0.7)
    old, new = (
        (both + rng.binomial(golds - alike, rate), rng.poisson(golds / 4)) for rate in rates
    )
    return old, new


def f1(
    make: Callable[[Generator, NDArray[np.int64]], tuple[Counted, Counted]],
    items: int,
    margin: float,
    sets: int,
    seed: int,
) -> float:
    """Return how often a candidate passes whose true F1 is lower by the margin."""
    rng, passed = np.random.default_rng(seed), 0
    for _ in range(sets):
        golds = _golds(rng, items)
        rows = {
            name: np.stack([tp, fp, golds - tp], axis=1)
            for name, (tp, fp) in zip(("old", "new"), make(rng, golds), strict=True)
        }
        counts = ta.Counts.from_arrays(rows, ["tp", "fp", "fn"])
        passed += _decided(counts, "f1", margin, "old")[0]
    return passed / sets


def _true_f1(recall: float, spurious: float) -> float:
    return 2 * recall / (recall + spurious + 1)


def graded(
    make: Callable[[Generator, int], tuple[NDArray[np.float64], NDArray[np.float64]]],
    items: int,
    margin: float,
    sets: int,
    seed: int,
) -> float:
    """Return how often a candidate passes whose scores are lower by the margin on average."""
    rng, passed = np.random.default_rng(seed), 0
    for _ in range(sets):
        old, new = (row.round(4) for row in make(rng, items))
        counts = ta.Counts.from_arrays({"old": old, "new": new})
        passed += _decided(counts, "mean", margin, "old")[0]
    return passed / sets


def _rarely_all(rng: Generator, items: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.full(items, 0.9), np.where(rng.random(items) < 0.04, 0.0, 0.9)


def _extreme(rng: Generator, items: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return rng.beta(0.6, 0.4, items), rng.beta(0.5, 0.5, items)


def runs(items: int, spread: float, margin: float, sets: int, seed: int) -> float:
    """Return how often a candidate passes that loses the margin, by three runs of each system."""
    rng, passed = np.random.default_rng(seed), 0
    for _ in range(sets):
        easy = rng.uniform(0.3, 0.8, items)
        counts = ta.average_runs(
            {
                name: [
                    ta.Counts.from_arrays(
                        {name: (rng.random(items) < easy + rng.normal(loss, spread)).astype(int)}
                    )
                    for _ in range(3)
                ]
                for name, loss in (("old", 0.0), ("new", -margin))
            }
        )
        passed += _decided(counts, "mean", margin, "old")[0]
    return passed / sets


def clustered(clusters: int, margin: float, sets: int, seed: int) -> float:
    """Return how often a candidate passes that loses the margin, in some clusters more."""
    rng, passed = np.random.default_rng(seed), 0
    for _ in range(sets):
        sizes = rng.integers(1, 11, clusters)
        # All losses are in a fifth of the clusters.
        hard = np.repeat(rng.random(clusters) < 0.2, sizes)
        lost = (rng.random(sizes.sum()) < 5 * margin) & hard
        labels = {"passage": np.repeat(np.arange(clusters), sizes).astype(str).tolist()}
        rows = {"old": np.ones(sizes.sum(), int), "new": 1 - lost.astype(int)}
        counts = ta.Counts.from_arrays(rows, labels=labels).by("passage")
        passed += _decided(counts, "mean", margin, "old")[0]
    return passed / sets


def tango_power(items: int, margin: float, discordant: float) -> float:
    """Return the power of Tango's test without a true loss, added up over all tables."""
    half, z, power = discordant / 2, NormalDist().inv_cdf(1 - _ALPHA), 0.0
    for b in range(items + 1):
        for c in range(items - b + 1):
            chance = math.exp(
                math.lgamma(items + 1) - math.lgamma(b + 1) - math.lgamma(c + 1)
                - math.lgamma(items - b - c + 1) + (b + c) * math.log(half)
                + (items - b - c) * math.log(1 - discordant)
            )  # fmt: skip
            if chance > 1e-12 and _tango(b, c, items, margin) >= z:
                power += chance
    return power


def _tango(b: int, c: int, n: int, margin: float) -> float:
    """Return Tango's statistic as his paper writes it."""
    linear = -b - c - (2 * n - b + c) * margin
    constant = c * margin * (margin + 1)
    lost = (math.sqrt(linear**2 - 8 * n * constant) - linear) / (4 * n)
    return (b - c + n * margin) / math.sqrt(n * (2 * lost - margin * (margin + 1)))


# Items, margin, and the rate at which only the new system is right.
_AUDITED = (
    (30, 0.02, 0.0), (30, 0.02, 0.01), (30, 0.03, 0.0), (60, 0.02, 0.0), (100, 0.03, 0.0),
    (200, 0.02, 0.0), (200, 0.03, 0.05), (200, 0.03, 0.10),
)  # fmt: skip
_SMALL = [
    (n, margin, won)
    for n in (5, 10, 20)
    for margin in (0.02, 0.05, 0.10)
    for won in (0.0, 0.01, 0.05, 0.10)
]


def _losing(rows: Sequence[tuple[int, float, float]], small: int) -> Iterator[Setting]:
    for n, margin, won in rows:
        yield Setting(
            f"loses the margin: n {n}, margin {margin:g}, alone right {won:g}",
            partial(right_or_wrong, n, margin, won, won + margin),
            most=_MOST,
            sets=_CHEAP,
            small=small,
        )


def _powerful() -> Iterator[Setting]:
    for discordant in (0.05, 0.10):
        yield Setting(
            f"power: n 200, margin 0.05, no loss, discordance {discordant:g}",
            partial(right_or_wrong, 200, 0.05, discordant / 2, discordant / 2),
            least=round(tango_power(200, 0.05, discordant) - 0.03, 4),
            sets=_CHEAP,
            small=_CHEAP,
        )


_WRONG = _true_f1(0.75, 0.25) - _true_f1(0.75 * 0.95, 0.25 + 0.75 * 0.05)
_EMPTY = _true_f1(0.75, 0.25) - _true_f1(0.75 * 0.95, 0.25 * 0.95)
_LOWER_RECALL = _true_f1(0.7, 0.25) - _true_f1(0.65, 0.25)

SETTINGS: tuple[Setting, ...] = (
    *_losing(_AUDITED, 2000),
    *_losing(_SMALL, 500),
    *_powerful(),
    Setting("ten candidates that lose the margin: n 200, margin 0.05",
            partial(candidates, 200, 0.05, 10), _MOST, small=100),
    Setting("ten candidates that lose the margin: n 50, margin 0.1",
            partial(candidates, 50, 0.1, 10), _MOST, small=100),
    Setting("F1, 5 % of 30 messages come out empty",
            partial(f1, partial(_broken, empty=True), 30, _EMPTY), _MOST, small=200),
    Setting("F1, 5 % of 30 messages come out wrong",
            partial(f1, partial(_broken, empty=False), 30, _WRONG), _MOST, small=200),
    Setting("F1, 5 % of 200 messages come out wrong",
            partial(f1, partial(_broken, empty=False), 200, _WRONG), _MOST, small=100),
    *(
        Setting(f"F1, ordinary, n {n}",
                partial(f1, partial(_ordinary, recall=0.65), n, _LOWER_RECALL), _MOST, small=100)
        for n in (20, 50, 200)
    ),
    *(
        Setting(f"graded scores, 4 % of {n} items lose all", partial(graded, _rarely_all, n, 0.036),
                _MOST, small=100)
        for n in (30, 200)
    ),
    *(
        Setting(f"graded scores near 0 and 1, n {n}", partial(graded, _extreme, n, 0.1), _MOST,
                small=100)
        for n in (10, 20, 50)
    ),
    *(
        Setting(f"three runs each, spread {spread:g}, n 200", partial(runs, 200, spread, 0.05),
                0.075, small=100)
        for spread in (0.0, 0.04)
    ),
    *(
        Setting(f"{n} clusters of 1 to 10 items, a fifth of them lose", partial(clustered, n, 0.05),
                _MOST, small=100)
        for n in (12, 100)
    ),
)  # fmt: skip
