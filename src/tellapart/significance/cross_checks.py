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
from tellapart.significance.p_value_confidence import (
    CountCheck,
    RunCheck,
    binomial_check,
    two_run_check,
)
from tellapart.significance.questions import Outcome, Question, as_tested
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


@dataclass(frozen=True, slots=True)
class ClusterEffect:
    """The effect of keeping clusters together: how alike their items are, and the other error."""

    icc: float | None = None
    design_effect: float | None = None
    effective_n: float | None = None
    standard_error_ignoring_clusters: float | None = None


@dataclass(frozen=True, slots=True)
class Checks:
    """The p-values of other tests of one pair, and whether further shuffles agree."""

    paired_p: float | None = None
    """Next to a test that takes the systems for independent"""
    p_by: dict[str, float | None] = field(default_factory=dict)
    """By label: p with the items that repeat each other's text kept together"""
    two_runs: RunCheck | None = None
    sign_test: CountCheck | None = None
    exact: CountCheck | None = None

    @property
    def agree(self) -> bool:
        """Whether no check of the shuffles failed."""
        made = (self.two_runs, self.sign_test, self.exact)
        return all(check is None or check.agree for check in made)

    def to_record(self) -> dict[str, Any]:
        """Return the checks as JSON has them."""
        record = {key: value for key, value in asdict(self).items() if value is not None}
        repeats = {f"p_by_{label}": p for label, p in record.pop("p_by").items()}
        paired = {"paired_p": record.pop("paired_p")} if "paired_p" in record else {}
        return {**paired, **repeats, **record}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Checks:
        """Return the checks that JSON has."""
        made: dict[str, Any] = {}
        for key, value in record.items():
            if key.startswith("p_by_"):
                made.setdefault("p_by", {})[key.removeprefix("p_by_")] = value
            elif key == "paired_p":
                made[key] = value
            else:
                made[key] = RunCheck(**value) if key == "two_runs" else CountCheck(**value)
        return cls(**made)


@dataclass(slots=True)
class CrossChecks:
    """The cross-checks of one outcome, filled in one after the other."""

    p_ignoring_clusters: float | None = None
    clusters: ClusterEffect | None = None
    decision_changes: bool | None = None
    """Whether it would without the most influential item; None if that was not tried"""
    checks: Checks = field(default_factory=Checks)


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
            each.checks = replace(each.checks, paired_p=outcome.p)
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
            each.checks = replace(each.checks, p_by={label: outcome.p})


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
        error = standard_error(view.terms, question.a, question.b)
        each.clusters = ClusterEffect(standard_error_ignoring_clusters=error)
        if view.left_out is not None:
            differences = view.left_out[question.b] - view.left_out[question.a]
            dependence = cluster_dependence(differences, clusters.astype(np.int64))
            if dependence is not None:
                each.clusters = replace(each.clusters, **asdict(dependence))


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
    questions = as_tested(
        tested.projection, [tested.questions[k] for k in drawn], settings.options.test
    )
    again = second_run(tested.projection, questions, shuffles, settings, execution)
    for k, question, second in zip(drawn, questions, again.tolist(), strict=True):
        count = tested.outcomes[k].exceedances or 0
        sign, exact = (
            None if p is None else binomial_check(count, shuffles, p)
            for p in (
                _sign_test_p(tested.projection, question),
                _exact_p(tested.projection, question),
            )
        )
        found[k].checks = replace(
            found[k].checks,
            two_runs=two_run_check(count, second, shuffles),
            sign_test=sign,
            exact=exact,
        )


def _sign_test_p(projection: Projection, question: Question) -> float | None:
    """Return p of the sign test, which is the same test where items are simply right or wrong."""
    if isinstance(question.bound, BoundRatio) and question.residuals is None:
        with suppress(TellapartError):
            return textbook_outcome(projection, question, "mcnemar").p
    return None


def _exact_p(projection: Projection, question: Question) -> float | None:
    exact = exact_test(projection, question)
    return None if exact is None else exact.p


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
        asked = as_tested(reduced, [asked], settings.options.test)[0]
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
