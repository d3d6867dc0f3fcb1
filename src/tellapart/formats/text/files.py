"""Files of outputs and references: UTF-8, one segment a line, cut only at line feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Final, cast

from tellapart.errors import DataError, Finding, Notice
from tellapart.files import STANDARD, open_text, shown
from tellapart.formats.problems import Findings
from tellapart.words import several

_MARK: Final = "\ufeff"
# What other programs end a line at, or cannot show; a mark at the beginning has its own notice.
_ODD: Final = re.compile(r"[\r\0\v\f\x1c-\x1e\x85\u2028\u2029]|(?<!^)\ufeff")
_REFERENCE: Final = re.compile(r"(^|[._-])(refs?|references?|gold|golden|truth)\d*([._-]|$)", re.I)


@dataclass(frozen=True, slots=True)
class TextFile:
    """The lines of one file."""

    path: str
    lines: list[str]
    marked: bool  # it began with a byte-order mark

    @property
    def blank(self) -> int:
        """How many lines have nothing on them."""
        return sum(not line.strip() for line in self.lines)


@dataclass(frozen=True, slots=True)
class Run:
    """One file of a system; most systems have one."""

    system: str
    file: TextFile


def read_lines(path: str | Path, *, strip_bom: bool = False) -> TextFile:
    """Return the lines of a file without their ends; a carriage return goes with the line feed.

    A byte-order mark stays on the first line, where it costs a match, unless `strip_bom`.
    """
    lines: list[str] = []
    for number, raw in _raw_lines(path):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            problem = _undecodable(path, number, raw, error)
            raise DataError(f"{problem}; convert the file to UTF-8") from None
        lines.append(line.removesuffix("\n").removesuffix("\r"))
    if not lines:
        raise DataError(f"{shown(path)}: the file is empty; give one segment a line")
    marked = lines[0].startswith(_MARK)
    if marked and strip_bom:
        lines[0] = lines[0].removeprefix(_MARK)
    return TextFile(str(path), lines, marked and not strip_bom)


def _raw_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file as bytes with their numbers, cut at line feeds and nothing else."""
    with open_text(path, encoding="utf-8") as stream:
        yield from enumerate(cast(IO[bytes], cast(TextIOWrapper, stream).buffer), 1)


def _undecodable(path: str | Path, number: int, raw: bytes, error: UnicodeDecodeError) -> str:
    """Return which byte of a line is not UTF-8."""
    return (
        f"{shown(path)}:{number}: byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is "
        "not UTF-8"
    )


def check_parallel(files: Sequence[TextFile]) -> None:
    """Refuse the first file whose number of lines is not that of the first one."""
    first = files[0]
    for file in files[1:]:
        if len(file.lines) != len(first.lines):
            raise DataError(
                f"{shown(file.path)} has {several(len(file.lines), 'line')}, {shown(first.path)} "
                f"has {len(first.lines)}; outputs and references need one line for each segment"
            )


def read_documents(path: str | Path, like: TextFile) -> tuple[str, ...]:
    """Return the document of each segment: one id a line."""
    file = read_lines(path, strip_bom=True)
    check_parallel([like, file])
    ids = tuple(line.strip() for line in file.lines)
    if "" in ids:
        raise DataError(f"{shown(path)}:{ids.index('') + 1}: no document id; give one to each line")
    return ids


def read_sources(path: str | Path, like: TextFile) -> tuple[str, ...]:
    """Return the source of each segment: what was translated, one a line."""
    file = read_lines(path, strip_bom=True)
    check_parallel([like, file])
    return tuple(file.lines)


def file_notices(runs: Sequence[Run], references: Sequence[TextFile]) -> tuple[Notice, ...]:
    """Return what is odd about the files; an error if there is no reference text at all."""
    if all(file.blank == len(file.lines) for file in references):
        names = ", ".join(shown(file.path) for file in references)
        raise DataError(f"{names}: every line is blank; a reference needs text to compare with")
    found = [_marks([*(run.file for run in runs), *references]), _swapped(runs, references)]
    for file in references:
        if file.blank:
            text = f"Blank in the reference {shown(file.path)}: {several(file.blank, 'line')}, "
            text += f"the first is line {_first_blank(file)}; nothing can match there."
            found.append(Notice("blank-reference", text, (file.path,)))
    for run in runs:
        lines, blank = len(run.file.lines), run.file.blank
        if blank == lines:
            text = f"Every line of {shown(run.file.path)} is blank: {run.system} says nothing."
            found.append(Notice("blank-output", text, (run.system,)))
        for file in references:
            if run.file.lines == file.lines and run.file.path != STANDARD:
                text = f"{shown(run.file.path)} is the same as the reference {shown(file.path)}."
                found.append(Notice("output-is-reference", text, (run.system,)))
    odd = Findings()
    for file in (*references, *(run.file for run in runs)):
        for number, line in enumerate(file.lines, 1):
            _warn_of_odd(line, f"{shown(file.path)}:{number}", odd)
    return (*odd.notices(), *(each for each in found if each is not None))


def _warn_of_odd(line: str, place: str, findings: Findings) -> None:
    """Warn of a character inside a line that may be the end of one elsewhere."""
    odd = _ODD.search(line)
    if odd is not None:
        text = f"the line has the character {odd[0]!r} inside, where other programs may end it"
        findings.warn(f"{place}: {text}; here it is one segment")


def _first_blank(file: TextFile) -> int:
    return 1 + next(k for k, line in enumerate(file.lines) if not line.strip())


def _marks(files: Sequence[TextFile]) -> Notice | None:
    marked = tuple(shown(file.path) for file in files if file.marked)
    if not marked:
        return None
    verb = "begins" if len(marked) == 1 else "begin"
    return Notice(
        "byte-order-mark",
        f"{', '.join(marked)} {verb} with a byte-order mark, which sticks to the first word as in "
        "the usual tools; --strip-bom takes it off.",
        marked,
    )


def _swapped(runs: Sequence[Run], references: Sequence[TextFile]) -> Notice | None:
    """Return a notice if, by the names, a reference was given as a system."""
    if any(_looks_like_reference(file.path) for file in references):
        return None
    named = [run for run in runs if _looks_like_reference(run.file.path)]
    if not named:
        return None
    return Notice(
        "swapped",
        f"{shown(named[0].file.path)} is named like a reference but was given as a system, and "
        f"{shown(references[0].path)} as the reference: --gold takes the reference.",
        (named[0].system,),
    )


def _looks_like_reference(path: str) -> bool:
    return _REFERENCE.search(Path(path).name) is not None


def findings(files: Sequence[str], gold: Sequence[str]) -> list[Finding]:
    """Return the problems of outputs and references."""
    problems = Findings()
    sizes: dict[str, int] = {}
    for path in (*gold, *files):
        with problems.of_file():
            sizes[path] = _check_lines(path, problems)
    first = next(iter(sizes), "")
    for path, size in sizes.items():
        if size != sizes[first]:
            problems.complain(
                f"{shown(path)} has {several(size, 'line')}, {shown(first)} has {sizes[first]}"
            )
    return problems.found


def _check_lines(path: str, problems: Findings) -> int:
    """Note what is wrong with the lines of a file; return their number."""
    number = 0
    for number, raw in _raw_lines(path):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            problems.complain(_undecodable(path, number, raw, error))
            continue
        if number == 1 and line.startswith(_MARK):
            problems.warn(f"{shown(path)}:1: the line begins with a byte-order mark")
        if not line.strip():
            problems.warn(f"{shown(path)}:{number}: the line is blank")
        _warn_of_odd(
            line.removesuffix("\n").removesuffix("\r"), f"{shown(path)}:{number}", problems
        )
    if not number:
        problems.complain(f"{shown(path)}: the file is empty")
    return number
