"""What users name as systems: `path`, `NAME=path`, `NAME=run1,run2`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tellapart.errors import UsageError
from tellapart.files import STANDARD


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one argument, one per run, and the name that was given to the system."""

    paths: tuple[str, ...]
    name: str | None = None


def parse_source(text: str | Path) -> Source:
    """Take a command-line argument apart; a file that has just that name comes first.

    >>> parse_source("GE=runs/1.csv,runs/2.csv")
    Source(paths=('runs/1.csv', 'runs/2.csv'), name='GE')
    >>> parse_source("uedin.4722.txt.gz")
    Source(paths=('uedin.4722.txt.gz',), name=None)
    """
    whole = str(text)
    name, equals, rest = whole.partition("=")
    if isinstance(text, Path) or not equals or Path(whole).exists():
        return Source((whole,))
    paths = (rest,) if Path(rest).exists() else tuple(rest.split(","))
    if not name.strip() or not all(paths):
        raise UsageError(f"{whole!r} does not name a system and its files; write NAME=path")
    return Source(paths, name)


def default_name(path: str) -> str:
    """Name a system after its file: without `.gz` and without one more suffix.

    >>> default_name("runs/uedin.4722.txt.gz")
    'uedin.4722'
    """
    if path == STANDARD:
        return "stdin"
    stem = Path(Path(path).name.removesuffix(".gz")).stem
    return stem if stem.strip() else "unnamed"
