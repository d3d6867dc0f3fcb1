"""`tellapart campaign export`, `import` and `merge`: decisions in and out."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

from tellapart.console import say, show
from tellapart.errors import UsageError
from tellapart.verbs.campaign_actions.action import Action, file_at, opened
from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.words import listed, several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.exchange import Brought
    from tellapart.campaign.log import QuestionId
    from tellapart.formats.templates.design import Design

HISTORY: Final = "history"
"""Whose decisions those of a history file are, unless it is said"""


def _add_export(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    add_output(output, "--json", "all decisions and remarks, with who made them")
    add_output(output, "--csv", "all decisions as a table")
    add_output(output, "--scores", "what the systems have by what holds now: a table (CSV) that "
               "`compare` reads")  # fmt: skip
    add_output(output, "--history", "what holds about fills, as a history of 1992")
    add_output(output, "--backup", "settings and database as one archive (.zip)")
    add_output(output, "--site", "the board as static pages, which need no server", "DIR")


def _export(args: argparse.Namespace) -> int:
    from tellapart.campaign import exchange
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.histories import history_of
    from tellapart.campaign.judging import load_judging
    from tellapart.formats.templates.history_files import history_content

    if not getattr(args, "outputs", None):
        raise UsageError(
            "there is nothing to export: name --json, --csv, --scores, --history, --backup or "
            "--site"
        )
    campaign = opened(args)
    outputs = outputs_of(args, [args.folder])
    outputs.write(
        {
            "--json": lambda: exchange.log_json(campaign),
            "--csv": lambda: exchange.log_csv(campaign),
            "--scores": lambda: exchange.scores(Desk(campaign, load_judging).judging),
            "--history": lambda: history_content(history_of(campaign)),
            "--backup": lambda: exchange.backup(campaign),
            "--site": lambda: _site(campaign),
        }
    )
    return 0


def _site(campaign: Campaign) -> dict[str, str]:
    """Return the board as static pages."""
    try:
        from tellapart.campaign.web.static_site import site_files
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"--site needs {problem.name}: pip install 'tellapart[campaign]'"
        ) from None
    return site_files(campaign)


def _add_import(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="JSON or CSV as `export` writes them, or a history of 1992")  # fmt: skip
    add("--judge", metavar="NAME", default=HISTORY,
        help=f"who made the decisions of a history (default: {HISTORY})")  # fmt: skip


def _import(args: argparse.Namespace) -> int:
    from tellapart.campaign.exchange import check, read_brought
    from tellapart.campaign.histories import design_of

    campaign = opened(args)
    found = {path: read_brought(path, file_at(path)[1]) for path in args.files}
    for path, each in found.items():  # all, before anything is added
        if each is None:
            check_history(path, design_of(campaign))
        else:
            check(campaign, each)
    for path, each in found.items():
        if each is None:
            import_decisions(campaign, path, args.judge)
        else:
            _bring_in(campaign, each)
    return 0


def _add_merge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="OTHER", help="folders of other campaigns")


def _merge(args: argparse.Namespace) -> int:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.exchange import brought_from, check

    campaign = opened(args)
    for other in args.files:
        if os.path.realpath(other) == os.path.realpath(args.folder):
            raise UsageError(f"{other}: this is the campaign itself; name another one")
    found = [brought_from(Campaign.open(other)) for other in args.files]
    for each in found:  # all, before anything is added
        check(campaign, each)
    for each in found:
        _bring_in(campaign, each)
    return 0


def _bring_in(campaign: Campaign, brought: Brought) -> None:
    from tellapart.campaign.exchange import bring_in

    done = bring_in(campaign, brought)
    told = [several(done.added, "decision") + " added"]
    if done.known:
        told.append(f"{done.known:,} there already")
    told.append(several(done.conflicts, "new conflict"))
    show(f"{brought.place}: {listed(told, len(told))}\n")
    if done.overruled:
        rulings = several(done.overruled, "ruling")
        differ = "differs" if done.overruled == 1 else "differ"
        say(
            f"warning: {rulings} of {brought.place} {differ} from what was ruled here, which "
            "stays; it is kept as an opinion"
        )


def check_history(path: str, design: Design) -> None:
    """Refuse a history that cannot be read, before anything is made or added."""
    from tellapart.formats.templates.history_files import read_history
    from tellapart.formats.templates.problems import raise_fatal

    _, problems = read_history(path, design)
    raise_fatal(problems)


def import_decisions(campaign: Campaign, path: str, judge: str) -> None:
    """Add the decisions of a history as those of a person, and tell how many there were."""
    from tellapart.campaign.histories import import_history

    before = _conflicts(campaign)
    added = import_history(campaign, path, judge)
    new = len(_conflicts(campaign) - before)
    show(f"{path}: {several(added, 'decision')} of {judge} added, {several(new, 'new conflict')}\n")


def _conflicts(campaign: Campaign) -> set[QuestionId]:
    from tellapart.campaign.log import Opinions

    log = Opinions()
    log.add(campaign.log.since())
    return set(log.conflicts())


EXPORT: Final = Action(
    "write decisions, scores, the board or a backup",
    _add_export,
    _export,
    "Writes what a campaign holds.",
)
IMPORT: Final = Action(
    "add decisions from files",
    _add_import,
    _import,
    "Adds decisions from files, with who made them and when. Nothing is added twice, nothing\n"
    "that is there is replaced: where people differ there is a conflict.",
)
MERGE: Final = Action(
    "add the decisions of another campaign",
    _add_merge,
    _merge,
    "Adds the decisions and remarks of other campaigns to those of DIR; people are kept by\n"
    "name. Nothing is added twice; where people differ there is a conflict.",
)
