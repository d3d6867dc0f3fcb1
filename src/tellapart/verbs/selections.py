"""`tellapart compare --by selection`: systems on selections of slots; whether they are special."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.console import say, show, terminal_width
from tellapart.errors import UsageError
from tellapart.verbs.inputs import given_options

if TYPE_CHECKING:
    from tellapart.counts.selections import SelectionCounts
    from tellapart.verbs.outputs import Outputs


def check_selections(args: argparse.Namespace) -> None:
    """Refuse options that a table of selections has no place for."""
    for option in ("html", "pdf", "save_counts", "baseline_dir", "pr", "junit"):
        if getattr(args, option) is not None:
            named = option.replace("_", "-")
            raise UsageError(f"--by selection prints tables and draws one figure: drop --{named}")
    if args.tail != "two":
        raise UsageError("whether a selection is special is asked both ways: drop --tail")
    if args.item_labels:
        raise UsageError("selections are lists of slots, which have no labels: drop --item-labels")


def show_selections(selected: SelectionCounts, args: argparse.Namespace, outputs: Outputs) -> int:
    """Print how the systems do on each selection, and whether that is special."""
    from tellapart.comparison.selections import compare_selections, contrast_overall
    from tellapart.report.figures.layout import standalone
    from tellapart.report.figures.selections import selections_figure
    from tellapart.report.selections import render_selections, selections_json

    options = given_options(args)
    for warning in selected.warnings:
        say(f"warning: {warning}")
    found = compare_selections(selected.slots, options)
    overall = contrast_overall(selected.slots, options)
    outputs.write(
        {
            "--json": lambda: selections_json(found, overall, selected.row, options),
            "--svg": lambda: {"selections.svg": standalone(selections_figure(found))},
        }
    )
    if not outputs.on_standard_output:
        show(render_selections(found, overall, selected.row, options, terminal_width()))
    return 0
