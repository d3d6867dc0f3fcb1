"""Intervals: how often they hold what is true, of systems, differences and all pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import combinations
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.comparison.options import Options
from tellapart.comparison.record import Pair
from tellapart.comparison.scored import Intervals, score_metrics
from tellapart.comparison.testing import Work, pairs_to_test
from tellapart.counts import Counts
from tellapart.metrics import Function
from tellapart.stats.corrections import simultaneous_error
from tellapart.stats.intervals import tango
from tellapart.stats.result import Interval
from tellapart.stats.streams import WorkerPool

Floats = NDArray[np.float64]
RESAMPLES = 999
"""For BCa here, a tenth of what the tool draws: the ends are as often right, if less settled."""


def _share(hits: Iterable[bool]) -> float:
    return float(np.mean([bool(hit) for hit in hits]))


def _holds(interval: Interval, value: float) -> bool:
    low, high = interval.ends
    return (low is None or low <= value) and (high is None or value <= high)


def _of_system(values: Floats, clusters: NDArray[np.int64] | None = None) -> Interval:
    """Return the 95 % interval of a system's mean, as a comparison has it."""
    labels = None if clusters is None else {"text": [str(k) for k in clusters]}
    counts = Counts.from_arrays({"A": values, "B": values}, labels=labels)
    options = Options(cluster=None if labels is None else "text")
    (scored,) = score_metrics(counts, None, options)
    found = Intervals(scored.scores, options, Work(WorkerPool())).system(0, 0.95)
    assert found is not None
    return found


@cache
def _of_answers(right: int, items: int) -> Interval:
    return _of_system(np.repeat([1, 0], [right, items - right]))


def right_answers(items: int, rate: float, counted: str, sets: int, seed: int) -> float:
    """Return how often the interval of right answers holds their rate, or is no good one."""
    drawn = np.random.default_rng([seed, items]).binomial(items, rate, sets)
    found = [_of_answers(int(right), items) for right in drawn]
    if counted == "covers":
        return _share(_holds(each, rate) for each in found)
    if counted == "no width":
        return _share(each.is_point for each in found)
    return _share((each.low or 0) < 0 or (each.high or 0) > 1 for each in found)


def clustered(clusters: int, sizes: str, sets: int, seed: int) -> float:
    """Return how often the interval of right answers in texts of 1 to 30 items holds their rate."""
    rng = np.random.default_rng([seed, clusters])
    logits, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = float((weights / (1 + np.exp(-2 - 2 * logits))).sum() / weights.sum())

    def covers() -> bool:
        if sizes == "even":
            items = rng.integers(1, 31, clusters)
        else:
            items = np.exp(rng.uniform(0, np.log(31), clusters)).astype(int)
        rate = 1 / (1 + np.exp(-2 - 2 * rng.normal(size=clusters)))
        which = np.repeat(np.arange(clusters), items)
        found = _of_system((rng.random(len(which)) < rate[which]).astype(int), which)
        return _holds(found, truth)

    return _share(covers() for _ in range(sets))


SKEWED: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    "squares of exponential": (lambda rng, n: rng.exponential(size=n) ** 2, 2.0),
    "lognormal": (lambda rng, n: rng.lognormal(size=n), float(np.exp(0.5))),
    "between 0 and 1, most near 1": (lambda rng, n: rng.beta(5, 0.2, n), 5 / 5.2),
}
RARE: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    f"about .9, {100 * share:g} % of them 0": (
        lambda rng, n, share=share: np.where(  # type: ignore[misc]
            rng.random(n) < share, 0.0, rng.normal(0.9, 0.02, n).clip(0, 1)
        ),
        0.9 * (1 - share),
    )
    for share in (0.01, 0.03, 0.1)
}
"""Scores that lie close together, and rare failures that few samples show"""


def skewed(kind: str, items: int, sets: int, seed: int) -> float:
    """Return how often the interval of skewed scores holds their mean."""
    rng, (draw, truth) = np.random.default_rng([seed, items]), {**SKEWED, **RARE}[kind]
    return _share(_holds(_of_system(draw(rng, items).round(6)), truth) for _ in range(sets))


def beyond_the_bar(items: int, bar: float, sets: int, seed: int) -> float:
    """Return how often a score whose true rate is the bar is shown to be above or below it."""
    drawn = np.random.default_rng([seed, items]).binomial(items, bar, sets)
    return 1 - _share(_holds(_of_answers(int(right), items), bar) for right in drawn)


@cache
def _compared(won: int, lost: int, items: int) -> Pair:
    a, b = np.repeat([[1, 0, 1], [0, 1, 1]], [won, lost, items - won - lost], axis=1)
    return ta.compare(Counts.from_arrays({"A": a, "B": b})).pairs[0]


def _ends(pair: Pair) -> tuple[float | None, float | None]:
    return pair.interval or (None, None)


def paired_answers(items: int, only: tuple[float, float], sets: int, seed: int) -> float:
    """Return how often the interval of a difference of right answers holds the true one."""
    rng, truth = np.random.default_rng([seed, items]), only[0] - only[1]
    tables = rng.multinomial(items, [*only, 1 - sum(only)], sets).tolist()
    pairs = (_compared(won, lost, items) for won, lost, _ in tables)
    return _share(_holds(Interval(*_ends(pair), ""), truth) for pair in pairs)


def f1(items: int, sets: int, seed: int) -> float:
    """Return how often the interval of a difference of F1 holds 0."""
    rng = np.random.default_rng([seed, items])

    def one() -> bool:
        gold = rng.geometric(0.25, items)
        rate = rng.beta(4, 2, items)
        rows = {}
        for name in "AB":
            found = rng.binomial(gold, rate)
            rows[name] = np.stack([found, rng.poisson(1, items), gold - found], axis=1)
        counts = Counts.from_arrays(rows, ["tp", "fp", "fn"])
        (pair,) = ta.compare(counts, metrics="f1", test="shuffle", shuffles=999, workers=1).pairs
        return _holds(Interval(*_ends(pair), ""), 0)

    with patch("tellapart.comparison.scored.RESAMPLES", RESAMPLES):
        return _share(one() for _ in range(sets))


FOWLKES = Function(
    "fowlkes", ("tp", "fp", "fn"),
    lambda s: s[..., 0] / np.sqrt((s[..., 0] + s[..., 1]) * (s[..., 0] + s[..., 2])),
)  # fmt: skip


def of_texts(name: str, texts: int, sizes: str, asked: str, sets: int, seed: int) -> float:
    """Return how often the interval of a score, or of a difference of equal ones, holds the truth.

    Texts have 20 messages each, or 3 to 60, and are harder or easier for both systems.
    """
    rng = np.random.default_rng([seed, texts])
    metric = name if name == "f1" else FOWLKES
    # There are 4 to find per message: 2/3 are, and 1 is wrong.
    truth = 16 / 3 / (16 / 3 + 4 / 3 + 1) if name == "f1" else (8 / 11 * 2 / 3) ** 0.5

    def covers() -> bool:
        drawn = np.exp(rng.uniform(np.log(3), np.log(60), texts)).astype(int)
        messages = np.full(texts, 20) if sizes == "even" else drawn
        gold = messages + rng.negative_binomial(messages, 0.25)
        ease, rows = rng.beta(4, 2, texts), {}
        for name in "AB":
            found = rng.binomial(gold, (ease + rng.beta(4, 2, texts)) / 2)
            wrong = rng.poisson(messages * rng.gamma(4, 0.25, texts))
            rows[name] = np.stack([found, wrong, gold - found], axis=1)
        counts = Counts.from_arrays(rows, ["tp", "fp", "fn"])
        (scored,) = score_metrics(counts, [metric], Options())
        intervals = Intervals(scored.scores, scored.options, Work(WorkerPool()))
        if asked == "score":
            shown = intervals.system(0, 0.95)
        else:
            (shown,) = intervals.pairs(pairs_to_test(scored.scores, scored.options), [0.95])
        assert shown is not None
        return _holds(shown, truth if asked == "score" else 0.0)

    with patch("tellapart.comparison.scored.RESAMPLES", RESAMPLES):
        return _share(covers() for _ in range(sets))


def many_systems(rates: tuple[float, ...], sets: int, seed: int) -> float:
    """Return how often the intervals of all pairs (Holm) hold all true differences.

    The 100 questions are easy or hard for all systems alike.
    """
    rng, items = np.random.default_rng([seed, len(rates)]), 100
    pairs = list(combinations(range(len(rates)), 2))
    reference = rng.random(1_000_000) * 0.6 + rng.random(1_000_000) * 0.4
    easy_enough = np.quantile(reference, rates)[:, None]  # so that this share is right
    error = simultaneous_error("holm", 0.05, len(pairs))
    assert error is not None

    def one() -> bool:
        answers = rng.random(items) * 0.6 + rng.random((len(rates), items)) * 0.4
        right = (answers < easy_enough).astype(int)
        won = right @ (1 - right).T
        first, second = (np.array(each) for each in zip(*pairs, strict=True))
        lows, highs = tango(won[first, second], won[second, first], items, 1 - error)
        shown = [
            Interval(low, high, "tango")
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]
        truths = [rates[a] - rates[b] for a, b in pairs]
        return all(_holds(each, truth) for each, truth in zip(shown, truths, strict=True))

    return _share(one() for _ in range(sets))


SETTINGS = (
    *(
        Setting(f"score of 2 %, {n} items: interval holds it",
                partial(right_answers, n, 0.02, "covers"), 0.99, 0.92, small=2000)
        for n in (20, 50, 200)
    ),
    Setting("score of 2 %, 20 items: interval has no width",
            partial(right_answers, 20, 0.02, "no width"), 0.0, small=500),
    Setting("score of 2 %, 20 items: interval beyond 0 or 1",
            partial(right_answers, 20, 0.02, "beyond"), 0.0, small=500),
    *(
        Setting(f"score on {k} texts of 1 to 30 items, {sizes} sizes: interval holds it",
                partial(clustered, k, sizes), least=0.93, small=200 if sizes == "uneven" else 0)
        for sizes in ("even", "uneven") for k in (12, 20, 50)
    ),
    *(
        Setting(f"mean of {n} skewed scores ({kind}): held",
                partial(skewed, kind, n), least=0.90 if n == 20 else 0.93,
                small=400 if n < 200 else 0)
        for kind in SKEWED for n in (20, 50, 200)
    ),
    *(
        Setting(f"mean of {n} scores {kind}: held", partial(skewed, kind, n), least=0.93,
                small=60 if n == 20 else 0)
        for kind in RARE for n in (10, 20, 50)
    ),
    *(
        Setting(f"{n} items, a true score at the bar of {bar:g}: shown above or below it",
                partial(beyond_the_bar, n, bar), most=0.07, small=2000)
        for n, bar in ((20, 0.8), (50, 0.5), (50, 0.95), (200, 0.8))
    ),
    *(
        Setting(f"one system alone right on 3 % of {n} items: difference held",
                partial(paired_answers, n, (0.03, 0.0)), least=0.92, small=2000)
        for n in (20, 50, 100)
    ),
    Setting("alone right on 5 % and 10 % of 20 items: difference held",
            partial(paired_answers, 20, (0.05, 0.10)), least=0.92, small=2000),
    *(
        Setting(f"equal F1, {n} messages: interval holds 0", partial(f1, n),
                least=0.92, small=100 if n == 20 else 0)
        for n in (20, 50)
    ),
    *(
        Setting(f"{name} of {k} texts of {messages} messages: interval of a {asked} holds it",
                partial(of_texts, name, k, sizes, asked), least=0.92,
                small=200 if k == 5 and sizes == "uneven" else 0)
        for name, numbers in (("f1", (3, 5, 8, 15, 30, 60)), ("fowlkes", (5, 15)))
        for sizes, messages in (("even", "20"), ("uneven", "3 to 60"))
        for k in numbers for asked in ("score", "difference")
    ),
    Setting("ten equal systems: all 45 differences held",
            partial(many_systems, (0.6,) * 10), least=0.95, small=100),
    Setting("five systems, 50 % to 70 %: all ten differences held",
            partial(many_systems, (0.5, 0.55, 0.6, 0.65, 0.7)), least=0.95, small=100),
)  # fmt: skip
