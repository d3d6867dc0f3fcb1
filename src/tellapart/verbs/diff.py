"""`tellapart diff`: on which items two systems differ."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Sequence

from tellapart.verbs import inputs
from tellapart.console import send, show, terminal_width
from tellapart.errors import UsageError
from tellapart.files import STANDARD
from tellapart.limits import Number

DESCRIPTION = """\
Lists the items on which two systems differ, largest differences first, with
what was right and what each said where the files hold that. The first two
arguments may name the systems; they need not where the files hold just two.
Files and input options are those of compare."""
EXAMPLES = """\
examples:
  tellapart diff old.jsonl new.jsonl
  tellapart diff birch alder scores.csv --metric f1 --most 5
  tellapart diff birch alder logs/*.eval --better alder
  tellapart diff --as text --gold ref.txt a.txt b.txt --find London --format tsv
  tellapart diff birch alder scores.csv --why"""
SHORT_HELP = {
    **inputs.SHORT_HELP,
    "--where": "",
    "--pair": "",
    "--most": "",
    "--better": "",
    "--find": "",
    "--full": "whole texts held against gold, and all else that is known",
    "--format": "text, tsv, jsonl (default: text)",
    "--why": "what explains the difference, instead of items",
    "--cluster": "",
}
"""What `--help` shows; `--help-all` has the rest"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_input_arguments(parser)
    group = parser.add_argument_group("output")
    inputs.add_pair(group, "the two systems, if their names are files, too")
    inputs.add_number(group, "--most", Number(whole=True, least=0), default=20,
                      help="how many items are shown (default: 20; 0 for all)")  # fmt: skip
    add = group.add_argument
    add("--better", metavar="NAME", help="only items on which this system is better")
    add("--find", metavar="TEXT", help="only items with this in their name or texts")
    add("--full", action="store_true",
        help="whole texts compared with gold, and all else that is known of an item: annotated "
             "sentences, rankings, templates slot by slot, runs, counts")  # fmt: skip
    add("--format", choices=("text", "tsv", "jsonl"), default="text",
        help="tsv and jsonl have whole texts, jsonl all of --full (default: text)")  # fmt: skip
    why = parser.add_argument_group("why they differ")
    why.add_argument("--why", action="store_true",
                     help="instead of items: by length and words of gold, by labels, and "
                          "n-grams, each with its test, corrected for all of them")  # fmt: skip
    inputs.add_comparison_options(why, "cluster", "alpha", "seed")


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say what is read."""
    inputs.add_arguments(parser, "diff")
    items = parser.add_argument_group("items")
    inputs.add_where(items)
    inputs.add_direction(items)


def run(args: argparse.Namespace) -> int:
    """Read, find the items, print them."""
    from tellapart.comparison.explain import explain
    from tellapart.comparison.items import find_differences
    from tellapart.report.differences import render
    from tellapart.report.reasons import render_reasons

    names, files = (args.pair, args.systems) if args.pair else systems_and_files(args.systems)
    request = inputs.request(args, systems=tuple(files))
    counts = inputs.chosen_items(request.read(), args.where)
    inputs.refuse_one_system(counts, request, "diff")
    inputs.print_notices(counts)
    counts = inputs.directed(counts, args.lower_is_better)
    metrics = request.metrics(counts)
    metric = metrics[0] if metrics else None
    if args.why:
        reasons = explain(counts, names, metric, inputs.given_options(args))
        text = render_reasons(reasons, args.format, terminal_width())
    else:
        found = find_differences(counts, names, metric)
        text = render(found, args.better, args.find, args.most or None, args.format,
                      full=args.full, width=terminal_width())  # fmt: skip
    (show if args.format == "text" else send)(text)
    return 0


def _names_files(argument: str) -> bool:
    """Return whether this is NAME=path; `alder (top_p=1)` is what a system may be called.

    >>> _names_files("alder=runs/*.eval"), _names_files("alder (top_p=1)")
    (True, False)
    """
    paths = argument.partition("=")[2].split(",")
    return any(glob.has_magic(path) or os.path.exists(path) for path in paths if path)


def systems_and_files(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell the names of two systems from the files after them.

    A name is no file, or is there again as one: `diff alder birch alder/ birch/`.
    """
    names = []
    for place, argument in enumerate(arguments[:2]):
        rest = {other.rstrip("/") for other in arguments[place + 1 :]}
        is_file = _names_files(argument) or argument == STANDARD or os.path.exists(argument)
        if is_file and argument not in rest:
            break
        names.append(argument)
    files = list(arguments[len(names) :])
    if len(names) == 1:
        raise UsageError(
            f"{names[0]!r} is no file: name two systems and then the files, or the files alone"
        )
    if len(set(names)) < len(names):
        raise UsageError(f"{names[0]!r} appears twice; name two different systems")
    if not files:
        raise UsageError(f"there is no file {names[0]!r}; name the files after the two systems")
    return names, files
