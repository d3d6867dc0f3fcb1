"""Precision, recall and F1 of documents, their averages, and the table of types."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tellapart.formats.nuggets.attributes import BOTH
from tellapart.formats.nuggets.mapping import added_in_order
from tellapart.formats.nuggets.scoring import ScoredDocument


@dataclass(frozen=True, slots=True)
class Figures:
    """Precision, recall and F1; None where something is divided by zero."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Averages:
    """The two averages over the documents that have gold mentions."""

    micro: Figures
    macro: Figures


@dataclass(frozen=True, slots=True)
class Tally:
    """What a score is made of: true positives, and what they are divided by."""

    true_positives: float
    n_given: float  # the denominator of precision
    n_gold: float

    def figures(self, scale: float = 100) -> Figures:
        """Return precision, recall and F1.

        >>> Tally(1, 4, 2).figures()
        Figures(precision=25.0, recall=50.0, f1=33.333333333333336)
        """
        return harmonic(
            scaled_ratio(self.true_positives, self.n_given, scale),
            scaled_ratio(self.true_positives, self.n_gold, scale),
        )


def scaled_ratio(part: float, whole: float, scale: float) -> float | None:
    """Return a ratio times a scale; None for a division by zero."""
    return scale * part / whole if whole else None


def harmonic(precision: float | None, recall: float | None) -> Figures:
    """Return precision and recall with their F1.

    >>> harmonic(0.5, 1.0).f1, harmonic(0.0, 0.0).f1
    (0.6666666666666666, None)
    """
    if precision is None or recall is None or precision + recall == 0:
        return Figures(precision, recall, None)
    return Figures(precision, recall, 2 * precision * recall / (precision + recall))


def tally(document: ScoredDocument, attributes: str) -> Tally:
    """Return the tally of a document for one attribute set."""
    true_positives = document.mappings[attributes].true_positives
    return Tally(true_positives, document.n_system, document.n_gold)


def averages(tallies: Iterable[Tally], scale: float = 100) -> Averages:
    """Return the averages over documents that have gold mentions; all others are left out.

    >>> averages([Tally(1, 4, 2), Tally(0, 0, 2), Tally(0, 9, 0)]).macro
    Figures(precision=12.5, recall=25.0, f1=16.666666666666668)
    """
    counted = [each for each in tallies if each.n_gold]
    # Scaled before they are summed, as the public tool does: that shows in the last bit.
    total = Tally(
        added_in_order(scale * each.true_positives for each in counted),
        added_in_order(each.n_given for each in counted),
        sum(each.n_gold for each in counted),
    )
    figures = [each.figures(scale) for each in counted]
    precision, recall = (
        scaled_ratio(added_in_order(values), len(counted), 1)
        for values in ([f.precision or 0.0 for f in figures], [f.recall or 0.0 for f in figures])
    )
    return Averages(total.figures(1), harmonic(precision, recall))


def type_table(documents: Sequence[ScoredDocument], attributes: str = BOTH) -> dict[str, Tally]:
    """Return the tally of every type of the gold data, over all documents, in the order of names.

    The public tool asks that realis agrees too, which is a slip; the attribute set of types alone
    gives the table without it.
    """
    found: defaultdict[str, float] = defaultdict(float)
    n_gold: Counter[str] = Counter()
    n_system: Counter[str] = Counter()
    for document in documents:
        types = document.gold_labels.types
        n_gold.update(types)
        n_system.update(document.system_labels.types)
        for gold, _, dice in document.mappings[attributes].links():
            found[types[gold]] += dice
    return {name: Tally(found[name], n_system[name], n_gold[name]) for name in sorted(n_gold)}
