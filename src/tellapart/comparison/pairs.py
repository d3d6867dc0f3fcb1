"""One metric of a comparison, from scores to decisions: test, spread of runs, correction, interval.

Whole comparisons, slices and the retest without an item take the same steps. What they are of is a
`Scored`; judges and preferences are kinds of it that make some of the steps in their own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.intervals import Intervals, deciding, with_runs
from tellapart.comparison.options import JOINT, Options
from tellapart.comparison.record import Judged, Notice, Pair, Preferences, RunsInfo
from tellapart.comparison.testing import EXACT_BUDGET, SHUFFLES, Pairs, Work, narrow, run_tests
from tellapart.counts import Counts
from tellapart.metrics.scores import RatioScores, Scores, score_counts
from tellapart.stats.corrections import adjust, implied_levels, simultaneous_error
from tellapart.stats.result import Flags, Floats, Interval, Ints, Test
from tellapart.stats.runs import MAX_MISSING, Spread, spread

NO_BOUND = Interval(None, None, "none (no bound)")
"""Of a difference that could be as large as one likes"""


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
    items: Scores
    """Of the single items; the same where there are no clusters"""
    options: Options
    """Those of the comparison; a cost has no margin"""
    runs: RunsInfo | None = None
    cost: bool = False

    of_items: ClassVar[bool] = True
    """Whether its differences are sums over items, which can be explained item by item"""

    @property
    def family_size(self) -> int:
        """How many tests count together: all pairs, also where not all of them are made."""
        systems = len(self.scores.systems)
        return systems - 1 if self.options.baseline is not None else systems * (systems - 1) // 2

    @property
    def strict_level(self) -> float:
        """The level of each test by Bonferroni's correction, if there is any correction."""
        alpha = self.options.alpha
        return alpha if self.options.correction == "none" else alpha / self.family_size

    @property
    def labelled(self) -> Counts:
        """What slices are parts of."""
        return self.items.counts

    def part(self, counts: Counts) -> Self | None:
        """Return the same metric on a part of the items; None where it has no score there."""
        cluster = self.options.cluster
        own = score_counts(counts if cluster is None else counts.by(cluster), self.scores.metric)
        return replace(self, scores=own, items=own)

    def tests(self, pairs: Pairs, work: Work, budget: float) -> list[Test]:
        """Return the tests of pairs, about these items and runs."""
        return run_tests(self.scores, pairs, self.options, self.family_size, work, budget)

    def differences(self, pairs: Pairs) -> list[float]:
        """Return first minus second of every pair, rounded once where scores are fractions."""
        found: list[float] = self.scores.differences(pairs.a, pairs.b).tolist()
        return found

    def intervals(self, work: Work) -> Intervals:
        """Return what makes the intervals of scores and differences."""
        return Intervals(self.scores, self.options, work)

    def has_no_bound(self, a: int, b: int) -> bool:  # noqa: ARG002
        """Return whether nothing bounds the difference of a pair."""
        return False

    def items_won(self, pairs: Pairs) -> tuple[Ints, ...]:
        """Return on how many items the first system is better, worse, and neither, and differs."""
        return items_won(self.items, pairs)

    def extras(self, pairs: Sequence[Pair]) -> Extras:  # noqa: ARG002
        """Return what is to be added to a record with these pairs."""
        return Extras()


@dataclass(frozen=True, slots=True)
class Tested:
    """The tests of one metric's pairs."""

    pairs: Pairs
    tests: list[Test]
    these_runs: list[Test]
    """The tests of these items and runs alone"""
    spreads: list[Spread | None]

    @property
    def p(self) -> Floats:
        """All p-values; NaN where a test is undefined."""
        return np.array([np.nan if test.p is None else test.p for test in self.tests])


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


def make_tests(scored: Scored, pairs: Pairs, work: Work, budget: float = EXACT_BUDGET) -> Tested:
    """Return the tests of pairs, for runs that could be others where they vary.

    What other runs would give is never surer than what these gave.
    """
    these = scored.tests(pairs, work, budget)
    if scored.runs is None or not scored.runs.vary:
        return Tested(pairs, these, these, [None] * len(pairs))
    spreads = [spread_of_pair(scored.scores, a, b) for a, b, _ in pairs]
    tests = [
        test if own is None or test.p is None else _with_spread(test.p, own, sign)
        for test, own, (_, _, sign) in zip(these, spreads, pairs, strict=True)
    ]
    return Tested(pairs, tests, these, spreads)


def _with_spread(p: float, own: Spread, sign: int) -> Test:
    statistic = own.difference / own.error if own.error else None
    return Test(max(own.p(sign), p), "runs", statistic=statistic, df=own.df)


def decide(scored: Scored, tested: Tested, work: Work) -> Decided:
    """Return what the tests say, corrected for all pairs of the metric."""
    options, size, pairs = scored.options, scored.family_size, tested.pairs
    p = tested.p
    filled = np.where(np.isnan(p), 1.0, p)  # a test that is undefined counts, with p = 1
    error: float | None
    if options.correction in JOINT:
        from tellapart.comparison.joint import joint_adjusted  # only where it is asked for

        joint = joint_adjusted(scored.scores, pairs, options, options.shuffles or SHUFFLES, work)
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
        sure = map(_decision_confidence, tested.tests, levels.tolist())
        different &= np.array(list(sure)) >= options.min_confidence
    simultaneous = error is not None and size > 1
    return Decided(
        adjusted, levels, options.alpha if error is None else error, simultaneous, different
    )


def _decision_confidence(test: Test, level: float) -> float:
    """Return how sure it is that the exact test rejects at a level."""
    from tellapart.stats.confidence import confidence

    if test.p is None:
        return 0.0
    if test.n_resamples is None or test.exceedances is None:
        return float(test.p <= level) if test.exact or test.method == "rounded" else 0.0
    return float(confidence(test.exceedances, test.n_resamples, level))


def decided_intervals(
    scored: Scored, tested: Tested, different: Sequence[bool], error: float, maker: Intervals
) -> list[Interval | None]:
    """Return the intervals of all pairs, which say of 0 what the decisions say.

    `error` is how often each may miss.
    """
    pairs = tested.pairs
    levels = [max(0.0, 1 - error * (2 if sign else 1)) for sign in pairs.signs.tolist()]
    made = maker.pairs(pairs, levels)
    differences, by_ranks = scored.differences(pairs), scored.options.test in ("sign", "wilcoxon")
    found: list[Interval | None] = []
    for k, (interval, (a, b, _)) in enumerate(zip(made, pairs, strict=True)):
        test, difference = tested.tests[k], differences[k]
        if interval is None or test.reason == "undefined":  # of a score that is none
            found.append(None)
            continue
        if scored.has_no_bound(a, b):
            found.append(NO_BOUND)
            continue
        interval = with_runs(scored.scores, interval, tested.spreads[k], levels[k])
        against = by_ranks and leaning(test, scored.options, difference) * difference < 0
        found.append(deciding(interval, different[k], 0.0 if against else difference))
    return found


def leaning(test: Test, options: Options, difference: float) -> float:
    """Return which way a test speaks: signs and ranks may speak against the difference."""
    by_ranks = options.test in ("sign", "wilcoxon") and test.statistic is not None
    return float(test.statistic or 0.0) if by_ranks else difference


def runs_info(counts: Counts, options: Options) -> RunsInfo | None:
    """Return what is asked of the runs; None where no system has several.

    Tests and corrections that exchange items, if named, are about these runs only. So is a pair of
    which one system has a single run: ``single`` is said if no pair is left.
    """
    numbers = {name: _runs_of(counts, k) for k, name in enumerate(counts.names)}
    if max(numbers.values()) < 2:  # repeats of items are averaged, and that is all
        return None
    why = _why_fixed(counts, options, numbers)
    return RunsInfo(why is None, numbers, why)


def _runs_of(counts: Counts, system: int) -> int:
    """Return how many runs a system has, in any condition."""
    if counts.cells:
        return len(set(counts.cells[system]))
    return len(counts.runs[system]) if counts.runs else 1


def _why_fixed(counts: Counts, options: Options, numbers: dict[str, int]) -> str | None:
    if options.runs == "fixed":
        return "option"
    if options.test != "auto":
        return "test"
    if options.correction in JOINT:
        return "correction"
    if options.min_confidence is not None:
        return "confidence"
    several = [name for name, number in numbers.items() if number > 1]
    if len(several) < 2 or (options.baseline is not None and options.baseline not in several):
        return "single"
    shares = [_share_missing(counts, k) for k in range(len(counts.names))]
    return "missing" if max(shares) > MAX_MISSING else None


def _share_missing(counts: Counts, system: int) -> float:
    """Return the share of runs of items that a system lacks; one repeat of an item is enough."""
    runs = counts.runs[system]
    cells = counts.cells[system] if counts.cells else tuple(("", str(k)) for k in range(len(runs)))
    lacking = [
        np.isnan(runs[[k for k, own in enumerate(cells) if own == cell]]).all(axis=0)
        for cell in dict.fromkeys(cells)
    ]
    return float(np.mean(lacking)) if len(runs) > 1 else 0.0


def spread_of_pair(scores: Scores, a: int, b: int) -> Spread | None:
    """Return where the uncertainty of a difference comes from; None where runs add nothing.

    None as well where one of the systems has a single run, which does not tell how far it varies.
    """
    cells = scores.counts.cells
    conditions = [{cell[0] for cell in cells[k]} if cells else set() for k in (a, b)]
    return _spread(scores, (a, b), conditions[0] == conditions[1])


def spread_of_system(scores: Scores, system: int) -> Spread | None:
    """Return where the uncertainty of one score comes from; None where runs add nothing."""
    return _spread(scores, (system,))


def _spread(scores: Scores, systems: tuple[int, ...], crossed: bool = True) -> Spread | None:
    values = scores.run_contributions(systems)
    found = None if values is None else spread(*values, crossed=crossed)
    if found is None or not found.varies or found.borrowed:
        return None
    # Contributions add up to the difference of ratios to the first order only.
    apart = [scores.values[system] for system in systems]
    return replace(found, difference=float(apart[0] - sum(apart[1:])))


def items_won(items: Scores, pairs: Pairs) -> tuple[Ints, ...]:
    """Return on how many items the first system is better, worse, and neither, and differs."""
    n, size = len(pairs), max(1, (1 << 21) // max(1, items.columns.shape[2]))
    better, worse, differing = (np.zeros(n, np.int64) for _ in range(3))
    summed = items.counts.cluster is not None  # data of which single items are not at hand
    known = items.has_sums and items.counts.present is None and not summed
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
