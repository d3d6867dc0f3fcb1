"""What the picture shows: each system's scores by attribute combination."""

from __future__ import annotations

from tellapart.formats.nuggets.attributes import BOTH, PLAIN, REALIS, TYPE
from tellapart.formats.nuggets.averages import averages, tally
from tellapart.formats.nuggets.evaluation import Evaluation
from tellapart.formats.nuggets.paper_2015 import multiplied, paper_averages
from tellapart.formats.pictures import Bar, BarChart, Group

_NAMES = {PLAIN: "span", TYPE: "span + type", REALIS: "span + realis", BOTH: "all three"}


def bars(evaluations: dict[str, Evaluation]) -> BarChart:
    """Return micro averages in per cent, the best combined score first; undefined ones are 0."""
    groups = sorted(
        (Group(name, _bars(each)) for name, each in evaluations.items()),
        key=lambda group: -group.bars[-1].value,
    )
    profile = next(iter(evaluations.values())).scoring.options.profile.name
    if profile == "pilot":
        title = "Event nuggets (pilot): span F1, and accuracy of type and realis"
        return BarChart(title, "per cent, micro average", tuple(groups), losses=False)
    title = f"Event nuggets ({profile}): F1 by what must be right"
    return BarChart(title, "F1 in per cent, micro average", tuple(groups), losses=True)


def _bars(evaluation: Evaluation) -> tuple[Bar, ...]:
    if evaluation.paper is None:
        documents = evaluation.scoring.documents
        scores = {
            label: averages(tally(each, name) for each in documents).micro.f1
            for name, label in _NAMES.items()
        }
        return tuple(Bar(label, value or 0.0) for label, value in scores.items())
    final = paper_averages(evaluation.paper)
    parts = {
        "span F1": final.spans.micro.f1,
        "type accuracy": final.micro.type,
        "realis accuracy": final.micro.realis,
        "multiplied": multiplied(final),
    }
    return tuple(Bar(label, 100 * (value or 0.0)) for label, value in parts.items())
