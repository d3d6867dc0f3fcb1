"""`tellapart compare`: whether A is really better than B, and which systems can be told apart."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tellapart.commands import inputs
from tellapart.commands.inputs import add_comparison_options, given_options
from tellapart.commands.outputs import Outputs, add_output, outputs_of
from tellapart.console import say, send, show
from tellapart.errors import UsageError
from tellapart.progress import DelayedProgress
from tellapart.report import registry as reports
from tellapart.report.numbers import pair_adjusted, signed, size
from tellapart.significance.options import OPTIONS
from tellapart.words import clean

if TYPE_CHECKING:
    from tellapart.comparison.details import Details
    from tellapart.comparison.record import Comparison, PairResult
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts

DESCRIPTION = """\
Compares systems on the same items and says which differences are real.
SYSTEM is a table (CSV, TSV, JSONL, Parquet; .gz; - for standard input), or
NAME=table for a table of one system, or NAME=run1,run2 for several runs of it;
with --as, a system's output in that format, scored against --gold."""
EXAMPLES = """\
examples:
  tellapart compare counts.csv
  tellapart compare counts.csv --metric f1 --test exact --alpha 0.10 --correction none
  tellapart compare old=a.jsonl new=b.jsonl --cluster document --json result.json
  tellapart compare scores.csv --test shuffle --shuffles 999999 --seed 1
  tellapart compare --as text --gold ref.txt a.txt b.txt --sensitivity"""

_ITEM_OPTIONS = ("cluster", "by", "strata")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "compare")
    _add_items(parser.add_argument_group("items"))
    _add_test(parser.add_argument_group("the test"))
    _add_output(parser.add_argument_group("output"))


def _add_items(group: argparse._ArgumentGroup) -> None:
    add_comparison_options(group, "cluster")
    inputs.add_where(group)
    inputs.add_direction(group)
    add_comparison_options(group, "by", "strata")


def _add_test(group: argparse._ArgumentGroup) -> None:
    shown = (name for name, option in OPTIONS.items() if option.help is not None)
    add_comparison_options(group, *(name for name in shown if name not in _ITEM_OPTIONS))


def _add_output(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add_output(group, "--json", "write the record; - for standard output, alone")
    add_output(group, "--html", "write the whole report as one page, with pictures and items")
    add_output(group, "--svg", "draw every figure as an SVG file in this folder", "DIR")
    ours = ",".join(reports.WRITERS)  # listing those of other packages would take a while
    add("--format", choices=reports.NAMES, default="text", metavar=f"{{{ours}}}",
        help="on standard output: the report, or one table (default: text)")  # fmt: skip
    add_output(group, "--save-counts", "write the counts as a table")
    add("--sensitivity", action="store_true",
        help="show which metrics tell systems apart, by randomization and bootstrap")  # fmt: skip
    add("--fail-if-worse", action="store_true",
        help="status 1 if the last of two systems is worse than the first, or not shown to be "
        "within --margin of it; with --baseline, if any other system is")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
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
    counts = inputs.directed(counts, args.lower_is_better)
    if args.by == "selection" and args.by not in counts.labels:
        raise UsageError("there is no label 'selection'; those of --only go with --as muc")
    if args.sensitivity:
        return _show_sensitivity(counts, request, args, outputs)
    if args.fail_if_worse and args.baseline is None and len(counts.names) > 2:
        raise UsageError(
            f"--fail-if-worse is about the last of two systems, and here are {len(counts.names)}: "
            "name with --baseline the one that the others are held against"
        )
    with DelayedProgress() as progress:
        metrics = request.metrics(counts)
        with warnings.catch_warnings():
            warnings.showwarning = _told
            result = compare_with(given_options(args), counts, metrics, progress=progress)
    _write(result, counts, args, outputs)
    worse = list(_worse(result)) if args.fail_if_worse else []
    for reason in worse:
        say(reason)
    return 1 if worse else 0


def _told(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning of the work itself, such as that a cluster was lost."""
    say(f"warning: {message}")


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is read."""
    if args.fail_if_worse and args.tail == "greater":
        raise UsageError("--fail-if-worse asks whether a system is worse: drop --tail greater")
    if args.fail_if_worse and args.tail == "less" and args.baseline is None:
        raise UsageError(
            "--tail less is about the first system and --fail-if-worse about the last: name the "
            "old one with --baseline"
        )
    if args.sensitivity:
        _check_sensitivity(args)


def _request(args: argparse.Namespace) -> inputs.Request:
    """Return what is to be read."""
    changes: dict[str, Any] = {"all_metrics": args.sensitivity}
    if args.test == "unpaired":
        changes["missing"] = "own"
    return inputs.request(args, **changes)


def _check_selections(args: argparse.Namespace) -> None:
    """Refuse options that a table of selections has no place for."""
    for option in ("html", "save_counts"):
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


def _check_sensitivity(args: argparse.Namespace) -> None:
    """Refuse options that a table of metrics has no place for, rather than ignore them."""
    unused = ("by", "svg", "html", "margin", "min_confidence", "fail_if_worse", "checks")
    for name in unused:
        if getattr(args, name) not in (None, False):
            raise UsageError(
                f"--sensitivity shows metrics side by side: drop --{name.replace('_', '-')}"
            )
    if args.format not in ("text", "tsv"):
        raise UsageError(f"--sensitivity prints text or tsv: drop --format {args.format}")


def _show_sensitivity(
    counts: Counts, request: inputs.Request, args: argparse.Namespace, outputs: Outputs
) -> int:
    """Print the metrics side by side."""
    from tellapart.comparison.sensitivity import sensitivity
    from tellapart.counts.tables import table_content
    from tellapart.report import sensitivity as report

    with DelayedProgress() as progress:
        found = sensitivity(counts, request.metrics(counts), given_options(args), progress)
    outputs.write(
        {
            "--json": lambda: report.sensitivity_json(found),
            "--save-counts": lambda: table_content(counts, args.save_counts),
        }
    )
    if not outputs.on_standard_output:
        if args.format == "tsv":
            send(report.sensitivity_table(found))
        else:
            show(report.render_sensitivity(found))
    return 0


def _write(result: Comparison, counts: Counts, args: argparse.Namespace, outputs: Outputs) -> None:
    from tellapart.commands.outputs import in_colour, pointers
    from tellapart.counts.tables import table_content
    from tellapart.report.terminal import render

    details = cache(partial(_details, result))
    outputs.write(
        {
            "--json": result.to_json,
            "--html": lambda: _page(result, details(), args, outputs),
            "--svg": lambda: _figures(result, details()),
            "--save-counts": lambda: table_content(counts, args.save_counts),
        }
    )
    if outputs.on_standard_output:
        return
    if args.format == "text":
        colour = in_colour(sys.stdout)
        show(render(result, pointers(args, result), colour=colour), coloured=colour)
    else:
        _remark(result)
        send(reports.find_writer(args.format).write(result))


def _details(result: Comparison) -> Details:
    """Return what the page and the figures show beyond the record."""
    from tellapart.comparison.details import details_of

    with DelayedProgress() as progress:
        return details_of(result, progress)


def _page(result: Comparison, details: Details, args: argparse.Namespace, outputs: Outputs) -> str:
    from tellapart.commands.outputs import origin
    from tellapart.report.html.page import render_html

    return render_html(result, details, origin(args.command_line, outputs.read))


def _figures(result: Comparison, details: Details) -> dict[str, str]:
    from tellapart.report.figures.collection import figure_files

    return figure_files(result, details)


def _remark(result: Comparison) -> None:
    """Print on standard error what a table has no place for: the warnings of the report."""
    from tellapart.report.verdict import disagreement

    texts = [disagreement(result), *(clean(notice.text) for notice in result.warnings)]
    for text in filter(None, texts):
        say(f"warning: {text}")


def _worse(result: Comparison) -> Iterator[str]:
    """Yield which systems in question are worse than another, or not shown to be no worse.

    In question is the last of two systems; with a baseline, every other one against it.
    """
    from tellapart.comparison.ranking import favours_worse_scorer, in_question

    for pair in result.pairs:
        seen = in_question(result, pair)
        if result.margin is not None and not seen.a_no_worse:
            yield _margin_not_kept(result, seen, result.margin)
        behind = f"{signed(seen.difference)} against {seen.b} by {seen.metric}"
        if result.margin is None and seen.different and seen.favours == seen.b:
            p = f"p = {pair_adjusted(seen, result.alpha)}"
            if favours_worse_scorer(result, seen):
                yield f"the {seen.method} test speaks against {seen.a} ({p}): {behind}"
            else:
                yield f"{seen.a} is worse: {behind} ({p})"


def _margin_not_kept(result: Comparison, seen: PairResult, margin: float) -> str:
    """Say that a system is not shown to stay within a margin, and how much it may lose."""
    found = (
        f"{seen.a} is not shown to stay within {margin:g} of {seen.b} by {seen.metric}: the "
        f"difference is {signed(seen.difference)}"
    )
    low, high = seen.interval or (None, None)
    sign, end = (-1, low) if result.metrics[seen.metric].higher_is_better else (1, high)
    if end is None or sign * end <= margin:
        return found
    link = "but" if sign * seen.difference <= margin else "and"
    return f"{found}, {link} a loss of up to {size(end)} is not ruled out"
