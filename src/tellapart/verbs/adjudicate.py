"""`tellapart adjudicate`: people decide about fills that do not match the key."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from tellapart.campaign.settings import read_settings
from tellapart.console import INTERRUPTED, interruptions_raised, say, show
from tellapart.errors import UsageError
from tellapart.formats.sources import paths_of
from tellapart.options import Output
from tellapart.verbs.outputs import Outputs, add_output
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.terminal import Sitting
    from tellapart.formats.templates.decisions import DecisionStore
    from tellapart.formats.templates.session import Session

DESCRIPTION = """\
Asks what no program can decide. Of a campaign: all its questions, beside the web page or instead
of it. Otherwise: every fill that does not match the key (match, partial match or mismatch?).
Decisions are kept at once, so that nothing is lost when you stop."""
EXAMPLES = """\
examples:
  tellapart adjudicate campaign/ --judge ann
  tellapart adjudicate --gold key.txt --history history.txt GE.txt UMASS.txt
  tellapart adjudicate --gold key.txt --history history.txt --texts texts.txt GE.txt
  tellapart adjudicate --gold key.txt --history judged/ --judge ann GE.txt
  tellapart adjudicate --history history.txt --merge theirs.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("responses", nargs="*", metavar="RESPONSE",
        help="a file of templates, or NAME=file; or the folder of a campaign, alone")  # fmt: skip
    add("--gold", metavar="FILE", help="the answer key")
    add_output(
        parser, "--history", "where decisions are kept: a file or a folder, which may be new"
    )
    add("--judge", metavar="NAME",
        help="who decides, kept with decisions in a folder (default: your login name)")  # fmt: skip
    add("--texts", metavar="FILE", help="the messages, to show the sentence of a fill")
    add("--merge", action="append", default=[], metavar="FILE",
        help="add the decisions of another history; conflicts are asked or listed")  # fmt: skip
    add("--slots", default="muc4", metavar="TABLE",
        help="template design: muc4, muc3 or a file (default: muc4)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Merge, then ask."""
    from tellapart.campaign.decisions import is_campaign
    from tellapart.formats.templates.decisions import is_folder, open_store
    from tellapart.formats.templates.design import load_design

    if args.history is None and len(args.responses) == 1 and os.path.isdir(args.responses[0]):
        args.history, args.responses = args.responses[0], []
        read_settings(args.history)  # or it is refused: there is no campaign in it
    if args.history is None:
        raise UsageError(
            "decisions are kept in a history: give --history FILE, or name the folder of a campaign"
        )
    campaign = is_campaign(args.history)
    if campaign:
        _refuse_beside_campaign(args)
    elif not args.merge and not args.responses:
        raise UsageError("there is nothing to decide: name a RESPONSE, or --merge a history")
    if args.responses and not args.gold:
        raise UsageError("responses are judged by an answer key: give --gold FILE")
    if args.judge is not None and not is_folder(args.history):
        raise UsageError(
            f"--judge is kept with decisions in a folder, and {args.history} is a history file, "
            "which does not tell who decided; drop it, or give --history DIR"
        )
    responses = paths_of(args.responses)
    others = [path for path in (args.gold, args.texts, args.slots) if path is not None]
    history = Output("--history", args.history, is_folder(args.history))
    read = (*responses, *args.merge, *others)
    Outputs({"--history": history}, read)
    if not campaign or args.merge:
        store = open_store(args.history, load_design(args.slots), args.judge)
        for warning in store.warnings:
            say(f"warning: {warning}")
    if args.merge:
        _merge(args, store)
    elif campaign:
        return _judge(args)
    return _adjudicate(args, store) if args.responses else 0


def _refuse_beside_campaign(args: argparse.Namespace) -> None:
    """Refuse what a campaign has itself."""
    if args.responses:
        raise UsageError(
            f"{args.history}: a campaign has its systems in it; add others with `tellapart "
            "campaign add`, and name the folder alone"
        )
    for name in ("gold", "texts"):
        if getattr(args, name) is not None:
            raise UsageError(f"{args.history}: a campaign has its files in it; drop --{name}")


def _judge(args: argparse.Namespace) -> int:
    """Ask what is open in a campaign."""
    from tellapart.campaign.decisions import extra_needed, judge_name

    with extra_needed(args.history):
        from tellapart.campaign.terminal import sit_down
    sitting = sit_down(args.history, judge_name(args.judge))
    return _sit(sitting, args)


def _merge(args: argparse.Namespace, store: DecisionStore) -> None:
    from tellapart.formats.templates.decisions import interrupts_wait, merge_into, read_decisions
    from tellapart.formats.templates.design import load_design
    from tellapart.formats.templates.dialogue import settle
    from tellapart.formats.templates.problems import raise_fatal

    read = [(path, *read_decisions(path, load_design(args.slots))) for path in args.merge]
    found = [problem for _, _, problems in read for problem in problems]
    raise_fatal(found)
    for problem in found:
        say(f"warning: {problem}")
    for path, other, _ in read:
        with interrupts_wait():
            merger = merge_into(store, other)
        added, conflicts = len(merger.gains), merger.conflicts
        show(f"{path}: {several(added, 'decision')} added, {several(len(conflicts), 'conflict')}\n")
        if conflicts and sys.stdin is not None and sys.stdin.isatty():
            taken, left = settle(store, conflicts)
            show(f"{path}: {several(taken, 'decision')} taken over, {left} left to decide\n")
        else:
            for conflict in conflicts:
                show(f"  {conflict}\n")


def _adjudicate(args: argparse.Namespace, store: DecisionStore) -> int:
    from tellapart.formats.templates.dialogue import Terminal
    from tellapart.formats.templates.evaluation import Files, read_evaluation
    from tellapart.formats.templates.session import Session

    files = Files(args.gold, tuple(args.responses), slots=args.slots, texts=args.texts)
    evaluation = read_evaluation(files, store.history)
    for each in evaluation.notices:
        say(f"warning: {each.text}")
    person = Terminal(store.history, evaluation.texts)
    session = Session(tuple(evaluation.tasks.values()), store, person)
    return _sit(session, args)


def _sit(sitting: Session | Sitting, args: argparse.Namespace) -> int:
    """Let a person decide, and tell what is kept."""
    try:
        with interruptions_raised():
            done = sitting.run()
    except KeyboardInterrupt:
        show(f"\ninterrupted: {_kept(sitting, args)}\n")
        return INTERRUPTED
    show(f"{'done' if done else 'stopped'}: {_kept(sitting, args)}\n")
    return 0


def _kept(sitting: Session | Sitting, args: argparse.Namespace) -> str:
    return f"{several(sitting.decisions, 'decision')} of this sitting in {args.history}"
