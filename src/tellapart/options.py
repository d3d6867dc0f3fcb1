"""Options as records: each field of a dataclass says how the command line spells and explains it.

A format, a verb or a test declares what it takes as one frozen dataclass whose fields are made by
`option`. The help text, the parsed command line, keywords in Python, the list of files that are
read and the check that none of them is overwritten all come from that one place.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, get_args, get_type_hints

from tellapart.errors import UsageError
from tellapart.limits import Number, is_truth
from tellapart.words import most_alike, nearest

Record = TypeVar("Record")

SCORING: Final = ("compare", "score", "diff", "calibrate", "plan", "watch")
"""The verbs that work out scores of systems"""
READING: Final = (*SCORING, "campaign")
"""The verbs that read systems, which have an option unless it says otherwise"""
COMMON: Final = ("system", "columns", "labels", "condition")
"""Options of tables that every verb has, since tables need no `--as`"""
OPTIONS_OF_READ: Final = ("gold", "form", "metrics", "item", "missing", "weights", "item_labels")
"""What reading takes of any format, in Python"""


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line spells and explains one field."""

    help: str | None
    metavar: str | None = None
    choices: Collection[str] | None = None
    kind: Callable[[str], Any] | None = None
    """How its text becomes a value; by default it stays text"""
    number: Number | None = None
    """What it must be, if it is a number"""
    reads: bool = False
    """Whether it names a file or folder that is read"""
    writes: bool = False
    """Whether it names a file or folder that is written"""
    verbs: tuple[str, ...] = READING
    """The verbs that have it"""

    def parser(self, flag: str) -> Callable[[str], Any]:
        """Return what makes a value of its text, which the option's name goes before."""
        if self.number is not None:
            return partial(self.number.parsed, name=flag)
        return self.kind or str


def option(
    default: Any,
    help: str,  # noqa: A002  (argparse's word)
    *,
    metavar: str | None = None,
    choices: Collection[str] | None = None,
    kind: Callable[[str], Any] | None = None,
    number: Number | None = None,
    reads: bool = False,
    writes: bool = False,
    verbs: tuple[str, ...] = READING,
) -> Any:
    """Return a dataclass field that is also an option of the command line.

    >>> @dataclass(frozen=True)
    ... class Wanted:
    ...     docids: str | None = option(None, "the documents", metavar="FILE", reads=True)
    >>> [(o.flag, o.option.reads) for o in options_of(Wanted)]
    [('--docids', True)]
    """
    described = Option(help, metavar, choices, kind, number, reads, writes, verbs)
    return field(default=default, metadata={"option": described})


def input_file(help: str, verbs: tuple[str, ...] = READING) -> Any:  # noqa: A002
    """Return an option that names a file to read, if it is given."""
    return option(None, help, metavar="FILE", reads=True, verbs=verbs)


def output_path(
    help: str,  # noqa: A002
    metavar: str = "FILE",
    verbs: tuple[str, ...] = ("score",),
) -> Any:
    """Return an option that names a file to write, or a folder (DIR), if it is given."""
    return option(None, help, metavar=metavar, writes=True, verbs=verbs)


@dataclass(frozen=True, slots=True)
class Output:
    """A file or folder that a command line names to be written, and the option that does."""

    option: str
    path: str
    is_folder: bool


class Writes(argparse.Action):
    """The action of every option that names an output: `args.outputs` has them all, by option.

    DIR is a folder, FILE a file, and PATH the one or the other: a file if it ends in .svg.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--svg", action=Writes, metavar="DIR")
    >>> parser.parse_args(["--svg", "pictures"]).outputs["--svg"]
    Output(option='--svg', path='pictures', is_folder=True)
    """

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any
    ) -> None:
        """Keep the path, and note that it is an output."""
        if not values:
            parser.error(f"argument {self.option_strings[0]}: the name is empty")
        setattr(namespace, self.dest, values)
        option = self.option_strings[0]
        picture = values.lower().endswith(".svg")
        is_folder = self.metavar == "DIR" or (self.metavar == "PATH" and not picture)
        output = Output(option, values, is_folder)
        namespace.outputs = {**getattr(namespace, "outputs", {}), option: output}


@dataclass(frozen=True, slots=True)
class Declared:
    """One option as its record declares it."""

    name: str
    default: Any
    option: Option
    is_flag: bool

    @property
    def flag(self) -> str:
        """The spelling on the command line."""
        return "--" + self.name.replace("_", "-")


_known_kinds: Final[dict[type[Any], dict[str, Any]]] = {}


def _kinds(record: type[Any]) -> dict[str, Any]:
    """Return the types of a record's fields, which are worked out from text: once is enough."""
    if record not in _known_kinds:
        _known_kinds[record] = get_type_hints(record)
    return _known_kinds[record]


def options_of(record: type[Any], verb: str | None = None) -> Iterator[Declared]:
    """Yield the options that a record declares, all or those of one verb."""
    kinds = _kinds(record)
    for each in fields(record):
        described: Option = each.metadata["option"]
        if verb is None or verb in described.verbs:
            yield Declared(each.name, each.default, described, kinds[each.name] is bool)


def add_options(group: argparse._ArgumentGroup, record: type[Any], owner: str, verb: str) -> None:
    """Declare the options of a record to a parser; those that are not given leave no trace."""
    for each in options_of(record, verb):
        if each.name in COMMON:
            continue
        if each.flag in group._option_string_actions:
            raise UsageError(
                f"{owner} declares {each.flag}, which every `{verb}` has; its author should "
                "choose another name"
            )
        if each.is_flag:
            group.add_argument(each.flag, action="store_true", default=argparse.SUPPRESS,
                               help=each.option.help)  # fmt: skip
        else:
            group.add_argument(
                each.flag,
                default=argparse.SUPPRESS,
                help=each.option.help,
                metavar=each.option.metavar,
                choices=each.option.choices,
                type=each.option.parser(each.flag),
                action=Writes if each.option.writes else "store",
            )


def make_options(
    record: type[Record], given: Mapping[str, Any], owner: str, verb: str = "compare"
) -> Record:
    """Return a record of what was given by name; unknown names and values are one sentence.

    >>> @dataclass(frozen=True)
    ... class Wanted:
    ...     scheme: str = option("lenient", "how", choices=("lenient", "strict"))
    >>> make_options(Wanted, {"scheme": "strict"}, "the format 'conll'")
    Wanted(scheme='strict')
    """
    declared = {each.name: each for each in options_of(record, verb)}
    for name in given:
        if name not in declared:
            meant = most_alike(name, [*declared, *OPTIONS_OF_READ])
            known = nearest(name, list(declared)) if declared else "it has none"
            if meant in OPTIONS_OF_READ:
                known = f"did you mean {meant!r}?"
            raise UsageError(f"{owner} has no option {name!r}; {known}")
    return record(**checked_values(record, given))


def checked_values(record: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for fields of a record, numbers as Python's own; refuse those that cannot be.

    >>> @dataclass(frozen=True)
    ... class Wanted:
    ...     order: int = option(4, "longest n-grams", number=Number(whole=True, least=1))
    >>> checked_values(Wanted, {"order": 0})
    Traceback (most recent call last):
    tellapart.errors.UsageError: order must be at least 1, not 0
    """
    kinds = _kinds(record)
    declared = {each.name: each for each in options_of(record)}
    found = {}
    for name, value in given.items():
        known = declared[name]
        if known.option.number is not None and (value is not None or known.default is not None):
            found[name] = known.option.number.checked(value, name)
            continue
        value = bool(value) if is_truth(value) else value
        _check_kind(name, value, kinds[name])
        choices = known.option.choices
        if choices is not None and value is not None and value not in choices:
            raise UsageError(f"there is no {name} {value!r}; {nearest(str(value), list(choices))}")
        found[name] = value
    return found


def _check_kind(name: str, value: Any, hint: Any) -> None:
    """Refuse a value of another kind than its field, such as a text for a truth value."""
    kinds = get_args(hint) or (hint,)
    fits = {
        bool: isinstance(value, bool),
        int: isinstance(value, int) and not isinstance(value, bool),
        float: isinstance(value, int | float) and not isinstance(value, bool),
        str: isinstance(value, str | Path),
        type(None): value is None,
    }
    named = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    plain = [kind for kind in kinds if kind in named]
    if plain and not any(fits.get(kind, True) for kind in kinds):
        raise UsageError(f"{name} is {named[plain[0]]}, not {value!r}")


def one_or_several(given: Any, kind: Any, name: str, what: str) -> list[Any]:
    """Return the list of what Python gave under a name: None, one value of a kind, or several.

    >>> one_or_several("topic", str, "by", "label"), one_or_several(None, str, "by", "label")
    (['topic'], [])
    >>> one_or_several(5, str, "by", "label")
    Traceback (most recent call last):
    tellapart.errors.UsageError: by is a label, or a list of labels, not 5
    """
    if given is None or isinstance(given, kind):
        return [] if given is None else [given]
    try:
        found = list(given)
    except TypeError:  # an array without dimensions says that it can be iterated
        found = [given]
    if not all(isinstance(each, kind) for each in found):
        raise UsageError(f"{name} is a {what}, or a list of {what}s, not {given!r}")
    return found


def files_read(options: Any) -> list[str]:
    """Return the files and folders that the options of a record name to be read."""
    values = ((each, getattr(options, each.name)) for each in options_of(type(options)))
    return [str(path) for each, path in values if each.option.reads and path is not None]


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of what has none."""
