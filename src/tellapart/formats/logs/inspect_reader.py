"""Inspect's logs of several systems as counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.files import shown
from tellapart.formats.logs.assembly import assemble
from tellapart.formats.logs.inspect_files import InspectLog, read_log
from tellapart.formats.logs.metric_names import INSPECT, choose_columns
from tellapart.formats.missing import check_policy
from tellapart.formats.sources import parse_source


def read_inspect(
    sources: Sequence[str | Path],
    *,
    metrics: Sequence[str] | None = None,
    missing: str = "error",
) -> Counts:
    """Read logs of Inspect: `.eval` or `.json`, one or several runs for each system.

    A source is a path, `NAME=path` or `NAME=run1,run2`; the default name is the last part of the
    model's. Every scorer is a column, and every key of values that are objects; `metrics` chooses
    some. Epochs are averaged over those that were scored; `missing` says what becomes of items
    without any, as in `read_tables`. Scalars of the metadata become labels.

    >>> import json, tempfile
    >>> scored = [{"id": k, "epoch": 1, "scores": {"match": {"value": "C"}}} for k in (1, 2)]
    >>> head = {"version": 2, "status": "success", "eval": {"model": "mockllm/alder"}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "quiz.json")
    ...     _ = path.write_text(json.dumps({**head, "samples": scored}))
    ...     counts = read_inspect([path])
    >>> counts, counts.names, counts.columns
    (<Counts: 1 system × 2 items × 1 column>, ('alder',), ('match',))
    """
    return read_inspect_logs(sources, metrics=metrics, missing=missing)[0]


def read_inspect_logs(
    sources: Sequence[str | Path],
    *,
    metrics: Sequence[str] | None = None,
    missing: str = "error",
) -> tuple[Counts, str | None]:
    """Read logs, and return also the label by which they cluster their own standard errors."""
    check_policy(missing)
    if not sources:
        raise UsageError("there is no log to read; name at least one file")
    given = [
        (source, [read_log(path) for path in source.paths]) for source in map(parse_source, sources)
    ]
    every = [log for _, logs in given for log in logs]
    _check_same(every)
    systems: dict[str, list[InspectLog]] = {}
    for source, logs in given:
        name = source.name or logs[0].model
        if name in systems:
            raise DataError(
                f"{shown(source.paths[0])}: a system called {name!r} is already there, from "
                f"{shown(systems[name][0].log.path)}; tell them apart with NAME=path"
            )
        systems[name] = logs
    columns, left_out = choose_columns([each.log for each in every], metrics, INSPECT)
    together = {name: [each.log for each in logs] for name, logs in systems.items()}
    counts = assemble(together, columns, missing, left_out)
    cluster = next((log.cluster for log in every if log.cluster in counts.labels), None)
    return counts, cluster


def _check_same(logs: Sequence[InspectLog]) -> None:
    """Refuse logs that are not of the same task and the same data."""
    first = logs[0]
    for other in logs[1:]:
        for what, mine, theirs in (
            ("task", first.task, other.task),
            ("data set", first.dataset, other.dataset),
        ):
            if mine and theirs and mine != theirs:
                raise DataError(
                    f"{shown(other.log.path)}: the {what} is {theirs!r}, but {mine!r} in "
                    f"{shown(first.log.path)}; compare logs of one {what}"
                )
