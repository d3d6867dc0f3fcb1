"""Whether a test can be trusted on these data: how often it rejects where nothing differs.

Pairs without a difference (A/A pairs) are made of the systems' own outputs: two systems are drawn
for each pair, and a coin for each item, or for each cluster, says whose output goes to which side.
A test keeps its level if it rejects as often as it says: 5 % of such pairs at .05.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.item_notices import likely_clusters
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, Notice, UsageError
from tellapart.limits import ALPHA, NULL_PAIRS, SEED, check_draws
from tellapart.limits import SHUFFLES as SHUFFLES_GIVEN
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import Projection, metrics_of, project
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import WorkerPool, open_pool
from tellapart.significance.diagnostics import ItemAnalysis
from tellapart.significance.dispatch import Execution, Settings, run
from tellapart.significance.options import Options
from tellapart.significance.questions import Question
from tellapart.words import json_text, plural, several

PAIRS, SHUFFLES = 1_000, 999
FEWEST_ITEMS = 6
"""With fewer, no exchange can give a p of .05"""
FEWEST_PAIRS = 100
"""With fewer, no test is said to keep its level"""
FEWEST_GROUPED_ITEMS = 20
"""With fewer, nothing can be said about items that depend on each other"""
KEEPS, TOO_OFTEN, CONSERVATIVE, UNCLEAR = "keeps", "too often", "conservative", "unclear"
DEPENDENT = 0.05
"""Up to this p, groups of items are said to depend on each other"""

_UNLIKELY, _DOUBTFUL = 0.0027, 0.05  # rates three and two standard errors from the level
_PAIR_STREAM, _ORDER_STREAM = 100, 103
_BATCH_SYSTEMS, _BATCH_CELLS = 512, 1 << 22
_NEIGHBOURS = (2, 3, 4, 6, 8, 12, 16, 24)
_FEWEST_GROUPS, _ORDERS, _MOST_PAIRS = 8, 499, 40


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
class Dependence:
    """Whether items of a group differ more alike than others: those of a label, or neighbours."""

    metric: str
    label: str | None
    """The label that names the groups; None for neighbours"""
    size: int | None
    """How many neighbours a group has"""
    p: float
    """Of groups at least this much alike, if no item depends on another"""

    @property
    def suspected(self) -> bool:
        """Whether the items seem to depend on each other."""
        return self.p <= DEPENDENT


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
    dependence: tuple[Dependence, ...]
    """By metric; empty where items are too few to tell"""
    warnings: tuple[Notice, ...]

    def to_json(self) -> str:
        """Return the record as JSON."""
        rows = [
            {**asdict(row), "rate": row.rate, "standard_error": row.standard_error,
             "verdict": row.verdict}
            for row in self.rejections
        ]  # fmt: skip
        version = importlib.metadata.version("tellapart")
        return json_text({"tellapart": version, **asdict(self), "rejections": rows})


def calibrate(
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    tests: Sequence[str] = ("auto",),
    pairs: int = PAIRS,
    alpha: float = 0.05,
    shuffles: int = SHUFFLES,
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
    alpha = ALPHA.checked(alpha, "alpha")
    NULL_PAIRS.checked(pairs, "pairs")
    SEED.checked(seed, "seed")
    check_draws(pairs, SHUFFLES_GIVEN.checked(shuffles, "shuffles"))
    counts = in_order(counts)
    summed = counts if cluster is None else counts.by(cluster)
    _check_data(summed)
    rejections: list[Rejections] = []
    dependence: list[Dependence] = []
    notices = [*counts.notices, *_run_notices(counts)]
    with open_pool(workers) as pool:
        for metric in _chosen_metrics(metrics, counts):
            projection = project(summed, [metric])
            bound = projection.metrics[0]
            if isinstance(bound.metric, ItemFunction):
                raise UsageError(
                    f"metric {bound.metric.name!r} cannot be calibrated: it is no function of sums"
                )
            ways: list[tuple[str, Projection, NDArray[np.intp] | None]] = [
                (summed.cluster or summed.kind, projection, None)
            ]
            if cluster is not None:
                codes = np.unique(counts.labels[cluster], return_inverse=True)[1]
                ways.append((counts.kind, project(counts, [metric]), codes))
            for test in tests:
                # On real systems first: if the test does not fit, the message names these.
                pair_p_values(projection, [(0, 1)], test, shuffles, seed)
                for exchanged, source, clusters in ways:
                    job = _Job(source, clusters, test, shuffles, seed)
                    batches = pair_batches(source, pairs)
                    p = np.concatenate(list(pool.map(_test_batch, job, batches, progress, "pairs")))
                    rejected = int(np.count_nonzero(p <= alpha))
                    rejections.append(
                        Rejections(bound.metric.name, test, exchanged, pairs, rejected, alpha)
                    )
            notices += _few_differences(projection, seed)
            dependence += find_dependence(projection, seed)
    return Calibration(
        counts.names, int(summed.sizes.sum()), counts.kind, cluster, alpha, shuffles, seed,
        tuple(rejections), tuple(dependence), tuple(dict.fromkeys(notices)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to make and test a batch of pairs."""

    projection: Projection
    clusters: NDArray[np.intp] | None
    test: str
    shuffles: int
    seed: int


def _test_batch(job: _Job, numbers: range) -> NDArray[np.float64]:
    """Return the p-values of the pairs with these numbers."""
    made = exchanged_pairs(job.projection, job.seed, numbers, job.clusters)
    return pair_p_values(made, side_by_side(len(numbers)), job.test, job.shuffles, job.seed)


def pair_batches(projection: Projection, pairs: int) -> list[range]:
    """Return the numbers of pairs in batches; their size does not depend on who works on them."""
    forms, _, items = projection.forms.shape
    most = max(1, min(_BATCH_SYSTEMS // (2 * forms), _BATCH_CELLS // (2 * forms * items)))
    return [range(start, min(start + most, pairs)) for start in range(0, pairs, most)]


def side_by_side(pairs: int) -> list[tuple[int, int]]:
    """Return the places of so many pairs: the first two systems, the next two, and so on."""
    return [(2 * k, 2 * k + 1) for k in range(pairs)]


def exchanged_pairs(
    projection: Projection,
    seed: int,
    numbers: range,
    clusters: NDArray[np.intp] | None = None,
) -> Projection:
    """Return pairs without a difference, side by side: outputs of two systems dealt by coins.

    A pair depends on the seed and its number alone. `clusters` has the cluster of each item, where
    one coin is for a whole cluster.
    """
    forms, systems, items = projection.forms.shape
    dealt = np.empty((forms, 2 * len(numbers), items), np.int64)
    places = np.arange(items) if clusters is None else clusters
    for (first, second), number in zip(side_by_side(len(numbers)), numbers, strict=True):
        sequence = np.random.SeedSequence(seed, spawn_key=(_PAIR_STREAM, number))
        generator = np.random.Generator(np.random.SFC64(sequence))
        a, b = generator.choice(systems, 2, replace=False)
        exchanged = (generator.random(int(places.max()) + 1) < 0.5)[places]
        one, other = projection.forms[:, a], projection.forms[:, b]
        dealt[:, first] = np.where(exchanged, other, one)
        dealt[:, second] = np.where(exchanged, one, other)
    counts = Counts(
        names=tuple(f"{k // 2 + 1}{'ab'[k % 2]}" for k in range(dealt.shape[1])),
        items=tuple(map(str, range(items))),
        columns=tuple(f"form {k}" for k in range(forms)),
        values=dealt.transpose(1, 2, 0),
        scales=(1,) * forms,
        exact=(True,) * forms,
        sizes=np.ones(items, np.int64),
    )
    return Projection(counts, dealt, dealt.sum(axis=2), projection.metrics)


def pair_p_values(
    projection: Projection,
    pairs: Sequence[tuple[int, int]],
    test: str,
    shuffles: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return the two-sided p of pairs of systems by the only metric; NaN where there is none."""
    questions = [Question(projection.metrics[0], a, b, "two") for a, b in pairs]
    options = Options(test=test, shuffles=shuffles, seed=seed, correction="none")
    outcomes = run(projection, questions, Settings(options), Execution(WorkerPool(1, None)))
    return np.array([math.nan if each.p is None else each.p for each in outcomes])


def _chosen_metrics(
    metrics: str | Metric | Sequence[str | Metric] | None, counts: Counts
) -> Sequence[str | Metric]:
    if isinstance(metrics, str) or (metrics is not None and not isinstance(metrics, Sequence)):
        return [metrics]
    if metrics:
        return metrics
    known = metrics_of(counts)
    return [metric for metric in known if metric.name == "f1"] or known[:1]


def _check_data(counts: Counts) -> None:
    """Refuse data of which no pairs can be made, or none that a test could reject."""
    rows = counts.cluster or counts.kind
    if counts.present is not None:
        raise UsageError(
            f"the systems do not have the same {plural(rows)}: drop those that not all have"
        )
    if len(counts.names) < 2:
        raise UsageError(f"there is one system, {counts.names[0]!r}; name two or more")
    n = len(counts.items)
    if n < FEWEST_ITEMS:
        raise DataError(
            f"{several(n, rows)} {'is' if n == 1 else 'are'} too few: no exchange can give a p "
            f"below {2.0 ** (1 - n):g} (2/2^{n}), so nothing could be rejected at .05; give "
            f"{FEWEST_ITEMS} {plural(rows)} or more"
        )


def _run_notices(counts: Counts) -> Iterator[Notice]:
    """Yield a warning where the default test of a comparison would be about runs as well."""
    if any(len(runs) > 1 for runs in counts.runs):
        yield Notice(
            "runs-averaged",
            "The runs of a system were averaged: the test over runs was not tried.",
        )


def _few_differences(projection: Projection, seed: int) -> Iterator[Notice]:
    """Yield a warning where so few items differ that hardly any pair could be rejected."""
    bound, number = projection.metrics[0], FEWEST_PAIRS
    made = exchanged_pairs(projection, seed, range(number))
    differing = [int(made.discordant(bound, a, b).sum()) for a, b in side_by_side(number)]
    middle = sorted(differing)[number // 2]
    if middle < FEWEST_ITEMS:
        yield Notice(
            "few-differences",
            f"In half of the pairs {several(middle, 'item')} or fewer differ in "
            f"{bound.metric.name}: no exchange of so few can be significant at .05.",
            (bound.metric.name,),
        )


def find_dependence(projection: Projection, seed: int) -> list[Dependence]:
    """Return how much groups of items differ alike, for the groups most alike; none if too few.

    A coin for each item supposes that items do not depend on each other. Whether some do is seen
    in what differences of two systems add up to over groups of items: more, where those of a group
    go the same way, than over groups drawn at random.

    >>> rng = np.random.default_rng(0)
    >>> documents = np.repeat(rng.normal(size=(2, 40)), 6, axis=1).round(3)
    >>> found = find_dependence(project(Counts.from_arrays(dict(zip("AB", documents)))), seed=0)
    >>> found[0].size, found[0].suspected
    (6, True)
    """
    terms = ItemAnalysis.of(projection, projection.metrics[0]).terms  # systems × items
    if terms is None or terms.shape[1] < FEWEST_GROUPED_ITEMS:
        return []
    pairs = [(a, b) for a in range(len(terms)) for b in range(a + 1, len(terms))][:_MOST_PAIRS]
    apart = np.stack([terms[a] - terms[b] for a, b in pairs])  # pairs × items, of equal weight
    apart -= apart.mean(axis=1, keepdims=True)
    apart /= np.maximum(np.sqrt((apart**2).sum(axis=1, keepdims=True)), 1e-300)
    candidates = list(_groupings(projection.counts))
    sequence = np.random.SeedSequence(seed, spawn_key=(_ORDER_STREAM,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    orders = generator.permuted(np.tile(np.arange(apart.shape[1]), (_ORDERS, 1)), axis=1)
    measured = np.array([_squared_sums(apart, groups).mean() for _, groups in candidates])
    drawn = np.zeros((_ORDERS, len(candidates)))
    for row in apart:
        drawn += np.stack([_squared_sums(row[orders], groups) for _, groups in candidates], axis=1)
    drawn /= len(apart)
    mean, spread = drawn.mean(axis=0), np.maximum(drawn.std(axis=0), 1e-12)
    above = (measured - mean) / spread
    most = int(above.argmax())
    reached = np.count_nonzero(((drawn - mean) / spread).max(axis=1) >= above[most] - 1e-9)
    label, groups = candidates[most]
    size = None if label is not None else int(np.bincount(groups)[0])
    name = projection.metrics[0].metric.name
    return [Dependence(name, label, size, (int(reached) + 1) / (_ORDERS + 1))]


def _groupings(counts: Counts) -> Iterator[tuple[str | None, NDArray[np.intp]]]:
    """Yield groups to try: those of a label that looks like one, or else neighbours."""
    likely = likely_clusters(counts)
    if likely is not None and likely.label is not None:
        yield likely.label, np.unique(counts.labels[likely.label], return_inverse=True)[1]
        return
    items = len(counts.items)
    for size in _NEIGHBOURS:
        if items // size >= _FEWEST_GROUPS:
            yield None, np.arange(items, dtype=np.intp) // size


def _squared_sums(apart: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the squares of what groups add up to, row by row; about 1 if independent."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.asarray((np.add.reduceat(apart[:, order], starts, axis=1) ** 2).sum(axis=1))
