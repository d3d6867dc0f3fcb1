"""Rows of several tables joined: the same items, in the same order, for all systems."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.missing import find_missing
from tellapart.formats.problems import Findings
from tellapart.formats.sources import called_twice, run_name
from tellapart.formats.tables.cells import Codes, LabelCodes
from tellapart.formats.tables.deciding import Decided, decide, differing, first_codes
from tellapart.formats.tables.layout import Layout
from tellapart.formats.tables.names import PROMPTS, REPEAT_COLUMNS, TASK_COLUMNS, first_of
from tellapart.metrics import counts_errors
from tellapart.metrics.runs import average_runs
from tellapart.words import listed, plural, several

Integers = NDArray[Any]
MOST_CELLS = 1 << 31  # systems × items × metrics: 16 GiB of counts
_BYTES_PER_ROW = 16  # a byte for each cell is less work than to sort the rows, up to here


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
    maybe: dict[str, NDArray[Any]] = field(default_factory=dict)  # numbers, if all are


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

    @property
    def layouts(self) -> Sequence[Layout]:
        """What the columns of each file are."""
        return self._layouts

    @property
    def n_systems(self) -> int:
        """How many systems there are in the files that were read."""
        return len(self._owners)

    def begin(self, file: TableFile, layout: Layout) -> None:
        """Start a file; its value columns must be those of the first one."""
        for label in (*layout.labels, *layout.maybe):
            self.labels.setdefault(label, LabelCodes())
        self._files.append(file)
        self._layouts.append(layout)
        file.start = len(self.parts)
        mine, first = _value_names(layout), _value_names(self._layouts[0])
        if set(mine) != set(first):
            if _one_each(layout, self._layouts[0]):
                raise OtherNameError
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
                if self._layouts[-1].wide:
                    raise MetricsError
                raise DataError(
                    f"{shown(file.path)}: the table holds {len(names)} systems "
                    f"({listed(names, 3)}), so that {name}= cannot name it; give the path "
                    "alone"
                )
            names = (name,)
        for system in names:
            other = self._owners.setdefault(system, file)
            if other.source != file.source and (file.owned or other.owned):
                mine, its = self._layouts[-1], self._layouts[self._files.index(other)]
                if mine.wide and its.wide and mine.values == its.values:
                    raise MetricsError
                raise called_twice(system, file.path, other.path)
        runs = [f"{file.run} {run}".strip() for run in file.runs.texts or ("",)]
        file.pairs = np.full((len(names), len(runs)), -1, np.int64)
        present: set[int] = set()
        for part in self.parts[file.start :]:
            pairs = np.atleast_1d(part.systems * np.int64(len(runs)) + part.runs)
            present.update(np.flatnonzero(np.bincount(pairs)).tolist())
        for pair in sorted(present):
            system_code, run_code = divmod(pair, len(runs))
            key = names[system_code], runs[run_code]
            file.pairs[system_code, run_code] = self._pairs.setdefault(key, len(self._pairs))

    def warn(self, notices: Iterable[Notice]) -> None:
        """Add warnings that the counts will carry."""
        self._notices += notices

    def own_ids(self) -> tuple[str, ...]:
        """Return the columns of ids that no two systems share, if there is one that they do."""
        others = [name for name in (*ITEM_COLUMNS, *PROMPTS) if self._have(name)]
        if not others or self.n_systems < 2 or self._share(None):
            return ()
        for name in others:
            if self._share(name):
                return tuple({layout.item for layout in self._layouts} - {name})
        return ()

    def _have(self, name: str) -> bool:
        """Return whether all files have a column, and some as other than that of the items."""
        columns = [(each.item, *each.labels, *each.maybe) for each in self._layouts]
        own = all(each.item == name for each in self._layouts)
        return not own and all(name in each for each in columns)

    def _share(self, name: str | None) -> bool:
        """Return whether two systems have an id of a column in common; None: of the items."""
        items, systems = self.items.texts, [system for system, _ in self._pairs]
        owners: dict[str, str] = {}
        for part in self.parts:
            rows = np.broadcast_to(part.file.pairs[part.systems, part.runs], part.items.shape)
            texts, codes = items, part.items
            if name is not None and self._layouts[self._files.index(part.file)].item != name:
                texts, codes = self.labels[name].texts, part.labels[name]
            for row, code in zip(rows.tolist(), codes.tolist(), strict=True):
                text, system = texts[code], systems[row]
                if text and owners.setdefault(text, system) != system:
                    return True
        return False

    def counts(self, missing: str, shared: Collection[str] = ()) -> Counts:
        """Return the counts of all rows; `missing` is one of the policies of `read_tables`.

        `shared` are columns that the user calls labels, in which systems must not differ.
        """
        if not self._pairs:
            raise DataError(
                f"{shown(self._files[0].path)}: no row has a value; name the columns that have "
                "some with --columns"
            )
        self._tell_tasks_apart()
        decided = decide(self, shared)
        self._notices += decided.notices
        items = self.items.texts
        n_items, n_pairs, n_metrics = len(items), len(self._pairs), max(1, len(self.metrics))
        if n_pairs * n_items * n_metrics > MOST_CELLS:
            raise DataError(
                f"{shown(self._files[0].path)}: {n_pairs:,} systems × {n_items:,} "
                f"{plural(self.kind)} make {n_pairs * n_items * n_metrics:,} cells, and at most "
                f"{MOST_CELLS:,} can be compared; check which columns are systems and items"
            )
        shape = n_pairs, n_items, n_metrics
        self._check_twice(shape)
        alike = self._warn_of_blanks()
        kept = np.arange(n_items)
        present: NDArray[np.bool_] | None = None
        if sum(len(part.items) for part in self.parts) < math.prod(shape):
            absent = find_missing(self._cells(shape), *shape)
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
        columns = self._columns(shape, kept, decided.metrics)
        if len(kept) < n_items:
            items = tuple(items[i] for i in kept)
        counts = Counts.from_columns(
            [name for name, _ in self._pairs],
            items,
            columns,
            {label: self._item_label(label, kept) for label in decided.labels},
            self.kind,
            self._layouts[0].form,
            reuse=True,
        )
        counts = replace(
            counts, notices=(*self.problems.notices(), *self._notices), present=present
        )
        counts = replace(self._averaged(counts), texts=self._texts(decided, kept))
        return self._with_gaps(counts, decided.metrics, kept)

    def _with_gaps(self, counts: Counts, metrics: Sequence[str], kept: Integers) -> Counts:
        """Return the counts with each metric on the items of which all systems have a value."""
        scored = np.ones(counts.values.shape, np.bool_)
        notices = []
        for metric in metrics:
            whole = np.ones(len(self.items), np.bool_)
            for part in self.parts:
                whole[part.items[np.isnan(part.maybe[metric])]] = False
            whole = whole[kept]
            scored[:, :, counts.columns.index(metric)] = whole
            if not whole.all():
                text = (
                    f"{metric} is of {several(int(whole.sum()), self.kind)} of {len(whole):,}: the "
                    "others have no such value of some system."
                )
                notices.append(Notice("fewer-items", text, (metric,)))
        if not notices:
            return counts
        return replace(counts, scored=scored, notices=(*counts.notices, *notices))

    def _texts(self, decided: Decided, kept: Integers) -> ItemTexts | None:
        """Return the texts behind the items, the outputs of runs below each other."""
        inputs, golds = (
            () if label is None else self._item_label(label, kept)
            for label in (decided.input, decided.gold)
        )
        outputs: dict[str, tuple[str, ...]] = {}
        if decided.output is not None:
            codes = np.zeros((len(self._pairs), len(self.items)), np.int32)
            for part in self.parts:
                if decided.output in part.labels:
                    pairs = part.file.pairs[part.systems, part.runs]
                    codes[pairs, part.items] = part.labels[decided.output]
            texts = self.labels[decided.output].texts
            for row, (name, _) in enumerate(self._pairs):
                own = tuple(map(texts.__getitem__, codes[row, kept].tolist()))
                before = outputs.get(name)
                if before is not None:
                    own = tuple("\n".join(each) for each in zip(before, own, strict=True))
                outputs[name] = own
        return ItemTexts(inputs, golds, outputs) if inputs or golds or outputs else None

    def _tell_tasks_apart(self) -> None:
        """Name items `task/item` where items of several tasks have the same ids."""
        task = first_of(TASK_COLUMNS, self.labels)
        if task is None or next(differing(self.parts, task, len(self.items)), None) is None:
            return
        tasks, items, pairs = self.labels[task].texts, self.items.texts, Codes()
        parts = []
        for part in self.parts:
            own = part.labels.get(task, np.zeros(len(part.items), np.int32))
            names = [
                f"{tasks[t]}/{items[i]}" if t else items[i]
                for t, i in zip(own.tolist(), part.items.tolist(), strict=True)
            ]
            parts.append(replace(part, items=pairs.encode(names)))
        self.items, self.parts = pairs, parts

    @property
    def kind(self) -> str:
        """What an item is called."""
        return self._layouts[0].kind

    def _places(self, part: Part, shape: tuple[int, int, int]) -> Integers:
        """Return the places of rows in the flat array of systems (and runs) × items × metrics."""
        if not len(part.items):  # none of its rows could be read
            return np.zeros(0, np.int64)
        _, n_items, n_metrics = shape
        pairs = part.file.pairs[part.systems, part.runs]
        return np.asarray((pairs * n_items + part.items) * n_metrics + part.metrics)

    def _cells(self, shape: tuple[int, int, int]) -> Integers:
        """Return the places of all rows."""
        return np.concatenate([self._places(part, shape) for part in self.parts])

    def check(self, shared: Collection[str] = ()) -> None:
        """Note rows that appear twice, and labels that differ between rows of an item."""
        self._tell_tasks_apart()
        self._check_twice((len(self._pairs), len(self.items), max(1, len(self.metrics))))
        decide(self, shared)
        self._warn_of_blanks()

    def _check_twice(self, shape: tuple[int, int, int]) -> None:
        if self._is_once(shape):
            return
        cells, (_, n_items, n_metrics) = self._cells(shape), shape
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        ends, pairs, items = np.cumsum([len(p.lines) for p in self.parts]), list(self._pairs), None
        for at in again.tolist():
            items = items or self.items.texts
            first = int(order[np.searchsorted(ordered, ordered[at])])
            pair, item = divmod(int(ordered[at]) // n_metrics, n_items)
            name, run = pairs[pair]
            remedy = "" if run else self._remedy_of_twice(first, int(order[at]), ends)
            self.problems.complain(
                f"{self._place(int(order[at]), ends)}: {self.kind} {items[item]!r} appears twice "
                f"for system {name!r}, first in {self._place(first, ends)}; give each row its own "
                f"id{remedy}"
            )

    def _is_once(self, shape: tuple[int, int, int]) -> bool:
        """Return whether it is plain that no two rows are of the same system, item and metric."""
        rows = sum(len(part.items) for part in self.parts)
        if math.prod(shape) > _BYTES_PER_ROW * rows:
            return False
        seen = np.zeros(math.prod(shape), np.bool_)
        for part in self.parts:
            seen[self._places(part, shape)] = True
        return int(np.count_nonzero(seen)) == rows

    def _remedy_of_twice(self, first: int, second: int, ends: Integers) -> str:
        """Return what else may help where an item appears twice."""
        remedy = ", or a column 'run' where a system ran more than once"
        one, other = (
            self.parts[int(np.searchsorted(ends, row, "right"))] for row in (first, second)
        )
        if one.file is not other.file:
            return f"{remedy}; NAME=FILE tells the systems of two files apart"
        layout = self._layouts[self._files.index(one.file)]
        names = [name for name in layout.labels if name not in layout.maybe]
        if layout.system is None and names:
            remedy += f"; if a column names the systems, --system says which ({listed(names, 6)})"
        return remedy

    def _warn_of_blanks(self) -> list[str]:
        """Warn of items, and of systems, whose names differ in blanks or in signs unseen."""
        items, found = self.items.texts, list[str]()
        for item, other in _alike(items):
            code = items.index(item)
            part = next((part for part in self.parts if (part.items == code).any()), None)
            if part is None:  # none of its rows could be read
                continue
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
        self, shape: tuple[int, int, int], kept: Integers, metrics: Sequence[str]
    ) -> dict[str, NDArray[Any]]:
        """Return the values of the items that are kept: per column, systems (runs) × items."""
        columns = {}
        by_metric = any(layout.metric for layout in self._layouts)
        for name in (*_value_names(self._layouts[0]), *metrics):
            parts = [part for part in self.parts if name in part.values or name in part.maybe]
            found = (part.values.get(name, part.maybe.get(name)) for part in parts)
            whole = all(values is not None and values.dtype.kind in "iu" for values in found)
            flat = np.zeros(math.prod(shape), np.int64 if whole else np.float64)
            for part in parts:
                # Taken out of the part: there may be no room to have all values twice.
                values = part.values.pop(name) if name in part.values else part.maybe[name]
                gaps = values.dtype.kind == "f" and bool(np.isnan(values).any())
                flat[self._places(part, shape)] = np.nan_to_num(values) if gaps else values
            cells = flat.reshape(shape)
            if len(kept) < shape[1]:
                cells = cells[:, kept]
            for m, metric in enumerate(self.metrics.texts if by_metric else (name,)):
                columns[metric] = cells[:, :, m]
        return columns

    def _item_label(self, label: str, kept: Integers) -> tuple[str, ...]:
        codes = first_codes(self.parts, label, len(self.items))
        return tuple(map(self.labels[label].texts.__getitem__, codes[kept].tolist()))

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
            named = {layout.run for layout in self._layouts}
            files = any(part.file.run for part in self.parts)
            return average_runs(runs, repeats=not files and named <= set(REPEAT_COLUMNS))
        return counts


class MetricsError(Exception):
    """The columns of several tables are not systems, one each, but metrics of one system each."""


class OtherNameError(Exception):
    """The only values of two tables have different names."""


def _value_names(layout: Layout) -> tuple[str, ...]:
    return ("score",) if layout.wide else tuple(layout.values.values())


def _one_each(one: Layout, other: Layout) -> bool:
    """Return whether two tables have one value each, of the same direction."""
    names = [name for layout in (one, other) for name in _value_names(layout)]
    same = one.form == other.form == "items" and len(names) == 2
    return same and len({counts_errors(name) for name in names}) == 1


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
