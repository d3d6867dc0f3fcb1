"""`log_format`: the format of an evaluation harness, from how its files look and are read.

To add a harness, say in `recognition` how its files begin, declare its `FORMAT` by `log_format` in
a module `…_format`, read files as `Log` objects in a module with the functions of `Reader`, and
name the format in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import Head
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts


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
    reader: Callable[[], Reader],
    recognises: Callable[[Head], bool],
    refuses: Callable[[Head], DataError | None],
) -> Format:
    """Return the format of a harness: `files` are what it writes, `reader` loads what reads them.

    >>> from tellapart.formats.logs.inspect_format import FORMAT
    >>> FORMAT.name, FORMAT.about
    ('inspect', 'logs of Inspect, `.eval` or `.json`')
    """

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
