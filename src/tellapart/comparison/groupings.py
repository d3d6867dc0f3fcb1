"""Groupings of items by what may explain a difference: gold's length and words, score, labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.ngrams import words_of
from tellapart.comparison.slices import AUTOMATIC_VALUES
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted

BUCKETS: Final = 4
MOST_LABELS: Final = 20

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grouping:
    """What items are grouped by, the names of the groups, and the group of each item."""

    by: str
    names: tuple[str, ...]
    codes: Integers
    of_scores: bool = False
    """Whether the groups are made of the scores themselves, on which differences depend anyway"""


def groupings(counts: Counts, both: NDArray[np.float64], cluster: str | None) -> list[Grouping]:
    """Return all groupings of the items of two systems that have at least two groups.

    `both` is the mean score of the two systems on each item, which says how hard it is. It stays
    as it is when the systems are exchanged, and so a test within its buckets holds.

    >>> labels = {"topic": ["x", "x", "y", "y"], "id": ["1", "2", "3", "4"]}
    >>> counts = Counts.from_arrays({"A": [1, 0, 1, 0], "B": [0, 0, 1, 1]}, labels=labels)
    >>> [(each.by, each.names) for each in groupings(counts, np.array([0.5, 0, 1, 0.5]), None)]
    [('topic', ('x', 'y'))]
    """
    found = [*_of_gold(counts), *_of_score(both), *_of_labels(counts, cluster)]
    return [each for each in found if len(each.names) > 1]


def bucketed(
    values: NDArray[np.float64], name: Callable[[float, float], str]
) -> tuple[tuple[str, ...], Integers]:
    """Return at most four buckets of about as many values, equal values together.

    >>> bucketed(np.array([1.0, 9, 2, 2, 3, 4, 7, 8]), lambda low, high: f"{low:g}-{high:g}")
    (('1-2', '3-3', '4-7', '8-9'), array([0, 3, 0, 0, 1, 2, 2, 3]))
    """
    distinct = np.unique(values)
    if len(distinct) <= BUCKETS:
        edges = distinct[:-1]
    else:
        shares = np.arange(1, BUCKETS) / BUCKETS
        edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    _, codes = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)
    ends = [(values[codes == k].min(), values[codes == k].max()) for k in range(codes.max() + 1)]
    return tuple(name(float(low), float(high)) for low, high in ends), codes.astype(np.int64)


def _range(low: float, high: float) -> str:
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def _of_gold(counts: Counts) -> Iterator[Grouping]:
    """Yield the groupings by gold's length, and by how often its words occur in all golds."""
    golds = () if counts.texts is None else counts.texts.golds
    if not any(golds):
        return
    words = [words_of(gold) for gold in golds]
    lengths = np.array([len(each) for each in words], np.float64)
    yield Grouping("words of gold", *bucketed(lengths, _range))
    seen = Counter(word for each in words for word in each)
    # The mean of logarithms: one common word among rare ones does not hide them.
    usual = np.array([math.fsum(math.log(seen[w]) for w in e) / max(len(e), 1) for e in words])
    ranges, codes = bucketed(np.round(usual, 9), _range)
    if len(ranges) == BUCKETS:
        names: tuple[str, ...] = ("rarest quarter", "rarer than most", "commoner", "commonest")
    else:
        names = tuple(f"step {k + 1} of {len(ranges)}" for k in range(len(ranges)))
    yield Grouping("frequency of gold's words", names, codes)


def _of_score(both: NDArray[np.float64]) -> Iterator[Grouping]:
    if len(np.unique(np.round(both, 9))) > 3:  # else they are but: both wrong, one right, both
        names, codes = bucketed(np.round(both, 9), _range)
        yield Grouping("mean score of both", names, codes, of_scores=True)


def _of_labels(counts: Counts, cluster: str | None) -> Iterator[Grouping]:
    chosen = [label for label in counts.labels if label != cluster]
    for label in chosen[:MOST_LABELS]:
        texts = counts.labels[label]
        values = natural_sorted(sorted(set(texts)))
        if 2 <= len(values) <= AUTOMATIC_VALUES and len(values) < len(texts):
            place = {value: k for k, value in enumerate(values)}
            codes = np.array([place[text] for text in texts], np.int64)
            yield Grouping(label, tuple(value or "(none)" for value in values), codes)
        elif len(values) > AUTOMATIC_VALUES:
            numbers = _numbers(texts)
            if numbers is not None:
                yield Grouping(label, *bucketed(numbers, _range))


def left_out(counts: Counts, found: Sequence[Grouping], cluster: str | None) -> tuple[str, ...]:
    """Return the labels that tell kinds of items apart, but have too many values to group by."""
    used = {each.by for each in found}
    several = (label for label in counts.labels if label not in used and label != cluster)
    return tuple(e for e in several if 1 < len(set(counts.labels[e])) < len(counts.items))


def _numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        found = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None
