"""Columns: many records of one kind, kept as arrays.

A thousand systems are half a million pairs. As objects these take gigabytes; as columns they take
what their numbers take, and what is asked of all of them is asked of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Record = TypeVar("Record")
_AT_ONCE = 4096  # records that are made at a time


class Columns(Sequence[Record], Generic[Record]):
    """A sequence of records, of which one is made when it is asked for.

    In columns of floats, NaN stands for None. A column that is not given has the field's default.

    >>> from tellapart.errors import Notice
    >>> notices = Columns(Notice, {"code": column(["floor", "runs"]), "text": column(["", ""])}, 2)
    >>> notices[1]
    Notice(code='runs', text='', affected=())
    >>> notices == list(notices)
    True
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: type[Record], columns: Mapping[str, NDArray[Any]], length: int):
        self._kind, self._length = kind, length
        self._columns = {
            each.name: columns[each.name] if each.name in columns else _default(each, length)
            for each in fields(kind)  # type: ignore[arg-type]
        }

    @classmethod
    def of(cls, kind: type[Record], records: Sequence[Record]) -> Columns[Record]:
        """Return records that exist as columns."""
        names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
        found = {name: column([getattr(each, name) for each in records]) for name in names}
        return cls(kind, found, len(records))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, which: int) -> Record: ...
    @overload
    def __getitem__(self, which: slice) -> Columns[Record]: ...
    def __getitem__(self, which: int | slice) -> Record | Columns[Record]:
        if isinstance(which, slice):
            return self.take(np.arange(self._length)[which])
        if not -self._length <= which < self._length:
            raise IndexError(which)
        return next(iter(self.take([which])))

    def __iter__(self) -> Iterator[Record]:
        for start in range(0, self._length, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            rows = zip(*(_values(each[some]) for each in self._columns.values()), strict=True)
            yield from (self._kind(*row) for row in rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != self._length:
            return NotImplemented if not isinstance(other, Sequence) else False
        if isinstance(other, Columns) and other._kind is self._kind:
            return all(self.values(name) == other.values(name) for name in self._columns)
        return all(own == its for own, its in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"<{self._length:,} of {self._kind.__name__}, in columns>"

    @property
    def names(self) -> list[str]:
        """The names of the columns: the fields of a record."""
        return list(self._columns)

    def column(self, name: str) -> NDArray[Any]:
        """Return one field of all records, as an array."""
        return self._columns[name]

    def values(self, name: str) -> list[Any]:
        """Return one field of all records, as the records have it."""
        return _values(self._columns[name])

    def take(self, numbers: ArrayLike) -> Columns[Record]:
        """Return some of the records, by their numbers."""
        which = np.asarray(numbers, np.int64)
        some = {name: each[which] for name, each in self._columns.items()}
        return Columns(self._kind, some, len(which))

    def replaced(self, columns: Mapping[str, NDArray[Any]]) -> Columns[Record]:
        """Return the same with other columns in the place of some."""
        return Columns(self._kind, {**self._columns, **columns}, self._length)


def rows(records: Sequence[Any], *names: str) -> Iterator[tuple[Any, ...]]:
    """Return two or more fields of all records, whether these are kept in columns or not."""
    if isinstance(records, Columns):
        return zip(*(records.values(name) for name in names), strict=True)
    return map(attrgetter(*names), records)


def joined(parts: Sequence[Columns[Record]]) -> Columns[Record]:
    """Return the records of several columns, one after the other."""
    together = {
        name: np.concatenate([each.column(name) for each in parts]) for name in parts[0].names
    }
    return Columns(parts[0]._kind, together, sum(map(len, parts)))


def column(values: Iterable[Any]) -> NDArray[Any]:
    """Return values as a column: of numbers or truths where all are, else of objects.

    >>> column([0.5, None]), column([1, 2]), column([None, 3])
    (array([0.5, nan]), array([1, 2]), array([None, 3], dtype=object))
    """
    found = list(values)
    kinds = set(map(type, found))
    if kinds == {bool}:
        return np.array(found, np.bool_)
    if kinds == {int} and all(abs(each) < 1 << 62 for each in found):
        return np.array(found, np.int64)
    if float in kinds and kinds <= {float, type(None)}:
        return np.array(found, np.float64)
    return np.fromiter(found, object, len(found))


def constant(value: Any, length: int) -> NDArray[Any]:
    """Return a column that has the same value everywhere, at the cost of one."""
    single = np.empty(1, object)
    single[0] = value
    return np.broadcast_to(single, (length,))


def _default(each: Any, length: int) -> NDArray[Any]:
    given = each.default is not MISSING
    return constant(each.default if given else each.default_factory(), length)


def _values(cells: NDArray[Any]) -> list[Any]:
    found: list[Any] = cells.tolist()
    if cells.dtype.kind == "f":
        return [None if each != each else each for each in found]
    return found
