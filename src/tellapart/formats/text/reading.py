"""Reading outputs and references: UTF-8, one segment a line, cut only at line feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Final, cast

from tellapart.errors import DataError, Notice
from tellapart.files import STANDARD, open_text, shown
from tellapart.formats.sources import default_name, parse_source
from tellapart.words import several

_MARK: Final = "\ufeff"
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
    """Read a file as lines, without their ends; one carriage return goes with the line feed.

    A byte-order mark stays on the first line, where it costs a match, unless `strip_bom`.
    """
    lines: list[str] = []
    for number, raw in raw_lines(path):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            told = undecodable(path, number, raw, error)
            raise DataError(f"{told}; convert the file to UTF-8") from None
        lines.append(line.removesuffix("\n").removesuffix("\r"))
    if not lines:
        raise DataError(f"{shown(path)}: the file is empty; give one segment a line")
    marked = lines[0].startswith(_MARK)
    if marked and strip_bom:
        lines[0] = lines[0].removeprefix(_MARK)
    return TextFile(str(path), lines, marked and not strip_bom)


def raw_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Give the lines of a file as bytes, with their numbers: cut at line feeds, at nothing else."""
    with open_text(path, encoding="utf-8") as stream:
        yield from enumerate(cast(IO[bytes], cast(TextIOWrapper, stream).buffer), 1)


def undecodable(path: str | Path, number: int, raw: bytes, error: UnicodeDecodeError) -> str:
    """Say which byte of a line is not UTF-8."""
    return (
        f"{shown(path)}:{number}: byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is "
        "not UTF-8"
    )


def read_systems(sources: Sequence[str | Path], *, strip_bom: bool = False) -> list[Run]:
    """Read all files of all systems: `path`, `NAME=path` or `NAME=run1,run2`."""
    runs: list[Run] = []
    owners: dict[str, str] = {}
    for text in sources:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in owners:
            raise DataError(
                f"{shown(source.paths[0])}: a system called {name!r} is already there, from "
                f"{owners[name]}; tell them apart with NAME=path"
            )
        owners[name] = shown(source.paths[0])
        runs += [Run(name, read_lines(path, strip_bom=strip_bom)) for path in source.paths]
    return runs


def check_parallel(files: Sequence[TextFile]) -> None:
    """Complain about the first file whose number of lines is not that of the first one."""
    first = files[0]
    for file in files[1:]:
        if len(file.lines) != len(first.lines):
            raise DataError(
                f"{shown(file.path)} has {several(len(file.lines), 'line')}, {shown(first.path)} "
                f"has {len(first.lines)}; outputs and references need one line for each segment"
            )


def read_documents(path: str | Path, like: TextFile) -> tuple[str, ...]:
    """Read the document of each segment: one id a line."""
    file = read_lines(path, strip_bom=True)
    check_parallel([like, file])
    ids = tuple(line.strip() for line in file.lines)
    if "" in ids:
        raise DataError(f"{shown(path)}:{ids.index('') + 1}: no document id; give one to each line")
    return ids


def remarks(runs: Sequence[Run], references: Sequence[TextFile]) -> tuple[Notice, ...]:
    """Say what is odd about the files; an error if there is no reference text at all."""
    if all(file.blank == len(file.lines) for file in references):
        names = ", ".join(shown(file.path) for file in references)
        raise DataError(f"{names}: every line is blank; a reference needs text to compare with")
    found = [_marks([*(run.file for run in runs), *references]), _swapped(runs, references)]
    for file in references:
        if file.blank:
            told = f"Blank in the reference {shown(file.path)}: {several(file.blank, 'line')}, "
            told += f"the first is line {_first_blank(file)}; nothing can match there."
            found.append(Notice("blank-reference", told, (file.path,)))
    for run in runs:
        lines, blank = len(run.file.lines), run.file.blank
        if blank == lines:
            text = f"Every line of {shown(run.file.path)} is blank: {run.system} says nothing."
            found.append(Notice("blank-output", text, (run.system,)))
        for file in references:
            if run.file.lines == file.lines and run.file.path != STANDARD:
                text = f"{shown(run.file.path)} is the same as the reference {shown(file.path)}."
                found.append(Notice("output-is-reference", text, (run.system,)))
    return tuple(each for each in found if each is not None)


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
    """Suspect by their names that a reference was given as a system."""
    if any(_looks_like_reference(file.path) for file in references):
        return None
    named = [run for run in runs if _looks_like_reference(run.file.path)]
    if not named:
        return None
    return Notice(
        "swapped",
        f"{shown(named[0].file.path)} is called like a reference but was given as a system, and "
        f"{shown(references[0].path)} as the reference: --gold takes the reference.",
        (named[0].system,),
    )


def _looks_like_reference(path: str) -> bool:
    return _REFERENCE.search(Path(path).name) is not None
