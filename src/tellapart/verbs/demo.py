"""Compares two models on 60 questions, then the 17 systems of MUC-4 (1992).

It leaves demo.csv, demo-muc4.csv and demo.html in this folder.

Examples:
  tellapart demo
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from tellapart.console import settings, show
from tellapart.errors import UsageError

_TABLES = {"demo.csv": "quiz.csv", "demo-muc4.csv": "muc4.csv"}
_PAGE = "demo.html"
_FIRST = ["compare", "demo.csv", "--html", _PAGE]
_SECOND = ["compare", "demo-muc4.csv", "--metric", "f1", "--quiet"]
_NEXT = f"""
Open {_PAGE} for the whole first report. What to type next:
  tellapart diff demo.csv                              questions that tell apart
  tellapart compare demo.csv --by subject              each subject by itself
  tellapart compare demo-muc4.csv --metric f1          all 17 systems
  tellapart compare --help                             your own files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: it just runs."""


def run(args: argparse.Namespace) -> int:
    """Write the tables, and compare what is in them; the page stays, too."""
    from tellapart.files import write_together

    data = files("tellapart") / "data"
    tables = {name: (data / own).read_text(encoding="utf-8") for name, own in _TABLES.items()}
    for name, table in tables.items():
        if Path(name).exists() and Path(name).read_text(encoding="utf-8") != table:
            raise UsageError(f"there is another {name} here: run it in another folder")
    if Path(_PAGE).exists() and not Path("demo.csv").exists():
        raise UsageError(f"there is a {_PAGE} here: run it in another folder")
    write_together(tables)
    quiet = ["--quiet"] if settings.quiet else []
    for words in (_FIRST, _SECOND):
        show(f"$ tellapart {' '.join(words)}\n")
        args.run_command([*words, "--color", settings.colour, *quiet])
        show("\n")
    show(_NEXT.removeprefix("\n"))
    return 0
