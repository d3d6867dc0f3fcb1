"""`--as inspect`: logs of Inspect, `.eval` or `.json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, Notice
from tellapart.formats.head import Head
from tellapart.formats.logs.detection import looks_like_inspect
from tellapart.formats.logs.options import refuse_unused, scored_as_asked
from tellapart.formats.registry import Format, Sources
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts


def _refuses(head: Head) -> DataError | None:
    if head.is_folder and any(Path(head.path).glob("*.eval")):
        return DataError(f"{head.path}: this is a folder of Inspect logs; give {head.path}/*.eval")
    return None


def _check(path: str, _: Head) -> object:
    from tellapart.formats.logs.inspect_files import read_log

    return read_log(path)


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Read logs; a notice names the clusters that they declare."""
    from tellapart.formats.logs.inspect_reader import read_inspect_logs

    refuse_unused(sources, "logs of Inspect")
    counts, cluster = read_inspect_logs(
        sources.systems, metrics=sources.metrics or None, missing=sources.missing or "error"
    )
    counts = scored_as_asked(counts, sources)
    if cluster is None:
        return counts
    text = (
        f"The logs take their own standard errors by {cluster}: if items of one {cluster} are "
        f"not independent, name it with --cluster {cluster}."
    )
    return replace(counts, notices=(*counts.notices, Notice("maybe-clustered", text)))


def _findings(files: Sequence[str], _: Sequence[str], __: NoOptions) -> Iterator[Finding]:
    from tellapart.formats.logs.checking import inspect_problems

    return map(Finding.of, inspect_problems(files))


FORMAT = Format(
    names=("inspect",),
    about="logs of Inspect, `.eval` or `.json`",
    recognises=looks_like_inspect,
    refuses=_refuses,
    check=_check,
    read=_read,
    findings=_findings,
)
