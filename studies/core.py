"""What every study shares: statements of papers, each with the published figure and ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.calibrate import p_side_by_side
from tellapart.comparison.options import Options
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.errors import Notice
from tellapart.metrics import Metric
from tellapart.metrics.scores import Scores, metrics_of, score_counts

LARGEST_RUN_Z = 3.3
"""Beyond so many standard deviations two runs of the same test are not believed to agree"""

EXPECTED = "What was expected of these studies"
"""Instead of a paper, where the question is our own"""

Qualified = Literal["generated", "other", "weak", "open"]
"""Asked of generated systems; asked of others than the paper's; what was tested could hardly have
come out otherwise, or is not all that is said; asked and not settled"""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a paper that can be checked.

    >>> pi = Statement("Archimedes", "prop. 3", "pi is below 22/7", "3.1429", "3.1416", "", True)
    >>> pi.verdict
    'holds'
    """

    paper: str
    place: str
    """Page or section"""
    claim: str
    """What the paper says, in our words"""
    published: str
    ours: str
    compared: str
    """How the two were compared, and what is to be said about it"""
    holds: bool | None
    """None: cannot be checked, or the question was not put to the same data"""
    settled_by: str | None = None
    """What decided a question that the paper had to leave open"""
    qualified: Qualified | None = None
    """Why it neither simply holds nor fails"""

    @property
    def verdict(self) -> str:
        """The outcome in words."""
        if self.settled_by is not None:
            return f"settled by {self.settled_by}"
        if self.qualified == "generated" and self.holds is not None:
            return f"{'so' if self.holds else 'not so'} on these generated systems"
        if self.qualified == "other" and self.holds is not None:
            return f"{'so' if self.holds else 'not so'} on other systems"
        if self.qualified == "weak" and self.holds:
            return "is consistent"
        if self.qualified == "open":
            return "not settled"
        return {True: "holds", False: "does not come out", None: "not checked"}[self.holds]


@dataclass(frozen=True, slots=True)
class Section:
    """A table or a picture of characters, not wider than 80 columns, under a heading."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What a study is run with: its data, a seed, and where it reports progress."""

    data: str | None = None
    """The folder of raw files, where there is one"""
    seed: int = 0
    progress: Progress = no_progress
    full: bool = False
    """Whether the translator takes all sentences, however long that takes"""
    out: str | None = None
    """The folder where the files of systems stay that a study builds"""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A study done again: tables to look at, statements to check, figures for the record."""

    study: str
    title: str
    seed: int
    sections: tuple[Section, ...]
    statements: tuple[Statement, ...]
    figures: Mapping[str, Any]
    """All numbers, for JSON"""
    drawings: Mapping[str, str] = field(default_factory=dict)
    """SVG by the name of its file"""
    notices: tuple[Notice, ...] = ()


def standard_errors(published: float, exact: float, shuffles: int) -> float:
    """Return how far a published level lies from the exact one, in standard errors of its shuffles.

    >>> round(standard_errors(0.0994, 0.098674, 9999), 2)
    0.24
    """
    spread = math.sqrt(exact * (1 - exact) / shuffles)
    away = published - exact
    return away / spread if spread else math.copysign(math.inf, away) if away else 0.0


@dataclass(frozen=True, slots=True)
class RunCheck:
    """Whether two independent runs of equal length agree."""

    first: int  # exceedances of either run
    second: int
    z: float
    agree: bool


def two_run_check(first: int, second: int, shuffles: int) -> RunCheck:
    """Return whether two independent runs of `shuffles` shuffles agree (Yeh).

    >>> two_run_check(96, 109, 1048576).agree
    True
    """
    share = (first + second) / (2 * shuffles)
    spread = math.sqrt(2 * shuffles * share * (1 - share))
    z = (first - second) / spread if spread else 0.0  # no spread: both runs 0, or both all
    return RunCheck(first, second, z, abs(z) <= LARGEST_RUN_Z)


def scores_of(counts: Counts, metric: str | Metric | None = None) -> Scores:
    """Return the scores of counts by a metric, or by the first of their own."""
    return score_counts(counts, metrics_of(counts, None if metric is None else [metric])[0])


def p_values_side_by_side(
    scores: Scores, test: str, shuffles: int, seed: int
) -> NDArray[np.float64]:
    """Return two-sided p of the first two systems, of the next two, and so on; NaN for none."""
    options = Options(test=test, shuffles=shuffles, seed=seed, correction="none")
    return p_side_by_side(scores, len(scores.systems) // 2, options)
