"""Making the tests of all pairs: the function behind each name that `--test` takes.

A test takes `Scores` and the numbers of the systems of each pair, and returns a `Test` for each.
`auto` flips the signs of terms, which tests equal scores; `exact` and `shuffle` exchange whole
outputs, as the literature does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import tellapart.plugins as plugins
from tellapart.comparison.options import TEST_NAMES, Options
from tellapart.console import Progress, no_progress
from tellapart.errors import UsageError
from tellapart.metrics.scores import RatioScores, Scores, Terms
from tellapart.stats.bootstrap import RESAMPLES, resample, shifted_test
from tellapart.stats.corrections import levels_at_stake
from tellapart.stats.exchange import (
    FunctionTests,
    enumerate_function,
    exchange_ratios,
)
from tellapart.stats.paired import mcnemar, paired_t, sign_test, wilcoxon
from tellapart.stats.result import Flags, Floats, Ints, Test, alternative_of
from tellapart.stats.shuffles import (
    Exceedances,
    LinearTests,
    shuffle,
    shuffle_until_settled,
)
from tellapart.stats.signed_sums import MAX_UPDATES, SignedSum, coin_tails, coin_test
from tellapart.stats.streams import WorkerPool
from tellapart.stats.unpaired import unpaired
from tellapart.words import nearest

if TYPE_CHECKING:
    from tellapart.stats.joint import JointTest

MOST_SYSTEMS = 200
"""Up to so many systems, all pairs are tested; of more, the best with each, and neighbours"""


DETAILED_SYSTEMS = 30
"""Up to so many systems, every pair has diagnostics; of more, the best ones: with the first, and
neighbours"""

MANY_SHUFFLES = 99_999
"""Drawn by `auto` where a correction needs p-values, not decisions"""
SEQUENTIAL = ("none", "bonferroni", "holm")
"""Corrections whose levels are known while shuffles go on"""
EXACT_BUDGET = 3 * MAX_UPDATES
"""Updates of a grid cell that `auto` gives to the exact tests of all pairs together"""

_PREPARING = 1e6  # updates that could be made while one test is prepared
_AT_ONCE = 1 << 21  # pairs × items that are looked at together


@dataclass(frozen=True, slots=True)
class Work:
    """Where the work of a comparison runs, what its progress is reported to, and its budget."""

    pool: WorkerPool
    progress: Progress = no_progress
    budget: float = EXACT_BUDGET


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs that are tested: numbers of systems, and the sign of each test."""

    a: Ints
    b: Ints
    signs: Ints
    """0 for two-sided, 1 where the first score is claimed to be larger, -1 where smaller"""

    def __len__(self) -> int:
        return len(self.a)

    def __iter__(self) -> Any:
        return zip(self.a.tolist(), self.b.tolist(), self.signs.tolist(), strict=True)

    def __getitem__(self, k: int) -> tuple[int, int, int]:
        return int(self.a[k]), int(self.b[k]), int(self.signs[k])

    @property
    def systems(self) -> list[tuple[int, int]]:
        """The numbers of both systems of each pair."""
        return list(zip(self.a.tolist(), self.b.tolist(), strict=True))

    def take(self, numbers: Any) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.a[numbers], self.b[numbers], self.signs[numbers])


def pairs_to_test(scores: Scores, options: Options) -> Pairs:
    """Return all pairs of up to 200 systems; of more, the best with each, and neighbours in rank.

    With a baseline: every other system with it. Systems of a pair stand in the order given.
    """
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
    order = np.lexsort(
        (np.array(scores.systems), sign * scores.values)
    )  # as `answers.ranking` has them
    rank = np.argsort(order, kind="stable")
    better, worse = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    near = (better == 0) | (worse - better == 1)
    return np.asarray(near & (worse < (most or len(rank))))


Maker: TypeAlias = Callable[[Scores, Pairs, Options, Work], list[Test]]
"""What makes the tests of all pairs under one metric"""


@dataclass(frozen=True, slots=True)
class PairTests:
    """A test that another package makes of whole scores, all pairs at once."""

    make: Maker


def run_tests(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return the test of every pair, by the name in the options."""
    make = _MAKERS.get(options.test) or _plugin(options.test)
    return make(scores, pairs, options, work)


def auto(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return tests of equal scores: counted where that is affordable, drawn elsewhere."""
    tests = dict(_alike_differences(scores, pairs))  # by the number of the pair
    terms: dict[int, Terms] = {}
    without_terms = set[int]()
    for k in range(len(pairs)):
        if k in tests:
            continue
        a, b, _ = pairs[k]
        if not (scores.is_defined(a) and scores.is_defined(b)) and scores.differs(a, b).any():
            tests[k] = Test(None, "auto", reason="undefined")
        elif (found := scores.terms(a, b)) is not None:
            terms[k] = found
        else:
            without_terms.add(k)
    sums: dict[int, SignedSum] = {}
    if len(terms) * _PREPARING <= work.budget or scores.times is not None:
        sums = {k: SignedSum.of(values.values, scores.times) for k, values in terms.items()}

    def counted(k: int) -> Test | None:
        (a, b, sign), own = pairs[k], terms[k]
        test = sums[k].test(own.observed, sign, own.slack, scores.differing(a, b))
        return replace(test, method="rounded") if test and scores.counts.rounded else test

    chosen = _affordable(sums, work.budget)
    made = work.pool.map(counted, chosen, work.progress, "exact tests")
    known = dict(zip(chosen, made, strict=True))
    known |= {k: _enumerated(scores, *pairs[k]) for k in without_terms}
    tests |= {k: test for k, test in known.items() if test is not None}
    rest = [k for k in range(len(pairs)) if k not in tests]
    if scores.times is not None:
        n_resamples = options.shuffles or MANY_SHUFFLES
        for k in rest:
            sign, own = int(pairs.signs[k]), terms[k]
            tests[k] = sums[k].drawn(own.observed, sign, own.slack, n_resamples, options.seed)
        rest = []
    for by_terms in (True, False):
        numbers = [k for k in rest if (k in terms) == by_terms]
        if numbers:
            some = [terms[k] for k in numbers] if by_terms else None
            drawn = _drawn(scores, pairs.take(numbers), some, tests.values(), options, work)
            tests.update(zip(numbers, drawn, strict=True))
    return [
        replace(tests[k], reason="exchange") if k in without_terms else tests[k]
        for k in range(len(pairs))
    ]


def _alike_differences(scores: Scores, pairs: Pairs) -> Iterator[tuple[int, Test]]:
    """Yield the tests of pairs whose items all differ by as much, such as right and wrong answers.

    All at once: these are heads and tails of fair coins.
    """
    if not isinstance(scores, RatioScores) or not scores.exact or scores.times is not None:
        return
    kinds = scores.denominator_kinds
    same = np.flatnonzero((kinds[pairs.a] == kinds[pairs.b]) & (scores.totals[1][pairs.a] > 0))
    rows = narrow(scores.columns[0])
    size = max(1, _AT_ONCE // max(1, rows.shape[1]))
    for start in range(0, len(same), size):
        block = same[start : start + size]
        apart = rows[pairs.a[block]] - rows[pairs.b[block]]
        sizes = np.abs(apart)
        largest = sizes.max(axis=1, initial=0)
        differing = np.count_nonzero(apart, axis=1)
        alike = (sizes == largest[:, None]).sum(axis=1) == differing
        alike |= differing == 0
        ahead = apart.sum(axis=1, dtype=np.int64) // np.maximum(largest, 1)
        for sign in np.unique(pairs.signs[block]).tolist():
            chosen = np.flatnonzero(alike & (pairs.signs[block] == sign))
            p_values = coin_tails(differing[chosen], ahead[chosen], sign)
            own = zip(p_values.tolist(), differing[chosen].tolist(), strict=True)
            for k, (p, n) in zip(block[chosen].tolist(), own, strict=True):
                yield k, coin_test(p, n)


def narrow(values: Ints) -> Ints:
    """Return whole numbers in as few bytes as they and their differences fit."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    return values.astype(np.min_scalar_type(least - most - 1))


def _affordable(sums: dict[int, SignedSum], budget: float) -> list[int]:
    """Return which tests are counted.

    All that can be if together they take no more than the budget; otherwise those that take no more
    than their share of it. Neither the machine nor the order of the pairs matters.
    """
    updates = {k: _PREPARING + terms.updates for k, terms in sums.items()}
    possible = {k: cost for k, cost in updates.items() if cost < math.inf}
    share = math.inf if math.fsum(possible.values()) <= budget else budget / len(sums)
    return [k for k, cost in possible.items() if cost <= share]


def _enumerated(scores: Scores, a: int, b: int, sign: int) -> Test | None:
    """Return the exchange test of a metric without terms by all exchanges; None if too many."""
    return enumerate_function(scores.columns[:, a], scores.columns[:, b], scores.of_sums, sign)


def _drawn(
    scores: Scores,
    pairs: Pairs,
    terms: Sequence[Terms] | None,
    known: Iterable[Test],
    options: Options,
    work: Work,
) -> list[Test]:
    """Return tests by shuffles: of terms or, where there are none, of exchanged outputs."""
    tests: Exceedances
    tests = _exchange_tests(scores, pairs) if terms is None else linear_tests(scores, pairs, terms)
    if options.shuffles or options.correction not in SEQUENTIAL:
        n_resamples = options.shuffles or MANY_SHUFFLES
        return shuffle(tests, n_resamples, options.seed, work.pool, work.progress)
    levels = _levels(scores, pairs, known, options)
    return shuffle_until_settled(tests, levels, options.seed, work.pool, work.progress)


def _levels(
    scores: Scores, pairs: Pairs, known: Iterable[Test], options: Options
) -> Callable[[Floats], Floats]:
    """Return what tells the levels on which decisions hang from estimates of p."""
    known_p = np.array([test.p for test in known if test.p is not None])
    family_size, of_best = options.family_size(len(scores.systems)), _pairs_of_best(scores, pairs)

    def levels(estimates: Floats) -> Floats:
        corrected = levels_at_stake(
            estimates, known_p, options.correction, options.alpha, family_size
        )
        if options.baseline is not None:
            return corrected
        # Whether the best system is the best is asked of each of its pairs at alpha.
        alone = np.where(of_best, options.alpha, corrected[..., 0])
        return np.concatenate([corrected, alone[..., None]], axis=-1)

    return levels


def _pairs_of_best(scores: Scores, pairs: Pairs) -> Flags:
    """Return which pairs have a system with the best score in them."""
    values = scores.values if scores.metric.higher_is_better else -scores.values
    best = values == values.max()
    return np.asarray(best[pairs.a] | best[pairs.b])


def linear_form(scores: Scores, pairs: Pairs, terms: Sequence[Terms]) -> tuple[Ints, Ints, Floats]:
    """Return terms as weighted rows: rows × items, and which rows with what weights, by pair.

    There is a row for each column of each system, and one that counts the items.
    """
    columns, systems, items = scores.columns.shape
    rows = np.concatenate([scores.columns.reshape(-1, items), np.ones((1, items), np.int64)])
    starts = np.arange(columns) * systems
    last = np.full(len(pairs), len(rows) - 1)
    places = np.column_stack([pairs.a[:, None] + starts, pairs.b[:, None] + starts, last])
    first, second = np.array([own.first for own in terms]), np.array([own.second for own in terms])
    weights = np.column_stack([first, -second, [own.constant for own in terms]])
    return rows, places, weights


def linear_tests(scores: Scores, pairs: Pairs, terms: Sequence[Terms]) -> LinearTests:
    """Return the sign-flip tests of pairs with terms, made of the columns of all systems."""
    observed = np.array([own.observed for own in terms])
    slack = np.array([own.slack for own in terms])
    return LinearTests.of(*linear_form(scores, pairs, terms), observed, slack, pairs.signs)


def _exchange_tests(scores: Scores, pairs: Pairs) -> Exceedances:
    """Return the exchange tests of pairs, for shuffles."""
    systems, slack = pairs.systems, [0.0] * len(pairs)
    if isinstance(scores, RatioScores):
        kinds = scores.denominator_kinds
        if (kinds[pairs.a] == kinds[pairs.b]).all():  # exchanges flip signs
            terms = [own for both in systems if (own := scores.terms(*both)) is not None]
            if len(terms) == len(systems):
                return linear_tests(scores, pairs, terms)
        slack = [float(scores.factor) * (scores.tolerance(*both) or 0.0) for both in systems]
    return FunctionTests.of(scores.columns, systems, scores.of_sums, pairs.signs, slack=slack)


def joint_adjusted(scores: Scores, pairs: Pairs, options: Options, work: Work) -> JointTest:
    """Return the adjusted p-values of all pairs of one metric, from shuffles that they share."""
    from tellapart.stats.joint import max_t, tukey  # only where it is asked for

    settings: dict[str, Any] = {
        "n_resamples": options.fixed_shuffles,
        "rng": options.seed,
        "alpha": options.alpha,
        "pool": work.pool,
        "progress": work.progress,
    }
    if options.correction == "tukey":
        terms = scores.system_terms(range(len(scores.systems)))
        if terms is None:
            raise _without_terms(scores)
        weights, constants = terms
        values = np.einsum("sc,csi->si", weights, scores.columns) + constants[:, None]
        return tukey(values, pairs.systems, **settings)
    known = [own for both in pairs.systems if (own := scores.terms(*both)) is not None]
    if len(known) < len(pairs):
        raise _without_terms(scores)
    rows, places, sparse = linear_form(scores, pairs, known)
    # In units of the score, so that pairs can be held against each other.
    worth, observed, slack = np.array([[t.worth, t.observed, t.slack] for t in known]).T
    weights = np.zeros((len(pairs), len(rows)))
    np.put_along_axis(weights, places, worth[:, None] * sparse, axis=1)
    alternative = alternative_of(int(pairs.signs[0]))
    return max_t(
        rows, weights, worth * observed, slack=worth * slack, alternative=alternative, **settings
    )


def _without_terms(scores: Scores) -> UsageError:
    return UsageError(f"metric {scores.name!r} is undefined for a system: use --correction holm")


def exact(scores: Scores, pairs: Pairs, _: Options, work: Work) -> list[Test]:
    """Return the exchange tests of all pairs by all exchanges, or say why one has none."""

    def counted(k: int) -> Test:
        a, b, sign = pairs[k]
        if isinstance(scores, RatioScores):
            first, second = scores.columns[:, a], scores.columns[:, b]
            tolerance = scores.tolerance(a, b) or 0.0
            test = exchange_ratios(first, second, sign, scores.undefined, tolerance)
            why = "the sums spread over too many values"
            if not scores.exact:
                why = "the scores have too many digits to be whole numbers"
        else:
            test = _enumerated(scores, a, b, sign)
            why = f"{scores.name} is no ratio of sums"
        if test is None:
            raise UsageError(
                f"no exact test of {scores.systems[a]} and {scores.systems[b]} by {scores.name}: "
                f"{scores.differing(a, b)} items differ, and {why}; use --test shuffle"
            )
        return test

    numbers = range(len(pairs))
    return list(work.pool.map(counted, numbers, work.progress, "exact tests"))


def fixed_shuffles(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return the exchange tests of all pairs by a fixed number of shuffles."""
    drawn = options.fixed_shuffles
    tests = _exchange_tests(scores, pairs)
    return shuffle(tests, drawn, options.seed, work.pool, work.progress)


def strata_of(scores: Scores) -> Ints | None:
    """Return within what the bootstrap draws: the tasks of a weighted mean, or who has an item."""
    counts = scores.counts
    if counts.suite is not None and getattr(scores.metric, "weighted", False):
        return counts.suite.codes
    if counts.present is None:
        return None
    kinds = np.unique(counts.present.T, axis=0, return_inverse=True)[1]
    return np.asarray(kinds.reshape(-1), np.int64)


def bootstrapped(scores: Scores, pairs: Pairs, options: Options, work: Work) -> list[Test]:
    """Return the bootstrap tests of all pairs, from resamples that they share."""
    values, times = resampled_scores(scores, options.shuffles or RESAMPLES, options.seed, work)
    known = scores.values.tolist()
    return [
        shifted_test(values[a] - values[b], known[a], known[b], sign, times) for a, b, sign in pairs
    ]


def resampled_scores(
    scores: Scores, n_resamples: int, seed: int, work: Work
) -> tuple[list[Floats], Ints | None]:
    """Return each system's score in the same resamples, and how many of these each stands for."""
    columns, systems, items = scores.columns.shape
    rows = np.ascontiguousarray(scores.columns.reshape(columns * systems, items).T)
    sums, times = resample(
        rows, n_resamples, seed, work.pool,
        strata=strata_of(scores), times=scores.times, progress=work.progress,
    )  # fmt: skip
    sums = sums.reshape(-1, columns, systems)
    return [scores.of_sums(sums[:, :, system]) for system in range(systems)], times


def unpaired_tests(scores: Scores, pairs: Pairs, options: Options, _: Work) -> list[Test]:
    """Return tests that permute the systems' names over the pooled items of each pair."""
    if not isinstance(scores, RatioScores):
        raise UsageError(f"test 'unpaired' needs a ratio of sums, which {scores.name} is not")
    present, tests = scores.counts.present, []
    for a, b, sign in pairs:
        kept = [slice(None) if present is None else present[system] for system in (a, b)]
        rows = [scores.columns[:, system][:, own].T for system, own in zip((a, b), kept)]  # noqa: B905
        tests.append(
            unpaired(
                rows[0], rows[1], alternative=alternative_of(sign),
                undefined=float(scores.undefined),
                n_resamples=options.fixed_shuffles, rng=options.seed,
            )
        )  # fmt: skip
    return tests


def item_values(scores: Scores, a: int, b: int, test: str) -> tuple[Floats, Floats]:
    """Return the values of two systems item by item, for tests of means over items."""
    if not isinstance(scores, RatioScores):
        raise _misfit(scores, a, b, test, "the score is no sum over items")
    if not scores.same_denominators(a, b):
        raise _misfit(scores, a, b, test, "the score is no mean over items")
    # An item with nothing to get right says nothing of the score; as a row of zeros it would only
    # make the tests count more items than there are.
    sizes = scores.columns[1, a]
    both = scores.columns[0, [a, b]][:, sizes > 0]
    right = float(1 / scores.factor)  # the numerator of a right answer with denominator 1
    if test == "mcnemar" and (sizes.max() > 1 or not ((both == 0) | (both == right)).all()):
        raise _misfit(scores, a, b, test, "items are not simply right or wrong")
    first, second = both.astype(np.float64)
    return first, second


def _misfit(scores: Scores, a: int, b: int, test: str, why: str) -> UsageError:
    return UsageError(
        f"test {test!r} does not fit {scores.name} of {scores.systems[a]} and "
        f"{scores.systems[b]}: {why}; use --test auto"
    )


def _item_by_item(name: str, function: Callable[..., Test]) -> Maker:
    """Return the maker of a test that takes the values of two systems item by item."""

    def make(scores: Scores, pairs: Pairs, _: Options, __: Work) -> list[Test]:
        return [
            _centred(
                name,
                function(*item_values(scores, a, b, name), alternative=alternative_of(sign)),
            )
            for a, b, sign in pairs
        ]

    return make


def _mcnemar(first: Floats, second: Floats, *, alternative: str) -> Test:
    won, lost = (int(np.count_nonzero(x)) for x in (first > second, first < second))
    return mcnemar(won, lost, alternative=alternative)


def _centred(name: str, test: Test) -> Test:
    """Return a test whose statistic changes its sign with the order of the systems.

    That is wins less losses, or the ranks of wins less those of losses, for signs and ranks.

    >>> _centred("sign", sign_test([1, 2, 3, -1])).statistic
    2.0
    """
    if name == "t" or test.statistic is None or test.n is None:
        return test
    total = test.n * (test.n + 1) / 2 if name == "wilcoxon" else test.n
    return replace(test, statistic=2 * test.statistic - total)


_OF_ITEMS: dict[str, Callable[..., Test]] = {
    "t": paired_t,
    "sign": sign_test,
    "wilcoxon": wilcoxon,
    "mcnemar": _mcnemar,
}
_MAKERS: dict[str, Maker] = {
    "auto": auto,
    "exact": exact,
    "shuffle": fixed_shuffles,
    "bootstrap": bootstrapped,
    "unpaired": unpaired_tests,
    **{name: _item_by_item(name, function) for name, function in _OF_ITEMS.items()},
}


def _plugin(name: str) -> Maker:
    """Return the maker of a test that another package adds, of one value per item and system."""
    function = plugins.find(plugins.TESTS, name)
    if function is None:
        raise UsageError(f"there is no test {name!r}; {nearest(name, list(TEST_NAMES))}")
    if isinstance(function, PairTests):
        return function.make
    if not callable(function):
        raise UsageError(
            f"the plug-in {name!r} ({plugins.TESTS}) is no function; uninstall its package"
        )

    def make(scores: Scores, pairs: Pairs, _: Options, __: Work) -> list[Test]:
        return [_plugin_test(name, function, scores, *pair) for pair in pairs]

    return make


def _plugin_test(
    name: str, function: Callable[..., Any], scores: Scores, a: int, b: int, sign: int
) -> Test:
    first, second = item_values(scores, a, b, name)
    assert isinstance(scores, RatioScores)
    tail, worth = alternative_of(sign).removesuffix("-sided"), float(scores.step)
    pair = f"{scores.name} of {scores.systems[a]} and {scores.systems[b]}"
    try:
        p = float(function(first * worth, second * worth, tail))
    except Exception as problem:  # whatever a stranger's function raises
        raise UsageError(
            f"test {name!r}, of another package, fails on {pair}: "
            f"{type(problem).__name__}: {problem}"
        ) from problem
    if not 0 < p <= 1:
        raise UsageError(
            f"test {name!r}, of another package, gives p = {p} for {pair}, which is no p-value"
        )
    return Test(p, name, n=len(first))
