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

    def findings(self, sources: Sequence[str]) -> Iterable[Finding]:
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
        from tellapart.metrics.passes import is_pass

        values = [name for name in sources.metrics if not is_pass(name)]
        counts = reader().read_logs(
            sources.systems, metrics=values or None, missing=sources.missing or "error"
        )
        return _scored_as_named(counts, sources.metrics) if sources.metrics else counts

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        refuses=refuses,
        check=lambda path, _: reader().read_log(path),
        read=read,
        findings=lambda sources, _, __: reader().findings(sources),
    )


def _scored_as_named(counts: Counts, named: Sequence[str]) -> Counts:
    """Return counts that carry the metrics that were named: values by their columns, passes."""
    from tellapart.metrics import metric
    from tellapart.metrics.passes import is_pass, with_passes

    passes = [name for name in named if is_pass(name)]
    values = counts.columns if len(passes) < len(named) else ()
    counts = with_passes(counts, passes)
    metrics = tuple(metric(name, counts.columns, items=True) for name in (*values, *passes))
    return replace(counts, metrics=metrics)
