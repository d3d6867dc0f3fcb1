"""Systems and their runs: how users name them, and how messages and reports do.

Users write `path`, `NAME=path`, `NAME=run1,run2` or `NAME=runs/*.csv`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.words import encodable


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one argument, one per run, and the name that was given to the system."""

    paths: tuple[str, ...]
    name: str | None = None


def parse_source(text: str | Path) -> Source:
    """Return the name and the files of an argument; a file that has just that name comes first.

    Patterns after `NAME=`, which no shell expands, are the files that fit them.

    >>> parse_source("GE=runs/1.csv,runs/2.csv")
    Source(paths=('runs/1.csv', 'runs/2.csv'), name='GE')
    >>> parse_source("uedin.4722.txt.gz")
    Source(paths=('uedin.4722.txt.gz',), name=None)
    """
    whole = str(text)
    name, equals, rest = whole.partition("=")
    if isinstance(text, Path) or not equals or os.path.exists(whole):
        return Source((whole,))
    given = [rest] if os.path.exists(rest) else rest.split(",")
    if not name.strip() or not all(given):
        raise UsageError(f"{whole!r} does not name a system and its files; write NAME=path")
    paths = tuple(path for each in given for path in expanded(each))
    _refuse_twice(paths, name)
    return Source(paths, encodable(name))


def paths_of(sources: Iterable[str | Path]) -> list[str]:
    """Return the files of all arguments, one after the other.

    >>> paths_of(["GE=runs/1.csv,runs/2.csv", "old.csv"])
    ['runs/1.csv', 'runs/2.csv', 'old.csv']
    """
    return [path for each in sources for path in parse_source(each).paths]


def expanded(path: str) -> list[str]:
    """Return the files that fit a pattern, in order; what is a file, or no pattern, is itself."""
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise DataError(f"no file fits the pattern {path!r}; check the folder")
    return found


def _refuse_twice(paths: Sequence[str], name: str) -> None:
    """Refuse a file as two runs of a system: it would be weighed twice, and look like no spread."""
    seen = set[str]()
    for path in paths:
        place = path if path == STANDARD else os.path.realpath(path)
        if place in seen:
            raise UsageError(f"{shown(path)}: this file is given twice as a run of {name}")
        seen.add(place)


def default_name(path: str) -> str:
    """Return the name of a system that has none but its file's, without `.gz` and a suffix.

    >>> default_name("runs/uedin.4722.txt.gz")
    'uedin.4722'
    """
    if path == STANDARD:
        return "stdin"
    stem = Path(unpacked_name(Path(path).name)).stem
    return encodable(stem) if stem.strip() else "unnamed"


def system_files(systems: Sequence[str | Path]) -> dict[str, tuple[str, ...]]:
    """Return the files of each system by its name.

    >>> system_files(["runs/old.txt", "new=1.txt,2.txt"])
    {'old': ('runs/old.txt',), 'new': ('1.txt', '2.txt')}
    """
    files: dict[str, tuple[str, ...]] = {}
    for text in systems:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in files:
            raise called_twice(name, source.paths[0], files[name][0])
        files[name] = source.paths
    return files


def called_twice(name: str, path: str, other: str) -> DataError:
    """Return the refusal of a second system of the same name.

    >>> str(called_twice("new", "b/new.txt", "a/new.txt"))
    "b/new.txt: a system called 'new' is already there, from a/new.txt; write NAME=path"
    """
    finding = f"a system called {name!r} is already there, from {shown(other)}"
    return DataError(f"{shown(path)}: {finding}; write NAME=path")


def run_name(system: str, run: int | str) -> str:
    """Return the name of one of several runs of a system.

    >>> run_name("new", 2)
    'new (run 2)'
    """
    return f"{system} (run {run})"


def run_names(files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a name for every file: the system, and which run it is where there are several.

    >>> run_names({"old": ["a"], "new": ["b", "c"]})
    ['old', 'new (run 1)', 'new (run 2)']
    """
    return [
        run_name(name, k) if len(paths) > 1 else name
        for name, paths in files.items()
        for k in range(1, len(paths) + 1)
    ]
