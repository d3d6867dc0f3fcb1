"""All that is wrong with files of texts, for `tellapart validate`."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.text.reading import raw_lines, undecodable
from tellapart.words import several

_WARNING = "warning:"


def text_problems(files: Sequence[str], gold: Sequence[str]) -> list[str]:
    """List the problems of outputs and references; warnings begin with `warning:`."""
    problems: list[str] = []
    sizes: dict[str, int] = {}
    for path in (*gold, *files):
        try:
            lines, found = _checked_lines(path)
        except DataError as problem:
            problems.append(str(problem))
            continue
        problems += found
        sizes[path] = lines
    first = next(iter(sizes), None)
    problems += [
        f"{shown(path)} has {several(size, 'line')}, {shown(first)} has {sizes[first]}"
        for path, size in sizes.items()
        if first is not None and size != sizes[first]
    ]
    return problems


def _checked_lines(path: str) -> tuple[int, list[str]]:
    """Count the lines of a file, and list what is wrong with them."""
    number, found = 0, list[str]()
    for number, raw in raw_lines(path):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            found.append(undecodable(path, number, raw, error))
            continue
        if number == 1 and line.startswith("\ufeff"):
            found.append(f"{_WARNING} {shown(path)}:1: the line begins with a byte-order mark")
        if not line.strip():
            found.append(f"{_WARNING} {shown(path)}:{number}: the line is blank")
    if not number:
        found.append(f"{shown(path)}: the file is empty")
    return number, found
