"""`tellapart convergence`: whether work on one test set also helped on another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.commands.inputs import add_comparison_options, add_number
from tellapart.commands.outputs import add_output, outputs_of
from tellapart.console import show
from tellapart.errors import UsageError
from tellapart.limits import RESAMPLES
from tellapart.read_once import start_reading
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts

DESCRIPTION = """\
Tells how much of the gain on a test set that a system's makers worked with came
again on one that they did not look at: the ratio of the two gains, with an interval.
Each FILE is a table of counts or scores (CSV, TSV, JSONL, Parquet; .gz, .zst) of one system,
as `tellapart compare --save-counts` writes them."""
EXAMPLES = """\
example:
  tellapart convergence --before-seen s1-may.csv --after-seen s1-june.csv \\
      --before-unseen s2-may.csv --after-unseen s2-june.csv --metric f1"""

_TABLES = ("before-seen", "after-seen", "before-unseen", "after-unseen")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    for name in _TABLES:
        when, which = name.split("-")
        add(f"--{name}", required=True, metavar="FILE",
            help=f"the system {when} the work, on the {which} set")  # fmt: skip
    add("--system", metavar="NAME", help="the system, where the tables hold several")
    add("--metric", metavar="NAME", help="recall, precision, f1, mean, … (default: f1 for counts)")
    add_comparison_options(parser, "cluster", help="draw items with the same value together")
    add_number(parser, "--resamples", RESAMPLES, default=9_999, help="(default: 9,999)")
    add_comparison_options(parser, "seed", help="of the resamples (default: 0)")
    add_output(parser, "--json", "write the record; - for standard output, alone")


def run(args: argparse.Namespace) -> int:
    """Compare the gains of the four tables, and print what comes out."""
    paths = [getattr(args, name.replace("-", "_")) for name in _TABLES]
    outputs = outputs_of(args, paths)
    start_reading(paths)
    from tellapart.planning.convergence import converge
    from tellapart.planning.scenarios import one_metric
    from tellapart.progress import DelayedProgress
    from tellapart.report.convergence import render_convergence

    given = zip(_TABLES, paths, strict=True)
    tables = [_read(name, path, args.system) for name, path in given]
    metric = args.metric or one_metric(tables[0], None, named=False)
    with DelayedProgress() as progress:
        found = converge(
            tables[:2],
            tables[2:],
            metric,
            cluster=args.cluster,
            resamples=args.resamples,
            seed=args.seed,
            progress=progress,
        )
    outputs.write({"--json": found.to_json})
    if not outputs.on_standard_output:
        show(render_convergence(found))
    return 0


def _read(option: str, path: str, system: str | None) -> Counts:
    """Return the counts of one system of a table."""
    from tellapart.formats.tables.reader import read_tables

    counts = read_tables([path])
    if system is not None:
        return counts.systems[system]
    if len(counts.names) > 1:
        raise UsageError(
            f"--{option} {path}: the table holds {len(counts.names)} systems; choose one with "
            f"--system, of {listed(counts.names)}"
        )
    return counts
