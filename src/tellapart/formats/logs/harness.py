"""What the formats of all evaluation harnesses share.

To add a harness, say how its files begin in a module `…_format`, whose `FORMAT` is made by
`log_format`; read them as `Log` objects in a module with the functions of `Reader`; and name both
in `NAMES` below and in the registry of formats.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.logs.totals import TotalsError, looks_like_totals
from tellapart.formats.registry import Format, Sources, format_of
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts

NAMES: Final = {"inspect": "an Inspect log", "lm-eval": "a samples file of lm-eval"}
"""By the name of its format, what one file of a harness is called"""


class Reader(Protocol):
    """What the module that reads the files of a harness has."""

    def read_logs(
        self, sources: Sequence[str | Path], *, metrics: Sequence[str] | None, missing: str
    ) -> Counts:
        """Return the scores of systems as counts."""

    def read_log(self, path: str) -> object:
        """Read one file by itself; raise what is wrong with it."""

    def findings(self, paths: Sequence[str]) -> Iterable[Finding]:
        """Return all that is wrong with files."""


def log_format(
    name: str,
    about: str,
    *,
    files: str,
    module: str,
    recognises: Callable[[Head], bool],
    refuses: Callable[[Head], DataError | None],
) -> Format:
    """Return the format of a harness; `files` are what it writes, `module` is that of its reader.

    >>> from tellapart.formats.logs.inspect_format import FORMAT
    >>> FORMAT.name, FORMAT.about
    ('inspect', 'logs of Inspect, `.eval` or `.json`')
    """

    def reader() -> Reader:  # loaded when it is needed: it takes numpy along
        return cast(Reader, importlib.import_module(f"tellapart.formats.logs.{module}"))

    def read(sources: Sources, _: NoOptions) -> Counts:
        if sources.gold:
            raise UsageError(f"{files} hold scores, and need no --gold; leave it out")
        if sources.item is not None:
            raise UsageError(
                f"the items of {files} are items; --cluster LABEL joins those that belong"
            )
        counts = reader().read_logs(
            sources.systems, metrics=sources.metrics or None, missing=sources.missing or "error"
        )
        return _scored_as_named(counts) if sources.metrics else counts

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        refuses=refuses,
        check=lambda path, _: reader().read_log(path),
        read=read,
        findings=lambda paths, _, __: reader().findings(paths),
    )


def _scored_as_named(counts: Counts) -> Counts:
    """Return counts that carry the metrics that were named, one for each column."""
    from tellapart.metrics import metric

    metrics = tuple(metric(name, counts.columns, items=True) for name in counts.columns)
    return replace(counts, metrics=metrics)


def refuse_other_files(path: str, own: str) -> None:
    """Refuse a file that holds only totals, or that is evidently of another harness."""
    if path == STANDARD:
        return
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise TotalsError(totals)
    if not format_of(own).recognises(head):
        for name, kind in NAMES.items():
            if name != own and format_of(name).recognises(head):
                raise DataError(
                    f"{shown(path)}: this is {kind}, not {NAMES[own]}; give files of one format"
                )
