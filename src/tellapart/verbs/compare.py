"""`tellapart compare`: whether A is really better than B, and which systems can be told apart."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tellapart.comparison.options import OPTIONS, Options
from tellapart.console import in_colour, remark, say, send, settings, show, terminal_width
from tellapart.errors import UsageError
from tellapart.progress import DelayedProgress
from tellapart.report import formats as reports
from tellapart.verbs import inputs
from tellapart.verbs.baseline_dir import BaselineFolder
from tellapart.verbs.inputs import add_comparison_options, given_options
from tellapart.verbs.outputs import Outputs, add_output, outputs_of
from tellapart.verbs.selections import check_selections, show_selections
from tellapart.words import clean, listed

if TYPE_CHECKING:
    from tellapart.comparison.details import Details
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts
    from tellapart.counts.large import LargeTable
    from tellapart.files import Content
    from tellapart.metrics import Metric
    from tellapart.result import Result

DESCRIPTION = """\
Compares systems on the same items and says which differences are real.
SYSTEM is a table (CSV, TSV, JSONL, Parquet; .gz, .zst; - for standard input),
NAME=table, or NAME=run1,run2 for several runs of a system; or logs and outputs,
which --as names where their content does not tell, held against --gold."""
EXAMPLES = """\
examples:
  tellapart compare scores.csv --html report.html
  tellapart compare old=a.jsonl new=b.jsonl --cluster document
  tellapart compare --as text --gold ref.txt --metric chrf a.txt b.txt

options of a format: tellapart compare --as FORMAT --help"""

SHORT = (
    "--as", "--gold", "--metric", "--item", "--systems", "--where", "--cluster", "--baseline",
    "--margin", "--alpha", "--html", "--json", "--format", "--fail-if-worse",
)  # fmt: skip
"""What `--help` shows; `--help-all` has the rest"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "compare")
    _add_test(parser.add_argument_group("the test"))
    _add_output(parser.add_argument_group("output"))
    _add_checks(parser.add_argument_group("build checks"))


def _add_test(group: argparse._ArgumentGroup) -> None:
    add_comparison_options(group, *OPTIONS)
    inputs.add_direction(group)
    inputs.add_human(group)


def _add_output(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add_output(group, "--json", "write the record; - for standard output, alone")
    add_output(group, "--html", "write the whole report as one page")
    add_output(group, "--svg", "draw the figures as SVG files in this folder", "DIR")
    add_output(group, "--pdf", "draw them as PDF files", "DIR")
    add("--pair", nargs=2, action="append", default=[], metavar=("A", "B"),
        help="show this pair in full (--html) and draw it (--svg); repeatable")  # fmt: skip
    add("--format", choices=reports.NAMES, default="text", metavar="NAME",
        help="what is printed: text, tsv, md, latex, paper, …")  # fmt: skip
    add("--full", action="store_true", help="print all systems, groups and tasks")
    add_output(group, "--save-counts", "write the counts as a table")


def _add_checks(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--fail-if-worse", action="store_true",
        help="status 1 if the last system is worse than the first")  # fmt: skip
    kept = "compare one system with the last accepted run, which this folder keeps"
    add_output(group, "--baseline-dir", kept, "DIR")
    add("--accept", action="store_true",
        help="keep this run as the baseline, if it passes or is the first")  # fmt: skip
    add_output(group, "--pr", "write a summary in Markdown for a pull request")
    add_output(group, "--junit", "write the check as JUnit XML, for build servers")
    add("--page-url", metavar="URL", help="the address of the page of --html, for the link in --pr")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    _check(args)
    if args.human:
        from tellapart.verbs import judged

        judged.refuse_others(args, add_arguments, judged.COMPARING)
        scores, outputs = judged.read(args)
        return _compare(scores, None, given_options(args), args, outputs)
    table = _large_table(args)
    if table is not None:
        return _compare_large(table, args)
    request = _request(args)
    outputs = outputs_of(args, request.files)
    if args.save_counts is not None:
        from tellapart.counts.tables import table_format

        table_format(args.save_counts)
    select = request.format.selections
    if "selection" in args.by and select is not None:
        check_selections(args)
        return show_selections(select(request.sources, request.options), args, outputs)
    with DelayedProgress() as progress:
        counts = request.read(progress)
    if args.baseline_dir is None:
        inputs.refuse_one_system(counts, request, "compare")
    counts = inputs.directed(counts, args.lower_is_better)
    if "selection" in args.by and "selection" not in counts.labels:
        raise UsageError("there is no label 'selection'; those of --only go with --as muc")
    if args.baseline_dir is None:
        return _compare(counts, request.metrics(counts), given_options(args), args, outputs)
    kept = BaselineFolder.of(args, counts)
    if kept.baseline is None:
        return kept.begin(outputs)
    both = kept.against(counts)
    return _compare(both, request.metrics(both), given_options(args), args, outputs, kept)


def _large_table(args: argparse.Namespace) -> LargeTable | None:
    """Return the table that stays where it is: a folder of Parquet files, if that is all."""
    if len(args.files) != 1 or not os.path.isdir(args.files[0]) or args.form is not None:
        return None
    from tellapart.counts.large import read_folder
    from tellapart.formats.registry import parquet_folder

    folder = parquet_folder(args.files)
    system = getattr(args, "system", None)
    if folder is not None and args.systems:
        raise UsageError("a folder of Parquet files is counted as it is: drop --systems")
    return None if folder is None else read_folder(folder, args.item, system)


def _compare_large(table: LargeTable, args: argparse.Namespace) -> int:
    """Compare what is counted where it is."""
    from tellapart.result import reduced

    outputs = outputs_of(args, args.files)
    options, metrics = given_options(args), args.metric or None
    wanted = inputs.wanted_labels(args.where)
    with DelayedProgress():
        counts = reduced(table.where(wanted) if wanted else table, metrics, options)
    remark(f"read as a folder of Parquet files: {counts.extent}: {listed(counts.names, most=8)}")
    counts = inputs.directed(counts, args.lower_is_better)
    summed = replace(options, cluster=None)  # clusters are summed already
    return _compare(counts, metrics, summed, args, outputs)


def _compare(
    data: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    args: argparse.Namespace,
    outputs: Outputs,
    kept: BaselineFolder | None = None,
) -> int:
    """Compare and print; the status is 1 where a build check fails."""
    from tellapart.result import compare_counts

    _check_last(args, data.names)
    with DelayedProgress() as progress:
        result = compare_counts(data, metrics, options, progress)
    _write(result, data, args, outputs, kept)
    failures = _failures(result.record) if args.fail_if_worse else []
    for reason in failures:
        say(reason)
    return 1 if failures else 0


def _check_last(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Refuse `--fail-if-worse` where it does not say which system it is about."""
    if args.fail_if_worse and args.baseline is None and len(names) > 2:
        raise UsageError(
            f"--fail-if-worse is about the last of two systems, and here are {len(names)}: "
            "name with --baseline the one that the others are held against"
        )


def _failures(record: Comparison) -> list[str]:
    from tellapart.report.gate import worse

    return worse(record)


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is read."""
    if args.fail_if_worse and args.tail == "greater":
        raise UsageError("--fail-if-worse asks whether a system is worse: drop --tail greater")
    if args.fail_if_worse and args.tail == "less" and args.baseline is None:
        raise UsageError(
            "--tail less is about the first system and --fail-if-worse about the last: name the "
            "old one with --baseline"
        )
    if args.baseline_dir is None:
        if args.accept:
            raise UsageError("--accept is about a baseline that is kept: add --baseline-dir")
    elif args.baseline is not None:
        raise UsageError("--baseline-dir keeps the baseline: drop --baseline")
    if args.pdf is not None:
        from tellapart.report.figures.picture import find_renderer

        find_renderer()


def _request(args: argparse.Namespace) -> inputs.Request:
    """Return what is to be read."""
    changes: dict[str, Any] = {"costs": tuple(args.cost)}
    if args.test == "unpaired":
        changes["missing"] = "own"
    if args.metric and args.cost:  # what is read is what is named
        changes["metrics"] = tuple(dict.fromkeys([*args.metric, *args.cost]))
    return inputs.request(args, **changes)


def _write(
    result: Result,
    data: Counts,
    args: argparse.Namespace,
    outputs: Outputs,
    kept: BaselineFolder | None,
) -> None:
    from tellapart.report.terminal import answers, render
    from tellapart.verbs.outputs import pointers

    record = result.record
    asked = [(pair.a, pair.b) for pair in (record.pair(a, b) for a, b in args.pair)]
    details = cache(partial(_details, result, asked))
    outputs.write(
        {
            "--json": record.to_json,
            "--html": lambda: _page(record, details(), args, outputs),
            **{
                f"--{kind}": partial(_figures, record, details, kind, asked)
                for kind in ("svg", "pdf")
            },
            "--pr": lambda: _pull_request(result, args),
            "--junit": lambda: reports.find_writer("junit").write(record),
            "--save-counts": lambda: _table(data, args.save_counts),
            "--baseline-dir": lambda: (
                {} if kept is None else kept.content(accept=args.accept and not _failures(record))
            ),
        }
    )
    if outputs.on_standard_output:
        return
    width = terminal_width()
    if args.format == "text" and settings.quiet:
        _remark(record)
        show(answers(record, width=width))
    elif args.format == "text":
        colour = in_colour(sys.stdout)
        text = render(record, pointers(args, record), colour=colour, full=args.full, width=width)
        show(text, coloured=colour)
    else:
        _remark(record)
        if args.format == "pr":
            send(_pull_request(result, args))
            return
        send(reports.find_writer(args.format).write(record))


def _table(data: Counts, path: str) -> Content:
    from tellapart.counts.tables import table_content

    return table_content(data, path)


def _details(result: Result, asked: Sequence[tuple[str, str]]) -> Details:
    """Return what the page and the figures show beyond the record."""
    from tellapart.comparison.details import details_of

    with DelayedProgress() as progress:
        return details_of(result.record, result.scored, asked, progress)


def _page(record: Comparison, details: Details, args: argparse.Namespace, outputs: Outputs) -> str:
    from tellapart.report.html.page import render_html
    from tellapart.verbs.outputs import origin

    return render_html(record, details, origin(args.command_line, outputs.read))


def _pull_request(result: Result, args: argparse.Namespace) -> str:
    from tellapart.report.gate import pull_request

    return pull_request(result.record, result.scored, args.page_url or args.html)


def _figures(
    record: Comparison,
    details: Callable[[], Details],
    kind: str,
    asked: Sequence[tuple[str, str]],
) -> Mapping[str, Content]:
    from tellapart.report.figures.collection import figure_files

    return figure_files(record, details(), kind, asked)


def _remark(record: Comparison) -> None:
    """Print on standard error what a table has no place for: the warnings of the report."""
    from tellapart.report.notices import notice_sentences
    from tellapart.report.sentences import disagreement

    for text in filter(None, [disagreement(record), *notice_sentences(record)]):
        say(f"warning: {clean(text)}")
