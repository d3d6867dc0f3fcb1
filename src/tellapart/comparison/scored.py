"""One metric of a comparison, from its scores to tests and intervals of its pairs: `Scored`.

`score_metrics` makes one for each metric that is compared. Judges and preferences are kinds of it
that make some of the steps in their own way.

Intervals are by the method that fits what is scored. A system: Wilson's for right and wrong
answers, t for other means. A difference: Tango's (Newcombe's where systems have items of their own)
for right and wrong answers, the inverted test or t for other means. Anything else that is a
function of sums: BCa; of few items, t of what each adds to it. One-sided where the test is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.options import DEFAULTS, JOINT, Options
from tellapart.comparison.record import Comparison, Judged, Notice, Pair, Preferences, RunsInfo
from tellapart.comparison.testing import (
    MOST_SYSTEMS,
    Pairs,
    Work,
    joint_adjusted,
    narrow,
    resampled_scores,
    run_tests,
)
from tellapart.counts import Counts, errors
from tellapart.counts.ordering import in_order
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.registry import is_cost, is_pass
from tellapart.metrics.scores import RatioScores, Scores, metrics_of, score_counts
from tellapart.stats.bootstrap import RESAMPLES, bca
from tellapart.stats.corrections import (
    adjust,
    confidences,
    implied_levels,
    simultaneous_error,
)
from tellapart.stats.intervals import (
    FEW_DIFFER,
    ClusteredMean,
    clustered_wilson,
    difference_interval,
    equal_items,
    mean_interval,
    never_seen,
    newcombe,
    t_interval,
    tango,
    widened_for_unseen,
    wilson,
)
from tellapart.stats.result import Flags, Floats, Interval, Ints, Test
from tellapart.stats.runs import MAX_MISSING, Spread, spread
from tellapart.words import nearest, plural

if TYPE_CHECKING:
    from tellapart.comparison.incomplete import Incomplete

MOST_VALUES = 100
"""A label with more values does not tell kinds of items apart"""


Compare: TypeAlias = Callable[..., tuple[Comparison, Sequence["Scored"]]]


@dataclass(frozen=True, slots=True)
class Extras:
    """What an adapter adds to the record."""

    notices: tuple[Notice, ...] = ()
    preferences: Preferences | None = None
    judged: Judged | None = None


@dataclass(frozen=True)
class Scored:
    """One metric of a comparison: its scores, with clusters summed, and those of single items."""

    scores: Scores
    unclustered: Scores
    """Of the single items; the same where there are no clusters, and of a part of the items"""
    options: Options
    """Those of the comparison; a cost has no margin"""
    runs: RunsInfo | None = None
    cost: bool = False
    incomplete: Incomplete | None = None
    """All items, where some were left out that not every system has"""

    of_items: ClassVar[bool] = True
    """Whether its differences are sums over items, which can be explained item by item"""

    @property
    def family_size(self) -> int:
        """How many tests count together."""
        return self.options.family_size(len(self.scores.systems))

    @property
    def strict_level(self) -> float:
        """The level of each test by Bonferroni's correction, if there is any correction."""
        alpha = self.options.alpha
        return alpha if self.options.correction == "none" else alpha / self.family_size

    @property
    def top(self) -> float | None:
        """The highest score of a scale from 0, where items show it: some score, and none beyond."""
        scores = self.unclustered
        if not (scores.metric.higher_is_better and scores.totals[0].any()):
            return None  # errors may be more than one per item, and only zeros show no scale
        return scores.right_or_wrong or (1.0 if scores.unit_interval else None)

    @property
    def labelled(self) -> Counts:
        """What slices are parts of."""
        return self.unclustered.counts

    def part(self, counts: Counts) -> Self | None:
        """Return the same metric on a part of the items; None where it has no score there."""
        cluster = self.options.cluster
        own = score_counts(counts if cluster is None else counts.by(cluster), self.scores.metric)
        return replace(self, scores=own, unclustered=own)

    def tests(self, pairs: Pairs, work: Work) -> list[Test]:
        """Return the tests of pairs, about these items and runs."""
        return run_tests(self.scores, pairs, self.options, work)

    def intervals(self, work: Work) -> Intervals:
        """Return what makes the intervals of scores and differences."""
        return Intervals(self.scores, self.options, work)

    @property
    def has_intervals(self) -> bool:
        """Whether the scores of systems have intervals."""
        return self.options.intervals

    def has_no_bound(self, a: int, b: int) -> bool:  # noqa: ARG002
        """Return whether nothing bounds the difference of a pair."""
        return False

    def items_won(self, pairs: Pairs) -> tuple[Ints, ...]:
        """Return on how many items the first system is better, worse, and neither, and differs."""
        return items_won(self.unclustered, pairs)

    def extras(self, compare: Compare) -> Extras:  # noqa: ARG002
        """Return what is to be added to the record; `compare` compares other scores as well."""
        return Extras()


@dataclass(frozen=True, slots=True)
class Tested:
    """The tests of one metric's pairs."""

    pairs: Pairs
    tests: list[Test]
    spreads: list[Spread | None]
    """Where the uncertainty of each comes from, for runs that could be others"""

    @property
    def p(self) -> Floats:
        """All p-values; NaN where a test is undefined."""
        return np.array([np.nan if test.p is None else test.p for test in self.tests])


def score_metrics(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return the scores by each metric, with items in order and clusters summed."""
    if options.cost:
        counts, metrics = _with_costs(counts, metrics, options.cost)
    # Random numbers go by position: rows that are matched by id are put in the order of the ids.
    counts = in_order(counts)
    if any(map(is_pass, metrics or ())):
        from tellapart.metrics.runs import with_passes

        counts = with_passes(counts, metrics)
    known = metrics_of(counts, metrics)
    check_comparable(counts, known, options)
    costs = _cost_names(known, options.cost)
    if not metrics:
        known.sort(key=lambda metric: is_cost(metric.name))  # a cost never leads
    scored = []
    for metric in known:
        own = counts.with_values(metric.columns)
        incomplete = None
        if own.present is not None and options.test != "unpaired":
            from tellapart.comparison.incomplete import Incomplete

            incomplete = Incomplete.of(own, metric, options)
            own = incomplete.common_items()
        single = scores = score_counts(own, metric)
        if options.cluster is not None:
            scores = score_counts(own.by(options.cluster), metric)
        cost = metric.name in costs
        chosen = replace(options, margin=None) if cost and len(costs) < len(known) else options
        used = [name for name in own.columns if name in metric.columns]
        of_all = is_pass(metric.name)  # a column that is made of all runs is in none of them
        runs = runs_info(own if of_all else own.of_columns(used), options)
        scored.append(Scored(scores, single, chosen, runs, cost, incomplete))
    return tuple(scored)


def _with_costs(
    counts: Counts, metrics: Sequence[str | Metric] | None, named: Sequence[str]
) -> tuple[Counts, Sequence[str | Metric] | None]:
    """Return counts in which less of what is named is better, and metrics with these among them."""
    if counts.form != "items":
        raise UsageError("--cost is about ready values, and these are counts: drop it")
    if metrics:
        metrics = [*metrics, *(name for name in named if name not in map(str, metrics))]
    ready = [name for name in named if name in counts.columns]
    return (errors(counts, ready) if ready else counts), metrics


def _cost_names(metrics: Sequence[Metric], named: Sequence[str]) -> Collection[str]:
    """Return which metrics are costs: those named, and those whose names say so.

    None is by its name alone where there would be nothing else.
    """
    known = [metric.name for metric in metrics]
    for name in named:
        if name not in known:
            raise UsageError(
                f"--cost names {name!r}, which is not compared; {nearest(name, known)}"
            )
    by_name = {m.name for m in metrics if not m.higher_is_better and is_cost(m.name)}
    return {*named, *by_name} if named or len(by_name) < len(known) else ()


def check_comparable(counts: Counts, metrics: Sequence[Metric], options: Options) -> None:
    """Refuse what cannot be compared, in one sentence."""
    names = [metric.name for metric in metrics]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"metric {min(twice)!r} was asked for twice")
    if counts.times is not None:
        _check_reduced(metrics, options)
    if len(counts.names) < 2:
        _check_one_system(counts.names[0], options)
    if options.baseline is not None and options.baseline not in counts.names:
        raise UsageError(
            f"there is no system {options.baseline!r} to be the baseline; "
            f"{nearest(options.baseline, counts.names)}"
        )
    if options.baseline is None and len(counts.names) > MOST_SYSTEMS and options.tail != "two":
        raise UsageError(
            f"{len(counts.names):,} systems make too many one-sided claims: name one with "
            "--baseline"
        )
    if options.by:
        check_labels(counts, options)


def check_labels(counts: Counts, options: Options) -> None:
    """Refuse labels that cannot tell slices apart, in one sentence."""
    for label in options.by:
        if label not in counts.labels:
            known = ", ".join(counts.labels) or "none"
            raise UsageError(f"there is no label {label!r} to compare by; the labels are: {known}")
        if label == options.cluster:
            raise UsageError(f"{plural(label)} are exchanged as wholes: compare by another label")
        values = len(set(counts.labels[label]))
        if values > MOST_VALUES and (counts.suite is None or label != counts.suite.label):
            raise UsageError(
                f"label {label!r} has {values:,} values, and slices are for {MOST_VALUES} at most"
            )


def check_scales(scored: Sequence[Scored]) -> None:
    """Refuse a margin as large as the whole scale of a score, and a bar outside of it."""
    for each in scored:
        margin, bar, top = each.options.margin, each.options.at_least, each.top
        if top is None:
            continue
        scale = f"on a score of 0 to {top:g} ({each.scores.name})"
        if margin is not None and margin >= top:
            text = f"a margin of {margin:g} {scale}: every system is within it"
            raise UsageError(text + _of_hundred(margin, top))
        if bar is not None and not 0 <= bar <= top:
            text = f"a bar of {bar:g} {scale}: {'every' if bar < 0 else 'no'} system reaches it"
            raise UsageError(text + _of_hundred(bar, top))


def _of_hundred(number: float, top: float) -> str:
    """Return how to write what was probably meant as points of a hundred."""
    fits = top == 1 and 0 < number <= 100
    return f"; for {number:g} of 100 points write {number / 100:g}" if fits else ""


def _check_one_system(name: str, options: Options) -> None:
    """Refuse what is about two systems, where there is one."""
    for option in ("baseline", "margin", "tail", "by"):
        if getattr(options, option) != DEFAULTS[option]:
            raise UsageError(f"there is one system, {name!r}: give another, or drop --{option}")


def _check_reduced(metrics: Sequence[Metric], options: Options) -> None:
    """Refuse what needs single items, where data were reduced to their distinct rows."""
    named = {
        f"--test {options.test}": options.test not in ("auto", "bootstrap"),
        f"--correction {options.correction}": options.correction in JOINT,
        f"--by {' '.join(options.by)}": bool(options.by),
        **{f"--metric {m.name}": not isinstance(m, Ratio) for m in metrics},
    }
    for option, needs_items in named.items():
        if needs_items:
            raise UsageError(
                f"{option} needs single items, and these data are counted where they are: drop it"
            )


def make_tests(scored: Scored, pairs: Pairs, work: Work) -> Tested:
    """Return the tests of pairs, for runs that could be others where they vary.

    What other runs would give is never surer than what these gave.
    """
    these = scored.tests(pairs, work)
    if scored.runs is None or not scored.runs.vary:
        return Tested(pairs, these, [None] * len(pairs))
    spreads = [spread_of(scored.scores, a, b) for a, b, _ in pairs]
    tests = [
        test if own is None or test.p is None else _with_spread(test.p, own, sign)
        for test, own, (_, _, sign) in zip(these, spreads, pairs, strict=True)
    ]
    return Tested(pairs, tests, spreads)


def _with_spread(p: float, own: Spread, sign: int) -> Test:
    statistic = own.difference / own.error if own.error else None
    return Test(max(own.p(sign), p), "runs", statistic=statistic, df=own.df)


@dataclass(frozen=True, slots=True)
class Decided:
    """What all tests of one metric together say of each."""

    p_adjusted: Floats
    levels: Floats
    """What each p is compared with, given those of the others"""
    error: float
    """How often each interval may miss"""
    simultaneous: bool
    """Whether all intervals hold at once"""
    different: Flags


def decide(scored: Scored, tested: Tested, work: Work) -> Decided:
    """Return what the tests say, corrected for all pairs of the metric."""
    options, size, pairs = scored.options, scored.family_size, tested.pairs
    p = tested.p
    filled = np.where(np.isnan(p), 1.0, p)  # a test that is undefined counts, with p = 1
    error: float | None
    if options.correction in JOINT:
        joint = joint_adjusted(scored.scores, pairs, options, work)
        # The raw p may be exact, and above what the shuffles give.
        adjusted = np.maximum(joint.p, filled)
        levels = np.where(joint.p < 1, options.alpha * filled / joint.p, options.alpha / size)
        levels, error = np.minimum(levels, options.alpha), joint.simultaneous_error
    else:
        family = np.concatenate([filled, np.ones(size - len(pairs))])  # with those not tested
        adjusted = adjust(family, options.correction)[: len(pairs)]
        levels = implied_levels(family, options.correction, options.alpha)[: len(pairs)]
        error = simultaneous_error(options.correction, options.alpha, size)
    adjusted = np.where(np.isnan(p), np.nan, adjusted)
    different = adjusted <= options.alpha
    if options.min_confidence is not None:
        sure = [own or 0.0 for own in confidences(tested.tests, levels)]
        different &= np.array(sure) >= options.min_confidence
    simultaneous = error is not None and size > 1
    return Decided(
        adjusted, levels, options.alpha if error is None else error, simultaneous, different
    )


def runs_info(counts: Counts, options: Options) -> RunsInfo | None:
    """Return what is asked of the runs; None where no system has several.

    Tests and corrections that exchange items, if named, are about these runs only. So is a pair of
    which one system has a single run: ``single`` is said if no pair is left.
    """
    numbers = {name: len(set(cells_of(counts, k))) for k, name in enumerate(counts.names)}
    if max(numbers.values()) < 2:  # repeats of items are averaged, and that is all
        return None
    several = [name for name, number in numbers.items() if number > 1]
    too_few = len(several) < min(2, len(numbers))
    shares = [_share_missing(counts, k) for k in range(len(counts.names))]
    reasons = {
        "option": options.runs == "fixed",
        "test": options.test != "auto",
        "correction": options.correction in JOINT,
        "confidence": options.min_confidence is not None,
        "single": too_few or (options.baseline is not None and options.baseline not in several),
        "missing": max(shares) > MAX_MISSING,
    }
    why = next((code for code, holds in reasons.items() if holds), None)
    return RunsInfo(why is None, numbers, why)


def cells_of(counts: Counts, system: int) -> tuple[tuple[str, str], ...]:
    """Return the condition and the run of each answer that a system gave to an item."""
    if counts.cells:
        return counts.cells[system]
    return tuple(("", str(k)) for k in range(len(counts.runs[system]) if counts.runs else 1))


def _share_missing(counts: Counts, system: int) -> float:
    """Return the share of runs of items that a system lacks; one repeat of an item is enough."""
    runs, cells = counts.runs[system], cells_of(counts, system)
    lacking = [
        np.isnan(runs[[k for k, own in enumerate(cells) if own == cell]]).all(axis=0)
        for cell in dict.fromkeys(cells)
    ]
    return float(np.mean(lacking)) if len(runs) > 1 else 0.0


def numbers_of(scores: Scores, pair: Pair) -> tuple[int, int]:
    """Return the numbers of both systems of a pair."""
    return scores.systems.index(pair.a), scores.systems.index(pair.b)


def spread_of(scores: Scores, *systems: int) -> Spread | None:
    """Return where the uncertainty of a score or a difference comes from; None if runs add nothing.

    None as well where one of the systems has a single run, which does not tell how far it varies.
    """
    sources = sources_of(scores, *systems)
    return sources if sources is not None and sources.varies else None


def sources_of(scores: Scores, *systems: int) -> Spread | None:
    """Return the same also where runs add nothing; None where no answer was given twice."""
    values, cells = scores.run_contributions(systems), scores.counts.cells
    if values is None:
        return None
    conditions = [{cell[0] for cell in cells[k]} for k in systems if cells]
    crossed = all(own == conditions[0] for own in conditions)
    sources = spread(*values, crossed=crossed, repeats=scores.repeat_variance(systems))
    if sources is None:
        return None
    # Contributions add up to the difference of ratios to the first order only.
    score, *others = (float(scores.values[system]) for system in systems)
    return replace(sources, difference=score - math.fsum(others))


def items_won(items: Scores, pairs: Pairs) -> tuple[Ints, ...]:
    """Return on how many items the first system is better, worse, and neither, and differs."""
    n, size = len(pairs), max(1, (1 << 21) // max(1, items.columns.shape[2]))
    better, worse, differing = (np.zeros(n, np.int64) for _ in range(3))
    summed = items.counts.cluster is not None  # data of which single items are not at hand
    known = items.counts.present is None and not summed
    ranks = _item_ranks(items, many=n > 8 * len(items.systems)) if known else None
    columns = [narrow(own) for own in items.columns if (own != own[0]).any()]
    for start in range(0, n, size):
        block = slice(start, start + size)
        a, b = pairs.a[block], pairs.b[block]
        apart = np.zeros((len(a), items.columns.shape[2]), np.bool_)
        for own in columns:
            apart |= own[a] != own[b]
        differing[block] = _counted(apart, items.times)
        if ranks is not None:
            first, second = ranks[a], ranks[b]
            better[block] = _counted(first > second, items.times)
            worse[block] = _counted(first < second, items.times)
    if not items.metric.higher_is_better:
        better, worse = worse, better
    tied: Ints = np.full(n, items.n) - better - worse
    if ranks is None:
        tied = np.zeros(n, np.int64) if items.counts.present is not None else items.n - differing
    return better, worse, tied, differing


def _counted(flags: Flags, times: Ints | None) -> Ints:
    """Return for each row how many items its flags stand for."""
    if times is None:
        return np.asarray(np.count_nonzero(flags, axis=1))
    return np.asarray((flags * times).sum(axis=1))


def _item_ranks(items: Scores, many: bool) -> NDArray[Any]:
    """Return the score of each item, systems × items; of many pairs, its rank in few bytes.

    Quotients of whole numbers below 2^25 are the same floats only where they are equal.
    """
    if isinstance(items, RatioScores):
        num, den = items.columns
        if items.denominator_kinds.max() == 0 and (den[0] > 0).all():
            return narrow(num)
        scores = np.where(den == 0, float(items.undefined), num / np.where(den == 0, 1, den))
    else:
        scores = np.stack([items.item_scores(s) for s in range(len(items.systems))])
    if not many:
        return scores
    return narrow(np.unique(scores, return_inverse=True)[1].reshape(scores.shape))


# Intervals

MANY_ITEMS = 100_000
"""Above so many items, intervals by resampling draw fewer resamples"""
FEW_RESAMPLES = 999

ENOUGH_TO_RESAMPLE = 30
"""Of fewer items, weighed by their sizes, BCa is too short; t holds"""

_OPEN = Interval(None, None, "none (no spread)")
"""Of a score without known bounds that is the same on all items: nothing can be said"""
NO_BOUND = Interval(None, None, "none (no bound)")
"""Of a difference that could be as large as one likes"""


@dataclass
class Intervals:
    """The intervals of one metric; resamples are drawn once, and only if they are needed."""

    scores: Scores
    options: Options
    work: Work

    @cached_property
    def _is_mean(self) -> bool:
        return isinstance(self.scores, RatioScores) and self.scores.metric.is_mean

    def system(self, system: int, level: float) -> Interval | None:
        """Return the interval of one system's score."""
        scores = self.scores
        if self._is_mean and isinstance(scores, RatioScores):
            return self._mean(scores, system, level)
        observed = float(scores.values[system])
        if self._parts is not None:
            interval = self._by_t(observed, [self._parts[system]], level, 0.0)
        else:
            (drawn, times), left_out = self._resampled, self._left_out[system]
            interval = bca(drawn[system], observed, left_out, level, times, scores.times)
        if not interval.is_point:
            return interval
        if not scores.unit_interval:
            return _OPEN
        items = equal_items(scores.columns[1, system].astype(np.float64))
        return never_seen(observed, items, level)

    def _mean(self, scores: RatioScores, system: int, level: float) -> Interval:
        sums, sizes = scores.columns[:, system].astype(np.float64)
        right, items = scores.totals[:, system].tolist()
        worth, factor = scores.right_or_wrong, float(scores.factor)
        if items == 0:
            return Interval(None, None, "wilson")
        if worth is not None:
            return wilson(factor * right / worth, items, level).scaled(worth)
        whole = scores.exact and scores.factor == 1 and scores.counts.cluster is not None
        if scores.unit_interval and whole:
            times = None if scores.times is None else scores.times.astype(np.float64)
            return clustered_wilson(sums, sizes, level, times=times)
        bounded = scores.unit_interval and scores.metric.higher_is_better  # WER may exceed 1
        return mean_interval(factor * sums, sizes, level, unit_interval=bounded, times=scores.times)

    def pairs(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval | None]:
        """Return the intervals of all differences, each at its level, with both ends."""
        return [*self._shares(pairs, levels)] or [
            self._pair(a, b, level) for (a, b, _), level in zip(pairs, levels, strict=True)
        ]

    def _shares(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval]:
        """Return the intervals of differences of right and wrong answers; none for others."""
        scores, worth = self.scores, self.scores.right_or_wrong
        if worth is None:
            return []
        right = scores.columns[0] > 0
        if scores.counts.present is not None:
            sizes = scores.totals[1]
            shares = [(float(own.sum()), float(n)) for own, n in zip(right, sizes, strict=True)]
            return [
                newcombe(shares[a], shares[b], level).scaled(worth)
                for (a, b, _), level in zip(pairs, levels, strict=True)
            ]
        flags, n = right.astype(np.float32 if scores.times is None else np.float64), scores.n
        often = 1.0 if scores.times is None else scores.times
        wins = (flags * often) @ (
            1 - flags
        ).T  # systems × systems: items that only the first has right
        won, lost = wins[pairs.a, pairs.b], wins[pairs.b, pairs.a]
        intervals: list[Interval] = [_OPEN] * len(pairs)
        for level in set(levels):
            chosen = np.flatnonzero(np.array(levels) == level)
            ends = tango(won[chosen], lost[chosen], n, level)
            for k, low, high in zip(chosen.tolist(), *(e.tolist() for e in ends), strict=True):
                intervals[k] = Interval(low, high, "tango").scaled(worth)
        return intervals

    def _pair(self, a: int, b: int, level: float) -> Interval | None:
        scores = self.scores
        paired = scores.counts.present is None
        if self._is_mean and paired and isinstance(scores, RatioScores):
            apart = float(scores.factor) * (scores.columns[0, a] - scores.columns[0, b])
            interval = difference_interval(apart, scores.columns[1, a], level, times=scores.times)
            return self._allowing_for_unseen(interval, a, b, level)
        observed = float(scores.values[a] - scores.values[b])
        if self._parts is not None:
            own = [self._parts[a], self._parts[b]]
            if paired:
                (first, size_first), (second, size_second) = own
                own = [(first - second, (size_first + size_second) / 2)]
            interval = self._by_t(observed, own, level, -1.0)
        else:
            (drawn, times), left_out = self._resampled, self._left_out[a] - self._left_out[b]
            interval = bca(drawn[a] - drawn[b], observed, left_out, level, times, scores.times)
        return self._allowing_for_unseen(interval, a, b, level)

    def _by_t(
        self, observed: float, parts: Sequence[tuple[Floats, Floats]], level: float, least: float
    ) -> Interval:
        """Return the interval of a score or difference; `least` is its least share of a scale."""
        times = None if self.scores.times is None else self.scores.times.astype(np.float64)
        means = [ClusteredMean.of(*part, times) for part in parts]
        interval = t_interval(observed, means, level)
        top = 1.0 if self.scores.unit_interval else getattr(self.scores.metric, "top", None)
        return interval if top is None else interval.within(least * top, top)

    def _allowing_for_unseen(self, interval: Interval, a: int, b: int, level: float) -> Interval:
        """Return an interval that also allows for differing items that were just not seen."""
        scores = self.scores
        differing = scores.differing(a, b)
        enough = differing >= FEW_DIFFER or 2 * differing >= scores.n
        if not interval.is_point and enough:
            return interval
        paired = scores.counts.present is None
        terms = scores.terms(a, b) if paired and scores.unit_interval else None
        if terms is None:
            return _OPEN if interval.is_point else interval
        sizes = scores.columns[1, [a, b]].sum(axis=0).astype(np.float64)
        items = equal_items(sizes)
        apart = items * terms.contributions
        gains, losses = float(apart[apart > 0].sum()), -float(apart[apart < 0].sum())
        return widened_for_unseen(interval, gains, losses, items, level)

    @cached_property
    def _resampled(self) -> tuple[list[Floats], Ints | None]:
        n_resamples = FEW_RESAMPLES if self.scores.n > MANY_ITEMS else RESAMPLES
        return resampled_scores(self.scores, n_resamples, self.options.seed, self.work)

    @cached_property
    def _parts(self) -> list[tuple[Floats, Floats]] | None:
        """What the items of each system add to its score, and their sizes; None of enough items.

        Both as shares of the whole: the first add up to 0, the second to 1.
        """
        scores, parts = self.scores, []
        for system in range(len(scores.systems)):
            masses = np.abs(scores.columns[:, system]).astype(np.float64)
            sizes = (masses / np.maximum(masses.sum(axis=1, keepdims=True), 1)).mean(axis=0)
            if isinstance(scores, RatioScores):
                sizes = masses[1]
            if equal_items(sizes, scores.times) >= ENOUGH_TO_RESAMPLE:
                return None
            if not scores.is_defined(system):
                parts.append((0 * sizes, 0 * sizes))
                continue
            rests = (scores.per_item([system])[0] - scores.values[system]) / scores.n
            total = float(sizes.sum() if scores.times is None else sizes @ scores.times)
            parts.append((rests, sizes / total))
        return parts if all(np.isfinite(rests).all() for rests, _ in parts) else None

    @cached_property
    def _left_out(self) -> list[Floats]:
        return [self.scores.without_item(k) for k in range(len(self.scores.systems))]


def with_runs(
    scores: Scores, interval: Interval, spread: Spread | None, level: float, least: float = -1.0
) -> Interval:
    """Return an interval for runs that could be others: never narrower than that of these runs.

    `least` is the smallest value that is possible where items score between 0 and 1.
    """
    if spread is None:
        return interval
    other = spread.interval(level)
    low, high = (
        None if None in ends else pick(end for end in ends if end is not None)
        for ends, pick in (((interval.low, other.low), min), ((interval.high, other.high), max))
    )
    wide = Interval(low, high, "runs")
    return wide.within(least, 1.0) if scores.unit_interval else wide


def pair_intervals(
    scored: Scored, tested: Tested, error: float, maker: Intervals
) -> list[Interval | None]:
    """Return the intervals of all pairs, as their method gives them, whatever the test decides.

    `error` is how often each may miss.
    """
    pairs = tested.pairs
    levels = [max(0.0, 1 - error * (2 if sign else 1)) for sign in pairs.signs.tolist()]
    made = maker.pairs(pairs, levels)
    found: list[Interval | None] = []
    for k, (interval, (a, b, sign)) in enumerate(zip(made, pairs, strict=True)):
        if interval is None or tested.tests[k].reason == "undefined":  # of a score that is none
            found.append(None)
        elif scored.has_no_bound(a, b):
            found.append(NO_BOUND)
        else:
            own, spread = interval.one_sided(sign), tested.spreads[k]
            found.append(with_runs(scored.scores, own, spread, levels[k]))
    return found
