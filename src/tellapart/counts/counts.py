"""The one data model: systems × items × columns of counts that add.

Every reader makes a `Counts`, every test takes one. Values are scaled integers, so that sums,
differences and ties are exact; `scales` says what they are divided by.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import checked_arrays, holds_frames
from tellapart.counts.fixed_point import put_on_grid
from tellapart.counts.tables import table_content
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import STANDARD, refuse_replacing, write_together
from tellapart.words import listed, nearest, plural, several

if TYPE_CHECKING:
    from tellapart.counts.judgments import Judgments
    from tellapart.counts.suites import Suite
    from tellapart.counts.views import Views


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """Texts of each item, for readers of reports; each part is empty where it is not known.

    >>> texts = ItemTexts(golds=("yes", "no"), outputs={"A": ("yes", "yes")})
    >>> texts.of_items([1])
    ItemTexts(inputs=(), golds=('no',), outputs={'A': ('yes',)})
    """

    inputs: tuple[str, ...] = ()
    golds: tuple[str, ...] = ()
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of_items(self, items: Sequence[int]) -> ItemTexts:
        """Return the texts of some items, by position."""
        return ItemTexts(
            _kept(self.inputs, items),
            _kept(self.golds, items),
            {name: _kept(texts, items) for name, texts in self.outputs.items()},
        )

    def of_systems(self, names: Sequence[str]) -> ItemTexts:
        """Return the texts with the outputs of some systems."""
        kept = {name: self.outputs[name] for name in names if name in self.outputs}
        return ItemTexts(self.inputs, self.golds, kept)


def _part(array: NDArray[Any] | None, index: Any) -> NDArray[Any] | None:
    """Return a part of an array that may be none."""
    return None if array is None else np.asarray(array[index])


def _kept(given: tuple[T, ...], places: Sequence[int]) -> tuple[T, ...]:
    """Return what stands at some places; () stands for nothing that is known."""
    return tuple(given[k] for k in places) if given else ()


Condition = str | int | Collection[str]


class Systems(tuple[str, ...]):
    """The names of the systems in order; a name, or several, chooses from the counts.

    >>> counts = Counts.from_arrays({"A": [1, 0], "B": [1, 1], "C": [0, 0]})
    >>> counts.systems[0], counts.systems["B", "A"].systems
    ('A', ('B', 'A'))
    """

    _counts: Counts

    def __new__(cls, counts: Counts) -> Systems:
        """Name the systems of `counts`."""
        systems = super().__new__(cls, counts.names)
        systems._counts = counts
        return systems

    def __getitem__(self, key: Any) -> Any:
        """Return a name by position, or the counts of one or several systems by name."""
        if isinstance(key, str):
            key = (key,)
        if isinstance(key, tuple | list):
            return self._counts._choose(tuple(key))
        return super().__getitem__(key)

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[tuple[str, ...]]]:
        """Return how to copy and pickle the names: as plain ones."""
        return tuple, (tuple(self),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts:
    """Counts of systems on items, column by column; made by a reader or by `from_arrays`.

    >>> a, b = [[3, 1, 0], [2, 0, 1]], [[2, 2, 1], [1, 0, 2]]
    >>> counts = Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"], kind="message")
    >>> counts
    <Counts: 2 systems × 2 messages × 3 columns>
    >>> counts.summed().tolist()
    [[5, 1, 1], [3, 2, 3]]
    """

    names: tuple[str, ...]
    items: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.int64]  # systems × items × columns, scaled
    scales: tuple[int, ...]  # per column: real value = values / scale
    exact: tuple[bool, ...]  # per column: False if floats were rounded onto a binary grid
    sizes: NDArray[np.int64]  # how many original items each row sums
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kind: str = "item"  # what an item is called
    cluster: str | None = None  # the label by which rows were summed
    form: str = "counts"  # or "items": columns are ready values, and their score is the mean
    notices: tuple[Notice, ...] = ()
    present: NDArray[np.bool_] | None = None  # systems × items, where not every system has all
    lower: tuple[str, ...] = ()  # ready values of which less is better
    texts: ItemTexts | None = None  # texts behind the items, for reports; no score depends on them
    # For reports, per system and metric: the ends of a score between strict and lenient counting.
    regions: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    metrics: tuple[Any, ...] = ()  # to score by when none is named; () if columns tell them
    # Per system runs × items × columns, as real numbers, of which `values` are the means; NaN where
    # a run lacks an item. Columns that were made of all runs together (pass@k) are not among them.
    # () if no system has more than one run.
    runs: tuple[NDArray[np.float64], ...] = ()
    # Per system and entry of `runs`, its condition (such as a prompt) and its run: entries with the
    # same are repeats of the items (epochs). () where each entry is a run of its own.
    cells: tuple[tuple[tuple[str, str], ...], ...] = ()
    # Per system, which of the runs as given, from 0, each of `runs` is; () where they are as given.
    run_order: tuple[tuple[int, ...], ...] = ()
    files: tuple[str, ...] = ()  # all that they were read from, which no output may replace
    suite: Suite | None = (
        None  # where the items are of several tasks: how their scores are summed up
    )
    # Systems × items × columns: which values there are, where not every item has all. A metric is
    # of the items that have its columns; where not every system has these, `present` says so, too.
    scored: NDArray[np.bool_] | None = None
    # Of preferences: what was judged, of which `values` are the rates; None of anything else.
    judgments: Judgments | None = None
    # Of a judge's scores of all items: systems × items of people's, NaN where nobody looked.
    people: NDArray[np.float64] | None = None
    people_name: str = "human"
    # By the name of an item, what there is to look at beyond its texts; no score depends on it.
    views: Views | None = None
    # How many items (clusters) each row stands for, where data were reduced to their distinct rows.
    times: NDArray[np.int64] | None = None
    about: str = ""  # what the columns of tables were taken for, in a line
    rounded: float = 0.0  # how far values of such data may be off, where they had to be rounded

    def __post_init__(self) -> None:
        for array in (self.values, self.sizes, *self.runs):
            array.flags.writeable = False

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Any],
        columns: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        labels: Mapping[str, Sequence[str]] | None = None,
        kind: str = "item",
        form: str | None = None,
        people: Mapping[str, Any] | None = None,
    ) -> Counts:
        """Return counts of one array per system, each items × columns.

        Arrays hold integers, floats, Decimals or decimal texts; a flat one is a single column,
        called `score` unless `columns` says otherwise. Unless `form` is given, a single column
        that is no known count holds ready scores ("items"); anything else is "counts". With
        `people`, the arrays are a judge's scores, and these are people's by system: None or NaN
        where nobody looked.

        Series and frames are refused: `tellapart.read` matches them by their index, or by a column
        of ids.

        >>> Counts.from_arrays({"A": [0.7, 1.0], "B": [0.25, 0.5]}).scales
        (100,)
        """
        if holds_frames(arrays):
            raise UsageError("frames and series carry ids of their own: use tellapart.read")
        if people is not None:
            columns = columns or ("judge",)
        names, ids, cut, texts, form = checked_arrays(arrays, columns, items, labels, form)
        counts = cls.from_columns(names, ids, cut, texts, kind, form)
        if people is None:
            return counts
        from tellapart.counts.judged import with_people

        return with_people(counts, people)

    @classmethod
    def from_columns(
        cls,
        systems: Sequence[str],
        items: Sequence[str],
        columns: Mapping[str, Sequence[NDArray[Any]] | NDArray[Any]],
        labels: Mapping[str, tuple[str, ...]],
        kind: str,
        form: str,
    ) -> Counts:
        """Return counts of columns that a reader has checked, each an array per system.

        >>> column = [np.array([1, 2]), np.array([0, 2])]
        >>> Counts.from_columns(["A", "B"], ["u", "v"], {"tp": column}, {}, "item", "counts")
        <Counts: 2 systems × 2 items × 1 column>
        """
        grids = [put_on_grid(rows, name) for name, rows in columns.items()]
        single = len(grids) == 1  # of which there may be many values
        return cls(
            tuple(systems),
            tuple(items),
            tuple(columns),
            grids[0].values[:, :, None] if single else np.stack([g.values for g in grids], axis=2),
            tuple(grid.scale for grid in grids),
            tuple(grid.exact for grid in grids),
            np.ones(len(items), dtype=np.int64),
            dict(labels),
            kind,
            form=form,
        )

    @property
    def systems(self) -> Systems:
        """The names of the systems; `systems["A", "B"]` gives the counts of these."""
        return Systems(self)

    def summed(self) -> NDArray[np.int64]:
        """Return sums over the items: systems × columns, scaled as `values` are."""
        return np.asarray(self.values.sum(axis=1), dtype=np.int64)

    def column(self, name: str) -> NDArray[np.int64]:
        """Return one column: systems × items, scaled.

        >>> Counts.from_arrays({"A": [0.5, 1]}).column("score").tolist()
        [[5, 10]]
        """
        if name not in self.columns:
            raise UsageError(f"there is no column {name!r}; {nearest(name, self.columns)}")
        return self.values[:, :, self.columns.index(name)]

    def by(self, label: str) -> Counts:
        """Return the sums of items that share a label, in order of its first appearances.

        Labels that differ within a cluster are dropped.

        >>> counts = Counts.from_arrays({"A": [1, 0, 1]}, labels={"doc": ["d1", "d2", "d1"]})
        >>> clustered = counts.by("doc")
        >>> clustered.items, clustered.values.ravel().tolist(), clustered.sizes.tolist()
        (('d1', 'd2'), [2, 0], [2, 1])
        """
        if self.cluster is not None:
            raise UsageError(f"the rows are summed by {self.cluster!r} already")
        if self.present is not None:
            raise UsageError(f"systems with {plural(self.kind)} of their own cannot be clustered")
        codes, clusters = _codes(self._whole_label(label))
        n = len(clusters)
        suite, times = None, None
        if self.suite is not None:
            suite, times = self.suite.summed(codes, self.sizes)
        each = np.ones(len(codes), np.int64) if times is None else times
        if self.scored is not None:
            raise UsageError(f"not every {self.kind} has all values: name one with --metric")
        first = np.unique(codes, return_index=True)[1]
        labels = {}
        for name, texts in self.labels.items():
            text_codes, _ = _codes(texts)
            if np.array_equal(text_codes, text_codes[first][codes]):
                labels[name] = tuple(texts[i] for i in first)
        return replace(
            self,
            items=clusters,
            values=_summed(self.values * each[:, None], codes, n),
            sizes=np.bincount(codes, each * self.sizes, n).astype(np.int64),
            labels=labels,
            cluster=label,
            texts=None,
            views=None,
            runs=tuple(_summed(filled_runs(run * each[:, None]), codes, n) for run in self.runs),
            suite=suite,
            judgments=None,
            people=None,
        )

    def where(
        self, conditions: Mapping[str, Condition] | None = None, /, **more: Condition
    ) -> Counts:
        """Return the items whose labels are as wanted: a value, or one of several.

        >>> counts = Counts.from_arrays({"A": [1, 0]}, labels={"domain": ["news", "web"]})
        >>> counts.where(domain="news").items, counts.where({"domain": {"news", "web"}}).items
        (('1',), ('1', '2'))
        """
        wanted = {
            label: {str(value)} if isinstance(value, str | int) else set(map(str, value))
            for label, value in {**(conditions or {}), **more}.items()
        }
        kept = np.ones(len(self.items), np.bool_)
        for label, values in wanted.items():
            kept &= np.array([text in values for text in self._label(label)])
        if not kept.any():
            asked = (f"{label} = {' or '.join(sorted(wanted[label]))}" for label in wanted)
            known = (
                f"{name} is {listed(list(dict.fromkeys(self._label(name))))}" for name in wanted
            )
            raise DataError(f"no {self.kind} has {', '.join(asked)}; {'; '.join(known)}")
        return self.keep(np.flatnonzero(kept))

    def read_from(self, files: Iterable[str | Path]) -> Counts:
        """Return the counts as those of some files, which nothing made of them will replace.

        >>> Counts.from_arrays({"A": [1, 0]}).read_from(["/dev/../dev/null", "no file"]).files
        ('/dev/null',)
        """
        # Where they stand now, should the current folder be another when something is written.
        there = (str(each) for each in files if str(each) == STANDARD or os.path.exists(each))
        named = (each if each == STANDARD else os.path.abspath(each) for each in there)
        return replace(self, files=tuple(dict.fromkeys(named)))

    def to_table(self, path: str | Path) -> None:
        """Write a long table that `read_tables` reads back; the suffix says the format.

        `.csv` or `.tsv`; `-` is CSV on standard output. Runs have rows of their own; where an item
        lacks some, only the means are written.
        """
        refuse_replacing([path], self.files)
        write_together({str(path): table_content(self, path)})

    def __eq__(self, other: object) -> bool:
        """Return whether both say the same, whatever grid values are on."""
        if not isinstance(other, Counts):
            return NotImplemented
        told = ("names", "items", "columns", "labels", "kind", "cluster", "form")
        if any(getattr(self, name) != getattr(other, name) for name in told):
            return False
        both = [[each.sizes, each.values / np.array(each.scales, np.float64), *each.runs]
                for each in (self, other)]  # fmt: skip
        return len(both[0]) == len(both[1]) and all(
            np.array_equal(mine, its, equal_nan=True) for mine, its in zip(*both, strict=True)
        )

    @property
    def extent(self) -> str:
        """How many systems, items and columns there are, in words."""
        items = several(len(self.items), self.cluster or self.kind)
        if self.cluster is not None:
            items += f" of {several(int(self.sizes.sum()), self.kind)}"
        systems = several(len(self.names), "system")
        return f"{systems} × {items} × {several(len(self.columns), 'column')}"

    def __repr__(self) -> str:
        return f"<Counts: {self.extent}>"

    def _choose(self, names: tuple[str, ...]) -> Counts:
        for name in names:
            if name not in self.names:
                raise UsageError(f"there is no system {name!r}; {nearest(name, self.names)}")
        if not names or len(set(names)) < len(names):
            raise UsageError("choose one or more systems, each once")
        rows = [self.names.index(name) for name in names]
        return replace(
            self,
            names=names,
            values=self.values[rows],
            present=_part(self.present, rows),
            texts=self.texts and self.texts.of_systems(names),
            runs=_kept(self.runs, rows),
            run_order=_kept(self.run_order, rows),
            cells=_kept(self.cells, rows),
            scored=_part(self.scored, rows),
            people=_part(self.people, rows),
            judgments=self.judgments and self.judgments.of_systems(names),
        )._rated_again()

    def _rated_again(self) -> Counts:
        """Return preferences with the rates of the systems that are left, against each other."""
        judgments = self.judgments
        if judgments is None or judgments.reference is not None or self.form != "items":
            return self
        rates, there = judgments.rates(self.names, len(self.items))
        grid, rated = put_on_grid(list(rates), self.columns[0]), there.any(axis=0)
        return replace(
            self,
            values=grid.values[:, :, None],
            scales=(grid.scale,),
            exact=(grid.exact,),
            present=None if there[:, rated].all() else there,
        ).keep(np.flatnonzero(rated))

    def keep(self, items: NDArray[np.intp]) -> Counts:
        """Return the counts of some items, by position and in that order."""
        labels = {name: tuple(texts[i] for i in items) for name, texts in self.labels.items()}
        return replace(
            self,
            items=tuple(map(self.items.__getitem__, items.tolist())),
            values=self.values[:, items],
            sizes=self.sizes[items],
            labels=labels,
            present=_part(self.present, np.s_[:, items]),
            texts=self.texts and self.texts.of_items(items.tolist()),
            regions={},
            runs=tuple(runs[:, items] for runs in self.runs),
            suite=self.suite and self.suite.keep(items),
            scored=_part(self.scored, np.s_[:, items]),
            people=_part(self.people, np.s_[:, items]),
            times=_part(self.times, items),
            judgments=self.judgments and self.judgments.of_items(items, len(self.items)),
        )

    def with_values(self, columns: Collection[str]) -> Counts:
        """Return the items that have all of some columns, for any system.

        >>> counts = Counts.from_arrays({"A": [[1, 0], [1, 1]]}, ["acc", "f1"], form="items")
        >>> counts = replace(counts, scored=np.array([[[True, False], [True, True]]]))
        >>> counts.with_values(["acc"]).items, counts.with_values(["acc", "f1"]).items
        (('1', '2'), ('2',))
        """
        if self.scored is None:
            return self
        used = [c for c, column in enumerate(self.columns) if column in columns]
        there = np.asarray(self.scored[:, :, used].all(axis=2))  # systems × items
        # What has no value at all, every column must answer for.
        kept = np.flatnonzero(there.any(axis=0) | ~self.scored.any(axis=(0, 2)))
        present = there[:, kept]
        found = self if len(kept) == len(self.items) else self.keep(kept)
        return replace(found, scored=None, present=None if present.all() else present)

    def of_columns(self, columns: Sequence[str]) -> Counts:
        """Return some of the columns, in that order."""
        used = [self.columns.index(column) for column in columns]
        return replace(
            self,
            columns=tuple(columns),
            values=self.values[:, :, used],
            scales=tuple(self.scales[c] for c in used),
            exact=tuple(self.exact[c] for c in used),
            runs=tuple(runs[:, :, used] for runs in self.runs),
            scored=_part(self.scored, np.s_[:, :, used]),
        )

    def codes(self, label: str) -> NDArray[np.intp]:
        """Return the number of each item's cluster by a label, in order of first appearances."""
        return _codes(self._whole_label(label))[0]

    def _whole_label(self, label: str) -> tuple[str, ...]:
        """Return the cluster of each item by a label; all must have one."""
        names = self.cluster_names(label)
        if "" in names:
            lost = self.items[names.index("")]
            raise DataError(f"{self.kind} {lost!r} has no {label!r}; all need one for that")
        return names

    def cluster_names(self, label: str) -> tuple[str, ...]:
        """Return the cluster of each item by a label; in a suite, tasks have clusters of their own.

        Items of a task without the label stand alone. A label that is the same for all items of
        a task joins whole tasks.

        >>> counts = Counts.from_arrays({"A": [1, 0]}, labels={"doc": ["d", "d"]})
        >>> counts.cluster_names("doc")
        ('d', 'd')
        """
        texts = self._label(label)
        if self.suite is None or self.suite.label not in self.labels:
            return texts
        tasks = self.labels[self.suite.label]
        if len(set(zip(tasks, texts, strict=True))) == len(set(tasks)):
            return texts
        with_label = {task for task, text in zip(tasks, texts, strict=True) if text}
        return tuple(
            f"{task}/{text}" if text else ("" if task in with_label else item)
            for task, text, item in zip(tasks, texts, self.items, strict=True)
        )

    def _label(self, name: str) -> tuple[str, ...]:
        if name in self.labels:
            return self.labels[name]
        for notice in self.notices:
            if notice.code == "labels-differ" and name in notice.affected:
                raise UsageError(notice.text.removesuffix("."))
        if name == self.kind:
            raise UsageError(f"each item is a {name} of its own: {name!r} is no label of items")
        raise UsageError(f"there is no label {name!r}; {nearest(name, tuple(self.labels))}")


def errors(counts: Counts, names: bool | str | Sequence[str] = True) -> Counts:
    """Return the counts, ready values (all or some by name) marked as errors: less is better.

    >>> errors(Counts.from_arrays({"A": [0.5, 1]})).lower
    ('score',)
    >>> both = Counts.from_arrays({"A": [[0.5, 9]]}, columns=["f1", "seconds"], form="items")
    >>> errors(both, "seconds").lower
    ('seconds',)
    """
    if names and (counts.form != "items" or counts.judgments is not None):
        raise UsageError("--lower-is-better is about ready scores: drop it")
    if isinstance(names, bool):
        return replace(counts, lower=counts.columns if names else ())
    named = [names] if isinstance(names, str) else list(names)
    if len(counts.columns) == 1:  # a metric of its own name, too, or what people call it
        others = {"mean", *(() if counts.people is None else (counts.people_name,))}
        named = [counts.columns[0] if name in others else name for name in named]
    for name in named:
        if name not in counts.columns:
            raise UsageError(f"--lower-is-better {name}: {nearest(name, counts.columns)}")
    return replace(counts, lower=tuple(dict.fromkeys((*counts.lower, *named))))


def filled_runs(runs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return runs × items × columns, the mean of its other runs where an item lacks one.

    An item that no run has is 0.

    >>> filled_runs(np.array([[[1.0], [0.0]], [[np.nan], [1.0]]]))[:, :, 0].tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    known = ~np.isnan(runs)
    if known.all():
        return runs
    means = np.where(known, runs, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, runs, means)


def _summed(values: NDArray[Any], codes: NDArray[np.intp], n: int) -> NDArray[Any]:
    """Return the sums of the items of each cluster: … × items × columns become … × n × columns."""
    summed = np.empty((len(values), n, values.shape[2]), values.dtype)
    for k, block in enumerate(values):
        for c, column in enumerate(block.T):
            summed[k, :, c] = np.bincount(codes, column, n)  # exact: below 2^51
    return summed


def _codes(texts: Sequence[str]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return the number of each text, and the distinct texts in order of first appearance."""
    index: dict[str, int] = {}
    codes = np.fromiter((index.setdefault(t, len(index)) for t in texts), np.intp, len(texts))
    return codes, tuple(index)


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
        both = [item for item, times in Counter(items).items() if times > 1]
        raise DataError(f"{listed(sorted(both), 5)}: in both test sets; rename the ids of one")
    if any(part.runs for part in parts):
        raise UsageError("systems on items of their own have one run each: give one file of each")
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
