"""JSON as rows of a table: an object a line, or an array of objects.

Rows may lack keys that others have. Objects inside objects are columns of their own, called by the
path that leads there: `{"scores": {"exact": 1}}` has the column `scores.exact`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.problems import Findings

Row = dict[str, Any]
_WRAPPER: Final = re.compile(r'\s*\{\s*("[^"]*"\s*(:\s*(\[|$)|$)|$)')
_REMARKED: Final = 100  # rows that lack a key, of which no more are named


def line_rows(
    text: Iterable[str], path: str, skipped: int, problems: Findings
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of JSONL with their lines; what is no row is told, and left out."""
    for line, content in zip(count(skipped + 1), text):
        if content.isspace():
            continue
        row: Row = {}
        place = f"{shown(path)}:{line}"
        with problems.of_file():
            tree = parse_json(content, place, "JSONL has one whole object per line", numbers=False)
            row = _row(tree, place, "the line")
        if row:
            yield line, row


def array_rows(text: str, path: str, line: int, problems: Findings) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a JSON array with their numbers; `line` is where the text begins."""
    found = parse_json(text, shown(path), "copy the file again", line=line, numbers=False)
    yield from tree_rows(found, path, problems)


def may_wrap(first: str) -> bool:
    """Return whether a line may begin an object whose only key holds the rows."""
    return _WRAPPER.match(first) is not None


def wrapped(text: str) -> list[Any] | None:
    """Return the rows that are the only value of an object; None if the text is anything else.

    >>> wrapped('{"results": [{"id": 1}]}'), wrapped('{"results": [{"id": 1}], "n": 1}')
    ([{'id': '1'}], None)
    """
    try:
        tree = parse_json(text, "", numbers=False)
    except DataError:
        return None
    values = list(tree.values()) if isinstance(tree, dict) else []
    if len(values) != 1 or not isinstance(values[0], list):
        return None
    rows: list[Any] = values[0]
    return rows if rows and all(isinstance(row, dict) for row in rows) else None


def tree_rows(trees: Iterable[Any], path: str, problems: Findings) -> Iterator[tuple[int, Row]]:
    """Yield parsed objects as rows with their numbers; what is no row is told, and left out."""
    for number, tree in enumerate(trees, 1):
        row: Row = {}
        with problems.of_file():
            row = _row(tree, f"{shown(path)}, row {number}", "the element")
        if row:
            yield number, row


def _row(tree: Any, place: str, what: str) -> Row:
    if not isinstance(tree, dict) or not tree:
        raise DataError(f'{place}: {what} is not an object with keys; write {{"system": …}}')
    row: Row = {}
    for name, cell in _flat(tree, ""):
        if name in row:
            raise DataError(f"{place}: two values are called {name!r}; rename one")
        row[name] = cell
    return row or dict.fromkeys(tree)


def _flat(tree: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested objects by the keys that lead to them.

    >>> dict(_flat({"id": "1", "scores": {"exact": "1", "by": {"judge": "0.5"}}}, ""))
    {'id': '1', 'scores.exact': '1', 'scores.by.judge': '0.5'}
    """
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


class Keys:
    """The keys of all rows so far, in order, and the rows that lack some."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()
        self._lacking: dict[str, list[int]] = {}
        self._rows = 0
        self._first = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The keys, in the order in which they came."""
        return tuple(self._numbers)

    def add(self, number: int, row: Row) -> None:
        """Take note of the keys of a row."""
        if not self._rows:
            self._first = number
        for key in row.keys() - self._numbers.keys() if self._rows else ():
            self._lacking[key] = [self._first]
        for key in self._numbers.keys() - row.keys():
            lines = self._lacking.setdefault(key, [])
            if len(lines) < _REMARKED:
                lines.append(number)
        self._numbers.update(dict.fromkeys(row, 1))
        self._rows += 1

    def add_alike(self, number: int, names: Sequence[str], rows: int) -> bool:
        """Take note of the keys of several rows; False if they are not those of all before."""
        if self._rows and self._numbers.keys() != set(names):
            return False
        self._first = self._first if self._rows else number
        self._numbers.update(dict.fromkeys(names, rows))
        self._rows += rows
        return True

    def lacked(self) -> Iterator[tuple[str, list[int]]]:
        """Yield keys that most rows have, with the first of those that lack them."""
        for key, number in self._numbers.items():
            if self._rows / 2 < number < self._rows:
                yield key, self._lacking[key]


def in_blocks(rows: Iterator[tuple[int, Row]], size: int) -> Iterator[list[tuple[int, Row]]]:
    """Yield rows some at a time."""
    while block := list(islice(rows, size)):
        yield block
