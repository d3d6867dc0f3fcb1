"""The one place that turns bytes into records: JSON, JSON lines, CSV, TSV, Parquet and archives.

What a file holds is told by its content; gzip, zstd and standard input are read like plain files.
Every record knows its place. Large tables and Parquet are read by DuckDB, which is an extra.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from tellapart.errors import DataError, UsageError
from tellapart.files import (
    is_stream,
    most_unpacked,
    needs_zstd,
    open_bytes,
    open_text,
    open_unpacked,
    shown,
    too_much_unpacked,
    unpacked_name,
    zstd_module,
)
from tellapart.formats.problems import Findings

PARQUET: Final = b"PAR1"
"""How Parquet files begin"""
UNNAMED: Final = "Unnamed: 0"
"""What a first column without a name is called, as pandas does that writes its index so"""
ZIP: Final = b"PK\x03\x04"
"""How archives begin"""
DEEPEST: Final = 200
"""How deep lists and objects may be nested: far deeper than logs are, and safe in any Python"""
_TOO_DEEP: Final = f"nested more than {DEEPEST} deep"
_SURROGATES: Final = (r"\ud", r"\uD")
_ROWS_AT_ONCE: Final = 256
_ROWS_INSIDE: Final = re.compile(rb'\{\s*"[^"]*"\s*:\s*\[')  # the rows may be the only value
_ZSTD: Final = 93
_NUMBER: Final = re.compile(r"[+-]?\d*\.?\d+")
# Outputs of systems are longer than what the csv module takes for a cell; it has one limit for all.
csv.field_size_limit(max(csv.field_size_limit(), (1 << 31) - 1))


class Record(NamedTuple):
    """What stands in one row, line or member, and where that is, as messages name it."""

    place: str
    fields: dict[str, Any]


class CsvText(NamedTuple):
    """A table of text: its header, and its rows with their lines."""

    names: tuple[str, ...]
    rows: Iterator[tuple[int, list[str]]]
    delimiter: str


def read_records(
    path: str,
    rows: str | None = None,
    problems: Findings | None = None,
    *,
    only_list: bool = True,
) -> Iterator[Record]:
    """Yield the records of a file of any kind, told by its content.

    `rows` is the dotted path to the list of records in a JSON object; without it, `only_list` takes
    the only value that there is, if it is a list. What is no record is an error, or is noted in
    `problems` where that lets it pass.
    """
    problems = problems or Findings(strict=True)
    with open_unpacked(path) as stream:
        begin = stream.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin.startswith(PARQUET):
        yield from parquet_records(path)
    elif rows is not None or begin.startswith(b"["):
        yield from _listed(read_json(path), path, rows, problems)
    elif begin.startswith(b"{"):
        first, _, more = begin.partition(b"\n")
        indented = more and not try_json(first.decode(errors="replace"))
        inside = only_list and _ROWS_INSIDE.match(begin)
        tree = _one_tree(path) if indented or inside else None
        if not isinstance(tree, dict) or not tree:
            yield from json_lines(path, problems)
        elif only_list and len(tree) == 1 and isinstance(next(iter(tree.values())), list):
            yield from _listed(tree, path, next(iter(tree)), problems)
        else:
            yield Record(f"{shown(path)}, row 1", tree)
    else:
        yield from csv_records(path, problems)


def _one_tree(path: str) -> Any:
    with open_text(path) as stream:
        return try_json(stream.read())


def _listed(tree: Any, path: str, rows: str | None, problems: Findings) -> Iterator[Record]:
    """Yield the objects of a list, or of the one at the dotted path `rows`."""
    for key in rows.split(".") if rows else ():
        if isinstance(tree, dict) and rows in tree:
            tree = tree[rows]
            break
        if not isinstance(tree, dict) or key not in tree:
            raise DataError(f"{shown(path)}: there is no {rows!r} in this JSON")
        tree = tree[key]
    if not isinstance(tree, list):
        raise DataError(f"{shown(path)}: {rows or 'this'} is no list of records")
    for number, value in enumerate(tree, 1):
        place = f"{shown(path)}, row {number}"
        with problems.of_file():
            yield Record(place, as_object(value, place))


def parse_json(
    data: bytes | str,
    place: str,
    remedy: str = "write it again",
    *,
    line: int | None = None,
    deep: bool = False,
) -> Any:
    r"""Return what JSON holds; what cannot be used is an error that names the place.

    `remedy` ends the sentence on a text that is no JSON. `line` is the line of the place on which
    the text begins; with it, errors name the line. `deep` saves a look at every bracket, for
    readers that do not walk through what is nested. Half a character becomes a question mark.

    >>> parse_json('{"id": 7}', "quiz.json")
    {'id': 7}
    >>> try:
    ...     parse_json('{"id": 7,\n"id", 8}', "quiz.json", line=1)
    ... except DataError as error:
    ...     print(error)
    quiz.json:2: this is not JSON (Expecting ':' delimiter, column 5); write it again
    """
    first = place if line is None else f"{place}:{line}"
    try:
        text = data if isinstance(data, str) else data.decode().removeprefix("\ufeff")
        tree = json.loads(text)
        nested = 0 if deep else text.count("[") + text.count("{")
        if nested > DEEPEST and _depth_exceeds(tree, DEEPEST):
            raise DataError(f"{first}: {_TOO_DEEP}")
    except UnicodeDecodeError:
        raise DataError(f"{first}: this is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        at = first if line is None else f"{place}:{line + error.lineno - 1}"
        raise DataError(
            f"{at}: this is not JSON ({error.msg}, column {error.colno}); {remedy}"
        ) from None
    except RecursionError:
        raise DataError(f"{first}: {_TOO_DEEP}") from None
    except ValueError as error:  # an integer of thousands of digits, for which Python has advice
        reason = str(error).partition("; use sys.")[0]
        raise DataError(f"{first}: this JSON cannot be used ({reason}); {remedy}") from None
    if "\\" in text and any(half in text for half in _SURROGATES):
        return json.loads(json.dumps(tree, ensure_ascii=False).encode("utf-8", "replace"))
    return tree


def try_json(text: str) -> Any:
    """Return what JSON holds, for a guess; None if it is no JSON.

    >>> try_json('{"a": 1}'), try_json('{"a": ')
    ({'a': 1}, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _depth_exceeds(tree: Any, most: int) -> bool:
    level = [tree] if isinstance(tree, dict | list) else []
    for _ in range(most):
        level = [
            part
            for parent in level
            for part in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def read_json(path: str, remedy: str = "copy the file again") -> Any:
    """Return what a file of JSON holds."""
    with open_text(path) as stream:
        return parse_json(stream.read(), shown(path), remedy, line=1)


def as_object(value: Any, place: str) -> dict[str, Any]:
    """Return an object of JSON that has keys; refuse anything else.

    >>> as_object({"id": 7}, "quiz.jsonl:1")
    {'id': 7}
    """
    if not isinstance(value, dict) or not value:
        raise DataError(f'{place}: this is not an object with keys; write {{"id": …}}')
    return value


def json_lines(
    path: str, problems: Findings | None = None, *, deep: bool = False
) -> Iterator[Record]:
    """Yield the objects of JSON lines; what is none is an error, or noted in `problems`."""
    problems = problems or Findings(strict=True)
    name = shown(path)
    with open_unpacked(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.isspace():
                continue
            place = f"{name}:{number}"
            try:
                tree = parse_json(line, place, "JSON lines are an object a line", deep=deep)
                record = Record(place, as_object(tree, place))
            except DataError as problem:
                problems.complain(str(problem))
                continue
            yield record


def csv_records(path: str, problems: Findings | None = None) -> Iterator[Record]:
    """Yield the rows of CSV or TSV by the names of the header; empty cells are left out."""
    with open_text(path) as stream:
        names, rows, _ = csv_rows(stream, path, problems or Findings(strict=True))
        for line, cells in rows:
            fields = {name: cell for name, cell in zip(names, cells, strict=True) if cell.strip()}
            yield Record(f"{shown(path)}:{line}", fields)


def csv_rows(text: Iterable[str], path: str, problems: Findings) -> CsvText:
    """Return the header and the rows of CSV or TSV; blank lines are no rows."""
    lines = iter(text)
    blank = 0
    for first in lines:
        if first.strip():
            break
        blank += 1
    else:
        raise DataError(f"{shown(path)}: the file is empty")
    place = f"{shown(path)}:{blank + 1}"
    if "\0" in first or first.startswith(("%PDF", "PK\x03\x04")):
        raise DataError(f"{place}: this is no text but binary data; export CSV")
    if first.lstrip().startswith("<"):
        raise DataError(f"{place}: this is a page or an XML file, no table; export it as CSV")
    delimiter = _delimiter(first, path)
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    with _well_formed(reader, path, blank):
        header = [name.strip() for name in next(reader)]
        _refuse_data(header, place)
        if len(header) > 1 and not header[0]:
            header[0] = UNNAMED
        names = checked_names(header, place)
    return CsvText(names, _rows_as_wide(reader, names, path, blank, problems), delimiter)


def _refuse_data(header: Sequence[str], place: str) -> None:
    """Refuse a header with numbers, unless another name of it is known: it is the first row."""
    number = next(filter(_NUMBER.fullmatch, header), None)
    if number is None or not header[0]:
        return
    from tellapart.formats.tables.columns import SPELLED, VERDICTS, small_name

    names = set(map(small_name, header))
    if names.isdisjoint(SPELLED.difference(VERDICTS)):  # rows may say pass or correct, too
        example = "query,metric,score in their order" if len(header) == 3 else "item,A,B"
        raise DataError(
            f"{place}: the first line seems to be data, having the number {number} for a name; put "
            f"a line of names above it, such as {example}"
        )


def _rows_as_wide(
    reader: Any, names: Sequence[str], path: str, skipped: int, problems: Findings
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are as wide as the header; any other but a blank line is an error."""
    start = skipped + int(reader.line_num)
    with _well_formed(reader, path, skipped):
        for cells in reader:
            if len(cells) == len(names):
                yield start + 1, cells
            elif cells:
                finding = f"the row has {len(cells)} fields, the header has {len(names)}"
                problems.complain(f"{shown(path)}:{start + 1}: {finding}")
            start = skipped + reader.line_num


@contextmanager
def _well_formed(reader: Any, path: str, skipped: int) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        place = f"{shown(path)}:{skipped + reader.line_num}"
        raise DataError(f"{place}: the line is not well-formed CSV ({error})") from None


def _delimiter(header: str, path: str) -> str:
    """Return what separates the columns; spreadsheets of many countries write semicolons."""
    suffix = Path(unpacked_name(path)).suffix.lower()
    if "\t" in header and (suffix != ".csv" or "," not in header):
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def checked_names(names: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the names of columns; one that is empty, or there twice, is refused."""
    seen = set[str]()
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise DataError(f"{place}: column {number} has no name; name it or leave it out")
        if "\n" in name or "\r" in name:
            raise DataError(f"{place}: the name of column {number} has line ends")
        if name in seen:
            raise DataError(f"{place}: two columns are called {name!r}; rename one")
        seen.add(name)
    return tuple(names)


def parquet_records(path: str, most: int | None = None) -> Iterator[Record]:
    """Yield the rows of a Parquet file, or the first; times and the like are texts, as in JSON."""
    with open_duckdb(path) as (connection, source):
        limit = "" if most is None else f" LIMIT {most}"
        query = connection.execute(f"SELECT * FROM {source}{limit}")
        names = [column[0] for column in query.description]
        number = 0
        while rows := query.fetchmany(_ROWS_AT_ONCE):
            for row in rows:
                number += 1
                place = f"{shown(path)}, row {number}"
                cells = (plain_cell(cell, place) for cell in row)
                yield Record(place, dict(zip(names, cells, strict=True)))


def plain_cell(value: Any, place: str) -> Any:
    """Return a cell as JSON would have it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(name): plain_cell(cell, place) for name, cell in value.items()}
    if isinstance(value, list):
        return [plain_cell(cell, place) for cell in value]
    if isinstance(value, bytes):
        raise DataError(f"{place}: a cell is binary data; write texts")
    return str(value)


@contextmanager
def open_duckdb(
    path: str, how: str = "hive_partitioning = false", reader: str = "read_parquet"
) -> Iterator[tuple[Any, str]]:
    """Open a file in DuckDB: the connection, and what stands after FROM.

    `how` are options of DuckDB's `reader`. What is damaged is a DataError.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            f"{shown(path)}: Parquet needs DuckDB: pip install 'tellapart[parquet]', or give CSV"
        ) from None
    with ExitStack() as stack:
        place = stack.enter_context(_as_file(path))
        escaped = "".join(f"[{c}]" if c in "[*?" else c for c in os.path.abspath(place))
        literal = "'" + escaped.replace("'", "''") + "'"
        # Nothing is fetched from anywhere, and rows come in the order of the file.
        settings: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "threads": "1",
        }
        try:
            connection = stack.enter_context(duckdb.connect(config=settings))
            yield connection, f"{reader}({literal}, {how})"
        except (duckdb.Error, RuntimeError, UnicodeDecodeError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            reason = (reason.partition("Error: ")[2] or reason).replace(place, shown(path))
            reason = reason.removesuffix(".")
            raise DataError(
                f"{shown(path)}: this is not a whole Parquet file ({reason}); write it again"
            ) from None


@contextmanager
def _as_file(path: str) -> Iterator[str]:
    """Yield the path of a plain file, a copy where the path is packed or a pipe."""
    with open_bytes(path) as raw:
        plain = raw.read(len(PARQUET)) == PARQUET
    if not is_stream(path) and (plain or unpacked_name(path) == path):
        yield path
        return
    with (
        open_unpacked(path) as stream,
        tempfile.NamedTemporaryFile(suffix=Path(unpacked_name(path)).suffix) as copy,
    ):
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield copy.name


class Archive:
    """An open zip file whose members are JSON, compressed by zstd or deflate."""

    def __init__(self, path: str, opened: Any, size: int) -> None:
        self.path = path
        self._zip = opened
        self._most = self._left = most_unpacked(size)
        self.sizes: dict[str, int] = {each.filename: each.file_size for each in opened.infolist()}

    def json(self, name: str) -> Any:
        """Return what one member holds."""
        return parse_json(self._bytes(name), f"{shown(self.path)}: {name}", "copy the file again")

    def _bytes(self, name: str) -> bytes:
        info, place = self._zip.getinfo(name), f"{shown(self.path)}: {name}"
        if info.compress_type == _ZSTD and zstd_module() is None:
            raise needs_zstd(shown(self.path))
        # No more than this comes out of a member, whatever is in it.
        self._left -= info.file_size
        if self._left < 0:
            raise too_much_unpacked(shown(self.path), self._most)
        try:
            with self._zip.open(info) as member:  # by small pieces: a few may hold gigabytes
                return b"".join(iter(lambda: member.read(1 << 12), b""))
        except NotImplementedError:
            method = info.compress_type
            raise DataError(f"{place} is compressed by an unknown method ({method})") from None
        except _zip_damage() as error:
            raise DataError(f"{place} is damaged ({error}); copy the file again") from None


@contextmanager
def open_archive(path: str) -> Iterator[Archive]:
    """Open a zip archive of JSON."""
    with open_bytes(path) as raw:
        head = raw.read(len(ZIP))
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        yield Archive(path, _opened_zip(path, raw, head), size)


def _opened_zip(path: str, raw: IO[bytes], head: bytes) -> Any:
    try:
        return _zip_module().ZipFile(raw)
    except _zip_damage() as error:
        problem = f"the zip file is damaged ({error}); copy it again"
        if head != ZIP:
            problem = "this is not a zip archive" if head else "the file is empty"
        raise DataError(f"{shown(path)}: {problem}") from None


def _zip_module() -> Any:
    """Return the zipfile that knows zstd, if there is one: the standard one from 3.14 on."""
    if sys.version_info >= (3, 14):
        return zipfile
    try:
        from backports.zstd import zipfile as newer
    except ImportError:
        return zipfile
    return newer


def _zip_damage() -> tuple[type[Exception], ...]:
    """Return what broken zip files raise, whichever module reads them."""
    zstd = zstd_module()
    own = () if zstd is None else (zstd.ZstdError,)
    known = (_zip_module().BadZipFile, OSError, EOFError, RuntimeError, ValueError, zlib.error)
    return (*known, *own)
