"""Asks what no program can decide: a campaign's questions, or fills that do not match a key.

Decisions about fills stand in a history file. Each is kept at once.

Examples:
  tellapart adjudicate campaign/ --judge ann
  tellapart adjudicate --gold key.txt --history history.txt GE.txt UMASS.txt
  tellapart adjudicate --gold key.txt --history history.txt --texts texts.txt GE.txt

`tellapart campaign import` and `export` take decisions from one place to another.
"""

from __future__ import annotations

import argparse
import getpass
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from tellapart.console import INTERRUPTED, show, until_interrupted
from tellapart.errors import UsageError
from tellapart.formats.contract import paths_of
from tellapart.verbs import inputs
from tellapart.verbs.campaign import extra_needed
from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.terminal import Sitting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("responses", nargs="+", metavar="RESPONSE",
        help="a file of templates, or NAME=file; or the folder of a campaign, alone")  # fmt: skip
    add("--as", choices=("muc", "templates"),
        help="what the files are (default: told from the key)")  # fmt: skip
    add("--gold", metavar="FILE", help="the answer key")
    add_output(parser, "--history", "the file that keeps decisions; it may be new")
    add("--judge", metavar="NAME",
        help="who decides, kept with decisions of a campaign (default: your login name)",
        )  # fmt: skip
    add("--texts", metavar="FILE", help="the messages, to show the sentence of a fill")
    add("--slots", default="muc4", choices=("muc4", "muc3"),
        help="template design of files of 1992 (default: muc4)")  # fmt: skip
    add("--schema", metavar="FILE", help="which slots templates in JSON have, and how they match")


def run(args: argparse.Namespace) -> int:
    """Let a person decide, and tell what is kept."""
    place, *others = args.responses
    if os.path.isdir(place) and not others:
        sitting = _at_campaign(args, place)
    else:
        place, sitting = args.history, _at_history(args)
    finished = until_interrupted(sitting.run)
    end = {True: "done", False: "stopped", None: "\ninterrupted"}[finished]
    show(f"{end}: {several(sitting.decisions, 'decision')} of this sitting in {place}\n")
    return INTERRUPTED if finished is None else 0


def _at_campaign(args: argparse.Namespace, folder: str) -> Sitting:
    """Return a sitting over a campaign, which has its files in it."""
    inputs.refuse(args, f"{folder}: a campaign has its files in it",
                  "--as", "--gold", "--texts", "--schema", "--history")  # fmt: skip
    with extra_needed():
        from tellapart.campaign.terminal import sit_down

        return sit_down(folder, _judge(args.judge))


def _judge(given: str | None) -> str:
    """Return who decides: the one named, or else who is logged in."""
    from tellapart.campaign.campaign import MOST_LETTERS, checked_name

    with suppress(KeyError, OSError, ImportError):  # nobody may be logged in
        given = getpass.getuser() if given is None else given
    if not given or not given.strip():
        raise UsageError("the decisions are kept with who made them: give --judge NAME")
    return checked_name(given, MOST_LETTERS)


def _at_history(args: argparse.Namespace) -> Sitting:
    """Return a sitting over files, whose decisions a history keeps."""
    from tellapart.campaign.terminal import sit_down_with_files
    from tellapart.formats.templates.format import TemplateOptions

    if args.history is None or args.gold is None:
        raise UsageError("give --gold FILE and --history FILE, or name the folder of a campaign")
    if args.judge is not None:
        raise UsageError("--judge goes with a campaign: a history does not tell who decided")
    others = [path for path in (args.gold, args.texts, args.schema) if path]
    outputs_of(args, [*paths_of(args.responses), *others])  # refuses what cannot be written
    options = TemplateOptions(slots=args.slots, texts=args.texts, schema=args.schema)
    return sit_down_with_files(args.gold, args.responses, args.history, options)
