"""Cross-checks of each test: whether shuffles agree, and what other choices would give."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import TellapartError
from tellapart.metrics.projection import BoundRatio, Projection, project
from tellapart.significance.diagnostics import ItemAnalysis, cluster_dependence, standard_error
from tellapart.significance.dispatch import SHUFFLES, Execution, Settings, run, second_run
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.p_value_confidence import binomial_check, two_run_check
from tellapart.significance.questions import Outcome, Question
from tellapart.significance.registry import INDEPENDENT, RANDOMIZATION
from tellapart.significance.textbook_tests import textbook_outcome

TEXT_LABELS = ("hash", "text_hash", "doc_hash", "prompt_hash", "text")
"""Labels whose repeated values mean repeated texts"""
RETESTED = 20
LONG_ITEMS = 1_000
"""Above so many items the second look is by shuffles."""
RETESTED_ITEMS = 100_000
"""Up to so many questions, on so many items, are asked again without the most influential one."""


@dataclass(frozen=True, slots=True)
class TestedPairs:
    """The tests of a comparison, their outcomes and the levels that these are compared with."""

    projection: Projection
    plain: Projection | None
    questions: Sequence[Question]
    outcomes: Sequence[Outcome]
    levels: Sequence[float]


@dataclass(slots=True)
class CrossChecks:
    """What is worked out about one outcome besides it."""

    p_ignoring_clusters: float | None = None
    dependence: dict[str, float | None] = field(default_factory=dict)
    decision_changes: bool | None = None
    checks: dict[str, Any] = field(default_factory=dict)


def cross_check(
    tested: TestedPairs, settings: Settings, execution: Execution, checks: bool
) -> list[CrossChecks]:
    """Return the cross-checks of every outcome; `checks` adds those that draw shuffles again."""
    found = [CrossChecks() for _ in tested.questions]
    if tested.plain is not None:
        with suppress(TellapartError):  # a check must not keep the test itself from running
            _ignore_clusters(tested, tested.plain, settings, execution, found)
    if settings.options.test in INDEPENDENT and tested.projection.counts.present is None:
        paired = run(tested.projection, tested.questions, settings.changed(test="auto"), execution)
        for each, outcome in zip(found, paired, strict=True):
            each.checks["paired_p"] = outcome.p
    label = repeated_label(tested.projection.counts)
    if label is not None:
        _cluster_repeats(tested, label, settings, execution, found)
    if checks:
        _check_shuffles(tested, settings, execution, found)
    if len(tested.questions) <= RETESTED:
        _retest(tested, settings, execution, found)
    return found


def repeated_label(counts: Counts) -> str | None:
    """Return the label that shows items to repeat each other's text, if one does."""
    for label in TEXT_LABELS:
        if label in counts.labels and counts.cluster is None and counts.present is None:
            return label if len(set(counts.labels[label])) < len(counts.items) else None
    return None


def _cluster_repeats(
    tested: TestedPairs,
    label: str,
    settings: Settings,
    execution: Execution,
    found: list[CrossChecks],
) -> None:
    """Test with repeated texts kept together."""
    metrics = [bound.metric for bound in tested.projection.metrics]
    with suppress(TellapartError):
        clustered = project(tested.projection.counts.by(label), metrics)
        questions = [
            Question(_same_metric(clustered, q), q.a, q.b, q.tail) for q in tested.questions
        ]
        outcomes = run(clustered, questions, replace(settings, strata=None), execution)
        for each, outcome in zip(found, outcomes, strict=True):
            each.checks[f"p_by_{label}"] = outcome.p


def _ignore_clusters(
    tested: TestedPairs,
    plain: Projection,
    settings: Settings,
    execution: Execution,
    found: list[CrossChecks],
) -> None:
    """Test single items too, and see how alike those of one cluster are."""
    questions = [Question(_same_metric(plain, q), q.a, q.b, q.tail) for q in tested.questions]
    outcomes = run(plain, questions, replace(settings, strata=None), execution)
    label = tested.projection.counts.cluster
    clusters = np.unique(np.array(plain.counts.labels[str(label)]), return_inverse=True)[1]
    views = {id(bound): ItemAnalysis.of(plain, bound) for bound in plain.metrics}
    for each, question, outcome in zip(found, questions, outcomes, strict=True):
        each.p_ignoring_clusters = outcome.p
        view = views[id(question.bound)]
        if view.left_out is not None:
            apart = view.left_out[question.b] - view.left_out[question.a]
            dependence = cluster_dependence(apart, clusters.astype(np.int64))
            each.dependence = {} if dependence is None else asdict(dependence)
        error = standard_error(view.terms, question.a, question.b)
        each.dependence["standard_error_ignoring_clusters"] = error


def _same_metric(plain: Projection, question: Question) -> Any:
    name = question.bound.metric.name
    return next(bound for bound in plain.metrics if bound.metric.name == name)


def _check_shuffles(
    tested: TestedPairs, settings: Settings, execution: Execution, found: list[CrossChecks]
) -> None:
    """Repeat fixed runs with another stream, and compare counts with what is known exactly."""
    drawn = [k for k, o in enumerate(tested.outcomes) if o.method == "shuffles"]
    if not drawn:
        return
    shuffles = tested.outcomes[drawn[0]].shuffles or 0
    questions = [tested.questions[k] for k in drawn]
    again = second_run(tested.projection, questions, shuffles, settings, execution)
    for k, question, second in zip(drawn, questions, again.tolist(), strict=True):
        count = tested.outcomes[k].exceedances or 0
        found[k].checks["two_runs"] = asdict(two_run_check(count, second, shuffles))
        for name, p in _known(tested.projection, question):
            found[k].checks[name] = {"p": p, **asdict(binomial_check(count, shuffles, p))}


def _known(projection: Projection, question: Question) -> list[tuple[str, float]]:
    known = []
    if isinstance(question.bound, BoundRatio):
        try:  # the sign test is the same test where items are simply right or wrong
            sign = textbook_outcome(projection, question, "mcnemar").p
        except TellapartError:
            sign = None
        if sign is not None:
            known.append(("sign_test", sign))
    exact = exact_test(projection, question)
    if exact is not None:
        known.append(("exact", exact.p))
    return known


def _retest(
    tested: TestedPairs, settings: Settings, execution: Execution, found: list[CrossChecks]
) -> None:
    """Ask each question again without the item that moves its difference most."""
    projection = tested.projection
    items = len(projection.counts.items)
    if not 3 <= items <= RETESTED_ITEMS:
        return
    views = {id(bound): ItemAnalysis.of(projection, bound) for bound in projection.metrics}
    for k, (question, outcome) in enumerate(zip(tested.questions, tested.outcomes, strict=True)):
        left_out = views[id(question.bound)].left_out
        if left_out is None or outcome.p is None:
            continue
        item = _most_influential(projection, question, left_out)
        reduced = project(projection.counts.without(item), [question.bound.metric])
        asked = Question(reduced.metrics[0], question.a, question.b, question.tail)
        strata = None if settings.strata is None else np.delete(settings.strata, item)
        again = _lighter(settings, items, strata)
        try:
            p = run(reduced, [asked], again, execution)[0].p
        except TellapartError:
            continue
        level = tested.levels[k]
        found[k].decision_changes = p is not None and (p <= level) != (outcome.p <= level)


def _lighter(settings: Settings, items: int, strata: NDArray[np.int64] | None) -> Settings:
    """Return settings for a second look that takes no longer than the first."""
    shuffles = (
        None if settings.options.shuffles is None else min(settings.options.shuffles, SHUFFLES)
    )
    test = settings.options.test
    if test in RANDOMIZATION and items > LONG_ITEMS:
        test, shuffles = "shuffle", SHUFFLES
    return replace(settings.changed(test=test, shuffles=shuffles), strata=strata)


def _most_influential(
    projection: Projection, question: Question, left_out: NDArray[np.float64]
) -> int:
    bound, a, b = question.bound, question.a, question.b
    d = float(projection.score(bound, a)) - float(projection.score(bound, b))
    return int(np.abs(d - (left_out[a] - left_out[b])).argmax())
