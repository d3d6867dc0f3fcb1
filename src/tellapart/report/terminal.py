"""The report in a terminal: answers first, then systems, pairs, warnings and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.comparison.record import Comparison
from tellapart.console import styled
from tellapart.report.document import (
    finding,
    judged_table,
    metric_table,
    p_matrix,
    p_matrix_metrics,
    pair_table,
    reported,
    slice_tables,
    system_table,
    task_table,
)
from tellapart.report.findings import preference_sentences
from tellapart.report.method import method
from tellapart.report.notices import warnings_and_remarks
from tellapart.report.sentences import apart_words, disagreement, two_metrics_sentence
from tellapart.report.table import Table
from tellapart.report.table import terminal as table_text
from tellapart.report.text import (
    INDENT,
    WIDTH,
    display_names,
    filled,
    joined,
    warnings_text,
)
from tellapart.words import clean

MOST_PAIRS: Final = 15
"""Pairs of a metric that are listed; of more, the letters of groups tell who differs"""
MOST_ROWS: Final = 20
"""Systems that the first screen has room for"""
FIRST_ROWS: Final = 8
"""Of more, how many it shows"""
FIRST_WARNINGS: Final = 3
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
    page = _Terminal(names.applied(record), width, colour, names.words)
    return joined([*page.blocks(full=full), "\n".join(f"{INDENT}{line}" for line in further)])


def answers(record: Comparison, *, width: int = WIDTH) -> str:
    """Return question, answer and verdict by the first metric, and the answers by the others."""
    record = display_names(record).applied(record)
    page = _Terminal(record, width)
    first, *others = record.metrics
    lines = [page.answer(finding(record, first), first)]
    lines += [page.answer(finding(record, metric)[:2], metric) for metric in others]
    return "\n".join(lines) + "\n"


def p_values(record: Comparison, *, width: int = WIDTH) -> str:
    """Return the p-values of all pairs in matrices, in parts as wide as there is room."""
    record = display_names(record).applied(record)
    matrices = (p_matrix(record, metrics) for metrics in p_matrix_metrics(record))
    return joined(table_text(matrix, width) for matrix in matrices)


@dataclass(frozen=True, slots=True)
class _Terminal:
    """A record that is written for a terminal."""

    record: Comparison
    width: int
    colour: bool = False
    names: str = ""
    """A sentence on what names were shortened by"""

    def blocks(self, *, full: bool) -> Iterator[str]:
        """Yield the blocks of text, which blank lines separate; some may be empty."""
        record, first_screen = self.record, len(self.record.systems) > MOST_ROWS and not full
        metrics = list(record.metrics)
        told = warnings_and_remarks(record) if record.notices else ([], [])
        warnings, remarks = ([text for _, text in own] for own in told)
        shown = metrics if full or not record.pairs else metrics[:1]
        yield self._filled(disagreement(record))
        for metric in shown:
            yield self.answer(finding(record, metric), metric)
        most = FIRST_ROWS if first_screen else None
        for metric in shown:
            yield self._table(system_table(record, metric, most, last=metric == shown[-1]))
        yield self._filled(self.names, INDENT)
        if record.pairs and not first_screen:
            yield self._pairs(shown)
        yield self._table(metric_table(record, metrics[len(shown) :]))
        if first_screen:
            more = len(warnings) - FIRST_WARNINGS
            left_out = [f"and {more} more: --full"] if more > 0 else []
            yield warnings_text([*warnings[:FIRST_WARNINGS], *left_out], self.width)
            return
        yield self._filled(two_metrics_sentence(record), INDENT)
        if record.preferences is not None:
            yield self._filled(" ".join(preference_sentences(record)), INDENT)
        tasks = (task_table(record, m, None if full else MOST_TASKS) for m in record.suite)
        yield from map(self._table, (judged_table(record), *tasks, *slice_tables(record)))
        yield warnings_text(warnings, self.width)
        yield self._filled(" ".join(remarks), INDENT)
        ending = (method(record), record.signature)
        yield "\n".join(self._filled(words, INDENT) for words in ending)

    def _pairs(self, metrics: Sequence[str]) -> str:
        """Return the pairs by metrics that do not have very many, or how many can be told apart."""
        record = self.record
        many = {m for m in record.groups if len(record.pairs_of(m)) > MOST_PAIRS}
        if few := [metric for metric in metrics if metric not in many]:
            return self._table(pair_table(record, reported(record, few)))
        apart = apart_words(record, metrics[0])
        return self._filled(f"{apart} All of them: --format p-values.", INDENT)

    def _table(self, table: Table | None) -> str:
        return "" if table is None else table_text(table, self.width, colour=self.colour)

    def _filled(self, text: str, mark: str = "") -> str:
        return filled(clean(text), mark, self.width)

    def answer(self, texts: tuple[str, ...], metric: str) -> str:
        """Return question and answer, and what is said of it below; in colour, it stands out."""
        word, (question, answer, *below) = self.record.answers[metric].answer, texts
        lines = filled(f"{question}  {answer}.", width=self.width)
        if self.colour and word:
            # The question holds no answer after its mark, and a line may end in the midst of it.
            before, _, after = lines.rpartition(word)
            lines = f"{before}{styled(word, 'bold', _COLOURS.get(word, 'yellow'))}{after}"
        return "\n".join([lines, *(self._filled(text) for text in below if text)])
