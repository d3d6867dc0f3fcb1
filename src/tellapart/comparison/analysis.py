"""Analysis: the counts, the questions and the settings of the tests of one comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.costs import cost_names
from tellapart.comparison.record import MOST_WHOLE
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.metrics.passes import with_passes
from tellapart.metrics.projection import Projection, metrics_of, project
from tellapart.significance.dispatch import Execution, Settings
from tellapart.significance.options import Options
from tellapart.significance.questions import Questions, flipped
from tellapart.significance.varying_runs import asked_of_runs
from tellapart.words import nearest, plural

MOST_TESTS = 1_000_000
"""Pairs × metrics, where they are kept in columns (above `MOST_WHOLE`)"""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The input of every step of a comparison."""

    projection: Projection
    unclustered: Projection | None
    """The same without summing clusters; None where there are none"""
    questions: Questions
    settings: Settings
    execution: Execution

    @property
    def options(self) -> Options:
        """The options of the comparison."""
        return self.settings.options

    @property
    def counts(self) -> Counts:
        """The counts that are compared, clusters summed."""
        return self.projection.counts


def make_analyses(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    execution: Execution,
) -> tuple[Analysis, ...]:
    """Return what a comparison works on: one analysis for each set of items that metrics are of.

    There is one where every item has all values.
    """
    sets = _item_sets(counts, metrics)
    costs = frozenset[str]()
    if options.margin is not None:
        costs = cost_names(options.cost, metrics_of(with_passes(counts, metrics), metrics))
    return tuple(
        make_analysis(part, some, chosen, execution)
        for each in sets
        for part, some, chosen in _without_margin(*each, options, costs)
    )


def _without_margin(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    costs: frozenset[str],
) -> Iterator[tuple[Counts, Sequence[str | Metric] | None, Options]]:
    """Yield metrics that are held to the margin, and costs beside them, which are not."""
    found = metrics_of(with_passes(counts, metrics), metrics) if costs else []
    spent = [each for each in found if each.name in costs]
    if not spent:
        yield counts, metrics, options
        return
    rest = [each for each in found if each.name not in costs]
    if rest:
        yield counts, rest, options
    yield counts, spent, replace(options, margin=None)


def _item_sets(
    counts: Counts, metrics: Sequence[str | Metric] | None
) -> list[tuple[Counts, Sequence[str | Metric] | None]]:
    """Return the metrics that are of the same items, and these items."""
    if counts.scored is None:
        return [(counts, metrics)]
    counts = with_passes(counts, metrics)
    assert counts.scored is not None
    sets: dict[bytes, list[Metric]] = {}
    for each in metrics_of(counts, metrics):
        used = [c for c, column in enumerate(counts.columns) if column in each.columns]
        sets.setdefault(counts.scored[:, :, used].all(axis=2).tobytes(), []).append(each)
    return [
        (counts.with_values({c for each in some for c in each.columns}), some)
        for some in sets.values()
    ]


def make_analysis(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    options: Options,
    execution: Execution,
) -> Analysis:
    """Return what a comparison works on: metrics bound, clusters summed, every question."""
    if len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: a comparison needs two or more"
        )
    if counts.present is not None and options.test != "unpaired":
        raise UsageError(
            f"the systems do not have the same {plural(counts.kind)}: use --test unpaired, or drop "
            "those that not all have"
        )
    # Random numbers go by position: rows that are matched by id are put in the order of the ids.
    counts = with_passes(in_order(counts), metrics)
    runs = asked_of_runs(counts, options)
    unclustered = None
    if options.cluster is not None:
        unclustered = project(counts, metrics)
        counts = counts.by(options.cluster)
    projection = project(counts, metrics)
    questions = all_questions(projection, options)
    size = len(questions) // len(projection.metrics)
    settings = Settings(options, size, _strata(projection), runs)
    return Analysis(projection, unclustered, questions, settings, execution)


def _strata(projection: Projection) -> NDArray[np.int64] | None:
    """Return the task of each item where a metric is a mean of tasks; None elsewhere."""
    suite, metrics = projection.counts.suite, [bound.metric for bound in projection.metrics]
    weighted = any(isinstance(each, Ratio) and each.weighted for each in metrics)
    return suite.codes if suite is not None and weighted else None


def all_questions(projection: Projection, options: Options) -> Questions:
    """Return the question about every pair, or about every pair with the baseline."""
    names = projection.counts.names
    if options.baseline is not None and options.baseline not in names:
        raise UsageError(
            f"there is no system {options.baseline!r} to be the baseline; "
            f"{nearest(options.baseline, names)}"
        )
    _refuse_too_many(len(names), len(projection.metrics), options)
    if options.baseline is None:
        return Questions.of(projection.metrics, *np.triu_indices(len(names), 1), options.tail)
    base = names.index(options.baseline)
    others = np.delete(np.arange(len(names)), base)
    first, second = np.minimum(others, base), np.maximum(others, base)
    asked = Questions.of(projection.metrics, first, second, options.tail)
    claims = [
        flipped(tail) if a == base else tail for a, tail in zip(asked.a, asked.tail, strict=True)
    ]
    return replace(asked, tail=np.array(claims, object))


def _refuse_too_many(systems: int, metrics: int, options: Options) -> None:
    """Refuse more tests than anybody waits for, before they are listed.

    Claims and margins are about single pairs: of these there are no more than are listed.

    >>> _refuse_too_many(60_000, 1, Options())
    Traceback (most recent call last):
    tellapart.errors.UsageError: 60,000 systems make 1,799,970,000 pairs, and at most 1,000,000 \
tests are made: name with --baseline the one that the others are held against, or give fewer systems
    """
    baseline, pairs = options.baseline, systems * (systems - 1) // 2
    if baseline is not None:
        pairs = systems - 1
    single = baseline is not None or options.tail != "two" or options.margin is not None
    most = MOST_WHOLE if single else MOST_TESTS
    if pairs * metrics <= most:
        return
    by = f" by {metrics} metrics" if metrics > 1 else ""
    why = " with a margin" if options.margin is not None else ""
    why = " with one side" if options.tail != "two" else why
    remedies = [] if metrics == 1 else ["fewer with --metric"]
    if baseline is None:
        remedies.insert(0, "name with --baseline the one that the others are held against")
    remedies.append("give fewer systems")
    raise UsageError(
        f"{systems:,} systems make {pairs:,} pairs{by}, and at most {most:,} tests{why} are made: "
        f"{', or '.join(remedies)}"
    )


def tail_of_pair(options: Options, first: str) -> str:
    """Return the tail of a pair in terms of its first system: greater if that should be better.

    With a baseline the claim is about the other system, wherever the two stand in the files.
    """
    return flipped(options.tail) if first == options.baseline else options.tail


def families(analysis: Analysis) -> list[list[int]]:
    """Return the numbers of the questions of each multiplicity family."""
    questions = analysis.questions
    return [np.flatnonzero(questions.metric == k).tolist() for k in range(len(questions.bounds))]
