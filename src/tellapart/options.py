"""Options as records: each field of a dataclass says how the command line spells and explains it.

A format, or a comparison, declares what it takes as one frozen dataclass whose fields are made by
`option`. The help text, the parsed command line, keywords in Python and the list of files that are
read all come from that one place.
"""

from __future__ import annotations

import argparse
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tellapart.errors import UsageError
from tellapart.words import nearest

Record = TypeVar("Record")

SCORING: Final = ("compare", "score", "diff", "calibrate", "plan", "watch")
"""The verbs that work out scores of systems"""
READING: Final = (*SCORING, "campaign")
"""The verbs that read systems, which have an option unless it says otherwise"""
OPTIONS_OF_READ: Final = (
    "gold", "form", "metrics", "item", "missing", "weights", "item_labels", "cost", "human",
)  # fmt: skip
"""What reading takes of any format, in Python"""

# What numbers may be: one rule for each, kept by the command line and by Python alike.

_SHOWN: Final = 40  # characters of a number in a message


@dataclass(frozen=True, slots=True)
class Number:
    """What a number must be; called with a text, as argparse does, it returns the number.

    >>> Number(whole=True, least=1)("3")
    3
    >>> Number(least=0, most=1).checked(5, "alpha")
    Traceback (most recent call last):
    tellapart.errors.UsageError: alpha must lie between 0 and 1, not 5.0
    """

    least: float
    most: float = math.inf
    whole: bool = False

    def __call__(self, text: str) -> Any:
        """Return the number that a word of the command line is, or refuse it."""
        try:
            return self.checked(int(text) if self.whole else float(text))
        except ValueError:
            remedy = "; 5 % is written 0.05" if text.endswith("%") else ""
            finding = f"{text[:_SHOWN]!r} is no {self._kind}{remedy}"
            raise argparse.ArgumentTypeError(finding) from None
        except UsageError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    def checked(self, value: Any, name: str = "") -> Any:
        """Return a number of any library as one of Python's, or refuse it."""
        number = self._plain(value)
        if number is None or not self.least <= number <= self.most or abs(number) == math.inf:
            rule = f"be a {self._kind}" if number is None else self._rule
            shown = repr(value if number is None else number)[:_SHOWN]
            raise UsageError(f"{name} must {rule}, not {shown}".strip())
        return number

    @property
    def _kind(self) -> str:
        return "whole number" if self.whole else "number"

    @property
    def _rule(self) -> str:
        # An end such as 1e-9 keeps out 0, which is what people are told.
        low, high = (f"{round(end, 6):,.12g}" for end in (self.least, self.most))
        endless = self.most > 1e15  # as that of seeds, which nobody reaches by a slip
        return f"be at least {low}" if endless else f"lie between {low} and {high}"

    def _plain(self, value: Any) -> int | float | None:
        # A truth value counts as 1, but who gives one means something else.
        if isinstance(value, str) or is_truth(value):
            return None
        try:
            number = operator.index(value) if self.whole else float(value)
            if self.whole and abs(number) > 1e40:  # of which not all is shown
                return math.inf
        except OverflowError:
            return math.inf
        except (TypeError, ValueError):
            return None
        return number if number == number else None  # not one that is no number


def is_truth(value: Any) -> bool:
    """Return whether a value is true or false, as Python or NumPy has it."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


COUNT: Final = Number(whole=True, least=1, most=10**9)
SEED: Final = Number(whole=True, least=0, most=2**128 - 1)
WORKERS: Final = Number(whole=True, least=1, most=1024)
ALPHA: Final = Number(least=1e-9, most=1 - 1e-9)
SHARE: Final = Number(least=0, most=1)
MARGIN: Final = Number(least=1e-12, most=1e12)
SCORE: Final = Number(least=-1e12, most=1e12)


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a record: how the command line spells and explains it, and what it may be."""

    help: str | None
    metavar: str | None = None
    choices: Collection[str] | None = None
    kind: Callable[[str], Any] | None = None
    """How its text becomes a value; by default it stays text"""
    number: Number | None = None
    """What it must be, if it is a number"""
    reads: bool = False
    """Whether it names a file or folder that is read"""
    verbs: tuple[str, ...] = READING
    """The verbs that have it"""
    name: str = ""
    default: Any = None

    @property
    def flag(self) -> str:
        """The spelling on the command line."""
        return "--" + self.name.replace("_", "-")

    def add_to(self, group: argparse._ActionsContainer, **changed: Any) -> None:
        """Declare it to a parser; unless it is given, it leaves no trace in what is parsed."""
        about: dict[str, Any] = {"help": self.help, "default": argparse.SUPPRESS}
        if isinstance(self.default, bool):
            about["action"] = argparse.BooleanOptionalAction if self.default else "store_true"
        else:
            about |= {"metavar": self.metavar, "choices": self.choices}
            about["type"] = self.number or self.kind or str
        group.add_argument(self.flag, **{**about, **changed})

    def checked(self, value: Any) -> Any:
        """Return a value that Python gave, numbers as Python's own; refuse what cannot be."""
        name = self.name
        if value is None and self.default is None:
            return None
        if self.number is not None:
            return self.number.checked(value, name)
        if isinstance(self.default, bool):
            if not is_truth(value):
                raise UsageError(f"{name} is true or false, not {value!r}")
            return bool(value)
        if self.kind is None and not isinstance(value, str | Path):
            raise UsageError(f"{name} is a text, not {value!r}")
        if self.choices is not None and value not in self.choices:
            known = nearest(str(value), list(self.choices))
            raise UsageError(f"there is no {name} {value!r}; {known}")
        return value


def option(default: Any, help: str, **about: Any) -> Any:  # noqa: A002  (argparse's word)
    """Return a dataclass field that is also an option of the command line; see `Option`.

    >>> @dataclass(frozen=True)
    ... class Wanted:
    ...     docids: str | None = option(None, "the documents", metavar="FILE", reads=True)
    >>> [(o.flag, o.reads) for o in options_of(Wanted)]
    [('--docids', True)]
    """
    return field(default=default, metadata={"option": Option(help, **about)})


def input_file(help: str, verbs: tuple[str, ...] = READING) -> Any:  # noqa: A002
    """Return an option that names a file to read, if it is given."""
    return option(None, help, metavar="FILE", reads=True, verbs=verbs)


def output_path(help: str, metavar: str = "FILE") -> Any:  # noqa: A002
    """Return an option of `score` that names a file to write, or a folder (DIR), if it is given."""
    return option(None, help, metavar=metavar, kind=output_kind(metavar), verbs=("score",))


def names_in(text: str) -> list[str]:
    """Return the names in a text, which may hold several between commas.

    >>> names_in("f1, recall")
    ['f1', 'recall']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def names_among(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the names in texts; what is known as a whole may hold commas.

    >>> names_among(["a,b", "c"], ["a,b", "c"]), names_among(["a,b"], ["a", "b"])
    (['a,b', 'c'], ['a', 'b'])
    """
    return [name for text in texts for name in ([text] if text in known else names_in(text))]


class Output(str):
    """The path of a file that is written; what the command line keeps of an option for one."""


class OutputFolder(Output):
    """The path of a folder that is written in."""


def output_kind(metavar: str) -> type[Output]:
    """Return what an option's value becomes that is called DIR, a folder, or FILE."""
    return OutputFolder if metavar == "DIR" else Output


def options_of(record: type[Any], verb: str | None = None) -> Iterator[Option]:
    """Yield the options that a record declares, all or those of one verb."""
    for each in fields(record):
        described: Option = each.metadata["option"]
        if verb is None or verb in described.verbs:
            yield replace(described, name=each.name, default=each.default)


def make_options(record: type[Record], given: Mapping[str, Any], owner: str) -> Record:
    """Return a record of what was given by name; unknown names and values are one sentence.

    >>> @dataclass(frozen=True)
    ... class Wanted:
    ...     scheme: str = option("lenient", "how", choices=("lenient", "strict"))
    >>> make_options(Wanted, {"scheme": "strict"}, "the format 'conll'")
    Wanted(scheme='strict')
    """
    declared = {each.name: each for each in options_of(record, "compare")}
    for name in given:
        if name not in declared:
            known = nearest(name, [*declared, *OPTIONS_OF_READ])
            raise UsageError(f"{owner} has no option {name!r}; {known}")
    return record(**{name: declared[name].checked(value) for name, value in given.items()})


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
        values = list(given)
    except TypeError:  # an array without dimensions says that it can be iterated
        values = [given]
    if not all(isinstance(value, kind) for value in values):
        raise UsageError(f"{name} is a {what}, or a list of {what}s, not {given!r}")
    return values


def files_read(options: Any) -> list[str]:
    """Return the files and folders that the options of a record name to be read."""
    values = ((each, getattr(options, each.name)) for each in options_of(type(options)))
    return [str(path) for each, path in values if each.reads and path is not None]


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of what has none."""
