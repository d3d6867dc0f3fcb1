"""`tellapart adjudicate`: people decide about fills that do not match the key."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.console import say, show
from tellapart.errors import UsageError
from tellapart.files import check_writable
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.formats.muc.history import History
    from tellapart.formats.muc.session import Session
    from tellapart.formats.muc.slots import Design

DESCRIPTION = """\
Shows every fill that does not match the key, and takes a decision: match, partial match or
mismatch. Decisions go to the history at once, so that nothing is lost when you stop."""
EXAMPLES = """\
examples:
  tellapart adjudicate --gold key.txt --history history.txt GE.txt UMASS.txt
  tellapart adjudicate --gold key.txt --history history.txt --texts texts.txt GE.txt
  tellapart adjudicate --history history.txt --merge theirs.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("responses", nargs="*", metavar="RESPONSE", help="a file of templates, or NAME=file")
    add("--gold", metavar="FILE", help="the answer key")
    add("--history", required=True, metavar="FILE", help="where decisions are kept; may be new")
    add("--texts", metavar="FILE", help="the messages, to show the sentence of a fill")
    add("--merge", action="append", default=[], metavar="FILE",
        help="add the decisions of another history; conflicts are listed; repeatable")  # fmt: skip
    add("--slots", default="muc4", metavar="TABLE",
        help="template design: muc4, muc3 or a file (default: muc4)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Merge, then ask."""
    if not args.merge and not args.responses:
        raise UsageError("there is nothing to decide: name a RESPONSE, or --merge a history")
    if args.responses and not args.gold:
        raise UsageError("responses are judged by an answer key: give --gold FILE")
    check_writable(args.history)
    if args.merge:
        _merge(args)
    return _adjudicate(args) if args.responses else 0


def _read(path: str, design: Design) -> History:
    from tellapart.formats.muc.history_files import read_history
    from tellapart.formats.muc.problems import raise_fatal

    history, problems = read_history(path, design)
    raise_fatal(problems)
    return history


def _own_history(args: argparse.Namespace, design: Design) -> History:
    """Return the history, or a new one."""
    from tellapart.formats.muc.history import History

    return _read(args.history, design) if Path(args.history).exists() else History()


def _merge(args: argparse.Namespace) -> None:
    from tellapart.formats.muc.history import merge
    from tellapart.formats.muc.history_files import write_history
    from tellapart.formats.muc.slots import load_design

    design = load_design(args.slots)
    history = _own_history(args, design)
    others = [(path, _read(path, design)) for path in args.merge]
    for path, other in others:
        added, conflicts = merge(history, other)
        show(f"{path}: {several(added, 'decision')} added, {several(len(conflicts), 'conflict')}\n")
        for conflict in conflicts:
            show(f"  {conflict}\n")
    write_history(args.history, history)


def _adjudicate(args: argparse.Namespace) -> int:
    from tellapart.formats.muc.dialogue import Terminal
    from tellapart.formats.muc.evaluation import Files, read_evaluation
    from tellapart.formats.muc.session import Session

    known = args.history if Path(args.history).exists() else None
    evaluation = read_evaluation(
        Files(args.gold, tuple(args.responses), known, slots=args.slots, texts=args.texts)
    )
    for line in evaluation.warnings:
        say(f"warning: {line}")
    history = evaluation.history
    person = Terminal(history, evaluation.texts)
    session = Session(tuple(evaluation.tasks.values()), history, args.history, person)
    try:
        done = session.run()
    except KeyboardInterrupt:
        show(f"\ninterrupted: {_kept(session, args)}\n")
        return 130
    show(f"{'done' if done else 'stopped'}: {_kept(session, args)}\n")
    return 0


def _kept(session: Session, args: argparse.Namespace) -> str:
    return f"{several(session.decisions, 'decision')} of this sitting in {args.history}"
