"""The three ways to combine scores of event nuggets (Liu, Mitamura and Hovy 2015, figures 1 to 3).

*Separate*: F1 of spans, and the accuracies of type and realis per gold mention. *Multiplied*: span
F1 times one accuracy, or both. *Augmented*: F1 of mentions whose span and attributes are right.
All are micro averages over the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tellapart.console import Progress, no_progress
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.nuggets import (
    BOTH,
    PLAIN,
    REALIS,
    TYPE,
    ScoredDocument,
    Tally,
    averages,
    evaluate,
    pilot_averages,
    tally,
)
from tellapart.formats.annotation.tbf import TbfFile


@dataclass(frozen=True, slots=True)
class Separate:
    """Figure 1: the scores of the pilot, as they were given out."""

    precision: float
    recall: float
    span: float
    type: float
    realis: float


@dataclass(frozen=True, slots=True)
class Multiplied:
    """Figure 2: span F1 times accuracies."""

    span: float
    type: float
    realis: float
    all: float


@dataclass(frozen=True, slots=True)
class Augmented:
    """Figure 3: F1 of mentions whose attributes are right, with the repaired precision."""

    span: float
    type: float
    realis: float
    all: float


@dataclass(frozen=True, slots=True)
class Combined:
    """One system, combined in three ways."""

    name: str
    separate: Separate
    multiplied: Multiplied
    augmented: Augmented
    coverage: float
    """The share of gold mentions that have a partner"""
    literal_precision: float
    """With Algorithm 2 as it is printed"""


def combine_all(
    gold: TbfFile, systems: Sequence[TbfFile], progress: Progress = no_progress
) -> tuple[Combined, ...]:
    """Return the scores of every system, combined in three ways."""
    found = []
    for done, system in enumerate(systems):
        progress("systems scored", done, len(systems))
        found.append(combine(gold, system))
    progress("systems scored", len(systems), len(systems))
    return tuple(found)


def combine(gold: TbfFile, system: TbfFile) -> Combined:
    """Return the scores of one system, combined in three ways."""
    # Both of the paper's profiles align many system mentions to one gold mention, and differ in
    # what they make of it: one scoring does for both.
    documents = evaluate(gold, system, NuggetOptions(profile="pilot")).documents
    figures, _ = pilot_averages(documents)
    own = Separate(*map(_known, figures))
    folded = [
        averages((tally(each, chosen) for each in documents), 1).micro.f1
        for chosen in (PLAIN, TYPE, REALIS, BOTH)
    ]
    alone = sum(map(_unmatched_gold, documents))
    return Combined(
        system.path,
        own,
        Multiplied(
            own.span,
            own.span * own.type,
            own.span * own.realis,
            own.span * own.type * own.realis,
        ),
        Augmented(*map(_known, folded)),
        1 - alone / max(1, sum(each.n_gold for each in documents)),
        _known(averages(map(_literal_tally, documents), 1).micro.precision),
    )


def _literal_tally(document: ScoredDocument) -> Tally:
    """Return the tally of Algorithm 2 as printed: gold mentions without a partner count as FP."""
    right = document.mappings[PLAIN].true_positives
    return Tally(right, right + _unmatched_gold(document), document.n_gold)


def _unmatched_gold(document: ScoredDocument) -> int:
    return document.n_gold - (document.n_system - document.false_positives)


def _known(value: float | None) -> float:
    return 0.0 if value is None else value  # nothing is found, or nothing right


def agreement(systems: Sequence[Combined]) -> dict[str, float]:
    """Return Kendall's tau of the orders of systems by five scores, pair by pair."""
    orders = {
        "span F1": by(systems, "separate", "span"),
        "type accuracy": by(systems, "separate", "type"),
        "realis accuracy": by(systems, "separate", "realis"),
        "multiplied": by(systems, "multiplied", "all"),
        "augmented": by(systems, "augmented", "all"),
    }
    return {f"{a}, {b}": kendall(orders[a], orders[b]) for a, b in combinations(orders, 2)}


def hardest(system: Combined) -> str:
    """Return the attribute whose score, augmented, is lower."""
    return "type" if system.augmented.type < system.augmented.realis else "realis"


def by(systems: Sequence[Combined], way: str, name: str) -> list[float]:
    """Return one score of all systems, as in ``by(systems, "augmented", "all")``."""
    return [float(getattr(getattr(each, way), name)) for each in systems]


def swapped_pairs(first: Sequence[float], second: Sequence[float]) -> int:
    """Return how many pairs two lists of scores put in opposite order.

    >>> swapped_pairs([3, 2, 1], [30, 10, 20])
    1
    """
    return sum(sign < 0 for sign in _signs(first, second))


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Kendall's tau: pairs in the same order less pairs in the opposite one, of all pairs.

    >>> kendall([3, 2, 1], [30, 10, 20]), kendall([1, 2, 3], [3, 2, 1])
    (0.3333333333333333, -1.0)
    """
    signs = [(sign > 0) - (sign < 0) for sign in _signs(first, second)]
    return sum(signs) / len(signs)


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the place of each score, 1 for the highest; of equal ones the first comes first.

    >>> ranks([0.2, 0.9, 0.5])
    [3, 1, 2]
    """
    order = sorted(range(len(scores)), key=lambda k: -scores[k])
    places = {system: place for place, system in enumerate(order, 1)}
    return [places[k] for k in range(len(scores))]


def _signs(first: Sequence[float], second: Sequence[float]) -> list[float]:
    both = list(zip(first, second, strict=True))
    return [(a - c) * (b - d) for (a, b), (c, d) in combinations(both, 2)]
