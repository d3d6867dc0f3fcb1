"""What verbs write: checked beforehand, traced to the files that were read, and what leads on."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.files import STANDARD, shown
from tellapart.formats.sources import default_name, parse_source, paths_of
from tellapart.options import Output, Writes
from tellapart.read_once import checksums_within, files_opened, is_gone_once_read
from tellapart.words import encodable, plain
from tellapart.writing import (
    Content,
    check_folder,
    check_writable,
    make_folder,
    place_of,
    real_path,
    refuse_replacing,
    write_together,
)

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison
    from tellapart.report.html.page import Origin
    from tellapart.report.terminal import Pointers


FolderContent = Mapping[str, Content]
"""What is in the files of a folder, by their names; they may stand in folders of their own"""


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
        seen: dict[object, str] = {}
        for option, output in self.named.items():
            standard = output.path == STANDARD
            place = STANDARD if standard else place_of(output.path)
            if place in seen:
                what = "be standard output" if standard else f"be written to {output.path}"
                raise UsageError(f"{seen[place]} and {option} cannot both {what}")
            seen[place] = option
            if not output.is_folder:
                check_writable(output.path)
            elif standard:
                raise UsageError(f"{option} needs a folder, and standard output is none; name one")
            else:
                check_folder(output.path)
            refuse_replacing([output.path], self.read, option)
        _refuse_file_as_folder(self.named.values())

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
        owners: dict[object, str] = {}
        for option, output in self.named.items():
            if option not in contents:
                raise UsageError(f"{option} has nothing to write here; drop it")
            made = dict(_files_of(output, contents[option]()))
            for path in made:
                owner = owners.setdefault(place_of(path), f"{option} {path}")
                if owner != f"{option} {path}":
                    raise UsageError(f"{option} {path} would replace {owner}; name another")
            # Readers may have opened more than they were asked to.
            refuse_replacing(made, (*self.read, *files_opened()), option)
            files |= made
        folders = [output.path for output in self.named.values() if output.is_folder]
        for folder in dict.fromkeys(os.path.dirname(path) for path in files):
            if any(Path(folder).is_relative_to(each) for each in folders):
                make_folder(folder)
        write_together(files)


def _files_of(output: Output, content: Content | FolderContent) -> Iterator[tuple[str, Content]]:
    """Yield path and content of each file that an output is."""
    if isinstance(content, Mapping) and not output.is_folder:
        (content,) = content.values()  # the one file of a folder, by the name that was given
    if not isinstance(content, Mapping):
        yield output.path, content
        return
    for name, text in content.items():
        if os.path.isabs(name) or ".." in Path(name).parts or not Path(name).name:
            raise UsageError(f"{output.option} {output.path}: {name!r} is no name of a file in it")
        yield os.path.join(output.path, name), text


def _refuse_file_as_folder(outputs: Collection[Output]) -> None:
    """Refuse a file where another output needs a folder, which may not be there yet."""
    for file in outputs:
        place = Path(real_path(file.path))
        for other in outputs:
            if not file.is_folder and place in Path(real_path(other.path)).parents:
                raise UsageError(
                    f"{file.option} {file.path} is a file, and {other.option} {other.path} needs a "
                    "folder there; name another"
                )


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
    """Return the command of a report, and the files with the checksums of what was read of them."""
    from tellapart.report.html.page import Origin

    checksums: dict[str, str] = {}
    for path in dict.fromkeys(read):
        checksums.update(checksums_within(path))
    command = encodable(shlex.join(["tellapart", *map(_without_folders, command_line)]))
    files = ((os.path.basename(shown(path)), found) for path, found in checksums.items())
    return Origin(command, tuple(files))


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


_ITEMS = "  Items that differ: "


def pointers(given: argparse.Namespace, result: Comparison) -> Pointers:
    """Return where to look further; `given` is what the command line said."""
    from tellapart.report.terminal import Pointers

    report = getattr(given, "html", None)
    if report is None and hasattr(given, "html"):
        report = "add --html report.html"
    return Pointers(report, _diff_command(given, result))


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
    if any(map(is_gone_once_read, paths_of((*given.systems, *given.gold)))):
        return None
    names, files = _pair_files([pair.a, pair.b], result, given.systems)
    words = _diff_words(names, files, given)
    if words is None or any(plain(word) != word or "\n" in word for word in words):
        return None  # what is shown of it would name another file, or none
    lines, start = [_ITEMS], True
    for word in words:
        if not start and len(lines[-1]) + 1 + len(word) + 2 > WIDTH:
            lines.append("     ")
        lines[-1] += word if start else f" {word}"
        start = False
    return " \\\n".join(lines).removeprefix(_ITEMS)


def _pair_files(
    pair: list[str], result: Comparison, given: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the names that `diff` needs and its files: those of the pair, if each has its own."""
    if len(result.systems) == 2:
        return [], list(given)
    own: dict[str, str] = {}
    for each in given:
        source = parse_source(each)
        own[source.name or default_name(source.paths[0])] = each
    if len(given) == len(own) and own.keys() == {system.name for system in result.systems}:
        return [], [own[name] for name in pair]
    return pair, list(given)


def _diff_words(names: list[str], files: list[str], given: argparse.Namespace) -> list[str] | None:
    """Return the command as it is typed, in parts that stay in one line; None if none can be."""
    from tellapart.verbs.diff import systems_and_files

    options = list(_options(given))
    positional = [*names, *files]
    try:
        understood = not names or systems_and_files(positional) == (names, files)
    except UsageError:
        understood = False
    if not understood:  # a name is that of a file, too
        if any(name.startswith("-") for name in names):
            return None
        options.append(f"--pair {shlex.join(names)}")
        positional = files
    quoted = map(shlex.quote, positional)
    if any(word.startswith("-") for word in positional):
        return ["tellapart diff", *options, "--", *quoted]
    return ["tellapart diff", *quoted, *options]


def _options(given: argparse.Namespace) -> Iterator[str]:
    """Repeat the options that say what is read, as `diff` takes them."""
    from tellapart.verbs import diff

    parser = argparse.ArgumentParser(add_help=False)
    diff.add_input_arguments(parser)
    for action in parser._actions:
        value = getattr(given, action.dest, action.default)
        if not action.option_strings or value == action.default:
            continue
        option = action.option_strings[0].rstrip("=")
        if action.nargs == 0:
            if value is True:  # not a file: of another format's option of the same name
                yield option
            continue
        if value is True and action.nargs is None:
            continue
        if isinstance(value, tuple):
            value = ",".join(value)
        values = value if isinstance(value, list) else [value]
        for each in values:
            yield option if each is True else f"{option} {shlex.quote(str(each))}"
