"""Coreference scores from summed counts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from tellapart.formats.coref.measures import METRICS, CorefCounts


@dataclass(frozen=True, slots=True)
class CorefScores:
    """The scores of summed counts."""

    counts: CorefCounts
    omit_undefined_muc: bool = False
    """Leave MUC out of averages where neither side links anything, instead of counting 0"""

    @property
    def f1(self) -> dict[str, float]:
        """F1 by metric, from 0 to 1."""
        scores = {name: getattr(self.counts, name).f1 for name in METRICS}
        return {**scores, "blanc": blanc(self.counts).f1}

    @property
    def cut(self) -> dict[str, float]:
        """F1 by metric in per cent, cut (not rounded) to two decimals."""
        return {name: math.floor(10000 * value) / 100 for name, value in self.f1.items()}

    @property
    def nugget_average(self) -> float:
        """The mean of the cut MUC, B³, CEAF-e and BLANC."""
        return self._mean(self.cut, ("bcub", "ceafe", "muc", "blanc"))

    @property
    def conll_average(self) -> float:
        """The mean F1 of MUC, B³ and CEAF-e, as in the CoNLL shared tasks, from 0 to 1."""
        return self._mean(self.f1, ("muc", "bcub", "ceafe"))

    def _mean(self, scores: dict[str, float], names: Iterable[str]) -> float:
        muc = self.counts.muc
        undefined = muc.recall_whole == muc.precision_whole == 0
        counted = [n for n in names if not (n == "muc" and undefined and self.omit_undefined_muc)]
        return math.fsum(scores[name] for name in counted) / len(counted)


@dataclass(frozen=True, slots=True)
class Blanc:
    """BLANC's recall, precision and F1."""

    recall: float
    precision: float
    f1: float


def blanc(counts: CorefCounts) -> Blanc:
    """Return the averages over links and gaps; only over those of which the key has any.

    >>> from tellapart.formats.coref.measures import Fractions
    >>> link, gap = Fractions(1, 2, 1, 1), Fractions(3, 3, 3, 4)
    >>> blanc(CorefCounts(links=link, gaps=gap)).recall
    0.75
    """
    parts = [part for part in (counts.links, counts.gaps) if part.recall_whole]
    if not parts:
        return Blanc(0.0, 0.0, 0.0)
    return Blanc(
        math.fsum(part.recall for part in parts) / len(parts),
        math.fsum(part.precision for part in parts) / len(parts),
        math.fsum(part.f1 for part in parts) / len(parts),
    )


def total(documents: Iterable[CorefCounts]) -> CorefCounts:
    """Return the sum of the counts of documents.

    >>> total([]).muc
    Fractions(recall_part=0, recall_whole=0, precision_part=0, precision_whole=0)
    """
    return sum(documents, CorefCounts())


_LABELS = {"muc": "MUC", "bcub": "B³", "ceafm": "CEAF-m", "ceafe": "CEAF-e", "blanc": "BLANC"}


def _rows(scores: CorefScores) -> dict[str, tuple[float, float, float]]:
    """Return recall, precision and F1 by metric, from 0 to 1."""
    rows = {}
    for name in ("mentions", *METRICS):
        part = getattr(scores.counts, name)
        rows[name] = part.recall, part.precision, part.f1
    both = blanc(scores.counts)
    return {**rows, "blanc": (both.recall, both.precision, both.f1)}


def as_text(scores: CorefScores) -> str:
    """Return a table in per cent."""
    lines = [f"{'metric':<9}{'recall':>8}{'precision':>11}{'f1':>8}"]
    for name, (recall, precision, f1) in _rows(scores).items():
        label = _LABELS.get(name, name)
        lines.append(f"{label:<9}{100 * recall:8.2f}{100 * precision:11.2f}{100 * f1:8.2f}")
    lines.append(f"{'average of MUC, B³, CEAF-e':<28}{100 * scores.conll_average:8.2f}")
    return "\n".join(lines) + "\n"


def as_record(scores: CorefScores) -> dict[str, Any]:
    """Return what the table prints, from 0 to 1, and the sums it comes from."""
    return {
        "scores": {
            name: {"recall": recall, "precision": precision, "f1": f1}
            for name, (recall, precision, f1) in _rows(scores).items()
        },
        "conll": scores.conll_average,
        "counts": asdict(scores.counts),
    }
