"""What one part of a data set adds: totals, products, subset sums and sums over resamples.

All of it is integers, or doubles that hold integers: what the parts add up to does not depend on
how the items were cut into parts, nor on the order or the place in which these were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.partitioned import Part, PartitionedCounts
from tellapart.metrics import Metric
from tellapart.metrics.projection import BoundRatio, Projection, project
from tellapart.progress import Progress
from tellapart.resampling.bootstrap import block_sums, draws_by_block, kinds_of, worth_grouping
from tellapart.resampling.exact_sums import sum_of_cubes, sum_of_floats, sums_of_products
from tellapart.resampling.shuffles import ShufflePlan, SumColumns
from tellapart.resampling.streams import ITEM_BLOCK, SHARD
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import jackknife, scores
from tellapart.significance.diagnostics import item_scores, signed_item_differences
from tellapart.significance.exchanges import SignedColumns, beside_nothing
from tellapart.significance.intervals import items_in_range
from tellapart.significance.joint_corrections import Permuted, permuted_sums

_TASKS = 16  # per worker, at least, of a pass: what is lost with a worker is little
_WAVE = 4  # parts per worker that are asked for at a time, so that results do not pile up

Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Floats = NDArray[np.float64]
Kinds = tuple[Ints, Ints]
"""Distinct rows of all forms and systems, and how many items have each"""
PairKey = tuple[int, int, int]
"""The place of a metric, and two systems"""


@dataclass(frozen=True, slots=True)
class PartJob:
    """What a worker needs for any part: the counts (without their parts) and the metrics."""

    counts: PartitionedCounts
    metrics: tuple[str | Metric, ...]
    seed: int
    cubes: tuple[int, ...] = ()
    """The metrics, by their places, whose means are no shares: skewness needs cubes"""
    kinds: bool = False
    """Whether kinds of rows are wanted"""
    sizes: bool = False
    """Whether sizes of differences are, of means that are no shares"""

    def projection(self, part: Part) -> Projection:
        """Return the forms of one part."""
        return project(self.counts.of(part.values()), self.metrics)


def over_parts(
    function: Any, payload: Any, parts: Sequence[Any], pool: WorkerPool, progress: Progress
) -> Iterator[Any]:
    """Yield function(payload, part) for all parts in order, a few at a time."""
    wave, done = _WAVE * pool.count, 0
    progress("parts", done, len(parts))
    for start in range(0, len(parts), wave):
        for found in pool.map(function, payload, parts[start : start + wave]):
            yield found
            done += 1
            progress("parts", done, len(parts))


def sum_over_parts(
    function: Any, job: Any, parts: Sequence[Part], pool: WorkerPool, progress: Progress
) -> Any:
    """Return the sum of function(job, part) over all parts, which must be exact.

    Where there are many more parts than workers, these add up several before they return them.
    """
    size = max(1, len(parts) // (_TASKS * pool.count))
    groups = [parts[start : start + size] for start in range(0, len(parts), size)]
    return reduce(add, over_parts(_sum_of_group, (function, job), groups, pool, progress))


def _sum_of_group(payload: tuple[Any, Any], group: Sequence[Part]) -> Any:
    function, job = payload
    return reduce(add, (function(job, part) for part in group))


@dataclass(frozen=True, slots=True)
class PairSums:
    """What the items of two systems add up to under one metric."""

    discordant: int
    more: int
    """Items on which the first system's score is larger"""
    less: int
    same_denominators: bool
    cubes: int = 0
    """Of differences of numerators"""
    sizes: Kinds | None = None
    """Of differences of numerators, and how many items have each; None if there are too many"""

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(
            self.discordant + other.discordant,
            self.more + other.more,
            self.less + other.less,
            self.same_denominators and other.same_denominators,
            self.cubes + other.cubes,
            _both(self.sizes, other.sizes),
        )


def _both(one: Kinds | None, other: Kinds | None) -> Kinds | None:
    """Return the kinds of two parts together; None if one of them had too many, or both have."""
    if one is None or other is None:
        return None
    rows, times = (np.concatenate(each) for each in zip(one, other, strict=True))
    return kinds_of(rows, times)


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the items of a part, or of several: everything but random numbers."""

    totals: Ints  # forms × systems
    absolute: Ints
    products: NDArray[Any]  # (forms × systems)², as integers of any size
    cubes: NDArray[Any]  # metrics × systems
    bounded: tuple[bool, ...]
    """By metric, whether scores lie between 0 and 1 on every item"""
    pairs: dict[PairKey, PairSums]
    kinds: Kinds | None

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.totals + other.totals,
            self.absolute + other.absolute,
            self.products + other.products,
            self.cubes + other.cubes,
            tuple(a and b for a, b in zip(self.bounded, other.bounded, strict=True)),
            {key: each + other.pairs[key] for key, each in self.pairs.items()},
            _both(self.kinds, other.kinds),
        )

    def product(self, one: tuple[int, int], other: tuple[int, int]) -> int:
        """Return the sum of products of two rows, each a form of a system."""
        systems = self.totals.shape[1]
        return int(self.products[one[0] * systems + one[1], other[0] * systems + other[1]])


def part_moments(job: PartJob, part: Part) -> Moments:
    """Return the sums over the items of one part."""
    projection = job.projection(part)
    forms, systems, items = projection.forms.shape
    rows = projection.forms.reshape(forms * systems, items)
    cubes = np.zeros((len(projection.metrics), systems), object)
    pairs: dict[PairKey, PairSums] = {}
    for k, bound in enumerate(projection.metrics):
        if k in job.cubes and isinstance(bound, BoundRatio):
            cubes[k] = [sum_of_cubes(row) for row in projection.forms[bound.numerator]]
        alike = isinstance(bound, BoundRatio) and not projection.alike_denominators(bound).any()
        alone = None if alike else item_scores(projection, bound)
        for a, b in combinations(range(systems), 2):
            pairs[k, a, b] = _pair_sums(job, projection, k, (a, b), alone)
    return Moments(
        projection.totals,
        np.abs(projection.forms).sum(axis=2),
        sums_of_products(rows),
        cubes,
        tuple(items_in_range(bound, projection) for bound in projection.metrics),
        pairs,
        _kinds(rows.T, job.counts.items) if job.kinds else None,
    )


def _kinds(rows: Ints, items: int) -> Kinds | None:
    """Return the kinds of a part's rows; None if of all items they are too many to be of use."""
    found = kinds_of(rows)
    return found if found is not None and worth_grouping(len(found[0]), items) else None


def _pair_sums(
    job: PartJob,
    projection: Projection,
    metric: int,
    pair: tuple[int, int],
    alone: Floats | None,
) -> PairSums:
    """Return the sums of a pair; `alone` are the scores of items, unless numerators tell all."""
    bound, same, third, sizes = projection.metrics[metric], False, 0, None
    if isinstance(bound, BoundRatio):
        moved, _ = projection.shifts(bound, *pair)
        same = projection.same_denominators(bound, *pair)
        if metric in job.cubes:
            third = -sum_of_cubes(moved)
            sizes = _kinds(np.abs(moved)[:, None], job.counts.items) if job.sizes else None
    if isinstance(bound, BoundRatio) and same:  # the larger numerator wins, if it is over anything
        differ = moved != 0
        ahead = np.where(projection.forms[bound.denominator, pair[0]] > 0, -moved, 0)
    else:
        assert alone is not None
        differ = projection.discordant(bound, *pair)
        ahead = signed_item_differences(projection, bound, *pair, alone)
    more, less = (int(np.count_nonzero(won)) for won in (ahead > 0, ahead < 0))
    return PairSums(int(np.count_nonzero(differ)), more, less, same, third, sizes)


@dataclass(frozen=True, slots=True)
class SumsLayout:
    """Which sums over exchanged items the parts return, and where each stands among them."""

    forms: int
    systems: int
    signed: bool
    """Whether each system's own sums are wanted, not those less the first system's"""
    counted: bool
    """Whether the exchanged items are counted, too"""

    @property
    def columns(self) -> Int32s:
        """The column of each form of each system; see `SumColumns` and `SignedColumns`."""
        forms, systems = self.forms + self.signed, self.systems + self.signed
        wanted = np.zeros((forms, systems), np.bool_)
        wanted[: self.forms, 1:] = True
        wanted[self.forms :, 1:2] = self.counted
        found = np.full(wanted.shape, -1, np.int32)
        found[wanted] = np.arange(np.count_nonzero(wanted))
        return found

    @property
    def size(self) -> int:
        """The number of columns."""
        return int(self.columns.max()) + 1

    @property
    def plain(self) -> SumColumns:
        """Where sums stand that are exchanged."""
        shift = int(self.signed)
        return SumColumns(self.columns[: self.forms, shift:])

    @property
    def of_signs(self) -> SignedColumns | None:
        """Where sums stand whose signs are flipped."""
        places = {form: form for form in range(self.forms)}
        return SignedColumns(SumColumns(self.columns), places) if self.signed else None


@dataclass(frozen=True, slots=True)
class ShardsJob:
    """Some shards of shuffles, for a part."""

    job: PartJob
    shards: tuple[int, ...]
    layout: SumsLayout


def part_subset_sums(work: ShardsJob, part: Part) -> Floats:
    """Return the sums over exchanged items of a part: shards × columns × shuffles."""
    forms, layout = work.job.projection(part).forms, work.layout
    if layout.signed:
        forms = beside_nothing(forms, counted=layout.counted)
    plan, columns = ShufflePlan(forms, part.first), layout.columns
    found = np.empty((len(work.shards), layout.size, SHARD))
    for k, shard in enumerate(work.shards):
        sums = plan.subset_sums(work.job.seed, shard, SHARD)
        for form, system in np.argwhere(columns >= 0).tolist():
            found[k, columns[form, system]] = plan.form_sums(sums, form, system)
    return found


@dataclass(frozen=True, slots=True)
class ResamplesJob:
    """Resamples of all items, of which a part has some."""

    job: PartJob
    blocks: tuple[tuple[int, int], ...]
    """Blocks of resamples, and how many of each"""


def part_resamples(work: ResamplesJob, part: Part) -> Ints:
    """Return what a part's items add to every resample: resamples × (forms × systems)."""
    items = work.job.counts.items
    forms = work.job.projection(part).forms
    rows = np.ascontiguousarray(forms.reshape(-1, part.size).T)
    found = []
    for block, n in work.blocks:
        draws = draws_by_block(work.job.seed, block, items)[:n]
        sums = np.zeros((n, rows.shape[1]), np.int64)
        for k in range(part.first // ITEM_BLOCK, -(-(part.first + part.size) // ITEM_BLOCK)):
            # The whole block, of which items of other parts add nothing.
            own = np.zeros((min(ITEM_BLOCK, items - k * ITEM_BLOCK), rows.shape[1]), np.int64)
            start = max(part.first, k * ITEM_BLOCK)
            end = min(part.first + part.size, k * ITEM_BLOCK + len(own))
            own[start - k * ITEM_BLOCK : end - k * ITEM_BLOCK] = rows[
                start - part.first : end - part.first
            ]
            sums += block_sums(own, draws[:, k], work.job.seed, block, k)
        found.append(sums)
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class PermutedJob:
    """Permutations of the systems within items, of which a part has some."""

    job: PartJob
    permuted: Permuted
    blocks: tuple[tuple[int, int], ...]
    """Blocks of permutations, and how many of each"""


def part_permuted(work: PermutedJob, part: Part) -> Ints:
    """Return what a part's items add to systems that are permuted within each of them."""
    forms = work.permuted.forms(work.job.projection(part))
    seed, items = work.job.seed, work.job.counts.items
    found = [permuted_sums(forms, seed, block, items, part.first) for block in work.blocks]
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class JackknifeJob:
    """Totals of all items, of which those of a part are left out in turn."""

    job: PartJob
    totals: Ints


def part_jackknife(work: JackknifeJob, part: Part) -> NDArray[Any]:
    """Return power sums of how far leaving out each item moves scores, as fractions.

    Metrics × (systems, then pairs) × (first, second, third power).
    """
    projection = replace(work.job.projection(part), totals=work.totals)
    systems = projection.forms.shape[1]
    found = []
    for bound in projection.metrics:
        moved = [
            jackknife(projection, bound, system) - scores(bound, work.totals[:, system])
            for system in range(systems)
        ]
        moved += [moved[a] - moved[b] for a, b in combinations(range(systems), 2)]
        found.append([[sum_of_floats(each**power) for power in (1, 2, 3)] for each in moved])
    return np.array(found, object)
