"""Second opinions: whether damaged bytes are as sound a file as the original.

They are written from what a format is, not from how it is read, and know shapes only: which lines
a file may have, which keys and types an object of JSON, and what may not be there twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from .target import Sound

NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
"""A number as anyone might write it, in ASCII digits and without separators"""


def ascii_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern whose digits and letters are those of ASCII."""
    return re.compile(pattern, re.ASCII)


def text_of(data: bytes) -> str | None:
    """Return UTF-8 text without byte-order mark, with one kind of line ends; None for others."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    return re.sub("\r+\n", "\n", text) if "\n" in text else text.replace("\r", "\n")


def lines_of(data: bytes) -> list[str] | None:
    """Return the lines of UTF-8 text; None for other bytes. The last one need not be ended."""
    text = text_of(data)
    return None if text is None else text.removesuffix("\n").split("\n")


def all_lines(*patterns: str, unique: Callable[[str], Hashable] | None = None) -> Sound:
    """Return a check that every line fits one of the patterns, and none appears twice.

    Blank lines mean nothing.
    """
    known = [ascii_pattern(each) for each in patterns]

    def sound(data: bytes, _: bytes) -> bool:
        lines = lines_of(data)
        if lines is None:
            return False
        lines = [line for line in lines if line.strip(" \t")]
        if not all(any(p.fullmatch(line) for p in known) for line in lines):
            return False
        return unique is None or no_repeats(map(unique, lines))

    return sound


def no_repeats(values: Iterable[Hashable]) -> bool:
    """Return whether no value appears twice."""
    kept = list(values)
    return len(set(kept)) == len(kept)


def any_text(data: bytes, _: bytes) -> bool:
    """Accept all UTF-8 text."""
    return text_of(data) is not None


class NotSoundError(Exception):
    """JSON that is not as it should be."""


def parsed(text: str) -> Any:
    """Return JSON; NotSoundError for what is none, or has a key twice, or numbers that are none."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            raise NotSoundError
        return dict(found)

    def no_constant(_: str) -> Any:
        raise NotSoundError

    try:
        text.encode()
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=no_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise NotSoundError from None
    return value


def shape(value: Any) -> Hashable:
    """Return which keys and types are in a JSON value, and nothing of what they hold."""
    if isinstance(value, dict):
        return frozenset((key, shape(each)) for key, each in value.items())
    if isinstance(value, list):
        return ("list", frozenset(map(shape, value)))
    if value is None:
        return None
    # Right and wrong are numbers, too.
    return "number" if isinstance(value, int | float) else "text"


def json_rows(
    unique: Callable[[Any], Hashable] | None = None,
    fixed: Callable[[Any], Hashable] = lambda _: None,
    plain: Callable[[Any], Any] = lambda row: row,
) -> Sound:
    """Return a check of JSON lines: each has the shape of a line of the original.

    `unique` names a row; none may be named twice. What `fixed` returns of a row has to be there in
    the original, too. `plain` returns a row as it is usually written.
    """

    def sound(data: bytes, original: bytes) -> bool:
        lines, known = lines_of(data), lines_of(original)
        if lines is None or known is None:
            return False
        try:
            rows = [plain(parsed(line)) for line in lines if line.strip()]
            model = [parsed(line) for line in known]
            return (
                bool(rows)
                and {shape(row) for row in rows} <= {shape(row) for row in model}
                and {fixed(row) for row in rows} <= {fixed(row) for row in model}
                and (unique is None or no_repeats(map(unique, rows)))
            )
        except NotSoundError:
            return False

    return sound


def table(mark: str, header: str, *cells: str, unique: tuple[int, ...] = (0,)) -> Sound:
    """Return a check of a table: its header, its cells by column, and the columns of its key."""
    heading = ascii_pattern(header)
    patterns = [ascii_pattern(each) for each in cells]

    def sound(data: bytes, _: bytes) -> bool:
        lines = lines_of(data)
        lines = [line for line in lines or () if line.strip()]
        names = [cell.strip() for cell in lines[0].split(mark)] if lines else []
        if not lines or not heading.fullmatch(mark.join(names)) or not no_repeats(names):
            return False
        rows = [line.split(mark) for line in lines[1:]]
        fit = (
            len(row) == len(patterns)
            and all(p.fullmatch(cell.strip(" ")) for p, cell in zip(patterns, row, strict=True))
            for row in rows
        )
        keys = (tuple(row[k] for k in unique) for row in rows)
        return all(fit) and (not unique or no_repeats(keys))

    return sound
