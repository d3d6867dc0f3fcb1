"""Whether the tests can be trusted on these data: how often they reject where nothing differs.

Thousands of pairs without a difference are made of the systems' own outputs, and every test is made
on every pair. A test keeps its level if it rejects as often as it says: 5 % of them at .05. Then
differences of known size are planted, and the tests are asked again: that is their power.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import Notice, UsageError
from tellapart.metrics import Metric
from tellapart.metrics.projection import Bound, Projection, metrics_of, project
from tellapart.planning import calibration_limits as limits
from tellapart.planning.calibrated import (
    FEWEST_PAIRS,
    Calibration,
    MetricCalibration,
    Planted,
    Skipped,
    calibrated_test,
)
from tellapart.planning.null_p_values import Draws, p_values
from tellapart.planning.null_pairs import (
    Null,
    RunsNull,
    SplitNull,
    SwapNull,
    make_pairs,
    mean_difference,
    plant,
)
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import open_pool
from tellapart.significance.registry import TESTS

PAIRS = 2_000
SHUFFLES, RESAMPLES = 9_999, 999
"""Shuffles come cheap; for the rate at which a bootstrap rejects, 999 resamples will do."""
SIZES = (1.0, 2.0, 3.0)
"""Planted differences, in standard errors"""

_CELLS, _COLUMNS = 1 << 22, 512  # of a batch: what a worker has in memory at a time


def calibrate(
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    null: str = "swap",
    tests: Sequence[str] | None = None,
    pairs: int = PAIRS,
    shuffles: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    runs: Mapping[str, Sequence[str]] | None = None,
    sizes: Sequence[float] = SIZES,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Calibration:
    """Measure on the systems' own outputs how often each test rejects where nothing differs.

    `null` says how pairs without a difference are made: ``swap`` exchanges the outputs of two
    systems at random, another two for each pair; ``split`` halves the items of one system, or its
    runs where `runs` names, for each system, which of the counts' systems are runs of it. `tests`
    are those to be made (default: all that fit the metric), `pairs` is the number of pairs. A
    quarter of the pairs, at least 100, is used again with planted differences of each of `sizes`,
    in standard errors. The default metric is f1 where counts have it, otherwise the first. The
    result depends on `seed`, not on `workers`.

    >>> from tellapart.formats.reading import example
    >>> tests = ["shuffle", "bootstrap-abs"]
    >>> found = calibrate(example("muc4"), tests=tests, pairs=400, sizes=[])
    >>> [(each.test, each.verdict) for each in found.metrics[0].tests]
    [('shuffle', 'keeps its level'), ('bootstrap-abs', 'rejects too often')]
    """
    limits.check_choices(null, tests or ())
    limits.check_numbers(pairs, shuffles, seed)
    limits.check_systems(counts, null, runs)
    summed = counts if cluster is None else counts.by(cluster)
    bases = [project(summed, [each]) for each in _wanted(metrics, counts)]
    nulls = [_null(base, null, pairs, runs) for base in bases]
    limits.check_items(summed, nulls[0])
    number = _number(nulls[0], pairs)
    options = tuple(tests or _default_tests(nulls[0]))
    draws = Draws(shuffles or SHUFFLES, shuffles or RESAMPLES, seed)
    results, notices = [], list(counts.notices)
    with open_pool(workers) as pool:
        for base, source in zip(bases, nulls, strict=True):
            plain = None
            if cluster is not None and null == "swap":
                plain = _item_by_item(counts, base.metrics[0], cluster)
            job = _Job(source, _bound(base, source), plain, options, draws)
            analysis = _Study(job, _batches(job, number, sizes), number, tuple(sizes))
            found = list(pool.map(_run_batch, job, analysis.batches, progress, "null pairs"))
            results.append(analysis.summed_up(found))
            notices += analysis.remarks(found)
    return Calibration(
        tellapart=importlib.metadata.version("tellapart"),
        null=null if runs is None else "runs",
        seed=seed,
        units=_items(summed, nulls[0]),
        systems=tuple(runs or counts.names),
        null_pairs=number,
        planted_pairs=_planted(number),
        shuffles=draws.shuffles,
        resamples=draws.resamples,
        metrics=tuple(results),
        warnings=(*notices, *limits.find_warnings(summed, nulls[0], number)),
    )


def _wanted(
    metrics: str | Metric | Sequence[str | Metric] | None, counts: Counts
) -> Sequence[str | Metric]:
    if metrics is None or (isinstance(metrics, Sequence) and not metrics):
        known = metrics_of(counts)
        return [each for each in known if each.name == "f1"] or known[:1]
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        return [metrics]
    return metrics


def _null(
    base: Projection, null: str, pairs: int, runs: Mapping[str, Sequence[str]] | None
) -> Null:
    limits.check_metric(base.metrics[0])
    if null == "swap":
        return SwapNull(base.forms)
    return SplitNull(base.forms) if runs is None else RunsNull.of(base, runs, pairs)


def _bound(base: Projection, null: Null) -> Bound:
    bound = base.metrics[0]
    return null.rescaled(bound) if isinstance(null, RunsNull) else bound


def _number(null: Null, pairs: int) -> int:
    """Return how many pairs there are: a few runs may not be split in as many ways as asked."""
    return len(null.splits) if isinstance(null, RunsNull) and null.splits is not None else pairs


def _planted(number: int) -> int:
    """Return how many pairs get planted differences: power need not be known as closely."""
    return max(min(number, FEWEST_PAIRS), number // 4)


_LEFT_OUT = {
    "exact": "the same test as shuffle, without its random error",
    "unpaired": "the systems have the same items",
}
"""What is not tried unless it is named"""


def _default_tests(null: Null) -> list[str]:
    left_out = {"auto", *_LEFT_OUT} - ({"unpaired"} if isinstance(null, SplitNull) else set())
    return [test for test in TESTS if test not in left_out]


def _item_by_item(counts: Counts, bound: Bound, cluster: str) -> tuple[SwapNull, Bound]:
    """Return the same null pairs with their items, for a test that does not know of clusters."""
    projection = project(counts, [bound.metric])
    places = {name: k for k, name in enumerate(dict.fromkeys(counts.labels[cluster]))}
    clusters = np.array([places[name] for name in counts.labels[cluster]], np.intp)
    return SwapNull(projection.forms, clusters), projection.metrics[0]


def _items(counts: Counts, null: Null) -> dict[str, object]:
    clusters = {"count": len(counts.items), "kind": counts.cluster}
    return {
        "count": int(counts.sizes.sum()),
        "kind": counts.kind,
        "clusters": None if counts.cluster is None else clusters,
        "in_a_pair": null.items,
    }


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to test a batch of pairs under one metric."""

    null: Null
    bound: Bound
    plain: tuple[SwapNull, Bound] | None
    """The same pairs item by item, where clusters are exchanged"""
    tests: tuple[str, ...]
    draws: Draws


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some pairs to be made and tested; `size` is that of the planted difference, or None."""

    numbers: range
    size: float | None


@dataclass(frozen=True, slots=True)
class _Found:
    """P-values of a batch by test, or why a test was not made."""

    p: dict[str, NDArray[np.float64] | str]
    plain: NDArray[np.float64] | str | None
    discordant: NDArray[np.int64]
    """How many items differ, pair by pair"""
    difference: float
    capped: bool


def _batches(job: _Job, number: int, sizes: Sequence[float]) -> list[_Batch]:
    """Cut the work into batches, whose size does not depend on the number of workers."""
    forms, items = job.null.shape
    if job.plain is not None:
        items = job.plain[0].items
    most = max(1, min(_COLUMNS // (2 * forms), _CELLS // (2 * forms * items)))
    work: list[tuple[float | None, int]] = [(None, number)]
    work += [(size, _planted(number)) for size in sizes]
    return [
        _Batch(range(start, min(start + most, end)), size)
        for size, end in work
        for start in range(0, end, most)
    ]


def _run_batch(job: _Job, batch: _Batch) -> _Found:
    """Make a batch of pairs, and every test on them."""
    pairs = make_pairs(job.null, job.draws.seed, batch.numbers)
    discordant = np.asarray(pairs.discordant, np.int64)
    capped = False
    if batch.size is not None:
        pairs, capped = plant(job.bound, pairs, batch.size)
    found = p_values(pairs, job.bound, job.tests, job.draws)
    plain = None
    if job.plain is not None and batch.size is None and "shuffle" in job.tests:
        null, bound = job.plain
        items = make_pairs(null, job.draws.seed, batch.numbers)
        plain = p_values(items, bound, ["shuffle"], job.draws)["shuffle"]
    return _Found(found, plain, discordant, mean_difference(job.bound, pairs), capped)


@dataclass(frozen=True, slots=True)
class _Study:
    """The work under one metric, and how its parts are put together."""

    job: _Job
    batches: list[_Batch]
    number: int
    sizes: tuple[float, ...]

    def _of(self, found: Sequence[_Found], size: float | None) -> list[_Found]:
        pairs = zip(found, self.batches, strict=True)
        return [each for each, batch in pairs if batch.size == size]

    def summed_up(self, found: Sequence[_Found]) -> MetricCalibration:
        """Put the p-values of all batches together, test by test."""
        skipped: dict[str, str] = {}
        for each in found:
            for test, outcome in each.p.items():
                if isinstance(outcome, str):
                    skipped.setdefault(test, outcome)
        tests = [test for test in self.job.tests if test not in skipped]
        name = self.job.bound.metric.name
        if not tests:
            reasons = "; ".join(f"{test}: {reason}" for test, reason in skipped.items())
            raise UsageError(f"no test that was asked for fits {name}: {reasons}")
        calibrated = []
        for test in tests:
            planted = [_joined(self._of(found, size), test) for size in self.sizes]
            calibrated.append(calibrated_test(test, _joined(self._of(found, None), test), planted))
            if test == "shuffle" and self.job.plain is not None:
                plain = [p for each in found if isinstance(p := each.plain, np.ndarray)]
                calibrated.append(
                    calibrated_test(test, np.concatenate(plain), [], clusters_ignored=True)
                )
        if len(self.job.tests) > 1 and "shuffle" in tests:
            unasked = {test: why for test, why in _LEFT_OUT.items() if test not in self.job.tests}
            skipped = skipped | unasked
        return MetricCalibration(
            name,
            tuple(calibrated),
            tuple(Planted(size, self._difference(found, size)) for size in self.sizes),
            tuple(Skipped(test, why) for test, why in skipped.items()),
            float(np.median(self._discordant(found))),
        )

    def _discordant(self, found: Sequence[_Found]) -> NDArray[np.int64]:
        """Return how many items differ in each null pair."""
        return np.concatenate([each.discordant for each in self._of(found, None)])

    def _difference(self, found: Sequence[_Found], size: float) -> float:
        """Return the mean planted difference in score."""
        parts = [len(batch.numbers) for batch in self.batches if batch.size == size]
        weighted = zip(self._of(found, size), parts, strict=True)
        return math.fsum(each.difference * pairs for each, pairs in weighted) / sum(parts)

    def remarks(self, found: Sequence[_Found]) -> list[Notice]:
        """Say what the pairs of this metric could not show."""
        name = self.job.bound.metric.name
        few = int(np.count_nonzero(self._discordant(found) < limits.FEWEST_ITEMS))
        capped = [s for s in self.sizes if any(each.capped for each in self._of(found, s))]
        remarks = [limits.few_differences(few, self.number, name)] if few else []
        return remarks + ([limits.not_planted(capped, name)] if capped else [])


def _joined(found: Sequence[_Found], test: str) -> NDArray[np.float64]:
    return np.concatenate([p for each in found if not isinstance(p := each.p[test], str)])
