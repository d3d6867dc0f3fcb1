"""Counts of systems that were run on different items, side by side: what an unpaired test takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tellapart.counts.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.words import listed


def apart(parts: Sequence[Counts]) -> Counts:
    """Return the counts of all parts, of which no two have an item in common.

    >>> old = Counts.from_arrays({"old": [[3, 1], [2, 0]]}, columns=["tp", "fp"], items=["a", "b"])
    >>> new = Counts.from_arrays({"new": [[4, 1]]}, columns=["tp", "fp"], items=["c"])
    >>> both = apart([old, new])
    >>> both.present.tolist(), both.summed().tolist()
    ([[True, True, False], [False, False, True]], [[5, 1], [4, 1]])
    """
    names = [name for part in parts for name in part.names]
    items = [item for part in parts for item in part.items]
    if len(set(names)) < len(names):
        raise UsageError(f"{listed(sorted(set(names)))}: give each a name of its own, NAME=FILE")
    if len(set(items)) < len(items):
        both = sorted({item for item in items if items.count(item) > 1})
        raise DataError(
            f"{listed(both, 5)}: in both test sets, which must have different items: rename the "
            "ids of one"
        )
    if any(part.runs for part in parts):
        raise UsageError("one run of a system is held against another; give one file of each")
    scales = tuple(math.lcm(*each) for each in zip(*(part.scales for part in parts), strict=True))
    values = np.zeros((len(names), len(items), len(scales)), np.int64)
    present = np.zeros(values.shape[:2], np.bool_)
    row = column = 0
    for part in parts:
        here = np.s_[row : row + len(part.names), column : column + len(part.items)]
        values[here] = part.values * (np.array(scales) // np.array(part.scales))
        present[here] = True
        row, column = row + len(part.names), column + len(part.items)
    labels = set.intersection(*(set(part.labels) for part in parts))
    views = {item: part.views for part in parts for item in part.items if part.views is not None}
    first = parts[0]
    return replace(
        first,
        names=tuple(names),
        items=tuple(items),
        values=values,
        scales=scales,
        exact=tuple(map(all, zip(*(part.exact for part in parts), strict=True))),
        sizes=np.concatenate([part.sizes for part in parts]),
        labels={name: tuple(v for part in parts for v in part.labels[name]) for name in labels},
        notices=tuple(dict.fromkeys(notice for part in parts for notice in part.notices)),
        present=present,
        texts=None,
        regions={name: spans for part in parts for name, spans in part.regions.items()},
        views=(lambda item: views[item](item)) if len(views) == len(items) else None,
    )
