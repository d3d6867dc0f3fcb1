"""The writers of reports: what `--format` takes, and what each of them makes of a comparison.

Other packages add a writer by an entry point of the group ``tellapart.reports`` whose object is a
`ReportWriter`:

```toml
[project.entry-points."tellapart.reports"]
rst = "my_package.tables:RST"
```
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

import tellapart.plugins as plugins
from tellapart.errors import UsageError
from tellapart.words import nearest

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

    Render: TypeAlias = Callable[[Comparison], str]


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """A way to write a comparison as text.

    >>> counted = ReportWriter("count", "how many pairs", lambda record: f"{len(record.pairs)}")
    >>> counted.help
    'how many pairs'
    """

    name: str
    """What `--format` takes"""
    help: str
    """What is written, in a few words"""
    write: Render


# What a writer needs is imported when it writes: the command line knows the names without it.


def _made_by(module: str, function: str) -> Render:
    """Return what calls a function of a module of reports, which is imported by then."""

    def write(record: Comparison) -> str:
        return str(getattr(import_module(f"tellapart.report.{module}"), function)(record))

    return write


def _tsv(record: Comparison) -> str:
    from tellapart.report import document, table

    return table.tsv(document.for_programs(record))


def markdown(record: Comparison) -> str:
    """Return the pairs in Markdown, the better system first, and the tasks of suites.

    Of a single system, it is its scores.
    """
    from tellapart.report import document, table

    tables = [document.system_table(record, metric) for metric in record.metrics]
    if record.pairs:
        tables = [document.pair_table(record, document.reported(record, record.metrics))]
    tables += [document.task_table(record, metric) for metric in record.suite]
    return "\n".join(map(table.markdown, tables))


def _latex(record: Comparison) -> str:
    """Return systems by metrics, and the tasks of suites."""
    from tellapart.report import document, table

    tables = [document.paper_table(record)]
    tables += [document.task_table(record, metric) for metric in record.suite]
    return "\n".join([table.NEEDS_BOOKTABS, *map(table.latex, tables)])


def _paper(record: Comparison) -> str:
    from tellapart.report.method import bibtex, for_paper

    sentences = (for_paper(record, metric) for metric in record.metrics)
    return "\n".join([*sentences, "", bibtex(record), ""])


WRITERS = {
    writer.name: writer
    for writer in (
        ReportWriter("text", "the report, 80 columns wide", _made_by("terminal", "render")),
        ReportWriter("tsv", "the pairs, for programs", _tsv),
        ReportWriter("md", "the pairs in Markdown", markdown),
        ReportWriter("json", "the record", lambda record: record.to_json()),
        ReportWriter("p-values", "p of rows over columns", _made_by("terminal", "p_values")),
        ReportWriter("latex", "systems by metrics, for a paper", _latex),
        ReportWriter("paper", "sentences for a paper, and BibTeX", _paper),
        ReportWriter("pr", "a summary for a pull request", _made_by("gate", "pull_request")),
        ReportWriter("junit", "the check, for builds", _made_by("gate", "junit")),
    )
}
"""The writers that come with the package"""

NAMES = plugins.Names(WRITERS, plugins.REPORTS)
"""The names of all writers, of this package and of others"""


def find_writer(name: str) -> ReportWriter:
    """Return the writer with a name, of this package or of another one.

    >>> find_writer("md").help
    'the pairs in Markdown'
    """
    if name in WRITERS:
        return WRITERS[name]
    found = plugins.find(plugins.REPORTS, name)
    if found is None:
        raise UsageError(f"there is no report {name!r}; {nearest(name, [*NAMES])}")
    if not isinstance(found, ReportWriter):
        raise UsageError(f"the plug-in {name!r} ({plugins.REPORTS}) is no ReportWriter")
    return found
