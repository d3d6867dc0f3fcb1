"""`compare`: scores, tests, correction, intervals, diagnostics, notices, answers, record.

Each step is a function of the ones before. Two questions run the first steps again, on other
scores: what a judge alone would say, and what missing items could change.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from tellapart.comparison.answers import (
    answer,
    grouped,
    rank_sets,
    two_metrics,
    waited_for,
)
from tellapart.comparison.diagnostics import diagnose, items_to_settle
from tellapart.comparison.notices import find_notices
from tellapart.comparison.options import Options
from tellapart.comparison.record import (
    Answer,
    Comparison,
    Diagnostics,
    Items,
    MetricInfo,
    Pair,
    Slice,
    SuiteTable,
    System,
    decimals_for,
    version,
)
from tellapart.comparison.scored import (
    Decided,
    Intervals,
    Scored,
    Tested,
    check_scales,
    decide,
    make_tests,
    pair_intervals,
    score_metrics,
    spread_of,
    with_runs,
)
from tellapart.comparison.testing import (
    DETAILED_SYSTEMS,
    Pairs,
    Work,
    near_best,
    pairs_to_test,
)
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.counts.ordering import digest
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.scores import direction_of
from tellapart.stats.corrections import (
    confidences,
    is_settled,
    p_intervals,
)
from tellapart.stats.result import Interval
from tellapart.stats.streams import open_pool

if TYPE_CHECKING:
    from tellapart.comparison.margins import MarginDecision
    from tellapart.comparison.missing import Completions

_NO_FIGURES = Diagnostics()
_OF_OPTIONS = (
    "test", "tail", "alpha", "correction", "seed", "baseline", "margin", "at_least", "cannot_tell",
    "min_confidence",
)  # fmt: skip
"""What the record says as it was asked"""
_OF_TEST = ("p", "method", "exceedances", "arrangements", "error", "statistic", "df", "reason")
"""What a pair says as its test does"""


def compare(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    progress: Progress = no_progress,
) -> tuple[Comparison, tuple[Scored, ...]]:
    """Return the comparison of systems by some metrics, and the scores that it rests on."""
    scored = score(counts, metrics, options)
    check_scales(scored)
    pairs, parts, intervals = list[Pair](), list[Slice](), list[dict[int, Interval]]()
    open_items: dict[str, Completions] = {}
    with open_pool(options.workers) as pool:
        work = Work(pool, progress)
        for one in scored:
            maker = one.intervals(work)
            intervals.append(score_intervals(one, maker) if one.has_intervals else {})
            if len(one.scores.systems) < 2:
                continue
            tested = make_tests(one, pairs_to_test(one.scores, options), work)
            made = pair_records(one, tested, decide(one, tested, work), maker)
            pairs += made
            if one.incomplete is not None:
                from tellapart.comparison.missing import completions  # only where it is asked for

                open_items[one.scores.name] = completions(one, tested, made, work)
            parts += _slices(one, tested.pairs, work)
    info = {one.scores.name: metric_info(one) for one in scored}
    extras = scored[0].extras(compare)
    facts = Comparison(
        tellapart=version(),
        signature=_signature(scored, options),
        **{name: getattr(options, name) for name in _OF_OPTIONS},
        family_size=scored[0].family_size,
        items=info[scored[0].scores.name].items,
        metrics=info,
        systems=system_records(scored, intervals),
        pairs=tuple(pairs),
        confidence_level=1 - options.alpha if options.intervals else None,
        runs=scored[0].runs,
        slices=tuple(parts),
        suite=_suite_tables(scored),
        two_metrics=two_metrics(pairs, list(info)) if options.tail == "two" else None,
        preferences=extras.preferences,
        judged=extras.judged,
    )
    facts = replace(facts, metrics={name: _written(facts, name) for name in info})
    missing = (notice for own in open_items.values() for notice in own.notices())
    notices = *missing, *find_notices(facts, scored), *extras.notices
    facts = replace(facts, **grouped(facts), ranks=rank_sets(facts), notices=notices)
    answers = {
        one.scores.name: _answer(facts, one, open_items.get(one.scores.name)) for one in scored
    }
    return replace(facts, answers=answers), scored


def score(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return the scores by each metric, by what fits the data."""
    if counts.people is not None:
        from tellapart.comparison.judged import score_judged

        return score_judged(counts, metrics, options)
    if counts.judgments is not None:
        from tellapart.comparison.preferences import score_preferences

        return score_preferences(counts, metrics, options)
    return score_metrics(counts, metrics, options)


def _answer(record: Comparison, one: Scored, open_items: Completions | None) -> Answer:
    """Return the answer by one metric, and about how many more items would settle it.

    Where items are missing, it says whether it holds whatever they scored.
    """
    told = answer(record, one.scores.name)
    if open_items is not None:
        told = replace(told, conditions=(*told.conditions, open_items.condition(record, told)))
    pair = waited_for(record, one.scores.name, told)
    if pair is None or not one.of_items:
        return told
    level = record.alpha if told.question == "best" else one.strict_level
    return replace(told, more_items=items_to_settle(one, pair, level))


def _detailed(scored: Scored, pairs: Pairs) -> Collection[int]:
    """Return the pairs that have diagnostics: all, or those of the best and of neighbours."""
    if len(scored.scores.systems) <= DETAILED_SYSTEMS or scored.options.baseline is not None:
        return range(len(pairs))
    return np.flatnonzero(near_best(scored.scores, pairs.a, pairs.b, DETAILED_SYSTEMS)).tolist()


def pair_records(scored: Scored, tested: Tested, decided: Decided, maker: Intervals) -> list[Pair]:
    """Return the records of all pairs of one metric."""
    scores, options, pairs = scored.scores, scored.options, tested.pairs
    won, lost, tied, differing = (each.tolist() for each in scored.items_won(pairs))
    if scores.n < scored.unclustered.n:  # clusters
        differing = [scores.differing(a, b) for a, b, _ in pairs]
    adjusted, levels = decided.p_adjusted.tolist(), decided.levels.tolist()
    different: list[bool] = decided.different.tolist()
    made: list[MarginDecision] = [(None, {})] * len(pairs)
    confidence_level = 1 - options.alpha
    if options.margin is not None:
        from tellapart.comparison.margins import decide_margins

        made = decide_margins(scored, tested)
        confidence_level = 1 - 2 * scored.strict_level
    elif options.intervals:
        made = [(own, {}) for own in pair_intervals(scored, tested, decided.error, maker)]
    differences: list[float] = scores.differences(pairs.a, pairs.b).tolist()
    figures = diagnose(scored, tested, differences, _detailed(scored, pairs))
    names, higher = scores.systems, scores.metric.higher_is_better
    sure = confidences(tested.tests, np.full(len(pairs), options.alpha))
    p_ends = p_intervals(tested.tests)
    records = []
    for k, (a, b, sign) in enumerate(pairs):
        test, (interval, fields), lean = tested.tests[k], made[k], differences[k]
        if options.test in ("sign", "wilcoxon") and test.statistic is not None:
            lean = test.statistic  # signs and ranks may speak against the difference
        drawn = test.n_resamples is not None and test.exceedances is not None
        records.append(
            Pair(
                a=names[a],
                b=names[b],
                metric=scores.name,
                difference=differences[k],
                **{name: getattr(test, name) for name in _OF_TEST},
                p_adjusted=None if test.p is None else adjusted[k],
                different=different[k],
                favours=None if lean == 0 else names[a if (lean > 0) == higher else b],
                level=levels[k],
                sign=sign if higher else -sign,
                shuffles=test.n_resamples,
                settled=is_settled(test, levels[k], p_ends.get(k)),
                sequential=drawn and test.settled is not None,
                confidence=sure[k],
                p_interval=p_ends.get(k),
                interval=None if interval is None else interval.ends,
                interval_method=None if interval is None else interval.method,
                interval_level=None if interval is None else confidence_level,
                simultaneous=decided.simultaneous and options.margin is None,
                differing=differing[k],
                items_a_better=won[k],
                items_b_better=lost[k],
                items_tied=tied[k],
                spread=tested.spreads[k],
                diagnostics=figures.get(k, _NO_FIGURES),
                **fields,
            )
        )
    return records


def score_intervals(scored: Scored, maker: Intervals) -> dict[int, Interval]:
    """Return the intervals of systems' scores, for runs that could be others where they vary."""
    scores, level, found = scored.scores, 1 - scored.options.alpha, {}
    vary = scored.runs is not None and scored.runs.vary
    for k in range(len(scores.systems)):
        interval = maker.system(k, level)
        if interval is not None:
            spread = spread_of(scores, k) if vary else None
            found[k] = with_runs(scores, interval, spread, level, least=0.0)
    return found


def system_records(
    scored: Sequence[Scored], intervals: Sequence[dict[int, Interval]]
) -> tuple[System, ...]:
    """Return every system's scores and intervals."""
    counts, systems = scored[0].unclustered.counts, []
    for k, name in enumerate(counts.names):
        scores = {one.scores.name: one.scores.exact_score(k) for one in scored}
        known = {m: own[k] for m, own in zip(scores, intervals, strict=True) if k in own}
        systems.append(
            System(
                name,
                {metric: float(score) for metric, score in scores.items()},
                {metric: interval.ends for metric, interval in known.items()},
                {metric: interval.method for metric, interval in known.items()},
                {m: str(score) for m, score in scores.items() if isinstance(score, Fraction)},
                dict(counts.regions.get(name, {})),
            )
        )
    return tuple(systems)


def _slices(scored: Scored, pairs: Pairs, work: Work) -> list[Slice]:
    """Return the pairs on parts of the items, where any are asked for or there are tasks."""
    if not scored.options.by and scored.labelled.suite is None:
        return []
    from tellapart.comparison.slices import labels_to_slice, slices

    return slices(scored, pairs, labels_to_slice(scored.labelled, scored.options), work)


def _suite_tables(scored: Sequence[Scored]) -> dict[str, SuiteTable]:
    """Return the table of tasks by each metric, where there are tasks."""
    if scored[0].unclustered.counts.suite is None:
        return {}
    from tellapart.comparison.slices import suite_table

    tables = {one.scores.name: suite_table(one.unclustered) for one in scored}
    return {name: table for name, table in tables.items() if table is not None}


def _written(record: Comparison, metric: str) -> MetricInfo:
    """Return a metric with the decimals that its intervals take, or without any its differences."""
    pairs = record.pairs_of(metric)
    known = [(pair.difference, pair.interval or ()) for pair in pairs]
    known += [(own.scores[metric], own.intervals.get(metric, ())) for own in record.systems]
    widths = [math.fsum(abs(end - at) for end in ends if end is not None) for at, ends in known]
    if not any(widths) and pairs:
        widths = [max(abs(pair.difference) for pair in pairs)]
    return replace(record.metrics[metric], decimals=decimals_for(widths))


def metric_info(scored: Scored) -> MetricInfo:
    """Return what the record says of a metric."""
    metric, counts = scored.scores.metric, scored.scores.counts
    if isinstance(metric, Ratio):
        mean = "weighted mean" if metric.weighted else "mean"
        kind = mean if metric.is_weighted_mean else "ratio"
    else:
        kind = "function of sums"
    single = scored.unclustered.counts
    count = int((single.sizes if single.times is None else single.sizes * single.times).sum())
    clusters = None if counts.cluster is None else scored.scores.n
    present = single.present
    own = None if present is None or (present.sum(axis=0) > 1).any() else present.sum(axis=1)
    apart = None if own is None or len(own) < 2 else tuple(own.tolist())
    items = Items(count, counts.kind, counts.cluster, clusters, apart)
    signature = getattr(metric, "signature", None)
    direction = direction_of(metric, counts)
    return MetricInfo(metric.higher_is_better, kind, items, signature, direction, scored.cost)


def _signature(scored: Sequence[Scored], options: Options) -> str:
    """Return everything that a number depends on, in one line."""
    counts = scored[0].scores.counts
    metrics = (each.scores.metric for each in scored)
    names = [
        " ".join(filter(None, ("+".join(metric.name for metric in alike), said)))
        for said, alike in groupby(metrics, lambda metric: getattr(metric, "signature", None))
    ]
    data = dict.fromkeys(digest(each.unclustered.counts) for each in scored)
    parts = [
        f"tellapart {version()}",
        "+".join(names),
        *options.signature(counts.cluster or counts.kind, scored[0].family_size, counts.lower),
        f"data {'+'.join(data)}",
    ]
    return " | ".join(parts)
