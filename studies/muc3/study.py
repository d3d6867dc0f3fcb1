"""Chinchor, Hirschman and Lewis (1993): an analysis of MUC-3, its statements put to MUC-4."""

from __future__ import annotations

from typing import Final

from studies.core import Reproduction, Request
from studies.muc3.statements import statements
from studies.muc4.raw_files import read_results
from studies.muc4.runs import run_all
from studies.muc4.study import division_figures, raw_figures
from studies.muc4.tables import divisions, raw_sections

HAS_PICTURES: Final = False


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
        notices=results.counts.notices,
    )
