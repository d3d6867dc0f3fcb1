"""The best one-to-one assignment of key clusters to response clusters, which CEAF needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping

import numpy as np

Edge = tuple[Hashable, Hashable]


def best_total(values: Mapping[Edge, float]) -> float:
    """Return the largest total value of edges no two of which share an end.

    Values are above 0; clusters without an edge between them are worth nothing together. Parts of
    the graph that hang together are solved one by one: most of them are a single edge.

    >>> best_total({("a", "x"): 3, ("a", "y"): 2, ("b", "x"): 2, ("c", "z"): 1})
    5
    """
    return sum(_best_of_part(part) for part in _connected(values))


def _best_of_part(part: dict[Edge, float]) -> float:
    rows = {left: i for i, left in enumerate(dict.fromkeys(left for left, _ in part))}
    columns = {right: i for i, right in enumerate(dict.fromkeys(right for _, right in part))}
    if len(rows) == 1 or len(columns) == 1:
        return max(part.values())
    from scipy.optimize import linear_sum_assignment  # takes a while to load, and is rarely needed

    whole = all(isinstance(value, int) for value in part.values())
    matrix = np.zeros((len(rows), len(columns)), np.int64 if whole else np.float64)
    for (left, right), value in part.items():
        matrix[rows[left], columns[right]] = value
    total = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    return int(total) if whole else float(total)


def _connected(values: Mapping[Edge, float]) -> Iterator[dict[Edge, float]]:
    """Cut the graph in parts that share no end."""
    by_left: defaultdict[Hashable, list[Edge]] = defaultdict(list)
    by_right: defaultdict[Hashable, list[Edge]] = defaultdict(list)
    for edge in values:
        by_left[edge[0]].append(edge)
        by_right[edge[1]].append(edge)
    seen: set[Edge] = set()
    for start in values:
        if start in seen:
            continue
        part: dict[Edge, float] = {}
        waiting = [start]
        seen.add(start)
        while waiting:
            edge = waiting.pop()
            part[edge] = values[edge]
            # Each end's list is walked once and then dropped, so that the whole walk is linear.
            for other in by_left.pop(edge[0], []) + by_right.pop(edge[1], []):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        yield part
