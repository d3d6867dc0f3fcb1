"""`tellapart score`: how good each system is, in the task's own report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from tellapart.console import show, terminal_width, warn
from tellapart.formats.registry import Report, SystemReport
from tellapart.options import options_of
from tellapart.progress import DelayedProgress
from tellapart.report.table import Column, Table, columns_of, terminal
from tellapart.report.text import INDENT, filled_parts, readable
from tellapart.verbs import inputs
from tellapart.verbs.outputs import FolderContent, add_output, outputs_of
from tellapart.words import json_text

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
    inputs.add_arguments(parser, "score")
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the scores; - for standard output")


def run(args: argparse.Namespace) -> int:
    """Score, print."""
    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    report = _report(request)
    texts = [*(notice.text for notice in report.notices), *map(str, report.findings)]
    for text in dict.fromkeys(texts):
        warn(text)
    flags = {each.name: each.flag for each in options_of(request.format.options)}
    written = {flags[name]: partial(_drawn, content) for name, content in report.files.items()}
    outputs.write({"--json": lambda: _json(report), **written})
    if not outputs.on_standard_output:
        show(_text(report.systems, readable(terminal_width())))
    return 0


def _report(request: inputs.Request) -> Report:
    """Return the format's own report, or plain scores where it has none."""
    from tellapart.formats.plain_report import plain_report

    with DelayedProgress() as progress:
        if request.format.report is not None:
            sources = replace(request.sources, progress=progress)
            return request.format.report(sources, request.options)
        counts = request.read(progress)
    plain = plain_report(counts, request.metrics(counts) or ())
    # Clusters matter to tests only.
    notices = tuple(notice for notice in plain.notices if notice.code != "maybe-clustered")
    return replace(plain, notices=notices)


def _drawn(content: Any) -> str | FolderContent:
    """Return a text, or those of a folder, in which charts become pictures."""
    from tellapart.report.figures.bars import bars_figure
    from tellapart.report.figures.layout import standalone

    if isinstance(content, str):
        return content
    return {
        name: part if isinstance(part, str) else standalone(bars_figure(part))
        for name, part in content.items()
    }


def _json(report: Report) -> str:
    # Not asdict: reports are large, and it would copy all that is in them.
    names = [field.name for field in fields(SystemReport) if field.name != "text"]
    systems = [{name: getattr(each, name) for name in names} for each in report.systems]
    return json_text({"systems": systems})


def _text(scored: Sequence[SystemReport], width: int) -> str:
    """Return the task's own reports, or a plain table where there are none."""
    if any(each.text is not None for each in scored):
        return "\n".join(each.text for each in scored if each.text is not None)
    columns = [
        Column("system", "name", lambda system: system.name),
        *columns_of(scored[0].scores, lambda system, metric: f"{system.scores[metric]:.3f}",
                    of_systems=False),
    ]  # fmt: skip
    lines = [row.removeprefix(INDENT) for row in terminal(Table.of(scored, columns, keys=1), width)]
    signatures = scored[0].report.get("signatures", {})
    lines += [_signature(metric, text, width) for metric, text in signatures.items()]
    return "\n".join(lines) + "\n"


def _signature(metric: str, signature: str, width: int) -> str:
    line = f"{metric}: {signature}"
    return line if len(line) <= width else f"{metric}:\n{filled_parts(signature, INDENT, width)}"
