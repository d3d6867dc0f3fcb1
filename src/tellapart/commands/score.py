"""`tellapart score`: how good each system is, in the task's own report."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import fields

from tellapart.commands import inputs
from tellapart.commands.formats import FORMATS, Scored, chosen
from tellapart.files import write_text

HELP = "how good is each system? (the task's own report)"
DESCRIPTION = """\
Scores systems against gold answers and prints the report of the task.
SYSTEM is a table of counts or scores, or with --as a system's output in that
format; NAME=file gives it a name."""
EXAMPLES = """\
examples:
  tellapart score counts.csv
  tellapart score counts.csv --metric f0.5 --json -
  tellapart score --as text --gold ref.txt --metric bleu --metric nist a.txt b.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    inputs.add_arguments(parser)
    for module in FORMATS:
        module.add_arguments(parser)
        module.add_score_arguments(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--json", metavar="FILE", help="write the scores; - for standard output")


def run(args: argparse.Namespace) -> int:
    """Score, print."""
    scored = chosen(args).score(args)
    if args.json:
        write_text(args.json, _json(scored))
    if args.json != "-":
        sys.stdout.write(_text(scored))
    return 0


def _json(scored: list[Scored]) -> str:
    # Not asdict: reports are large, and it would copy all that is in them.
    names = [field.name for field in fields(Scored) if field.name != "text"]
    systems = [{name: getattr(each, name) for name in names} for each in scored]
    return json.dumps({"systems": systems}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _text(scored: list[Scored]) -> str:
    """Print the task's own reports, or a plain table where there are none."""
    if any(each.text is not None for each in scored):
        return "\n".join(each.text or "" for each in scored)
    metrics = list(scored[0].scores)
    width = max(6, *(len(each.name) for each in scored))
    columns = [max(6, len(metric)) for metric in metrics]
    lines = [
        "  ".join(
            ["system".ljust(width), *(m.rjust(w) for m, w in zip(metrics, columns, strict=True))]
        )
    ]
    for each in scored:
        cells = [f"{each.scores[m]:{w}.3f}" for m, w in zip(metrics, columns, strict=True)]
        lines.append("  ".join([each.name.ljust(width), *cells]))
    signatures = scored[0].report.get("signatures", {})
    lines += [f"{metric}: {signature}" for metric, signature in signatures.items()]
    return "\n".join(lines) + "\n"
