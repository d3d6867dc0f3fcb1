"""A comparison as plain text: the finding first, then systems, pairs, warnings and method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tellapart.comparison.record import Comparison
from tellapart.report.fitting import WIDTH as WIDTH
from tellapart.report.fitting import clean, filled, filled_parts
from tellapart.report.method import method as method
from tellapart.report.pair_table import MOST_PAIRS, group_list, pair_table, slice_tables
from tellapart.report.system_table import system_table
from tellapart.report.verdict import question, verdict

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Pointers:
    """What leads on from a report."""

    report: str | None = None
    """Where the full report is, or how to get it"""
    items: str | None = None
    """The command that shows the items on which systems differ"""


def render(result: Comparison, pointers: Pointers | None = None, *, colour: bool = False) -> str:
    """Return the report as text, 80 columns wide."""
    pointers = pointers or Pointers()
    parts = [finding(result, metric) for metric in result.metrics]
    parts += ["\n".join(lines) for lines in _tables(result, colour)]
    parts += [_warnings(result), _method(result), _further(pointers)]
    return "\n\n".join(part for part in parts if part) + "\n"


def finding(result: Comparison, metric: str) -> str:
    """Return question, answer and sentence, in lines that fit."""
    return f"{filled(question(result, metric))}\n{filled(verdict(result, metric))}"


def _tables(result: Comparison, colour: bool) -> Iterator[list[str]]:
    listed = []
    shared = f"{_INDENT}Systems with a letter in common are not shown to differ."
    last = next(reversed(result.metrics))
    for metric in result.metrics:
        many = sum(pair.metric == metric for pair in result.pairs) > MOST_PAIRS
        table = system_table(result, metric, colour=colour)
        yield [*table, shared] if result.letters and metric == last else table
        if many and metric in result.groups:
            yield group_list(result, metric)
        else:
            listed.append(metric)
    if listed:
        yield pair_table(result, listed)
    yield from slice_tables(result)


def _warnings(result: Comparison) -> str:
    if not result.warnings:
        return ""
    lines = [filled(clean(notice.text), f"{_INDENT}! ") for notice in result.warnings]
    return "\n".join([f"{_INDENT}Warnings", *lines])


def _method(result: Comparison) -> str:
    return f"{filled(method(result), _INDENT)}\n{filled_parts(result.signature, _INDENT)}"


def _further(pointers: Pointers) -> str:
    lines = [f"{_INDENT}Full report: {pointers.report}"] if pointers.report else []
    if pointers.items:
        lines.append(f"{_INDENT}Items that differ: {pointers.items}")
    return "\n".join(lines)
