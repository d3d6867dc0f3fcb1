"""`--as inspect`: logs of Inspect, `.eval` or `.json`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.formats.logs.options import check_options, print_notices

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored

NAMES = ("inspect",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: --metric and --missing say it all."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Read logs; say so if they declare clusters that were not asked for."""
    from dataclasses import replace

    from tellapart.errors import Notice
    from tellapart.formats.logs.inspect_reader import read_inspect_logs

    check_options(args, "logs of Inspect")
    counts, cluster = read_inspect_logs(args.systems, metrics=args.metric, missing=args.missing)
    if args.metric:
        args.metric = list(counts.columns)
    if cluster is not None and getattr(args, "cluster", None) is None:
        text = (
            f"The logs take their own standard errors by {cluster}: if items of one {cluster} are "
            f"not independent, name it with --cluster {cluster}."
        )
        counts = replace(counts, notices=(*counts.notices, Notice("maybe-clustered", text)))
    return counts


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system: the mean of each value."""
    from tellapart.formats.scoring import scored_counts

    counts = read_counts(args)
    print_notices(counts, but="maybe-clustered")
    return scored_counts(counts, args.metric)


def validate(args: argparse.Namespace) -> list[str]:
    """Read each log by itself, and return what is wrong with it."""
    from tellapart.formats.logs.checking import inspect_problems

    return inspect_problems(args.files)
