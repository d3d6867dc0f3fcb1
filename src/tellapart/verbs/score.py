"""Scores systems, against gold answers if need be, and prints the report of the task.

Examples:
  tellapart score counts.csv
  tellapart score counts.csv --metric f0.5 --json -
  tellapart score --as text --gold ref.txt --metric bleu --metric nist a.txt b.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from textwrap import dedent
from typing import TYPE_CHECKING

from tellapart.console import DelayedProgress, terminal_width, warn
from tellapart.formats.contract import Report, SystemReport
from tellapart.options import options_of
from tellapart.report.table import Cell, Column, Table, columns_of, terminal
from tellapart.report.text import INDENT, ends, filled, percent, plain, warnings_text
from tellapart.verbs import inputs
from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.words import json_text

if TYPE_CHECKING:
    from tellapart.comparison.options import Options
    from tellapart.comparison.record import Comparison, Ends


_OPEN: Ends = (None, None)  # an interval of which nothing is known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    inputs.add_arguments(parser, "score")
    inputs.add_comparison_options(parser.add_argument_group("intervals"), "cluster", "alpha")
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the scores; - for standard output")


def run(args: argparse.Namespace) -> int:
    """Score, print."""
    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    report, singles = _report(request, inputs.given_options(args))
    for text in dict.fromkeys(notice.text for notice in report.notices):
        warn(text)
    flags = {each.name: each.flag for each in options_of(request.format.options)}
    written = {flags[name]: partial(report.files.__getitem__, name) for name in report.files}
    text = _text(report.systems, singles, terminal_width())
    outputs.write({"--json": lambda: _json(report, singles), **written}, text)
    return 0


def _report(request: inputs.Request, options: Options) -> tuple[Report, tuple[Comparison, ...]]:
    """Return the format's own report, or scores and what is known of each system by itself."""
    from tellapart.comparison.compare import compare
    from tellapart.formats.contract import plain_report

    with DelayedProgress() as progress:
        if request.format.report is not None:
            sources = replace(request.sources, progress=progress)
            return request.format.report(sources, request.options), ()
        counts = request.read()
        metrics = request.metrics(counts)
        plain = plain_report(counts, metrics or ())
        if counts.judgments is not None or counts.present is not None:
            return plain, ()  # scores of systems beside others, or on items of their own
        singles = tuple(
            compare(counts.systems[(name,)], metrics, options, progress)[0] for name in counts.names
        )
    return plain, singles


def _json(report: Report, singles: Sequence[Comparison]) -> str:
    # Not asdict: reports are large, and it would copy all that is in them.
    names = [field.name for field in fields(SystemReport) if field.name != "text"]
    systems = [{name: getattr(each, name) for name in names} for each in report.systems]
    for system, single in zip(systems, singles, strict=False):
        system["intervals"] = single.systems[0].intervals
    return json_text({"systems": systems})


def _text(scored: Sequence[SystemReport], singles: Sequence[Comparison], width: int) -> str:
    """Return the task's own reports; else a sentence on one system, or a table of several."""
    if any(each.text is not None for each in scored):
        return "\n".join(each.text for each in scored if each.text is not None)
    if len(singles) == 1:
        from tellapart.report.document import conclusion

        lines = [filled(conclusion(singles[0], metric), width=width) for metric in scored[0].scores]
    else:
        table = Table.of(scored, _columns(scored, singles), keys=1)
        lines = [dedent(terminal(table, width))]
    if warnings := _warnings(singles, width):
        lines += ["", warnings]
    signatures = scored[0].report.get("signatures", {})
    lines += [_signature(metric, text, width) for metric, text in signatures.items()]
    return "\n".join(lines) + "\n"


def _warnings(singles: Sequence[Comparison], width: int) -> str:
    """Return that items seem to hang together, which makes intervals too narrow."""
    from tellapart.report.notices import notice_sentence
    from tellapart.report.sentences import ALIKE

    alike = [notice for single in singles[:1] for notice in single.notices if notice.code in ALIKE]
    return warnings_text((notice_sentence(singles[0], notice) for notice in alike), width)


def _columns(scored: Sequence[SystemReport], singles: Sequence[Comparison]) -> list[Column]:
    """Return the columns of a table of scores; each is followed by its intervals, if known."""
    known = {single.systems[0].name: single.systems[0].intervals for single in singles}
    columns = [Column("system", "name", lambda system: system.name)]
    info = [own for single in singles for own in single.metrics.items()]
    decimals = {m: max([3, *(own.decimals for k, own in info if k == m)]) for m in scored[0].scores}

    def score(system: SystemReport, metric: str) -> str:
        return f"{system.scores[metric]:.{decimals[metric]}f}"

    for metric in scored[0].scores:
        columns += columns_of([metric], score)
        intervals = {name: own.get(metric, _OPEN) for name, own in known.items()}
        if set(intervals.values()) - {_OPEN}:
            level = percent(singles[0].confidence_level or 0.0)
            columns.append(_interval_column(f"{level} CI", intervals, decimals[metric]))
    return columns


def _interval_column(head: str, intervals: Mapping[str, Ends], decimals: int) -> Column:
    return Column(head, "range", lambda system: Cell(ends(intervals[system.name], decimals, plain)))


def _signature(metric: str, signature: str, width: int) -> str:
    line = f"{metric}: {signature}"
    return line if len(line) <= width else f"{metric}:\n{filled(signature, INDENT, width)}"
