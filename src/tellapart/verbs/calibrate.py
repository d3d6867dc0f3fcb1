"""Shows how often a test rejects pairs without a difference: 5 % at .05 if it keeps its level.

The pairs are made of the systems' own outputs; with --cluster, also item by item.

Examples:
  tellapart calibrate counts.csv --metric f1
  tellapart calibrate scores.csv --cluster document
  tellapart calibrate counts.csv --systems GE,UMASS --test shuffle --test bootstrap
"""

from __future__ import annotations

import argparse

from tellapart.comparison.options import TESTS
from tellapart.console import terminal_width
from tellapart.options import COUNT
from tellapart.verbs import inputs
from tellapart.verbs.inputs import add_comparison_options
from tellapart.verbs.outputs import add_output, outputs_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "calibrate")
    group = parser.add_argument_group("calibration")
    add = group.add_argument
    add("--pairs", type=COUNT, default=1_000, metavar="N",
        help="how many (default: 1,000)")  # fmt: skip
    add("--test", action="append", metavar="TEST",
        help=f"{', '.join(TESTS)}; repeatable (default: auto)")  # fmt: skip
    add_comparison_options(group, "alpha", "cluster")
    add_comparison_options(group, "shuffles", help="of a test (default: 999)")
    add_comparison_options(group, "seed", help="of everything random (default: 0)")
    add_comparison_options(group, "workers")
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the record; - for standard output, alone")


def run(args: argparse.Namespace) -> int:
    """Calibrate the tests on the systems that are named, and print what comes out."""
    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    from tellapart.comparison.calibrate import TEST_SHUFFLES, calibrate
    from tellapart.console import DelayedProgress
    from tellapart.report.calibrate import render

    counts = request.read()
    inputs.print_notices(counts)
    given = {name: getattr(args, name) for name in ("pairs", "alpha", "seed", "cluster", "workers")}
    given |= {"tests": args.test or ("auto",), "shuffles": args.shuffles or TEST_SHUFFLES}
    with DelayedProgress() as progress:
        found = calibrate(counts, request.metrics(counts), progress=progress, **given)
    outputs.write({"--json": found.to_json}, render(found, terminal_width()))
    return 0
