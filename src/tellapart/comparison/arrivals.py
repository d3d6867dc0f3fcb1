"""Items of two systems as they arrive: what of growing counts is new, and counts in a sequence.

Counts of a file that grows are read again and again. An item counts once both systems have its
score, a cluster once it is whole; what has counted must stay as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.passes import with_passes
from tellapart.metrics.projection import project
from tellapart.significance.anytime import Look, Sequential
from tellapart.words import listed, nearest, plural, several, typed


@dataclass(frozen=True, slots=True)
class Watched:
    """What is asked of two systems whose items arrive."""

    alpha: float = 0.05
    margin: float | None = None
    bounds: tuple[float, float] | None = None
    """Between which scores lie; None: 0 and 1, as long as that can be"""
    cluster: str | None = None
    pair: tuple[str, str] | None = None
    """The two systems, where there are more"""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What counts as one: an item, or the items of a cluster, with the scores of both systems."""

    name: str
    first: tuple[float, ...]
    second: tuple[float, ...]


class Arrivals:
    """A sequential evaluation of two systems that is fed with counts as they grow.

    >>> arrivals = Arrivals(Watched())
    >>> arrivals.update(Counts.from_arrays({"A": [1, 1, 0], "B": [0, 1, 0]}), ["mean"])
    3
    >>> arrivals.update(Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}), ["mean"])
    1
    >>> arrivals.look().difference
    0.5
    """

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.sequential: Sequential | None = None
        self.metric = ""
        self.other_metrics: tuple[str, ...] = ()
        """Further metrics of the counts, that nobody asked for"""
        self.kind = "item"
        """What counts as one"""
        self.waiting = 0
        """Items that only one of the systems has by now, or that are of a cluster still open"""
        self.tasks: tuple[str, ...] = ()
        """Those of the items, if there are several"""
        self.shown_by: dict[str, None] = {}
        """The tasks of the items that counted until it was settled"""
        self._counted: dict[str, _Unit] = {}

    @property
    def settled(self) -> bool:
        """Whether the question is answered."""
        return self.sequential is not None and self.sequential.settled

    def look(self) -> Look:
        """Return what the items so far show."""
        return (self.sequential or Sequential(alpha=self.watched.alpha)).look()

    def update(
        self,
        counts: Counts,
        metrics: Sequence[str | Metric] | None = None,
        *,
        growing: bool = False,
    ) -> int:
        """Count what is new, in the order of the counts; return how many that are.

        Of `growing` counts the last cluster is left, since more of it may come.
        """
        counts = self._two_systems(counts)
        metric = self._metric(counts, metrics)
        counts = self._of_tasks(counts.with_values([c for c, _ in metric.numerator]))
        counts = with_passes(counts, [metric.name])
        scores, there = _scores(counts, metric)
        if self.sequential is None:
            self.sequential = self._started(counts, metric, scores[:, there])
        before = len(self.sequential)
        tasks = counts.labels[counts.suite.label] if counts.suite is not None else ()
        task_of = dict(zip(counts.items, tasks, strict=bool(tasks)))
        for unit in self._units(counts, scores, there, growing):
            known = self._counted.get(unit.name)
            if known is not None:
                self._check_unchanged(known, unit)
            else:
                if not self.sequential.settled:
                    self.shown_by |= {task_of[unit.name]: None} if unit.name in task_of else {}
                self.sequential.add(unit.first, unit.second)
                self._counted[unit.name] = unit
        return len(self.sequential) - before

    def _two_systems(self, counts: Counts) -> Counts:
        pair = self.watched.pair
        if pair is not None:
            return counts.systems[pair]
        if len(counts.names) != 2:
            choose = "; choose them with --pair A B" if len(counts.names) > 2 else ""
            raise UsageError(
                f"two systems are watched at a time, and here is {listed(counts.names)}{choose}"
            )
        return counts

    def _of_tasks(self, counts: Counts) -> Counts:
        """Refuse tasks of which not all items count the same; of one, items have names without it.

        An overall score of tasks is none that items show as they come, one task after the other.
        """
        if counts.suite is None:
            return counts
        labels = counts.labels[counts.suite.label]
        tasks = tuple(dict.fromkeys(labels))
        if len(tasks) == 1:  # as they are called as long as there is one only
            prefix = f"{tasks[0]}/"
            if all(item.startswith(prefix) for item in counts.items):
                items = tuple(item.removeprefix(prefix) for item in counts.items)
                return replace(counts, items=items)
            return counts
        if len(set(counts.suite.codes.tolist())) > 1:
            raise UsageError(
                f"there are {len(tasks)} tasks ({listed(tasks, 4)}), of which the overall score is "
                "only known at the end: watch one with --metric TASK/NAME or --where "
                f"{typed(f'{counts.suite.label}={tasks[0]}')}, or let all items count the same "
                "with --weights items"
            )
        named = self.watched.cluster is None and not self._counted.keys() & set(counts.items)
        if self._counted and named:
            raise UsageError(
                f"there are {len(tasks)} tasks now ({listed(tasks, 4)}), and one has counted: "
                "watch one with --metric TASK/NAME"
            )
        self.tasks = tasks
        return counts

    def _metric(self, counts: Counts, wanted: Sequence[str | Metric] | None) -> Ratio:
        found = [bound.metric for bound in project(counts, wanted).metrics]
        if wanted and len(found) > 1:
            raise UsageError(
                f"one metric is watched at a time, not {listed([str(m) for m in found])}"
            )
        metric = found[0]
        self.metric = metric.name
        self.other_metrics = tuple(each.name for each in found[1:])
        if isinstance(metric, Ratio) and metric.is_weighted_mean and len(metric.numerator) == 1:
            return metric
        raise UsageError(
            f"metric {metric.name!r} is no mean of scores of items, and only such are watched; "
            "choose another with --metric, or compare once all is there"
        )

    def _started(self, counts: Counts, metric: Ratio, scores: NDArray[np.float64]) -> Sequential:
        """Return an evaluation without items; refuse scores that have no known bounds."""
        bounds = self.watched.bounds
        if bounds is None:
            given = scores.ravel()
            beyond = given[(given < 0) | (given > 1)]
            if len(beyond) or not (metric.higher_is_better or np.isin(given, (0, 1)).all()):
                seen = f"{beyond[0]:g} is one" if len(beyond) else "it may have no upper one"
                raise UsageError(
                    f"{metric.name} has no bounds of 0 and 1 ({seen}), and what one item may score "
                    "must be known to look before the end: give --bounds LEAST,MOST, or compare "
                    "once all is there"
                )
            bounds = (0.0, 1.0)
        self.kind = self.watched.cluster or counts.kind
        first, second = counts.names
        return Sequential(
            first,
            second,
            alpha=self.watched.alpha,
            margin=self.watched.margin,
            bounds=bounds,
            higher_is_better=metric.higher_is_better,
        )

    def _units(
        self,
        counts: Counts,
        scores: NDArray[np.float64],
        there: NDArray[np.bool_],
        growing: bool,
    ) -> Iterator[_Unit]:
        """Yield what is whole, in the order of the counts."""
        if self.watched.cluster is None:
            self.waiting = int((~there).sum())
            for place in np.flatnonzero(there).tolist():
                yield _unit(counts.items[place], scores, [place])
            return
        clusters = _clusters(counts, self.watched.cluster, growing)
        names = list(clusters)
        whole = names[:-1] if growing else names
        ready = [name for name in whole if there[clusters[name]].all()]
        self.waiting = len(counts.items) - sum(len(clusters[name]) for name in ready)
        for name in ready:
            yield _unit(name, scores, clusters[name])

    def _check_unchanged(self, known: _Unit, unit: _Unit) -> None:
        if known == unit:
            return
        what = f"{self.kind} {unit.name!r}"
        if len(known.first) != len(unit.first):
            raise DataError(
                f"{what} has {several(len(unit.first), 'item')} now and had {len(known.first)} "
                "when it counted; keep the items of one together in the file"
            )
        one, other = (
            (name, was, now)
            for name, was, now in zip(
                self.sequential.names if self.sequential else ("", ""),
                (known.first, known.second),
                (unit.first, unit.second),
                strict=True,
            )
        )
        name, was, now = one if one[1] != one[2] else other
        raise DataError(
            f"{what} of {name} scores {now[0]:g} now and scored {was[0]:g} when it counted; a "
            "sequence cannot be changed behind: watch files to which items are only added"
        )


def _scores(counts: Counts, metric: Ratio) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the scores of both systems (systems × items), and which items both have whole."""
    ((column, weight),) = metric.numerator
    place = counts.columns.index(column)
    scores = counts.values[:, :, place] / float(counts.scales[place]) * float(weight)
    there = np.ones(scores.shape, bool)
    if counts.present is not None:
        there &= counts.present
    if counts.scored is not None:
        there &= counts.scored[:, :, place]
    for system, runs in enumerate(counts.runs):  # an item whose runs are not all done may change
        if place < runs.shape[2]:
            there[system] &= ~np.isnan(runs[:, :, place]).any(axis=0)
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


def _unit(name: str, scores: NDArray[np.float64], places: list[int]) -> _Unit:
    first, second = (tuple(row[places].tolist()) for row in scores)
    return _Unit(name, first, second)
