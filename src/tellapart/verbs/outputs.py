"""What verbs write: checked beforehand, traced to the files that were read, and what leads on."""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.files import (
    STANDARD,
    Content,
    check_folder,
    check_writable,
    is_stream,
    make_folder,
    open_bytes,
    refuse_replacing,
    shown,
    write_together,
)
from tellapart.formats.sources import default_name, parse_source, paths_of
from tellapart.options import Output, Writes
from tellapart.words import encodable, plain

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison
    from tellapart.report.html.page import Origin
    from tellapart.report.terminal import Pointers


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
            place = STANDARD if output.path == STANDARD else os.path.realpath(output.path)
            if place in seen:
                raise UsageError(f"{seen[place]} and {option} cannot both write {output.path}")
            seen[place] = option
            if output.is_folder and place == STANDARD:
                raise UsageError(f"{option} needs a folder, and standard output is none; name one")
            (check_folder if output.is_folder else check_writable)(output.path)
            refuse_replacing([output.path], self.read, option)

    def __contains__(self, option: object) -> bool:
        """Return whether an output was asked for, by its option."""
        return option in self.named

    @property
    def on_standard_output(self) -> bool:
        """Whether an output takes standard output for itself, where else the report would be."""
        return any(output.path == STANDARD for output in self.named.values())

    def write(self, contents: Mapping[str, Callable[[], Content | FolderContent]]) -> None:
        """Make what was asked for, of all that there is by option, and write it.

        Nothing is written before all of it is made, and, if one file cannot be written, none is.
        """
        files: dict[str, Content] = {}
        for option, output in self.named.items():
            if option not in contents:
                raise UsageError(f"{option} has nothing to write here; drop it")
            content = contents[option]()
            if isinstance(content, Mapping) and not output.is_folder:
                (content,) = content.values()  # the one file, by the name that was given
            if isinstance(content, Mapping):
                made = {os.path.join(output.path, name): text for name, text in content.items()}
            else:
                made = {output.path: content}
            refuse_replacing(made, self.read, option)
            files |= made
        folders = [output.path for output in self.named.values() if output.is_folder]
        for folder in dict.fromkeys(os.path.dirname(path) for path in files):
            if any(Path(folder).is_relative_to(each) for each in folders):
                make_folder(folder)
        write_together(files)


def add_output(
    group: argparse._ActionsContainer,
    option: str,
    help: str,  # noqa: A002  (argparse's word)
    metavar: str = "FILE",
    *,
    required: bool = False,
) -> None:
    """Declare an option that names a file to write, or (metavar DIR) a folder to write in."""
    group.add_argument(option, action=Writes, metavar=metavar, help=help, required=required)


def outputs_of(args: argparse.Namespace, read: Iterable[str | Path]) -> Outputs:
    """Return what a command line asks to be written, given all that it reads."""
    return Outputs(getattr(args, "outputs", {}), tuple(map(str, read)))


def origin(command_line: Sequence[str], read: Sequence[str]) -> Origin:
    """Return the command of a report, and the files that were read, with their checksums."""
    from tellapart.report.html.page import Origin

    command = encodable(shlex.join(["tellapart", *map(_without_folders, command_line)]))
    files = (path for path in dict.fromkeys(read) if _is_file(path))
    return Origin(command, tuple((os.path.basename(shown(path)), _sha256(path)) for path in files))


def _is_file(path: str) -> bool:
    """Return whether this is a file or standard input, not a folder or the name of a design."""
    return path == "-" or (os.path.exists(path) and not os.path.isdir(path))


def _sha256(path: str) -> str:
    with open_bytes(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _without_folders(word: str) -> str:
    """Return a word of a command line with files and folders by their own names.

    A page is sent to others, who need not know where its files were.

    >>> _without_folders("old=/home/ann/secret/a.jsonl,/home/ann/b.jsonl")
    'old=a.jsonl,b.jsonl'
    >>> _without_folders("--html=/tmp/report.html"), _without_folders("accuracy/strict")
    ('--html=report.html', 'accuracy/strict')
    """
    name, equals, value = word.rpartition("=")
    parts = (_base_name(part) for part in value.split(","))
    return f"{name}{equals}{','.join(parts)}"


def _base_name(path: str) -> str:
    placed = os.path.isabs(path) or os.path.exists(path) or path.startswith(("./", "../", "~"))
    placed = placed or os.path.isdir(os.path.dirname(path) or os.devnull)
    return os.path.basename(path.rstrip("/")) or path if placed else path


def pointers(given: argparse.Namespace, result: Comparison) -> Pointers:
    """Return where to look further; `given` is what the command line said."""
    from tellapart.report.terminal import Pointers

    report = getattr(given, "html", None)
    if report is None and hasattr(given, "html"):
        report = "add --html report.html"
    return Pointers(report, _diff_command(given, result))


_ITEMS = "  Items that differ: "


def _diff_command(given: argparse.Namespace, result: Comparison) -> str | None:
    """Return the command for the items that the headline is about; None if none can be shown.

    Long commands go on in another line, as a shell reads them.
    """
    from tellapart.comparison.ranking import headline
    from tellapart.report.text import WIDTH

    metric = next(iter(result.metrics))
    pair = headline(result, metric)
    untold = result.metrics[metric].kind == "function of items" or given.test == "unpaired"
    untold |= getattr(given, "baseline_dir", None) is not None  # one system is in no file
    if untold or not (pair.items_a_better or pair.items_b_better):
        return None
    if any(map(is_stream, paths_of((*given.files, *given.gold)))):
        return None
    words = ["tellapart diff", *_diff_words([pair.a, pair.b], result, given)]
    if any(plain(word) != word or "\n" in word for word in words):
        return None  # what is shown of it would name another file, or none
    if any(name.startswith("-") for name in (pair.a, pair.b, *given.files)):
        return None  # it would be taken for an option
    lines = [_ITEMS + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) + 2 > WIDTH:
            lines.append("     ")
        lines[-1] += f" {word}"
    return " \\\n".join(lines).removeprefix(_ITEMS)


def _diff_words(pair: list[str], result: Comparison, given: argparse.Namespace) -> Iterator[str]:
    """Yield files and options of `diff`, in parts that stay in one line."""
    own = {}
    for each in given.files:
        source = parse_source(each)
        own[source.name or default_name(source.paths[0])] = each
    by_file = len(given.files) == len(own) and own.keys() == {each.name for each in result.systems}
    two = len(result.systems) == 2 and not given.systems
    files = [own[name] for name in pair] if by_file and not two else given.files
    yield from map(shlex.quote, files)
    if not two and not by_file:
        systems = [",".join(pair)] if not any("," in name for name in pair) else pair
        yield from (f"--systems {shlex.quote(each)}" for each in systems)
    yield from _options(given)


def _options(given: argparse.Namespace) -> Iterator[str]:
    """Repeat the options that say what is read, as `diff` takes them."""
    from tellapart.verbs import diff, inputs

    parser = argparse.ArgumentParser(add_help=False)
    diff.add_input_arguments(parser)
    if given.form is not None:
        inputs.add_format_options(parser, given.form, "diff")
    for action in parser._actions:
        value = getattr(given, action.dest, action.default)
        if not action.option_strings or value == action.default or action.dest == "systems":
            continue
        option = action.option_strings[0]
        if isinstance(value, tuple):
            value = ",".join(value)
        for each in value if isinstance(value, list) else [value]:
            yield option if each is True else f"{option} {shlex.quote(str(each))}"
