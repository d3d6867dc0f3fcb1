"""`tellapart score`: how good each system is, in the task's own report."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import fields

from tellapart.commands import inputs
from tellapart.files import write_text
from tellapart.formats.registry import FORMATS, Scored, chosen
from tellapart.report.fitting import WIDTH, filled_parts

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
        if hasattr(module, "add_score_arguments"):
            module.add_score_arguments(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--json", metavar="FILE", help="write the scores; - for standard output")


def run(args: argparse.Namespace) -> int:
    """Score, print."""
    from tellapart.formats.logs.detection import TotalsError

    try:
        scored = chosen(args).score(args)
    except TotalsError as error:
        raise error.about_scores() from None
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
    blocks = ["\n".join(_table(scored, metrics)) for metrics in _fitting(scored)]
    signatures = scored[0].report.get("signatures", {})
    lines = [_signature(metric, signature) for metric, signature in signatures.items()]
    return "\n".join(["\n\n".join(blocks), *lines]) + "\n"


def _signature(metric: str, signature: str) -> str:
    line = f"{metric}: {signature}"
    return line if len(line) <= WIDTH else f"{metric}:\n{filled_parts(signature, '  ')}"


def _fitting(scored: list[Scored]) -> list[list[str]]:
    """Share the metrics out among tables that fit a terminal."""
    shares: list[list[str]] = [[]]
    for metric in scored[0].scores:
        if shares[-1] and len(_table(scored, [*shares[-1], metric])[0]) > WIDTH:
            shares.append([])
        shares[-1].append(metric)
    return shares


def _table(scored: list[Scored], metrics: list[str]) -> list[str]:
    """Write scores as a table, one line for each system."""
    names = ["system", *(each.name for each in scored)]
    rows = [names]
    for metric in metrics:
        cells = [metric, *(f"{each.scores[metric]:.3f}" for each in scored)]
        width = max(6, *map(len, cells))
        rows.append([cell.rjust(width) for cell in cells])
    width = max(map(len, names))
    rows[0] = [name.ljust(width) for name in names]
    return ["  ".join(cells) for cells in zip(*rows, strict=True)]
