"""`compare`: scores, tests, correction, intervals, diagnostics, notices, answers, record.

Each step is a function of the ones before; none goes back.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from tellapart.comparison.answers import CANNOT_TELL, answer
from tellapart.comparison.costs import cost_names, find_costs, mark_costs
from tellapart.comparison.intervals import Intervals, wider
from tellapart.comparison.joint import check_joint, joint_adjusted
from tellapart.comparison.notices import find_notices
from tellapart.comparison.options import JOINT, Options
from tellapart.comparison.pairs import Tested, decision_confidence, pair_records
from tellapart.comparison.ranking import grouped, headline, rank_sets, two_metrics
from tellapart.comparison.record import (
    Clusters,
    Comparison,
    Items,
    MetricInfo,
    Pair,
    RunsInfo,
    System,
)
from tellapart.comparison.replicates import runs_info, spread_of_pair, spread_of_system
from tellapart.comparison.slices import check_labels, labels_to_slice, slices
from tellapart.comparison.suites import suite_table
from tellapart.comparison.testing import SHUFFLES, Pairs, Scored, Work, family_size, run_tests
from tellapart.counts import Counts
from tellapart.counts.ordering import digest, in_order
from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction, Metric, Ratio
from tellapart.metrics.passes import with_passes
from tellapart.metrics.scores import Scores, direction_of, metrics_of, score_counts
from tellapart.progress import Progress, no_progress
from tellapart.stats.corrections import adjust, implied_levels, simultaneous_error
from tellapart.stats.result import Interval, Test
from tellapart.stats.runs import Spread
from tellapart.stats.workers import open_pool
from tellapart.words import nearest, plural

MOST_SYSTEMS = 200
"""Up to so many systems, all pairs are tested; of more, the best with each, and neighbours"""


def compare_counts(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    progress: Progress = no_progress,
) -> tuple[Comparison, tuple[Scored, ...]]:
    """Return the comparison of systems by all metrics, and the scores that it rests on."""
    scored = score_metrics(counts, metrics, options)
    return compare_scored(scored, options, progress), scored


def compare_scored(
    scored: Sequence[Scored], options: Options, progress: Progress = no_progress
) -> Comparison:
    """Return the comparison of systems whose scores are known."""
    counts = scored[0].items.counts
    with open_pool(options.workers) as pool:
        work = Work(pool, progress)
        runs = runs_info(counts, options)
        tested = []
        for metric in scored:
            tested_pairs = pairs_to_test(metric.scores, metric.options)
            if metric.adapter is None:
                size = family_size(metric)
                made = run_tests(metric.scores, tested_pairs, metric.options, size, work)
            else:
                made = [metric.adapter.test(*each) for each in tested_pairs]
            tested.append(correct(metric, tested_pairs, made, runs, work))
        pairs = [
            pair
            for metric, tests in zip(scored, tested, strict=True)
            for pair in pair_records(metric, tests, work)
        ]
        systems = system_records(counts, scored, runs, work)
        labels = labels_to_slice(scored[0].items.counts, options)
        parts = [
            part
            for metric, tests in zip(scored, tested, strict=True)
            for part in slices(metric.items, tests.pairs, metric.options, labels, work)
        ]
    info = {metric.scores.name: metric_info(metric) for metric in scored}
    tables = {metric.scores.name: suite_table(metric.items) for metric in scored}
    record = Comparison(
        tellapart=_version(),
        signature=_signature(scored, options, family_size(scored[0])),
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
        baseline=options.baseline,
        margin=options.margin,
        min_confidence=options.min_confidence,
        confidence_level=1 - options.alpha if options.intervals else None,
        runs=runs,
        slices=tuple(parts),
        suite={name: table for name, table in tables.items() if table is not None},
        two_metrics=two_metrics(pairs, list(info)) if options.tail == "two" else None,
    )
    scores = {metric.scores.name: metric.scores for metric in scored}
    items = {metric.scores.name: metric.items for metric in scored}
    record = replace(record, **grouped(record), ranks=rank_sets(record))
    record = replace(record, costs=find_costs(record, scores))
    record = replace(record, notices=find_notices(record, scores, items))
    record = replace(record, answers={name: answer(record, name) for name in info})
    return _with_items_to_settle(record, scored)


def _with_items_to_settle(record: Comparison, scored: Sequence[Scored]) -> Comparison:
    """Return answers that cannot tell with how many more items would settle them."""
    answers = dict(record.answers)
    for metric in scored:
        name = metric.scores.name
        if answers[name].answer == CANNOT_TELL and metric.adapter is None:
            from tellapart.comparison.plan import items_to_settle  # only where it is needed

            pair = _waited_for(record, name)
            more = None if pair is None else items_to_settle(metric, pair)
            answers[name] = replace(answers[name], more_items=more)
    return replace(record, answers=answers)


def _waited_for(record: Comparison, metric: str) -> Pair | None:
    """Return the pair without which an answer cannot be told.

    The best system has to be told from every other: of those that it is not, the hardest counts.
    """
    found = record.answers[metric]
    if found.question != "best":
        return None if found.question == "equivalent" else headline(record, metric)
    pairs = [pair for pair in record.pairs_of(metric) if found.about[0] in (pair.a, pair.b)]
    undecided = [pair for pair in pairs if not pair.different]
    return max(undecided, key=lambda pair: 2.0 if pair.p is None else pair.p)


def score_metrics(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return the scores by each metric, with items in order and clusters summed."""
    if options.cost:
        counts, metrics = mark_costs(counts, metrics, options.cost)
    # Random numbers go by position: rows that are matched by id are put in the order of the ids.
    counts = with_passes(in_order(counts), metrics)
    known = metrics_of(counts, metrics)
    check_comparable(counts, known, options)
    check_labels(counts, options)
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
        if options.correction in JOINT:
            check_joint(scores, options)
        cost = metric.name in costs
        chosen = replace(options, margin=None) if cost and len(costs) < len(known) else options
        scored.append(Scored(scores, items, chosen, cost))
    return tuple(scored)


def check_comparable(counts: Counts, metrics: Sequence[Metric], options: Options) -> None:
    """Refuse what cannot be compared, in one sentence."""
    names = [metric.name for metric in metrics]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"metric {min(twice)!r} was asked for twice")
    if counts.times is not None:
        _check_reduced(metrics, options)
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


def _check_reduced(metrics: Sequence[Metric], options: Options) -> None:
    """Refuse what needs single items, where data were reduced to their distinct rows."""
    named = {
        f"--test {options.test}": options.test not in ("auto", "bootstrap"),
        f"--correction {options.correction}": options.correction in JOINT,
        f"--by {' '.join(options.by)}": bool(options.by),
        f"--metric {metrics[0].name}": isinstance(metrics[0], ItemFunction),
    }
    for option, needs_items in named.items():
        if needs_items:
            raise UsageError(
                f"{option} needs single items, and data of this size are counted where they are: "
                "drop it, or give a part of the data as a file"
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


def correct(
    scored: Scored, pairs: Pairs, these: list[Test], runs: RunsInfo | None, work: Work
) -> Tested:
    """Return the tests of one metric, corrected for all of its pairs, and for runs that vary."""
    scores, options, size = scored.scores, scored.options, family_size(scored)
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
    error: float | None
    if options.correction in JOINT:
        joint = joint_adjusted(scores, pairs, options, options.shuffles or SHUFFLES, work)
        # The raw p may be exact, and above what the shuffles give.
        adjusted = np.maximum(joint.p, filled)
        levels = np.where(joint.p < 1, options.alpha * filled / joint.p, options.alpha / size)
        levels, error = np.minimum(levels, options.alpha), joint.simultaneous_error
    else:
        adjusted = adjust(everything, options.correction)[: len(pairs)]
        levels = implied_levels(everything, options.correction, options.alpha)[: len(pairs)]
        error = simultaneous_error(options.correction, options.alpha, size)
    simultaneous = error is not None and size > 1
    errors = np.full(len(pairs), options.alpha if error is None else error)
    adjusted = np.where(np.isnan(p), np.nan, adjusted)
    different = adjusted <= options.alpha
    if options.min_confidence is not None:
        sure = [decision_confidence(*both) for both in zip(tests, levels.tolist(), strict=True)]
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


def system_records(
    counts: Counts, scored: Sequence[Scored], runs: RunsInfo | None, work: Work
) -> tuple[System, ...]:
    """Return every system's scores and intervals."""
    makers = [Intervals(each.scores, each.options, work, each.adapter) for each in scored]
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
                    wide = wider(interval, spread.interval(level))
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
    single = scored.items.counts
    count = int((single.sizes if single.times is None else single.sizes * single.times).sum())
    clusters = None
    if counts.cluster is not None:
        clusters = Clusters(counts.cluster, scored.scores.n, int(counts.sizes.max()) / count)
    items = Items(count, counts.kind, clusters)
    signature = getattr(metric, "signature", None)
    direction = direction_of(metric, counts)
    return MetricInfo(metric.higher_is_better, kind, items, signature, direction, scored.cost)


@cache
def _version() -> str:
    """Return our version, for which Python reads a file and parses it as if it were mail."""
    return importlib.metadata.version("tellapart")


def _signature(scored: Sequence[Scored], options: Options, tests: int) -> str:
    """Return everything that a number depends on, in one line."""
    counts = scored[0].scores.counts
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
