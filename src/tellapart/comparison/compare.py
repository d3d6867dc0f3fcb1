"""`compare`: the tests, intervals, groups and warnings of all pairs, from counts to the record."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from tellapart.comparison.analysis import Analysis, families, make_analyses, tail_of_pair
from tellapart.comparison.answers import answers
from tellapart.comparison.costs import cost_names, find_costs, with_costs
from tellapart.comparison.notices import find_notices
from tellapart.comparison.pairs import Adjusted, adjusted_p_values, assemble_pairs
from tellapart.comparison.preferences import compare_preferences
from tellapart.comparison.ranking import rank_sets, two_metrics
from tellapart.comparison.record import (
    Clusters,
    ComparedMetric,
    Comparison,
    Family,
    Items,
    PairResult,
    SystemResult,
)
from tellapart.comparison.slices import check_labels, labels_to_slice, slices
from tellapart.comparison.suites import suite_tables
from tellapart.counts import Counts, errors
from tellapart.counts.ordering import digest
from tellapart.counts.partitioned import PartitionedCounts
from tellapart.errors import UsageError
from tellapart.limits import is_truth
from tellapart.metrics import Function, ItemFunction, Metric, Ratio
from tellapart.metrics.passes import with_passes
from tellapart.metrics.projection import direction_told_by, metrics_of
from tellapart.options import one_or_several
from tellapart.progress import Progress, no_progress
from tellapart.registered import registered
from tellapart.resampling.workers import WorkerPool, open_pool
from tellapart.significance.corrections import experimentwise_error, per_comparison_level
from tellapart.significance.cross_checks import TestedPairs, cross_check
from tellapart.significance.dispatch import Execution, run
from tellapart.significance.groups import groups as find_groups
from tellapart.significance.groups import letters as find_letters
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import Estimate, Estimator
from tellapart.significance.margins import MarginDecision, decide_margins
from tellapart.significance.options import OPTIONS, Options
from tellapart.significance.questions import Outcome


def compare(
    counts: Counts | Mapping[str, Any] | Any,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    test: str = "auto",
    shuffles: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    tail: str = "two",
    correction: str = "holm",
    family: str = "metric",
    runs: str = "vary",
    baseline: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    min_confidence: float | None = None,
    margin: float | None = None,
    cost: str | Sequence[str] | None = None,
    intervals: bool | str = True,
    checks: bool = False,
    by: str | Sequence[str] | None = None,
    force: bool = False,
    lower_is_better: bool | str | Sequence[str] = False,
    workers: int | None = None,
    executor: Executor | None = None,
    cluster_address: str | None = None,
    batch: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Return which of the systems differ, by which metrics, and how sure that is.

    The keywords are the options of the command line, and the result does not depend on the last
    five.

    - `counts`: what `read` returns, or what it takes: a file, a data frame (pandas, polars,
      pyarrow, a data set of Hugging Face), a dictionary of columns, a list of rows, or arrays,
      series or frames by system
    - `metrics`: one or several, by name (``"f1"``) or as values (``ta.ratio(…)``); by default those
      that the counts bring along
    - `test`: ``auto`` tests whether scores are equal, exactly where that can be done; ``exact`` and
      ``shuffle`` exchange whole outputs; others are ``bootstrap``, ``t``, ``mcnemar``, …
    - `shuffles`: how many, of shuffles or of resamples; by default 9,999, and ``auto`` draws until
      the answer is settled
    - `seed`: of the shuffles; the same seed gives the same result to the last bit
    - `alpha`: the level, which adjusted p-values and intervals keep
    - `tail`: ``two``, or the claim that the first system of each pair is better (``greater``) or
      worse (``less``); with `baseline`, it is about the other one
    - `correction`: for many pairs: ``holm``, ``none``, ``tukey``, …
    - `family`: whether that counts the pairs of each ``metric``, or of ``all`` together
    - `runs`: ``vary`` if several runs speak for their system, whose runs could be others;
      ``fixed`` if the question is about these very runs
    - `baseline`: the only system that others are compared with
    - `cluster`: the label whose items are exchanged together, such as the document
    - `strata`: the label within which the bootstrap draws
    - `min_confidence`: call a pair different only if the exact test would, this surely
    - `margin`: a difference that would not matter; the answer is then about that
    - `cost`: values that systems spend, which stand in `costs` beside how well they do
    - `intervals`: whether there are any, or by which method
    - `checks`: repeat the shuffles, and compare them with what is known exactly
    - `by`: labels on whose values all pairs are compared once more, in `slices`
    - `force`: allow an unpaired test of paired systems
    - `lower_is_better`: the ready values that count errors, or true where all of them do
    - `workers`: threads; by default one for each core
    - `executor`: runs the work instead, like those of `concurrent.futures`
    - `cluster_address`: the Dask scheduler that runs it
    - `batch`: shuffles that are drawn at a time
    - `progress`: a function that is told how far the work is

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> compare(counts).pair("A", "B").p
    0.03125
    """
    given = locals()
    options = Options(**{name: given[name] for name in OPTIONS})
    lower = (
        bool(lower_is_better)
        if is_truth(lower_is_better)
        else one_or_several(lower_is_better, str, "lower_is_better", "name")
    )
    if isinstance(counts, PartitionedCounts):
        if lower:
            counts = replace(counts, lower=errors(counts.empty(), lower).lower)
        return compare_with(options, counts, metrics, executor, progress)
    counts = _as_counts(counts)
    if lower:
        counts = errors(counts, lower)
    return compare_with(options, counts, metrics, executor, progress)


def _as_counts(data: Any) -> Counts:
    """Return counts as they are, and what is read from anything else."""
    return data if isinstance(data, Counts) else cast(Counts, registered("read")(data))


def compare_with(
    options: Options,
    counts: Counts | PartitionedCounts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    executor: Executor | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Return the comparison that a record of options asks for.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> compare_with(Options(tail="greater"), counts).pair("A", "B").p
    0.015625
    """
    if not isinstance(counts, PartitionedCounts):
        counts = _as_counts(counts)
    kinds = str | Ratio | Function | ItemFunction
    metrics = one_or_several(metrics, kinds, "metrics", "metric") or None
    if not callable(progress):
        raise UsageError(f"progress is a function, not {progress!r}")
    if not isinstance(executor, Executor | None):
        raise UsageError(f"executor is one of concurrent.futures, not {executor!r}")

    if isinstance(counts, PartitionedCounts):
        from tellapart.comparison.partitioned import compare_partitions

        return compare_partitions(options, counts, metrics, executor, progress)

    def compared(
        options: Options, counts: Counts, metrics: Sequence[str | Metric] | None
    ) -> Comparison:
        return _compare_items(options, counts, metrics, executor, progress)

    if counts.judgments is not None:
        return compare_preferences(compared, options, counts, metrics)
    return compared(options, counts, metrics)


def _compare_items(
    options: Options,
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    executor: Executor | None,
    progress: Progress,
) -> Comparison:
    """Return the comparison of item scores or of counts, by all metrics."""
    if options.cost:
        counts, metrics = with_costs(counts, metrics, options.cost)
    with open_pool(options.workers, executor, options.cluster_address) as pool:
        analyses = make_analyses(counts, metrics, options, Execution(pool, progress))
        for each in analyses:
            check_labels(each, options.by)
        outcomes = [run(e.projection, e.questions, e.settings, e.execution) for e in analyses]
        adjusted = adjusted_p_values(analyses, outcomes)
        found = [_compare(*each) for each in zip(analyses, outcomes, adjusted, strict=True)]
    result = _together(found, _names(counts, metrics)) if len(found) > 1 else found[0]
    names = cost_names(options.cost, [b.metric for a in analyses for b in a.projection.metrics])
    result = replace(result, metrics=_marked(result.metrics, names))
    return replace(result, costs=find_costs(result), answers=answers(result))


def _names(counts: Counts, metrics: Sequence[str | Metric] | None) -> list[str]:
    return [each.name for each in metrics_of(with_passes(counts, metrics), metrics)]


def _marked(
    metrics: Mapping[str, ComparedMetric], costs: Collection[str]
) -> dict[str, ComparedMetric]:
    return {name: replace(each, cost=name in costs) for name, each in metrics.items()}


def _together(found: Sequence[Comparison], metrics: Sequence[str]) -> Comparison:
    """Return comparisons by metrics of different items as one, `metrics` in their order."""
    of = {name: each for each in found for name in each.metrics}
    pairs = [pair for name in metrics for pair in of[name].pairs if pair.metric == name]
    return replace(
        of[metrics[0]],
        signature=_signature([each.evidence[0] for each in found]),
        systems=tuple(_joined(each) for each in zip(*(one.systems for one in found), strict=True)),
        pairs=tuple(pairs),
        groups={name: of[name].groups[name] for name in metrics if name in of[name].groups},
        letters={name: of[name].letters[name] for name in metrics if name in of[name].letters},
        ranks={name: of[name].ranks[name] for name in metrics if name in of[name].ranks},
        suite={name: of[name].suite[name] for name in metrics if name in of[name].suite},
        metrics={name: of[name].metrics[name] for name in metrics},
        warnings=tuple(dict.fromkeys(notice for each in found for notice in each.warnings)),
        slices=tuple(part for each in found for part in each.slices),
        # Costs have none.
        margin=next((each.margin for each in found if each.margin is not None), None),
        two_metrics=two_metrics(pairs, metrics) if found[0].tail == "two" else None,
        evidence=tuple(each.evidence[0] for each in found),
    )


def _joined(parts: Sequence[SystemResult]) -> SystemResult:
    """Return the results of one system by metrics of different items as one."""
    return SystemResult(
        parts[0].name,
        {name: score for each in parts for name, score in each.scores.items()},
        {name: ends for each in parts for name, ends in each.intervals.items()},
        {name: exact for each in parts for name, exact in each.exact_scores.items()},
        {name: method for each in parts for name, method in each.interval_methods.items()},
        {name: ends for each in parts for name, ends in each.region.items()},
    )


def _compare(
    analysis: Analysis, outcomes: Sequence[Outcome], adjusted: Sequence[Adjusted]
) -> Comparison:
    options, execution = analysis.options, analysis.execution
    levels = [each.level for each in adjusted]
    systems, estimates = _estimates(analysis, [each.interval_error for each in adjusted])
    margins = _margins(analysis)
    cross_checks = cross_check(
        TestedPairs(
            analysis.projection, analysis.unclustered, analysis.questions, outcomes, levels
        ),
        analysis.settings,
        execution,
        options.checks,
    )
    assembled = assemble_pairs(analysis, outcomes, adjusted, estimates, margins, cross_checks)
    pairs = [_with_claim(pair, options) for pair in assembled]
    groups, letters, capped = _groups(analysis, pairs)
    size = analysis.settings.family_size
    shown = [pair if pair.tail == options.tail else pair.mirrored() for pair in pairs]
    asked = analysis.settings.runs
    warnings = find_notices(analysis.projection, shown, levels, options, capped, size, asked)
    metrics = [bound.metric for bound in analysis.projection.metrics]
    units = _items(analysis)
    return Comparison(
        tellapart=importlib.metadata.version("tellapart"),
        signature=_signature([analysis]),
        alpha=options.alpha,
        correction=options.correction,
        seed=options.seed,
        units=units,
        systems=systems,
        pairs=tuple(pairs),
        groups=groups,
        letters=letters,
        warnings=warnings,
        test=options.test,
        tail=options.tail,
        metrics={metric.name: _compared(metric, units, analysis.counts) for metric in metrics},
        family=Family(
            size,
            options.family,
            experimentwise_error(options.alpha, size),
            per_comparison_level(options.alpha, size),
        ),
        baseline=options.baseline,
        margin=options.margin,
        min_confidence=options.min_confidence,
        interval_level=1 - options.alpha if options.intervals else None,
        runs=asked,
        slices=slices(analysis, labels_to_slice(analysis)),
        suite=suite_tables(analysis),
        ranks=_ranks(analysis, pairs),
        two_metrics=two_metrics(pairs, [m.name for m in metrics])
        if options.tail == "two"
        else None,
        # The pool of workers goes home with this call.
        evidence=(replace(analysis, execution=Execution(WorkerPool(1, None), no_progress)),),
    )


def _with_claim(pair: PairResult, options: Options) -> PairResult:
    """Return a pair with its one-sided claim; with a baseline that is about the other system."""
    if options.tail == "two":
        return pair
    one, other = (pair.b, pair.a) if pair.a == options.baseline else (pair.a, pair.b)
    worded = "better" if options.tail == "greater" else "worse"
    return replace(
        pair, tail=tail_of_pair(options, pair.a), claim=f"{one} is {worded} than {other}"
    )


def _estimates(
    analysis: Analysis, errors: Sequence[float]
) -> tuple[tuple[SystemResult, ...], list[Estimate]]:
    """Return the systems with their scores, and the intervals of scores and differences.

    `errors` are how often the interval of each pair may miss.
    """
    projection, options = analysis.projection, analysis.options
    of_systems: list[dict[str, Interval]] = [{} for _ in analysis.counts.names]
    of_pairs = [Estimate() for _ in analysis.questions]
    if options.intervals:
        estimator = Estimator(
            projection, options.interval_method, analysis.settings, analysis.execution
        )
        of_systems = estimator.systems(1 - options.alpha)
        if options.margin is None:  # which has intervals of its own
            of_pairs = estimator.pairs(analysis.questions, errors)
    systems = []
    for k, name in enumerate(analysis.counts.names):
        scores = {bound.metric.name: projection.score(bound, k) for bound in projection.metrics}
        systems.append(
            SystemResult(
                name,
                {metric: float(score) for metric, score in scores.items()},
                {metric: interval.ends for metric, interval in of_systems[k].items()},
                {metric: str(s) for metric, s in scores.items() if isinstance(s, Fraction)},
                {metric: interval.method for metric, interval in of_systems[k].items()},
                dict(analysis.counts.regions.get(name, {})),
            )
        )
    return tuple(systems), of_pairs


def _margins(analysis: Analysis) -> list[MarginDecision | None]:
    """Return what is shown of each pair and the margin, if there is one."""
    questions = analysis.questions
    if analysis.options.margin is None:
        return [None for _ in questions]
    return [*decide_margins(analysis.projection, questions, families(analysis), analysis.settings)]


def _groups(
    analysis: Analysis, pairs: Sequence[PairResult]
) -> tuple[dict[str, list[list[str]]], dict[str, dict[str, str]], list[str]]:
    """Return the groups and letters of each metric; none where not all pairs were compared."""
    groups: dict[str, list[list[str]]] = {}
    letters: dict[str, dict[str, str]] = {}
    capped: list[str] = []
    if not _all_pairs(analysis):
        return groups, letters, capped
    for bound in analysis.projection.metrics:
        name = bound.metric.name
        different = {frozenset((p.a, p.b)) for p in pairs if p.metric == name and p.different}
        scores = {
            system: float(analysis.projection.score(bound, k))
            for k, system in enumerate(analysis.counts.names)
        }
        found = find_groups(scores, different, bound.metric.higher_is_better)
        groups[name] = [list(group) for group in found.groups]
        letters[name] = find_letters(found)
        if found.components:
            capped.append(name)
    return groups, letters, capped


def _all_pairs(analysis: Analysis) -> bool:
    """Return whether every pair was asked about, both ways."""
    options = analysis.options
    # A one-sided test does not say that two systems do not differ.
    return options.tail == "two" and (options.baseline is None or len(analysis.counts.names) == 2)


def _ranks(
    analysis: Analysis, pairs: Sequence[PairResult]
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the places of three or more systems; none where not all pairs were compared."""
    names = analysis.counts.names
    if len(names) < 3 or not _all_pairs(analysis):
        return {}
    return {
        bound.metric.name: rank_sets(names, [p for p in pairs if p.metric == bound.metric.name])
        for bound in analysis.projection.metrics
    }


def _compared(metric: Metric, units: Items, counts: Counts) -> ComparedMetric:
    signature, told = _metric_signature(metric), direction_told_by(metric, counts)
    return ComparedMetric(metric.higher_is_better, _kind(metric), signature, units, told)


def _kind(metric: Metric) -> str:
    if isinstance(metric, Ratio):
        mean = "weighted mean" if metric.weighted else "mean"
        return mean if metric.is_weighted_mean else "ratio"
    return "function of sums" if isinstance(metric, Function) else "function of units"


def _metric_signature(metric: Metric) -> str | None:
    return None if isinstance(metric, ItemFunction) else metric.signature


def _items(analysis: Analysis) -> Items:
    counts, clusters = analysis.counts, None
    if counts.cluster is not None:
        largest = int(counts.sizes.max()) / int(counts.sizes.sum())
        clusters = Clusters(counts.cluster, len(counts.items), largest)
    single = counts if analysis.unclustered is None else analysis.unclustered.counts
    return Items(int(single.sizes.sum()), counts.kind, clusters)


def _signature(analyses: Sequence[Analysis]) -> str:
    """Return everything that a number depends on, in one line."""
    analysis, counts = analyses[0], analyses[0].counts
    metrics = [bound.metric for each in analyses for bound in each.projection.metrics]
    exchanged = counts.kind if counts.cluster is None else counts.cluster
    parts = [
        f"tellapart {importlib.metadata.version('tellapart')}",
        "+".join(
            " ".join(filter(None, (metric.name, _metric_signature(metric)))) for metric in metrics
        ),
        *analysis.options.signature(exchanged, analysis.settings.family_size, counts.lower),
        f"data {'+'.join(dict.fromkeys(digest(each.counts) for each in analyses))}",
    ]
    return " | ".join(parts)
