"""`tellapart campaign`: make a campaign, add systems and people, and take decisions in and out."""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from typing import Final

from tellapart.verbs.campaign_actions.action import extra_needed
from tellapart.verbs.campaign_actions.decisions import EXPORT, IMPORT
from tellapart.verbs.campaign_actions.new import NEW
from tellapart.verbs.campaign_actions.people import PEOPLE, REPORT, STATUS
from tellapart.verbs.campaign_actions.systems import ADD, REMOVE

DESCRIPTION = """\
A campaign is a folder in which several people judge what systems wrote: its settings
(campaign.toml) and a database with the files, the people and all decisions. People judge in
the browser (`tellapart serve DIR`) or at a terminal (`tellapart adjudicate DIR`)."""
EXAMPLES = """\
examples:
  tellapart campaign new answers/ --as items
  tellapart campaign add answers/ alder=alder.jsonl birch=birch.jsonl
  tellapart campaign people answers/ --add ann --role judge
  tellapart campaign status answers/
  tellapart campaign export answers/ --scores scores.csv

see tellapart campaign ACTION --help"""

ACTIONS: Final = {
    "new": NEW,
    "add": ADD,
    "remove": REMOVE,
    "people": PEOPLE,
    "status": STATUS,
    "report": REPORT,
    "export": EXPORT,
    "import": IMPORT,
}
"""What can be done with a campaign, by name"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, and the options of each."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    for name, action in ACTIONS.items():
        own = actions.add_parser(
            name,
            help=action.about,
            description=action.description,
            epilog=action.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        own.add_argument("folder", metavar="DIR", help="the folder of the campaign")
        action.add(own)


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    with extra_needed():
        import_module("tellapart.campaign.campaign")
    status = ACTIONS[args.action].run(args)
    _note_deed(args)
    return status


def _note_deed(args: argparse.Namespace) -> None:
    """Keep what was changed in a campaign, for its organisers to see."""
    from tellapart.campaign.campaign import Campaign

    told = {name: getattr(args, name, None) for name in ("files", "add", "role", "revoke")}
    changed = args.action in ("add", "remove", "import") or told["add"] or told["revoke"]
    if changed and os.path.isdir(args.folder):
        if not told["add"]:
            del told["role"]
        words = (
            " ".join(map(os.path.basename, value)) if isinstance(value, list) else value
            for value in told.values()
        )
        Campaign.open(args.folder).note_deed(
            None, f"campaign {args.action} {' '.join(filter(None, words))}"
        )
