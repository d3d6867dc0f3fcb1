"""`tellapart compare`: whether A is really better than B, and which systems can be told apart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.commands import inputs
from tellapart.commands.inputs import add_comparison_options, given_options
from tellapart.commands.outputs import check_outputs, refuse_replacing
from tellapart.console import say, show
from tellapart.errors import UsageError
from tellapart.files import STANDARD, make_folder, write_text
from tellapart.progress import DelayedProgress
from tellapart.report import registry as reports
from tellapart.report.numbers import pair_adjusted, signed, size
from tellapart.significance.options import OPTIONS
from tellapart.words import clean

if TYPE_CHECKING:
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
    add("--json", metavar="FILE", help="write the record; - for standard output, alone")
    add(
        "--html", metavar="FILE", help="write the whole report as one page, with pictures and items"
    )
    add("--svg", metavar="DIR", help="draw every figure as an SVG file in this folder")
    ours = ",".join(reports.WRITERS)  # listing those of other packages would take a while
    add("--format", choices=reports.NAMES, default="text", metavar=f"{{{ours}}}",
        help="on standard output: the report, or one table (default: text)")  # fmt: skip
    add("--save-counts", metavar="FILE", help="write the counts as a table")
    add("--sensitivity", action="store_true",
        help="show which metrics tell systems apart, by randomization and bootstrap")  # fmt: skip
    add("--fail-if-worse", action="store_true",
        help="status 1 if the last of two systems is worse than the first, or not shown to be "
        "within --margin of it; with --baseline, if any other system is")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    _check(args)
    request = _request(args)
    select = request.format.selections
    if args.by == "selection" and select is not None:
        _check_selections(args)
        return _show_selections(select(request.sources, request.options), args, request)
    from tellapart.comparison.compare import compare_with

    with DelayedProgress() as progress:
        counts = inputs.chosen_items(request.read(progress), args.where)
    counts = inputs.directed(counts, args.lower_is_better)
    if args.save_counts:
        counts.to_table(args.save_counts)
    if args.by == "selection" and args.by not in counts.labels:
        raise UsageError("there is no label 'selection'; those of --only go with --as muc")
    if args.sensitivity:
        return _show_sensitivity(counts, request, args)
    if args.fail_if_worse and args.baseline is None and len(counts.names) > 2:
        raise UsageError(
            f"--fail-if-worse is about the last of two systems, and here are {len(counts.names)}: "
            "name with --baseline the one that the others are held against"
        )
    with DelayedProgress() as progress:
        metrics = request.metrics(counts)
        result = compare_with(given_options(args), counts, metrics, progress=progress)
    _write(result, args, request)
    worse = list(_worse(result)) if args.fail_if_worse else []
    for reason in worse:
        say(reason)
    return 1 if worse else 0


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
    """Return what is to be read, once it is sure that no output replaces it."""
    changes: dict[str, Any] = {"all_metrics": args.sensitivity}
    if args.test == "unpaired":
        changes["missing"] = "own"
    request = inputs.request(args, **changes)
    outputs = {"--json": args.json, "--html": args.html, "--save-counts": args.save_counts}
    check_outputs(outputs, request.files, folders=[args.svg])
    return request


def _check_selections(args: argparse.Namespace) -> None:
    """Refuse options that a table of selections has no place for."""
    if args.html is not None:
        raise UsageError("--by selection prints tables and draws one figure: drop --html")
    if args.tail != "two":
        raise UsageError("whether a selection is special is asked both ways: drop --tail")
    if args.item_labels:
        raise UsageError("selections are lists of slots, which have no labels: drop --item-labels")


def _show_selections(
    selected: SelectionCounts, args: argparse.Namespace, request: inputs.Request
) -> int:
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
    if args.json:
        write_text(args.json, selections_json(found, overall, selected.row, options))
    if args.svg is not None:
        path = Path(args.svg) / "selections.svg"
        refuse_replacing([path], request.files)
        make_folder(args.svg)
        write_text(path, draw(found, "selections"))
    if args.json != "-" and overall is None:
        show(render_selections(found, selected.row, options.correction))
    elif args.json != "-" and overall is not None:
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


def _show_sensitivity(counts: Counts, request: inputs.Request, args: argparse.Namespace) -> int:
    """Print the metrics side by side."""
    from tellapart.comparison.sensitivity import sensitivity
    from tellapart.report import sensitivity as report

    with DelayedProgress() as progress:
        found = sensitivity(counts, request.metrics(counts), given_options(args), progress)
    if args.json:
        write_text(args.json, report.sensitivity_json(found))
    if args.json != "-":
        table = args.format == "tsv"
        show(report.sensitivity_table(found) if table else report.render_sensitivity(found))
    return 0


def _write(result: Comparison, args: argparse.Namespace, request: inputs.Request) -> None:
    from tellapart.commands.outputs import in_colour, pointers
    from tellapart.report.terminal import render

    if args.json:
        write_text(args.json, result.to_json())
    if args.html is not None or args.svg is not None:
        _draw(result, args, request)
    if STANDARD in (args.json, args.html):
        return
    if args.format == "text":
        colour = in_colour(sys.stdout)
        show(render(result, pointers(args, result), colour=colour), coloured=colour)
    else:
        _remark(result)
        show(reports.find_writer(args.format).write(result))


def _remark(result: Comparison) -> None:
    """Print on standard error what a table has no place for: the warnings of the report."""
    from tellapart.report.verdict import disagreement

    texts = [disagreement(result), *(clean(notice.text) for notice in result.warnings)]
    for text in filter(None, texts):
        say(f"warning: {text}")


def _draw(result: Comparison, args: argparse.Namespace, request: inputs.Request) -> None:
    """Write what has pictures: the page, the figures."""
    from tellapart.commands.outputs import origin
    from tellapart.comparison.details import details_of
    from tellapart.report.figures.collection import write_figures
    from tellapart.report.html.page import render_html

    with DelayedProgress() as progress:
        details = details_of(result, progress)
    if args.html is not None:
        write_text(
            args.html, render_html(result, details, origin(args.command_line, request.files))
        )
    if args.svg is not None:
        write_figures(
            args.svg, result, details, lambda paths: refuse_replacing(paths, request.files)
        )


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
