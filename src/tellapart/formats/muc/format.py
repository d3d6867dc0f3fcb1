"""`--as muc`: templates of the Message Understanding Conferences against an answer key."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.muc.counts import SelectedSlots
    from tellapart.formats.muc.evaluation import Evaluation, Files
    from tellapart.formats.muc.scoring import Run
    from tellapart.formats.registry import Scored

NAMES = ("muc",)
ROWS = (
    "all-templates", "matched-missing", "matched-spurious", "matched-only", "set-fills",
    "string-fills",
)  # fmt: skip
REPORTS = ("pairs", "messages", "totals")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `compare` and `score` share."""
    add = parser.add_argument_group("templates (--as muc)").add_argument
    add("--history", metavar="FILE", help="human decisions on fills that did not match")
    add("--replay", metavar="FILE", help="score in the historical order, with its decisions")
    add("--pairings", metavar="FILE", help="pairings of templates, instead of automatic ones")
    add("--slots", default="muc4", metavar="TABLE",
        help="template design: muc4, muc3 or a file (default: muc4)")  # fmt: skip
    add("--row", choices=ROWS, default=ROWS[0], metavar="ROW",
        help=f"what counts: {', '.join(ROWS)} (default: {ROWS[0]})")  # fmt: skip
    add("--texts", metavar="FILE",
        help="the messages, for `adjudicate`; scores do not depend on them")  # fmt: skip
    add("--only", metavar="FILE",
        help="score only these slots: lines `message template slot [selection]`")  # fmt: skip


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that only `score` has."""
    add = parser.add_argument_group("reports (--as muc)").add_argument
    add("--report", choices=REPORTS, default=REPORTS[0],
        help="a table per pair of templates, per message, or totals only")  # fmt: skip
    add("--report-dir", metavar="DIR", help="write one report per system, NAME.txt")


def read_counts(args: argparse.Namespace) -> Counts:
    """Score the systems, and count per message, template or slot."""
    evaluation = _evaluation(args)
    return _counts(evaluation, evaluation.score_selected(), args)


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system, and write the report in the layout of the conferences."""
    from tellapart.formats.muc.report import render
    from tellapart.formats.registry import Scored
    from tellapart.formats.scoring import scored_counts

    evaluation = _evaluation(args)
    runs = evaluation.score_selected()
    plain = scored_counts(_counts(evaluation, runs, args), args.metric)
    texts = {}
    if len(runs) == 1 or args.report_dir:
        texts = {name: render(run, args.report) for name, run in runs.items()}
    if args.report_dir:
        _write_reports(args.report_dir, texts)
        texts = {}
    return [
        Scored(
            each.name,
            each.scores,
            each.counts,
            _records(evaluation, runs, each.name, args.report) if args.json else {},
            next(iter(texts.values()), None),
        )
        for each in plain
    ]


def selected_slots(args: argparse.Namespace) -> list[SelectedSlots]:
    """Return the slots of each selection of `--only` and system, to be compared with the rest."""
    from tellapart.formats.muc.counts import selected_slots

    if not args.only:
        raise UsageError("--by selection needs selections: give --only FILE")
    evaluation = _evaluation(args)
    return list(selected_slots(evaluation.score(), args.row, evaluation.selections or {}))


def add_validate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `validate`."""
    parser.add_argument("--slots", default="muc4", metavar="TABLE",
                        help="muc: template design, muc4, muc3 or a file")  # fmt: skip


def validate(args: argparse.Namespace) -> list[str]:
    """List all that is wrong with files of templates, or of decisions."""
    from tellapart.formats.muc.checking import check

    if len(args.gold) > 1:
        raise UsageError("templates have one answer key: give one --gold FILE")
    found = check(args.files, args.gold[0] if args.gold else None, args.slots)
    return [str(each) if each.fatal else f"warning: {each}" for each in found]


def _files(args: argparse.Namespace) -> Files:
    from tellapart.formats.muc.evaluation import Files

    if len(args.gold) != 1:
        raise UsageError("templates need one answer key: --gold FILE")
    return Files(
        args.gold[0],
        tuple(args.systems),
        args.history,
        args.replay,
        args.pairings,
        args.only,
        args.slots,
        args.texts,
    )


def _evaluation(args: argparse.Namespace) -> Evaluation:
    """Read everything, and print the warnings."""
    from tellapart.formats.muc.evaluation import read_evaluation

    evaluation = read_evaluation(_files(args))
    warn(evaluation)
    return evaluation


def warn(evaluation: Evaluation) -> None:
    """Print every warning: each line that could not be read, and all other notices."""
    others = [each.text for each in evaluation.notices if each.code != "muc-format"]
    for text in [*map(str, evaluation.findings), *others]:
        print(f"tellapart: warning: {text}", file=sys.stderr)


def _counts(evaluation: Evaluation, runs: dict[str, Run], args: argparse.Namespace) -> Counts:
    from dataclasses import replace

    from tellapart.formats.muc.counts import run_counts
    from tellapart.formats.muc.selections import union
    from tellapart.formats.runs import average_runs

    rules = None if evaluation.selections is None else union(evaluation.selections)
    counts = run_counts(runs, args.item or "message", args.row, rules)
    if any(len(names) > 1 for names in evaluation.runs_of.values()):
        counts = average_runs(
            {
                system: [replace(counts.systems[name], names=(system,)) for name in names]
                for system, names in evaluation.runs_of.items()
            }
        )
    return replace(counts, notices=(*counts.notices, *evaluation.notices))


def _records(
    evaluation: Evaluation, runs: dict[str, Run], system: str, level: str
) -> dict[str, object]:
    from tellapart.formats.muc.report import report_record

    names = evaluation.runs_of[system]
    if len(names) == 1:
        return report_record(runs[names[0]], level)
    return {"runs": [report_record(runs[name], level) for name in names]}


def _write_reports(folder: str, texts: dict[str, str]) -> None:
    """Write all reports, each whole or not at all."""
    from tellapart.files import write_text

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(
            f"{folder}: the folder cannot be made ({problem.strerror}); give another"
        ) from None
    for name, text in texts.items():
        write_text(place / f"{name.replace('/', '_')}.txt", text)
