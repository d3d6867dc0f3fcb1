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
from typing import TYPE_CHECKING

from tellapart import plugins
from tellapart.errors import UsageError
from tellapart.words import nearest

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

    Render = Callable[[Comparison], str]


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """A way to write a comparison as text.

    >>> counted = ReportWriter("count", "how many pairs", lambda result: f"{len(result.pairs)}")
    >>> counted.help
    'how many pairs'
    """

    name: str
    """What `--format` takes"""
    help: str
    """What is written, in a few words"""
    render: Render | str
    """The function, or its place as ``module:function``, so that it is imported where it is used"""

    def write(self, result: Comparison) -> str:
        """Return a comparison as this writer has it."""
        if not isinstance(self.render, str):
            return self.render(result)
        module, _, function = self.render.partition(":")
        render: Render = getattr(import_module(module), function)
        return render(result)


WRITERS = {
    writer.name: writer
    for writer in (
        ReportWriter("text", "the report, 80 columns wide", "tellapart.report.terminal:render"),
        ReportWriter("tsv", "the pairs, for programs", "tellapart.report.tables:tsv"),
        ReportWriter("md", "the pairs in Markdown", "tellapart.report.tables:markdown"),
        ReportWriter("p-values", "p of rows over columns", "tellapart.report.p_values:p_values"),
        ReportWriter("latex", "systems by metrics, for a paper", "tellapart.report.latex:latex"),
        ReportWriter("latex-pairs", "the pairs for a paper", "tellapart.report.latex:latex_pairs"),
        ReportWriter(
            "pr", "a summary for a pull request", "tellapart.report.build_checks:pull_request"
        ),
        ReportWriter("junit", "the check, for builds", "tellapart.report.build_checks:junit"),
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
        raise UsageError(
            f"the plug-in {name!r} ({plugins.REPORTS}) is no ReportWriter but a "
            f"{type(found).__name__}; update or uninstall its package"
        )
    return found
