"""Documents become counts by the metrics of the field: documents × runs × columns of families."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tellapart.counts import Counts
from tellapart.counts.fixed_point import LIMIT
from tellapart.errors import Notice
from tellapart.formats.contract import Report
from tellapart.formats.plain_report import plain_report
from tellapart.formats.templates.corpus import Corpus
from tellapart.formats.templates.families import COLUMNS, Family
from tellapart.metrics import Function, Metric, Ratio
from tellapart.metrics.runs import averaged

Slots = dict[str, list[int | Fraction]]
"""Slot → the sums of a family's columns over all documents"""


@dataclass(frozen=True, slots=True)
class FamilyCounts:
    """Counts per document, and what each run has slot by slot, family by family."""

    counts: Counts
    families: tuple[Family, ...]
    slots: Mapping[str, Mapping[str, Slots]]
    """By run and family"""
    runs_of: Mapping[str, Sequence[str]]
    """The runs of each system"""


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collector of cycles, which would visit all that was read again and again.

    Documents as trees of small objects hold no cycles, and looking for some takes as long as
    reading and scoring them. What is no longer referred to is freed at once, as ever.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@_without_collection()
def family_counts(
    corpus: Corpus,
    wanted: Sequence[tuple[Family, Metric]],
    paths: Mapping[str, Sequence[str]],
    notices: Sequence[Notice],
) -> FamilyCounts:
    """Return what the wanted metrics count in each document, run by run."""
    chosen = tuple(dict.fromkeys(family for family, _ in wanted))
    columns: dict[str, list[list[int | Fraction]]] = {}
    slots: dict[str, dict[str, Slots]] = {name: {} for name in corpus.predicted}
    for family in chosen:
        for name, documents in corpus.predicted.items():
            sums = slots[name][family.name] = {}
            rows = [
                _added(family.count(wanted_document, given, corpus.typed), sums)
                for wanted_document, given in zip(corpus.gold, documents, strict=True)
            ]
            for column, numbers in zip(COLUMNS, zip(*rows, strict=True), strict=True):
                columns.setdefault(f"{family.name}.{column}", []).append(list(numbers))
    counts = _counts(list(corpus.predicted), [each.id for each in corpus.gold], columns)
    counts = replace(counts, texts=corpus.texts(), metrics=tuple(metric for _, metric in wanted))
    names = iter(corpus.predicted)
    runs_of = {system: [next(names) for _ in each] for system, each in paths.items()}
    return FamilyCounts(averaged(counts, paths, notices), chosen, slots, runs_of)


def _added(counted: Mapping[str, Sequence[int | Fraction]], sums: Slots) -> list[int | Fraction]:
    """Return the sums of a document's slots, which are added to those of all documents."""
    row: list[int | Fraction] = [0] * len(COLUMNS)
    for slot, numbers in counted.items():
        total = sums.setdefault(slot, [0] * len(COLUMNS))
        for c, number in enumerate(numbers):
            row[c] += number
            total[c] += number
    return row


def _counts(
    names: Sequence[str], items: Sequence[str], columns: Mapping[str, list[list[int | Fraction]]]
) -> Counts:
    """Return counts of exact numbers; fractions get their common denominator as scale."""
    scaled: dict[str, list[Any]] = {}
    scales: list[int] = []
    for name, systems in columns.items():
        scale = math.lcm(
            *(n.denominator for row in systems for n in row if isinstance(n, Fraction)), 1
        )
        if scale * len(items) >= LIMIT >> 10:  # too fine to be summed: rounded onto a grid
            scaled[name] = [np.array([float(n) for n in row]) for row in systems]
            scales.append(1)
        else:
            scaled[name] = [np.array([int(n * scale) for n in row], np.int64) for row in systems]
            scales.append(scale)
    counts = Counts.from_columns(names, items, scaled, {}, "document", "counts")
    # A column on a grid has a scale by now; others have that of their fractions.
    return replace(counts, scales=tuple(map(max, counts.scales, scales)))


def slot_report(scored: FamilyCounts, named: Sequence[str]) -> Report:
    """Return the scores of each system, and what its slots have in every family that was counted.

    Where no metric is named, precision and recall stand beside the usual one.
    """
    counts = scored.counts
    shown = list(counts.metrics)
    if not named:
        parts = {f"{each.name}.{part}" for each in shown for part in ("precision", "recall")}
        known = (each for family in scored.families for each in family.metrics)
        shown += [each for each in known if each.name in parts]
    metrics = [each for each in shown if isinstance(each, Ratio | Function)]
    plain = plain_report(counts, metrics)
    signatures = {each.name: each.signature for each in metrics if each.signature}
    systems = []
    for system in plain.systems:
        runs = [scored.slots[run] for run in scored.runs_of[system.name]]
        slots = {f.name: _slots(f, [run[f.name] for run in runs]) for f in scored.families}
        systems.append(replace(system, report={"signatures": signatures, "slots": slots}))
    return replace(plain, systems=tuple(systems))


def _slots(family: Family, runs: Sequence[Slots]) -> dict[str, dict[str, float]]:
    """Return the columns and scores of each slot; of several runs, of their means."""
    nothing = [0] * len(COLUMNS)
    found: dict[str, dict[str, float]] = {}
    for slot in dict.fromkeys(slot for run in runs for slot in run):
        rows = zip(*(run.get(slot, nothing) for run in runs), strict=True)
        means = [Fraction(sum(column), len(runs)) for column in rows]
        named = dict(zip(COLUMNS, means, strict=True))
        scores = {each.name: _score(each, family.name, named) for each in family.metrics}
        plain = {c: int(n) if n.denominator == 1 else float(n) for c, n in named.items()}
        found[slot] = {**plain, **scores}
    return found


def _score(metric: Metric, family: str, sums: Mapping[str, Fraction]) -> float:
    """Return the score of one slot's sums."""
    by_column = {f"{family}.{column}": number for column, number in sums.items()}
    if isinstance(metric, Ratio):
        top, bottom = (
            sum(Fraction(weight) * by_column[column] for column, weight in form)
            for form in (metric.numerator, metric.denominator)
        )
        return float(top / bottom) if bottom else float(metric.undefined)
    values: Any = np.array([float(by_column[column]) for column in metric.columns])
    assert isinstance(metric, Function)
    return float(metric.scores(values))
