"""Ratios whose denominators differ: systems of equal scores that answer unequally often.

Numbers of responses are Poisson, with so many per message for the one and for the other system, and
a response is right with a probability that varies from message to message around .7.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import Setting
from tellapart.comparison.calibrate import p_side_by_side
from tellapart.comparison.options import Options
from tellapart.counts import Counts
from tellapart.metrics import Function, Metric
from tellapart.metrics.scores import metrics_of, score_counts

Columns: TypeAlias = NDArray[np.int64]
"""Sets × items × columns, of one system"""
Draw: TypeAlias = Callable[[np.random.Generator, int, int], tuple[Columns, Columns]]

ALPHA = 0.05
RIGHT, WRONG = 7.0, 3.0  # of a beta distribution: how likely responses to a message are right
RESPONSES = ((2, 2), (1, 4), (0.5, 5), (0.2, 10))
COUNTED = ("tp", "fp", "fn")
_AT_ONCE = 250  # sets tested side by side


def rejection_rate(draw: Draw, items: int, metric: str | Metric, sets: int, seed: int) -> float:
    """Return in which share of sets the test of `auto` calls two systems of equal scores different.

    A set in which a system never answers has no verdict.
    """
    generator = np.random.default_rng(seed)
    found = 0
    for start in range(0, sets, _AT_ONCE):
        first, second = draw(generator, min(_AT_ONCE, sets - start), items)
        answering = first.any(axis=(1, 2)) & second.any(axis=(1, 2))
        both = np.stack([first[answering], second[answering]], axis=1)
        values = {f"{k}": each for k, each in enumerate(both.reshape(-1, items, first.shape[2]))}
        columns = metric.columns if isinstance(metric, Function) else COUNTED[: first.shape[2]]
        counts = Counts.from_arrays(values, columns)
        scores = score_counts(counts, metrics_of(counts, [metric])[0])
        p = p_side_by_side(scores, len(both), Options(shuffles=999, seed=seed))
        found += int((p <= ALPHA).sum())
    return found / sets


def unequal_responses(
    rates: tuple[float, float], generator: np.random.Generator, sets: int, items: int
) -> tuple[Columns, Columns]:
    """Return right and wrong responses of two systems, equally precise on every message."""
    right = generator.beta(RIGHT, WRONG, (sets, items))
    pair = []
    for rate in rates:
        given = generator.poisson(rate, (sets, items))
        hits = generator.binomial(given, right)
        pair.append(np.stack([hits, given - hits], axis=2))
    return pair[0], pair[1]


def opposite_errors(
    generator: np.random.Generator, sets: int, items: int
) -> tuple[Columns, Columns]:
    """Return systems of equal F1: one of precision .9 and recall .5, one the other way round."""
    gold = generator.poisson(3, (sets, items))
    pair = []
    for recall, precision in ((0.5, 0.9), (0.9, 0.5)):
        found = generator.binomial(gold, recall)
        spurious = generator.poisson(3 * recall * (1 - precision) / precision, (sets, items))
        pair.append(np.stack([found, spurious, gold - found], axis=2))
    return pair[0], pair[1]


def _bleu_like(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return precision times a penalty for answering less than the reference does."""
    hits, given, wanted = np.moveaxis(sums, -1, 0)
    return np.asarray(hits / given * np.exp(np.minimum(0.0, 1 - wanted / given)))


BLEU_LIKE = Function("bleu-like", ("hits", "given", "wanted"), _bleu_like)
_SHORT, _LONG = 0.8, 1.25  # responses for each of the reference
_PRECISION = 0.6  # of the one that answers more; the other one's makes up for its penalty


def short_and_long(
    generator: np.random.Generator, sets: int, items: int
) -> tuple[Columns, Columns]:
    """Return a system whose outputs are too short and one whose outputs are too long.

    The penalty of the short one, exp(1 - 1 / .8), is made up for by a higher precision.
    """
    wanted = 5 + generator.poisson(15, (sets, items))
    pair = []
    for length, precision in ((_SHORT, _PRECISION / np.exp(1 - 1 / _SHORT)), (_LONG, _PRECISION)):
        given = np.rint(length * wanted).astype(np.int64)
        hits = generator.binomial(
            given, np.clip(generator.normal(precision, 0.1, given.shape), 0, 1)
        )
        pair.append(np.stack([hits, given, wanted], axis=2))
    return pair[0], pair[1]


def _most(items: int, row: int) -> float:
    return 0.065 if items == 200 and row < 3 else 0.08


SETTINGS = (
    *(
        Setting(
            f"precision, {one:g} and {other:g} responses per message, {items} messages",
            partial(rejection_rate, partial(unequal_responses, (one, other)), items, "precision"),
            most=_most(items, row),
            small=400 if items == 20 else 0,
        )
        for row, (one, other) in enumerate(RESPONSES)
        for items in (20, 50, 200)
    ),
    *(
        Setting(
            f"F1, precision and recall the other way round, {items} messages",
            partial(rejection_rate, opposite_errors, items, "f1"),
            most=_most(items, 0),
            small=300 if items == 20 else 0,
        )
        for items in (20, 50, 200)
    ),
    *(
        Setting(
            f"a function like BLEU, short against long outputs, {items} segments",
            partial(rejection_rate, short_and_long, items, BLEU_LIKE),
            most=_most(items, 0),
            small=200 if items == 20 else 0,
        )
        for items in (20, 50, 200)
    ),
)
