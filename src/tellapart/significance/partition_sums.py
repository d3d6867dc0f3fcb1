"""What one part of a data set adds: totals, products, subset sums and sums over resamples.

All of it is integers, or doubles that hold integers: what the parts add up to does not depend on
how the items were cut into parts, nor on the order or the place in which these were read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.partitioned import Part, PartitionedCounts
from tellapart.errors import DataError
from tellapart.metrics import Metric
from tellapart.metrics.projection import BoundRatio, Projection, project
from tellapart.progress import Progress
from tellapart.resampling.bootstrap import MOST_KINDS, block_sums, draws_by_block
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.resampling.streams import ITEM_BLOCK, SHARD
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.diagnostics import item_scores, signed_item_differences

_LIMB = 17  # bits: products of two, summed over a quarter of a million items, are exact in doubles
_CHUNK = 1 << 18
_TASKS = 16  # per worker, at least, of a pass: what is lost with a worker is little
_WAVE = 4  # parts per worker that are asked for at a time, so that results do not pile up

Ints = NDArray[np.int64]
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

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(
            self.discordant + other.discordant,
            self.more + other.more,
            self.less + other.less,
            self.same_denominators and other.same_denominators,
            self.cubes + other.cubes,
        )


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
        kinds = None
        if self.kinds is not None and other.kinds is not None:
            kinds = _merged(self.kinds, other.kinds)
        return Moments(
            self.totals + other.totals,
            self.absolute + other.absolute,
            self.products + other.products,
            self.cubes + other.cubes,
            tuple(a and b for a, b in zip(self.bounded, other.bounded, strict=True)),
            {key: each + other.pairs[key] for key, each in self.pairs.items()},
            kinds,
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
        if not isinstance(bound, BoundRatio):
            raise DataError(f"metric {bound.metric.name!r} is no ratio of sums")
        if k in job.cubes:
            cubes[k] = [_sum_of_cubes(row) for row in projection.forms[bound.numerator]]
        for a, b in combinations(range(systems), 2):
            pairs[k, a, b] = _pair_sums(projection, bound, a, b, cubes=k in job.cubes)
    return Moments(
        projection.totals,
        np.abs(projection.forms).sum(axis=2),
        _products(rows),
        cubes,
        tuple(_bounded(projection, bound) for bound in projection.metrics),
        pairs,
        _kinds(rows.T) if job.kinds else None,
    )


def _bounded(projection: Projection, bound: Any) -> bool:
    values, sizes = projection.forms[bound.numerator], projection.forms[bound.denominator]
    return bool((values >= 0).all() and (values * float(bound.factor) <= sizes).all())


def _pair_sums(
    projection: Projection, bound: BoundRatio, a: int, b: int, *, cubes: bool
) -> PairSums:
    moved, other = projection.shifts(bound, a, b)
    same = not other.any()
    if same:  # with the same positive denominator the larger numerator wins
        differ = moved != 0
        ahead = np.where(projection.forms[bound.denominator, a] > 0, -moved, 0)
    else:
        differ = projection.discordant(bound, a, b)
        alone = item_scores(projection, bound)
        assert alone is not None
        ahead = signed_item_differences(projection, bound, a, b, alone)
    return PairSums(
        int(np.count_nonzero(differ)),
        int(np.count_nonzero(ahead > 0)),
        int(np.count_nonzero(ahead < 0)),
        same,
        _sum_of_cubes(-moved) if cubes else 0,
    )


def _products(rows: Ints) -> NDArray[Any]:
    """Return the sums of products of all pairs of rows, exactly.

    Numbers are cut into limbs that are small enough for a matrix product of doubles.

    >>> _products(np.array([[1 << 40, 3], [-5, 1]])).tolist()
    [[1208925819614629174706185, -5497558138877], [-5497558138877, 26]]
    """
    largest = int(np.abs(rows).max(initial=0))
    limbs = max(1, -(-largest.bit_length() // _LIMB))
    found = np.zeros((len(rows), len(rows)), object)
    for start in range(0, rows.shape[1], _CHUNK):
        rest, cut = rows[:, start : start + _CHUNK], []
        for _ in range(limbs - 1):
            cut.append((rest & ((1 << _LIMB) - 1)).astype(np.float64))
            rest = rest >> _LIMB
        cut.append(rest.astype(np.float64))
        for i, one in enumerate(cut):
            for k, other in enumerate(cut):
                exact = (one @ other.T).astype(np.int64).astype(object)
                found += exact * (1 << (_LIMB * (i + k)))
    return found


def _sum_of_cubes(row: Ints) -> int:
    """Return the sum of cubes, exactly.

    >>> _sum_of_cubes(np.array([1 << 40, -2, 3])) == (1 << 120) - 8 + 27
    True
    """
    largest = int(np.abs(row).max(initial=0))
    chunk = (1 << 62) // max(1, largest**3)
    if chunk < 256:
        return int(sum(each**3 for each in row.tolist()))
    starts = np.arange(0, len(row), chunk) if len(row) else np.zeros(0, np.int64)
    return sum(np.add.reduceat(row**3, starts).tolist()) if len(row) else 0


def _kinds(rows: Ints) -> Kinds | None:
    """Return the distinct rows in order and how often each is there; None if there are too many."""
    low = rows.min(axis=0)
    spans = [int(span) + 1 for span in rows.max(axis=0) - low]
    if math.prod(spans) >= 1 << 62:
        return None
    codes = np.ravel_multi_index(tuple((rows - low).T), tuple(spans))
    _, first, times = np.unique(codes, return_index=True, return_counts=True)
    return (rows[first], times.astype(np.int64)) if len(times) <= MOST_KINDS else None


def _merged(one: Kinds, other: Kinds) -> Kinds | None:
    rows = np.concatenate([one[0], other[0]])
    found, places = np.unique(rows, axis=0, return_inverse=True)
    times = np.zeros(len(found), np.int64)
    np.add.at(times, places.reshape(-1), np.concatenate([one[1], other[1]]))
    return (found, times) if len(found) <= MOST_KINDS else None


@dataclass(frozen=True, slots=True)
class ShardsJob:
    """Some shards of shuffles, for a part."""

    job: PartJob
    shards: tuple[int, ...]
    absolute: bool
    """Whether each system's own sums are wanted, not those less the first system's"""


def part_subset_sums(work: ShardsJob, part: Part) -> Floats:
    """Return the sums over exchanged items of a part: shards × forms × systems × shuffles."""
    forms = work.job.projection(part).forms
    systems = forms.shape[1]
    if work.absolute:
        forms = np.concatenate([np.zeros_like(forms[:, :1]), forms], axis=1)
    plan = ShufflePlan(forms, part.first)
    found = np.empty((len(work.shards), len(forms), systems, SHARD))
    skip = int(work.absolute)
    for k, shard in enumerate(work.shards):
        sums = plan.subset_sums(work.job.seed, shard, SHARD)
        for form in range(len(forms)):
            for system in range(systems):
                found[k, form, system] = plan.form_sums(sums, form, system + skip)
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
class JackknifeJob:
    """Totals of all items, of which those of a part are left out in turn."""

    job: PartJob
    totals: Ints


def part_jackknife(work: JackknifeJob, part: Part) -> Floats:
    """Return power sums of how far leaving out each item moves scores.

    Metrics × (systems, then pairs) × (first, second, third power).
    """
    projection = work.job.projection(part)
    systems = projection.forms.shape[1]
    found = []
    for bound in projection.metrics:
        moved = []
        for system in range(systems):
            left = work.totals[:, system] - projection.forms[:, system, :].T
            moved.append(scores(bound, left) - scores(bound, work.totals[:, system]))
        moved += [moved[a] - moved[b] for a, b in combinations(range(systems), 2)]
        found.append([[math.fsum(each**power) for power in (1, 2, 3)] for each in moved])
    return np.array(found)
