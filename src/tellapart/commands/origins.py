"""Where a report comes from: the command that repeats it, and the files with their SHA-256."""

from __future__ import annotations

import argparse
import hashlib
import shlex
from collections.abc import Iterator
from pathlib import Path

from tellapart.files import STANDARD
from tellapart.formats.sources import parse_source
from tellapart.report.html.page import Origin

_FILES = ("history", "replay", "pairings", "only", "texts", "docids", "types")
"""The options that name a file to read"""


def origin(given: argparse.Namespace) -> Origin:
    """Name the command and the files of a command line."""
    command = shlex.join(["tellapart", *given.command_line])
    return Origin(command, tuple((path, _digest(path)) for path in _files(given)))


def _files(given: argparse.Namespace) -> Iterator[str]:
    named = [path for system in given.systems for path in parse_source(system).paths]
    named += [*given.gold, *(path for name in _FILES if (path := getattr(given, name, None)))]
    for path in dict.fromkeys(named):
        if Path(path).is_dir():
            yield from sorted(str(each) for each in Path(path).iterdir() if each.is_file())
        elif path != STANDARD and Path(path).is_file():
            yield path


def _digest(path: str) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
