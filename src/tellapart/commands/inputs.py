"""The options that say what is read; `compare` and `score` share them."""

from __future__ import annotations

import argparse

from tellapart.commands.formats import names


def _names(text: str) -> list[str]:
    """Split names at commas, for those who give several at once."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare systems, format, gold, metrics and units."""
    parser.add_argument("systems", nargs="+", metavar="SYSTEM", help="files; see above")
    add = parser.add_argument_group("input").add_argument
    add("--as", dest="form", choices=names(), metavar="FORMAT",
        help=f"how to read: {', '.join(names())} (default: told from the content)")  # fmt: skip
    add("--gold", action="append", default=[], metavar="FILE",
        help="gold answers; repeatable")  # fmt: skip
    add("--metric", action="extend", type=_names, metavar="NAME",
        help="recall, precision, f1, f0.5, accuracy, mean, bleu, …; repeatable "
        "(default: recall, precision, f1 for counts; all values for items)")  # fmt: skip
    add("--unit", metavar="COLUMN", help="what a unit is: the column that names it")
    add("--missing", choices=("error", "zero", "drop"), default="error",
        help="what to do with units that a system lacks (default: error)")  # fmt: skip
