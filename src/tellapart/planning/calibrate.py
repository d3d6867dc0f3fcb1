"""Whether the tests can be trusted on these data: how often they reject where nothing differs.

Thousands of pairs without a difference are made of the systems' own outputs, and every test is made
on every pair. A test keeps its level if it rejects as often as it says: 5 % of them at .05. Then
differences of known size are planted, and the share of pairs that a test rejects is its power.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, Notice, UsageError
from tellapart.limits import NULL_PAIRS, SEED, check_draws
from tellapart.limits import SHUFFLES as SHUFFLES_GIVEN
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import Bound, BoundRatio, Projection, metrics_of, project
from tellapart.metrics.runs import average_runs
from tellapart.planning.calibration_record import (
    FEWEST_PAIRS,
    LEVELS,
    Calibration,
    ClusterCount,
    GroupsFound,
    ItemCount,
    MetricCalibration,
    OtherNull,
    Planted,
    Skipped,
    Untested,
    calibrated_test,
)
from tellapart.planning.dependence import FEWEST, SuspectedGroups, suspected_groups
from tellapart.planning.null_pairs import (
    EqualScores,
    NoisyRuns,
    PairSource,
    SplitItems,
    SplitRuns,
    SwappedOutputs,
    make_pairs,
    mean_difference,
    pair_batches,
    plant,
    runs_vary,
)
from tellapart.planning.pair_tests import Draws, p_values
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import WorkerPool, open_pool
from tellapart.significance.diagnostics import ItemAnalysis
from tellapart.significance.registry import TESTS, find_test
from tellapart.words import listed, nearest, plural, several

NULLS = ("all", "swap", "equal", "clusters", "run-noise", "split")
FEWEST_ITEMS = 6
"""With fewer, no exchange can give a p of .05"""
PAIRS = 2_000
SHUFFLES, RESAMPLES = 9_999, 999
"""Shuffles come cheap; for the rate at which a bootstrap rejects, 999 resamples will do."""
SIZES = (1.0, 2.0, 3.0)
"""Planted differences, in standard errors"""


def calibrate(
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    null: str = "all",
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
    """Return how often each test rejects where nothing differs, on the systems' own outputs.

    `null` says how pairs without a difference are made: ``swap`` exchanges the outputs of two
    systems at random, another two for each pair; ``equal`` draws items again so that two systems
    score the same, though their outputs are not alike; ``clusters`` exchanges the outputs of whole
    groups of items that seem to depend on each other; ``run-noise`` makes systems with several
    runs equal and draws items and runs again, the runs as far apart as was measured;
    ``split`` halves the items of one system, or its runs where `runs` names, for
    each system, which of the counts' systems are runs of it.
    ``all`` tries what the data allow: the first of them in `metrics`, others in `others`, and what
    is not put to the test in `untested`. `tests` are those to be made (default: all that fit the
    metric), `pairs` is the number of pairs. A quarter of them, at least 100, is used again with
    planted differences of each of `sizes`, in standard errors (of swap and split). The
    default metric is f1 where counts have it, otherwise the first. The result depends on `seed`,
    not on `workers`.

    >>> from tellapart.formats.reading import example
    >>> tests = ["shuffle", "bootstrap-abs"]
    >>> found = calibrate(example("muc4"), null="swap", tests=tests, pairs=400, sizes=[])
    >>> [(each.test, each.verdict) for each in found.metrics[0].tests]
    [('shuffle', 'keeps its level'), ('bootstrap-abs', 'rejects too often')]
    """
    _check_choices(null, tests or ())
    _check_numbers(pairs, shuffles, seed)
    _check_systems(counts, null, runs)
    draws = Draws(shuffles or SHUFFLES, shuffles or RESAMPLES, seed)
    counts = in_order(counts)
    chosen = _chosen_metrics(metrics, counts)
    with open_pool(workers) as pool:
        job = _Calibrator(
            counts, runs, cluster, chosen, tuple(tests or ()), pairs, draws, pool, progress
        )
        names = job.nulls(null)
        # To plant a difference, outputs are exchanged: where these are alike but for the system.
        first = job.under(names[0], sizes if names[0] in ("swap", "split", "runs") else ())
        if isinstance(first, str):
            raise UsageError(f"--null {names[0]}: {first}")
        others = {name: job.under(name, ()) for name in names[1:]}
    found = [each for each in others.values() if not isinstance(each, str)]
    untested = [Untested(name, why) for name, why in others.items() if isinstance(why, str)]
    if null == "all" and runs is None and "run-noise" not in names:
        untested.append(Untested("runs", "no system was given as NAME=run1,run2"))
    return Calibration(
        tellapart=importlib.metadata.version("tellapart"),
        null=first.null,
        seed=seed,
        items=first.items,
        systems=tuple(runs or counts.names),
        null_pairs=first.number,
        planted_pairs=_number_planted(first.number),
        shuffles=draws.shuffles,
        resamples=draws.resamples,
        metrics=first.metrics,
        warnings=tuple(dict.fromkeys((*counts.notices, *first.notices))),
        others=tuple(OtherNull(each.null, each.number, each.metrics) for each in found),
        untested=tuple(untested),
    )


@dataclass(frozen=True, slots=True)
class _UnderNull:
    """What was found on pairs of one kind."""

    null: str
    number: int
    items: ItemCount
    metrics: tuple[MetricCalibration, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class _Calibrator:
    """Makes every test on pairs of any kind."""

    counts: Counts
    runs: Mapping[str, Sequence[str]] | None
    cluster: str | None
    metrics: Sequence[str | Metric]
    tests: tuple[str, ...]
    pairs: int
    draws: Draws
    pool: WorkerPool
    progress: Progress

    def nulls(self, asked: str) -> list[str]:
        """Return the kinds of pairs to be made, the main one first."""
        if asked == "split" and self.runs is not None:
            return ["runs"]
        if asked != "all":
            return [asked]
        systems = self._systems(self.runs is not None)
        found = ["swap", "equal", "clusters"] if len(systems.names) > 1 else []
        if runs_vary(systems):
            return ["run-noise"] if self.tests == ("auto",) else [*found, "run-noise"]
        if self.runs is not None:
            found.append("runs")
        return found or ["split"]

    def _systems(self, whole: bool) -> Counts:
        """Return the systems, or their single runs where these are the systems of the counts."""
        if not whole or self.runs is None:
            return self.counts
        return average_runs(
            {name: [self.counts.systems[(run,)] for run in own] for name, own in self.runs.items()}
        )

    def under(self, null: str, sizes: Sequence[float]) -> _UnderNull | str:
        """Return what was found on one kind of pairs, or why these cannot be made."""
        counts = self._systems(whole=null != "runs")
        summed = counts if self.cluster is None else counts.by(self.cluster)
        results: list[MetricCalibration] = []
        notices: list[Notice] = []
        number, source = self.pairs, None
        for metric in self.metrics:
            projection = project(summed, [metric])
            _check_metric(projection.metrics[0])
            made = self._source(projection, null)
            if isinstance(made, str):
                return made
            source, groups = made
            if groups is not None and not groups.alike:
                shown = GroupsFound(groups.label, groups.size, groups.chance)
                name = projection.metrics[0].metric.name
                results.append(MetricCalibration(name, (), (), (), None, shown))
                continue
            _check_items(summed, source)
            number = _number_of_pairs(source, self.pairs)
            item_level = None
            if self.cluster is not None and null == "swap":
                item_level = _item_level(counts, projection.metrics[0], self.cluster)
            left_out = _left_out(source, projection)
            tests = self.tests or tuple(test for test in TESTS if test not in left_out)
            if left_out.get("auto") == _OVER_RUNS:
                tests = tuple(test for test in tests if test != "auto")
            if isinstance(source, NoisyRuns):
                tests = tuple(test for test in tests if test not in left_out)
            if not tests:
                named = listed(self.tests)
                return f"{named} cannot be tried on such pairs: {left_out[self.tests[0]]}"
            job = _Job(source, _bound(projection, source), item_level, tests, left_out, self.draws)
            batches = _batches(job, number, sizes)
            found = list(self.pool.map(_run_batch, job, batches, self.progress, "null pairs"))
            work = _MetricWork(job, number, tuple(sizes), batches, found)
            summary = work.summary()
            if groups is not None:
                shown = GroupsFound(groups.label, groups.size, groups.chance)
                summary = replace(summary, groups=shown)
            results.append(summary)
            notices += work.warnings()
        assert source is not None
        notices += _data_warnings(summed, source, number)
        items = _item_count(summed, source)
        return _UnderNull(null, number, items, tuple(results), tuple(notices))

    def _source(
        self, projection: Projection, null: str
    ) -> tuple[PairSource, SuspectedGroups | None] | str:
        if null == "swap":
            return SwappedOutputs(projection.forms), None
        if null == "split":
            return SplitItems(projection.forms), None
        if null == "runs":
            assert self.runs is not None
            return SplitRuns.of(projection, self.runs, self.pairs), None
        if null == "run-noise":
            noisy = NoisyRuns.of(projection)
            return _NO_SPREAD if noisy is None else (noisy, None)
        terms = ItemAnalysis.of(projection, projection.metrics[0]).terms
        if null == "equal":
            equal = None if terms is None else EqualScores.of(projection, terms)
            if equal is None:
                return "no two systems score the same on any items drawn again"
            return equal, None
        groups = suspected_groups(projection.counts, terms, self.draws.seed)
        if groups is None:
            return f"fewer than {FEWEST} {plural(projection.counts.kind)} cannot show groups"
        return SwappedOutputs(projection.forms, groups.groups), groups


def _chosen_metrics(
    metrics: str | Metric | Sequence[str | Metric] | None, counts: Counts
) -> Sequence[str | Metric]:
    if metrics is None or (isinstance(metrics, Sequence) and not metrics):
        known = metrics_of(counts)
        return [each for each in known if each.name == "f1"] or known[:1]
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        return [metrics]
    return metrics


def _bound(projection: Projection, source: PairSource) -> Bound:
    bound = projection.metrics[0]
    if isinstance(source, NoisyRuns):
        return source.bound(bound)
    return source.rescaled(bound) if isinstance(source, SplitRuns) else bound


def _number_of_pairs(source: PairSource, pairs: int) -> int:
    """Return how many pairs there are: a few runs cannot be split in as many ways."""
    splits = source.splits if isinstance(source, SplitRuns) else None
    return pairs if splits is None else len(splits)


def _number_planted(number: int) -> int:
    """Return how many pairs get planted differences: power need not be known as closely."""
    return max(min(number, FEWEST_PAIRS), number // 4)


_LEFT_OUT = {
    "auto": "the same test as shuffle where both systems have the same denominators",
    "exact": "the same test as shuffle, without its random error",
    "unpaired": "the systems have the same items",
}
"""Tests that are not made unless they are named, and why"""
_OVER_RUNS = (
    "of systems with several runs it is a test over items and runs, which --null run-noise tries"
)
_NO_SPREAD = "no two systems have several runs whose spread can be measured"
_OF_MEANS = ("auto", "shuffle", "bootstrap", "bootstrap-t", "t")
"""Tests that are made where runs vary: those of equal mean scores"""


def _left_out(source: PairSource, projection: Projection) -> dict[str, str]:
    """Return the tests that are not made unless they are named, and why."""
    found = dict(_LEFT_OUT)
    if isinstance(source, SplitItems):
        del found["unpaired"]
    if isinstance(source, NoisyRuns):
        return {test: "not tried where runs vary" for test in TESTS if test not in _OF_MEANS}
    if NoisyRuns.of(projection) is not None:
        found["auto"] = _OVER_RUNS
    elif _asks_otherwise(projection):
        del found["auto"]
    return found


def _asks_otherwise(projection: Projection) -> bool:
    """Return whether auto tests equal scores by another test than exchanges of outputs."""
    bound = projection.metrics[0]
    if not isinstance(bound, BoundRatio):
        return True
    denominators = projection.forms[bound.denominator]
    return bool((denominators != denominators[0]).any())


def _item_level(counts: Counts, bound: Bound, cluster: str) -> _ItemLevel:
    projection = project(counts, [bound.metric])
    places = {name: k for k, name in enumerate(dict.fromkeys(counts.labels[cluster]))}
    clusters = np.array([places[name] for name in counts.labels[cluster]], np.intp)
    return _ItemLevel(SwappedOutputs(projection.forms, clusters), projection.metrics[0])


def _item_count(counts: Counts, source: PairSource) -> ItemCount:
    clusters = None
    if counts.cluster is not None:
        clusters = ClusterCount(len(counts.items), counts.cluster)
    return ItemCount(int(counts.sizes.sum()), counts.kind, clusters, source.items)


@dataclass(frozen=True, slots=True)
class _ItemLevel:
    """The null pairs of clusters with their items, for a test that does not know of clusters."""

    source: SwappedOutputs
    bound: Bound


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to test a batch of pairs under one metric."""

    source: PairSource
    bound: Bound
    item_level: _ItemLevel | None
    tests: tuple[str, ...]
    left_out: Mapping[str, str]
    """Tests that are not made unless they are named, and why"""
    draws: Draws


@dataclass(frozen=True, slots=True)
class _Batch:
    """Pairs to be made and tested; `size` is that of the planted difference, or None."""

    numbers: range
    size: float | None


@dataclass(frozen=True, slots=True)
class _Found:
    """P-values of a batch by test, or why a test was not made."""

    p: dict[str, NDArray[np.float64] | str]
    item_level_p: NDArray[np.float64] | str | None
    discordant: NDArray[np.int64]
    """How many items differ, pair by pair"""
    difference: float
    """The mean difference in score"""
    capped: bool
    """Whether some pair cannot be made as different as was wanted"""


def _batches(job: _Job, number: int, sizes: Sequence[float]) -> list[_Batch]:
    """Return the work in batches: null pairs, then pairs with each planted difference."""
    items = None if job.item_level is None else job.item_level.source.items
    work: list[tuple[float | None, int]] = [(None, number)]
    work += [(size, _number_planted(number)) for size in sizes]
    return [
        _Batch(numbers, size)
        for size, end in work
        for numbers in pair_batches(job.source, end, items)
    ]


def _run_batch(job: _Job, batch: _Batch) -> _Found:
    """Return the p-values of all tests on a batch of pairs."""
    pairs = make_pairs(job.source, job.draws.seed, batch.numbers)
    discordant = np.asarray(pairs.discordant, np.int64)
    capped = False
    if batch.size is not None:
        pairs, capped = plant(job.bound, pairs, batch.size)
    found = p_values(pairs, job.bound, job.tests, job.draws)
    item_level_p = None
    if job.item_level is not None and batch.size is None and "shuffle" in job.tests:
        items = make_pairs(job.item_level.source, job.draws.seed, batch.numbers)
        by_test = p_values(items, job.item_level.bound, ["shuffle"], job.draws)
        item_level_p = by_test["shuffle"]
    return _Found(found, item_level_p, discordant, mean_difference(job.bound, pairs), capped)


@dataclass(frozen=True, slots=True)
class _MetricWork:
    """What was found under one metric, batch by batch, and how it is put together."""

    job: _Job
    number: int
    sizes: tuple[float, ...]
    batches: Sequence[_Batch]
    found: Sequence[_Found]

    def _of(self, size: float | None) -> list[_Found]:
        pairs = zip(self.found, self.batches, strict=True)
        return [each for each, batch in pairs if batch.size == size]

    def summary(self) -> MetricCalibration:
        """Return the p-values of all batches together, test by test."""
        skipped: dict[str, str] = {}
        for each in self.found:
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
            planted = [_joined(self._of(size), test) for size in self.sizes]
            calibrated.append(calibrated_test(test, _joined(self._of(None), test), planted))
            if test == "shuffle" and self.job.item_level is not None:
                p = [own for e in self.found if isinstance(own := e.item_level_p, np.ndarray)]
                calibrated.append(
                    calibrated_test(test, np.concatenate(p), [], clusters_ignored=True)
                )
        left_out = self.job.left_out
        if len(self.job.tests) > 1 and "shuffle" in tests:
            skipped |= {test: why for test, why in left_out.items() if test not in self.job.tests}
        elif left_out.get("auto") == _OVER_RUNS:
            skipped["auto"] = _OVER_RUNS
        return MetricCalibration(
            name,
            tuple(calibrated),
            tuple(Planted(size, self._difference(size)) for size in self.sizes),
            tuple(Skipped(test, why) for test, why in skipped.items()),
            float(np.median(self._discordant())),
        )

    def _discordant(self) -> NDArray[np.int64]:
        """Return how many items differ in each null pair."""
        return np.concatenate([each.discordant for each in self._of(None)])

    def _difference(self, size: float) -> float:
        """Return the mean planted difference in score."""
        parts = [len(batch.numbers) for batch in self.batches if batch.size == size]
        weighted = zip(self._of(size), parts, strict=True)
        return math.fsum(each.difference * pairs for each, pairs in weighted) / sum(parts)

    def warnings(self) -> list[Notice]:
        """Return what the pairs of this metric could not show."""
        name = self.job.bound.metric.name
        few = int(np.count_nonzero(self._discordant() < FEWEST_ITEMS))
        capped = [s for s in self.sizes if any(each.capped for each in self._of(s))]
        found = [_few_differences(few, self.number, name)] if few else []
        return found + ([_not_planted(capped, name)] if capped else [])


def _joined(found: Sequence[_Found], test: str) -> NDArray[np.float64]:
    return np.concatenate([p for each in found if not isinstance(p := each.p[test], str)])


def _check_choices(null: str, tests: Sequence[str]) -> None:
    """Refuse names that are none."""
    if null not in NULLS:
        raise UsageError(f"there is no null {null!r}; {nearest(null, NULLS)}")
    for test in tests:
        find_test(test)


def _check_numbers(pairs: int, shuffles: int | None, seed: int) -> None:
    """Refuse numbers that make no sense."""
    NULL_PAIRS.checked(pairs, "pairs")
    SEED.checked(seed, "seed")
    if shuffles is not None:
        check_draws(pairs, SHUFFLES_GIVEN.checked(shuffles, "shuffles"))


def _check_systems(counts: Counts, null: str, runs: Mapping[str, Sequence[str]] | None) -> None:
    """Refuse too few systems or runs, and systems that do not have the same items."""
    if counts.present is not None:
        raise UsageError(
            f"the systems do not have the same {plural(counts.kind)}: drop those that not all have"
        )
    if null in ("swap", "equal", "clusters") and len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: --null {null} needs two; with one, split "
            "its items (--null split)"
        )
    if runs is not None and all(len(own) < 2 for own in runs.values()):
        raise UsageError("no system has two runs to split; give NAME=run1,run2")


def _check_metric(bound: Bound) -> None:
    """Refuse a metric whose pairs cannot be summed up."""
    if isinstance(bound.metric, ItemFunction):
        raise UsageError(
            f"metric {bound.metric.name!r} cannot be calibrated: it is no function of sums"
        )


def _check_items(counts: Counts, source: PairSource) -> None:
    """Refuse data on which nothing could ever be rejected."""
    if source.items >= FEWEST_ITEMS:
        return
    rows, halves = counts.cluster or counts.kind, isinstance(source, SplitItems)
    found = several(len(counts.items), rows)
    if halves:
        found += f", {source.items} in each half,"
    raise DataError(
        f"{found} {'is' if len(counts.items) == 1 else 'are'} too few: no exchange can give a p "
        f"below {2.0 ** (1 - source.items):g} (2/2^{source.items}), so nothing could be rejected "
        f"at .05; give {2 * FEWEST_ITEMS if halves else FEWEST_ITEMS} {plural(rows)} or more"
    )


def _data_warnings(counts: Counts, source: PairSource, number: int) -> list[Notice]:
    """Return what these data cannot show, whatever the metric."""
    found = []
    smallest = 2.0 ** (1 - source.items)
    if smallest > min(LEVELS):
        found.append(
            Notice(
                "few-units",
                f"With {several(source.items, counts.cluster or counts.kind)} in a pair no "
                f"exchange can give a p below {smallest:.4f}: nothing can be rejected at "
                f"{min(LEVELS)}.",
            )
        )
    if isinstance(source, SplitRuns):
        runs = sum(map(len, source.systems))
        found.append(
            Notice(
                "shared-runs",
                f"{several(number, 'null pair')} of the same {several(runs, 'run')}: pairs have "
                "runs in common, so the rates are less sure than their standard errors say.",
            )
        )
    elif isinstance(source, SplitItems) and any(each.code == "repeats" for each in counts.notices):
        found.append(
            Notice(
                "runs-not-split",
                "The runs were averaged, and the items split; to split the runs, give them as "
                "NAME=run1,run2.",
            )
        )
    return found


def _few_differences(few: int, number: int, metric: str) -> Notice:
    """Return the warning that some pairs hardly differ."""
    return Notice(
        "few-differences",
        f"In {few:,} of {number:,} null pairs fewer than {FEWEST_ITEMS} items differ in {metric}: "
        "no exchange of so few can be significant at .05.",
        (metric,),
    )


def _not_planted(sizes: Sequence[float], metric: str) -> Notice:
    """Return the warning that some pairs cannot be made as different as was wanted."""
    words = " or ".join(f"{size:g}" for size in sizes)
    return Notice(
        "not-planted",
        f"Not every pair can be made to differ by {words} standard errors in {metric}: even the "
        "better output on every item makes less.",
        (metric,),
    )
