"""`tellapart demo`: the main job, done on built-in data."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tellapart.console import in_colour, show
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

DESCRIPTION = """\
Compares all pairs of the 17 systems of the Message Understanding Conference of
1992 (MUC-4) on its 100 test messages: recall, precision and F, all just as
`tellapart compare` does it with your files. (The study of that year had other
rules: no correction for 136 pairs, and a level of 0.10.) It leaves the table
and the report as a page in this folder, as demo.csv and demo.html."""
EXAMPLES = """\
example:
  tellapart demo"""

_TABLE, _PAGE = "demo.csv", "demo.html"
_METRICS = ["f1", "recall", "precision"]
_NEXT = f"""\
demo.csv holds the counts, and demo.html is this report as a page: open it in a
browser. What to type next:
  tellapart compare {_TABLE} --metric f1                    from the table
  tellapart compare {_TABLE} --metric f1 --baseline GE      GE against all
  tellapart diff {_TABLE} --systems GE,UMASS --metric f1    where they differ
  tellapart compare --help                                  your own files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: it just runs."""


def run(args: argparse.Namespace) -> int:
    """Compare all pairs by the defaults, show it, and leave table and page behind."""
    from tellapart.comparison.details import details_of
    from tellapart.counts.tables import table_content
    from tellapart.formats.reading import example
    from tellapart.options import Output
    from tellapart.progress import DelayedProgress
    from tellapart.report.html.page import render_html
    from tellapart.result import compare
    from tellapart.verbs.outputs import Outputs, origin

    counts = example("muc4")
    outputs = Outputs({path: Output("the demo", path, is_folder=False) for path in (_TABLE, _PAGE)})
    _refuse_others(table_content(counts, _TABLE))
    with DelayedProgress() as progress:
        result = compare(counts, metrics=_METRICS, progress=progress)
        details = details_of(result.record, result.scored, progress=progress)
        page = render_html(result.record, details, origin(args.command_line, ()))
    outputs.write({_TABLE: lambda: table_content(counts, _TABLE), _PAGE: lambda: page})
    show("\n\n".join([*_parts(result.record), _NEXT]), coloured=True)
    return 0


def _refuse_others(write: Callable[[IO[bytes]], None]) -> None:
    """Refuse to replace a table of somebody else's that has our name."""
    table = io.BytesIO()
    write(table)
    ours = Path(_TABLE)
    if ours.exists() and ours.read_bytes() != table.getvalue():
        raise UsageError(
            f"there is another {_TABLE} here, which would be replaced: run it in another folder"
        )
    if Path(_PAGE).exists() and not ours.exists():
        raise UsageError(
            f"there is a {_PAGE} here, which would be replaced: run it in another folder"
        )


def _parts(record: Comparison) -> Iterator[str]:
    """Yield the report, part by part."""
    from tellapart.report.document import finding, system_table
    from tellapart.report.method import method
    from tellapart.report.sentences import disagreement, question
    from tellapart.report.table import terminal
    from tellapart.report.text import filled

    yield filled(
        "MUC-4 (1992): 17 systems, 100 messages, all 136 pairs, by the test and the "
        "correction that `tellapart compare` uses if you name none."
    )
    yield filled(disagreement(record))
    asked, answer, verdict = finding(record, "f1")
    yield f"{filled(f'{asked}  {answer}.')}\n{filled(verdict)}"
    yield "\n".join(
        f"{question(record, metric)}  {record.answers[metric].answer}.  "
        f"{sum(pair.different for pair in record.pairs_of(metric))} of 136 pairs told apart."
        for metric in ("recall", "precision")
    )
    notes = system_table(record, _METRICS[-1]).notes  # below the last table of a report
    table = replace(system_table(record, "f1"), notes=notes)
    yield "\n".join(terminal(table, colour=in_colour(sys.stdout)))
    yield filled(method(record), "  ")
