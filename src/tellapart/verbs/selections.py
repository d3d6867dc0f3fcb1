"""`tellapart compare --by selection`: systems on selections of slots; whether they are special."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.console import show, terminal_width, warn
from tellapart.verbs.inputs import given_options, refuse

if TYPE_CHECKING:
    from tellapart.counts.selections import SelectionCounts
    from tellapart.verbs.outputs import Outputs


def show_selections(selected: SelectionCounts, args: argparse.Namespace, outputs: Outputs) -> int:
    """Print how the systems do on each selection, and whether that is special."""
    from tellapart.comparison.selections import compare_selections, contrast_overall
    from tellapart.report.figures.layout import standalone
    from tellapart.report.figures.selections import selections_figure
    from tellapart.report.selections import render_selections, selections_json

    refuse(args, "--by selection prints tables and draws one figure",
           "--html", "--pdf", "--save-counts", "--baseline-dir", "--pr", "--junit")  # fmt: skip
    refuse(args, "selections are lists of slots, without labels, and are asked about both ways",
           "--item-labels", "--tail")  # fmt: skip
    options = given_options(args)
    for warning in selected.warnings:
        warn(warning)
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
