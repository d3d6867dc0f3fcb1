"""What is wrong with a file: warnings, and what keeps it from being scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_text, shown
from tellapart.words import several


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong at a place; `fatal` if the file cannot be scored because of it.

    Without a path, the text names the place. Warnings of the same `kind` in a file are summed up
    where not every line is asked for.
    """

    path: str
    line: int | None
    text: str
    fatal: bool = False
    kind: str = ""

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


def summed_up(problems: Sequence[Problem]) -> list[str]:
    """Return the problems as text, those of a kind in a file as one: the first, and how many.

    >>> lost = [Problem("a", n, f"a lost line: {n}", kind="lost") for n in (3, 5, 9)]
    >>> summed_up([*lost, Problem("a", 4, "two templates 1")])
    ['a:3: a lost line: 3 (and 2 more lines like it, the last 9)', 'a:4: two templates 1']
    """
    alike: dict[tuple[str, str], list[Problem]] = {}
    for i, each in enumerate(problems):
        alike.setdefault((each.path, each.kind or str(i)), []).append(each)
    return [_with_number(found) for found in alike.values()]


def _with_number(found: Sequence[Problem]) -> str:
    if len(found) == 1:
        return str(found[0])
    more = several(len(found) - 1, "more line")
    return f"{found[0]} (and {more} like it, the last {found[-1].line})"


def notices(problems: Iterable[Problem]) -> tuple[Notice, ...]:
    """Return the warnings among the problems, summed up in one notice per file."""
    by_path: dict[str, list[Problem]] = {}
    for problem in problems:
        if not problem.fatal:
            by_path.setdefault(problem.path, []).append(problem)
    return tuple(
        Notice(
            "muc-format",
            f"{several(len(found), 'line')} of {shown(path)} could not be read as written; "
            "`tellapart validate` lists them.",
            (path,),
        )
        for path, found in by_path.items()
    )


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
