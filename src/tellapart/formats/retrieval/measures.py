"""Measures of a ranking, as trec_eval computes them, and the many ways to spell their names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from tellapart.errors import UsageError

_SPELLINGS: Final = {
    "ndcg": "ndcg", "ndcg_cut": "ndcg",
    "ap": "ap", "map": "ap", "map_cut": "ap",
    "p": "p", "prec": "p", "precision": "p",
    "r": "recall", "recall": "recall",
    "rr": "rr", "mrr": "rr", "recip_rank": "rr",
    "rprec": "rprec", "r_prec": "rprec",
    "bpref": "bpref",
    "success": "success", "hit": "success", "hits": "success", "hit_rate": "success",
}  # fmt: skip
_NAME: Final = re.compile(
    r"([a-z]+(?:[_-][a-z]+)?)(?:\(rel=([1-9]\d{0,8})\))?(?:[@_.]([1-9]\d{0,8}))?", re.A
)
_NEED_CUTOFF: Final = frozenset({"p", "recall", "success"})
_HAVE_NO_CUTOFF: Final = frozenset({"rprec", "bpref"})
KNOWN: Final = ("ndcg@10", "ndcg", "ap", "ap@100", "p@10", "recall@100", "rr", "rr@10", "rprec",
                "bpref", "success@5")  # fmt: skip
"""Examples of measures"""


Hits: TypeAlias = Sequence[tuple[int, int]]
"""Rank and relevance of the judged documents of a ranking, by rank"""


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judged documents of one query."""

    relevance: Mapping[str, int]
    levels: tuple[int, ...]
    """Relevance above 0, highest first"""

    @classmethod
    def of(cls, relevance: Mapping[str, int]) -> Judgements:
        """Return the judgements of a query, given the relevance of its documents."""
        return cls(relevance, tuple(sorted((n for n in relevance.values() if n > 0), reverse=True)))

    def relevant(self, least: int) -> int:
        """Return the number of documents of at least this relevance."""
        return sum(level >= least for level in self.levels)

    def best_first(self) -> list[str]:
        """Return the relevant documents, those of the highest grade first."""
        relevant = (document for document, grade in self.relevance.items() if grade > 0)
        return sorted(relevant, key=lambda document: -self.relevance[document])

    def hits(self, ranking: Sequence[str]) -> Hits:
        """Return where the judged documents stand in a ranking.

        >>> Judgements.of({"d1": 0, "d2": 2}).hits(["d7", "d2"])
        [(2, 2)]
        """
        judged = self.relevance
        return [(rank, judged[d]) for rank, d in enumerate(ranking, 1) if d in judged]


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed: its kind, how deep, and from what relevance on a document counts.

    >>> parse_measure("nDCG@10"), str(parse_measure("P(rel=2)@5"))
    (Measure(kind='ndcg', cutoff=10, least=1), 'p(rel=2)@5')
    """

    kind: str
    cutoff: int | None = None
    least: int = 1

    def __str__(self) -> str:
        least = "" if self.least == 1 else f"(rel={self.least})"
        return f"{self.kind}{least}" + ("" if self.cutoff is None else f"@{self.cutoff}")

    def value(self, hits: Hits, judged: Judgements) -> float:
        """Score one query; 0 where it has no relevant document.

        >>> judged = Judgements.of({"d1": 1, "d2": 2})
        >>> parse_measure("ap").value([(2, 1), (4, 2)], judged)
        0.5
        """
        if self.cutoff is not None:
            hits = [hit for hit in hits if hit[0] <= self.cutoff]
        total = judged.relevant(self.least)
        if not total:
            return 0.0
        if self.kind == "ndcg":
            return _ndcg(hits, judged.levels[: self.cutoff])
        if self.kind == "bpref":
            return _bpref(hits, self.least, total, judged)
        ranks = [rank for rank, level in hits if level >= self.least]
        return _BY_RANKS[self.kind](ranks, total, self.cutoff or 1)


_BY_RANKS: Final[Mapping[str, Callable[[Sequence[int], int, int], float]]] = {
    "ap": lambda ranks, total, _: math.fsum(k / rank for k, rank in enumerate(ranks, 1)) / total,
    "p": lambda ranks, _, cutoff: len(ranks) / cutoff,
    "recall": lambda ranks, total, _: len(ranks) / total,
    "rr": lambda ranks, *_: 1 / ranks[0] if ranks else 0.0,
    "rprec": lambda ranks, total, _: sum(rank <= total for rank in ranks) / total,
    "success": lambda ranks, *_: float(bool(ranks)),
}
"""By kind: the value, given the ranks of relevant documents, how many these are, and the cut-off"""


def parse_measure(name: str) -> Measure:
    """Return the measure of a name however it is spelled.

    >>> str(parse_measure("ndcg_cut_10")), str(parse_measure("MAP"))
    ('ndcg@10', 'ap')
    """
    match = _NAME.fullmatch(name.strip().lower())
    kind = _SPELLINGS.get(match[1].replace("-", "_")) if match else None
    if match is None or kind is None:
        raise UsageError(f"unknown measure {name!r}; there are {', '.join(KNOWN)} and the like")
    cutoff = None if match[3] is None else int(match[3])
    if kind in _NEED_CUTOFF and not cutoff:
        raise UsageError(f"measure {name!r} needs a cut-off: write {kind}@10, say")
    least = int(match[2] or 1)
    if (cutoff and kind in _HAVE_NO_CUTOFF) or (match[2] and kind == "ndcg"):
        raise UsageError(f"measure {name!r} has no such form; write {kind}")
    return Measure(kind, cutoff, least)


@cache
def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _ndcg(hits: Hits, best: Sequence[int]) -> float:
    """Sum gain over discount, divided by what the best ranking would have."""
    gain = math.fsum(level * _discount(rank) for rank, level in hits if level > 0)
    return gain / math.fsum(level * _discount(rank) for rank, level in enumerate(best, 1))


def _bpref(hits: Hits, least: int, total: int, judged: Judgements) -> float:
    """Ask how many documents judged irrelevant stand above each relevant one.

    Negative relevance is for documents that were not in the pool: they count for nothing.
    """
    irrelevant = sum(0 <= level < least for level in judged.relevance.values())
    above, value = 0, 0.0
    for _, level in hits:
        if level >= least:
            value += 1 - min(above, total) / min(irrelevant, total) if above else 1
        elif level >= 0:
            above += 1
    return value / total
