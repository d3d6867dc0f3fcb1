"""Sensitivity of metrics: differences and p-values of all pairs under each of several metrics.

The table of Riezler and Maxwell (2005, section 3): one set of outputs, several metrics, the test by
randomization and the test by bootstrap next to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tellapart.comparison.compare import compare_with
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.progress import Progress, no_progress
from tellapart.significance.dispatch import FIXED_SHUFFLES
from tellapart.significance.options import Options
from tellapart.significance.registry import BOOTSTRAP, RANDOMIZATION


@dataclass(frozen=True, slots=True)
class View:
    """A pair under one metric; the difference is first minus second."""

    a: str
    b: str
    metric: str
    score_a: float
    score_b: float
    difference: float
    p_randomization: float | None
    p_bootstrap: float | None
    different: bool
    """By randomization, after the correction for many pairs"""
    different_by_bootstrap: bool


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Every pair under every metric, and the two comparisons that it comes from."""

    views: tuple[View, ...]
    randomization: Comparison
    bootstrap: Comparison

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self.randomization.metrics)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of systems in order."""
        return tuple(dict.fromkeys((view.a, view.b) for view in self.views))

    def of_pair(self, a: str, b: str) -> tuple[View, ...]:
        """Return the views of one pair, one for each metric."""
        return tuple(view for view in self.views if {view.a, view.b} == {a, b})

    def significant_metrics(self, a: str, b: str) -> tuple[str, ...]:
        """Return the metrics that tell two systems apart."""
        return tuple(view.metric for view in self.of_pair(a, b) if view.different)


def sensitivity(
    counts: Counts,
    metrics: Sequence[str | Metric] | None = None,
    options: Options | None = None,
    progress: Progress = no_progress,
) -> Sensitivity:
    """Return systems compared under several metrics, by randomization and by bootstrap.

    The test of the options says how the one or the other is made (``shuffle``, ``exact``;
    ``bootstrap-abs``, …); both are about these very runs of the systems. Where no exact test is
    possible, 99,999 shuffles are drawn unless the options say otherwise.

    >>> counts = Counts.from_arrays(
    ...     {"A": [[8, 2, 0]] * 9, "B": [[6, 0, 2]] * 9}, columns=["tp", "fp", "fn"]
    ... )
    >>> sensitivity(counts, ["recall", "f1"]).significant_metrics("A", "B")
    ('recall', 'f1')
    """
    options = replace(options or Options(), intervals=False, runs="fixed")
    test = options.test
    if test not in (*RANDOMIZATION, *BOOTSTRAP):
        allowed = ", ".join((*RANDOMIZATION, *BOOTSTRAP))
        raise UsageError(
            f"this table has a randomization test and a bootstrap: {allowed}, not {test}"
        )
    first, second = ("auto", test) if test in BOOTSTRAP else (test, "bootstrap")
    shuffled = replace(options, test=first, shuffles=options.shuffles or FIXED_SHUFFLES)
    randomization = compare_with(shuffled, counts, metrics, progress=progress)
    resampled = replace(options, test=second)
    bootstrap = compare_with(resampled, counts, metrics, progress=progress)
    scores = {system.name: system.scores for system in randomization.systems}
    views = tuple(
        View(
            one.a, one.b, one.metric, scores[one.a][one.metric], scores[one.b][one.metric],
            one.difference, one.p, other.p, one.different, other.different,
        )
        for one, other in zip(randomization.pairs, bootstrap.pairs, strict=True)
    )  # fmt: skip
    return Sensitivity(views, randomization, bootstrap)
