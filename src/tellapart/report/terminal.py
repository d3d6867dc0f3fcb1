"""The report in a terminal: answers first, then systems, pairs, warnings and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tellapart.comparison.record import Comparison
from tellapart.console import styled
from tellapart.report.document import Part, document, finding, p_matrix, p_matrix_metrics
from tellapart.report.table import Table
from tellapart.report.table import terminal as table_lines
from tellapart.report.text import (
    INDENT,
    WIDTH,
    display_names,
    filled,
    readable,
    warning_lines,
)
from tellapart.words import clean

MOST_PAIRS: Final = 15
"""Pairs of a metric that are listed; of more, the letters of groups tell who differs"""
MOST_ROWS: Final = 20
"""Systems that the first screen has room for"""
FIRST_ROWS: Final = 8
"""Of more, how many it shows"""
FIRST_WARNINGS: Final = 3
FIRST_PARTS: Final = ("disagreement", "answer", "costs", "systems", "metrics", "notices")
MOST_TASKS: Final = 20
"""With more tasks, those on which something is shown, or the order turns"""
_COLOURS: Final = {"Yes": "green", "No": "red"}


def render(
    record: Comparison,
    further: Sequence[str] = (),
    *,
    colour: bool = False,
    full: bool = False,
    width: int = WIDTH,
) -> str:
    """Return the report as text, and lines that lead on; a `full` one has every system and task.

    Of more than twenty systems, one that is not full has the first screen alone.
    """
    names = display_names(record)
    page = _Terminal(names.applied(record), readable(width), colour, names.words)
    blocks = [*page.blocks(full=full), "\n".join(f"{INDENT}{line}" for line in further)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def answers(record: Comparison, *, width: int = WIDTH) -> str:
    """Return question, answer and verdict by the first metric, and the answers by the others."""
    record = display_names(record).applied(record)
    page = _Terminal(record, readable(width))
    first, *others = record.metrics
    lines = [page.answer(finding(record, first), first)]
    lines += [page.answer(finding(record, metric)[:2], metric) for metric in others]
    return "\n".join(lines) + "\n"


def p_values(record: Comparison, *, width: int = WIDTH) -> str:
    """Return the p-values of all pairs in matrices, in parts as wide as there is room."""
    record = display_names(record).applied(record)
    matrices = (p_matrix(record, metrics) for metrics in p_matrix_metrics(record))
    return "\n\n".join("\n".join(table_lines(m, readable(width))) for m in matrices) + "\n"


@dataclass(frozen=True, slots=True)
class _Terminal:
    """A record that is written for a terminal."""

    record: Comparison
    width: int
    colour: bool = False
    names: str = ""
    """A sentence on what names were shortened by"""

    def blocks(self, *, full: bool) -> Iterator[str]:
        """Yield the blocks of text, which blank lines separate."""
        first_screen = len(self.record.systems) > MOST_ROWS and not full
        brief = bool(self.record.pairs) and not full
        parts = document(
            self.record,
            metrics=list(self.record.metrics)[: 1 if brief else None],
            most_systems=FIRST_ROWS if first_screen else None,
            most_pairs=MOST_PAIRS,
            most_tasks=None if full else MOST_TASKS,
        )
        for part in parts:
            if part.kind == "notices":
                yield self._warnings(part.text, first_screen)
            elif not part.is_empty and (part.kind in FIRST_PARTS or not first_screen):
                yield self._part(part)

    def _part(self, part: Part) -> str:
        if part.kind == "answer":
            return self.answer(part.text, part.metric or "")
        if part.kind == "method":
            return "\n".join(self._filled(words, INDENT) for words in part.text)
        if part.table is None:
            mark = "" if part.kind in ("disagreement", "costs") else INDENT
            return self._filled(" ".join(part.text), mark)
        table = self._with_names(part.table) if part.kind == "systems" else part.table
        return "\n".join(table_lines(table, self.width, colour=self.colour))

    def _filled(self, text: str, mark: str = "") -> str:
        return filled(clean(text), mark, self.width)

    def answer(self, texts: tuple[str, ...], metric: str) -> str:
        """Return question and answer, and what is said of it below; in colour, it stands out."""
        word, (question, answer, *below) = self.record.answers[metric].answer, texts
        lines = filled(f"{question}  {answer}.", width=self.width)
        if self.colour:
            # The question holds no answer after its mark, and a line may end in the midst of it.
            before, _, after = lines.rpartition(word)
            lines = f"{before}{styled(word, 'bold', _COLOURS.get(word, 'yellow'))}{after}"
        return "\n".join([lines, *(self._filled(text) for text in below if text)])

    def _with_names(self, table: Table) -> Table:
        """Return the table of systems that has notes with what names were shortened by."""
        notes = (self.names, *table.notes) if table.notes and self.names else table.notes
        return replace(table, notes=notes)

    def _warnings(self, texts: tuple[str, ...], first_screen: bool) -> str:
        if first_screen and len(texts) > FIRST_WARNINGS:
            more = f"and {len(texts) - FIRST_WARNINGS} more: --full"
            texts = (*texts[:FIRST_WARNINGS], more)
        return "\n".join(warning_lines(texts, self.width))
