"""What `score` says of templates: their scores, slot by slot, and the schema itself to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.formats.contract import Report
from tellapart.formats.plain_report import plain_report
from tellapart.formats.templates.categories import NAME, Categories, schema_report, score_run
from tellapart.formats.templates.counting import ScoredTemplates, Slots
from tellapart.formats.templates.families import Family
from tellapart.formats.templates.report import conference_report
from tellapart.formats.templates.schema import to_toml
from tellapart.metrics import Function, Metric, Ratio

if TYPE_CHECKING:
    from tellapart.formats.templates.format import TemplateOptions


def slot_report(scored: ScoredTemplates, named: Sequence[str]) -> Report:
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
    systems = (
        replace(
            each,
            report={
                "signatures": signatures,
                "slots": {
                    family.name: _slots(family, _mean(family, scored, each.name))
                    for family in scored.families
                },
            },
        )
        for each in plain.systems
    )
    return replace(plain, systems=tuple(systems))


def _mean(family: Family, scored: ScoredTemplates, system: str) -> Slots:
    """Return what a system's slots have; of several runs, the means."""
    runs = [scored.slots[run][family.name] for run in scored.runs_of[system]]
    if len(runs) == 1:
        return runs[0]
    nothing = [0] * len(family.columns)
    return {
        slot: [
            Fraction(sum(column), len(runs))
            for column in zip(*(run.get(slot, nothing) for run in runs), strict=True)
        ]
        for slot in dict.fromkeys(slot for run in runs for slot in run)
    }


def _slots(family: Family, slots: Slots) -> dict[str, dict[str, float]]:
    return {
        slot: {
            **{column: _number(n) for column, n in zip(family.columns, row, strict=True)},
            **{
                each.name: _score(
                    each,
                    {f"{family.name}.{c}": n for c, n in zip(family.columns, row, strict=True)},
                )
                for each in family.metrics
            },
        }
        for slot, row in slots.items()
    }


def _number(value: int | Fraction) -> float:
    return int(value) if value == int(value) else float(value)


def _score(metric: Metric, sums: Mapping[str, int | Fraction]) -> float:
    """Return the score of one slot's sums."""
    if isinstance(metric, Ratio):
        top, bottom = (
            sum(Fraction(weight) * sums[column] for column, weight in form)
            for form in (metric.numerator, metric.denominator)
        )
        return float(top / bottom) if bottom else float(metric.undefined)
    values: Any = np.array([float(sums[column]) for column in metric.columns])
    assert isinstance(metric, Function)
    return float(metric.scores(values))


def with_schema_report(plain: Report, scored: ScoredTemplates, options: TemplateOptions) -> Report:
    """Return plain scores with what was asked for beside them."""
    categories = scored.settings.get(NAME) or Categories.of(scored.corpus)
    report = plain
    if NAME in scored.settings:
        runs = {
            name: score_run(categories, name, scored.corpus.gold, documents)
            for name, documents in zip(scored.slots, scored.corpus.predicted, strict=True)
        }
        report = conference_report(
            plain, runs, scored.runs_of, options.report, options.report_dir, schema_report
        )
    if options.write_schema is None:
        return report
    schema = replace(scored.schema, slots=categories.slots)
    return replace(report, files={**report.files, "write_schema": to_toml(schema)})
