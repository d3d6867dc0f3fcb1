"""`compare`: the tests, intervals, groups and warnings of all pairs, from counts to the record."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis, families, make_analyses
from tellapart.comparison.answers import answers
from tellapart.comparison.boards import MOST_WHOLE, as_shown, remarkable, shown_pairs
from tellapart.comparison.columns import Columns, joined
from tellapart.comparison.costs import cost_names, find_costs, with_costs
from tellapart.comparison.notices import board_notice, find_notices
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.pairs import (
    Adjusted,
    ItemsWon,
    adjusted_p_values,
    tested_pairs,
    with_diagnostics,
    with_intervals,
    with_margins,
)
from tellapart.comparison.ranking import rank_sets, two_metrics
from tellapart.comparison.record import (
    Clusters,
    ComparedMetric,
    Comparison,
    Family,
    Items,
    SystemResult,
)
from tellapart.comparison.slices import check_labels, labels_to_slice, slices
from tellapart.comparison.suites import suite_tables
from tellapart.counts import Counts, errors
from tellapart.counts.ordering import digest
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
from tellapart.significance.dispatch import Execution, run
from tellapart.significance.groups import groups as find_groups
from tellapart.significance.groups import letters as find_letters
from tellapart.significance.influence import decisions_without_one
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import Estimator
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
    runs: str = "vary",
    baseline: str | None = None,
    cluster: str | None = None,
    min_confidence: float | None = None,
    margin: float | None = None,
    cost: str | Sequence[str] | None = None,
    intervals: bool | str = True,
    by: str | Sequence[str] | None = None,
    lower_is_better: bool | str | Sequence[str] = False,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Return which of the systems differ, by which metrics, and how sure that is.

    The keywords are the options of the command line, and the result does not depend on the last
    two.

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
    - `correction`: for many pairs of a metric: ``holm``, ``none``, ``tukey``, …
    - `runs`: ``vary`` if several runs speak for their system, whose runs could be others;
      ``fixed`` if the question is about these very runs
    - `baseline`: the only system that others are compared with
    - `cluster`: the label whose items are exchanged together, such as the document
    - `min_confidence`: call a pair different only if the exact test would, this surely
    - `margin`: a difference that would not matter; the answer is then about that
    - `cost`: values that systems spend, which stand in `costs` beside how well they do
    - `intervals`: whether there are any, or by which method
    - `by`: labels on whose values all pairs are compared once more, in `slices`
    - `lower_is_better`: the ready values that count errors, or true where all of them do
    - `workers`: threads; by default one for each core
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
    counts = _as_counts(counts)
    if lower:
        counts = errors(counts, lower)
    return compare_with(options, counts, metrics, progress)


def _as_counts(data: Any) -> Counts:
    """Return counts as they are, and what is read from anything else."""
    return data if isinstance(data, Counts) else cast(Counts, registered("read")(data))


def compare_with(
    options: Options,
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Return the comparison that a record of options asks for.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> compare_with(Options(tail="greater"), counts).pair("A", "B").p
    0.015625
    """
    counts = _as_counts(counts)
    kinds = str | Ratio | Function | ItemFunction
    metrics = one_or_several(metrics, kinds, "metrics", "metric") or None
    if not callable(progress):
        raise UsageError(f"progress is a function, not {progress!r}")

    def compared(
        options: Options, counts: Counts, metrics: Sequence[str | Metric] | None
    ) -> Comparison:
        return _compare_items(options, counts, metrics, progress)

    if counts.judgments is not None:
        from tellapart.comparison.preferences import compare_preferences

        return compare_preferences(compared, options, counts, metrics)
    return compared(options, counts, metrics)


def _compare_items(
    options: Options,
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    progress: Progress,
) -> Comparison:
    """Return the comparison of item scores or of counts, by all metrics."""
    if options.cost:
        counts, metrics = with_costs(counts, metrics, options.cost)
    with open_pool(options.workers) as pool:
        analyses = make_analyses(counts, metrics, options, Execution(pool, progress))
        for each in analyses:
            check_labels(each, options.by)
        outcomes = [run(e.projection, e.questions, e.settings, e.execution) for e in analyses]
        adjusted = adjusted_p_values(analyses, outcomes)
        found = [_compare(*each) for each in zip(analyses, outcomes, adjusted, strict=True)]
    result = _together(found, _names(counts, metrics)) if len(found) > 1 else found[0]
    names = cost_names(options.cost, [b.metric for a in analyses for b in a.projection.metrics])
    result = replace(result, metrics=_marked(result.metrics, names))
    return replace(result, costs=find_costs(result), answers=answers(as_shown(result)))


def _names(counts: Counts, metrics: Sequence[str | Metric] | None) -> list[str]:
    return [each.name for each in metrics_of(with_passes(counts, metrics), metrics)]


def _marked(
    metrics: Mapping[str, ComparedMetric], costs: Collection[str]
) -> dict[str, ComparedMetric]:
    return {name: replace(each, cost=name in costs) for name, each in metrics.items()}


def _together(found: Sequence[Comparison], metrics: Sequence[str]) -> Comparison:
    """Return comparisons by metrics of different items as one, `metrics` in their order."""
    of = {name: each for each in found for name in each.metrics}
    pairs = _of_metrics({name: of[name].pairs for name in metrics})
    return replace(
        of[metrics[0]],
        signature=_signature([each.evidence[0] for each in found]),
        systems=tuple(_joined(each) for each in zip(*(one.systems for one in found), strict=True)),
        pairs=pairs,
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


def _of_metrics(pairs: Mapping[str, Sequence[PairResult]]) -> Sequence[PairResult]:
    """Return the pairs of several comparisons by metric, in columns where they are so in one."""
    if not any(isinstance(some, Columns) for some in pairs.values()):
        return tuple(p for name, some in pairs.items() for p in some if p.metric == name)
    parts = []
    for name, some in pairs.items():
        table = some if isinstance(some, Columns) else Columns.of(PairResult, some)
        parts.append(table.take(np.flatnonzero(table.column("metric") == name)))
    return joined(parts)


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


def _compare(analysis: Analysis, outcomes: Sequence[Outcome], adjusted: Adjusted) -> Comparison:
    options = analysis.options
    estimator = Estimator(
        analysis.projection, options.interval_method, analysis.settings, analysis.execution
    )
    tested = tested_pairs(analysis, outcomes, adjusted, ItemsWon.of(analysis))
    in_columns = len(tested) > MOST_WHOLE
    groups, letters, capped = _grouped(analysis, tested)
    size = analysis.settings.family_size
    metrics = [bound.metric for bound in analysis.projection.metrics]
    units = _items(analysis)
    result = Comparison(
        tellapart=_version(),
        signature=_signature([analysis]),
        alpha=options.alpha,
        correction=options.correction,
        seed=options.seed,
        units=units,
        systems=_systems(analysis, estimator),
        pairs=tested if in_columns else tuple(tested),
        groups=groups,
        letters=letters,
        warnings=(),
        test=options.test,
        tail=options.tail,
        metrics={
            metric.name: _compared_metric(metric, units, analysis.counts) for metric in metrics
        },
        family=_compared_family(options, size),
        baseline=options.baseline,
        margin=options.margin,
        min_confidence=options.min_confidence,
        interval_level=1 - options.alpha if options.intervals else None,
        runs=analysis.settings.runs,
        slices=slices(analysis, labels_to_slice(analysis)),
        suite=suite_tables(analysis),
        ranks=_ranked(analysis, tested),
        two_metrics=two_metrics(tested, [m.name for m in metrics])
        if options.tail == "two"
        else None,
        # The pool of workers goes home with this call.
        evidence=(replace(analysis, execution=Execution(WorkerPool(), no_progress)),),
    )
    shown = np.array(shown_pairs(result), np.int64)
    pairs = tested
    if options.margin is not None:  # which has intervals of its own
        pairs = with_margins(pairs, _margins(analysis))
    elif options.intervals:
        numbers = shown if in_columns else np.arange(len(pairs))
        errors = adjusted.interval_error[numbers].tolist()
        estimates = estimator.pairs(analysis.questions.take(numbers), errors)
        intervals = {k: e.interval for k, e in zip(numbers.tolist(), estimates, strict=True)}
        pairs = with_intervals(pairs, analysis, outcomes, intervals, adjusted.simultaneous)
    pairs = _with_diagnostics(analysis, pairs, outcomes, adjusted, shown)
    warned = np.arange(len(pairs))
    if in_columns:
        found = remarkable(pairs, options.alpha, len(metrics))
        warned = np.union1d(shown, found)
    of_notices = [p if p.tail == options.tail else p.mirrored() for p in pairs.take(warned)]
    warnings = find_notices(
        analysis.projection, of_notices, options, capped, size, analysis.settings.runs
    )
    if in_columns:
        warnings = (*warnings, board_notice(len(pairs), len(shown), bool(options.intervals)))
    return replace(result, pairs=pairs if in_columns else tuple(pairs), warnings=warnings)


def _with_diagnostics(
    analysis: Analysis,
    pairs: Columns[PairResult],
    outcomes: Sequence[Outcome],
    adjusted: Adjusted,
    shown: NDArray[np.int64],
) -> Columns[PairResult]:
    """Return pairs with the diagnostics of those that are shown."""
    own = [outcomes[k] for k in shown]
    questions, levels = analysis.questions.take(shown), adjusted.level[shown].tolist()
    changes = decisions_without_one(
        analysis.projection, questions, own, levels, analysis.settings, analysis.execution
    )
    return with_diagnostics(pairs, analysis, shown, own, changes)


def _margins(analysis: Analysis) -> Sequence[MarginDecision | None]:
    """Return what is shown of each pair and the margin."""
    return decide_margins(
        analysis.projection, analysis.questions, families(analysis), analysis.settings
    )


def _systems(analysis: Analysis, estimator: Estimator) -> tuple[SystemResult, ...]:
    """Return the systems with their scores and intervals."""
    projection, options = analysis.projection, analysis.options
    intervals: list[dict[str, Interval]] = [{} for _ in analysis.counts.names]
    if options.intervals:
        intervals = estimator.systems(1 - options.alpha)
    systems = []
    for k, name in enumerate(analysis.counts.names):
        scores = {bound.metric.name: projection.score(bound, k) for bound in projection.metrics}
        systems.append(
            SystemResult(
                name,
                {metric: float(score) for metric, score in scores.items()},
                {metric: interval.ends for metric, interval in intervals[k].items()},
                {metric: str(s) for metric, s in scores.items() if isinstance(s, Fraction)},
                {metric: interval.method for metric, interval in intervals[k].items()},
                dict(analysis.counts.regions.get(name, {})),
            )
        )
    return tuple(systems)


def _grouped(
    analysis: Analysis, pairs: Columns[PairResult]
) -> tuple[dict[str, list[list[str]]], dict[str, dict[str, str]], list[str]]:
    """Return the groups and letters of each metric; none where not all pairs were compared."""
    groups: dict[str, list[list[str]]] = {}
    letters: dict[str, dict[str, str]] = {}
    capped: list[str] = []
    if not _all_pairs(analysis):
        return groups, letters, capped
    questions, different = analysis.questions, pairs.column("different")
    for k, bound in enumerate(questions.bounds):
        name = bound.metric.name
        own = different & (questions.metric == k)
        apart = np.zeros((len(analysis.counts.names),) * 2, np.bool_)
        apart[questions.a[own], questions.b[own]] = True
        scores = {
            system: float(analysis.projection.score(bound, place))
            for place, system in enumerate(analysis.counts.names)
        }
        found = find_groups(scores, apart | apart.T, bound.metric.higher_is_better)
        groups[name] = [list(group) for group in found.groups]
        letters[name] = find_letters(found)
        if found.stretches:
            capped.append(name)
    return groups, letters, capped


def _all_pairs(analysis: Analysis) -> bool:
    """Return whether every pair was asked about, both ways."""
    options = analysis.options
    # A one-sided test does not say that two systems do not differ.
    return options.tail == "two" and (options.baseline is None or len(analysis.counts.names) == 2)


def _ranked(
    analysis: Analysis, pairs: Columns[PairResult]
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the places of three or more systems; none where not all pairs were compared."""
    names = analysis.counts.names
    if len(names) < 3 or not _all_pairs(analysis):
        return {}
    return {
        bound.metric.name: rank_sets(
            names, pairs.take(np.flatnonzero(analysis.questions.metric == k))
        )
        for k, bound in enumerate(analysis.questions.bounds)
    }


def _compared_family(options: Options, size: int) -> Family:
    """Return what the record says of so many tests of a family."""
    return Family(
        size,
        experimentwise_error(options.alpha, size),
        per_comparison_level(options.alpha, size),
    )


def _compared_metric(metric: Metric, units: Items, counts: Counts) -> ComparedMetric:
    """Return what the record says of a metric."""
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


@cache
def _version() -> str:
    """Return our version, for which Python reads a file and parses it as if it were mail."""
    return importlib.metadata.version("tellapart")


def _signature(analyses: Sequence[Analysis]) -> str:
    """Return everything that a number depends on, in one line."""
    analysis, counts = analyses[0], analyses[0].counts
    metrics = [bound.metric for each in analyses for bound in each.projection.metrics]
    exchanged = counts.kind if counts.cluster is None else counts.cluster
    parts = [
        f"tellapart {_version()}",
        "+".join(
            " ".join(filter(None, (metric.name, _metric_signature(metric)))) for metric in metrics
        ),
        *analysis.options.signature(exchanged, analysis.settings.family_size, counts.lower),
        f"data {'+'.join(dict.fromkeys(digest(each.counts) for each in analyses))}",
    ]
    return " | ".join(parts)
