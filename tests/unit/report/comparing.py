"""Comparisons that the tests of reports look at."""

from __future__ import annotations

from typing import Any

import tellapart as ta
from quiz import NEARLY, quiz_counts
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.report.sentences import answer_text, question


def compared(data: Any, metrics: list[str] | None = None, **options: Any) -> Comparison:
    """Compare counts, or scores by system."""
    counts = data if isinstance(data, Counts) else Counts.from_arrays(data)
    return ta.compare(counts, metrics=metrics, **options).record


def quiz(seed: int = NEARLY, **options: Any) -> Comparison:
    """Compare the three systems of the quiz, passages kept together."""
    return compared(quiz_counts(seed), **{"cluster": "passage", **options})


def first_line(record: Comparison, metric: str | None = None) -> str:
    """Return question and answer."""
    metric = metric or next(iter(record.metrics))
    return f"{question(record, metric)}  {answer_text(record, metric)}."
