"""`--as counts` and `--as items`: tables of counts, or of ready values."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import DataError, UsageError
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored

NAMES = ("counts", "items")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `compare` and `score` share."""
    add = parser.add_argument_group("tables").add_argument
    add("--columns", metavar="A,B,C", help="the columns that are counts")
    add("--labels", metavar="A,B", help="the columns that are labels, in a wide table")


def read_counts(args: argparse.Namespace) -> Counts:
    """Read tables, and say on standard error what they were taken for."""
    from tellapart.formats.tables.reader import read_tables

    if args.gold:
        raise UsageError("tables of counts or scores need no --gold; name the format with --as")
    counts = read_tables(
        args.systems,
        item=args.item,
        columns=_names(args.columns),
        labels=_names(args.labels),
        missing=args.missing,
    )
    if args.form is None:
        names = listed(counts.names, most=8)
        print(f"read as {counts.form}: {counts!r}: {names}", file=sys.stderr)
    elif args.form != counts.form:
        raise UsageError(
            f"the tables hold {counts.form}, not {args.form}: their columns are "
            f"{', '.join(counts.columns)}"
        )
    return counts


def validate(args: argparse.Namespace) -> list[str]:
    """Read each table by itself, and return what is wrong with it."""
    from tellapart.formats.tables.reader import read_tables

    problems = []
    for path in args.files:
        try:
            read_tables([path], missing="own")
        except DataError as problem:
            problems.append(str(problem))
    return problems


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system of the tables."""
    from tellapart.formats.scoring import scored_counts

    return scored_counts(read_counts(args), args.metric)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
