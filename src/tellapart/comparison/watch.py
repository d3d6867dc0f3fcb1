"""Items of two systems as they arrive: what of growing counts is new, and counts in a sequence.

Counts of a file that grows are read again and again. An item counts once both systems have its
score, a cluster once it is whole; what has counted must stay as it was.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.items import two_of
from tellapart.comparison.options import Options
from tellapart.comparison.scored import runs_info
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.runs import with_passes
from tellapart.metrics.scores import metrics_of
from tellapart.stats.result import Floats
from tellapart.stats.sequential import Look, Sequential
from tellapart.words import listed, nearest, plural

_Arrived: TypeAlias = tuple[list[float], list[float]]
"""The scores of both systems on an item, or on the items of a cluster"""


@dataclass
class Arrivals:
    """A sequential evaluation of two systems that is fed with counts as they grow.

    >>> arrivals = Arrivals()
    >>> arrivals.update(Counts.from_arrays({"A": [1, 1, 0], "B": [0, 1, 0]}), ["mean"])
    3
    >>> arrivals.update(Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}), ["mean"])
    1
    >>> arrivals.look().difference
    0.5
    """

    alpha: float = 0.05
    """The level of the question which is better; with a margin, of each side"""
    margin: float | None = None
    """Asks instead whether the second is no worse than the first by so much"""
    bounds: tuple[float, float] | None = None
    """Between which scores lie; None: 0 and 1, as long as that can be"""
    cluster: str | None = None
    """The label whose items come together"""
    cluster_size: int | None = None
    """The most items of a cluster; None: of the largest that is there when the first one counts"""
    sequential: Sequential | None = None
    """None until there are scores"""
    metric: str = ""
    kind: str = "item"
    """What counts as one"""
    waiting: int = 0
    """Items that only one of the systems has by now, or that are of a cluster still open"""
    these_runs: bool = False
    """Whether the answer holds for these runs only, since a system has several"""
    _counted: dict[str, _Arrived] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether the question is answered."""
        return self.sequential is not None and self.sequential.settled

    def look(self) -> Look:
        """Return what the items so far show."""
        return (Sequential() if self.sequential is None else self.sequential).look()

    def update(
        self, counts: Counts, metrics: Sequence[str | Metric] | None = None, growing: bool = False
    ) -> int:
        """Count what is new, in the order of the counts; return how many that are.

        Of `growing` counts the last cluster is left, since more of it may come.
        """
        counts = with_passes(counts.systems[two_of(counts.names)], metrics)
        metric = self._mean(counts, metrics)
        self.these_runs = runs_info(counts, Options()) is not None
        counts = _of_one_task(counts.with_values(metric.columns))
        scores, there = _scores(counts, metric)
        parts = {item: [place] for place, item in enumerate(counts.items)}
        if self.cluster is not None:
            parts = _clusters(counts, self.cluster, growing)
        whole = {name: places for name, places in parts.items() if there[places].all()}
        if self.sequential is None or not self._counted:
            largest = self.cluster_size or max(map(len, parts.values()), default=1)
            self.sequential = self._started(counts, metric, scores[:, there], largest)
        if growing and self.cluster is not None:
            whole.pop(next(reversed(parts), ""), None)
        self.waiting = len(counts.items) - sum(map(len, whole.values()))
        sequential = self.sequential
        before = len(sequential)
        for name, places in whole.items():
            arrived = scores[0, places].tolist(), scores[1, places].tolist()
            if name in self._counted:
                self._check_unchanged(name, self._counted[name], arrived)
                continue
            sequential.add(*arrived)
            self._counted[name] = arrived
        return len(sequential) - before

    def _mean(self, counts: Counts, wanted: Sequence[str | Metric] | None) -> Ratio:
        """Return the one metric, which must be a mean of scores of items."""
        metric, *others = metrics_of(counts, wanted)
        if wanted and others:
            named = listed([str(each) for each in (metric, *others)])
            raise UsageError(f"one metric is watched at a time, not {named}")
        self.metric = metric.name
        if isinstance(metric, Ratio) and metric.is_weighted_mean and len(metric.numerator) == 1:
            return metric
        raise UsageError(
            f"{metric.name!r} is no mean over items, and only such are watched: name another"
        )

    def _started(self, counts: Counts, metric: Ratio, scores: Floats, largest: int) -> Sequential:
        """Return an evaluation without items; refuse scores that have no known bounds."""
        beyond = scores[(scores < 0) | (scores > 1)]
        unbounded = not metric.higher_is_better and not np.isin(scores, (0, 1)).all()
        if self.bounds is None and (len(beyond) or unbounded):
            seen = f"{beyond[0]:g} is one" if len(beyond) else "it may have no upper one"
            raise UsageError(
                f"{metric.name} has no bounds of 0 and 1 ({seen}): give --bounds LEAST MOST"
            )
        self.kind = self.cluster or counts.kind
        return Sequential(
            *counts.names,
            alpha=self.alpha,
            margin=self.margin,
            bounds=self.bounds or (0.0, 1.0),
            cluster_size=largest,
            higher_is_better=metric.higher_is_better,
        )

    def _check_unchanged(self, name: str, was: _Arrived, now: _Arrived) -> None:
        assert self.sequential is not None
        for system, before, after in zip(self.sequential.names, was, now, strict=True):
            if before != after:
                old, new = (listed([f"{score:g}" for score in each], 4) for each in (before, after))
                raise DataError(
                    f"{self.kind} {name!r} of {system} scores {new} now and scored {old} when it "
                    "counted; counted items cannot change: watch files that only grow, "
                    "by whole clusters"
                )


def _of_one_task(counts: Counts) -> Counts:
    """Return items of a task by names without it; refuse several tasks.

    The overall score of several tasks cannot be followed as items arrive task by task.
    """
    if counts.suite is None:
        return counts
    tasks = tuple(dict.fromkeys(counts.labels[counts.suite.label]))
    if len(tasks) > 1:
        raise UsageError(
            f"there are {len(tasks)} tasks ({listed(tasks, 4)}), of which the overall score is "
            "only known at the end: watch one with --metric TASK/NAME or --where "
            f"{shlex.quote(f'{counts.suite.label}={tasks[0]}')}"
        )
    # As they are called as long as there is one task only.
    names = tuple(item.removeprefix(f"{tasks[0]}/") for item in counts.items)
    return replace(counts, items=names) if len(set(names)) == len(names) else counts


def _scores(counts: Counts, metric: Ratio) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the scores of both systems (systems × items), and which items both have whole."""
    ((column, weight),) = metric.numerator
    place = counts.columns.index(column)
    there = np.ones(counts.values.shape[:2], bool)
    if counts.present is not None:
        there &= counts.present
    for system, runs in enumerate(counts.runs):  # an item whose runs are not all done may change
        if place < runs.shape[2]:
            there[system] &= ~np.isnan(runs[:, :, place]).any(axis=0)
    scores = counts.values[:, :, place] / float(counts.scales[place]) * float(weight)
    return scores, np.asarray(there.all(axis=0))


def _clusters(counts: Counts, label: str, growing: bool) -> dict[str, list[int]]:
    """Return the places of the items of each cluster, in order of first appearance."""
    if label not in counts.labels:
        raise UsageError(f"there is no label {label!r}; {nearest(label, tuple(counts.labels))}")
    found: dict[str, list[int]] = {}
    last = None
    for place, name in enumerate(counts.labels[label]):
        if growing and name in found and name != last:
            raise DataError(
                f"{label} {name!r} goes on at {counts.kind} {counts.items[place]!r}, after "
                f"{last!r} had begun: while a file grows, the {plural(counts.kind)} of one {label} "
                "must stand together; wait until all is there, and watch it with --once"
            )
        found.setdefault(name, []).append(place)
        last = name
    if "" in found:
        raise DataError(
            f"{counts.kind} {counts.items[found[''][0]]!r} has no {label!r}; all need one for that"
        )
    return found
