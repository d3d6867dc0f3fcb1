"""`tellapart demo`: the main job, done on built-in data."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from tellapart.console import settings, show
from tellapart.errors import UsageError

DESCRIPTION = """\
Compares all pairs of the 17 systems of the Message Understanding Conference of
1992 (MUC-4) on its 100 test messages by F1, as `tellapart compare` does it with
your files. (The study of that year had other rules: no correction for 136 pairs,
and a level of 0.10.) It leaves the table and the report as a page in this folder,
as demo.csv and demo.html."""
EXAMPLES = """\
example:
  tellapart demo"""

_TABLE, _PAGE = "demo.csv", "demo.html"
_WORDS = ["compare", _TABLE, "--metric", "f1", "--html", _PAGE]
_NEXT = f"""
demo.csv holds the counts, and demo.html is this report as a page: open it in a
browser. What to type next:
  tellapart compare {_TABLE} --metric recall,precision      by other metrics
  tellapart compare {_TABLE} --metric f1 --baseline GE      GE against all
  tellapart diff {_TABLE} --systems GE,UMASS --metric f1    where they differ
  tellapart compare --help                                  your own files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: it just runs."""


def run(args: argparse.Namespace) -> int:
    """Write the table, and compare what is in it; the page stays, too."""
    from tellapart.counts.tables import table_content
    from tellapart.files import write_together
    from tellapart.formats.reading import example

    stream = io.BytesIO()
    table_content(example("muc4"), _TABLE)(stream)
    table = stream.getvalue().decode()
    if Path(_TABLE).exists() and Path(_TABLE).read_text(encoding="utf-8") != table:
        raise UsageError(
            f"there is another {_TABLE} here, which would be replaced: run it in another folder"
        )
    if Path(_PAGE).exists() and not Path(_TABLE).exists():
        raise UsageError(
            f"there is a {_PAGE} here, which would be replaced: run it in another folder"
        )
    write_together({_TABLE: table})
    show(f"$ tellapart {' '.join(_WORDS)}\n")
    quiet = ["--quiet"] if settings.quiet else []
    status: int = args.run_command([*_WORDS, "--color", settings.colour, *quiet])
    show(_NEXT)
    return status
