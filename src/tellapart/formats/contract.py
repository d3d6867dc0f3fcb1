"""The contract of a format: `Format`, what it is given to read, and what it returns.

A `Format` is all that the rest of the package knows of a kind of files: its names for `--as`, its
options, how it recognises a file, how files become `Counts`, and, where it has them, its own report
and its findings about files that are not well formed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import DataError, Finding, Notice
from tellapart.formats.sources import paths_of
from tellapart.options import NoOptions, files_read
from tellapart.progress import Progress, no_progress

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts
    from tellapart.formats.head import Head


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
    """Whether a file, by how it begins, is a gold file of this format"""
    recognises_lines: Callable[[Head], bool] | None = None
    """Whether lines that look like no format may be of this one, being held against a gold file"""
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
