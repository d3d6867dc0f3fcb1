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
    from tellapart.report.figures.picture import Picture
    from tellapart.report.figures.selections import selections_figure
    from tellapart.report.selections import render_selections, selections_json, selections_page
    from tellapart.verbs.outputs import origin

    refuse(args, "--by selection has a table and one figure",
           "--save-counts", "--baseline-dir", "--pr", "--junit")  # fmt: skip
    refuse(args, "selections are lists of slots, without labels, and are asked about both ways",
           "--item-labels", "--tail")  # fmt: skip
    options = given_options(args)
    for warning in selected.warnings:
        warn(warning)
    found = compare_selections(selected.slots, options)
    overall = contrast_overall(selected.slots, options)
    about = found, overall, selected.row, options
    picture = Picture("selections", selections_figure(found))
    outputs.write(
        {
            "--json": lambda: selections_json(*about),
            "--html": lambda: selections_page(*about, origin(args.command_line, outputs.read)),
            "--svg": lambda: {"selections.svg": picture.svg},
            "--pdf": lambda: {"selections.pdf": lambda stream: stream.write(picture.pdf)},
        }
    )
    if not outputs.on_standard_output:
        show(render_selections(*about, terminal_width()))
    return 0
