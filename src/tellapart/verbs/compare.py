"""Compares systems on the same items and says which differences are real.

SYSTEM is a table (CSV, TSV, JSONL, Parquet; - is standard input), NAME=table, or
NAME=run1,run2 for several runs; or logs and outputs, held against --gold.

Examples:
  tellapart compare scores.csv --html report.html
  tellapart compare old=a.jsonl new=b.jsonl --cluster document
  tellapart compare --as text --gold ref.txt --metric chrf a.txt b.txt

options of a format: tellapart compare --as FORMAT --help
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.comparison.options import OPTIONS
from tellapart.console import (
    DelayedProgress,
    in_colour,
    remark,
    say,
    send,
    settings,
    show,
    terminal_width,
    warn,
)
from tellapart.errors import UsageError
from tellapart.formats.registry import parquet_folder
from tellapart.report import formats as reports
from tellapart.verbs import inputs
from tellapart.verbs.inputs import add_comparison_options, given_options
from tellapart.verbs.outputs import Outputs, add_output, outputs_of, pointers, shown_command
from tellapart.words import clean, listed, several

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts
    from tellapart.files import Content
    from tellapart.metrics import Metric
    from tellapart.result import Result

SHORT = (
    "--as", "--gold", "--metric", "--item", "--systems", "--where", "--cluster", "--baseline",
    "--margin", "--at-least", "--alpha", "--html", "--json", "--format", "--fail-if-worse",
)  # fmt: skip
"""What `--help` shows; `--help-all` has the rest"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "compare", files="*")
    parser.add_argument("--totals", nargs="+", metavar="NAME=RIGHT/ITEMS",
        help="instead of files: how many each has right")  # fmt: skip
    test = parser.add_argument_group("the test")
    add_comparison_options(test, *OPTIONS)
    inputs.add_direction(test)
    inputs.add_human(test)
    output = parser.add_argument_group("output")
    add_output(output, "--json", "write the record; - for standard output, alone")
    add_output(output, "--html", "write the whole report as one page")
    add_output(output, "--svg", "draw the figures as SVG files", "DIR")
    add_output(output, "--pdf", "draw them as PDF files", "DIR")
    output.add_argument("--pair", nargs=2, action="append", default=[], metavar=("A", "B"),
        help="show this pair in full; repeatable")  # fmt: skip
    output.add_argument("--format", choices=reports.NAMES, default="text", metavar="NAME",
        help="what is printed: text, tsv, md, latex, paper, …")  # fmt: skip
    output.add_argument("--full", action="store_true", help="print all systems, groups and tasks")
    add_output(output, "--save-counts", "write the counts as a table")
    checks = parser.add_argument_group("build checks")
    checks.add_argument("--fail-if-worse", action="store_true",
        help="status 1 if the last system is worse than the first")  # fmt: skip
    kept = "compare one system with the run that this folder keeps"
    add_output(checks, "--baseline-dir", kept, "DIR")
    checks.add_argument("--accept", action="store_true",
        help="keep this run there, if it passes or is the first")  # fmt: skip
    add_output(checks, "--pr", "write a summary for a pull request")
    add_output(checks, "--junit", "write the check as JUnit XML")
    checks.add_argument("--page-url", metavar="URL", help="where --pr links to")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print; the status is 1 where a build check fails, 3 where it cannot tell."""
    if args.totals:
        return _totals(args)
    _check(args)
    folder = parquet_folder(args.files) if args.form is None else None
    if folder is not None:
        counts = _reduced(args, folder)
        return _finish(args, counts, args.metric, outputs_of(args, args.files))
    if args.test == "unpaired":
        args.missing = "own"
    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    if "selection" in args.by and request.format.selections is not None:
        selected = request.format.selections(request.sources, request.options)
        return _show_selections(selected, args, outputs)
    counts = request.read()
    if args.missing == "bounds":  # what is shown, here and by `diff`, are the items that all have
        args.missing = "drop"
    metrics = request.metrics(counts)
    if args.baseline_dir is None:
        unfinished = any(notice.code == "unfinished" for notice in counts.notices)
        if unfinished or (args.fail_if_worse and args.at_least is None):
            inputs.refuse_one_system(counts, request, "compare")
        return _finish(args, counts, metrics, outputs)
    joined = _beside_baseline(args, counts, request.sources.missing or "error")
    return _finish(args, joined, metrics, outputs, counts)


_OF_TOTALS = {"--totals", "--alpha", "--tail", "--correction", "--json", "--quiet", "--color"}
"""The options that make sense without items"""


def _totals(args: argparse.Namespace) -> int:
    """Say what can be said of systems of which only totals are known."""
    from tellapart.comparison.totals import Total, compare_totals
    from tellapart.report.totals import render_totals

    if args.files:
        raise UsageError(f"--totals stands for files: drop it, or {args.files[0]!r}")
    inputs.refuse(args, "totals have no items", *sorted(args.flags - _OF_TOTALS))
    outputs = outputs_of(args, ())
    record = compare_totals([Total.parse(text) for text in args.totals], given_options(args))
    outputs.write({"--json": record.to_json}, render_totals(record, terminal_width()))
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is read."""
    if not args.files:
        raise UsageError("there is no file to read: name one, or give --totals")
    if args.fail_if_worse:
        inputs.refuse(args, "--fail-if-worse asks whether a system is worse", "--tail")
    if args.cannot_tell and not (args.fail_if_worse or args.accept or args.at_least is not None):
        raise UsageError("--cannot-tell needs a check: add --fail-if-worse or --at-least")
    if args.accept and args.baseline_dir is None:
        raise UsageError("--accept needs --baseline-dir")
    if args.baseline_dir is not None:
        inputs.refuse(args, "--baseline-dir keeps the baseline", "--baseline")
    if args.human:
        inputs.refuse(args, "people's scores go beside a judge's",
                      "--gold", "--weights", "--save-counts", "--baseline-dir")  # fmt: skip
    if args.pdf is not None:
        from tellapart.report.figures.collection import find_cairo

        find_cairo()
    if args.save_counts is not None:
        from tellapart.counts.tables import table_format

        table_format(args.save_counts)


_OF_LOADED = ("--systems", "--gold", "--human", "--missing", "--weights", "--item-labels",
              "--columns", "--labels", "--condition")  # fmt: skip
"""The options that need data in memory"""


def _reduced(args: argparse.Namespace, folder: Path) -> Counts:
    """Return what a folder of Parquet files holds: counted where it is, clusters summed already."""
    from tellapart.counts.large import read_folder
    from tellapart.result import reduced

    inputs.refuse(args, "a folder of Parquet files is counted as it is", *_OF_LOADED)
    table = read_folder(folder, args.item, getattr(args, "system", None))
    wanted = table.where(inputs.wanted_labels(args.where))
    counts = reduced(wanted, args.metric, given_options(args))
    args.cluster = None
    remark(f"read as a folder of Parquet files: {counts.extent}: {listed(counts.names, most=8)}")
    return inputs.directed(counts, args.lower_is_better or ())


def _finish(
    args: argparse.Namespace,
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    outputs: Outputs,
    run: Counts | None = None,
) -> int:
    """Compare, write and print; the status is that of the build checks, where there are any."""
    from tellapart.comparison import compare as comparison
    from tellapart.counts.tables import table_content
    from tellapart.report.gate import changed_items, failures, status
    from tellapart.result import Result

    if args.fail_if_worse and args.baseline is None and len(counts.names) > 2:
        raise UsageError(f"--fail-if-worse: name the old of {len(counts.names)} with --baseline")
    with DelayedProgress() as progress:
        result = Result(*comparison.compare(counts, metrics, given_options(args), progress))
    checked = args.fail_if_worse or args.at_least is not None
    of_pairs = args.fail_if_worse or args.accept
    found = status(result.record, of_pairs=of_pairs) if checked or args.accept else 0
    contents = _contents(result, args)
    if run is not None:
        kept = args.accept and not found
        contents["--baseline-dir"] = lambda: _accepted(args, run) if kept else {}
    contents["--save-counts"] = lambda: table_content(counts, args.save_counts)
    outputs.write(contents)
    if not outputs.on_standard_output:
        _print(result.record, args, contents["--pr"])
    if not checked:
        return 0
    changed = changed_items(result.record, result.scored) if found and of_pairs else ()
    for reason in (*failures(result.record, of_pairs=of_pairs), *changed):
        say(reason)
    return found


def _contents(result: Result, args: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """Return what makes each file that may be asked for."""
    from tellapart.comparison.details import details_of
    from tellapart.report.gate import pull_request

    record = result.record
    asked = [(pair.a, pair.b) for pair in (record.pair(a, b) for a, b in args.pair)]
    details = cache(partial(details_of, record, result.scored, asked))

    def page() -> str:
        from tellapart.report.html.page import render_html

        return render_html(record, details(), shown_command(args.command_line))

    def figures(suffix: str) -> Mapping[str, Content]:
        from tellapart.report.figures.collection import figure_files

        return figure_files(record, details(), suffix, asked)

    return {
        "--json": record.to_json,
        "--html": page,
        "--svg": partial(figures, ".svg"),
        "--pdf": partial(figures, ".pdf"),
        "--pr": lambda: pull_request(record, result.scored, args.page_url or args.html),
        "--junit": lambda: reports.find_writer("junit").write(record),
    }


def _print(record: Comparison, args: argparse.Namespace, pull_request: Callable[[], str]) -> None:
    """Print the report; warnings that have no place in it go to standard error."""
    from tellapart.report.notices import notice_sentences
    from tellapart.report.sentences import disagreement
    from tellapart.report.terminal import answers, render

    width, colour = terminal_width(), in_colour(sys.stdout)
    if args.format == "text" and not settings.quiet:
        text = render(record, pointers(args, record), colour=colour, full=args.full, width=width)
        show(text, coloured=colour)
        return
    for text in filter(None, [disagreement(record), *notice_sentences(record)]):
        warn(clean(text))
    if args.format == "text":
        show(answers(record, width=width))
    elif args.format == "pr":
        send(pull_request())
    else:
        send(reports.find_writer(args.format).write(record))


# Selections of slots, and accepted runs


def _show_selections(selected: SelectionCounts, args: argparse.Namespace, outputs: Outputs) -> int:
    """Print how the systems do on each selection, and whether that is special."""
    from tellapart.comparison.selections import compare_selections, contrast_overall
    from tellapart.report.figures.collection import as_file
    from tellapart.report.figures.layout import standalone
    from tellapart.report.figures.selections import selections_figure
    from tellapart.report.selections import (
        Selections,
        render_selections,
        selections_json,
        selections_page,
    )

    inputs.refuse(args, "selections have no labels, and are asked about both ways",
                  "--item-labels", "--tail")  # fmt: skip
    options = given_options(args)
    for warning in selected.warnings:
        warn(warning)
    found = compare_selections(selected.slots, options)
    overall = contrast_overall(selected.slots, options)
    about = Selections(found, overall, selected.row, options)

    def figures(suffix: str) -> Mapping[str, Content]:
        return {f"selections{suffix}": as_file(standalone(selections_figure(found)), suffix)}

    contents: dict[str, Callable[[], Any]] = {
        "--json": lambda: selections_json(about),
        "--html": lambda: selections_page(about, shown_command(args.command_line)),
        "--svg": partial(figures, ".svg"),
        "--pdf": partial(figures, ".pdf"),
    }
    outputs.write(contents, render_selections(about, terminal_width()))
    return 0


def _beside_baseline(args: argparse.Namespace, run: Counts, missing: str) -> Counts:
    """Return a run beside the one that `--baseline-dir` keeps; the first run alone."""
    from tellapart.formats.baseline import beside, read_baseline

    baseline = read_baseline(args.baseline_dir)
    if baseline is None:
        if args.accept:
            return run
        raise UsageError(f"{args.baseline_dir}: there is no baseline yet; --accept keeps this run")
    kept = set(baseline.items)
    if args.accept and missing == "own" and set(run.items) < kept:
        lost = several(len(kept) - len(run.items), run.kind)
        raise UsageError(f"{run.names[0]} lacks {lost} of the baseline, and has no other: it seems "
                         "cut short; drop --accept")  # fmt: skip
    both = beside(baseline, run, missing)
    unknown = {args.cluster, *args.by} & (run.labels.keys() - both.labels.keys())
    if unknown:
        raise UsageError(f"a baseline keeps no labels ({listed(sorted(unknown))}) of items that "
                         "this run lacks: --missing drop compares what both have")  # fmt: skip
    remark(f"compared with {both.names[0]}, accepted {baseline.accepted.isoformat()}")
    return both


def _accepted(args: argparse.Namespace, run: Counts) -> dict[str, str]:
    """Return the file of `--baseline-dir` with this run."""
    from tellapart.formats.baseline import FILE, accepted

    content = accepted(run, datetime.now(UTC).date()).to_json()
    remark(f"{run.names[0]} is the baseline now, kept in {args.baseline_dir}")
    return {FILE: content}
