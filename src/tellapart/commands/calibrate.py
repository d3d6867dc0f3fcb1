"""`tellapart calibrate`: whether the tests can be trusted on these data."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.commands import inputs
from tellapart.commands.inputs import add_comparison_options, add_number
from tellapart.commands.outputs import add_output, outputs_of
from tellapart.console import remark, show
from tellapart.errors import UsageError
from tellapart.formats.sources import parse_source, run_names
from tellapart.limits import NULL_PAIRS
from tellapart.significance.registry import TESTS

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.planning.calibration_record import Calibration

DESCRIPTION = """\
Makes thousands of pairs without a difference out of the systems' own outputs,
makes every test on every pair, and shows how often each rejects: 5 % at .05 if
it keeps its level. Then differences of known size are planted: that is its
power. SYSTEM is what `tellapart compare` takes; without any, a built-in example
is used. Without --metric it is f1 for counts, otherwise the first value.

  --null swap      a coin per item says which of two systems gets which output:
                   what the randomization test supposes, and so keeps
  --null equal     items are drawn again so that two systems score the same,
                   though one may answer more often or vary more
  --null clusters  the coin is tossed for groups of items that look dependent:
                   those of a label, or neighbours
  --null run-noise items and runs of two systems with several runs are drawn
                   again, the runs as far apart as was measured
  --null split     one system on two random halves of its items; or, if given as
                   NAME=run1,run2,..., two halves of its runs
  --null all       swap, equal, clusters and run-noise, as far as the data allow"""
EXAMPLES = """\
examples:
  tellapart calibrate counts.csv --metric f1
  tellapart calibrate scores.csv --cluster document --svg pictures
  tellapart calibrate counts.csv --pair GE UMASS --test shuffle --test bootstrap
  tellapart calibrate --null split A=seed1.csv,seed2.csv,seed3.csv,seed4.csv"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "calibrate", systems="*")
    group = parser.add_argument_group("calibration")
    add = group.add_argument
    add("--null", choices=("all", "swap", "equal", "clusters", "run-noise", "split"), default="all",
        help="how pairs without a difference are made (default: all)")  # fmt: skip
    inputs.add_pair(group, "use these two systems (default: all)")
    add_number(group, "--pairs", NULL_PAIRS, help="null pairs (default: 2,000)")
    add("--test", action="append", metavar="TEST",
        help=f"{', '.join(TESTS)}; repeatable (default: all that fit the metric)")  # fmt: skip
    add_comparison_options(group, "cluster")
    add_comparison_options(
        group, "shuffles", help="of a test (default: 9,999 shuffles, or 999 resamples)"
    )
    add_comparison_options(group, "seed", help="of everything random (default: 0)")
    add_comparison_options(group, "workers")
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the record; - for standard output, alone")
    add_output(group, "--svg", "draw the p-values of each metric into this folder", "DIR")


def run(args: argparse.Namespace) -> int:
    """Calibrate the tests on the systems that are named, and print what comes out."""
    by_runs = args.null == "split" or (args.null == "all" and _all_have_runs(args))
    systems, runs = _single_runs(args) if by_runs else (args.systems, None)
    request = inputs.request(args, systems=tuple(systems)) if systems else None
    outputs = outputs_of(args, [] if request is None else request.files)
    from tellapart.planning.calibrate import PAIRS, calibrate
    from tellapart.progress import DelayedProgress
    from tellapart.report.calibration import render

    counts = _counts(args, request)
    with DelayedProgress() as progress:
        found = calibrate(
            counts,
            args.metric if request is None else request.metrics(counts),
            null=args.null,
            tests=args.test,
            pairs=PAIRS if args.pairs is None else args.pairs,
            shuffles=args.shuffles,
            seed=args.seed,
            cluster=args.cluster,
            runs=runs,
            workers=args.workers,
            progress=progress,
        )
    outputs.write({"--json": found.to_json, "--svg": lambda: _drawn(found)})
    if not outputs.on_standard_output:
        show(render(found))
    return 0


def _counts(args: argparse.Namespace, request: inputs.Request | None) -> Counts:
    if request is not None:
        counts = request.read()
        inputs.print_notices(counts)
    else:
        if args.form or args.gold:
            raise UsageError("--as and --gold say how files are read; name the files, too")
        from tellapart.formats.reading import example

        counts = example("muc4")
        remark("no files: the built-in example, 17 systems of MUC-4 (1992)")
    if args.pair is None:
        return counts
    if args.pair[0] == args.pair[1]:
        raise UsageError(f"--pair names {args.pair[0]!r} twice; name two systems")
    return counts.systems[tuple(args.pair)]


def _all_have_runs(args: argparse.Namespace) -> bool:
    """Return whether every system was given with several runs."""
    sources = [parse_source(text) for text in args.systems]
    several = bool(sources) and all(len(source.paths) > 1 for source in sources)
    return several and args.pair is None


def _single_runs(args: argparse.Namespace) -> tuple[list[str], dict[str, list[str]] | None]:
    """Return every run as a system of its own, and which belong together, if any do."""
    sources = [(text, parse_source(text)) for text in args.systems]
    if all(len(source.paths) == 1 for _, source in sources):
        return args.systems, None
    if args.pair is not None:
        raise UsageError("--pair chooses from all systems; to split runs, name only those wanted")
    runs, systems = {}, []
    for text, source in sources:
        if len(source.paths) == 1:
            raise UsageError(
                f"{text} has one run; to split runs, give all systems as NAME=run1,run2"
            )
        names = run_names({str(source.name): source.paths})
        runs[str(source.name)] = names
        systems += [f"{name}={path}" for name, path in zip(names, source.paths, strict=True)]
    return systems, runs


def _drawn(found: Calibration) -> dict[str, str]:
    """Return the pictures by file name."""
    from tellapart.report.calibration import picture
    from tellapart.report.figures.collection import safe_name, unique_name
    from tellapart.report.figures.svg import standalone

    drawn = [(found.null, "", each) for each in found.metrics]
    drawn += [(o.null, f"-{o.null}", each) for o in found.others for each in o.metrics]
    taken: set[str] = set()
    return {
        f"{unique_name(f'p-values-{safe_name(each.metric)}{ending}', taken)}.svg": standalone(
            picture(each, null)
        )
        for null, ending, each in drawn
        if each.tests
    }
