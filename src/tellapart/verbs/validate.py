"""Reads files and lists all that is wrong with them; status 2 if they cannot be scored.

Examples:
  tellapart validate a.conll b.conll --gold gold.conll
  tellapart validate --as muc key.txt
  tellapart validate --as muc --gold key.txt response.txt history.txt
"""

from __future__ import annotations

import argparse

from tellapart.console import remark
from tellapart.errors import UsageError
from tellapart.verbs import inputs
from tellapart.words import several


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="what to check")
    inputs.add_form(parser)
    parser.add_argument("--gold", action="append", default=[], metavar="FILE",
                        help="gold answers that the files should fit")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Check, list, count."""
    request = inputs.request(args, checked=False)
    findings = request.format.findings
    if findings is None:
        raise UsageError(f"the format {request.format.name!r} cannot be checked; use score")
    found = list(findings(args.files, args.gold, request.options))
    errors = inputs.print_findings(found)
    warned = several(len(found) - errors, "warning")
    remark(f"{several(errors, 'error')}, {warned}")
    return 2 if errors else 0
