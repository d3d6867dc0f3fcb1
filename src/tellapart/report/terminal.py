"""The report in a terminal: answers first, then systems, pairs, warnings and method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from tellapart.comparison.record import Comparison
from tellapart.console import styled
from tellapart.report.document import (
    Part,
    document,
    finding,
    group_lines,
    p_matrix,
    p_matrix_metrics,
    system_table,
)
from tellapart.report.notices import warnings
from tellapart.report.table import Table
from tellapart.report.table import terminal as table_lines
from tellapart.report.text import (
    INDENT,
    WIDTH,
    display_names,
    filled,
    filled_parts,
    readable,
    warning_lines,
)
from tellapart.words import clean, several

MOST_PAIRS: Final = 15
"""Pairs of a metric that are listed; of more, a matrix has a sign for each"""
MOST_ROWS: Final = 20
"""Systems that the first screen has room for"""
FIRST_ROWS: Final = 8
"""Of more, how many it shows"""
FIRST_WARNINGS: Final = 3
MOST_TASKS: Final = 20
"""With more tasks, those on which something is shown, or the order turns"""
_COLOURS: Final = {"Yes": "green", "No": "red"}
_ALL_PAIRS: Final = "The p-values of all pairs: --format tsv, or --json FILE."


@dataclass(frozen=True, slots=True)
class Pointers:
    """The last lines of a report, which lead on from it."""

    report: str | None = None
    """Where the full report is, or how to get it"""
    items: str | None = None
    """The command that shows the items on which systems differ"""


def render(
    record: Comparison,
    pointers: Pointers | None = None,
    *,
    colour: bool = False,
    full: bool = False,
    width: int = WIDTH,
) -> str:
    """Return the report as text; a `full` one has every system, group and task.

    Of more than twenty systems, one that is not full has the first screen alone.
    """
    names = display_names(record)
    page = _Terminal(names.applied(record), names.words, readable(width), colour, full)
    blocks = [*page.blocks(), _further(pointers or Pointers())]
    return "\n\n".join(block for block in blocks if block) + "\n"


def answers(record: Comparison, *, width: int = WIDTH) -> str:
    """Return question, answer and verdict by the first metric, and the answers by the others."""
    record = display_names(record).applied(record)
    page = _Terminal(record, "", readable(width), colour=False, full=False)
    first, *others = record.metrics
    lines = [page.answer(*finding(record, first), first)]
    lines += [page.answer(*finding(record, metric)[:2], "", "", metric) for metric in others]
    return "\n".join(lines) + "\n"


def p_values(record: Comparison, *, width: int = WIDTH) -> str:
    """Return the p-values of all pairs in matrices, in parts as wide as there is room."""
    record = display_names(record).applied(record)
    matrices = (p_matrix(record, metrics) for metrics in p_matrix_metrics(record))
    return "\n\n".join("\n".join(table_lines(m, readable(width))) for m in matrices) + "\n"


def _further(pointers: Pointers) -> str:
    lines = [f"{INDENT}Full report: {pointers.report}"] if pointers.report else []
    lines += [f"{INDENT}Items that differ: {pointers.items}"] if pointers.items else []
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Terminal:
    """A record that is written for a terminal."""

    record: Comparison
    names: str
    """A sentence on what names were shortened by"""
    width: int
    colour: bool
    full: bool

    def blocks(self) -> Iterator[str]:
        """Yield the blocks of text, which blank lines separate."""
        if len(self.record.systems) > MOST_ROWS and not self.full:
            yield from self._first_screen()
            return
        brief = bool(self.record.pairs) and not self.full
        metrics = list(self.record.metrics)[: 1 if brief else None]
        listed = [metric for metric in metrics if not self._in_matrix(metric)]
        most = None if self.full else MOST_TASKS
        for part in document(self.record, metrics=metrics, listed=listed, most_tasks=most):
            yield self._part(part)

    def _part(self, part: Part) -> str:
        metric, table = part.metric or "", part.table
        if part.kind == "answer":
            question, answer, verdict, advice = part.text
            return self.answer(question, answer, verdict, advice, metric)
        if part.kind == "notices":
            return "\n".join(warning_lines(part.text, self.width))
        if part.kind == "method":
            words, signature = part.text
            return f"{self._filled(words, INDENT)}\n{filled_parts(signature, INDENT, self.width)}"
        if part.kind == "paper":
            return ""
        if table is None:
            mark = "" if part.kind in ("disagreement", "costs") else INDENT
            return self._filled(" ".join(part.text), mark)
        if part.kind == "matrix":
            return self._matrix(metric, table)
        return self._table(self._with_names(table) if part.kind == "systems" else table)

    def _filled(self, text: str, mark: str = "") -> str:
        return filled(clean(text), mark, self.width)

    def _table(self, table: Table) -> str:
        return "\n".join(table_lines(table, self.width, colour=self.colour))

    def answer(self, question: str, answer: str, verdict: str, advice: str, metric: str) -> str:
        """Return question, answer, verdict and advice; in colour, the answer stands out."""
        word = self.record.answers[metric].answer
        lines = filled(f"{question}  {answer}.", width=self.width)
        if self.colour:
            # The question holds no answer after its mark, and a line may end in the midst of it.
            before, _, after = lines.rpartition(word)
            lines = f"{before}{styled(word, 'bold', _COLOURS.get(word, 'yellow'))}{after}"
        below = (self._filled(text) for text in (verdict, advice) if text)
        return "\n".join([lines, *below])

    def _with_names(self, table: Table) -> Table:
        """Return the table of systems that has notes with what names were shortened by."""
        notes = (self.names, *table.notes) if table.notes and self.names else table.notes
        return replace(table, notes=notes)

    def _in_matrix(self, metric: str) -> bool:
        """Return whether the pairs of a metric are too many to be listed."""
        return len(self.record.pairs_of(metric)) > MOST_PAIRS and metric in self.record.groups

    def _matrix(self, metric: str, table: Table) -> str:
        """Return a sign for each of many pairs; the groups, whose letters tell, only in full."""
        if not self._in_matrix(metric):
            return ""
        groups, pairs = self.record.groups[metric], len(self.record.pairs_of(metric))
        if len(groups) == 1:
            nothing = f"No two of the systems are shown to differ ({pairs:,} pairs)."
            return f"{INDENT}{nothing}\n{INDENT}{_ALL_PAIRS}"
        lines = [self._table(table)] if 2 * len(table.rows) + 11 <= self.width else []
        if self.full:
            said = f"Groups: systems that are not shown to differ ({several(pairs, 'pair')})"
            lines += ["", f"{INDENT}{said}"]
            texts = group_lines(self.record, metric)
            lines += [self._filled(text, f"{INDENT}- ") for text in texts]
        return "\n".join([*lines, f"{INDENT}{_ALL_PAIRS}"])

    def _first_screen(self) -> Iterator[str]:
        """Yield the answer, the best systems by the first metric, and how to see the others."""
        record, metric = self.record, next(iter(self.record.metrics))
        parts = document(record, metrics=[metric])
        yield from map(self._part, takewhile(lambda part: part.kind != "systems", parts))
        more = f"{len(record.systems) - FIRST_ROWS} more systems, all groups and warnings: --full"
        table = self._with_names(system_table(record, metric, FIRST_ROWS))
        yield self._table(replace(table, notes=(more, *table.notes)))
        yield from (self._part(part) for part in parts if part.kind == "metrics")
        texts = warnings(record)
        more = f"and {len(texts) - FIRST_WARNINGS} more: --full"
        shown = [*texts[:FIRST_WARNINGS], *([more] if len(texts) > FIRST_WARNINGS else [])]
        yield "\n".join(warning_lines(shown, self.width))
