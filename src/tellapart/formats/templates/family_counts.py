"""Documents become counts by the metrics of the field: documents × runs × columns of families."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    slots: dict[str, dict[str, float]] = {}
    for slot in dict.fromkeys(slot for run in runs for slot in run):
        rows = zip(*(run.get(slot, nothing) for run in runs), strict=True)
        means = [Fraction(sum(column), len(runs)) for column in rows]
        precision, recall = _over(means[0], means[1]), _over(means[2], means[3])
        scores = (_over(2 * precision * recall, precision + recall), precision, recall)
        plain = [int(n) if n.denominator == 1 else float(n) for n in means]
        names = (metric.name for metric in family.metrics)
        slots[slot] = {
            **dict(zip(COLUMNS, plain, strict=True)),
            **dict(zip(names, map(float, scores), strict=True)),
        }
    return slots


def _over(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole if whole else Fraction(0)
