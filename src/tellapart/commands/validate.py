"""`tellapart validate`: whether files are well formed; all problems, with their lines.

A format takes part if its module has `validate(args)`, which returns one line per problem;
warnings begin with `warning:`. With `add_validate_arguments(parser)` it can have options.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from tellapart.commands.formats import FORMATS
from tellapart.errors import UsageError
from tellapart.words import several

HELP = "is this file well formed? (all problems, with lines)"
DESCRIPTION = """\
Reads files and lists all that is wrong with them; status 2 if they cannot be scored."""
EXAMPLES = """\
examples:
  tellapart validate --as muc key.txt
  tellapart validate --as muc --gold key.txt response.txt history.txt"""

WARNING = "warning:"


def _taking_part() -> Iterator[tuple[str, Any]]:
    for module in FORMATS:
        if hasattr(module, "validate"):
            for name in module.NAMES:
                yield name, module


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    known = dict(_taking_part())
    parser.add_argument("files", nargs="+", metavar="FILE", help="what to check")
    parser.add_argument("--as", dest="form", choices=list(known), metavar="FORMAT",
                        required=True, help=f"how to read: {', '.join(known)}")  # fmt: skip
    parser.add_argument("--gold", action="append", default=[], metavar="FILE",
                        help="gold answers that the files should fit")  # fmt: skip
    for module in dict.fromkeys(known.values()):
        if hasattr(module, "add_validate_arguments"):
            module.add_validate_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Check, list, count."""
    module = dict(_taking_part()).get(args.form)
    if module is None:
        raise UsageError(f"files of the format {args.form!r} cannot be checked")
    problems: list[str] = module.validate(args)
    errors = [line for line in problems if not line.startswith(WARNING)]
    for line in problems:
        print(line)
    warned = several(len(problems) - len(errors), "warning")
    print(f"{several(len(errors), 'error')}, {warned}", file=sys.stderr)
    return 2 if errors else 0
