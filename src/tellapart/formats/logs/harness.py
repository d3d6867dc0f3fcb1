"""`Harness`: the format of an evaluation harness, from how its files look and are read.

All that harnesses share is done by `suite`: folders, names of systems, tasks, repeated runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
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
    """How the files of an evaluation harness look and are read."""

    name: str
    about: str
    _: KW_ONLY
    files: str
    """What it writes, as messages name it"""
    recognises: Callable[[Head], bool]
    read_file: Callable[[str, Findings], Sequence[Log]]
    """The logs of one file: one for each system and task that it holds"""
    refuses: Callable[[Head], DataError | None] = lambda _: None
    """Why a file that holds only totals cannot be read"""
    spelling: Spelling = DOTTED
    weights: str = "tasks"
    """What counts the same in its own overall score: "items", "tasks" or "groups" of tasks"""
    check_logs: Callable[[Sequence[Log]], None] = lambda _: None
    """Raises what is wrong with all logs together"""

    def format(self) -> Format:
        """Return the format of the harness."""
        return Format(
            names=(self.name,),
            about=self.about,
            recognises=self.recognises,
            refuses=self.refuses,
            folders=True,
            read=self._read,
            findings=self._findings,
        )

    def _read(self, sources: Sources, _: NoOptions) -> Counts:
        from tellapart.formats.logs.suite import read_suite

        if sources.gold:
            raise UsageError(f"{self.files} hold scores, and need no --gold; leave it out")
        if sources.item is not None:
            raise UsageError(
                f"the items of {self.files} are items; --cluster LABEL joins those that belong"
            )
        return read_suite(self, sources)

    def _findings(
        self, sources: Sequence[str], _: Sequence[str], __: NoOptions
    ) -> Iterable[Finding]:
        from tellapart.formats.logs.suite import suite_findings

        return suite_findings(self, sources)
