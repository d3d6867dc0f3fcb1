"""The contract of a format: `Format`, what it is given to read, and what it returns.

A `Format` is all that the rest of the package knows of a kind of files: its names for `--as`, its
options, how it recognises a file, how files become `Counts`, and, where it has them, its own report
and its findings about files that are not well formed. What is read, and how users name systems and
their runs, is the same for all of them.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.console import Progress, no_progress
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.options import NoOptions, files_read
from tellapart.words import encodable

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts
    from tellapart.formats.head import Head
    from tellapart.metrics import Metric


WEIGHTS: Final = ("items", "tasks", "groups")
"""What may count the same in an overall score of tasks: every item, task, or group of tasks"""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is to be read: the files, and what every format may be asked for."""

    systems: tuple[str | Path, ...]
    """As users name them: `path`, `NAME=path`, `NAME=run1,run2`"""
    gold: tuple[str | Path, ...] = ()
    metrics: tuple[str, ...] = ()
    """The scores to be read or worked out, by name; none: those that the format has by default.

    Counts that carry metrics carry these, or the default where none is named.
    """
    costs: tuple[str, ...] = ()
    """What systems spend, by name: read beside what a format has by default"""
    item: str | None = None
    """What an item is: a column of a table, or a word of the task"""
    missing: str | None = None
    """What becomes of items that a system lacks: error, zero, drop, or own (each has its own)"""
    weights: str | None = None
    """Of several tasks, what counts the same in the overall score: items, tasks or groups; None:
    as the harness has it"""
    form: str | None = None
    """What `--as` named; None where the format was told from the content"""
    item_labels: tuple[str | Path, ...] = ()
    """Tables with labels of the items; `formats.reading` adds them to what a format reads"""
    where: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By label the values that are wanted, for readers that choose rows before they pair them"""
    only: tuple[str, ...] = ()
    """Names of the systems that are wanted, several between commas; none: all"""
    human: tuple[str, ...] = ()
    """What holds people's scores beside a judge's: a value in the files, or files of their own"""
    progress: Progress = no_progress

    def files(self, options: Any) -> list[str]:
        """Return all files and folders that are read: also those that a format's options name."""
        systems = paths_of((*self.systems, *self.human_files))
        return [*systems, *map(str, (*self.gold, *self.item_labels)), *files_read(options)]

    @property
    def human_files(self) -> tuple[str, ...]:
        """What people's scores are read from, if these are files and not the name of a value."""
        paths = paths_of(self.human)
        folders = {path for path in paths if os.sep in path and os.path.isdir(path)}
        lost = [path for path in paths if not os.path.isfile(path) and path not in folders]
        if paths and 0 < len(lost) < len(paths):
            raise DataError(f"{', '.join(lost)}: there is no such file of people's scores")
        return () if lost else self.human


@dataclass(frozen=True, slots=True)
class SystemReport:
    """One system's scores, and what the task's own report says of it."""

    name: str
    scores: dict[str, float]
    counts: dict[str, float]
    report: dict[str, Any] = field(default_factory=dict)
    text: str | None = None
    """The report in the task's own layout, where there is one"""


@dataclass(frozen=True, slots=True)
class Report:
    """What `score` prints and writes: plain data, laid out by the format, written by the verb."""

    systems: tuple[SystemReport, ...]
    notices: tuple[Notice, ...] = ()
    files: Mapping[str, Any] = field(default_factory=dict)
    """By the option that names it: the text of a file; or of a folder, texts by name"""


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of files: how it is named, recognised, read, reported and checked.

    >>> from tellapart.formats.head import Head
    >>> from tellapart.formats.registry import format_of
    >>> format_of("nuggets").recognises(Head("x", b"#BeginOfDocument d1", whole=True))
    True
    """

    names: tuple[str, ...]
    """What `--as` takes for it"""
    about: str
    """What it is, in a line"""
    recognises: Callable[[Head], bool]
    """Whether a file, by how it begins, is a system's output of this format"""
    read: Callable[[Sources, Any], Counts]
    """Files become counts, with the metrics to score by, labels, texts and notices"""
    options: type[Any] = NoOptions
    """A record whose fields are made by `tellapart.options.option`"""
    units: tuple[str, ...] = ()
    """What `--unit` takes: what an item may be instead of the usual"""
    missing: str | None = "error"
    """What becomes of missing items where nobody says so; None: the reader decides"""
    recognises_gold: Callable[[Head], bool] | None = None
    """Whether a file, by how it begins, is a gold file of this format; None: it has none"""
    item_column: bool = False
    """Whether what an item is may be a column of the files, by its name"""
    refuses: Callable[[Head], DataError | None] | None = None
    """Why a file of this kind cannot be read as a system's output, such as totals without items"""
    folders: bool = False
    """Whether a folder may be given, whose files are then told by what is in them"""
    report: Callable[[Sources, Any], Report] | None = None
    """The task's own report; without it, scores are printed as a table"""
    findings: Callable[[Sequence[str], Sequence[str], Any], Iterable[Finding]] | None = None
    """All that is wrong with files, given the gold files and the options"""
    selections: Callable[[Sources, Any], SelectionCounts] | None = None
    """Parts of the answers that were chosen by a file, each to be compared with the rest"""

    @property
    def name(self) -> str:
        """The first of its names."""
        return self.names[0]

    def check(self, sources: Sources) -> None:
        """Refuse what files of this format have no use for: gold files, items of another kind."""
        if sources.gold and self.recognises_gold is None:
            raise UsageError(
                f"these files are read as {self.name}, and need no --gold; --as names another "
                "format"
            )
        if sources.item not in (None, *self.units) and not self.item_column:
            raise UsageError(
                f"the items of {self.name} are its own, not {sources.item!r}; --cluster LABEL "
                "joins them"
            )


def when_called(place: str) -> Callable[..., Any]:
    """Return a function of a reader, `module:name`, which is loaded when it is called."""
    module, name = place.split(":")

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(f"tellapart.formats.{module}"), name)(*given, **named)

    return call


# Scores straight from counts: the report of formats that have none of their own


def plain_report(
    counts: Counts,
    metrics: Sequence[str | Metric] = (),
    more: Callable[[SystemReport], Mapping[str, Any]] = lambda _: {},
) -> Report:
    """Return each system's scores by the metrics, the sums of its columns, and what is `more`.

    >>> from tellapart.counts import Counts
    >>> report = plain_report(Counts.from_arrays({"A": [1, 0, 1, 1]}))
    >>> report.systems[0].scores, report.systems[0].counts
    ({'mean': 0.75}, {'score': 3})
    """
    from tellapart.metrics.runs import with_passes
    from tellapart.metrics.scores import metrics_of, score_counts

    counts = with_passes(counts, metrics)
    scored = [
        score_counts(counts.with_values(metric.columns), metric)
        for metric in metrics_of(counts, list(metrics) or None)
    ]
    totals = counts.summed()
    systems = (
        SystemReport(
            name,
            {scores.name: float(scores.exact_score(k)) for scores in scored},
            {
                column: _number(int(totals[k, c]), counts.scales[c])
                for c, column in enumerate(counts.columns)
            },
        )
        for k, name in enumerate(counts.names)
    )
    return Report(tuple(replace(system, **more(system)) for system in systems), counts.notices)


def _number(total: int, scale: int) -> float:
    return total // scale if total % scale == 0 else total / scale


# Systems and their runs: `path`, `NAME=path`, `NAME=run1,run2` or `NAME=runs/*.csv`


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one argument, one per run, and the name that was given to the system."""

    paths: tuple[str, ...]
    name: str | None = None


def parse_source(text: str | Path) -> Source:
    """Return the name and the files of an argument; a file that has just that name comes first.

    Patterns after `NAME=`, which no shell expands, are the files that fit them.

    >>> parse_source("GE=runs/1.csv,runs/2.csv")
    Source(paths=('runs/1.csv', 'runs/2.csv'), name='GE')
    >>> parse_source("uedin.4722.txt.gz")
    Source(paths=('uedin.4722.txt.gz',), name=None)
    """
    whole = str(text)
    name, equals, rest = whole.partition("=")
    if isinstance(text, Path) or not equals or os.path.exists(whole):
        return Source((whole,))
    given = [rest] if os.path.exists(rest) else rest.split(",")
    if not name.strip() or not all(given):
        raise UsageError(f"{whole!r} does not name a system and its files; write NAME=path")
    paths = tuple(path for each in given for path in expanded(each))
    places = [path if path == STANDARD else os.path.realpath(path) for path in paths]
    for k, place in enumerate(places):
        if place in places[:k]:  # it would be weighed twice, and look like no spread
            raise UsageError(f"{shown(paths[k])}: this file is given twice as a run of {name}")
    return Source(paths, encodable(name))


def paths_of(sources: Iterable[str | Path]) -> list[str]:
    """Return the files of all arguments, one after the other.

    >>> paths_of(["GE=runs/1.csv,runs/2.csv", "old.csv"])
    ['runs/1.csv', 'runs/2.csv', 'old.csv']
    """
    return [path for each in sources for path in parse_source(each).paths]


def expanded(path: str) -> list[str]:
    """Return the files that fit a pattern, in order; what is a file, or no pattern, is itself."""
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise DataError(f"no file fits the pattern {path!r}; check the folder")
    return found


def default_name(path: str) -> str:
    """Return the name of a system that has none but its file's, without `.gz` and a suffix.

    >>> default_name("runs/uedin.4722.txt.gz")
    'uedin.4722'
    """
    if path == STANDARD:
        return "stdin"
    stem = Path(unpacked_name(Path(path).name)).stem
    return encodable(stem) if stem.strip() else "unnamed"


def system_files(systems: Sequence[str | Path]) -> dict[str, tuple[str, ...]]:
    """Return the files of each system by its name.

    >>> system_files(["runs/old.txt", "new=1.txt,2.txt"])
    {'old': ('runs/old.txt',), 'new': ('1.txt', '2.txt')}
    """
    files: dict[str, tuple[str, ...]] = {}
    for text in systems:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in files:
            raise called_twice(name, source.paths[0], files[name][0])
        files[name] = source.paths
    return files


def called_twice(name: str, path: str, other: str) -> DataError:
    """Return the refusal of a second system of the same name.

    >>> str(called_twice("x", "b", "a"))
    "b: a system called 'x' is already there, from a; write another NAME=path, or x=a,b for runs"
    """
    here, there = shown(path), shown(other)
    remedy = f"write another NAME=path, or {name}={there},{here} for runs"
    return DataError(f"{here}: a system called {name!r} is already there, from {there}; {remedy}")


def run_name(system: str, run: int | str) -> str:
    """Return the name of one of several runs of a system.

    >>> run_name("new", 2)
    'new (run 2)'
    """
    return f"{system} (run {run})"


def run_names(files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a name for every file: the system, and which run it is where there are several.

    >>> run_names({"old": ["a"], "new": ["b", "c"]})
    ['old', 'new (run 1)', 'new (run 2)']
    """
    return [
        run_name(name, k) if len(paths) > 1 else name
        for name, paths in files.items()
        for k in range(1, len(paths) + 1)
    ]
