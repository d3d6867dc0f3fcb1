"""The comparison of a data set in parts: the same record, from sums that the parts add up to.

What needs single items (influence, slices, tables, most exact tests) is not told, or refused by
name. Whole clusters are summed first; what is left of them is compared in memory.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from tellapart.comparison.analysis import Analysis, all_questions
from tellapart.comparison.answers import answers
from tellapart.comparison.columns import column
from tellapart.comparison.compare import (
    compare_with,
    compared_family,
    compared_metric,
    grouped,
    ranked,
)
from tellapart.comparison.item_notices import clusters_kept
from tellapart.comparison.notices import find_notices_of_sums
from tellapart.comparison.pairs import (
    ItemsWon,
    adjusted_p_values,
    pair_diagnostics,
    tested_pairs,
    with_intervals,
)
from tellapart.comparison.power import PairPower, deciding_level
from tellapart.comparison.ranking import two_metrics
from tellapart.comparison.record import IN_PARTS, Comparison, Items, SystemResult
from tellapart.counts.partitioned import PartitionedCounts, PartMap
from tellapart.errors import Notice, UsageError
from tellapart.metrics import Function, ItemFunction, Metric
from tellapart.metrics.projection import metrics_of
from tellapart.progress import Progress
from tellapart.resampling.workers import open_pool
from tellapart.significance.cross_checks import CrossChecks
from tellapart.significance.diagnostics import Diagnostics, round_off
from tellapart.significance.dispatch import Execution, Settings
from tellapart.significance.joint_corrections import Joint
from tellapart.significance.observed_spread import Detectable, detectable_by_error
from tellapart.significance.options import Options
from tellapart.significance.partition_data import PartitionedData
from tellapart.significance.partition_sums import over_parts
from tellapart.significance.partition_tests import (
    TESTS,
    diagnose,
    items_won,
    joint_adjusted,
    pair_interval,
    run_tests,
    system_interval,
)
from tellapart.significance.questions import Question, Questions
from tellapart.words import listed, plural


@contextmanager
def open_part_map(options: Options, progress: Progress) -> Iterator[PartMap]:
    """Open the workers of a comparison for another task: a function of every part."""
    with open_pool(options.workers, None, options.cluster_address) as pool:
        yield partial(over_parts, pool=pool, progress=progress)


def compare_partitions(
    options: Options,
    counts: PartitionedCounts,
    metrics: Sequence[str | Metric] | None,
    executor: Executor | None,
    progress: Progress,
) -> Comparison:
    """Return the comparison of a data set in parts."""
    _refuse(options, counts)
    if options.cluster is not None:
        return _clusters(options, counts, metrics, executor, progress)
    named = tuple(metrics_of(counts.empty(), metrics))
    for each in named:
        _refuse_metric(each, counts)
    with open_pool(options.workers, executor, options.cluster_address) as pool:
        execution = Execution(pool, progress)
        resampled = options.test in ("bootstrap", "bootstrap-abs") or bool(options.interval_method)
        data = PartitionedData(counts, named, options.seed, execution, resampled)
        return _compare(data, options, execution)


def _refuse(options: Options, counts: PartitionedCounts) -> None:
    """Refuse what needs all items in one memory."""
    if len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: a comparison needs two or more"
        )
    refused = {
        f"--test {options.test}": options.test not in TESTS,
        "--margin": options.margin is not None,
        "--by": bool(options.by),
        "--strata": options.strata is not None,
        "--cost": bool(options.cost),
        "--checks": options.checks,
    }
    found = [name for name, given in refused.items() if given]
    if found and options.cluster is None:
        instead = "drop it"
        if options.test not in TESTS:
            instead = f"use --test {', '.join(TESTS[:-1])} or {TESTS[-1]}"
        raise UsageError(
            f"{listed(found)} needs all {plural(counts.kind)} in one memory, and these are read "
            f"part by part: {instead}, or compare a sample"
        )


def _refuse_metric(metric: Metric, counts: PartitionedCounts) -> None:
    if isinstance(metric, ItemFunction):
        raise UsageError(
            f"metric {metric.name!r} is no function of sums, and sums are all that parts tell: "
            "name others with --metric, or compare a sample"
        )
    if isinstance(metric, Function):
        return
    several = max(len(metric.numerator), len(metric.denominator)) > 1
    rounded = [name for name in metric.columns if name in counts.columns
               and not counts.columns[name].exact]  # fmt: skip
    if several and rounded:
        raise UsageError(
            f"metric {metric.name!r}: the values of {listed(rounded)} have too many digits to be "
            "summed exactly; round them"
        )


def _clusters(
    options: Options,
    counts: PartitionedCounts,
    metrics: Sequence[str | Metric] | None,
    executor: Executor | None,
    progress: Progress,
) -> Comparison:
    """Return the comparison of whole clusters, which were summed over all parts."""
    assert options.cluster is not None
    with open_pool(options.workers, executor, options.cluster_address) as pool:
        whole = counts.by(options.cluster, partial(over_parts, pool=pool, progress=progress))
    found = compare_with(options, whole, metrics, executor, progress)
    # Single items are gone: what would be told of them is of clusters.
    pairs = tuple(
        replace(
            pair,
            p_ignoring_clusters=None,
            diagnostics=replace(pair.diagnostics, clusters=None),
        )
        for pair in found.pairs
    )
    told = Notice(
        IN_PARTS,
        f"{plural(counts.kind).capitalize()} were summed by {options.cluster} in "
        f"{_in_parts(counts)}; better, worse and tied are numbers of clusters.",
    )
    kept = clusters_kept(whole.by(options.cluster), pairs, options)
    warnings = [replace(each, text=kept) if each.code == "clustered" else each
                for each in found.warnings]  # fmt: skip
    return replace(found, pairs=pairs, warnings=(*warnings, told))


def _compare(data: PartitionedData, options: Options, execution: Execution) -> Comparison:
    projection, counts = data.projection, data.counts
    questions = all_questions(projection, options)
    size = len(questions) if options.family == "all" else len(questions) // len(projection.metrics)
    analysis = Analysis(projection, None, questions, Settings(options, size), execution)
    outcomes = run_tests(data, list(questions), analysis.settings)
    adjusted = adjusted_p_values([analysis], [outcomes], partial(_joint, data))[0]
    won = ItemsWon(*np.array([items_won(data, each) for each in questions]).T)
    table = tested_pairs(analysis, outcomes, adjusted, won)
    if options.intervals:
        errors, method = adjusted.interval_error.tolist(), options.interval_method
        intervals = {
            k: pair_interval(data, question, errors[k], method)
            for k, question in enumerate(questions)
            if outcomes[k].p is not None
        }
        table = with_intervals(table, analysis, outcomes, intervals, adjusted.simultaneous)
    found = []
    for question, outcome in zip(questions, outcomes, strict=True):
        figures = diagnose(data, question)
        power = _power(figures, options, question, size, counts.items)
        found.append(pair_diagnostics(figures, outcome, CrossChecks(), power))
    table = table.replaced({"diagnostics": column(found)})
    pairs = tuple(table)
    groups, letters, capped = grouped(analysis, table)
    metrics = [bound.metric for bound in projection.metrics]
    units = Items(counts.items, counts.kind, None)
    result = Comparison(
        tellapart=importlib.metadata.version("tellapart"),
        signature=_signature(data, options, size),
        alpha=options.alpha,
        correction=options.correction,
        seed=options.seed,
        units=units,
        systems=tuple(_system(data, k, options) for k in range(len(counts.names))),
        pairs=pairs,
        groups=groups,
        letters=letters,
        warnings=(
            *find_notices_of_sums(projection, pairs, options, capped, size),
            _told(counts),
        ),
        test=options.test,
        tail=options.tail,
        metrics={each.name: compared_metric(each, units, projection.counts) for each in metrics},
        family=compared_family(options, size),
        baseline=options.baseline,
        min_confidence=options.min_confidence,
        interval_level=1 - options.alpha if options.intervals else None,
        ranks=ranked(analysis, table),
        two_metrics=two_metrics(pairs, [each.name for each in metrics])
        if options.tail == "two"
        else None,
    )
    return replace(result, answers=answers(result))


def _joint(data: PartitionedData, analysis: Analysis, questions: Questions, n: int) -> Joint:
    return joint_adjusted(data, questions, analysis.settings, n)


def _power(
    figures: Diagnostics, options: Options, question: Question, size: int, items: int
) -> PairPower:
    """Return what the test could find, by a normal distribution: there are many items."""
    levels = options.alpha, deciding_level(options.alpha, options.correction, size)
    found = []
    for level in levels:
        error = figures.standard_error or 0.0
        each = detectable_by_error(error, items - 1.0, level, question.tail)
        known = each.difference is not None
        found.append(Detectable(round_off(each.difference)) if known else each)  # type: ignore[arg-type]
    return PairPower(*found)


def _system(data: PartitionedData, system: int, options: Options) -> SystemResult:
    scores = {
        each.metric.name: data.projection.score(each, system) for each in data.projection.metrics
    }
    intervals = {}
    if options.intervals:
        for bound in data.projection.metrics:
            level, method = 1 - options.alpha, options.interval_method
            found = system_interval(data, bound, system, level, method)
            if found is not None:
                intervals[bound.metric.name] = found
    return SystemResult(
        data.counts.names[system],
        {name: float(score) for name, score in scores.items()},
        {name: each.ends for name, each in intervals.items()},
        {name: str(score) for name, score in scores.items() if isinstance(score, Fraction)},
        {name: each.method for name, each in intervals.items()},
    )


def _in_parts(counts: PartitionedCounts) -> str:
    parts = len(counts.parts)
    return f"{parts:,} parts" if parts > 1 else "one part"


def _told(counts: PartitionedCounts) -> Notice:
    text = (
        f"The {plural(counts.kind)} were compared in {_in_parts(counts)}, never all in one "
        "memory: nothing is told of single ones, and none can be shown."
    )
    return Notice(IN_PARTS, text)


def _signature(data: PartitionedData, options: Options, size: int) -> str:
    """Return everything that a number depends on, in one line; the parts are no part of it."""
    counts = data.counts
    metrics = [bound.metric for bound in data.projection.metrics]
    sums = repr((counts.names, counts.items, tuple(counts.columns), data.moments.totals.tolist(),
                 data.moments.products.tolist()))  # fmt: skip
    parts = [
        f"tellapart {importlib.metadata.version('tellapart')}",
        "+".join(" ".join(filter(None, (each.name, each.signature))) for each in metrics),  # type: ignore[union-attr]
        *options.signature(counts.kind, size, counts.lower),
        f"sums {hashlib.sha256(ascii(sums).encode()).hexdigest()[:12]}",
    ]
    return " | ".join(parts)
