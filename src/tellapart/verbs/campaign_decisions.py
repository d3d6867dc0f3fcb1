"""`tellapart campaign export` and `import`: decisions of a campaign or a history, in and out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tellapart.console import say, show
from tellapart.errors import UsageError
from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.opinions import Decision
    from tellapart.files import Content
    from tellapart.formats.templates.design import Design


def add_export(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `export`."""
    output = parser.add_argument_group("output")
    add_output(output, "--json", "all decisions, with who made them")
    add_output(output, "--history", "what holds about fills, as a history of 1992")
    add_output(output, "--key", "of a campaign about keys, the settled key, to be --gold")
    add_output(output, "--scores", "of a campaign, a table (CSV) for `compare --test exact`")


def run_export(args: argparse.Namespace) -> None:
    """Write what is asked for."""
    from tellapart.campaign import exchange
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.history import history_of
    from tellapart.campaign.judging import desk_of
    from tellapart.counts.tables import table_content
    from tellapart.files import STANDARD
    from tellapart.formats.templates.history_files import history_text

    outputs = outputs_of(args, [args.folder])
    if not outputs.named:
        raise UsageError("there is nothing to export: name --json, --history, --key or --scores")
    campaign = None if os.path.isfile(args.folder) else Campaign.open(args.folder)
    design = partial(_design, campaign, args.folder)
    rows = exchange.rows_in(args.folder, design)
    about: dict[str, object] = {}
    contents: dict[str, Callable[[], Content]] = {
        "--json": lambda: exchange.rows_json(rows, **about),
        "--history": lambda: history_text(history_of(rows, design(), args.folder)),
    }
    if campaign is not None:
        people = [{"name": each.name, "role": each.role} for each in campaign.people()]
        title, judging = campaign.settings.title, campaign.settings.judging
        about |= {"title": title, "judging": judging, "people": people}
        contents["--key"] = lambda: exchange.settled(desk_of(campaign))
        contents["--scores"] = lambda: table_content(desk_of(campaign).judging.counts(), STANDARD)
    outputs.write(contents)
    if campaign is not None and "--scores" in outputs.named:
        progress = desk_of(campaign).progress("")
        if progress.open:
            say(f"warning: {several(progress.open, 'open question')}: scores can still change")


def _design(campaign: Campaign | None, *files: str) -> Design:
    """Return the slots of templates: those of a campaign, or else of what files are about."""
    from tellapart.campaign.exchange import design_in, design_of

    return design_in(files) if campaign is None else design_of(campaign)


def add_import(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `import`."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FROM",
        help="JSON of `export`, a history of 1992, or the folder of a campaign")  # fmt: skip
    add("--judge", metavar="NAME", default="history",
        help="who made the decisions of a history (default: history)")  # fmt: skip


def run_import(args: argparse.Namespace) -> None:
    """Add decisions, of all files or of none."""
    from tellapart.campaign import exchange
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.opinions import DEED

    for other in args.files:
        if os.path.realpath(other) == os.path.realpath(args.folder):
            raise UsageError(f"{other}: this is where decisions are brought to; name another place")
    campaign = Campaign.open(args.folder) if os.path.isdir(args.folder) else None
    design = partial(_design, campaign, args.folder, *args.files)
    read = {path: exchange.rows_in(path, design, args.judge) for path in args.files}
    if campaign is None:
        _import_into_history(args.folder, design(), read)
        return
    for path, rows in read.items():  # all, before anything is added
        exchange.check(campaign, rows, path)
    for path, rows in read.items():
        _bring_in(campaign, path, rows)
    names = " ".join(map(os.path.basename, args.files))
    campaign.log.remark(None, DEED, f"campaign import {names}")


def _bring_in(campaign: Campaign, path: str, rows: list[Decision]) -> None:
    """Add decisions to a campaign, and tell how many there were."""
    from tellapart.campaign.exchange import join

    added, conflicts, opposed = join(campaign, rows)
    known = f", {len(rows) - added:,} there already" if added < len(rows) else ""
    show(
        f"{path}: {several(added, 'decision')} added{known}, {several(conflicts, 'new conflict')}\n"
    )
    if opposed:
        differ, kept = ("differs", "it is") if opposed == 1 else ("differ", "they are")
        say(
            f"warning: {several(opposed, 'ruling')} of {path} {differ} from what was ruled here, "
            f"which stays; {kept} kept as {'an opinion' if opposed == 1 else 'opinions'}"
        )


def _import_into_history(path: str, design: Design, read: dict[str, list[Decision]]) -> None:
    """Add to a history file what holds elsewhere; where both differ, what it has stays."""
    from tellapart.campaign.exchange import join_history
    from tellapart.formats.templates.history_files import HistoryFile

    file = HistoryFile(path, design)
    for warning in file.warnings:
        say(f"warning: {warning}")
    for source, rows in read.items():
        gains, conflicts = join_history(file, rows, source)
        added = several(len(gains), "decision")
        show(f"{source}: {added} added, {several(len(conflicts), 'conflict')}\n")
        for conflict in conflicts:
            show(f"  {conflict}\n")
