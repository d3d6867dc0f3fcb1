"""Chinchor, Hirschman and Lewis (1993): an analysis of MUC-3, its statements put to MUC-4."""

from __future__ import annotations

from typing import Final

from studies.core import Reproduction, Request
from studies.muc3.statements import statements
from studies.muc4.runs import run_all
from studies.muc4.study import division_figures, read_counts
from studies.muc4.tables import divisions

HAS_PICTURES: Final = False


def reproduce(request: Request) -> Reproduction:
    """Return what the paper says, checked on MUC-4: the counts of MUC-3 are not at hand."""
    counts = read_counts(request.data)
    runs = run_all(counts, request.seed, request.progress)
    return Reproduction(
        "muc3",
        "Chinchor, Hirschman and Lewis (1993): an analysis of MUC-3, put to MUC-4",
        request.seed,
        (divisions(runs),),
        tuple(statements(runs)),
        division_figures(runs),
        notices=counts.notices,
    )
