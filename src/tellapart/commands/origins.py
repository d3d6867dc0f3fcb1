"""Where a report comes from: the command that repeats it, and the files with their SHA-256."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tellapart.files import STANDARD
from tellapart.report.html.page import Origin


def origin(command_line: Sequence[str], read: Sequence[str]) -> Origin:
    """Name the command and the files that it read."""
    command = shlex.join(["tellapart", *command_line])
    return Origin(command, tuple((path, _digest(path)) for path in _files(read)))


def _files(read: Sequence[str]) -> Iterator[str]:
    for path in dict.fromkeys(read):
        if Path(path).is_dir():
            yield from sorted(str(each) for each in Path(path).iterdir() if each.is_file())
        elif path != STANDARD and Path(path).is_file():
            yield path


def _digest(path: str) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
