"""`log_format`: the format of an evaluation harness, from how its files look and are read.

All that harnesses share is done by `suite`: folders, names of systems, tasks, repeated runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import Head
from tellapart.formats.logs.columns import DOTTED, Spelling
from tellapart.formats.problems import Findings
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.logs.log import Log


@dataclass(frozen=True, slots=True)
class Harness:
    """What `suite` has to know of a harness."""

    files: str
    """What it writes, as messages name it"""
    recognises: Callable[[Head], bool]
    read_file: Callable[[str, Findings], Sequence[Log]]
    """The logs of one file: one for each system and task that it holds"""
    refuses: Callable[[Head], DataError | None]
    spelling: Spelling
    weights: str
    """What counts the same in its own overall score: "items", "tasks" or "groups" of tasks"""
    check_logs: Callable[[Sequence[Log]], None] = lambda _: None
    """Raises what is wrong with all logs together"""


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
    check_logs: Callable[[Sequence[Log]], None] = lambda _: None,
) -> Format:
    """Return the format of a harness.

    `files` are what it writes; `refuses` returns why files that hold only totals cannot be read.
    """
    none = refuses or (lambda _: None)
    harness = Harness(files, recognises, read_file, none, spelling, weights, check_logs)

    def read(sources: Sources, _: NoOptions) -> Counts:
        from tellapart.formats.logs.suite import read_suite

        if sources.gold:
            raise UsageError(f"{files} hold scores, and need no --gold; leave it out")
        if sources.item is not None:
            raise UsageError(
                f"the items of {files} are items; --cluster LABEL joins those that belong"
            )
        return read_suite(harness, sources)

    def findings(sources: Sequence[str], _: Sequence[str], __: NoOptions) -> Iterable[Finding]:
        from tellapart.formats.logs.suite import suite_findings

        return suite_findings(harness, sources)

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        refuses=refuses,
        folders=True,
        read=read,
        findings=findings,
    )
