"""Whether a test can be trusted on these data: how often it rejects where nothing differs.

Pairs without a difference (A/A pairs) are made of the systems' own outputs: two systems are drawn
for each pair, and a coin for each item, or for each cluster, says whose output goes to which side.
A test keeps its level if it rejects as often as it says: 5 % of such pairs at .05.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tellapart.comparison.notices import maybe_clustered
from tellapart.comparison.options import Options
from tellapart.comparison.record import Notice, encoded, version
from tellapart.comparison.scored import score_metrics
from tellapart.comparison.testing import Pairs, Work, run_tests
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Function, Metric, Ratio
from tellapart.metrics.scores import Scores, score_counts
from tellapart.options import COUNT, one_or_several
from tellapart.stats import streams
from tellapart.stats.result import Floats, Ints
from tellapart.stats.streams import WorkerPool, open_pool
from tellapart.words import json_text, several

PAIRS, TEST_SHUFFLES = 1_000, 999
FEWEST_ITEMS = 6
"""With fewer, no exchange can give a p of .05"""
FEWEST_PAIRS = 100
"""With fewer, no test is said to keep its level"""
KEEPS, TOO_OFTEN, CONSERVATIVE, UNCLEAR = "keeps", "too often", "conservative", "unclear"
_UNLIKELY, _DOUBTFUL = 0.0027, 0.05  # rates three and two standard errors from the level
_BATCH_SYSTEMS, _BATCH_CELLS = 256, 1 << 21


@dataclass(frozen=True, slots=True)
class Rejections:
    """How often a test rejects pairs without a difference, under one metric."""

    metric: str
    test: str
    exchanged: str
    """What the test exchanges: an item's kind, or a cluster's"""
    pairs: int
    rejected: int
    alpha: float

    @property
    def rate(self) -> float:
        """The share of pairs that the test rejects."""
        return self.rejected / self.pairs

    @property
    def standard_error(self) -> float:
        """The standard error of the rate; of none or all, as if half a pair were otherwise."""
        inside = 0 < self.rejected < self.pairs
        share = self.rate if inside else (self.rejected + 0.5) / (self.pairs + 1)
        return math.sqrt(share * (1 - share) / self.pairs)

    @property
    def verdict(self) -> str:
        """Whether the test keeps its level, as one of the codes of this module."""
        from scipy.special import bdtr, bdtrc

        if 2 * bdtr(self.rejected, self.pairs, self.alpha) < _UNLIKELY:
            return CONSERVATIVE
        above = 2 * bdtrc(self.rejected - 1, self.pairs, self.alpha) if self.rejected else 1.0
        if above < _UNLIKELY:
            return TOO_OFTEN
        return UNCLEAR if above < _DOUBTFUL or self.pairs < FEWEST_PAIRS else KEEPS


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found; the same data, seed and version give the same record."""

    systems: tuple[str, ...]
    items: int
    kind: str
    cluster: str | None
    alpha: float
    shuffles: int
    seed: int
    rejections: tuple[Rejections, ...]
    notices: tuple[Notice, ...]
    """That items seem to hang together, though no cluster was named"""

    def to_json(self) -> str:
        """Return the record as JSON."""
        rows = [
            {**encoded(row), "rate": row.rate, "standard_error": row.standard_error,
             "verdict": row.verdict}
            for row in self.rejections
        ]  # fmt: skip
        return json_text({"tellapart": version(), **encoded(self), "rejections": rows})


def calibrate(
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    tests: Sequence[str] = ("auto",),
    pairs: int = PAIRS,
    alpha: float = 0.05,
    shuffles: int = TEST_SHUFFLES,
    seed: int = 0,
    cluster: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Calibration:
    """Return how often tests reject pairs of the systems' own outputs, exchanged at random.

    The default metric is f1 where counts have it, otherwise the first. With `cluster`, whole
    clusters are exchanged, and each test is also made as if there were none. The result depends on
    `seed`, not on `workers`.

    >>> from tellapart.formats.reading import example
    >>> found = calibrate(example("muc4"), tests=["shuffle"], pairs=400)
    >>> found.rejections[0].verdict, round(found.rejections[0].rate, 2)
    ('keeps', 0.04)
    """
    COUNT.checked(pairs, "pairs")
    options = Options(alpha=alpha, shuffles=shuffles, seed=seed, cluster=cluster, workers=workers,
                      correction="none")  # fmt: skip
    kinds = str | Ratio | Function
    scored = score_metrics(counts, one_or_several(metrics, kinds, "metrics", "metric"), options)
    if not metrics:
        scored = tuple(own for own in scored if own.scores.name == "f1") or scored[:1]
    rejections: list[Rejections] = []
    with open_pool(workers) as pool:
        for own in scored:
            scores, single = own.scores, own.unclustered
            _check_scores(scores)
            ways: dict[str, tuple[Scores, Ints | None]] = {cluster or counts.kind: (scores, None)}
            if cluster is not None:
                ways[counts.kind] = single, single.counts.codes(cluster)
            for test in tests:
                chosen = replace(options, test=test)
                # On real systems first: if the test does not fit, the message names these.
                p_side_by_side(scores, 1, chosen)
                for exchanged, (source, clusters) in ways.items():
                    work = partial(_test, source, clusters, chosen)
                    parts = pool.map(work, _batches(source, pairs), progress, "pairs")
                    p = np.concatenate(list(parts))
                    rejected = int((p <= alpha).sum())
                    rejections.append(
                        Rejections(scores.name, test, exchanged, pairs, rejected, alpha)
                    )
    together = None if cluster else maybe_clustered(counts)
    notices = () if together is None else (together,)
    return Calibration(
        counts.names, int(scored[0].scores.counts.sizes.sum()), counts.kind, cluster, alpha,
        shuffles, seed, tuple(rejections), notices,
    )  # fmt: skip


def _check_scores(scores: Scores) -> None:
    """Refuse scores of which no pairs can be made, or none that a test could reject."""
    if len(scores.counts.names) == 1:
        name = scores.counts.names[0]
        raise UsageError(f"there is one system, {name!r}: pairs are made of the outputs of two")
    if scores.n < FEWEST_ITEMS:
        unit = scores.counts.cluster or scores.counts.kind
        raise DataError(f"{several(scores.n, unit)}: it takes {FEWEST_ITEMS} to reach .05")


def _test(scores: Scores, clusters: Ints | None, options: Options, numbers: range) -> Floats:
    """Return the p-values of the pairs with these numbers."""
    made = exchanged_pairs(scores, options.seed, numbers, clusters)
    return p_side_by_side(made, len(numbers), options)


def _batches(scores: Scores, pairs: int) -> list[range]:
    """Return the numbers of pairs in batches; their size does not depend on who works on them."""
    columns, _, items = scores.columns.shape
    most = max(1, min(_BATCH_SYSTEMS // columns, _BATCH_CELLS // (columns * items)))
    return [range(start, min(start + most, pairs)) for start in range(0, pairs, most)]


def exchanged_pairs(
    scores: Scores, seed: int, numbers: range, clusters: Ints | None = None
) -> Scores:
    """Return pairs without a difference, side by side: outputs of two systems dealt by coins.

    A pair depends on the seed and its number alone. `clusters` has the cluster of each item, where
    one coin is for a whole cluster.
    """
    counts = scores.counts.of_columns(
        [name for name in scores.counts.columns if name in scores.metric.columns]
    )
    systems, items, columns = counts.values.shape
    dealt = np.empty((2 * len(numbers), items, columns), np.int64)
    places = np.arange(items) if clusters is None else clusters
    for k, number in enumerate(numbers):
        generator = streams.generator(seed, streams.NULL_PAIRS, number)
        a, b = generator.choice(systems, 2, replace=False)
        exchanged = (generator.random(int(places.max()) + 1) < 0.5)[places, None]
        dealt[2 * k] = np.where(exchanged, counts.values[b], counts.values[a])
        dealt[2 * k + 1] = np.where(exchanged, counts.values[a], counts.values[b])
    names = tuple(f"{k // 2 + 1}{'ab'[k % 2]}" for k in range(len(dealt)))
    made = replace(counts, names=names, values=dealt, runs=(), cells=(), run_order=(), texts=None,
                   regions={}, judgments=None, views=None)  # fmt: skip
    return score_counts(made, scores.metric)


def p_side_by_side(scores: Scores, pairs: int, options: Options) -> Floats:
    """Return the two-sided p of the first two systems, the next two, and so on; NaN for none."""
    first = 2 * np.arange(pairs)
    both = Pairs(first, first + 1, np.zeros_like(first))
    found = run_tests(scores, both, options, Work(WorkerPool()))
    return np.array([math.nan if each.p is None else each.p for each in found])
