"""`tellapart adjudicate`: people decide about fills that do not match the key."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.commands.outputs import Outputs, add_output
from tellapart.console import say, show
from tellapart.errors import UsageError
from tellapart.formats.sources import paths_of
from tellapart.options import Output
from tellapart.program import INTERRUPTED, interruptions_raised
from tellapart.read_once import start_reading
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.formats.muc.decisions import DecisionStore
    from tellapart.formats.muc.session import Session

DESCRIPTION = """\
Shows every fill that does not match the key, and takes a decision: match, partial match or
mismatch. Decisions go to the history at once, so that nothing is lost when you stop."""
EXAMPLES = """\
examples:
  tellapart adjudicate --gold key.txt --history history.txt GE.txt UMASS.txt
  tellapart adjudicate --gold key.txt --history history.txt --texts texts.txt GE.txt
  tellapart adjudicate --gold key.txt --history judged/ --judge ann GE.txt
  tellapart adjudicate --history history.txt --merge theirs.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("responses", nargs="*", metavar="RESPONSE", help="a file of templates, or NAME=file")
    add("--gold", metavar="FILE", help="the answer key")
    add_output(
        parser,
        "--history",
        "where decisions are kept: a file or a folder, which may be new",
        required=True,
    )
    add("--judge", metavar="NAME",
        help="who decides, kept with decisions in a folder (default: your login name)")  # fmt: skip
    add("--texts", metavar="FILE", help="the messages, to show the sentence of a fill")
    add("--merge", action="append", default=[], metavar="FILE",
        help="add the decisions of another history; conflicts are listed; repeatable")  # fmt: skip
    add("--slots", default="muc4", metavar="TABLE",
        help="template design: muc4, muc3 or a file (default: muc4)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Merge, then ask."""
    from tellapart.formats.muc.decisions import is_folder, open_store
    from tellapart.formats.muc.slots import load_design

    if not args.merge and not args.responses:
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
    start_reading(read)
    store = open_store(args.history, load_design(args.slots), args.judge)
    for warning in store.warnings:
        say(f"warning: {warning}")
    if args.merge:
        _merge(args, store)
    return _adjudicate(args, store) if args.responses else 0


def _merge(args: argparse.Namespace, store: DecisionStore) -> None:
    from tellapart.formats.muc.decisions import interrupts_wait, merge_into, read_decisions
    from tellapart.formats.muc.problems import raise_fatal
    from tellapart.formats.muc.slots import load_design

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
        for conflict in conflicts:
            show(f"  {conflict}\n")


def _adjudicate(args: argparse.Namespace, store: DecisionStore) -> int:
    from tellapart.formats.muc.dialogue import Terminal
    from tellapart.formats.muc.evaluation import Files, read_evaluation
    from tellapart.formats.muc.session import Session

    files = Files(args.gold, tuple(args.responses), slots=args.slots, texts=args.texts)
    evaluation = read_evaluation(files, store.history)
    for each in evaluation.notices:
        say(f"warning: {each.text}")
    person = Terminal(store.history, evaluation.texts)
    session = Session(tuple(evaluation.tasks.values()), store, person)
    try:
        with interruptions_raised():
            done = session.run()
    except KeyboardInterrupt:
        show(f"\ninterrupted: {_kept(session, args)}\n")
        return INTERRUPTED
    show(f"{'done' if done else 'stopped'}: {_kept(session, args)}\n")
    return 0


def _kept(session: Session, args: argparse.Namespace) -> str:
    return f"{several(session.decisions, 'decision')} of this sitting in {args.history}"
