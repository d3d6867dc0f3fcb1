"""Tables as columns: what people call them, and what is in them; files become such tables.

Every cell is the number of a text, or of a value. Small tables are read by the `csv` and `json`
modules, large ones and Parquet by DuckDB. Numbers are told from the different texts of a column, of
which there are few.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS
from tellapart.counts.fixed_point import is_number, widen
from tellapart.errors import DataError
from tellapart.files import open_text, open_unpacked, shown, unpacked_name
from tellapart.formats.problems import Findings
from tellapart.formats.records import (
    PARQUET,
    Record,
    checked_names,
    csv_rows,
    open_duckdb,
    read_records,
)

# Of each kind, the column is the first of these that is there.
# What asks the question names the item, where no id does.
PROMPTS: Final = ("question", "prompt", "instruction", "input", "problem")
OTHER_ITEMS: Final = (*PROMPTS, "sample", "instance", "example", "case", "test", "task")
REPEAT_COLUMNS: Final = ("trial", "repeat", "replicate", "epoch", "attempt", "sample")
"""Repeats of an item, which have nothing in common with those of another"""
RUN_COLUMNS: Final = ("run", "run_id", "run_idx", "seed")
CONDITION_COLUMNS: Final = ("condition", "prompt")
TASK_COLUMNS: Final = ("task", "task_name", "dataset", "benchmark", "subset", "subject")
METRIC_COLUMNS: Final = ("metric", "metric_name", "measure")
# Names that a column of texts may have as well; only numbers make it a count.
EVERYDAY: Final = frozenset({"sys", "gold", "match"})
# Of these, true and false, or 0 and 1, can only mean right and wrong.
VERDICTS: Final = (
    "correct", "is_correct", "iscorrect", "match", "is_match", "exact_match", "passed", "pass",
    "is_passed", "success", "is_success", "resolved", "solved", "right", "valid", "is_valid",
)  # fmt: skip
# The texts behind an item, by where they are shown; an `answer` may be the gold one or a system's.
INPUTS: Final = (
    *PROMPTS, "question_text", "input_text", "prompt_text", "source_text", "query_text",
)  # fmt: skip
GOLDS: Final = (
    "gold", "target", "reference", "references", "expected", "expected_output", "expected_answer",
    "ideal", "ground_truth", "gold_answer", "correct_answer", "reference_answer", "answer_key",
    "solution", "answer",
)  # fmt: skip
OUTPUTS: Final = (
    "output", "response", "prediction", "pred", "predicted", "completion", "generation",
    "generated_text", "hypothesis", "model_output", "model_answer", "model_response",
    "output_text", "extracted_answer", "answer",
)  # fmt: skip
# Of these, numbers that tell rows apart may name the items after all.
ROW_NUMBERS: Final = frozenset({"row", "row_id", "line"})
INDEX: Final = "the index"
"""Bare numbers that a frame has for its rows: they name the items if nothing else does"""
# Numbers that count or date the rows, and measure nothing.
NUMBERING: Final = ROW_NUMBERS | frozenset({
    "timestamp", "tstamp", "created", "created_at", "date", "datetime", "started_at", "rank",
    "position", "order", "version", "temperature", "top_p", "max_tokens", "turn",
})  # fmt: skip
# Numbers of items in a wide table, which are no systems.
LEVELS: Final = frozenset({
    "level", "difficulty", "length", "year", "size", "age", "page", "chapter", "fold", "grade",
})  # fmt: skip
# Under what raw results keep scores; other numbers inside of objects are no metrics.
SCORE_OBJECTS: Final = frozenset({
    "score", "scores", "metric", "metrics", "result", "results", "eval", "evaluation", "grades",
})  # fmt: skip
# What the last row of a spreadsheet is called that sums up the others.
TOTALS: Final = frozenset({
    "average", "avg", "avg.", "mean", "total", "totals", "sum", "overall", "median", "all",
    "durchschnitt", "mittelwert", "mittel", "summe", "gesamt", "insgesamt", "moyenne", "somme",
    "promedio", "media", "suma", "totale",
})  # fmt: skip
KNOWN_NAMES: Final = frozenset({
    *ITEM_COLUMNS, *SYSTEM_COLUMNS, *RUN_COLUMNS, *REPEAT_COLUMNS, *METRIC_COLUMNS,
    *KNOWN_COLUMNS, *VERDICTS, "score", "task",
})  # fmt: skip
SPELLED: Final = KNOWN_NAMES | {*INPUTS, *GOLDS, *OUTPUTS}
"""Names that may be written with capital letters and blanks, too"""

LARGE: Final = 4_000_000
"""Bytes of CSV from which on DuckDB reads it, where it is installed"""
_FEW: Final = 100_000  # different texts of a column; numbers beyond that are no texts
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")
_ABSENT: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "error"})
_UNTOLD: Final = _ABSENT | {"inf", "-inf"}  # no help in telling numbers from labels
_TRUTHS: Final = {"true": 1.0, "false": 0.0}
_RIGHT_OR_WRONG: Final = {
    "pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0, "correct": 1.0, "incorrect": 0.0,
    "right": 1.0, "wrong": 0.0, "success": 1.0, "failure": 0.0, **_TRUTHS,
    **dict.fromkeys("✓✔✅☑", 1.0), **dict.fromkeys("✗✘❌✕☒", 0.0),
}  # fmt: skip
_ANSWERS: Final = {
    **dict.fromkeys(("yes", "y", "ja", "oui", "sí", "sì", "si"), 1.0),
    **dict.fromkeys(("no", "n", "nein", "non"), 0.0),
    **_RIGHT_OR_WRONG,
}
_GRADES: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # as Inspect writes them
_SPELLED_OUT: Final = re.compile(r"(t|f)(?:rue|alse)[_-]?(p|n)(?:os|eg)(?:itives?|atives?)?")
_PERCENTAGE: Final = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*%\s*", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"\s*[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+\s*", re.ASCII)
_OUT_OF: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*([1-9]\d*)\s*", re.ASCII)


class Column:
    """The cells of a column: numbers of their texts, or values; an empty text is nothing.

    >>> column = Column.of(["b", "a", "", "b"])
    >>> column.codes.tolist(), column.texts, column[3]
    ([0, 1, 2, 0], ('b', 'a', ''), 'b')
    >>> Column.of_values(np.array([0.5, np.nan])).texts
    ('0.5', '')
    """

    def __init__(
        self,
        encoded: tuple[NDArray[Any], tuple[str, ...]] | None = None,
        values: NDArray[Any] | None = None,
    ) -> None:
        self._encoded, self.values = encoded, values

    @classmethod
    def of(cls, cells: Iterable[str]) -> Column:
        """Return a column of texts, numbered in order of first appearance."""
        place: dict[str, int] = {}
        codes = [place.setdefault(cell, len(place)) for cell in cells]
        return cls((np.array(codes, np.int32), tuple(place)))

    @classmethod
    def of_values(cls, values: NDArray[Any]) -> Column:
        """Return a column of integers or floats; NaN is nothing."""
        return cls(None, widen(values) if values.dtype.kind == "f" else values)

    def __len__(self) -> int:
        return len(self.codes if self.values is None else self.values)

    def __getitem__(self, row: int) -> str:
        if self.values is not None:
            return _text_of_number(self.values[row])
        return self.texts[int(self.codes[row])]

    @cached_property
    def _texts(self) -> tuple[NDArray[Any], tuple[str, ...]]:
        if self._encoded is not None:
            return self._encoded
        assert self.values is not None
        distinct, first, inverse = np.unique(self.values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order))
        return rank[inverse], tuple(_text_of_number(distinct[k]) for k in order)

    @property
    def codes(self) -> NDArray[Any]:
        """The number of each cell's text."""
        return self._texts[0]

    @property
    def texts(self) -> tuple[str, ...]:
        """The different texts, in order of first appearance."""
        return self._texts[1]

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the cells of some rows."""
        if self.values is not None:
            return Column(None, self.values[rows])
        return Column((self.codes[rows], self.texts))

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Which cells hold something."""
        if self.values is None:
            blank = [k for k, text in enumerate(self.texts) if not text or text.isspace()]
            return ~np.isin(self.codes, blank) if blank else np.ones(len(self.codes), np.bool_)
        if self.values.dtype.kind == "f":
            return np.asarray(~np.isnan(self.values))
        return np.ones(len(self.values), np.bool_)

    @cached_property
    def look(self) -> Look:
        """What the cells look like."""
        if self.values is not None:
            return Look(numeric=bool(self.filled.any()))
        return _look(self.texts, np.bincount(self.codes, minlength=len(self.texts)).tolist())


def _text_of_number(value: Any) -> str:
    return "" if value != value else str(value.item())


class Look(NamedTuple):
    """What the cells of a column look like."""

    numeric: bool = False
    """Whether these are numbers: the first is one, or most are"""
    verdict: bool = False
    """Whether all say right or wrong, as true and false or pass and fail do"""
    answer: bool = False
    """Whether all are such words, or yes and no, which also answer questions"""
    words: bool = False
    """Whether some are such words, among which any other must be a mistake"""
    grades: bool = False
    """Whether all are the letters C, I, P and N"""


def _look(texts: Sequence[str], times: Sequence[int]) -> Look:
    known = [(t, n) for t, n in zip(texts, times, strict=True) if n and not _is_untold(t)]
    filled = sum(n for _, n in known)
    if not known:
        return Look()
    numbers = sum(n for text, n in known if _may_be_number(text))
    words = [_word(text) for text, _ in known]
    numeric = is_number(known[0][0]) or 2 * numbers > filled
    return Look(
        numeric,
        all(word in _RIGHT_OR_WRONG for word in words),
        all(word in _ANSWERS for word in words),
        any(word in _ANSWERS for word in words) and not numeric,
        all(text.strip() in _GRADES for text, _ in known),
    )


def _is_untold(text: str) -> bool:
    return _word(text) in _UNTOLD


def _word(text: str) -> str:
    return text.strip().lower().removesuffix("\ufe0f")  # which asks for a mark in colour


def _may_be_number(text: str) -> bool:
    return is_number(text) or any(
        form.fullmatch(text) for form in (_PERCENTAGE, _DECIMAL_COMMA, _OUT_OF)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns of one file, or of several that were put below each other."""

    path: str
    columns: dict[str, Column]
    lines: NDArray[Any]
    """Where each row stands in its file"""
    counted: str = ":"
    """What stands between the file's name and the line's number"""
    decimal_comma: bool = False
    """Whether 0,5 is a number, as in files with semicolons"""

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int) -> str:
        """Return the file and the line of a row, as messages name them."""
        return f"{shown(self.path)}{self.counted}{self.lines[row]}"


class Numbers(NamedTuple):
    """The numbers of a column, NaN where there is none, and what is wrong with cells."""

    values: NDArray[Any]
    faults: Mapping[str, str]
    """By text: what it is instead"""


def numbers(
    column: Column, *, counts: bool = False, comma: bool = False, gaps: bool = False
) -> Numbers:
    """Return a column as numbers; percentages and marks such as 6/10 are shares.

    Counts are not negative. `comma` says that 0,5 is a number, `gaps` that a cell may say that
    there is nothing, in any words.

    >>> numbers(Column.of(["0.7", "53.8%", "6/10", "true", "x"]))
    Numbers(values=array([0.7  , 0.538, 0.6  , 1.   ,   nan]), faults={'x': 'not a number'})
    """
    if column.values is not None:
        return Numbers(column.values, _faults(column, counts, gaps))
    words = _TRUTHS
    if not counts and column.look.grades:
        words = {grade.lower(): value for grade, value in _GRADES.items()}
    elif not counts and column.look.words:
        words = _ANSWERS
    fault = "not a number" if words is _TRUTHS else "neither right nor wrong"
    if gaps:
        words = {**dict.fromkeys(_ABSENT, math.nan), **words}
    faults: dict[str, str] = {}
    values = np.empty(len(column.texts))
    for k, text in enumerate(column.texts):
        number = _number(text, words, comma)
        values[k] = math.nan if number is None else number
        if number is None:
            faults[text] = fault
        elif math.isinf(number):
            faults[text] = "not a finite number"
        elif counts and number < 0:
            faults[text] = "negative"
    return Numbers(values[column.codes], faults)


def _faults(column: Column, counts: bool, gaps: bool) -> dict[str, str]:
    """Return what is wrong with values that are no texts."""
    values = column.values
    assert values is not None
    if counts and len(values) and np.nanmin(values) < 0:
        return {_text_of_number(value): "negative" for value in values[values < 0][:100]}
    if values.dtype.kind == "f" and np.isinf(values).any():
        return {"inf": "not a finite number", "-inf": "not a finite number"}
    return {} if gaps or column.filled.all() else {"": "not a number"}


def _number(text: str, words: Mapping[str, float], comma: bool) -> float | None:
    if is_number(text):
        return float(text)
    word = _word(text)
    if word in words:
        return words[word]
    if share := _PERCENTAGE.fullmatch(text):
        digits = share[1].replace(",", ".")
        return round(float(digits) / 100, len(digits.partition(".")[2]) + 2)
    if comma and _DECIMAL_COMMA.fullmatch(text):
        return float(text.replace(".", "").replace(",", "."))
    if (share := _OUT_OF.fullmatch(text)) and float(share[1]) <= float(share[2]):
        return float(share[1]) / float(share[2])
    return None


def complain_of(
    table: Table, name: str, faults: Mapping[str, str], remedy: str, problems: Findings
) -> None:
    """Note all cells of a column that are no numbers, each with its line."""
    if not faults:
        return
    column = table.columns[name]
    bad = np.array([text in faults for text in column.texts], np.bool_)[column.codes]
    for row in np.flatnonzero(bad).tolist():
        text = column[row]
        problems.complain(
            f"{table.place(row)}: {_quoted(text)} in column {name!r} is {faults[text]}; "
            f"{_remedy(text, faults[text], remedy)}"
        )


def _remedy(text: str, fault: str, remedy: str) -> str:
    if fault == "negative":
        return "counts are 0 or more"
    if _word(text) in _ABSENT:
        return (
            "--missing drop leaves such items out for all systems, --missing zero counts them as 0"
        )
    if fault == "neither right nor wrong":
        return "write pass or fail, or leave it empty with --missing drop or zero"
    return "write it with a decimal point" if _DECIMAL_COMMA.fullmatch(text) else remedy


def _quoted(text: str) -> str:
    if not text.strip():
        return "an empty cell"
    return repr(text if len(text) <= 40 else text[:39] + "…")


def read_table(path: str, problems: Findings) -> Table:
    """Return the table in a file, whatever it is written in; at least one row, or a DataError."""
    with open_unpacked(path) as stream:
        begin = stream.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin.startswith(PARQUET) or unpacked_name(path).endswith(".parquet"):
        table = _of_parquet(path)
    elif begin.startswith(b"{") or re.match(rb"\[\s*(\{|\]|$)", begin):
        table = table_of_rows(path, list(read_records(path, problems=problems)), problems)
    else:
        table = _of_large_text(path, problems) or _of_text(path, problems)
    if not len(table) and not problems.fatal:
        raise DataError(f"{shown(path)}: the table has no rows")
    return table


def _of_text(path: str, problems: Findings) -> Table:
    lines, cells = list[int](), list[list[str]]()
    with open_text(path) as stream:
        header, rows, delimiter = csv_rows(stream, path, problems)
        for line, row in rows:
            lines.append(line)
            cells.append(row)
    names = known_names(header)
    by_column = zip(*cells, strict=True) if cells else ((),) * len(names)
    columns = {name: Column.of(own) for name, own in zip(names, by_column, strict=True)}
    return Table(path, columns, np.array(lines, np.int64), decimal_comma=delimiter != ",")


def table_of_rows(path: str, records: Sequence[Record], problems: Findings) -> Table:
    """Return records as a table; objects in them are columns, called by the keys that lead there.

    >>> rows = [Record("x:1", {"id": 1, "scores": {"exact": True}})]
    >>> {name: column[0] for name, column in table_of_rows("x", rows, Findings()).columns.items()}
    {'id': '1', 'scores.exact': 'true'}
    """
    flat: list[dict[str, str]] = []
    lines: list[int] = []
    counted = ", row " if records and ", row " in records[0].place else ":"
    for record in records:
        row: dict[str, str] = {}
        for name, cell in _flat(record.fields, ""):
            if name in row:
                problems.complain(f"{record.place}: two values are called {name!r}; rename one")
            row[name] = cell
        flat.append(row)
        lines.append(int(record.place.rpartition(counted)[2]))
    names = checked_names(list(dict.fromkeys(key for row in flat for key in row)), shown(path))
    cells = {name: Column.of(row.get(name, "") for row in flat) for name in names}
    columns = dict(zip(known_names(names), cells.values(), strict=True))
    return Table(path, columns, np.array(lines, np.int64), counted)


def _flat(tree: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", cell_text(value)


def cell_text(value: Any) -> str:
    """Return a cell as text: nothing is empty, and true, lists and objects are spelled as in JSON.

    >>> [cell_text(value) for value in (None, True, 0.5, "a", [1, "b"])]
    ['', 'true', '0.5', 'a', '[1, "b"]']
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "NaN" if value != value else str(value)


def first_of(names: Sequence[str], there: Collection[str]) -> str | None:
    """Return the first of some names that is there, if any is.

    >>> first_of(("system", "model"), ["id", "model", "score"])
    'model'
    """
    return next((name for name in names if name in there), None)


def known_names(names: Sequence[str]) -> list[str]:
    """Return known names of columns as they are known: `TP` is tp, `Question ID` question_id."""
    small = list(map(small_name, names))
    times = Counter(small)
    return [
        low if low in SPELLED and times[low] == 1 else name.strip()
        for name, low in zip(names, small, strict=True)
    ]


def small_name(name: str) -> str:
    """Return the name of a column as known ones are spelled.

    >>> small_name("Question ID"), small_name("True positives"), small_name("false_neg")
    ('question_id', 'tp', 'fn')
    """
    low = "_".join(name.lower().split())
    found = _SPELLED_OUT.fullmatch(low)
    return f"{found[1]}{found[2]}" if found else low


def _of_parquet(path: str) -> Table:
    how = "hive_partitioning = false, file_row_number = true"
    with open_duckdb(path, how) as (connection, source):
        *described, _ = connection.execute(f"DESCRIBE FROM {source}").fetchall()
        cells = ", ".join(f"c{k}" for k in range(len(described)))
        connection.execute(f"CREATE TEMP VIEW t({cells}, rowid) AS FROM {source}")
        kinds = {
            f"c{k}": kind
            for k, (name, kind, *_) in enumerate(described)
            if not _PANDAS_INDEX.fullmatch(name)
        }
        names = [described[int(cell[1:])][0].strip() for cell in kinds]
        return _of_duckdb(path, connection, checked_names(names, shown(path)), kinds)


def _of_large_text(path: str, problems: Findings) -> Table | None:
    """Return a large table as DuckDB reads it; None if the csv module reads it, or refuses it."""
    large = os.path.isfile(path) and os.path.getsize(path) >= LARGE
    if not large or find_spec("duckdb") is None:
        return None
    with open_text(path) as stream:
        first = stream.readline()
        names, _, delimiter = csv_rows(chain([first], stream), path, problems)
    if not first.strip() or len(names) == 1:  # blank lines would be rows
        return None
    kinds = {f"c{k}": "VARCHAR" for k in range(len(names))}
    how = f"auto_detect = false, header = true, delim = '{delimiter}', columns = {kinds}"
    with suppress(DataError), open_duckdb(path, how, "read_csv") as (connection, source):
        connection.execute(f"CREATE TEMP TABLE t AS FROM {source}")
        return _of_duckdb(path, connection, names, kinds, decimal_comma=delimiter != ",")
    return None


def _of_duckdb(
    path: str, connection: Any, names: Sequence[str], kinds: Mapping[str, str], **how: Any
) -> Table:
    """Return the table t of DuckDB; `kinds` are the types of its columns."""
    (rows,) = connection.execute("SELECT count(*) FROM t").fetchone()
    found = [_duckdb_column(connection, *own, rows) for own in kinds.items()]
    columns = dict(zip(known_names(names), found, strict=True))
    return Table(path, columns, np.arange(1, rows + 1, dtype=np.uint32), ", row ", **how)


_NUMERIC: Final = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?|UINTEGER|FLOAT|DOUBLE|DECIMAL.*")


def _duckdb_column(connection: Any, cell: str, kind: str, total: int) -> Column:
    if _NUMERIC.fullmatch(kind):
        own = f"CAST({cell} AS DOUBLE)" if kind.startswith("DECIMAL") else cell
        values = _fetched(connection, f"SELECT {own} FROM t")
        if not np.ma.is_masked(values) or values.dtype.kind == "f":
            return Column.of_values(np.ma.filled(values, np.nan))
    text = f"coalesce(CAST({cell} AS VARCHAR), '')"
    size = _size_of_block(connection, text, total)
    head = f"(SELECT rowid, {cell} FROM t WHERE rowid < {size}) AS t"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE d AS "
        "SELECT own, CAST(row_number() OVER (ORDER BY first) - 1 AS INTEGER) AS code "
        f"FROM (SELECT {text} AS own, min(rowid) AS first FROM {head} GROUP BY own)"
    )
    (numeric,) = connection.execute(
        f"SELECT count(*) > {_FEW} AND NOT EXISTS (FROM d WHERE TRY_CAST(own AS DOUBLE) IS NULL "
        "OR regexp_matches(own, '^[+-]?0[0-9]')) FROM d"
    ).fetchone()
    if numeric:
        values = np.asarray(_fetched(connection, f"SELECT CAST({cell} AS DOUBLE) FROM t"))
        whole = np.rint(values) == values
        return Column.of_values(values.astype(np.int64) if whole.all() else values)
    texts = _fetched(connection, "SELECT own FROM d ORDER BY code")
    query = f"SELECT CAST(t.rowid AS UINTEGER), code FROM {head} JOIN d ON own = {text}"
    rows, numbers = connection.execute(query).fetchnumpy().values()
    codes = np.empty_like(numbers)
    codes[rows] = numbers
    return Column((codes if size == total else np.resize(codes, total), tuple(texts.tolist())))


def _size_of_block(connection: Any, text: str, total: int) -> int:
    """Return after how many rows the cells repeat, as items do that stand system by system.

    Short blocks are not looked for: few texts are found fast.
    """
    again = connection.execute(
        f"SELECT rowid FROM t WHERE {text} = (SELECT {text} FROM t LIMIT 1) LIMIT 1 OFFSET 1"
    ).fetchone()
    if again is not None and again[0] > _FEW:
        other = connection.execute(
            f"SELECT 1 FROM (SELECT {text} AS own FROM t) POSITIONAL JOIN "
            f"(SELECT {text} AS later FROM t OFFSET {again[0]}) WHERE own <> later LIMIT 1"
        ).fetchone()
        if other is None:
            return int(again[0])
    return total


def _fetched(connection: Any, query: str) -> Any:
    (values,) = connection.execute(query).fetchnumpy().values()
    return values
