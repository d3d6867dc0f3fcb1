"""Table files as batches of columns: CSV, TSV, JSONL, JSON arrays and Parquet read alike.

Files are streamed; a batch holds some thousand rows, so that a table of any length is never in
memory as Python objects.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.fixed_point import is_number
from tellapart.errors import DataError
from tellapart.files import STANDARD, open_bytes, open_text, open_unpacked, shown, unpacked_name
from tellapart.formats.head import PARQUET
from tellapart.formats.parquet import open_parquet
from tellapart.formats.problems import Findings
from tellapart.formats.tables import splitting
from tellapart.formats.tables.json_rows import (
    Keys,
    Row,
    array_rows,
    in_blocks,
    line_rows,
    may_wrap,
    tree_rows,
    wrapped,
)
from tellapart.formats.tables.names import KNOWN_NAMES
from tellapart.formats.tables.splitting import PackedCells, Piece

_ROWS_FREELY: Final = 10_000_000  # of Parquet, however small the file is
_ROWS_PER_BYTE: Final = 20
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_OTHER_KINDS: Final = {
    "%PDF": "a PDF",
    "PK\x03\x04": "a zip archive or a spreadsheet",
    "<": "a page or an XML file",
}
_TABLE_SUFFIXES: Final = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet")
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")

# A text cell; JSON and Parquet also know "nothing here" and, as misuse, booleans and lists.
Cells = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a table, column by column."""

    path: str
    lines: NDArray[np.int32]  # where each row stands in the file
    columns: dict[str, Cells]  # by name, in the order of the file; texts, or arrays of numbers
    counted: str = ":"  # what stands between the file's name and the line's number

    def place(self, row: int) -> str:
        """Return the file and the line of a row, as messages name them."""
        return f"{shown(self.path)}{self.counted}{self.lines[row]}"

    def __len__(self) -> int:
        return len(self.lines)

    def small(self) -> Iterator[Batch]:
        """Yield the rows in batches as small as those that were not packed."""
        for start in range(0, max(1, len(self)), splitting.ROWS):
            some = slice(start, start + splitting.ROWS)
            columns = {
                name: cells.part(start, start + splitting.ROWS)
                if isinstance(cells, PackedCells)
                else cells[some]
                for name, cells in self.columns.items()
            }
            yield Batch(self.path, self.lines[some], columns, self.counted)

    def unpacked(self) -> Batch:
        """Return the rows with cells of Python alone."""
        columns = {
            name: cells.tolist() if isinstance(cells, PackedCells) else cells
            for name, cells in self.columns.items()
        }
        return Batch(self.path, self.lines, columns, self.counted)


Batches = Callable[[str, Findings], Iterator[Batch]]
"""What opens a table by its name, and yields its rows"""


def read_batches(
    path: str, problems: Findings | None = None, *, packed: bool = False
) -> Iterator[Batch]:
    """Yield a table file batch by batch; at least one row, or a DataError.

    What is no row of the table is left out, if `problems` lets it pass. With `packed`, batches are
    larger and their cells those of native code, where there is any.

    The suffix (before `.gz` or `.zst`) says the format: `.csv`, `.tsv` or `.tab`, `.jsonl` or
    `.ndjson`, `.parquet`. Otherwise it is told from the beginning: Parquet by its mark, JSONL if it
    starts with a brace, an array of JSON if with a bracket, TSV if the first line has a tab, else
    CSV.
    """
    problems = problems or Findings(strict=True)
    suffix = Path(unpacked_name(path)).suffix.lower()
    if suffix == ".parquet" or _begins_like_parquet(path):
        batches = _parquet_batches(path, packed)
    else:
        batches = _text_batches(path, suffix, problems, packed and splitting.is_fast())
    rows = 0
    for batch in batches:
        rows += len(batch)
        if len(batch):
            yield batch
    if not rows and not problems.fatal:
        raise DataError(f"{shown(path)}: the table has a header and no rows; give one per item")


def _begins_like_parquet(path: str) -> bool:
    with open_bytes(path) as stream:
        return stream.read(len(PARQUET)) == PARQUET


def _text_batches(path: str, suffix: str, problems: Findings, packed: bool) -> Iterator[Batch]:
    with open_text(path) as text:
        blank = list[str]()
        for first in text:
            if first.strip():
                break
            blank.append(first)
        else:
            raise DataError(f"{shown(path)}: the file is empty; give a table with a header")
        skipped = len(blank)
        if "\0" in first:
            raise DataError(f"{shown(path)}:{skipped + 1}: this is not text but binary data")
        _refuse_other_kinds(first, f"{shown(path)}:{skipped + 1}")
        delimited = suffix in (".csv", ".tsv", ".tab")
        if _begins_array(first) and not delimited:
            rows = array_rows(first + text.read(), path, skipped + 1, problems)
            yield from _json_batches(rows, path, ", row ", problems)
        elif suffix in (".jsonl", ".ndjson") or (not delimited and first.lstrip()[:1] == "{"):
            if suffix == ".json" and may_wrap(first):
                whole = first + text.read()
                if (inner := wrapped(whole)) is not None:
                    rows = tree_rows(inner, path, problems)
                    yield from _json_batches(rows, path, ", row ", problems)
                    return
                text = io.StringIO(whole.removeprefix(first))
            elif packed:
                yield from _packed_json(path, _start(path, blank), skipped, problems)
                return
            rows = line_rows(chain([first], text), path, skipped, problems)
            yield from _json_batches(rows, path, ":", problems)
        else:
            mark = _delimiter(first, suffix)
            if packed and (names := _header(first, mark, path, skipped)):
                rest = splitting.pieces(
                    path,
                    _start(path, [*blank, first]),
                    skipped + 1,
                    splitting.split_delimited(mark, len(names)),
                )
                yield from _packed_delimited(rest, path, names, mark, problems)
            else:
                rest_of_text = chain([first], text)
                yield from _delimited_batches(rest_of_text, path, skipped, mark, problems)


def _start(path: str, lines: Sequence[str]) -> int:
    """Return the byte at which a file goes on after its first lines."""
    with open_unpacked(path) as stream:
        marked = stream.read(len(BOM_UTF8)) == BOM_UTF8
    return len(BOM_UTF8) * marked + len("".join(lines).encode())


def _header(first: str, mark: str, path: str, skipped: int) -> tuple[str, ...] | None:
    """Return the names of the columns; None if the first line is no whole row."""
    try:
        names = next(csv.reader([first], delimiter=mark, strict=True))
    except csv.Error:
        return None
    place = f"{shown(path)}:{skipped + 1}"
    return checked_names(known_in_small_letters([name.strip() for name in names]), place)


def _packed_delimited(
    found: Iterator[Piece],
    path: str,
    names: tuple[str, ...],
    mark: str,
    problems: Findings,
) -> Iterator[Batch]:
    for piece in found:
        if piece.columns is not None:
            lines = np.arange(piece.line + 1, piece.line + piece.rows + 1, dtype=np.int32)
            yield Batch(path, lines, dict(zip(names, piece.columns, strict=True)))
        else:
            yield from _delimited_batches(piece.text(), path, piece.line, mark, problems, names)


def _packed_json(path: str, start: int, skipped: int, problems: Findings) -> Iterator[Batch]:
    keys = Keys()
    for piece in splitting.pieces(path, start, skipped, splitting.split_json):
        if piece.columns is not None and keys.add_alike(piece.line + 1, piece.names, piece.rows):
            names = checked_names(keys.names, f"{shown(path)}:{piece.line + 1}")
            cells = dict(zip(piece.names, piece.columns, strict=True))
            known = known_in_small_letters(list(names))
            lines = np.arange(piece.line + 1, piece.line + piece.rows + 1, dtype=np.int32)
            yield Batch(path, lines, dict(zip(known, (cells[name] for name in names), strict=True)))
        else:
            rows = line_rows(piece.text(), path, piece.line, problems)
            yield from _json_columns(rows, path, ":", keys)
    _tell_lacking(keys, path, ":", problems)


def _begins_array(first: str) -> bool:
    """Return whether a line begins an array of JSON objects, and not a header like `[id],score`."""
    start = first.lstrip()
    return start.startswith("[") and start[1:].lstrip()[:1] in ("", "{", "]")


def _refuse_other_kinds(first: str, place: str) -> None:
    """Refuse a file by what it is, if no table begins like it."""
    for start, kind in _OTHER_KINDS.items():
        if first.lstrip().startswith(start):
            raise DataError(f"{place}: this is {kind}, no table; export it as CSV, TSV or JSONL")


def _delimiter(first: str, suffix: str) -> str:
    """Return the separator: by the suffix, and by the header where that has no other."""
    if suffix in (".tsv", ".tab") or ("\t" in first and (suffix != ".csv" or "," not in first)):
        return "\t"
    # Spreadsheets of many countries write .csv with semicolons.
    return ";" if ";" in first and "," not in first else ","


def _delimited_batches(
    text: Iterable[str],
    path: str,
    skipped: int,
    delimiter: str,
    problems: Findings,
    names: tuple[str, ...] = (),
) -> Iterator[Batch]:
    """Yield the rows of CSV or TSV; the first one names the columns where they have no names."""
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        names = names or checked_names(
            known_in_small_letters([name.strip() for name in next(reader)]),
            f"{shown(path)}:{skipped + 1}",
        )
        while True:
            start = skipped + reader.line_num
            rows = list(islice(reader, splitting.ROWS))
            if not rows:
                return
            lines = _line_numbers(rows, start, skipped + reader.line_num)
            if len(rows) < skipped + reader.line_num - start:
                _warn_of_swallowed(rows, lines, names, delimiter, path, problems)
            lengths = set(map(len, rows))
            if lengths != {len(names)}:
                rows, lines = _whole_rows(rows, lines, names, path, problems)
            if rows:
                columns: dict[str, Cells] = dict(zip(names, zip(*rows, strict=True), strict=True))
                yield Batch(path, lines, columns)
    except csv.Error as error:
        raise DataError(
            f"{shown(path)}:{skipped + reader.line_num}: the line is not well-formed "
            f"{'TSV' if delimiter != ',' else 'CSV'} ({error}); check its quotation marks"
        ) from None


def known_in_small_letters(names: list[str]) -> list[str]:
    """Return known column names as they are known: `TP` is tp, `Question ID` question_id."""
    small = list(map(small_name, names))
    times = Counter(small)
    return [
        low if low in KNOWN_NAMES and times[low] == 1 else name
        for name, low in zip(names, small, strict=True)
    ]


def small_name(name: str) -> str:
    """Return the name of a column as known ones are spelled.

    >>> small_name("Question ID")
    'question_id'
    """
    return "_".join(name.lower().split())


def _line_numbers(rows: list[list[str]], start: int, end: int) -> NDArray[np.int32]:
    """Return the lines on which rows begin; quoted cells may hold line ends."""
    if end - start == len(rows):
        return np.arange(start + 1, end + 1, dtype=np.int32)
    heights = [1 + sum(len(_LINE_END.findall(cell)) for cell in row) for row in rows]
    ends = start + np.cumsum(heights)
    return np.asarray(ends - heights + 1, dtype=np.int32)


def _warn_of_swallowed(
    rows: list[list[str]],
    lines: NDArray[np.int32],
    names: Sequence[str],
    delimiter: str,
    path: str,
    problems: Findings,
) -> None:
    """Warn of cells over several lines that may hold whole rows, by a stray quotation mark."""
    for row, line in zip(rows, lines.tolist(), strict=True):
        for place, cell in enumerate(row[: len(names)]):
            if _LINE_END.search(cell) and _holds_rows(row, place, delimiter):
                problems.warn(
                    f"{shown(path)}:{line}: the quoted cell of column {names[place]!r} goes over "
                    "several lines that look like rows; it was taken for one cell: check the "
                    "quotation marks"
                )


def _holds_rows(row: Sequence[str], place: int, delimiter: str) -> bool:
    r"""Return whether a cell would be rows if unquoted, with numbers in the same columns.

    >>> _holds_rows(["q1", "1", "x\nq2,0,y"], 2, ",")
    True
    >>> _holds_rows(["q1", "1", "a\nb, c, d"], 2, ",")
    False
    """
    inside = [part.split(delimiter) for part in _LINE_END.split(row[place])]
    whole = [[*row[:place], *inside[0]], *inside[1:-1], [*inside[-1], *row[place + 1 :]]]
    if any(len(each) != len(row) for each in whole):
        return False
    kinds = [[is_number(cell) for k, cell in enumerate(each) if k != place] for each in whole]
    return any(kinds[0]) and all(each == kinds[0] for each in kinds)


def _whole_rows(
    rows: list[list[str]],
    lines: NDArray[np.int32],
    names: Sequence[str],
    path: str,
    problems: Findings,
) -> tuple[list[list[str]], NDArray[np.int32]]:
    """Return the rows that are as long as the header; any other but a blank line is an error."""
    for row, line in zip(rows, lines, strict=True):
        if row and len(row) != len(names):
            problems.complain(
                f"{shown(path)}:{line}: the row has {len(row)} fields, the header has "
                f"{len(names)}; give every row one field per column{if_text(path)}"
            )
    kept = [i for i, row in enumerate(rows) if len(row) == len(names)]
    return [rows[i] for i in kept], lines[kept]


def if_text(path: str) -> str:
    """Return the remedy for a file that may be no table at all but one output per line.

    >>> if_text("scores.csv"), if_text("output.txt")
    ('', ', or, if these are outputs line by line, use --as text --gold FILE')
    """
    suffix = Path(unpacked_name(path)).suffix.lower()
    if suffix in _TABLE_SUFFIXES or path == STANDARD:
        return ""
    return ", or, if these are outputs line by line, use --as text --gold FILE"


def checked_names(names: Sequence[str], place: str) -> tuple[str, ...]:
    """Return the names of columns; one that is empty, or there twice, is refused."""
    seen = set[str]()
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise DataError(f"{place}: column {number} has no name; name it or leave it out")
        if _LINE_END.search(name):
            raise DataError(
                f"{place}: the name of column {number} goes over several lines; check the "
                "quotation marks"
            )
        if name in seen:
            raise DataError(f"{place}: two columns are called {name!r}; rename one")
        seen.add(name)
    return tuple(names)


def _json_batches(
    rows: Iterator[tuple[int, Row]], path: str, counted: str, problems: Findings
) -> Iterator[Batch]:
    keys = Keys()
    yield from _json_columns(rows, path, counted, keys)
    _tell_lacking(keys, path, counted, problems)


def _json_columns(
    rows: Iterator[tuple[int, Row]], path: str, counted: str, keys: Keys
) -> Iterator[Batch]:
    """Yield rows as columns: all that were named so far, empty where a row lacks one."""
    for block in in_blocks(rows, splitting.ROWS):
        for number, row in block:
            keys.add(number, row)
        names = checked_names(keys.names, f"{shown(path)}{counted}{block[0][0]}")
        known = known_in_small_letters(list(names))
        columns: dict[str, Cells] = {
            spelled: [row.get(name) for _, row in block]
            for spelled, name in zip(known, names, strict=True)
        }
        yield Batch(path, np.array([n for n, _ in block], dtype=np.int32), columns, counted)


def _tell_lacking(keys: Keys, path: str, counted: str, problems: Findings) -> None:
    for key, numbers in keys.lacked():
        for number in numbers:
            problems.warn(
                f"{shown(path)}{counted}{number}: there is no {key!r}, which most others have; it "
                "was taken to be empty"
            )


def _parquet_batches(path: str, packed: bool) -> Iterator[Batch]:
    if unpacked_name(path) != path:
        raise DataError(f"{path}: Parquet is compressed inside; unpack the file and give .parquet")
    with open_parquet(path) as table:
        _refuse_endless(table.rows, path)
        names = checked_names(table.names, path)
        wanted = [name for name in names if not _PANDAS_INDEX.fullmatch(name)]
        done = 0
        for columns in table.batches(wanted, splitting.ROWS):
            rows = len(next(iter(columns.values())))
            lines = np.arange(done + 1, done + 1 + rows, dtype=np.int32)
            done += rows
            batch = Batch(path, lines, columns, ", row ")
            yield from [batch] if packed else (each.unpacked() for each in batch.small())


def _refuse_endless(rows: int, path: str) -> None:
    """Refuse more rows than can be told apart in so few bytes; the same row takes none."""
    with open_bytes(path) as stream:
        size = stream.seek(0, io.SEEK_END)
    if rows > max(_ROWS_FREELY, _ROWS_PER_BYTE * size):
        raise DataError(
            f"{shown(path)}: {rows:,} rows in a file of {size:,} bytes can hardly differ; check "
            "the file, or export it as CSV if it is sound"
        )
