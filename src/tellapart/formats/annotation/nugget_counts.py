"""Event nuggets as counts per document, the metrics that read them, and the mentions behind them.

The partial credits are sums of Dice values, which are fractions: they stay exact where their
common denominator allows it, and go on a fine binary grid where it does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.fixed_point import LIMIT, Grid
from tellapart.counts.views import Cell, ItemView, Piece, ViewRow
from tellapart.errors import UsageError
from tellapart.formats.annotation.clusters import coref_columns, coref_metrics
from tellapart.formats.annotation.nuggets import (
    BOTH,
    PLAIN,
    REALIS,
    TYPE,
    Evaluation,
    ScoredDocument,
)
from tellapart.formats.annotation.tbf import Mention
from tellapart.formats.annotation.views import two_sections
from tellapart.metrics import Metric, Ratio, metric, ratio
from tellapart.words import nearest

SETS: Final = {"span": PLAIN, "type": TYPE, "realis": REALIS, "type+realis": BOTH}
"""Attribute sets by the short names that metrics have"""

_MATCH: Final = {PLAIN: "match", TYPE: "type_match", REALIS: "realis_match", BOTH: "both_match"}
_RIGHT: Final = {"type-accuracy": "type_right", "realis-accuracy": "realis_right"}

_ROOM: Final = 8  # sums of credits may be weighed, as in F2, before they meet the engine's limit

Credit = Counter[int]
"""A sum of fractions: for each denominator the sum of numerators"""


def nugget_counts(evaluations: dict[str, Evaluation]) -> Counts:
    """Return the counts of systems that were scored against the same gold file.

    Documents without gold mentions are left out, as they are of the averages; coreference counts
    them, so that with it they stay, with zeros for the mentions.
    """
    first = next(iter(evaluations.values()))
    kept = [
        i
        for i, document in enumerate(first.scoring.documents)
        if document.n_gold or first.coref_documents is not None
    ]
    columns = _count_columns(evaluations, kept)
    grids = _credit_grids(evaluations, kept)
    counts = Counts.from_columns(
        tuple(evaluations),
        [first.scoring.documents[i].id for i in kept],
        columns | {name: list(grid.values) for name, grid in grids.items()},
        {},
        "document",
        "counts",
    )
    scales, exact = list(counts.scales), list(counts.exact)
    for name, grid in grids.items():
        at = counts.columns.index(name)
        scales[at], exact[at] = grid.scale, grid.exact
    notices = {n.text: n for each in evaluations.values() for n in each.notices}
    place = {document.id: k for k, document in enumerate(first.scoring.documents)}

    def view(item: str) -> ItemView:
        at = place[item]
        return _view({name: each.scoring.documents[at] for name, each in evaluations.items()})

    return replace(
        counts,
        scales=tuple(scales),
        exact=tuple(exact),
        notices=tuple(notices.values()),
        views=view,
    )


def _count_columns(
    evaluations: dict[str, Evaluation], kept: Sequence[int]
) -> dict[str, list[NDArray[Any]]]:
    columns: dict[str, list[NDArray[Any]]] = {"gold": [], "sys": []}
    for each in evaluations.values():
        documents = [each.scoring.documents[i] for i in kept]
        columns["gold"].append(np.array([d.n_gold for d in documents], np.int64))
        columns["sys"].append(np.array([_n_system(d) for d in documents], np.int64))
        if each.pilot is not None:
            false = [each.pilot[i].false_positives for i in kept]
            columns.setdefault("fp", []).append(np.array(false, np.int64))
        if each.coref_documents is not None:
            for name, column in coref_columns([each.coref_documents[i] for i in kept]).items():
                columns.setdefault(name, []).append(column)
    return columns


def _n_system(document: ScoredDocument) -> int:
    return document.n_system if document.n_gold else 0


def _credit_grids(evaluations: dict[str, Evaluation], kept: Sequence[int]) -> dict[str, Grid]:
    """Return the partial credits on grids, one per column."""
    found: dict[str, list[list[Credit]]] = {}
    largest = 1
    for each in evaluations.values():
        documents = [each.scoring.documents[i] for i in kept]
        largest = max(largest, sum(d.n_gold + d.n_system for d in documents))
        if each.pilot is None:
            for attributes, name in _MATCH.items():
                row = [d.mappings[attributes].credits() for d in documents]
                found.setdefault(name, []).append(row)
        else:
            row = [d.mappings[PLAIN].credits() for d in documents]
            found.setdefault("match", []).append(row)
            for j, name in enumerate(_RIGHT.values()):
                right = [each.pilot[i].credits[j] for i in kept]
                found.setdefault(name, []).append(right)
    return {name: credit_grid(rows, largest) for name, rows in found.items()}


def credit_grid(rows: Sequence[Sequence[Credit]], largest: int) -> Grid:
    """Return sums of fractions on one grid of integers; `largest` is above every row's sum.

    >>> credit_grid([[Counter({1: 2, 3: 2})], [Counter({2: 1})]], 10)
    Grid(values=array([[16],
           [ 3]]), scale=6, exact=True)
    """
    scale = math.lcm(*{denominator for row in rows for credit in row for denominator in credit})
    exact = scale * _ROOM * largest < LIMIT
    if not exact:
        scale = 1 << (LIMIT // (_ROOM * largest)).bit_length() - 1
    values = [[round(_sum(credit) * scale) for credit in row] for row in rows]
    return Grid(np.array(values, np.int64).reshape(len(rows), -1), scale, exact)


def _sum(credit: Credit) -> Fraction:
    return sum((Fraction(part, whole) for whole, part in credit.items()), Fraction(0))


def nugget_metrics(names: Sequence[str] | None, pilot: bool, coref: bool) -> list[Metric]:
    """Return metrics by name; without names F1 of all attribute sets, and of coreference.

    `type-f1` is F1 with the right type; `span-recall`, `type+realis-f0.5` and so on likewise, and
    a measure alone is that of spans. In the 2015 paper each attribute has an accuracy instead.

    >>> nugget_metrics(["type-f1", "recall"], pilot=False, coref=False)
    [type-f1, recall]
    """
    others = coref_metrics(average="coref-average") if coref else {}
    if not names:
        scores = [f"{short}-f1" for short in SETS] if not pilot else ["span-f1", *_RIGHT]
        names = [*scores, *others]
    return [others[name] if name in others else _metric(name, pilot) for name in names]


def _metric(name: str, pilot: bool) -> Ratio:
    if pilot and name in _RIGHT:
        return ratio(name, {_RIGHT[name]: 1}, {"gold": 1})
    short, dash, measure = name.rpartition("-")
    sets = ("span",) if pilot else tuple(SETS)
    found = _measure(measure)
    if found is None or (dash and short not in sets):
        known = [f"{each}-{m}" for each in sets for m in ("f1", "recall", "precision")]
        known += list(_RIGHT) if pilot else []
        raise UsageError(f"unknown metric {name!r}; {nearest(name, known)}")
    # The 2015 paper divides precision by TP + FP, where the others have all system mentions.
    given = {"match": 1, "fp": 1} if pilot else {"sys": 1}
    denominator: dict[str, Fraction | int | float | str] = {}
    for column, weight in found.denominator:
        for part, factor in (given if column == "sys" else {column: 1}).items():
            denominator[part] = weight * factor
    ((_, weight),) = found.numerator
    return ratio(name, {_MATCH[SETS[short or "span"]]: weight}, denominator)


def _measure(name: str) -> Ratio | None:
    """Return recall, precision or an F by name, in terms of `match`, `gold` and `sys`."""
    try:
        found = metric(name, ("match", "gold", "sys"))
    except UsageError:
        return None
    return found if isinstance(found, Ratio) else None


def _view(documents: Mapping[str, ScoredDocument]) -> ItemView:
    """Return gold mentions with what each system found there, and what it found elsewhere."""
    links = {
        system: {gold: (own, dice) for gold, own, dice in each.mappings[PLAIN].links()}
        for system, each in documents.items()
    }
    first = next(iter(documents.values()))
    rows = [
        ViewRow(
            "",
            (_mention(mention),),
            {
                system: (_judged(document, k, links[system].get(k)),)
                for system, document in documents.items()
            },
        )
        for k, mention in enumerate(first.gold.spans)
    ]
    unmatched: dict[str, list[Cell]] = {}
    for system, document in documents.items():
        used = {own for own, _ in links[system].values()}
        unmatched[system] = [
            (_mention(mention, "spurious"),)
            for k, mention in enumerate(document.system.spans)
            if k not in used
        ]
    return two_sections(rows, "Mentions of the gold", unmatched, "Not in the gold")


def _mention(mention: Mention, mark: str = "", tag: str = "") -> Piece:
    return Piece(mention.text, mark, tag or f"{mention.type} {mention.realis}")


def _judged(document: ScoredDocument, gold: int, link: tuple[int, float] | None) -> Piece:
    """Return the mention of a system for one of gold: right if span, type and realis are."""
    if link is None:
        return Piece("", "missing", "missing")
    own, dice = link
    same = document.system_labels[own] == document.gold_labels[gold]
    mark = "wrong" if not same else "right" if dice == 1 else "partial"
    mention = document.system.spans[own]
    overlap = "" if dice == 1 else f", overlap {dice:.2f}"
    return _mention(mention, mark, f"{mention.type} {mention.realis}{overlap}")
