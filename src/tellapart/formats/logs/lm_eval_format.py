"""`--as lm-eval`: samples of lm-eval, files or folders."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.formats.logs.options import check_options, print_notices

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored

NAMES = ("lm-eval",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: --metric and --missing say it all."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Read samples; the metrics are then called as they were asked for."""
    from tellapart.formats.logs.lm_eval_reader import read_lm_eval

    check_options(args, "samples of lm-eval")
    counts = read_lm_eval(args.systems, metrics=args.metric, missing=args.missing)
    if args.metric:
        args.metric = list(counts.columns)
    return counts


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system: the mean of each metric."""
    from tellapart.formats.scoring import scored_counts

    counts = read_counts(args)
    print_notices(counts)
    return scored_counts(counts, args.metric)


def validate(args: argparse.Namespace) -> list[str]:
    """Read each file by itself, and return what is wrong with its rows."""
    from tellapart.formats.logs.checking import lm_eval_problems

    return lm_eval_problems(args.files)
