"""The figures of the pilot study (release 1.1), and figures that no release has, by name.

The pilot's precision divides by TP + FP, and attributes have an accuracy of their own
(Algorithms 2 and 3 of the paper).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.formats.nuggets.attributes import PLAIN, PROFILES
from tellapart.formats.nuggets.mapping import added_in_order
from tellapart.formats.nuggets.scoring import (
    Averages,
    Figures,
    ScoredDocument,
    Tally,
    averages,
    scaled_ratio,
)
from tellapart.formats.nuggets.spans import union

_NOT_ANNOTATED = PROFILES["pilot"].placeholder


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """One document's figures; credits are sums of 1/|M_G| over right members of M_G."""

    id: str
    n_gold: int
    n_system: int
    true_positives: float
    false_positives: int
    unmatched_gold: int
    credits: tuple[Counter[int], Counter[int]]
    """For type and realis: the sums of numerators by denominator"""

    @property
    def type_credit(self) -> float:
        """The sum of the credits for types."""
        return _total(self.credits[0])

    @property
    def realis_credit(self) -> float:
        """The sum of the credits for realis."""
        return _total(self.credits[1])

    @property
    def tally(self) -> Tally:
        """What the pilot's precision and recall are made of."""
        return Tally(self.true_positives, self.true_positives + self.false_positives, self.n_gold)

    @property
    def literal_tally(self) -> Tally:
        """The same with Algorithm 2 as printed: gold mentions without a partner count as FP."""
        return Tally(self.true_positives, self.true_positives + self.unmatched_gold, self.n_gold)


@dataclass(frozen=True, slots=True)
class Accuracies:
    """How often type and realis are right, per gold mention; None without gold mentions."""

    type: float | None
    realis: float | None


@dataclass(frozen=True, slots=True)
class PaperAverages:
    """The averages over documents with gold mentions, on a scale from 0 to 1."""

    spans: Averages
    micro: Accuracies
    macro: Accuracies


def paper_document(document: ScoredDocument) -> PaperDocument:
    """Return the figures of a document whose mentions are mapped many to one."""
    gold, system = document.gold_labels, document.system_labels
    members = Counter(at for at, _, _ in document.initial_mapping.links())
    type_credit: Counter[int] = Counter()
    realis_credit: Counter[int] = Counter()
    for at, own, _ in document.initial_mapping.links():
        type_credit[members[at]] += gold.types[at] == system.types[own]
        # For realis only, what is not annotated is right as soon as it has a partner.
        realis_credit[members[at]] += gold.realis[at] in (_NOT_ANNOTATED, system.realis[own])
    return PaperDocument(
        document.id,
        document.n_gold,
        document.n_system,
        document.mappings[PLAIN].true_positives,
        document.n_system - len(members),
        document.n_gold - len(members),
        (type_credit, realis_credit),
    )


def _total(credit: Counter[int]) -> float:
    return added_in_order(right / size for size, right in credit.items())


def paper_averages(documents: Sequence[PaperDocument]) -> PaperAverages:
    """Return the averages of the 2015 paper's figures."""
    counted = [each for each in documents if each.n_gold]
    n_gold = sum(each.n_gold for each in counted)
    types = [each.type_credit for each in counted]
    realis = [each.realis_credit for each in counted]
    sizes = [each.n_gold for each in counted]
    return PaperAverages(
        averages((each.tally for each in counted), 1),
        Accuracies(*(scaled_ratio(added_in_order(each), n_gold, 1) for each in (types, realis))),
        Accuracies(_mean_ratio(types, sizes), _mean_ratio(realis, sizes)),
    )


def _mean_ratio(parts: Sequence[float], wholes: Sequence[int]) -> float | None:
    ratios = [part / whole for part, whole in zip(parts, wholes, strict=True)]
    return added_in_order(ratios) / len(ratios) if ratios else None


def literal_algorithm_2(documents: Sequence[PaperDocument]) -> Averages:
    """Return the averages with Algorithm 2 as it is printed, which no release computes."""
    return averages((each.literal_tally for each in documents), 1)


def multiplied(
    figures: PaperAverages, attributes: Sequence[str] = ("type", "realis")
) -> float | None:
    """Return span F1 times the accuracies of some attributes, micro averaged.

    The paper describes this way to combine scores, and advises against it.
    """
    factors = [figures.spans.micro.f1, *(getattr(figures.micro, name) for name in attributes)]
    known = [factor for factor in factors if factor is not None]
    return math.prod(known) if len(known) == len(factors) else None


def exact_match(documents: Sequence[ScoredDocument]) -> Figures:
    """Return the strict scores of earlier work (Li et al. 2013), micro averaged, from 0 to 1.

    A system mention counts if span and type are both exactly those of a gold mention.
    """
    return averages((_exact_tally(each) for each in documents), 1).micro


def _exact_tally(document: ScoredDocument) -> Tally:
    gold, system = (
        Counter(
            (union(mention.pieces), frozenset(mention.tokens), label)
            for mention, label in zip(side.mentions, labels.types, strict=True)
        )
        for side, labels in (
            (document.gold, document.gold_labels),
            (document.system, document.system_labels),
        )
    )
    return Tally((gold & system).total(), document.n_system, document.n_gold)
