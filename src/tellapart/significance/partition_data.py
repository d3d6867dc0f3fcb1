"""A data set in parts, seen through metrics: what its parts add up to, asked for when needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.partitioned import PartitionedCounts
from tellapart.metrics import Metric
from tellapart.metrics.projection import Bound, BoundFunction, BoundRatio, Projection, project
from tellapart.resampling.bootstrap import BLOCK, GroupedResampler, worth_grouping
from tellapart.resampling.ratios import RatioPair
from tellapart.resampling.streams import SHARD, shares
from tellapart.significance.bootstrap_tests import Resampled, check_memory
from tellapart.significance.dispatch import Execution, exact_outcome
from tellapart.significance.exact_tests import Exact, of_coins, of_exchanges, of_signs
from tellapart.significance.exchanges import SignedTest, pair_of_totals
from tellapart.significance.interval_formulas import JackknifeMoments
from tellapart.significance.intervals import resamples_for
from tellapart.significance.joint_corrections import Permuted, permuted_blocks
from tellapart.significance.partition_sums import (
    JackknifeJob,
    Kinds,
    Moments,
    PairSums,
    PartJob,
    PermutedJob,
    ResamplesJob,
    ShardsJob,
    SumsLayout,
    part_jackknife,
    part_moments,
    part_permuted,
    part_resamples,
    part_subset_sums,
    sum_over_parts,
)
from tellapart.significance.questions import Outcome, Question
from tellapart.significance.residuals import (
    ColumnSums,
    SystemTerms,
    function_residuals,
    lacks_score,
    ratio_residuals,
    terms_of_totals,
)

_MOST_SUMS = 1 << 20  # doubles that a part returns: 8 MB
_MOST_KEPT = 1 << 24  # doubles that are kept of several parts' sums: 128 MB
_FEW_PAIRS = 28  # whose exact tests take a few seconds together
_MOST_RESAMPLED = 1 << 22  # integers that a part returns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass
class PartitionedData:
    """A data set in parts, seen through metrics: sums over all items, random ones on demand."""

    counts: PartitionedCounts
    metrics: tuple[str | Metric, ...]
    seed: int
    execution: Execution
    resampled: bool = False
    """Whether resamples will be asked for"""
    projection: Projection = field(init=False)
    """With the totals of all items, and without the items"""
    moments: Moments = field(init=False)
    _kept: dict[int, Floats] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        empty = project(self.counts.empty(), self.metrics)
        cubes = tuple(k for k, each in enumerate(empty.metrics) if self._needs_cubes(each))
        kinds = self.resampled or any(not is_mean(each) for each in empty.metrics)
        few = comb(len(self.counts.names), 2) <= _FEW_PAIRS
        bare = replace(self.counts, parts=())
        self._job = PartJob(bare, self.metrics, self.seed, cubes, kinds, few)
        self.moments = self._sum(part_moments, self._job)
        self.projection = replace(empty, totals=self.moments.totals)

    def _sum(self, function: Any, job: Any) -> Any:
        pool, progress = self.execution.pool, self.execution.progress
        return sum_over_parts(function, job, self.counts.parts, pool, progress)

    def pair_sums(self, question: Question) -> PairSums:
        """Return what two systems add up to, the first one being the question's."""
        number = self.projection.metrics.index(question.bound)
        return self.moments.pairs[number, question.a, question.b]

    def share_worth(self, bound: Bound) -> float | None:
        """Return what a right answer scores, 1 or 100, if every item is just right or wrong."""
        if not is_mean(bound):
            return None
        facts = self.counts.columns[bound.metric.numerator[0][0]]
        worth = max(1, facts.largest) / facts.scale
        return worth if facts.two_valued and worth in (1, 100) else None

    def _needs_cubes(self, bound: Bound) -> bool:
        return is_mean(bound) and self.share_worth(bound) is None

    @cached_property
    def layout(self) -> SumsLayout:
        """Which sums over exchanged items are wanted."""
        functions = any(isinstance(each, BoundFunction) for each in self.projection.metrics)
        alike = all(each.same_denominators for each in self.moments.pairs.values())
        forms, systems = self.moments.totals.shape
        return SumsLayout(forms, systems, signed=not alike, counted=functions)

    def ratio_pair(self, question: Question) -> RatioPair:
        """Return the sums of two systems, ready for exact comparison."""
        bound, sums = question.bound, self.pair_sums(question)
        assert isinstance(bound, BoundRatio)
        size = int(self.moments.absolute[bound.numerator, [question.a, question.b]].sum())
        items, same = self.counts.items, sums.same_denominators
        return pair_of_totals(self.projection, question, items, size, same)

    def as_tested(self, question: Question, *, equal_scores: bool) -> Question:
        """Return a question about equal scores, or about exchanged outputs."""
        bound, pair, found = question.bound, (question.a, question.b), None
        if not equal_scores or self.pair_sums(question).same_denominators:
            found = None
        elif isinstance(bound, BoundRatio):
            found = ratio_residuals(self.projection, bound, *pair)
        else:
            first, second = (self.column_sums(bound, system) for system in pair)
            found = function_residuals(bound, (first, second), self.counts.items)
        return replace(question, residuals=found)

    def column_sums(self, bound: BoundFunction, system: int) -> ColumnSums:
        """Return what a function's columns add up to for one system."""
        forms, (_, systems) = list(bound.forms), self.moments.totals.shape
        places = [form * systems + system for form in forms]
        return ColumnSums.of_totals(
            self.moments.totals[forms, system],
            self.moments.absolute[forms, system],
            self.moments.products[np.ix_(places, places)],
            self.counts.items,
            bound,
        )

    def system_terms(self, bound: Bound, systems: Sequence[int]) -> SystemTerms | None:
        """Return what items add to the scores of systems, if that can be told."""
        columns = None
        if isinstance(bound, BoundFunction):
            columns = [self.column_sums(bound, system) for system in systems]
        return terms_of_totals(
            self.projection, bound, systems, self.moments.absolute, columns, self.counts.items
        )

    def exact_form(self, question: Question) -> Outcome | None:
        """Return the exact test of a question that numbers of items tell; None if they do not.

        Right and wrong answers need only be counted; all else, sorted by what items have.
        """
        sums = self.pair_sums(question)
        same = question.residuals is None and sums.same_denominators
        if not sums.discordant or (same and self.share_worth(question.bound) is not None):
            coins = of_coins(sums.discordant, sums.more - sums.less, question.tail)
            return exact_outcome(coins)
        found = self._by_sizes(question, sums) if same else self._by_kinds(question, sums)
        return None if found is None else exact_outcome(found)

    def _few(self, kinds: Kinds | None) -> TypeGuard[Kinds]:
        """Return whether kinds are few beside all items, which no cut into parts changes."""
        return kinds is not None and worth_grouping(len(kinds[0]), self.counts.items)

    def _by_sizes(self, question: Question, sums: PairSums) -> Exact | None:
        if not self._few(sums.sizes) or not isinstance(question.bound, BoundRatio):
            return None
        sizes, times = sums.sizes[0][:, 0], sums.sizes[1]
        return of_exchanges(self.ratio_pair(question), sizes, np.zeros_like(sizes), times)

    def _by_kinds(self, question: Question, sums: PairSums) -> Exact | None:
        if not self._few(self.moments.kinds) or comb(len(self.counts.names), 2) > _FEW_PAIRS:
            return None
        rows, times = self.moments.kinds
        pair = question.a, question.b
        kinds = replace(self.projection, forms=rows.T.reshape(*self.moments.totals.shape, -1))
        if question.residuals is not None:
            terms = question.residuals.terms(kinds, *pair)
            threshold = SignedTest.of(self.projection, question).threshold
            return of_signs(terms, threshold, question.tail, sums.discordant, times)
        if isinstance(question.bound, BoundRatio):
            dx, dy = kinds.shifts(question.bound, *pair)
            return of_exchanges(self.ratio_pair(question), dx, dy, times)
        return None

    def unscored(self, question: Question) -> list[str]:
        """Return the systems of a pair that have nothing to divide by, where something differs."""
        if not self.pair_sums(question).discordant:
            return []
        pair = question.a, question.b
        lost = [k for k in pair if lacks_score(self.projection, question.bound, k)]
        return [self.counts.names[k] for k in lost]

    @property
    def shards_per_pass(self) -> int:
        """How many shards fit what a part returns."""
        return max(1, _MOST_SUMS // (self.layout.size * SHARD))

    def subset_sums(self, shards: Sequence[int]) -> Iterator[Floats]:
        """Yield sums over exchanged items shard by shard: columns of the layout × shuffles.

        The parts are read for several shards at a time; the first ones are kept for who asks again.
        """
        drawn: dict[int, Floats] = {}
        for k, shard in enumerate(shards):
            if shard not in self._kept and shard not in drawn:
                lacking = [each for each in shards[k:] if each not in self._kept]
                these = tuple(lacking[: self.shards_per_pass])
                sums = self._sum(part_subset_sums, ShardsJob(self._job, these, self.layout))
                drawn = dict(zip(these, sums, strict=True))
                room = _MOST_KEPT // (self.layout.size * SHARD)
                self._kept |= {each: drawn[each] for each in these if each < room}
            yield self._kept[shard] if shard in self._kept else drawn[shard]

    def resamples(self, n: int) -> Resampled:
        """Return sums of the forms over n resamples of all items."""
        forms, systems = self.moments.totals.shape
        check_memory(n, forms * systems)
        blocks = shares(n, BLOCK)
        kinds = self.moments.kinds
        if self._few(kinds):
            grouped = GroupedResampler(*kinds)
            sums = np.concatenate([grouped.sums(self.seed, *each) for each in blocks])
            return Resampled(sums.reshape(-1, forms, systems))
        found = [
            self._sum(part_resamples, ResamplesJob(self._job, some))
            for some in self._at_a_time(blocks)
        ]
        return Resampled(np.concatenate(found).reshape(-1, forms, systems))

    def permuted_sums(self, permuted: Permuted, n: int) -> Iterator[Ints]:
        """Yield sums of n permutations of the systems within items, several blocks at a time."""
        for some in self._at_a_time(permuted_blocks(n)):
            yield self._sum(part_permuted, PermutedJob(self._job, permuted, some))

    def _at_a_time(
        self, blocks: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield the blocks of draws whose sums a part may return together."""
        some = max(1, _MOST_RESAMPLED // (BLOCK * self.moments.totals.size))
        yield from (tuple(blocks[start : start + some]) for start in range(0, len(blocks), some))

    @cached_property
    def drawn(self) -> Resampled:
        """Resamples for intervals: fewer where there are many items."""
        return self.resamples(resamples_for(self.counts.items))

    @cached_property
    def jackknife(self) -> NDArray[Any]:
        """Power sums of what leaving out each item changes; see `part_jackknife`."""
        return np.asarray(self._sum(part_jackknife, JackknifeJob(self._job, self.moments.totals)))

    def jackknife_moments(self, bound: Bound, place: int) -> JackknifeMoments:
        """Return the moments of the jackknife values of a system, or of a pair behind them."""
        first, second, third = self.jackknife[self.projection.metrics.index(bound), place]
        n = self.counts.items
        mean = first / n
        squares = second - mean * first
        cubes = third - 3 * mean * second + 2 * n * mean**3
        return JackknifeMoments(float(squares), -float(cubes))

    def pair_place(self, a: int, b: int) -> int:
        """Return where a pair stands behind the systems."""
        systems = len(self.counts.names)  # pairs are in the order of `combinations`
        return systems + a * (2 * systems - a - 1) // 2 + b - a - 1


def is_mean(bound: Bound) -> TypeGuard[BoundRatio]:
    """Return whether a metric is a mean over items."""
    return isinstance(bound, BoundRatio) and bound.metric.is_mean
