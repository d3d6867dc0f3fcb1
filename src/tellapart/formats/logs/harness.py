"""`log_format`: the format of an evaluation harness, from how its files look and are read.

To add a harness, write a module that says how its files begin and reads one file as `Log` objects,
declare its `FORMAT` there by `log_format`, and name the module in the registry. All that harnesses
share is done for it by `suite`: folders, names of systems, tasks, repeated runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import Head
from tellapart.formats.logs.metric_names import DOTTED, Spelling
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.logs.log import Log
    from tellapart.formats.problems import Findings


@dataclass(frozen=True, slots=True)
class Harness:
    """What `suite` has to know of a harness."""

    files: str
    """What it writes, as messages name it"""
    recognises: Callable[[Head], bool]
    read_file: Callable[[str, Findings], Sequence[Log]]
    """The logs of one file: one for each system and task that it holds"""
    refuses: Callable[[Head], DataError | None] | None
    spelling: Spelling
    weights: str
    """What counts the same in its own overall score: "items", "tasks" or "groups" of tasks"""


def log_format(
    name: str,
    about: str,
    *,
    files: str,
    recognises: Callable[[Head], bool],
    read_file: Callable[[str, Findings], Sequence[Log]],
    refuses: Callable[[Head], DataError | None] | None = None,
    spelling: Spelling = DOTTED,
    weights: str = "tasks",
    suffixes: tuple[str, ...] = (),
) -> Format:
    """Return the format of a harness.

    `files` are what it writes; `refuses` returns why files that hold only totals cannot be read.
    Files with one of the `suffixes` would be taken for tables if the harness were not asked first.
    """
    harness = Harness(files, recognises, read_file, refuses, spelling, weights)

    def read(sources: Sources, _: NoOptions) -> Counts:
        from tellapart.formats.logs.suite import read_suite

        _refuse_gold_and_item(sources, files)
        return read_suite(harness, sources)

    def check(path: str, _: Head) -> object:
        from tellapart.formats.problems import Findings

        return read_file(path, Findings(strict=True))

    def findings(sources: Sequence[str], _: Sequence[str], __: NoOptions) -> Iterable[Finding]:
        from tellapart.formats.logs.suite import suite_findings

        return suite_findings(harness, sources)

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        suffixes=suffixes,
        refuses=refuses,
        folders=True,
        check=check,
        read=read,
        findings=findings,
    )


def _refuse_gold_and_item(sources: Sources, files: str) -> None:
    if sources.gold:
        raise UsageError(f"{files} hold scores, and need no --gold; leave it out")
    if sources.item is not None:
        raise UsageError(f"the items of {files} are items; --cluster LABEL joins those that belong")


def scored_as_named(counts: Counts, named: Sequence[str]) -> Counts:
    """Return counts that carry the metrics that were named: values by their columns, passes."""
    from tellapart.metrics import metric
    from tellapart.metrics.passes import with_passes
    from tellapart.metrics.registry import is_pass

    if not named:
        return counts
    passes = [name for name in named if is_pass(name)]
    own = {each.name: each for each in counts.metrics}
    values = (own or counts.columns) if len(passes) < len(named) else ()
    counts = with_passes(counts, passes)
    metrics = tuple(
        own.get(name) or metric(name, counts.columns, items=True) for name in (*values, *passes)
    )
    return replace(counts, metrics=metrics)
