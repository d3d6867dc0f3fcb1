"""Event nuggets as counts per document, and the metrics that read them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.formats.annotation.clusters import coref_columns, coref_metrics
from tellapart.formats.annotation.nuggets import BOTH, PLAIN, REALIS, TYPE, Evaluation
from tellapart.metrics import Metric, Ratio, metric, ratio
from tellapart.words import nearest

SETS: Final = {"span": PLAIN, "type": TYPE, "realis": REALIS, "type+realis": BOTH}
"""Attribute sets by the short names that metrics have"""

_MATCH: Final = {PLAIN: "match", TYPE: "type_match", REALIS: "realis_match", BOTH: "both_match"}
_RIGHT: Final = {"type-accuracy": "type_right", "realis-accuracy": "realis_right"}


def nugget_counts(evaluations: dict[str, Evaluation]) -> Counts:
    """Return the counts of systems that were scored against the same gold file.

    Documents without gold mentions are left out, as they are of the averages; coreference counts
    them, so that with it they stay, with zeros for the mentions.
    """
    first = next(iter(evaluations.values()))
    kept = [
        i
        for i, document in enumerate(first.documents)
        if document.n_gold or first.clusters is not None
    ]
    columns: dict[str, list[NDArray[Any]]] = {}
    for evaluation in evaluations.values():
        for name, values in _columns(evaluation, kept).items():
            columns.setdefault(name, []).append(values)
    return Counts.from_columns(
        tuple(evaluations),
        [first.documents[i].id for i in kept],
        columns,
        {},
        "document",
        "counts",
    )


def _columns(evaluation: Evaluation, kept: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return the columns of one system, over the documents that are kept."""
    documents = [evaluation.documents[i] for i in kept]
    columns: dict[str, list[float]] = {
        "gold": [each.n_gold for each in documents],
        "sys": [each.n_system if each.n_gold else 0 for each in documents],
    }
    if evaluation.pilot is None:
        for attributes, name in _MATCH.items():
            columns[name] = [each.mappings[attributes].true_positives for each in documents]
    else:
        pilot = [evaluation.pilot[i] for i in kept]
        columns["fp"] = [each.false_positives for each in pilot]
        columns["match"] = [each.true_positives for each in pilot]
        for k, name in enumerate(_RIGHT.values()):
            columns[name] = [each.right[k] for each in pilot]
    arrays = {name: np.array(values) for name, values in columns.items()}
    if evaluation.clusters is not None:
        arrays |= coref_columns([evaluation.clusters[i] for i in kept])
    return arrays


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
    plain = _measure(measure)
    if plain is None or (dash and short not in sets):
        known = [f"{each}-{m}" for each in sets for m in ("f1", "recall", "precision")]
        known += list(_RIGHT) if pilot else []
        raise UsageError(f"unknown metric {name!r}; {nearest(name, known)}")
    # The 2015 paper divides precision by TP + FP, where the others have all system mentions.
    given = {"match": 1, "fp": 1} if pilot else {"sys": 1}
    denominator: dict[str, Fraction | int | float | str] = {}
    for column, weight in plain.denominator:
        for part, factor in (given if column == "sys" else {column: 1}).items():
            denominator[part] = weight * factor
    ((_, weight),) = plain.numerator
    return ratio(name, {_MATCH[SETS[short or "span"]]: weight}, denominator)


def _measure(name: str) -> Ratio | None:
    """Return recall, precision or an F by name, in terms of `match`, `gold` and `sys`."""
    try:
        known = metric(name, ("match", "gold", "sys"))
    except UsageError:
        return None
    return known if isinstance(known, Ratio) else None
