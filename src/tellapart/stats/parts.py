"""A part of the rows against the rest, by recall, precision and F: which rows it has is exchanged.

In a block with rows of both kinds, which of them are of the part is drawn anew; so is, of blocks
with one kind, which have that of the part. Rows of a block stand and fall together and the sides
differ in size, so the difference is measured in standard errors by block, anew for every draw.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from tellapart.stats import streams
from tellapart.stats.result import Flags, Floats, Ints

METRICS = ("recall", "precision", "product", "f1")
"""Recall, precision, their product, and F"""
_CELLS = 1 << 22  # numbers that are held at a time


def part_against_rest(
    selected: ArrayLike,
    values: ArrayLike,
    blocks: ArrayLike,
    *,
    n_resamples: int = 9_999,
    rng: int = 0,
) -> tuple[dict[str, float], float]:
    """Return p of the part's scores being those of the rest, by metric, and the smallest possible.

    Args:
        selected: which rows are of the part: some, not all.
        values: rows × 3, what is matched, possible and actual; of several systems, whose mean
            score counts, side by side.
        blocks: which rows stand and fall together.
        n_resamples: arrangements to draw, where there are more.
        rng: their seed.

    >>> rows = [[1, 1, 1]] * 4 + [[0, 1, 1]] * 4
    >>> part_against_rest([True] * 4 + [False] * 4, rows, range(8))[0]["recall"]
    0.02857142857142857
    """
    inside, rows = np.asarray(selected, np.bool_), np.asarray(values)
    names, block = np.unique(np.asarray(blocks), return_inverse=True)
    chosen = np.bincount(block, inside, len(names))
    mixed = (chosen > 0) & (chosen < np.bincount(block))
    # What is exchanged: rows within mixed blocks, the others as a whole and with one another.
    unit = np.where(mixed[block], np.arange(len(block)), -1 - block)
    _, first, of_row = np.unique(unit, return_index=True, return_inverse=True)
    sums = np.zeros((len(first), rows.shape[1]))
    np.add.at(sums, of_row, rows)
    of_unit = block[first]
    strata = np.where(mixed[of_unit], of_unit, -1)
    labels, number = exchanged_labels(inside[first], strata, n_resamples, rng)
    hits = np.zeros(len(METRICS), np.int64)
    observed = _standardized(inside[first][None], sums, of_unit)
    for part in np.array_split(labels, 1 + len(labels) * sums.size // _CELLS):
        sizes = np.abs(_standardized(part, sums, of_unit))
        hits += np.count_nonzero(sizes >= np.abs(observed) * (1 - 1e-9) - 1e-9, axis=0)
    own = int(len(labels) < number)  # the data are one more arrangement
    total = len(labels) + own
    p = {metric: (n + own) / total for metric, n in zip(METRICS, hits.tolist(), strict=True)}
    return p, max(1 / total, 1 / number)


def exchanged_labels(
    selected: ArrayLike, strata: ArrayLike, n_resamples: int = 9_999, rng: int = 0
) -> tuple[Flags, int]:
    """Return which items of a part could be in it, arrangements × items, and how many there are.

    Each stratum keeps how many it has. All arrangements are taken, or so many drawn of more.

    >>> exchanged_labels([True, False, False], [0, 0, 1])[0].tolist()
    [[True, False, False], [False, True, False]]
    """
    labels, stratum = np.asarray(selected, np.bool_), np.asarray(strata)
    groups = [np.flatnonzero(stratum == name) for name in np.unique(stratum)]
    number = math.prod(math.comb(len(items), int(labels[items].sum())) for items in groups)
    enumerated = number <= n_resamples
    found = np.tile(labels, (1 if enumerated else n_resamples, 1))
    for k, items in enumerate(groups):
        own = labels[items]
        if own.all() or not own.any():
            continue
        if enumerated:
            subsets = list(combinations(range(len(items)), int(own.sum())))
            chosen = np.zeros((len(subsets), len(items)), np.bool_)
            np.put_along_axis(chosen, np.array(subsets), True, axis=1)
            found = np.repeat(found, len(chosen), axis=0)
            found[:, items] = np.tile(chosen, (len(found) // len(chosen), 1))
        else:
            generator = streams.generator(rng, streams.SPLITS, k)
            found[:, items] = generator.permuted(found[:, items], axis=1)
    return found, number


def _standardized(selected: Flags, values: Floats, block: Ints) -> Floats:
    """Return differences of scores in standard errors, arrangements × metrics.

    Each arrangement says which rows of values are selected; scores are means over the systems,
    whose columns stand side by side in threes.
    """
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order], prepend=-1))
    sides = []
    for labels in (selected, ~selected):
        sums = np.add.reduceat(labels[:, order, None] * values[order], starts, axis=1)
        sides.append(scores_and_shares(sums.reshape(*sums.shape[:2], -1, 3)))
    columns = []
    for metric in METRICS:
        (score, shares), (other, others) = (side[metric] for side in sides)
        error = np.sqrt(((shares - others) ** 2).sum(axis=1))
        columns.append((score - other) / np.maximum(error, 1e-9))  # of equal blocks, the largest
    return np.stack(columns, axis=1)


def scores_and_shares(sums: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Return by metric the mean score over systems, and what each block adds to its error.

    Sums are arrangements × blocks × systems × (matched, possible, actual).
    """
    matched, possible, actual = np.moveaxis(sums, -1, 0)
    recall, by_recall = _ratio(matched, possible)
    precision, by_precision = _ratio(matched, actual)
    by_product = precision[:, None] * by_recall + recall[:, None] * by_precision
    found = ((recall, by_recall), (precision, by_precision), (recall * precision, by_product),
             _ratio(2 * matched, possible + actual))  # fmt: skip
    return {
        metric: (scores.mean(axis=-1), shares.mean(axis=-1))
        for metric, (scores, shares) in zip(METRICS, found, strict=True)
    }


def _ratio(top: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return the ratio of sums over blocks, 0 where there is nothing, and its linear shares."""
    size = below.sum(axis=1)
    empty = size == 0
    size[empty] = 1.0
    score = np.where(empty, 0.0, top.sum(axis=1) / size)
    return score, (top - score[:, None] * below) / size[:, None]
