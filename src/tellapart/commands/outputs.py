"""Where a command writes: checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from tellapart.errors import UsageError
from tellapart.files import STANDARD, check_writable
from tellapart.formats.sources import parse_source


def check_outputs(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse outputs that cannot be written, that would replace an input, or that collide.

    >>> check_outputs({"--json": "-", "--html": "-"}, [])
    Traceback (most recent call last):
    tellapart.errors.UsageError: --json and --html cannot both be standard output
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    read = {os.path.realpath(path) for source in inputs for path in parse_source(source).paths}
    seen: dict[str, str] = {}
    for option, path in given.items():
        place = STANDARD if path == STANDARD else os.path.realpath(path)
        if place in seen:
            what = "be standard output" if path == STANDARD else f"be written to {path}"
            raise UsageError(f"{seen[place]} and {option} cannot both {what}")
        if place in read and path != STANDARD:
            raise UsageError(f"{option} {path} would replace a file that is read; name another")
        seen[place] = option
        check_writable(path)
