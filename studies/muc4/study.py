"""Chinchor (1992): the significance of MUC-4's results; and what the paper of 1993 says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.muc3.statements import statements as statements_of_1993
from studies.muc4.raw_files import ROWS, read_results
from studies.muc4.runs import (
    FEWER_SHUFFLES,
    METRICS,
    SHUFFLES,
    Runs,
    Trial,
    better_in_both,
    divide,
    quality,
    row_scores,
    run_all,
)
from studies.muc4.statements import statements
from studies.muc4.tables import sections
from tellapart.comparison.details import Plane, PlanePoint
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.matrices import matrix_figure
from tellapart.report.figures.planes import plane_figure
from tellapart.report.figures.systems import groups_figure

HAS_PICTURES: Final = True


def reproduce(request: Request) -> Reproduction:
    """Return the study done again: the 17 systems compared as in 1992, and exactly.

    Statements are judged on the test set that they are about, as the numbers of messages have it.
    """
    results = read_results(request.data)
    runs = run_all(results, request.seed, request.progress)
    which = results.test_set or "other messages"
    return Reproduction(
        "muc4",
        f"Chinchor (1992): the statistical significance of the MUC-4 results ({which})",
        request.seed,
        tuple(sections(runs)),
        (*statements(runs), *statements_of_1993(runs)),
        _figures(runs),
        _drawings(runs),
        runs.counts.notices,
    )


def _figures(runs: Runs) -> dict[str, Any]:
    return {
        "test_set": runs.results.test_set,
        "systems": [
            {"name": system.name, "scores": system.scores} for system in runs.exact.systems
        ],
        "pairs": [_pair(trial) for trial in runs.trials.values()],
        "groups": {
            "shuffles": {metric: runs.shuffled.groups[metric] for metric in METRICS},
            "exact": {metric: runs.exact.groups[metric] for metric in METRICS},
        },
        **division_figures(runs),
        **raw_figures(runs),
        "shuffles": [asdict(quality(runs, each)) for each in (FEWER_SHUFFLES, SHUFFLES)],
    }


def division_figures(runs: Runs) -> dict[str, Any]:
    """Return how many pairs differ in recall and in precision, for the record."""
    return {
        "recall_and_precision": [
            {"level": level, "by": how, **asdict(divide(runs, level, how))}
            for level in (0.10, 0.01)
            for how in ("shuffles", "rule", "exact")
        ],
        "better_in_both": better_in_both(runs),
    }


def raw_figures(runs: Runs) -> dict[str, Any]:
    """Return the region of performance and the kinds of observation, where raw files are read."""
    return {
        "rows": {
            ROWS[row]: {name: asdict(each) for name, each in scores.items()}
            for row, scores in row_scores(runs.results).items()
        },
        "observations": [asdict(each) for each in runs.observed],
        "appositives": [asdict(each) for each in runs.results.appositives],
    }


def _pair(trial: Trial) -> dict[str, Any]:
    return {
        "a": trial.a,
        "b": trial.b,
        "metric": trial.metric,
        "difference": trial.difference,
        "p_999": trial.fewer.p,
        "confidence_999": trial.fewer.confidence,
        "p_9999": trial.shuffled.p,
        "exceedances_9999": trial.shuffled.exceedances,
        "confidence_9999": trial.shuffled.confidence,
        "different_9999": trial.shuffled.different,
        "p_exact": trial.p,
        "different_exact": trial.exact.different,
    }


def _drawings(runs: Runs) -> dict[str, str]:
    """Return matrices, groups, and recall with precision, as SVG by the name of its file."""
    return {name: standalone(picture) for name, picture in _pictures(runs)}


def _pictures(runs: Runs) -> Iterator[tuple[str, str]]:
    for kind, result in (("shuffles", runs.shuffled), ("exact", runs.exact)):
        for metric in METRICS:
            yield f"matrix-{metric}-{kind}.svg", matrix_figure(result, metric, "matrix")
            yield f"groups-{metric}-{kind}.svg", groups_figure(result, metric, "groups")
    yield "recall-precision.svg", recall_precision_figure(runs)


def recall_precision_figure(runs: Runs) -> str:
    """Return the recall and precision of all systems, and which do not differ in F, as SVG."""
    marks = tuple(
        PlanePoint(system.name, system.scores["recall"], system.scores["precision"])
        for system in runs.exact.systems
    )
    plane = Plane("recall", "precision", marks, "f1", runs.exact.letters["f1"])
    return plane_figure(plane, "plane")
