"""The order of items: what is matched by id must not depend on the order it was given in.

Random numbers are dealt to items by their position. So a comparison first puts the items in the
order of their ids, and the runs of a system, which have no ids, in the order of their values: rows
that were shuffled give the same p-values, intervals and digest, to the last bit. Items that are
named by their number (lines, sentences) are in order already, and for them the order is part of
the data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tellapart.counts.counts import Counts

# ASCII only: what else is a digit depends on the version of Unicode.
_NUMBER: Final = re.compile("([0-9]+)")
_TOGETHER: Final = 1 << 14  # items whose values are put in order at a time


def natural_order(ids: Sequence[str]) -> NDArray[np.intp]:
    """Return the positions of ids in the order of people: numbers within them count as numbers.

    >>> natural_order(["q10", "q9", "p", "q09"]).tolist()
    [2, 3, 1, 0]
    """
    # Ids such as q1, q2, …: the usual ones, of which a million go fast.
    numbers = _numbers_after_prefix(ids)
    if numbers is not None:
        order = np.argsort(numbers, kind="stable")
        if (np.diff(numbers[order]) > 0).all():
            return order
    # Leading zeros, as in 9 and 09, only tell ids apart that are the same without them.
    keys = [(_key(each), each) for each in ids]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp)


def _numbers_after_prefix(ids: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the numbers of ids that share what stands before them; None of others."""
    prefix = ids[0].rstrip("0123456789") if ids else ""
    if not all(each.startswith(prefix) for each in ids):
        return None
    numbers = [each[len(prefix) :] for each in ids]
    if not all(each.isascii() and each.isdigit() and len(each) < 19 for each in numbers):
        return None
    return np.array(list(map(int, numbers)), np.int64)


def natural_sorted(ids: Sequence[str]) -> list[str]:
    """Return ids in the order of people.

    >>> natural_sorted(["q10", "q9"])
    ['q9', 'q10']
    """
    return [ids[i] for i in natural_order(ids)]


def _key(text: str) -> list[str | Decimal]:
    """Return what stands between numbers, and these, in turn."""
    parts = _NUMBER.split(text)
    return [Decimal(part) if k % 2 else part for k, part in enumerate(parts)]


def in_order(counts: Counts) -> Counts:
    """Return the counts with items in the order of their ids, and runs in that of their values.

    >>> from tellapart.counts import Counts
    >>> in_order(Counts.from_arrays({"A": [1, 0, 0]}, items=["q10", "q9", "q1"])).items
    ('q1', 'q9', 'q10')
    """
    order = natural_order(counts.items)
    if not np.array_equal(order, np.arange(len(order))):
        counts = replace(counts.keep(order), regions=counts.regions)
    if not counts.runs:
        return counts
    orders = [_order_of_runs(runs) for runs in counts.runs]
    before = counts.run_order or tuple(tuple(range(len(runs))) for runs in counts.runs)
    return replace(
        counts,
        runs=tuple(runs[order] for runs, order in zip(counts.runs, orders, strict=True)),
        run_order=_in_orders(before, orders),
        cells=_in_orders(counts.cells, orders) if counts.cells else (),
    )


def _in_orders(
    given: Sequence[Sequence[Any]], orders: Sequence[Sequence[int]]
) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(own[k] for k in order) for own, order in zip(given, orders, strict=True))


def _order_of_runs(runs: NDArray[np.float64]) -> list[int]:
    # Any order will do that depends on the values alone. Adding 0 makes -0 and 0 the same.
    values = [(run + 0.0).astype(">f8").tobytes() for run in runs]
    return sorted(range(len(values)), key=values.__getitem__)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array, "<i8").data


def digest(counts: Counts) -> str:
    """Return a short text that is the same for the same counts; items are put in order before.

    The order of systems and columns does not matter.

    >>> from tellapart.counts import Counts
    >>> given = Counts.from_arrays({"A": [1, 0], "B": [0, 0]}, items=["x", "y"])
    >>> other = Counts.from_arrays({"B": [0, 0], "A": [0, 1]}, items=["y", "x"])
    >>> digest(in_order(given)) == digest(in_order(other))
    True
    """
    systems = sorted(range(len(counts.names)), key=counts.names.__getitem__)
    columns = sorted(range(len(counts.columns)), key=counts.columns.__getitem__)
    found = hashlib.sha256()
    for part in (
        tuple(counts.names[s] for s in systems),
        counts.items,
        tuple(counts.columns[c] for c in columns),
        tuple(int(counts.scales[c]) for c in columns),
    ):
        # Not `repr`: which characters it escapes depends on the version of Unicode.
        found.update(ascii(part).encode())
    present = np.empty(0) if counts.present is None else counts.present[systems]
    for s in systems:
        for start in range(0, len(counts.items), _TOGETHER):
            found.update(_bytes_of(counts.values[s, start : start + _TOGETHER, columns].T))
    times = () if counts.times is None else (counts.times,)
    for array in (counts.sizes, present, *times):
        found.update(_bytes_of(array))
    if counts.suite is not None and (weights := counts.suite.weights(counts.sizes)) is not None:
        found.update(np.ascontiguousarray(weights.astype("<f8")).tobytes())
    if counts.people is not None:
        found.update(np.ascontiguousarray(counts.people[systems].astype("<f8")).tobytes())
    if counts.runs:
        # Columns that were made of all runs together stand last, and are not among those of runs.
        own = [c for c in columns if c < counts.runs[0].shape[2]]
        for s in systems:
            runs = counts.runs[s][:, :, own]  # whose order may hang on that of the columns
            found.update(np.ascontiguousarray(runs[_order_of_runs(runs)].astype("<f8")).tobytes())
    return found.hexdigest()[:12]
