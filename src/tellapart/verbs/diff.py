"""Lists the items on which two systems differ, largest differences first.

It shows what was right and what each said; of three systems or more, --systems names two.

Examples:
  tellapart diff old.jsonl new.jsonl
  tellapart diff scores.csv --systems birch,alder --metric f1 --most 5
  tellapart diff --as text --gold ref.txt a.txt b.txt --format tsv
  tellapart diff scores.csv --why
"""

from __future__ import annotations

import argparse

from tellapart.console import send, show, terminal_width
from tellapart.options import Number
from tellapart.verbs import inputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    inputs.add_arguments(parser, "diff")
    inputs.add_direction(parser.add_argument_group("items"))
    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--most", type=Number(whole=True, least=0), default=20, metavar="N",
        help="how many items are shown (default: 20; 0 for all)")  # fmt: skip
    add("--better", metavar="NAME", help="only items on which this system is better")
    add("--full", action="store_true", help="whole texts, and all else that is known of an item")
    add("--format", choices=("text", "tsv", "jsonl"), default="text",
        help="tsv and jsonl have whole texts, jsonl all of --full (default: text)")  # fmt: skip
    why = parser.add_argument_group("why they differ")
    labels = "which labels the difference depends on, instead of items"
    why.add_argument("--why", action="store_true", help=labels)
    inputs.add_comparison_options(why, "cluster", "alpha", "seed")


def run(args: argparse.Namespace) -> int:
    """Read, find the items, print them."""
    from tellapart.comparison.explain import explain
    from tellapart.comparison.items import find_differences
    from tellapart.report.differences import render
    from tellapart.report.reasons import render_reasons

    request = inputs.request(args)
    counts = request.read()
    inputs.refuse_one_system(counts, request, "diff")
    inputs.print_notices(counts)
    metrics = request.metrics(counts)
    metric = metrics[0] if metrics else None
    if args.why:
        reasons = explain(counts, metric, inputs.given_options(args))
        text = render_reasons(reasons, args.format, terminal_width())
    else:
        found = find_differences(counts, metric)
        text = render(found, args.better, args.most or None, args.format,
                      full=args.full, width=terminal_width())  # fmt: skip
    (show if args.format == "text" else send)(text)
    return 0
