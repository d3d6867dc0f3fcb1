"""Cells of table columns as numbers and codes, with the line of the first bad one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart import engine
from tellapart.counts.fixed_point import is_number, widen
from tellapart.formats.problems import Findings
from tellapart.formats.tables.files import Batch, Cells
from tellapart.formats.tables.splitting import PackedCells, is_fast

_NUMBER_SIGNS: Final = re.compile(r"[0-9.eE+\- \t]*", re.ASCII)
_NOTHING: Final = ("", None)
_ABSENT: Final = ("", "na", "n/a", "nan", "null", "none", "-", "error")  # how tools write that
_TRUTHS: Final = {"true": "1", "false": "0"}
# How people write down that an answer is right, or wrong.
_VERDICTS: Final = {
    "pass": "1", "fail": "0", "passed": "1", "failed": "0", "correct": "1", "incorrect": "0",
    "right": "1", "wrong": "0", "success": "1", "failure": "0", **_TRUTHS,
}  # fmt: skip
_ANSWERS: Final = {"yes": "1", "no": "0", "y": "1", "n": "0", **_VERDICTS}
_IN_WORDS: Final = "write pass or fail, or leave it empty, which --missing then settles"
_PERCENTAGE: Final = re.compile(r"\s*[+-]?\d+([.,]\d+)?\s*%\s*", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"\s*[+-]?\d+,\d+\s*", re.ASCII)


class Codes:
    """Numbers for texts in order of first appearance; `texts` gives them back.

    >>> codes = Codes()
    >>> codes.encode(["b", "a", "b"]).tolist(), codes.code("c"), codes.texts
    ([0, 1, 0], 2, ('b', 'a', 'c'))
    """

    labels = False

    def __init__(self) -> None:
        native: Any = engine.native
        self._known: Any = native.TextCodes(self.labels) if is_fast() else _TextCodes(self.labels)
        self._texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._known)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, so that `texts[code]` is the text of a code."""
        if len(self._texts) != len(self):
            self._texts = self._known.texts()
        return self._texts

    def code(self, text: str) -> int:
        """Return the number of one text."""
        return int(self.encode([text])[0])

    def encode(self, cells: Cells) -> NDArray[np.int32]:
        """Return the numbers of many cells; ValueError or TypeError if one is no id."""
        found: NDArray[np.int32]
        if isinstance(cells, np.ndarray):
            if is_fast() and cells.dtype.kind in "iu" and cells.dtype != np.uint64:
                found = self._known.encode_integers(np.ascontiguousarray(cells, np.int64))
                return found
            cells = list(map(str, cells.tolist()))
        found = self._known.encode(cells)
        return found


class LabelCodes(Codes):
    """Numbers for labels; 0 is for a cell without one.

    >>> codes = LabelCodes()
    >>> codes.encode(["news", "", None, True]).tolist(), codes.texts
    ([1, 0, 0, 2], ('', 'news', 'true'))
    """

    labels = True

    def encode(self, cells: Cells) -> NDArray[np.int32]:
        """Return the numbers of many cells; lists, such as the turns of a dialogue, are texts."""
        try:
            return super().encode(cells)
        except TypeError:
            return super().encode([_as_text(cell) for cell in cells])


class _TextCodes:
    """What the native class of this name does, in Python."""

    def __init__(self, labels: bool) -> None:
        # A plain dict of texts and integers is invisible to the garbage collector. In a subclass,
        # or beside a list of the texts, millions of ids would be walked again and again.
        self._index: dict[Any, int] = {"": 0} if labels else {}
        self._labels = labels

    def __len__(self) -> int:
        return len(self._index)

    def texts(self) -> tuple[str, ...]:
        return tuple(self._index)

    def encode(self, cells: Cells) -> NDArray[np.int32]:
        try:
            return np.fromiter(map(self._index.__getitem__, cells), np.int32, len(cells))
        except KeyError:
            for cell in dict.fromkeys(cells):
                if cell not in self._index:
                    self._learn(cell)
        return np.fromiter(map(self._index.__getitem__, cells), np.int32, len(cells))

    def _learn(self, cell: Any) -> None:
        if not isinstance(cell, str):
            raise TypeError
        if not self._labels and not cell.strip():
            raise ValueError
        self._index[cell] = len(self._index)


def _as_text(cell: Any) -> Any:
    """Return a label as text: nothing is empty, and JSON's booleans are spelled as there."""
    if cell is None or isinstance(cell, bool):
        return "" if cell is None else str(cell).lower()
    if not isinstance(cell, list | dict):
        return cell
    return json.dumps(cell, ensure_ascii=False, default=str)


def encode(batch: Batch, column: str, codes: Codes, problems: Findings) -> NDArray[np.int32]:
    """Return the codes of a column's texts; -1 for what is no id, an error with its line."""
    cells = batch.columns[column]
    try:
        return codes.encode(cells)
    except (ValueError, TypeError):
        return np.array(list(_one_by_one(batch, column, cells, codes, problems)), np.int32)


def _one_by_one(
    batch: Batch, column: str, cells: Cells, codes: Codes, problems: Findings
) -> Iterator[int]:
    for row, cell in enumerate(cells):
        try:
            yield int(codes.encode([cell])[0])
        except (ValueError, TypeError):
            finding = "is empty" if _blank(cell) else "is not a text or number"
            problems.complain(
                f"{batch.place(row)}: the {column!r} of the row {finding}; give every row one"
            )
            yield -1


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the numbers of a column may be written."""

    negative: bool = False
    """Whether numbers below 0 are allowed, as of ready values"""
    words: bool = False
    """Whether right and wrong are written as words: pass and fail, yes and no"""


def numbers(
    batch: Batch, column: str, spelling: Spelling, remedy: str, problems: Findings
) -> NDArray[Any]:
    """Return a column as integers or float64; all but finite numbers is an error with its line.

    True and false are 1 and 0. `remedy` ends the error's sentence. What `problems` lets pass is 0.
    """
    cells = batch.columns[column]
    if not len(cells):
        return np.zeros(0, np.int64)
    values = _plain_numbers(cells)
    words = _ANSWERS if spelling.words else _TRUTHS
    if values is None and any(_is_among(cell, words) for cell in cells):
        values = _plain_numbers([words[_word(c)] if _is_among(c, words) else c for c in cells])
        if values is not None and not np.isin(values, (0, 1)).all():
            for row in (row for row, cell in enumerate(cells) if _is_among(cell, words)):
                problems.warn(
                    f"{batch.place(row)}: {_quoted(cells[row])} stands in column {column!r} among "
                    f"numbers; it was taken for {values[row]:g}"
                )
    if values is None:
        values = _plain_numbers(list(_spelled(batch, column, words, remedy, problems)))
    if values is None:  # each is a number, and not all together
        values = np.array(
            [float(cell) for cell in _spelled(batch, column, words, remedy, problems)]
        )
    if values.dtype.kind == "f":
        for at in np.flatnonzero(~np.isfinite(values)).tolist():
            problems.complain(
                f"{batch.place(at)}: {_quoted(cells[at])} in column {column!r} is not a finite "
                f"number; {remedy}"
            )
        values = np.where(np.isfinite(values), values, 0.0)
    if not spelling.negative and values.min() < 0:
        for at in np.flatnonzero(values < 0).tolist():
            problems.complain(
                f"{batch.place(at)}: {_quoted(cells[at])} in column {column!r} is negative; counts "
                "are 0 or more"
            )
        values = np.maximum(values, 0)
    return _small(values)


def _spelled(
    batch: Batch, column: str, words: dict[str, str], remedy: str, problems: Findings
) -> Iterator[str]:
    """Yield cells as numbers are spelled; 0 for what is none, which is an error with its line."""
    for row, cell in enumerate(batch.columns[column]):
        if _is_among(cell, words):
            yield words[_word(cell)]
        elif looks_numeric(cell):
            yield str(cell)
        else:
            kind = "not a number" if words is _TRUTHS else "neither right nor wrong"
            problems.complain(
                f"{batch.place(row)}: {_quoted(cell)} in column {column!r} is {kind}; "
                f"{_remedy(cell, _IN_WORDS if words is _ANSWERS else remedy)}"
            )
            yield "0"


def _remedy(cell: Any, remedy: str) -> str:
    """Return what to do about a cell that is no number."""
    other = _other_spelling(cell)
    if other is not None:
        return f"write {other}, or {remedy.removeprefix('give a number, or ')}"
    if str(cell or "").strip().lower() in _ABSENT:
        return (
            "--missing drop leaves such items out for all systems, --missing zero counts them as 0"
        )
    return remedy


def looks_numeric(cell: Any) -> bool:
    """Return whether a cell holds a decimal number.

    >>> looks_numeric("0.7"), looks_numeric(np.int64(3)), looks_numeric("n/a"), looks_numeric(None)
    (True, True, False, False)
    """
    return is_number(cell) if isinstance(cell, str) else isinstance(cell, np.number)


def looks_like_number(cell: Any) -> bool:
    """Return whether a cell is a number in any spelling, also in those that are refused.

    >>> [looks_like_number(cell) for cell in ("0.7", "70 %", "0,7", "x7", None)]
    [True, True, True, False, False]
    """
    return looks_numeric(cell) or _other_spelling(cell) is not None


def is_truth(cell: Any) -> bool:
    """Return whether a cell is true or false, as JSON or in words.

    >>> is_truth(True), is_truth("FALSE"), is_truth(1), is_truth("yes")
    (True, True, False, False)
    """
    return _is_among(cell, _TRUTHS)


def is_verdict(cell: Any, *, answers: bool = False) -> bool:
    """Return whether a cell says that something is right or wrong; with `answers`, also yes or no.

    >>> is_verdict("PASS"), is_verdict(False), is_verdict("no"), is_verdict("no", answers=True)
    (True, True, False, True)
    """
    return _is_among(cell, _ANSWERS if answers else _VERDICTS)


def _is_among(cell: Any, words: dict[str, str]) -> bool:
    return isinstance(cell, bool | str) and _word(cell) in words


def _word(cell: bool | str) -> str:
    return str(cell).strip(" \t").lower()


def _other_spelling(cell: Any) -> str | None:
    """Return how a number should be written that is written otherwise."""
    if isinstance(cell, str) and _PERCENTAGE.fullmatch(cell):
        return "the number without the sign"
    if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell):
        return "the number with a decimal point"
    return None


def not_absent(cells: Cells) -> NDArray[np.bool_]:
    """Return which cells hold something, and no mark that there is nothing.

    >>> not_absent(["1", "", None, "NaN", "n/a"]).tolist()
    [True, False, False, False, False]
    """
    if isinstance(cells, np.ndarray):
        return ~np.isnan(cells) if cells.dtype.kind == "f" else np.ones(len(cells), dtype=bool)
    if isinstance(cells, PackedCells) and cells.numbers() is not None:
        return np.ones(len(cells), dtype=bool)
    words = (cell is not None and str(cell).strip().lower() not in _ABSENT for cell in cells)
    return np.fromiter(words, np.bool_, len(cells))


def given(cells: Cells, words: bool = False) -> NDArray[np.intp] | None:
    """Return the rows that have something in this column, or None if all have.

    With `words`, n/a, null and the like are nothing, too.
    """
    if words:
        there = not_absent(cells)
        return None if there.all() else np.flatnonzero(there)
    if isinstance(cells, np.ndarray):
        return None
    if not (
        cells.has_empty()
        if isinstance(cells, PackedCells)
        else any(cell in cells for cell in _NOTHING)
    ):
        return None
    return np.flatnonzero([cell not in _NOTHING for cell in cells])


def _plain_numbers(cells: Cells) -> NDArray[Any] | None:
    """Return all cells as numbers; None if some cell is not one."""
    if isinstance(cells, np.ndarray):
        # What is beyond int64 is too large anyway, and said to be so later.
        beyond = cells.dtype == np.uint64 and cells.max() >= 1 << 63
        return widen(cells) if cells.dtype.kind == "f" or beyond else cells
    if isinstance(cells, PackedCells):
        return cells.numbers()
    try:
        # One look at the joined text is much cheaper than one at every cell.
        joined = "".join(cells)
        if joined.isascii() and joined.isdigit():
            try:
                return np.fromiter(map(int, cells), np.int64, len(cells))
            except (ValueError, OverflowError):  # an empty cell, or one beyond 2^63
                pass
        if _NUMBER_SIGNS.fullmatch(joined):
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError):
        pass
    return None


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers in as few bytes as they need: tables may have many rows."""
    if values.dtype.kind != "i" or values.min() < 0:
        return values
    return values.astype(np.min_scalar_type(values.max()))


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _quoted(cell: Any) -> str:
    if _blank(cell):
        return "an empty cell"
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, list | dict):
        return "a list" if isinstance(cell, list) else "an object"
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:39] + "…")
