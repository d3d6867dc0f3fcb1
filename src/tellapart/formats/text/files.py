"""Files of outputs and references: UTF-8, one segment a line, cut only at line feeds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Final, cast

from tellapart.errors import DataError, Finding, Notice
from tellapart.files import STANDARD, open_text, shown
from tellapart.formats.problems import Findings
from tellapart.words import several

BLOCK: Final = 20_000
"""Lines that are read, and counted, at a time"""

_FIRST_BLOCK: Final = 500  # lines, by which it is told how long they are
_BLOCK_CHARACTERS: Final = 1 << 21  # of one file: long lines come fewer at a time
_MOST_OPEN: Final = 200  # files; of more, one is read after the other
_MARK: Final = "\ufeff"
# What other programs end a line at, or cannot show; a mark at the beginning has its own notice.
_ODD: Final = re.compile(r"[\r\0\v\f\x1c-\x1e\x85\u2028\u2029]|(?<!^)\ufeff")
_ODD_CHARACTERS: Final = "\r\0\v\f\x1c\x1d\x1e\x85\u2028\u2029\ufeff"
_REFERENCE: Final = re.compile(r"(^|[._-])(refs?|references?|gold|golden|truth)\d*([._-]|$)", re.I)


@dataclass(slots=True)
class TextFile:
    """One file, and what was found about its lines while they were read."""

    path: str
    strip_bom: bool = False
    """Whether a byte-order mark goes; otherwise it stays on the first line, and costs a match"""
    marked: bool = False
    """It begins with a byte-order mark that stays"""
    size: int = 0
    """How many lines were read"""
    blank: int = 0
    first_blank: int | None = None
    odd: Findings = field(default_factory=Findings)

    def blocks(self, size: Callable[[], int] = lambda: BLOCK) -> Iterator[list[str]]:
        """Yield the lines of the file without their ends, each time as many as `size` says.

        A carriage return goes with the line feed.
        """
        with open_text(self.path, encoding="utf-8") as stream:
            raw = cast(IO[bytes], cast(TextIOWrapper, stream).buffer)
            while block := list(islice(raw, size())):
                yield self._decoded(block)
        if not self.size:
            raise DataError(f"{shown(self.path)}: the file is empty; give one segment a line")

    def _decoded(self, raw: Sequence[bytes]) -> list[str]:
        """Return the next lines, and note what is odd about them."""
        try:
            text = b"".join(raw).decode()
        except UnicodeDecodeError:
            raise self._undecodable(raw) from None
        lines = text.removesuffix("\n").split("\n")
        if "\r" in text:
            lines = [line.removesuffix("\r") for line in lines]
        if not self.size and text.startswith(_MARK):
            self.marked = not self.strip_bom
            lines[0] = lines[0].removeprefix(_MARK) if self.strip_bom else lines[0]
        if "" in lines or any(map(str.isspace, lines)):
            for number, line in enumerate(lines, self.size + 1):
                if not line or line.isspace():
                    self.blank += 1
                    self.first_blank = self.first_blank or number
        if any(character in text for character in _ODD_CHARACTERS):
            name = shown(self.path)
            for number, line in enumerate(lines, self.size + 1):
                _warn_of_odd(line, f"{name}:{number}", self.odd)
        self.size += len(lines)
        return lines

    def _undecodable(self, raw: Sequence[bytes]) -> DataError:
        for number, line in enumerate(raw, self.size + 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                problem = _undecodable(self.path, number, line, error)
                return DataError(f"{problem}; convert the file to UTF-8")
        raise AssertionError  # UTF-8 is whole in every line or not at all


@dataclass(frozen=True, slots=True)
class Run:
    """One file of a system; most systems have one."""

    system: str
    file: TextFile


def read_lines(path: str | Path, *, strip_bom: bool = False) -> tuple[TextFile, list[str]]:
    """Return a file and all its lines."""
    file = TextFile(str(path), strip_bom)
    return file, [line for lines in file.blocks() for line in lines]


def read_in_step(files: Sequence[TextFile]) -> Iterator[list[list[str]]]:
    """Yield blocks of lines of all files, which must have as many lines as each other."""
    if len(files) > _MOST_OPEN:
        whole = [[line for lines in file.blocks() for line in lines] for file in files]
        check_parallel(files)
        yield whole
        return
    size = min(_FIRST_BLOCK, BLOCK)
    readers = [file.blocks(lambda: size) for file in files]
    while any(block := [next(reader, []) for reader in readers]):
        if len({len(lines) for lines in block}) > 1:
            for reader in readers:
                for _ in reader:  # to the end: the message says how many lines there are
                    pass
            check_parallel(files)
        yield block
        characters = max(sum(map(len, lines)) for lines in block)
        size = max(1, min(BLOCK, _BLOCK_CHARACTERS * len(block[0]) // max(characters, 1)))


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
        if file.size != first.size:
            raise DataError(
                f"{shown(file.path)} has {several(file.size, 'line')}, {shown(first.path)} "
                f"has {first.size}; outputs and references need one line for each segment"
            )


def read_documents(path: str | Path, like: TextFile) -> tuple[str, ...]:
    """Return the document of each segment: one id a line."""
    file, lines = read_lines(path, strip_bom=True)
    check_parallel([like, file])
    ids = tuple(sys.intern(line.strip()) for line in lines)
    if "" in ids:
        raise DataError(f"{shown(path)}:{ids.index('') + 1}: no document id; give one to each line")
    return ids


def read_sources(path: str | Path, like: TextFile) -> tuple[str, ...]:
    """Return the source of each segment: what was translated, one a line."""
    file, lines = read_lines(path, strip_bom=True)
    check_parallel([like, file])
    return tuple(lines)


def refuse_blank(references: Sequence[TextFile]) -> None:
    """Refuse references, all of them read, that have no text at all."""
    if all(file.blank == file.size for file in references):
        names = ", ".join(shown(file.path) for file in references)
        raise DataError(f"{names}: every line is blank; a reference needs text to compare with")


def file_notices(
    runs: Sequence[Run], references: Sequence[TextFile], copies: Collection[tuple[str, str]] = ()
) -> tuple[Notice, ...]:
    """Return what is odd about files that were read.

    `copies` are files with the references that they are the same as.
    """
    found = [_marks([*(run.file for run in runs), *references]), _swapped(runs, references)]
    for file in references:
        if file.blank:
            text = f"Blank in the reference {shown(file.path)}: {several(file.blank, 'line')}, "
            text += f"the first is line {file.first_blank}; nothing can match there."
            found.append(Notice("blank-reference", text, (file.path,)))
    for run in runs:
        if run.file.blank == run.file.size:
            text = f"Every line of {shown(run.file.path)} is blank: {run.system} says nothing."
            found.append(Notice("blank-output", text, (run.system,)))
        for file in references:
            if (run.file.path, file.path) in copies and run.file.path != STANDARD:
                text = f"{shown(run.file.path)} is the same as the reference {shown(file.path)}."
                found.append(Notice("output-is-reference", text, (run.system,)))
    odd = Findings([each for file in (*references, *(run.file for run in runs))
                    for each in file.odd.found])  # fmt: skip
    return (*odd.notices(), *(each for each in found if each is not None))


def _warn_of_odd(line: str, place: str, findings: Findings) -> None:
    """Warn of a character inside a line that may be the end of one elsewhere."""
    odd = _ODD.search(line)
    if odd is not None:
        text = f"the line has the character {odd[0]!r} inside, where other programs may end it"
        findings.warn(f"{place}: {text}; here it is one segment")


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
