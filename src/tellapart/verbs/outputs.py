"""What verbs write: checked beforehand, traced to the files that were read, and what leads on."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.console import show
from tellapart.errors import UsageError
from tellapart.files import (
    STANDARD,
    Content,
    check_writable,
    is_stream,
    make_folder,
    refuse_replacing,
    write_together,
)
from tellapart.formats.contract import paths_of
from tellapart.options import Output, OutputFolder, names_in, output_kind
from tellapart.words import encodable, plain

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison


FolderContent = Mapping[str, Content]
"""What is in the files of a folder, by their names"""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a command line asks to be written: the one way by which verbs write files.

    It is made before anything is worked out, and refuses what cannot be written, what would
    replace or join what is read, and two outputs in one place.
    """

    named: Mapping[str, Output]
    """By option"""
    read: tuple[str, ...] = ()
    """All files and folders that are read"""

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for option, output in self.named.items():
            place = STANDARD if output == STANDARD else os.path.realpath(output)
            if place in seen:
                raise UsageError(f"{seen[place]} and {option} cannot both write {output}")
            seen[place] = option
            is_folder = isinstance(output, OutputFolder)
            if is_folder and place == STANDARD:
                raise UsageError(f"{option} needs a folder, not standard output; name one")
            check_writable(output, is_folder=is_folder)
            refuse_replacing([output], self.read, option)

    @property
    def on_standard_output(self) -> bool:
        """Whether an output takes standard output for itself, where else the report would be."""
        return STANDARD in self.named.values()

    def write(
        self, contents: Mapping[str, Callable[[], Content | FolderContent]], report: str = ""
    ) -> None:
        """Make what was asked for, of all that there is by option, and write it.

        Nothing is written before all of it is made, and, if one file cannot be written, none is.
        Then the `report` is printed, unless an output takes standard output for itself.
        """
        files: dict[str, Content] = {}
        for option, output in self.named.items():
            if option not in contents:
                raise UsageError(f"{option} has nothing to write here; drop it")
            content = contents[option]()
            if not isinstance(content, Mapping):
                files[output] = content
                continue
            made = {os.path.join(output, name): text for name, text in content.items()}
            refuse_replacing(made, self.read, option)
            for folder in dict.fromkeys(map(os.path.dirname, made)):
                make_folder(folder)
            files |= made
        write_together(files)
        if not self.on_standard_output:
            show(report)


def add_output(
    group: argparse._ActionsContainer, option: str, about: str, metavar: str = "FILE"
) -> None:
    """Declare an option that names a file to write, or (metavar DIR) a folder to write in."""
    group.add_argument(option, type=output_kind(metavar), metavar=metavar, help=about)


def outputs_of(args: argparse.Namespace, read: Iterable[str | Path]) -> Outputs:
    """Return what a command line asks to be written, given all that it reads."""
    values = ((f"--{name.replace('_', '-')}", value) for name, value in vars(args).items())
    named = {option: value for option, value in values if isinstance(value, Output)}
    return Outputs(named, tuple(map(str, read)))


def shown_command(command_line: Sequence[str]) -> str:
    """Return the command that made a report, for its page."""
    return encodable(shlex.join(["tellapart", *map(_without_folders, command_line)]))


def _without_folders(word: str) -> str:
    """Return a word of a command line with files by their own names.

    A page is sent to others, who need not know where its files were.

    >>> _without_folders("old=/home/ann/secret/a.jsonl,/home/ann/b.jsonl")
    'old=a.jsonl,b.jsonl'
    >>> _without_folders("--html=/tmp/report.html"), _without_folders("accuracy/strict")
    ('--html=report.html', 'accuracy/strict')
    >>> _without_folders("/home/ann/logs/")
    'logs'
    """
    name, equals, value = word.rpartition("=")
    paths = [path.rstrip("/") for path in value.split(",")]
    are_paths = any(os.path.isabs(each) or os.path.isdir(os.path.dirname(each)) for each in paths)
    return f"{name}{equals}{','.join(map(os.path.basename, paths))}" if are_paths else word


def pointers(given: argparse.Namespace, result: Comparison) -> list[str]:
    """Return lines on where to look further; `given` is what the command line said."""
    lines = [f"Full report: {given.html or 'add --html report.html'}"]
    command = _diff_command(given, result)
    return lines if command is None else [*lines, f"Items that differ: {command}"]


def _diff_command(given: argparse.Namespace, result: Comparison) -> str | None:
    """Return the command for the items that the headline is about; None if none can be shown."""
    from tellapart.comparison.answers import headline

    if not result.pairs:
        return None
    pair = headline(result, next(iter(result.metrics)))
    untold = given.test == "unpaired" or given.baseline_dir is not None  # one is in no file
    untold |= not (pair.items_a_better or pair.items_b_better) or "," in pair.a + pair.b
    untold |= pair.a.startswith("-")  # it would be taken for an option
    if untold or any(map(is_stream, paths_of((*given.files, *given.gold)))):
        return None
    alone = len(result.systems) == 2 and not given.systems
    systems = [] if alone else ["--systems", f"{pair.a},{pair.b}"]
    command = shlex.join(["tellapart", "diff", *given.files, *systems, *_reading_options(given)])
    # What is not printed as it is would name another file.
    return command if plain(command) == command and "\n" not in command else None


def _reading_options(given: argparse.Namespace) -> Iterator[str]:
    """Repeat the options that say what is read, as `diff` takes them."""
    from tellapart.verbs import inputs

    parser = argparse.ArgumentParser(add_help=False)
    inputs.add_arguments(parser, "diff")
    inputs.add_direction(parser)
    if given.form is not None:
        inputs.add_format_options(parser, given.form, "diff")
    for action in parser._actions:
        value = getattr(given, action.dest, action.default)
        if not action.option_strings or value == action.default or action.dest == "systems":
            continue
        value = ",".join(value) if action.type is names_in else value
        for text in value if isinstance(value, list) else [value]:
            yield action.option_strings[0]
            yield from [] if text is True else [str(text)]
