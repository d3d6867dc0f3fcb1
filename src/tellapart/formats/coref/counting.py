"""The sums that coreference metrics are made of, per document; they add over documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, fields
from typing import Final

from tellapart.formats.coref.assignment import best_total

METRICS: Final = ("muc", "bcub", "ceafm", "ceafe")
"""Those whose F1 comes from one recall and one precision."""


@dataclass(frozen=True, slots=True)
class Fractions:
    """Numerators and denominators of a recall and a precision."""

    recall_part: float = 0
    recall_whole: float = 0
    precision_part: float = 0
    precision_whole: float = 0

    def __add__(self, other: Fractions) -> Fractions:
        return Fractions(
            self.recall_part + other.recall_part,
            self.recall_whole + other.recall_whole,
            self.precision_part + other.precision_part,
            self.precision_whole + other.precision_whole,
        )

    @property
    def recall(self) -> float:
        """The recall; 0 for 0/0."""
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        """The precision; 0 for 0/0."""
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 0 where both are 0."""
        recall, precision = self.recall, self.precision
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class CorefCounts:
    """The sums of every metric; `links` are coreferent pairs of mentions, `gaps` all others."""

    mentions: Fractions = Fractions()
    muc: Fractions = Fractions()
    bcub: Fractions = Fractions()
    ceafm: Fractions = Fractions()
    ceafe: Fractions = Fractions()
    links: Fractions = Fractions()
    gaps: Fractions = Fractions()

    def __add__(self, other: CorefCounts) -> CorefCounts:
        return CorefCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


Row = tuple[Hashable | None, Hashable | None]
"""A mention's key cluster and response cluster; None where it is not in the key or response."""


def count_document(rows: Iterable[Row]) -> CorefCounts:
    """Count the mentions of one document, each with its cluster in the key and in the response.

    >>> rows = [("k1", "r1"), ("k1", "r1"), ("k1", "r2"), ("k2", "r2"), (None, "r2")]
    >>> counts = count_document(rows)
    >>> counts.muc
    Fractions(recall_part=1, recall_whole=2, precision_part=1, precision_whole=3)
    """
    listed = list(rows)
    key = Counter(k for k, _ in listed if k is not None)
    response = Counter(r for _, r in listed if r is not None)
    common = Counter((k, r) for k, r in listed if k is not None and r is not None)
    n_key, n_response = key.total(), response.total()
    linked = sum(n - 1 for n in common.values())
    entity = best_total({(k, r): 2 * n / (key[k] + response[r]) for (k, r), n in common.items()})
    aligned = best_total(common)
    shared = common.total()
    return CorefCounts(
        mentions=Fractions(shared, n_key, shared, n_response),
        muc=Fractions(linked, n_key - len(key), linked, n_response - len(response)),
        bcub=Fractions(
            sum(n * n / key[k] for (k, _), n in common.items()),
            n_key,
            sum(n * n / response[r] for (_, r), n in common.items()),
            n_response,
        ),
        ceafm=Fractions(aligned, n_key, aligned, n_response),
        ceafe=Fractions(entity, len(key), entity, len(response)),
        links=_links(key, response, common),
        gaps=_gaps(key, response, common),
    )


def _links(
    key: Counter[Hashable], response: Counter[Hashable], common: Counter[tuple[Hashable, Hashable]]
) -> Fractions:
    both = _pairs_within(common.values())
    return Fractions(both, _pairs_within(key.values()), both, _pairs_within(response.values()))


def _gaps(
    key: Counter[Hashable], response: Counter[Hashable], common: Counter[tuple[Hashable, Hashable]]
) -> Fractions:
    """Count the pairs between clusters, by what is left of all pairs; none is looked at."""
    in_key: defaultdict[Hashable, int] = defaultdict(int)
    in_response: defaultdict[Hashable, int] = defaultdict(int)
    for (k, r), n in common.items():
        in_key[k] += n
        in_response[r] += n
    both = (
        _pairs(common.total())
        - _pairs_within(in_key.values())
        - _pairs_within(in_response.values())
        + _pairs_within(common.values())
    )
    return Fractions(
        both,
        _pairs(key.total()) - _pairs_within(key.values()),
        both,
        _pairs(response.total()) - _pairs_within(response.values()),
    )


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _pairs_within(sizes: Iterable[int]) -> int:
    return sum(map(_pairs, sizes))
