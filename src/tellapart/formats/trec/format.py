"""`--as trec`: retrieval runs with judgements, or scores of single queries."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored

NAMES = ("trec",)
MISSING = None  # the reader decides: a query that a run lacks counts 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: --gold, --metric and --missing say it all."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Read one value per query and measure."""
    from tellapart.formats.trec.reader import read_retrieval

    if args.item not in (None, "query"):
        raise UsageError("the items of retrieval are queries")
    return read_retrieval(args.systems, args.gold, metrics=args.metric, missing=args.missing)


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system; the report has the values of single queries."""
    from dataclasses import replace

    from tellapart.formats.scoring import scored_counts

    counts = read_counts(args)
    for notice in counts.notices:
        print(f"tellapart: {notice.text}", file=sys.stderr)
    values = counts.values / [float(scale) for scale in counts.scales]
    reports = {
        name: {
            "queries": {
                query: dict(zip(counts.columns, row, strict=True))
                for query, row in zip(counts.items, rows, strict=True)
            }
        }
        for name, rows in zip(counts.names, values.tolist(), strict=True)
    }
    return [replace(each, report=reports[each.name]) for each in scored_counts(counts, args.metric)]


def validate(args: argparse.Namespace) -> list[str]:
    """List what is wrong with runs, judgements and scores."""
    from tellapart.formats.trec.reader import findings

    return findings(args.files, args.gold)
