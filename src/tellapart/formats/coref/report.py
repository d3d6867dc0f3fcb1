"""Coreference scores of CoNLL files, as a table and as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tellapart.formats.coref.counting import METRICS
from tellapart.formats.coref.scores import CorefScores, blanc

_LABELS = {"muc": "MUC", "bcub": "B³", "ceafm": "CEAF-m", "ceafe": "CEAF-e", "blanc": "BLANC"}


def _rows(scores: CorefScores) -> dict[str, tuple[float, float, float]]:
    """Give recall, precision and F1 by metric, from 0 to 1."""
    rows = {}
    for name in ("mentions", *METRICS):
        part = getattr(scores.counts, name)
        rows[name] = part.recall, part.precision, part.f1
    both = blanc(scores.counts)
    return {**rows, "blanc": (both.recall, both.precision, both.f1)}


def as_text(scores: CorefScores) -> str:
    """Print a table in per cent."""
    lines = [f"{'metric':<9}{'recall':>8}{'precision':>11}{'f1':>8}"]
    for name, (recall, precision, f1) in _rows(scores).items():
        label = _LABELS.get(name, name)
        lines.append(f"{label:<9}{100 * recall:8.2f}{100 * precision:11.2f}{100 * f1:8.2f}")
    lines.append(f"{'average of MUC, B³, CEAF-e':<28}{100 * scores.conll_average:8.2f}")
    return "\n".join(lines) + "\n"


def as_record(scores: CorefScores) -> dict[str, Any]:
    """Give what the table prints, from 0 to 1, and the sums it comes from."""
    return {
        "scores": {
            name: {"recall": recall, "precision": precision, "f1": f1}
            for name, (recall, precision, f1) in _rows(scores).items()
        },
        "conll": scores.conll_average,
        "counts": asdict(scores.counts),
    }
