"""Parquet files by DuckDB: their columns in batches, or their rows as objects."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

from tellapart import engine
from tellapart.errors import DataError, UsageError
from tellapart.files import is_stream, open_bytes, open_unpacked, shown

_NUMBERS: Final = {
    "TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64",
    "UTINYINT": "uint8", "USMALLINT": "uint16", "UINTEGER": "uint32", "UBIGINT": "uint64",
    "FLOAT": "float32", "DOUBLE": "float64",
}  # fmt: skip
_NESTED: Final = ("STRUCT", "MAP", "UNION", "VARIANT", "BLOB")
# Nothing is fetched from anywhere, and rows come in the order of the file.
_SETTINGS: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",  # more would take more memory, and no less time of all processors together
}


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file that is open."""

    names: tuple[str, ...]
    """Its columns"""
    rows: int
    _types: tuple[str, ...]
    _spelled: tuple[str, ...]
    """The columns as DuckDB calls them, which takes A and a for the same"""
    _source: str
    _connection: Any

    def batches(self, names: Sequence[str], size: int) -> Iterator[dict[str, Any]]:
        """Yield some columns, many rows at a time: numbers as arrays, anything else as cells.

        Cells are those of the native module where there is one, otherwise lists of at most `size`
        rows: texts, None, and lists and objects as they are.
        """
        at = [self.names.index(name) for name in names]
        nested = [k for k in at if _is_nested(self._types[k])]
        flat = [k for k in at if k not in nested]
        native: Any = engine.native if engine.active() != "numpy" else None
        if nested or native is None or not flat:
            yield from self._small_batches(at, size)
            return
        query = self._connection.sql(self._select(flat))
        batches = native.ArrowBatches(query.__arrow_c_stream__())
        while (found := batches.next()) is not None:
            yield dict(zip((self.names[k] for k in flat), found, strict=True))

    def _small_batches(self, at: Sequence[int], size: int) -> Iterator[dict[str, Any]]:
        query = self._connection.execute(self._select(at))
        while rows := query.fetchmany(size):
            cells = zip(*rows, strict=True)
            yield {self.names[k]: self._cells(k, own) for k, own in zip(at, cells, strict=True)}

    def _cells(self, column: int, cells: Sequence[Any]) -> Any:
        name = _NUMBERS.get(self._types[column])
        if name is None:
            return list(cells)
        import numpy as np

        kind = np.dtype(name).type
        if None not in cells:
            return np.array(cells, kind)
        # Short floats by their shortest form: 0.7 stays 0.7.
        own = float if issubclass(kind, np.floating) else int
        return [None if cell is None else str(own(str(kind(cell)))) for cell in cells]

    def objects(self, columns: Sequence[str] | None, size: int) -> Iterator[dict[str, Any]]:
        """Yield rows as Python has them; `doc.id` is the field `id` alone of the column `doc`."""
        wanted = _tree(columns) if columns is not None else dict.fromkeys(self.names)
        names = [name for name in self.names if name in wanted]
        spelled = (_quoted(self._spelled[self.names.index(name)]) for name in names)
        query = self._connection.execute(f"SELECT {', '.join(spelled)} FROM {self._source}")
        while rows := query.fetchmany(size):
            for row in rows:
                cells = zip(names, row, strict=True)
                yield {name: _cut(cell, wanted[name]) for name, cell in cells}

    def _select(self, at: Sequence[int]) -> str:
        return f"SELECT {', '.join(map(self._expression, at))} FROM {self._source}"

    def _expression(self, column: int) -> str:
        name = _quoted(self._spelled[column])
        kind = self._types[column]
        plain = kind in _NUMBERS or kind == "VARCHAR" or _is_nested(kind)
        return name if plain else f"CAST({name} AS VARCHAR)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_NESTED)


def _tree(columns: Sequence[str]) -> dict[str, Any]:
    """Return columns and fields by name; an empty one is there with all that it has.

    >>> _tree(["doc.id", "doc.task", "metric"])
    {'doc': {'id': {}, 'task': {}}, 'metric': {}}
    """
    found: dict[str, Any] = {}
    for path in columns:
        inside = found
        for name in path.split("."):
            inside = inside.setdefault(name, {})
    return found


def _cut(value: Any, wanted: dict[str, Any] | None) -> Any:
    if not wanted or not isinstance(value, dict):
        return value
    return {name: _cut(value[name], wanted[name]) for name in value if name in wanted}


@contextmanager
def open_parquet(path: str, *, unpack: bool = False) -> Iterator[ParquetFile]:
    """Open a Parquet file, or a pipe; what is none, or damaged, is a DataError.

    With `unpack`, the file may be compressed as a whole, and checksums of its pages are looked at.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            f"{shown(path)}: Parquet needs DuckDB: pip install 'tellapart[parquet]', or give CSV"
        ) from None
    with ExitStack() as stack:
        stream = stack.enter_context(open_unpacked(path) if unpack else open_bytes(path))
        place = path
        if unpack or is_stream(path):
            copy = stack.enter_context(tempfile.NamedTemporaryFile(suffix=".parquet"))
            shutil.copyfileobj(stream, copy)
            copy.flush()
            place = copy.name
        try:
            connection = stack.enter_context(duckdb.connect(config=_SETTINGS))
            yield _opened(connection, place, check=unpack)
        except (duckdb.Error, RuntimeError, UnicodeDecodeError, _DamagedError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            reason = reason.partition("Error: ")[2] or reason
            reason = reason.replace(place, shown(path)).removesuffix(".")
            raise DataError(
                f"{shown(path)}: this is not a whole Parquet file ({reason}); write it again"
            ) from None


def _opened(connection: Any, place: str, *, check: bool) -> ParquetFile:
    literal = "'" + _escaped(os.path.abspath(place)).replace("'", "''") + "'"
    source = f"read_parquet({literal}, hive_partitioning = false)"
    schema = connection.execute(
        f"SELECT name, num_children FROM parquet_schema({literal})"
    ).fetchall()
    (rows,) = connection.execute(
        f"SELECT num_rows FROM parquet_file_metadata({literal})"
    ).fetchone()
    columns = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    if check:
        chunks = connection.execute(
            "SELECT dictionary_page_offset, data_page_offset, total_compressed_size "
            f"FROM parquet_metadata({literal})"
        ).fetchall()
        with open(place, "rb") as stream:
            for chunk in chunks:
                _check_pages(stream, *chunk)
    return ParquetFile(
        tuple(_columns(schema)),
        rows,
        tuple(kind for _, kind, *_ in columns),
        tuple(name for name, *_ in columns),
        source,
        connection,
    )


def _escaped(path: str) -> str:
    """Return a path in which nothing is a pattern.

    >>> _escaped("a[1]*.parquet")
    'a[[]1][*].parquet'
    """
    return "".join(f"[{each}]" if each in "[*?" else each for each in path)


def _columns(schema: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    """Yield the names of columns; those of fields inside follow theirs."""
    left = iter(schema)

    def skip(children: int | None) -> None:
        for _ in range(children or 0):
            skip(next(left)[1])

    for _ in range(next(left)[1] or 0):
        name, children = next(left)
        yield name
        skip(children)


class _DamagedError(Exception):
    """The checksum of a page is not that of its bytes."""


def _check_pages(stream: IO[bytes], dictionary: int | None, data: int, size: int) -> None:
    """Compare the checksums that the pages of a column have, if any, with their bytes."""
    place = min(dictionary, data) if dictionary else data
    end = place + size
    while place < end:
        stream.seek(place)
        head = stream.read(min(1 << 16, end - place))
        try:
            fields, used = _page_header(head)
            length = fields[3]
        except (IndexError, KeyError):
            raise _DamagedError("a page has no whole header") from None
        stream.seek(place + used)
        if 4 in fields and zlib.crc32(stream.read(length)) != fields[4] & 0xFFFFFFFF:
            raise _DamagedError("the checksum of a page is not that of its bytes")
        place += used + max(length, 0)


def _page_header(data: bytes) -> tuple[dict[int, int], int]:
    """Return the numbers that begin the header of a page, by their fields, and its length.

    Thrift's compact protocol: 3 is the length of the page, 4 its checksum.
    """
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def skip(kind: int) -> int:
        nonlocal place
        if kind in (4, 5, 6):
            number = varint()
            return number >> 1 ^ -(number & 1)
        if kind in (3, 7):
            place += 1 if kind == 3 else 8
        elif kind == 8:
            length = varint()
            place += length
        elif kind == 12:
            struct()
        elif kind not in (1, 2):
            raise IndexError
        return 0

    def struct() -> dict[int, int]:
        nonlocal place
        found: dict[int, int] = {}
        field = 0
        while head := data[place]:
            place += 1
            field = field + (head >> 4) if head >> 4 else skip(4)
            found[field] = skip(head & 15)
        place += 1
        return found

    return struct(), place
