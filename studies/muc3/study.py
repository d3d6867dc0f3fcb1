"""Chinchor, Hirschman and Lewis (1993): an analysis of MUC-3, its statements put to MUC-4."""

from __future__ import annotations

from typing import Final

from studies.core import Reproduction, Request
from studies.muc3.statements import statements
from studies.muc4.raw_files import read_results
from studies.muc4.runs import Runs, run_all
from studies.muc4.study import division_figures, raw_figures, recall_precision_figure
from studies.muc4.tables import divisions, raw_sections
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.selections import selections_figure

HAS_PICTURES: Final = True


def reproduce(request: Request) -> Reproduction:
    """Return what the paper says, checked on MUC-4: the counts of MUC-3 are not at hand."""
    results = read_results(request.data)
    runs = run_all(results, request.seed, request.progress)
    put_to = f"{results.test_set} of MUC-4" if results.test_set else "other messages"
    return Reproduction(
        "muc3",
        f"Chinchor, Hirschman and Lewis (1993): MUC-3 analysed; put to {put_to}",
        request.seed,
        (divisions(runs), *raw_sections(runs)),
        tuple(statements(runs)),
        {**division_figures(runs), **raw_figures(runs)},
        _drawings(runs),
        notices=results.counts.notices,
    )


def _drawings(runs: Runs) -> dict[str, str]:
    """Return figures 2 and 13 to 15 of the paper, of these systems, as SVG by file name."""
    pictures = {"recall-precision.svg": recall_precision_figure(runs)}
    for contrast in runs.results.appositives:
        kinds = f"{contrast.overall.selection}-{contrast.overall.against}".replace(" ", "-")
        pictures[f"{kinds}.svg"] = selections_figure(contrast.systems)
    return {name: standalone(picture) for name, picture in pictures.items()}
