"""What is wrong with a file: warnings, and what keeps it from being scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_text, shown
from tellapart.words import several


@dataclass(frozen=True, slots=True)
class Finding:
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


def raise_fatal(findings: Iterable[Finding]) -> None:
    """Raise one DataError that lists all fatal findings, if there are any."""
    fatal = [finding for finding in findings if finding.fatal]
    if len(fatal) == 1:
        raise DataError(str(fatal[0]))
    if fatal:
        lines = "\n".join(f"  {finding}" for finding in fatal)
        raise DataError(f"{several(len(fatal), 'problem')} in the files:\n{lines}")


def notices(findings: Iterable[Finding]) -> tuple[Notice, ...]:
    """Return the warnings among the findings, summed up in one notice per file."""
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        if not finding.fatal:
            by_path.setdefault(finding.path, []).append(finding)
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


def read_whole(path: str, encoding: str = ENCODING) -> tuple[str, list[Finding]]:
    """Read a file without its byte-order mark; if it cannot be read, that is the one finding."""
    try:
        with open_text(path, encoding) as stream:
            return stream.read().removeprefix(_MARK), []
    except DataError as problem:
        return "", [unreadable(problem)]


def unreadable(problem: DataError) -> Finding:
    """Return an error, which names the file itself, as a finding."""
    return Finding("", None, str(problem), fatal=True)
