"""What verbs write: checked beforehand, traced to the files that were read, and what leads on."""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tellapart.errors import UsageError
from tellapart.files import STANDARD, check_folder, check_writable

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison
    from tellapart.report.html.page import Origin
    from tellapart.report.terminal import Pointers


def check_outputs(
    outputs: Mapping[str, str | None], read: Iterable[str], folders: Iterable[str | None] = ()
) -> None:
    """Refuse outputs that cannot be written, that would replace an input, or that collide.

    >>> check_outputs({"--json": "-", "--html": "-"}, [])
    Traceback (most recent call last):
    tellapart.errors.UsageError: --json and --html cannot both be standard output
    """
    inputs = [os.path.realpath(path) for path in read if path != STANDARD and os.path.exists(path)]
    seen: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        place = STANDARD if path == STANDARD else os.path.realpath(path)
        if place in seen:
            what = "be standard output" if path == STANDARD else f"be written to {path}"
            raise UsageError(f"{seen[place]} and {option} cannot both {what}")
        if any(_would_replace(place, each) for each in inputs):
            raise UsageError(f"{option} {path} would replace a file that is read; name another")
        seen[place] = option
        check_writable(path)
    for folder in folders:
        if folder is not None:
            check_folder(folder)


def refuse_replacing(paths: Iterable[str | Path], read: Iterable[str]) -> None:
    """Refuse to write files, in a folder that was named, that would replace one that was read.

    >>> refuse_replacing(["pictures/a.svg"], ["responses/a.txt"])
    """
    inputs = [os.path.realpath(path) for path in read if path != STANDARD and os.path.exists(path)]
    for path in paths:
        if any(_would_replace(os.path.realpath(path), each) for each in inputs):
            raise UsageError(f"{path} would replace a file that is read; name another folder")


def _would_replace(output: str, read: str) -> bool:
    """Return whether an output is a file that is read, or stands in a folder that is read."""
    inside = os.path.isdir(read) and output.startswith(read + os.sep) and os.path.exists(output)
    return output == read or inside


def origin(command_line: Sequence[str], read: Sequence[str]) -> Origin:
    """Return the command of a report, and the files that it read."""
    from tellapart.report.html.page import Origin

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


_ITEMS = "  Items that differ: "


def in_colour(stream: TextIO) -> bool:
    """Return whether a stream shows colours to someone who does not refuse them."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def pointers(given: argparse.Namespace, result: Comparison) -> Pointers:
    """Return where to look further; `given` is what the command line said."""
    from tellapart.report.terminal import Pointers

    report = getattr(given, "html", None)
    if report is None and hasattr(given, "html"):
        report = "add --html report.html"
    return Pointers(report, _diff_command(given, result))


def _diff_command(given: argparse.Namespace, result: Comparison) -> str | None:
    """Return the command for the items that the headline is about; None if there is none.

    Long commands go on in another line, as a shell reads them.
    """
    from tellapart.comparison.ranking import headline
    from tellapart.report.terminal_text import WIDTH

    metric = next(iter(result.metrics))
    pair = headline(result, metric)
    untold = result.metrics[metric].kind == "function of units" or given.test == "unpaired"
    if untold or not (pair.units_a_better or pair.units_b_better):
        return None
    if STANDARD in (*given.systems, *given.gold):
        return None
    names = [pair.a, pair.b] if len(result.systems) > 2 else []
    files = map(shlex.quote, [*names, *given.systems])
    lines, start = [_ITEMS], True
    for word in ("tellapart diff", *files, *_options(given)):
        if not start and len(lines[-1]) + 1 + len(word) + 2 > WIDTH:
            lines.append("     ")
        lines[-1] += word if start else f" {word}"
        start = False
    return " \\\n".join(lines).removeprefix(_ITEMS)


def _options(given: argparse.Namespace) -> Iterator[str]:
    """Repeat the options that say what is read, as `diff` takes them."""
    from tellapart.commands import diff

    parser = argparse.ArgumentParser(add_help=False)
    diff.add_input_arguments(parser)
    for action in parser._actions:
        value = getattr(given, action.dest, action.default)
        if not action.option_strings or value == action.default:
            continue
        option = action.option_strings[0]
        if action.nargs == 0:
            yield option
            continue
        if isinstance(value, tuple):
            value = ",".join(value)
        values = value if isinstance(value, list) else [value]
        for each in values[:1] if action.dest == "metric" else values:
            yield option if each is True else f"{option} {shlex.quote(str(each))}"
