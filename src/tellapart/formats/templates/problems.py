"""What is wrong with a file: warnings, and what keeps it from being scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tellapart.errors import DataError, Finding, Notice
from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.words import several


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong at a place; `fatal` if the file cannot be scored because of it.

    Without a path, the text names the place.
    """

    path: str
    line: int | None
    text: str
    fatal: bool = False

    def __str__(self) -> str:
        if not self.path:
            return self.text
        place = shown(self.path) + (f":{self.line}" if self.line else "")
        return f"{place}: {self.text}"


def raise_fatal(problems: Iterable[Problem]) -> None:
    """Raise one DataError that lists all fatal problems, if there are any."""
    fatal = [problem for problem in problems if problem.fatal]
    if len(fatal) == 1:
        raise DataError(str(fatal[0]))
    if fatal:
        lines = "\n".join(f"  {problem}" for problem in fatal)
        raise DataError(f"{several(len(fatal), 'problem')} in the files:\n{lines}")


def notices(problems: Iterable[Problem]) -> tuple[Notice, ...]:
    """Return the warnings among the problems, those of a kind in a file as one.

    >>> lost = [Problem("a", n, f"the line {n!r} is lost") for n in (3, 5, 9)]
    >>> [each.text for each in notices(lost)]
    ['a:3: the line 3 is lost (2 more of this kind, the last in line 9).']
    """
    return Findings([Finding(str(each), each.fatal) for each in problems]).notices()


ENCODING: Final = "latin-1"  # of all files of the conferences; every byte is a character
_MARK: Final = "\ufeff".encode().decode(ENCODING)  # the byte-order mark that some editors add


def read_whole(path: str, encoding: str = ENCODING) -> tuple[str, list[Problem]]:
    """Return a file without its byte-order mark; if it cannot be read, that is the one problem."""
    try:
        with open_text(path, encoding) as stream:
            return stream.read().removeprefix(_MARK), []
    except DataError as problem:
        return "", [unreadable(problem)]


def unreadable(problem: DataError) -> Problem:
    """Return an error, which names the file itself, as a problem."""
    return Problem("", None, str(problem), fatal=True)
