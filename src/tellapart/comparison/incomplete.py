"""Items that not every system has, and what they may have scored, for `--missing bounds`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tellapart.comparison.options import JOINT, Options
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.stats.result import Flags

_MONOTONE = ("auto", "exact", "sign", "mcnemar")
"""Tests whose p moves one way with the difference on any item"""


@dataclass(frozen=True, slots=True, eq=False)
class Incomplete:
    """Counts of which systems lack some items, and the range of what these may have scored."""

    counts: Counts
    there: Flags
    """Which systems have which items"""
    ends: tuple[float, float] | None
    """None where the scores have no known bounds"""

    @classmethod
    def of(cls, counts: Counts, metric: Metric, options: Options) -> Incomplete:
        """Return the counts with the range that their scores show; refuse what has no bounds."""
        elsewhere = options.margin is not None or options.at_least is not None
        elsewhere = elsewhere or options.correction in JOINT or bool(counts.runs)
        if elsewhere or options.test not in _MONOTONE or len(counts.names) < 2:
            raise UsageError(
                f"--missing bounds takes systems of single runs and --test {', '.join(_MONOTONE)}, "
                "without --margin, --at-least and joint corrections: use --missing drop"
            )
        there = counts.present
        if there is None or not there.all(axis=0).any():
            raise UsageError("the systems have no item in common: check the ids and --item")
        ends = None
        if isinstance(metric, Ratio) and metric.is_weighted_mean and len(metric.columns) == 1:
            column = counts.columns.index(metric.columns[0])
            seen = np.unique(counts.values[..., column][there]) / counts.scales[column]
            if seen[0] >= 0 and (seen[-1] <= 1 or set(seen.tolist()) <= {0.0, 100.0}):
                ends = (0.0, 1.0 if seen[-1] <= 1 else 100.0)
        return cls(counts, there, ends)

    def common_items(self) -> Counts:
        """Return the items that every system has."""
        common = np.flatnonzero(self.there.all(axis=0))
        return replace(self.counts.keep(common), present=None)

    def filled(self, a: int, b: int, ends: tuple[float, float]) -> Counts:
        """Return two systems with one score each for all items that they lack."""
        counts, there = self.counts, self.there[[a, b], :, None]
        scores = np.array(ends)[:, None, None] * np.array(counts.scales)
        values = np.where(there, counts.values[[a, b]], scores.astype(np.int64))
        two: Counts = counts.systems[counts.names[a], counts.names[b]]
        return replace(two, values=values, present=None)
