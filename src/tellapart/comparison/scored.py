"""One metric of a comparison, from its scores to the tests of its pairs: `Scored`.

`score_metrics` makes one for each metric that is compared. Judges and preferences are kinds of it
that make some of the steps in their own way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.intervals import Intervals
from tellapart.comparison.options import DEFAULTS, JOINT, Options
from tellapart.comparison.record import Judged, Notice, Pair, Preferences, RunsInfo
from tellapart.comparison.testing import Pairs, Work, narrow, run_tests
from tellapart.counts import Counts, errors
from tellapart.counts.ordering import in_order
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.directions import is_cost
from tellapart.metrics.registry import is_pass
from tellapart.metrics.scores import RatioScores, Scores, metrics_of, score_counts
from tellapart.stats.result import Flags, Floats, Ints, Test
from tellapart.stats.runs import MAX_MISSING, Spread, spread
from tellapart.words import nearest

if TYPE_CHECKING:
    from tellapart.comparison.missing import Incomplete

MOST_SYSTEMS = 200
"""Up to so many systems, all pairs are tested; of more, the best with each, and neighbours"""


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
    """Of the single items; the same where there are no clusters"""
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
        return items_won(self.unclustered, pairs)

    def extras(self, pairs: Sequence[Pair]) -> Extras:  # noqa: ARG002
        """Return what is to be added to a record with these pairs."""
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
            from tellapart.comparison.missing import Incomplete

            incomplete = Incomplete.of(own, metric, options)
            own = incomplete.complete()
        single = scores = score_counts(own, metric)
        if options.cluster is not None:
            scores = score_counts(own.by(options.cluster), metric)
        if options.correction in JOINT:
            from tellapart.comparison.joint import check_joint

            check_joint(scores, options)
        cost = metric.name in costs
        chosen = replace(options, margin=None) if cost and len(costs) < len(known) else options
        runs = runs_info(own, options)
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
            f"{len(counts.names):,} systems make too many one-sided claims: name with --baseline "
            "the one that the others are held against"
        )
    if options.by:
        from tellapart.comparison.slices import check_labels

        check_labels(counts, options)


def _check_one_system(name: str, options: Options) -> None:
    """Refuse what is about two systems, where there is one."""
    for option in ("baseline", "margin", "tail", "by"):
        if getattr(options, option) != DEFAULTS[option]:
            raise UsageError(
                f"there is one system, {name!r}: a comparison needs two or more; for its score "
                f"alone, drop --{option}"
            )


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
                f"{option} needs single items, and data of this size are counted where they are: "
                "drop it, or give a part of the data as a file"
            )


def pairs_to_test(scored: Scored) -> Pairs:
    """Return all pairs of up to 200 systems; of more, the best with each, and neighbours in rank.

    With a baseline: every other system with it. Systems of a pair stand in the order given.
    """
    scores, options = scored.scores, scored.options
    names, claim = scores.systems, options.sign if scores.metric.higher_is_better else -options.sign
    if options.baseline is not None:
        base = names.index(options.baseline)
        others = np.delete(np.arange(len(names)), base)
        a, b = np.minimum(others, base), np.maximum(others, base)
        return Pairs(a, b, np.where(a == base, -claim, claim))
    a, b = np.triu_indices(len(names), 1)
    if len(names) > MOST_SYSTEMS:
        near = near_best(scores, a, b)
        a, b = a[near], b[near]
    return Pairs(a, b, np.full(len(a), claim))


def near_best(scores: Scores, a: Ints, b: Ints, most: int | None = None) -> Flags:
    """Return which pairs have the best system in them, or are neighbours among the first `most`."""
    sign = -1 if scores.metric.higher_is_better else 1
    rank = np.argsort(np.argsort(sign * scores.values, kind="stable"), kind="stable")
    better, worse = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    near = (better == 0) | (worse - better == 1)
    return np.asarray(near & (worse < (most or len(rank))))


def make_tests(scored: Scored, pairs: Pairs, work: Work) -> Tested:
    """Return the tests of pairs, for runs that could be others where they vary.

    What other runs would give is never surer than what these gave.
    """
    these = scored.tests(pairs, work)
    if scored.runs is None or not scored.runs.vary:
        return Tested(pairs, these, [None] * len(pairs))
    spreads = [spread_of_pair(scored.scores, a, b) for a, b, _ in pairs]
    tests = [
        test if own is None or test.p is None else _with_spread(test.p, own, sign)
        for test, own, (_, _, sign) in zip(these, spreads, pairs, strict=True)
    ]
    return Tested(pairs, tests, spreads)


def _with_spread(p: float, own: Spread, sign: int) -> Test:
    statistic = own.difference / own.error if own.error else None
    return Test(max(own.p(sign), p), "runs", statistic=statistic, df=own.df)


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
    too_few = len(several) < min(2, len(numbers))
    if too_few or (options.baseline is not None and options.baseline not in several):
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
    found = sources_of_pair(scores, a, b)
    return None if found is None or not found.varies else found


def sources_of_pair(scores: Scores, a: int, b: int) -> Spread | None:
    """Return the same also where runs add nothing; None where no answer was given twice."""
    cells = scores.counts.cells
    conditions = [{cell[0] for cell in cells[k]} if cells else set() for k in (a, b)]
    return _spread(scores, (a, b), conditions[0] == conditions[1])


def spread_of_system(scores: Scores, system: int) -> Spread | None:
    """Return where the uncertainty of one score comes from; None where runs add nothing."""
    found = _spread(scores, (system,))
    return None if found is None or not found.varies else found


def _spread(scores: Scores, systems: tuple[int, ...], crossed: bool = True) -> Spread | None:
    values = scores.run_contributions(systems)
    if values is None:
        return None
    found = spread(*values, crossed=crossed, repeats=scores.repeat_variance(systems))
    if found is None:
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
