"""`tellapart compare`: whether A is really better than B, and which systems can be told apart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tellapart.commands import inputs
from tellapart.commands.baseline_dir import BaselineFolder
from tellapart.commands.inputs import add_comparison_options, given_options
from tellapart.commands.outputs import Outputs, add_output, outputs_of
from tellapart.console import in_colour, is_quiet, say, send, show, terminal_width
from tellapart.errors import UsageError
from tellapart.progress import DelayedProgress
from tellapart.report import registry as reports
from tellapart.significance.options import OPTIONS
from tellapart.words import clean

if TYPE_CHECKING:
    from tellapart.comparison.details import Details
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts
    from tellapart.writing import Content

DESCRIPTION = """\
Compares systems on the same items and says which differences are real.
SYSTEM is a table (CSV, TSV, JSONL, Parquet; .gz, .zst; - for standard input),
or NAME=table for a table of one system, or NAME=run1,run2 for several runs of it;
with --as, a system's output in that format, scored against --gold."""
EXAMPLES = """\
examples:
  tellapart compare scores.csv --html report.html
  tellapart compare old=a.jsonl new=b.jsonl --cluster document
  tellapart compare --as text --gold ref.txt --metric chrf a.txt b.txt"""

_ITEM_OPTIONS = ("cluster", "by")
SHORT_HELP = {
    **inputs.SHORT_HELP,
    "--cluster": "",
    "--where": "",
    "--human": "people's scores, which correct those of a judge",
    "--test": "auto, exact, shuffle, bootstrap, t, … (default: auto)",
    "--alpha": "",
    "--baseline": "",
    "--margin": "",
    "--html": "write the whole report as one page",
    "--json": "write the record; - for standard output",
    "--format": "what is printed: text, tsv, md, latex, …",
    "--quiet": "print the answer alone",
    "--fail-if-worse": "status 1 if the last system is worse than the first",
}
"""What `--help` shows; `--help-all` has the rest"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "compare")
    _add_items(parser.add_argument_group("items"))
    _add_test(parser.add_argument_group("the test"))
    _add_output(parser.add_argument_group("output"))
    _add_checks(parser.add_argument_group("build checks"))


def _add_items(group: argparse._ArgumentGroup) -> None:
    add_comparison_options(group, "cluster")
    inputs.add_where(group)
    inputs.add_direction(group)
    inputs.add_human(group)
    add_comparison_options(group, "by")


def _add_test(group: argparse._ArgumentGroup) -> None:
    own = (*_ITEM_OPTIONS, "cost")
    add_comparison_options(group, *(name for name in OPTIONS if name not in own))
    add_comparison_options(group, "cost", action="extend", type=inputs.names_in, default=[])


def _add_output(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add_output(group, "--json", "write the record; - for standard output, alone")
    add_output(group, "--html", "write the whole report as one page, with pictures and items")
    drawn = "draw the figures as SVG files in this folder: the overview, and few pairs or --pair"
    add_output(group, "--svg", drawn, "DIR")
    add_output(group, "--pdf", "draw them as PDF files, with their fonts", "DIR")
    add_output(group, "--png", "draw them as PNG files", "DIR")
    add("--pair", nargs=2, action="append", default=[], metavar=("A", "B"),
        help="show this pair in full (--html) and draw it (--svg), however many systems there are; "
        "also A,B; repeatable")  # fmt: skip
    ours = ", ".join(reports.WRITERS)  # listing those of other packages would take a while
    add("--format", choices=reports.NAMES, default="text", metavar="NAME",
        help=f"what is printed: {ours} (default: text)")  # fmt: skip
    add(
        "--full",
        action="store_true",
        help="print all systems, groups and tasks, however many there are",
    )
    add_output(group, "--save-counts", "write the counts as a table")


def _add_checks(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--fail-if-worse", action="store_true",
        help="status 1 if the last of two systems is worse than the first, or not shown to be "
        "within --margin of it; with --baseline, if any other system is")  # fmt: skip
    kept = "compare one system with the last accepted run, which this folder keeps"
    add_output(group, "--baseline-dir", kept, "DIR")
    add(
        "--accept",
        action="store_true",
        help="if the check is passed, or there is no baseline yet, keep this run as the baseline",
    )
    add("--count-looks", action="store_true",
        help="the k-th run that is checked on the same items gets the share 1/(k(k+1)) of alpha, "
        "so that the whole series keeps it")  # fmt: skip
    add_output(group, "--pr", "write a summary in Markdown for a pull request")
    add_output(group, "--junit", "write the check as JUnit XML, for build servers")
    add("--page-url", metavar="URL", help="the address of the page of --html, for the link in --pr")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    if args.human:
        from tellapart.commands import judged

        return judged.compare(args)
    _check(args)
    request = _request(args)
    outputs = outputs_of(args, request.files)
    if args.save_counts is not None:
        from tellapart.counts.tables import table_format

        table_format(args.save_counts)
    select = request.format.selections
    if args.by == "selection" and select is not None:
        _check_selections(args)
        return _show_selections(select(request.sources, request.options), args, outputs)
    from tellapart.comparison.compare import compare_with

    with DelayedProgress() as progress:
        counts = inputs.chosen_items(request.read(progress), args.where)
    if args.baseline_dir is None:
        inputs.refuse_one_system(counts, request, "compare")
    counts = inputs.directed(counts, args.lower_is_better)
    if args.by == "selection" and args.by not in counts.labels:
        raise UsageError("there is no label 'selection'; those of --only go with --as muc")
    kept = None if args.baseline_dir is None else BaselineFolder.of(args, counts)
    if kept is not None and kept.baseline is None:
        return kept.begin(outputs)
    if kept is not None:
        counts = kept.against(counts)
    _check_last(args, counts.names)
    with DelayedProgress() as progress:
        metrics = request.metrics(counts)
        options = given_options(args) if kept is None else kept.options()
        result = compare_with(options, counts, metrics, progress=progress)
    _write(result, counts, args, outputs, kept)
    if not args.fail_if_worse:
        return 0
    worse = _failures(result)
    for reason in worse:
        say(reason)
    return 1 if worse else 0


def _check_last(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Refuse `--fail-if-worse` where it does not say which system it is about."""
    if args.fail_if_worse and args.baseline is None and len(names) > 2:
        raise UsageError(
            f"--fail-if-worse is about the last of two systems, and here are {len(names)}: "
            "name with --baseline the one that the others are held against"
        )


def _failures(result: Comparison) -> list[str]:
    from tellapart.report.build_checks import checks

    return [each.failure for each in checks(result) if each.failure]


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
        for given, option in ((args.accept, "--accept"), (args.count_looks, "--count-looks")):
            if given:
                raise UsageError(f"{option} is about a baseline that is kept: add --baseline-dir")
    elif args.baseline is not None:
        raise UsageError("--baseline-dir keeps the baseline: drop --baseline")
    if args.pdf is not None or args.png is not None:
        from tellapart.report.figures.picture import find_renderer

        find_renderer()


def _request(args: argparse.Namespace) -> inputs.Request:
    """Return what is to be read."""
    changes: dict[str, Any] = {}
    if args.test == "unpaired":
        changes["missing"] = "own"
    if args.metric and args.cost:  # what is read is what is named
        changes["metrics"] = tuple(dict.fromkeys([*args.metric, *args.cost]))
    return inputs.request(args, **changes)


def _check_selections(args: argparse.Namespace) -> None:
    """Refuse options that a table of selections has no place for."""
    for option in ("html", "pdf", "png", "save_counts", "baseline_dir", "pr", "junit"):
        if getattr(args, option) is not None:
            named = option.replace("_", "-")
            raise UsageError(f"--by selection prints tables and draws one figure: drop --{named}")
    if args.tail != "two":
        raise UsageError("whether a selection is special is asked both ways: drop --tail")
    if args.item_labels:
        raise UsageError("selections are lists of slots, which have no labels: drop --item-labels")


def _show_selections(selected: SelectionCounts, args: argparse.Namespace, outputs: Outputs) -> int:
    """Print how the systems do on each selection, and whether that is special."""
    from tellapart.comparison.selections import compare_selections, contrast_overall
    from tellapart.report.figures.selections import draw
    from tellapart.report.selections import render_contrast, render_selections, selections_json

    options = given_options(args)
    for warning in selected.warnings:
        say(f"warning: {warning}")
    found = compare_selections(
        selected.slots,
        shuffles=options.shuffles,
        seed=options.seed,
        correction=options.correction,
    )
    overall = contrast_overall(selected.slots, shuffles=options.shuffles, seed=options.seed)
    outputs.write(
        {
            "--json": lambda: selections_json(found, overall, selected.row, options),
            "--svg": lambda: {"selections.svg": draw(found, "selections")},
        }
    )
    if outputs.on_standard_output:
        return 0
    if overall is None:
        show(render_selections(found, selected.row, options.correction))
    else:
        show(render_contrast(found, overall, selected.row, options.correction))
    return 0


_WHOLE = ("tsv", "p-values")
"""Reports that have every pair, however many there are"""


def _write(
    result: Comparison,
    counts: Counts,
    args: argparse.Namespace,
    outputs: Outputs,
    kept: BaselineFolder | None,
) -> None:
    from tellapart.commands.outputs import pointers
    from tellapart.comparison.boards import as_shown
    from tellapart.counts.tables import table_content
    from tellapart.report.display_names import display_names
    from tellapart.report.terminal import finding, render

    asked = _asked_pairs(result, args.pair)
    whole, result = result, as_shown(result, asked)
    details = cache(partial(_details, result, asked))
    outputs.write(
        {
            "--json": whole.to_json,
            "--html": lambda: _page(result, details(), args, outputs),
            **{
                f"--{kind}": partial(_figures, result, details, kind, asked)
                for kind in ("svg", "pdf", "png")
            },
            "--pr": lambda: _pull_request(result, args),
            "--junit": lambda: reports.find_writer("junit").write(result),
            "--save-counts": lambda: table_content(counts, args.save_counts),
            "--baseline-dir": lambda: (
                {} if kept is None else kept.content(accept=args.accept and not _failures(whole))
            ),
        }
    )
    if outputs.on_standard_output:
        return
    if args.format == "text" and is_quiet():
        _remark(result)
        shown = display_names(result).applied(result)
        show("".join(f"{finding(shown, metric)}\n" for metric in result.metrics))
    elif args.format == "text":
        colour = in_colour(sys.stdout)
        text = render(
            result, pointers(args, result), colour=colour, full=args.full, width=terminal_width()
        )
        show(text, coloured=colour)
    else:
        _remark(result)
        if args.format == "pr":
            send(_pull_request(result, args))
            return
        send(reports.find_writer(args.format).write(whole if args.format in _WHOLE else result))


def _asked_pairs(result: Comparison, given: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the pairs that are to be shown in detail, however many systems there are."""
    return [(pair.a, pair.b) for pair in (result.pair(a, b) for a, b in given)]


def _details(result: Comparison, asked: Sequence[tuple[str, str]]) -> Details:
    """Return what the page and the figures show beyond the record."""
    from tellapart.comparison.details import details_of

    with DelayedProgress() as progress:
        return details_of(result, progress, asked)


def _page(result: Comparison, details: Details, args: argparse.Namespace, outputs: Outputs) -> str:
    from tellapart.commands.outputs import origin
    from tellapart.report.html.page import render_html

    return render_html(result, details, origin(args.command_line, outputs.read))


def _pull_request(result: Comparison, args: argparse.Namespace) -> str:
    from tellapart.report.build_checks import pull_request

    return pull_request(result, args.page_url or args.html)


def _figures(
    result: Comparison,
    details: Callable[[], Details],
    kind: str,
    asked: Sequence[tuple[str, str]],
) -> Mapping[str, Content]:
    from tellapart.report.figures.collection import figure_files

    return figure_files(result, details(), kind, asked)


def _remark(result: Comparison) -> None:
    """Print on standard error what a table has no place for: the warnings of the report."""
    from tellapart.report.verdict import disagreement

    texts = [disagreement(result), *(clean(notice.text) for notice in result.warnings)]
    for text in filter(None, texts):
        say(f"warning: {text}")
