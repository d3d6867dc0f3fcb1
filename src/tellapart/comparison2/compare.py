"""`compare`: scores, tests, correction, intervals, diagnostics, notices, answers, record.

Each step is a function of the ones before; none goes back.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from tellapart.comparison2.answers import answer
from tellapart.comparison2.costs import cost_names, find_costs, mark_costs
from tellapart.comparison2.diagnostics import diagnose
from tellapart.comparison2.intervals import Intervals, deciding
from tellapart.comparison2.joint import joint_adjusted
from tellapart.comparison2.margins import decide_margins
from tellapart.comparison2.notices import find_notices
from tellapart.comparison2.options import Options
from tellapart.comparison2.ranking import grouped, rank_sets, two_metrics
from tellapart.comparison2.record import (
    Clusters,
    Comparison,
    Items,
    MarginDecision,
    MetricInfo,
    Pair,
    RunsInfo,
    System,
)
from tellapart.comparison2.replicates import runs_info, spread_of_pair, spread_of_system
from tellapart.comparison2.slices import slices
from tellapart.comparison2.suites import suite_table
from tellapart.comparison2.test_names import JOINT
from tellapart.comparison2.tests import SHUFFLES, Pairs, Work, run_tests
from tellapart.counts import Counts
from tellapart.counts.ordering import digest, in_order
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.passes import with_passes
from tellapart.metrics.scores import RatioScores, Scores, direction_of, metrics_of, score_counts
from tellapart.progress import Progress, no_progress
from tellapart.stats.confidence import confidence, p_interval
from tellapart.stats.corrections import adjust, implied_levels, simultaneous_error
from tellapart.stats.result import Flags, Floats, Interval, Test
from tellapart.stats.runs import Spread
from tellapart.stats.workers import open_pool
from tellapart.words import nearest, plural

MOST_SYSTEMS = 200
"""Up to so many systems, all pairs are tested; of more, the best with each, and neighbours"""
DETAILED_SYSTEMS = 30
"""Up to so many systems, every pair has diagnostics; of more, those of the best and neighbours"""


@dataclass(frozen=True, slots=True)
class Scored:
    """One metric of a comparison: its scores, with clusters summed, and those of single items."""

    scores: Scores
    items: Scores
    """Of the single items; the same where there are no clusters"""
    options: Options
    """Those of the comparison; a cost has no margin"""


@dataclass(frozen=True, slots=True)
class Tested:
    """The tests of one metric, corrected: arrays over its pairs."""

    pairs: Pairs
    tests: list[Test]
    these_runs: list[Test]
    """The tests of these items and runs alone"""
    spreads: list[Spread | None]
    p: Floats  # NaN where a test is undefined
    p_adjusted: Floats
    levels: Floats
    """What each p is compared with, given those of the others"""
    interval_error: Floats
    """How often each interval may miss"""
    simultaneous: bool
    """Whether all intervals hold at once"""
    different: Flags


def compare_counts(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    progress: Progress = no_progress,
) -> tuple[Comparison, tuple[Scored, ...]]:
    """Return the comparison of systems by all metrics, and the scores that it rests on."""
    with open_pool(options.workers) as pool:
        work = Work(pool, progress)
        scored = score_metrics(counts, metrics, options)
        runs = runs_info(counts, options)
        tested = [run_and_correct(each, runs, work) for each in scored]
        pairs = [
            pair
            for each, found in zip(scored, tested, strict=True)
            for pair in pair_records(each, found, work)
        ]
        systems = system_records(counts, scored, runs, work)
        parts = tuple(part for each in scored for part in slices(each, work))
    info = {each.scores.name: metric_info(each) for each in scored}
    record = Comparison(
        tellapart=_version(),
        signature=_signature(scored, len(tested[0].pairs)),
        test=options.test,
        tail=options.tail,
        alpha=options.alpha,
        correction=options.correction,
        seed=options.seed,
        family_size=family_size(scored[0]),
        items=info[scored[0].scores.name].items,
        metrics=info,
        systems=systems,
        pairs=tuple(pairs),
        groups={},
        baseline=options.baseline,
        margin=options.margin,
        min_confidence=options.min_confidence,
        confidence_level=1 - options.alpha if options.intervals else None,
        runs=runs,
        slices=parts,
        suite={
            each.scores.name: table
            for each in scored
            if (table := suite_table(each.items)) is not None
        },
        two_metrics=two_metrics(pairs, list(info)) if options.tail == "two" else None,
    )
    record = replace(record, **grouped(record), ranks=rank_sets(record))
    record = replace(record, costs=find_costs(record, scored))
    record = replace(record, notices=find_notices(record, scored, tested))
    return replace(record, answers={name: answer(record, name) for name in info}), scored


def score_metrics(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return the scores by each metric, with items in order and clusters summed."""
    if options.cost:
        counts, metrics = mark_costs(counts, metrics, options.cost)
    # Random numbers go by position: rows that are matched by id are put in the order of the ids.
    counts = with_passes(in_order(counts), metrics)
    known = metrics_of(counts, metrics)
    _check(counts, known, options)
    costs = cost_names(options.cost, known)
    scored = []
    for metric in known:
        own = counts.with_values(metric.columns)
        if own.present is not None and options.test != "unpaired":
            raise UsageError(
                f"the systems do not have the same {plural(counts.kind)}: use --test unpaired, or "
                "drop those that not all have"
            )
        items = score_counts(own, metric)
        scores = items if options.cluster is None else score_counts(own.by(options.cluster), metric)
        spent = metric.name in costs and len(costs) < len(known)
        chosen = replace(options, margin=None) if spent else options
        scored.append(Scored(scores, items, chosen))
    return tuple(scored)


def _check(counts: Counts, metrics: Sequence[Metric], options: Options) -> None:
    """Refuse what cannot be compared, in one sentence."""
    names = [metric.name for metric in metrics]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"metric {min(twice)!r} was asked for twice")
    if len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: a comparison needs two or more"
        )
    if options.baseline is not None and options.baseline not in counts.names:
        raise UsageError(
            f"there is no system {options.baseline!r} to be the baseline; "
            f"{nearest(options.baseline, counts.names)}"
        )
    if options.baseline is None and len(counts.names) > MOST_SYSTEMS and options.tail != "two":
        raise UsageError(
            f"{len(counts.names):,} systems make too many one-sided claims: name with --baseline "
            "the one that the others are held against"
        )


def pairs_to_test(scores: Scores, options: Options) -> Pairs:
    """Return all pairs of up to 200 systems; of more, the best with each, and neighbours in rank.

    With a baseline: every other system with it. Systems of a pair stand in the order given.
    """
    names = scores.systems
    if options.baseline is not None:
        base = names.index(options.baseline)
        others = np.delete(np.arange(len(names)), base)
        a, b = np.minimum(others, base), np.maximum(others, base)
        claims = np.where(a == base, -options.sign, options.sign)
    elif len(names) <= MOST_SYSTEMS:
        a, b = np.triu_indices(len(names), 1)
        claims = np.full(len(a), options.sign)
    else:
        order = np.argsort(-scores.values if scores.metric.higher_is_better else scores.values,
                           kind="stable").tolist()  # fmt: skip
        near = {(order[0], other) for other in order[1:]} | set(pairwise(order))
        a, b = np.array(sorted((min(pair), max(pair)) for pair in near)).T
        claims = np.zeros(len(a), np.int64)
    signs = claims if scores.metric.higher_is_better else -claims
    return Pairs(a.astype(np.int64), b.astype(np.int64), signs.astype(np.int64))


def family_size(scored: Scored) -> int:
    """Return how many tests count together: all pairs, also where not all of them are made."""
    systems = len(scored.scores.systems)
    return systems - 1 if scored.options.baseline is not None else systems * (systems - 1) // 2


def run_and_correct(scored: Scored, runs: RunsInfo | None, work: Work) -> Tested:
    """Return the tests of one metric, corrected for all of its pairs."""
    scores, options = scored.scores, scored.options
    pairs, size = pairs_to_test(scores, options), family_size(scored)
    these = run_tests(scores, pairs, options, size, work)
    spreads: list[Spread | None] = [None] * len(pairs)
    tests = these
    if runs is not None and runs.vary:
        spreads = [spread_of_pair(scores, a, b) for a, b, _ in pairs]
        tests = [
            test if spread is None or test.p is None else _with_spread(test, spread, sign)
            for test, spread, (_, _, sign) in zip(these, spreads, pairs, strict=True)
        ]
    p = np.array([np.nan if test.p is None else test.p for test in tests])
    filled = np.where(np.isnan(p), 1.0, p)  # a test that is undefined counts, with p = 1
    untested = np.ones(size - len(pairs))
    everything = np.concatenate([filled, untested])
    if options.correction in JOINT:
        joint = joint_adjusted(scores, pairs, options, options.shuffles or SHUFFLES, work)
        # The raw p may be exact, and above what the shuffles give.
        adjusted = np.maximum(joint.p, filled)
        levels = np.where(joint.p < 1, options.alpha * filled / joint.p, options.alpha / size)
        levels, error = np.minimum(levels, options.alpha), joint.error
    else:
        adjusted = adjust(everything, options.correction)[: len(pairs)]
        levels = implied_levels(everything, options.correction, options.alpha)[: len(pairs)]
        error = simultaneous_error(options.correction, options.alpha, size)
    simultaneous = error is not None and size > 1
    errors = np.full(len(pairs), options.alpha if error is None else error)
    adjusted = np.where(np.isnan(p), np.nan, adjusted)
    different = adjusted <= options.alpha
    if options.min_confidence is not None:
        sure = [_decision_confidence(*both) for both in zip(tests, levels.tolist(), strict=True)]
        different &= np.array(sure) >= options.min_confidence
    return Tested(
        pairs, tests, these, spreads, p, adjusted, levels, errors, simultaneous, different
    )


def _with_spread(test: Test, spread: Spread, sign: int) -> Test:
    """Return the test of systems whose runs could be others, from that of these runs alone.

    What other runs would give is never surer than what these gave.
    """
    assert test.p is not None
    p = max(spread.p(sign), test.p)
    statistic = spread.difference / spread.error if spread.error else None
    return Test(p, "runs", statistic=statistic, df=spread.df)


def _decision_confidence(test: Test, level: float) -> float:
    """Return how sure it is that the exact test rejects at a level."""
    if test.p is None:
        return 0.0
    if test.n_resamples is None or test.exceedances is None:
        return float(test.p <= level) if test.exact else 0.0
    return float(confidence(test.exceedances, test.n_resamples, level))


def pair_records(scored: Scored, tested: Tested, work: Work) -> list[Pair]:
    """Return the records of all pairs of one metric."""
    scores, options, pairs = scored.scores, scored.options, tested.pairs
    wins = items_won(scored.items, pairs)
    decided: list[tuple[MarginDecision, Interval | None, float | None] | None]
    decided = [None] * len(pairs)
    intervals: list[Interval | None] = [None] * len(pairs)
    if options.margin is not None:
        decided = decide_margins(scores, pairs, tested.spreads, options)
    elif options.intervals:
        intervals = _intervals(scored, tested, work)
    figures = diagnose(scored, tested, _detailed(scores, pairs, options))
    names, higher = scores.systems, scores.metric.higher_is_better
    records = []
    for k, (a, b, sign) in enumerate(pairs):
        test, margin = tested.tests[k], decided[k]
        interval = intervals[k] if margin is None else margin[1]
        level = 1 - options.alpha if margin is None else margin[2]
        leaning = _leaning(test, float(scores.values[a] - scores.values[b]))
        favoured = None if leaning == 0 else names[a if (leaning > 0) == higher else b]
        drawn = test.n_resamples is not None and test.exceedances is not None
        records.append(
            Pair(
                a=names[a],
                b=names[b],
                metric=scores.name,
                difference=_difference(scores, a, b),
                p=test.p,
                p_adjusted=None if test.p is None else float(tested.p_adjusted[k]),
                different=bool(tested.different[k]),
                favours=favoured,
                level=float(tested.levels[k]),
                sign=sign if higher else -sign,
                method=test.method,
                shuffles=test.n_resamples,
                exceedances=test.exceedances,
                arrangements=test.arrangements,
                error=test.error,
                settled=_settled(test, float(tested.levels[k])),
                statistic=test.statistic,
                df=test.df,
                reason=test.reason,
                confidence=_confidence(test, options.alpha),
                p_interval=_p_interval(test) if drawn else None,
                interval=None if interval is None else interval.ends,
                interval_method=None if interval is None else interval.method,
                interval_level=None if interval is None else level,
                simultaneous=tested.simultaneous and margin is None,
                differing=int(wins[3][k]),
                items_a_better=int(wins[0][k]),
                items_b_better=int(wins[1][k]),
                items_tied=int(wins[2][k]),
                margin=None if margin is None else margin[0],
                spread=tested.spreads[k],
                p_these_runs=None if tested.spreads[k] is None else tested.these_runs[k].p,
                diagnostics=figures[k],
            )
        )
    return records


def _difference(scores: Scores, a: int, b: int) -> float:
    """Return first minus second, rounded once where scores are fractions."""
    first, second = scores.exact_score(a), scores.exact_score(b)
    return float(first - second)


def _leaning(test: Test, difference: float) -> float:
    """Return which way a test speaks: signs and ranks may speak against the difference."""
    by_ranks = test.method in ("sign", "wilcoxon") and test.statistic is not None
    return float(test.statistic or 0.0) if by_ranks else difference


def _confidence(test: Test, alpha: float) -> float | None:
    """Return the confidence that the exact test rejects at alpha; None where it is not known."""
    if test.p is None:
        return None
    if test.n_resamples is not None and test.exceedances is not None:
        if test.method != "shuffles":
            return None
        return float(confidence(test.exceedances, test.n_resamples, alpha))
    if not test.exact or test.p - test.error <= alpha < test.p:
        return None
    return float(test.p <= alpha)


def _p_interval(test: Test) -> tuple[float, float] | None:
    if test.method != "shuffles" or test.exceedances is None or test.n_resamples is None:
        return None
    low, high = p_interval(test.exceedances, test.n_resamples)
    return float(low), float(high)


def _settled(test: Test, level: float) -> bool | None:
    """Return whether it is clear on which side of its level p is; None where that is not asked."""
    if test.p is None:
        return None
    if test.exact and test.error:
        return not test.p - test.error <= level < test.p
    if test.method == "shuffles" and test.settled is None:
        ends = _p_interval(test)
        return None if ends is None else not ends[0] <= level < ends[1]
    return test.settled


def _intervals(scored: Scored, tested: Tested, work: Work) -> list[Interval | None]:
    """Return the intervals of all pairs, which say of 0 what the decisions say."""
    scores, options, pairs = scored.scores, scored.options, tested.pairs
    sides = np.where(pairs.signs == 0, 1, 2)
    levels = np.maximum(0.0, 1 - tested.interval_error * sides).tolist()
    made = Intervals(scores, options, work).pairs(pairs, levels)
    found: list[Interval | None] = []
    for k, (interval, (a, b, _)) in enumerate(zip(made, pairs, strict=True)):
        undefined = tested.tests[k].reason == "undefined"  # of a score that is none
        if interval is None or undefined:
            found.append(None)
            continue
        if (spread := tested.spreads[k]) is not None:
            interval = _wider(interval, spread, levels[k], scores.unit_interval)
            interval = interval.one_sided(int(pairs.signs[k]))
        difference = float(scores.values[a] - scores.values[b])
        against = _leaning(tested.tests[k], difference) * difference < 0
        direction = 0.0 if against else difference
        found.append(deciding(interval, bool(tested.different[k]), direction))
    return found


def _wider(interval: Interval, spread: Spread, level: float, bounded: bool) -> Interval:
    """Return the interval for runs that could be others: never narrower than that of these."""
    other = spread.interval(level)
    low = other.low if interval.low is None or other.low is None else min(interval.low, other.low)
    high = (
        other.high
        if interval.high is None or other.high is None
        else max(interval.high, other.high)
    )
    wide = Interval(low, high, "runs")
    return wide.within(-1.0, 1.0) if bounded else wide


def items_won(items: Scores, pairs: Pairs) -> tuple[Floats, ...]:
    """Return on how many items the first system is better, worse, and neither, and differs."""
    n, size = len(pairs), max(1, (1 << 21) // max(1, items.columns.shape[2]))
    better, worse, differing = (np.zeros(n, np.int64) for _ in range(3))
    times = np.ones(items.columns.shape[2], np.int64) if items.times is None else items.times
    alone = None
    if items.has_sums and items.counts.present is None:
        alone = np.stack([items.item_scores(s) for s in range(len(items.systems))])
    for start in range(0, n, size):
        block = slice(start, start + size)
        a, b = pairs.a[block], pairs.b[block]
        apart = (items.columns[:, a] != items.columns[:, b]).any(axis=0)
        differing[block] = apart @ times
        if alone is not None:
            ahead = _ahead(items, alone, a, b)
            better[block], worse[block] = (ahead > 0) @ times, (ahead < 0) @ times
    if not items.metric.higher_is_better:
        better, worse = worse, better
    tied = np.full(n, items.n) - better - worse
    if alone is None:
        tied = np.zeros(n, np.int64) if items.counts.present is not None else items.n - differing
    return better, worse, tied, differing


def _ahead(items: Scores, alone: Floats, a: np.ndarray, b: np.ndarray) -> Floats:
    """Return per-item differences whose signs are exact where the metric is a ratio."""
    if not isinstance(items, RatioScores):
        return np.asarray(alone[a] - alone[b])
    num, den = items.columns
    if items.denominator_kinds.max() == 0 and (den[0] > 0).all():
        return np.asarray(num[a] - num[b])
    crossed = num[a].astype(np.float64) * den[b] - num[b].astype(np.float64) * den[a]
    return np.asarray(np.where((den[a] > 0) & (den[b] > 0), crossed, alone[a] - alone[b]))


def _detailed(scores: Scores, pairs: Pairs, options: Options) -> Collection[int]:
    """Return the pairs that have diagnostics: all, or those of the best and of neighbours."""
    if len(scores.systems) <= DETAILED_SYSTEMS or options.baseline is not None:
        return range(len(pairs))
    order = np.argsort(-scores.values if scores.metric.higher_is_better else scores.values,
                       kind="stable")  # fmt: skip
    rank = np.argsort(order, kind="stable")
    first, second = rank[pairs.a], rank[pairs.b]
    near = (np.minimum(first, second) == 0) | (np.abs(first - second) == 1)
    return np.flatnonzero(near & (np.maximum(first, second) < 100)).tolist()


def system_records(
    counts: Counts, scored: Sequence[Scored], runs: RunsInfo | None, work: Work
) -> tuple[System, ...]:
    """Return every system's scores and intervals."""
    makers = [Intervals(each.scores, each.options, work) for each in scored]
    systems = []
    for k, name in enumerate(counts.names):
        scores = {each.scores.name: each.scores.exact_score(k) for each in scored}
        intervals: dict[str, Interval] = {}
        for maker in makers:
            level = 1 - maker.options.alpha
            interval = maker.system(k, level) if maker.options.intervals else None
            if interval is not None and runs is not None and runs.vary:
                spread = spread_of_system(maker.scores, k)
                if spread is not None:
                    wide = _wider(interval, spread, level, False)
                    interval = wide.within(0.0, 1.0) if maker.scores.unit_interval else wide
            if interval is not None:
                intervals[maker.scores.name] = interval
        systems.append(
            System(
                name,
                {metric: float(score) for metric, score in scores.items()},
                {metric: interval.ends for metric, interval in intervals.items()},
                {metric: interval.method for metric, interval in intervals.items()},
                {m: str(score) for m, score in scores.items() if isinstance(score, Fraction)},
                dict(counts.regions.get(name, {})),
            )
        )
    return tuple(systems)


def metric_info(scored: Scored) -> MetricInfo:
    """Return what the record says of a metric."""
    metric, counts = scored.scores.metric, scored.scores.counts
    if isinstance(metric, Ratio):
        mean = "weighted mean" if metric.weighted else "mean"
        kind = mean if metric.is_weighted_mean else "ratio"
    else:
        kind = "function of sums" if scored.scores.has_sums else "function of items"
    clusters = None
    if counts.cluster is not None:
        largest = int(counts.sizes.max()) / int(counts.sizes.sum())
        clusters = Clusters(counts.cluster, len(counts.items), largest)
    items = Items(int(scored.items.counts.sizes.sum()), counts.kind, clusters)
    signature = getattr(metric, "signature", None)
    direction = direction_of(metric, counts)
    cost = scored.options.margin is None and False
    return MetricInfo(metric.higher_is_better, kind, items, signature, direction, cost)


@cache
def _version() -> str:
    """Return our version, for which Python reads a file and parses it as if it were mail."""
    return importlib.metadata.version("tellapart")


def _signature(scored: Sequence[Scored], tests: int) -> str:
    """Return everything that a number depends on, in one line."""
    counts, options = scored[0].scores.counts, scored[0].options
    names = [
        " ".join(filter(None, (m.name, getattr(m, "signature", None))))
        for m in (each.scores.metric for each in scored)
    ]
    data = dict.fromkeys(digest(each.items.counts) for each in scored)
    parts = [
        f"tellapart {_version()}",
        "+".join(names),
        *options.signature(counts.cluster or counts.kind, tests, counts.lower),
        f"data {'+'.join(data)}",
    ]
    return " | ".join(parts)
