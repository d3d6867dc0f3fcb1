"""The one orchestration: counts, metrics and a test become a comparison."""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison import Comparison, PairResult, SystemResult
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics import Metric, Ratio
from tellapart.projection import Bound, BoundRatio, Projection, project
from tellapart.resampling.ratios import sign_of
from tellapart.resampling.workers import Progress, no_progress, open_workers
from tellapart.significance import cautions, checking
from tellapart.significance.confidence import confidence, p_interval
from tellapart.significance.diagnostics import Diagnostics, UnitView
from tellapart.significance.estimation import Estimate, Estimator
from tellapart.significance.groups import groups as find_groups
from tellapart.significance.groups import letters as find_letters
from tellapart.significance.intervals import METHODS, Interval
from tellapart.significance.joint import JOINT, joint_adjusted
from tellapart.significance.multiplicity import adjust, experimentwise_error, per_comparison_level
from tellapart.significance.outcome import Outcome
from tellapart.significance.procedures import SHUFFLES, TESTS, Machinery, Settings, run
from tellapart.significance.randomization import Question, flipped, smallest_p
from tellapart.words import nearest, plural

CORRECTIONS = (
    "none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by", *JOINT,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for; the names are those of the command line's options."""

    test: str = "auto"
    shuffles: int | None = None
    seed: int = 0
    alpha: float = 0.05
    tail: str = "two"
    correction: str = "holm"
    family: str = "metric"
    baseline: str | None = None
    min_confidence: float | None = None
    margin: float | None = None
    intervals: bool | str = True
    checks: bool = False
    batch: int | None = None
    force: bool = False

    def check(self) -> None:
        """Refuse what makes no sense, in one sentence."""
        _one_of("test", self.test, TESTS)
        _one_of("correction", self.correction, CORRECTIONS)
        _one_of("family", self.family, ("metric", "all"))
        sign_of(self.tail)
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.shuffles is not None and self.shuffles < 1:
            raise UsageError(f"the number of shuffles must be at least 1, not {self.shuffles}")
        if self.seed < 0:
            raise UsageError(f"the seed must be 0 or more, not {self.seed}")
        if self.margin is not None and not (math.isfinite(self.margin) and self.margin > 0):
            raise UsageError(f"the margin must be above 0, not {self.margin}")
        if self.min_confidence is not None and not 0 < self.min_confidence <= 1:
            raise UsageError(f"the confidence must be in (0, 1], not {self.min_confidence}")
        if self.batch is not None and self.batch < 1:
            raise UsageError(f"the batch size must be at least 1, not {self.batch}")
        if isinstance(self.intervals, str):
            _one_of("interval method", self.intervals, METHODS)


def _one_of(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"there is no {what} {value!r}; {nearest(value, known)}")


def compare(
    counts: Counts,
    metrics: Sequence[str | Metric] | None = None,
    *,
    test: str = "auto",
    shuffles: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    tail: str = "two",
    correction: str = "holm",
    family: str = "metric",
    baseline: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    min_confidence: float | None = None,
    margin: float | None = None,
    intervals: bool | str = True,
    checks: bool = False,
    force: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    cluster_address: str | None = None,
    batch: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Tell which of the systems differ, by which metrics, and how sure that is.

    The keywords are the options of the command line. `cluster` names the label whose units are
    exchanged together, `strata` the one within which the bootstrap draws; `family` is ``metric``
    (all pairs of one metric) or ``all``; `intervals` may name a method; `checks` repeats shuffles
    and compares them with what is known exactly. `workers`, `executor`, `cluster_address` and
    `batch` say where and how the work runs; the result does not depend on them.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> compare(counts).pair("A", "B").p
    0.03125
    """
    asked = Options(
        test, shuffles, seed, alpha, tail, correction, family, baseline, min_confidence, margin,
        intervals, checks, batch, force,
    )  # fmt: skip
    asked.check()
    with open_workers(workers, executor, cluster_address) as crew:
        return _compare(counts, metrics, cluster, strata, asked, Machinery(crew, progress))


@dataclass(frozen=True, slots=True)
class _Study:
    """Everything a step of the comparison may need."""

    projection: Projection
    plain: Projection | None
    """The same without summing clusters; None where there are none"""
    questions: tuple[Question, ...]
    asked: Options
    settings: Settings
    machinery: Machinery

    @property
    def counts(self) -> Counts:
        return self.projection.counts


def _compare(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    cluster: str | None,
    strata: str | None,
    asked: Options,
    machinery: Machinery,
) -> Comparison:
    study = _study(counts, metrics, cluster, strata, asked, machinery)
    outcomes = run(study.projection, study.questions, study.settings, machinery)
    adjusted = _adjusted(study, outcomes)
    levels = [_implied_level(o.p, p, asked.alpha) for o, p in zip(outcomes, adjusted, strict=True)]
    systems, estimates = _estimates(study)
    beside = checking.beside(
        checking.Checked(study.projection, study.plain, study.questions, outcomes, levels),
        study.settings,
        machinery,
        asked.checks,
    )
    pairs = _pairs(study, outcomes, adjusted, levels, estimates, beside)
    groups, letters, capped = _groups(study, pairs)
    warnings = cautions.cautions(study.projection, pairs, asked, capped)
    names = [bound.metric.name for bound in study.projection.metrics]
    size = study.settings.family_size
    return Comparison(
        tellapart=importlib.metadata.version("tellapart"),
        signature=_signature(study),
        alpha=asked.alpha,
        correction=asked.correction,
        seed=asked.seed,
        units=_units(study.counts),
        systems=systems,
        pairs=tuple(pairs),
        groups=groups,
        letters=letters,
        warnings=warnings,
        test=asked.test,
        tail=asked.tail,
        metrics={
            name: {"higher_is_better": bound.metric.higher_is_better, "class": _class(bound)}
            for name, bound in zip(names, study.projection.metrics, strict=True)
        },
        family={
            "size": size,
            "kind": asked.family,
            "experimentwise_error": experimentwise_error(asked.alpha, size),
            "per_comparison_level": per_comparison_level(asked.alpha, size),
        },
        baseline=asked.baseline,
        margin=asked.margin,
        min_confidence=asked.min_confidence,
        interval_level=1 - asked.alpha if asked.intervals else None,
    )


def _study(
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
    cluster: str | None,
    strata: str | None,
    asked: Options,
    machinery: Machinery,
) -> _Study:
    if len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: a comparison needs two or more"
        )
    if counts.present is not None and asked.test != "unpaired":
        raise UsageError(
            f"the systems do not have the same {plural(counts.kind)}: use --test unpaired, or drop "
            "those that not all have"
        )
    plain = None if cluster is None else project(counts, metrics)
    if cluster is not None:
        counts = counts.by(cluster)
    projection = project(counts, metrics)
    questions = _questions(projection, asked)
    size = len(questions) if asked.family == "all" else len(questions) // len(projection.metrics)
    settings = Settings(
        test=asked.test,
        shuffles=asked.shuffles,
        seed=asked.seed,
        alpha=asked.alpha,
        correction=asked.correction,
        family_size=size,
        batch=asked.batch,
        strata=_strata(counts, strata),
        force=asked.force,
    )
    return _Study(projection, plain, questions, asked, settings, machinery)


def _strata(counts: Counts, label: str | None) -> NDArray[np.int64] | None:
    if label is None:
        return None
    if label not in counts.labels:
        known = ", ".join(counts.labels) or "none"
        raise UsageError(f"there is no label {label!r} to resample within; labels are: {known}")
    return np.unique(np.array(counts.labels[label]), return_inverse=True)[1].astype(np.int64)


def _questions(projection: Projection, asked: Options) -> tuple[Question, ...]:
    names = projection.counts.names
    pairs = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
    if asked.baseline is not None:
        if asked.baseline not in names:
            raise UsageError(
                f"there is no system {asked.baseline!r} to be the baseline; "
                f"{nearest(asked.baseline, names)}"
            )
        base = names.index(asked.baseline)
        pairs = [pair for pair in pairs if base in pair]
    return tuple(
        Question(bound, a, b, asked.tail if bound.metric.higher_is_better else flipped(asked.tail))
        for bound in projection.metrics
        for a, b in pairs
    )


def _families(study: _Study) -> list[list[int]]:
    """Return the numbers of the questions of each multiplicity family."""
    if study.asked.family == "all":
        return [list(range(len(study.questions)))]
    return [
        [k for k, question in enumerate(study.questions) if question.bound is bound]
        for bound in study.projection.metrics
    ]


def _adjusted(study: _Study, outcomes: Sequence[Outcome]) -> list[float | None]:
    adjusted: list[float | None] = [None] * len(outcomes)
    correction, asked = study.asked.correction, study.asked
    for family in _families(study):
        if correction in JOINT:
            values = joint_adjusted(
                study.projection,
                [study.questions[k] for k in family],
                correction,
                asked.shuffles or SHUFFLES,
                asked.seed,
                study.machinery.crew,
                progress=study.machinery.progress,
            )
            defined = family
        else:
            # A test that is undefined has no p to adjust, but its question was asked.
            defined = [k for k in family if outcomes[k].p is not None]
            values = adjust([outcomes[k].p or 1.0 for k in defined], correction)
        for k, value in zip(defined, values.tolist(), strict=True):
            adjusted[k] = value
    return adjusted


def _implied_level(p: float | None, adjusted: float | None, alpha: float) -> float:
    """Return the level at which the adjustment tests the raw p."""
    if p is None or adjusted is None or adjusted <= p or adjusted >= 1:
        return alpha
    return alpha * p / adjusted


def _estimates(study: _Study) -> tuple[tuple[SystemResult, ...], list[Estimate]]:
    """Score the systems, and put intervals around scores and differences."""
    projection, asked = study.projection, study.asked
    of_systems: list[dict[str, Interval]] = [{} for _ in study.counts.names]
    of_pairs = [Estimate() for _ in study.questions]
    if asked.intervals or asked.margin is not None:
        method = asked.intervals if isinstance(asked.intervals, str) else None
        estimator = Estimator(projection, method, study.settings, study.machinery)
        of_pairs = estimator.pairs(study.questions, asked.alpha, asked.margin)
        if asked.intervals:
            of_systems = estimator.systems(1 - asked.alpha)
        else:
            of_pairs = [replace(each, interval=None) for each in of_pairs]
    systems = []
    for k, name in enumerate(study.counts.names):
        scores = {bound.metric.name: projection.score(bound, k) for bound in projection.metrics}
        systems.append(
            SystemResult(
                name,
                {metric: float(score) for metric, score in scores.items()},
                {metric: interval.ends for metric, interval in of_systems[k].items()},
                {metric: str(s) for metric, s in scores.items() if isinstance(s, Fraction)},
            )
        )
    return tuple(systems), of_pairs


def _pairs(
    study: _Study,
    outcomes: Sequence[Outcome],
    adjusted: Sequence[float | None],
    levels: Sequence[float],
    estimates: Sequence[Estimate],
    beside: Sequence[checking.Beside],
) -> list[PairResult]:
    views = {id(bound): UnitView.of(study.projection, bound) for bound in study.projection.metrics}
    sureness = _sureness(study, outcomes, levels)
    pairs = []
    for k, (question, outcome) in enumerate(zip(study.questions, outcomes, strict=True)):
        view = views[id(question.bound)]
        base = _pair(study, question, outcome, view, beside[k])
        interval = estimates[k].interval
        sure, bounds, settled = sureness[k]
        p_adjusted = adjusted[k]
        enough = study.asked.min_confidence
        pairs.append(
            replace(
                base,
                p_adjusted=p_adjusted,
                interval=None if interval is None else interval.ends,
                interval_method=None if interval is None else interval.method,
                equivalent=estimates[k].equivalent,
                no_worse=estimates[k].no_worse,
                confidence=sure,
                p_interval=bounds,
                settled=settled,
                different=p_adjusted is not None
                and p_adjusted <= study.asked.alpha
                and (enough is None or (sure is not None and sure >= enough)),
            )
        )
    return pairs


def _pair(
    study: _Study,
    question: Question,
    outcome: Outcome,
    view: UnitView,
    beside: checking.Beside,
) -> PairResult:
    names, bound = study.counts.names, question.bound
    a, b = (study.projection.score(bound, system) for system in (question.a, question.b))
    difference = a - b
    found = view.diagnose(question.a, question.b, float(difference), study.asked.alpha)
    return PairResult(
        a=names[question.a],
        b=names[question.b],
        metric=bound.metric.name,
        difference=float(difference),
        exact_difference=str(difference) if isinstance(difference, Fraction) else None,
        interval=None,
        p=outcome.p,
        p_adjusted=None,
        method=outcome.method,
        how=outcome.how,
        tail=study.asked.tail,
        claim=_claim(names[question.a], names[question.b], study.asked.tail),
        shuffles=outcome.shuffles,
        exceedances=outcome.exceedances,
        arrangements=outcome.arrangements,
        error_bound=outcome.error,
        confidence=None,
        different=False,
        units_a_better=found.a_better,
        units_b_better=found.b_better,
        units_tied=found.tied,
        comparison="integer" if isinstance(bound, BoundRatio) and bound.exact else "tolerance",
        statistic=outcome.statistic,
        df=outcome.df,
        assumption=outcome.assumption,
        note=outcome.note,
        p_ignoring_clusters=beside.p_ignoring_clusters,
        discordant=found.discordant,
        smallest_p=smallest_p(found.discordant, study.asked.tail),
        diagnostics=_figures(found, outcome, beside),
        checks=beside.checks,
    )


def _figures(found: Diagnostics, outcome: Outcome, beside: checking.Beside) -> dict[str, Any]:
    """Return the diagnostics that have no field of their own."""
    influence = None
    if found.influence is not None:
        influence = {
            "unit": found.influence.unit,
            "difference_without": found.influence.difference_without,
            "decision_changes": beside.decision_changes,
        }
    figures: dict[str, Any] = {
        "r12": found.r12,
        "inflation": found.inflation,
        "influence": influence,
        "half_units": found.half_units,
        "detectable": found.detectable,
        **beside.dependence,
    }
    if outcome.wins is not None:
        figures["resamples_won_by_a"] = outcome.wins
    return figures


def _claim(a: str, b: str, tail: str) -> str | None:
    return {"greater": f"{a} is better than {b}", "less": f"{a} is worse than {b}"}.get(tail)


def _sureness(
    study: _Study, outcomes: Sequence[Outcome], levels: Sequence[float]
) -> list[tuple[float | None, tuple[float, float] | None, bool | None]]:
    """Say how sure each p is: confidence at alpha, interval for the exact p, settled or not."""
    result: list[tuple[float | None, tuple[float, float] | None, bool | None]] = []
    drawn = [k for k, o in enumerate(outcomes) if o.method in ("shuffles", "sequential")]
    known: dict[int, tuple[float, tuple[float, float]]] = {}
    if drawn:
        counts = np.array([outcomes[k].exceedances for k in drawn])
        shuffles = np.array([outcomes[k].shuffles for k in drawn])
        sure = confidence(counts, shuffles, study.asked.alpha)
        low, high = p_interval(counts, shuffles)
        bounds = zip(low.tolist(), high.tolist(), strict=True)
        known = dict(zip(drawn, zip(sure.tolist(), bounds, strict=True), strict=True))
    for k, outcome in enumerate(outcomes):
        if k in known:
            sure_k, ends = known[k]
            settled = outcome.settled
            if settled is None:
                settled = not ends[0] <= levels[k] <= ends[1]
            result.append((sure_k, ends, settled))
        elif outcome.exact and outcome.p is not None:
            result.append((float(outcome.p <= study.asked.alpha), None, True))
        else:
            result.append((None, None, None))
    return result


def _groups(
    study: _Study, pairs: Sequence[PairResult]
) -> tuple[dict[str, list[list[str]]], dict[str, dict[str, str]], list[str]]:
    """Find the groups and letters of each metric; none where not all pairs were compared."""
    groups: dict[str, list[list[str]]] = {}
    letters: dict[str, dict[str, str]] = {}
    capped: list[str] = []
    if study.asked.baseline is not None and len(study.counts.names) > 2:
        return groups, letters, capped
    for bound in study.projection.metrics:
        name = bound.metric.name
        different = {frozenset((p.a, p.b)) for p in pairs if p.metric == name and p.different}
        scores = {
            system: float(study.projection.score(bound, k))
            for k, system in enumerate(study.counts.names)
        }
        found = find_groups(scores, different, bound.metric.higher_is_better)
        groups[name] = [list(group) for group in found.groups]
        letters[name] = find_letters(found)
        if found.components:
            capped.append(name)
    return groups, letters, capped


def _class(bound: Bound) -> str:
    metric = bound.metric
    if isinstance(metric, Ratio):
        return "mean" if metric.is_mean else "ratio"
    return "function of sums" if type(metric).__name__ == "Function" else "function of units"


def _units(counts: Counts) -> dict[str, Any]:
    clusters = None
    if counts.cluster is not None:
        clusters = {
            "kind": counts.cluster,
            "count": len(counts.units),
            "largest_share": int(counts.sizes.max()) / int(counts.sizes.sum()),
        }
    return {"count": int(counts.sizes.sum()), "kind": counts.kind, "clusters": clusters}


def _signature(study: _Study) -> str:
    """Name everything that a figure depends on, in one line."""
    counts, asked = study.counts, study.asked
    digest = hashlib.sha256()
    for part in (counts.names, counts.units, counts.columns, counts.scales):
        digest.update(repr(part).encode())
    digest.update(np.ascontiguousarray(counts.values.astype("<i8")).tobytes())
    unit = counts.kind if counts.cluster is None else counts.cluster
    parts = [
        f"tellapart {importlib.metadata.version('tellapart')}",
        "+".join(bound.metric.name for bound in study.projection.metrics),
        f"{asked.test} test by {unit}" + (f", {asked.shuffles} shuffles" if asked.shuffles else ""),
        f"{asked.tail}-sided" if asked.tail == "two" else f"tail {asked.tail}",
        f"alpha {asked.alpha:g}",
        f"{asked.correction} over {study.settings.family_size}",
        f"seed {asked.seed}",
        f"data {digest.hexdigest()[:12]}",
    ]
    return " | ".join(parts)
