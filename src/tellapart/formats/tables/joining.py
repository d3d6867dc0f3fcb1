"""Rows of several tables joined: the same items, in the same order, for all systems."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.missing import find_missing
from tellapart.formats.problems import Findings
from tellapart.formats.sources import called_twice, run_name
from tellapart.formats.tables.cells import Codes, LabelCodes
from tellapart.formats.tables.layout import Layout
from tellapart.metrics.runs import average_runs
from tellapart.words import listed, plural

Integers = NDArray[Any]
MOST_CELLS = 1 << 31  # systems × items × metrics: 16 GiB of counts


@dataclass(slots=True, eq=False)
class TableFile:
    """One file while it is read: the systems and runs that its rows name."""

    path: str
    source: int  # the number of the argument that named it
    run: str = ""  # which of the argument's files it is, if there are several
    owned: bool = False  # its systems are named by columns or by the file, not by its rows
    counted: str = ":"
    start: int = 0  # its first part in the collection
    systems: Codes = field(default_factory=Codes)
    runs: Codes = field(default_factory=Codes)
    pairs: Integers = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # system × run

    def own(self, names: Iterable[str]) -> None:
        """Name the systems, where the rows do not."""
        self.owned = True
        for name in names:
            self.systems.code(name)

    def place(self, line: int) -> str:
        """Return the file and a line, as messages name them."""
        return f"{shown(self.path)}{self.counted}{line}"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows as codes and numbers; a single code holds for all rows."""

    file: TableFile
    lines: NDArray[np.int32]
    items: NDArray[np.int32]
    systems: NDArray[np.int32] | int
    runs: NDArray[np.int32] | int
    metrics: NDArray[np.int32] | int
    values: dict[str, NDArray[Any]]
    labels: dict[str, NDArray[np.int32]]


class JoinedTables:
    """The rows of all tables, and how they become counts."""

    def __init__(self, problems: Findings | None = None) -> None:
        self.problems = problems or Findings(strict=True)
        self.items, self.metrics = Codes(), Codes()
        self.labels: dict[str, LabelCodes] = {}
        self.parts: list[Part] = []
        self._files: list[TableFile] = []
        self._layouts: list[Layout] = []
        self._pairs: dict[tuple[str, str], int] = {}  # system and run → row of the counts
        self._owners: dict[str, TableFile] = {}
        self._notices: list[Notice] = []

    def begin(self, file: TableFile, layout: Layout) -> None:
        """Start a file; its value columns must be those of the first one."""
        for label in layout.labels:
            self.labels.setdefault(label, LabelCodes())
        self._files.append(file)
        self._layouts.append(layout)
        file.start = len(self.parts)
        mine, first = _value_names(layout), _value_names(self._layouts[0])
        if set(mine) != set(first):
            raise DataError(
                f"{shown(file.path)}: the value columns are {listed(mine)}, those of "
                f"{shown(self._files[0].path)} are {listed(first)}; give tables of one kind"
            )
        if layout.ignored:
            text = f"The column 'score' was left out beside {listed(mine)}; --columns chooses."
            self._notices.append(Notice("ignored", text, ("score",)))

    def end(self, file: TableFile, name: str | None) -> None:
        """Finish a file: give its systems their final names and rows."""
        names = file.systems.texts
        if not names:
            return  # none of its rows could be read, which is said already
        if name is not None:
            if len(names) > 1:
                raise DataError(
                    f"{shown(file.path)}: the table holds {len(names)} systems "
                    f"({listed(names, 3)}), so that {name}= cannot name it; give the path "
                    "alone"
                )
            names = (name,)
        for system in names:
            other = self._owners.setdefault(system, file)
            if other.source != file.source and (file.owned or other.owned):
                raise called_twice(system, file.path, other.path)
        runs = [f"{file.run} {run}".strip() for run in file.runs.texts or ("",)]
        file.pairs = np.full((len(names), len(runs)), -1, np.int64)
        present: set[int] = set()
        for part in self.parts[file.start :]:
            present.update(np.unique(part.systems * np.int64(len(runs)) + part.runs).tolist())
        for pair in sorted(present):
            system_code, run_code = divmod(pair, len(runs))
            key = names[system_code], runs[run_code]
            file.pairs[system_code, run_code] = self._pairs.setdefault(key, len(self._pairs))

    def warn(self, notices: Iterable[Notice]) -> None:
        """Add warnings that the counts will carry."""
        self._notices += notices

    def counts(self, missing: str) -> Counts:
        """Return the counts of all rows; `missing` is one of the policies of `read_tables`."""
        items = self.items.texts
        n_items, n_pairs, n_metrics = len(items), len(self._pairs), max(1, len(self.metrics))
        if n_pairs * n_items * n_metrics > MOST_CELLS:
            raise DataError(
                f"{shown(self._files[0].path)}: {n_pairs:,} systems × {n_items:,} "
                f"{plural(self.kind)} make {n_pairs * n_items * n_metrics:,} cells, and at most "
                f"{MOST_CELLS:,} can be compared; check which columns are systems and items"
            )
        cells = self._cells(n_items, n_metrics)
        self._check_twice(cells, n_items, n_metrics)
        alike = self._warn_of_blanks()
        kept = np.arange(n_items)
        present: NDArray[np.bool_] | None = None
        if len(cells) < n_pairs * n_items * n_metrics:
            absent = find_missing(cells, n_pairs, n_items, n_metrics)
            where = f"{shown(self._files[0].path)}: " if len(self._files) == 1 else ""
            if alike:  # which is why items are missing
                where = f"{alike[0]}; "
            names = [run_name(name, run) if run else name for name, run in self._pairs]
            if missing == "own":
                present = absent.present()
            else:
                self._notices += absent.settle(missing, where, self.kind, names, items)
            if missing == "drop":
                kept = absent.common
                cells = _renumbered(cells, kept, n_items, n_metrics)
        shape = n_pairs, len(kept), n_metrics
        columns = self._columns(cells, shape)
        if len(kept) < n_items:
            items = tuple(items[i] for i in kept)
        counts = Counts.from_columns(
            [name for name, _ in self._pairs],
            items,
            columns,
            self._item_labels(kept),
            self.kind,
            self._layouts[0].form,
        )
        counts = replace(
            counts, notices=(*self.problems.notices(), *self._notices), present=present
        )
        return self._averaged(counts)

    @property
    def kind(self) -> str:
        """What an item is called: the name of the item column."""
        return self._layouts[0].item

    def _cells(self, n_items: int, n_metrics: int) -> Integers:
        """Return the places of rows in the flat array of systems (and runs) × items × metrics."""
        return np.concatenate(
            [
                (part.file.pairs[part.systems, part.runs] * n_items + part.items) * n_metrics
                + part.metrics
                for part in self.parts
            ]
        )

    def check(self) -> None:
        """Note rows that are there twice, and labels that differ between rows of an item."""
        n_items, n_metrics = len(self.items), max(1, len(self.metrics))
        self._check_twice(self._cells(n_items, n_metrics), n_items, n_metrics)
        self._item_labels(np.arange(n_items))
        self._warn_of_blanks()

    def _check_twice(self, cells: Integers, n_items: int, n_metrics: int) -> None:
        if (cells[1:] > cells[:-1]).all():
            return
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        ends, pairs, items = np.cumsum([len(p.lines) for p in self.parts]), list(self._pairs), None
        for at in again.tolist():
            items = items or self.items.texts
            first = int(order[np.searchsorted(ordered, ordered[at])])
            pair, item = divmod(int(ordered[at]) // n_metrics, n_items)
            name, run = pairs[pair]
            remedy = "" if run else ", or a column 'run' where a system ran more than once"
            self.problems.complain(
                f"{self._place(int(order[at]), ends)}: {self.kind} {items[item]!r} is there twice "
                f"for system {name!r}, first in {self._place(first, ends)}; give each row its own "
                f"id{remedy}"
            )

    def _warn_of_blanks(self) -> list[str]:
        """Warn of items, and of systems, whose names differ in blanks or in signs unseen."""
        items, found = self.items.texts, list[str]()
        for item, other in _alike(items):
            code = items.index(item)
            part = next(part for part in self.parts if (part.items == code).any())
            line = int(part.lines[np.flatnonzero(part.items == code)[0]])
            found.append(
                f"{part.file.place(line)}: {self.kind} {item!r} differs from {other!r} in nothing "
                "that one sees; they were taken for two"
            )
        for name, other in _alike(tuple(self._owners)):
            found.append(
                f"{shown(self._owners[name].path)}: the system {name!r} differs from {other!r} in "
                "nothing that one sees; they were taken for two"
            )
        for text in found:
            self.problems.warn(text)
        return found

    def _place(self, row: int, ends: Integers) -> str:
        """Return where a row stands, given up to which row each part goes."""
        number = int(np.searchsorted(ends, row, side="right"))
        part = self.parts[number]
        return part.file.place(int(part.lines[row - int(ends[number])]))

    def _columns(
        self, cells: Integers, shape: tuple[int, int, int]
    ) -> dict[str, list[NDArray[Any]]]:
        """Return the values in their places: per column, an array per system (and run)."""
        columns = {}
        for name in _value_names(self._layouts[0]):
            whole = all(part.values[name].dtype.kind in "iu" for part in self.parts)
            flat = np.zeros(shape[0] * shape[1] * shape[2], np.int64 if whole else np.float64)
            start = 0
            for part in self.parts:
                places = cells[start : start + len(part.lines)]
                start += len(part.lines)
                wanted = places >= 0
                flat[places[wanted]] = part.values[name][wanted]
            for m, metric in enumerate(self.metrics.texts or (name,)):
                columns[metric] = list(flat.reshape(shape)[:, :, m])
        return columns

    def _item_labels(self, kept: Integers) -> dict[str, tuple[str, ...]]:
        labels = {}
        for label, codes in self.labels.items():
            of_item = np.zeros(len(self.items), np.int32)
            for part in self.parts:
                if label not in part.labels:
                    continue
                mine = part.labels[label]
                new = np.flatnonzero((of_item[part.items] == 0) & (mine != 0))[::-1]
                of_item[part.items[new]] = mine[new]  # the first row, being the last here, counts
                differs = np.flatnonzero((of_item[part.items] != mine) & (mine != 0))
                for row in differs.tolist():
                    self.problems.complain(self._different_labels(label, part, row))
            labels[label] = tuple(map(codes.texts.__getitem__, of_item[kept].tolist()))
        return labels

    def _different_labels(self, label: str, part: Part, row: int) -> str:
        """Return the problem that names two rows that give an item different labels."""
        item, code, texts = part.items[row], part.labels[label][row], self.labels[label].texts
        for other in self.parts:
            if label in other.labels:
                codes = other.labels[label]
                at = np.flatnonzero((other.items == item) & (codes != code) & (codes != 0))
                if at.size:
                    break
        here = part.file.place(int(part.lines[row]))
        there = other.file.place(int(other.lines[at[0]]))
        return (
            f"{here}: the {label!r} of {self.kind} {self.items.texts[item]!r} is "
            f"{texts[code]!r}, but {texts[codes[at[0]]]!r} in {there}; make them equal, or name "
            "the columns that are labels of items with --labels"
        )

    def _averaged(self, counts: Counts) -> Counts:
        """Average the runs of each system, if there are several."""
        systems = list(self._owners)
        runs: dict[str, list[Counts]] = {system: [] for system in systems}
        for row, (name, _) in enumerate(self._pairs):
            one = replace(counts, names=(name,), values=counts.values[row : row + 1])
            runs[name].append(one)
        if len(self._pairs) > len(systems):
            if counts.present is not None:
                raise DataError(
                    f"several runs per system need the same {plural(counts.kind)}: give one run of "
                    "each for an unpaired test"
                )
            return average_runs(runs)
        return counts


def _value_names(layout: Layout) -> tuple[str, ...]:
    return ("score",) if layout.form == "items" else tuple(layout.values.values())


def _renumbered(cells: Integers, kept: Integers, n_items: int, n_metrics: int) -> Integers:
    """Return the places of rows after only some items are kept; -1 for rows of the others."""
    position = np.full(n_items, -1, np.int64)
    position[kept] = np.arange(len(kept))
    rest, metrics = np.divmod(cells, n_metrics)
    pairs, items = np.divmod(rest, n_items)
    places = (pairs * len(kept) + position[items]) * n_metrics + metrics
    return np.where(position[items] >= 0, places, -1)


def _alike(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names that look like another one, with that one.

    >>> list(_alike(["q1", "q2", "q1 "])), list(_alike(["q 1", "q1"]))
    ([('q1 ', 'q1')], [])
    """
    joined = "".join(names)  # one look at all is much cheaper than one at each
    if joined.isascii() and len(joined.split()) < 2 and joined == joined.strip():
        return
    odd = [name for name in names if not name.isascii() or name != " ".join(name.split())]
    if not odd:
        return
    seen = {name: name for name in names if name not in set(odd)}
    for name in odd:
        other = seen.setdefault(_as_seen(name), name)
        if other != name:
            yield name, other


def _as_seen(name: str) -> str:
    """Return a name without what one does not see."""
    text = unicodedata.normalize("NFC", name)
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
