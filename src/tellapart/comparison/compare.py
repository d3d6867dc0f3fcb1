"""The one orchestration: counts, metrics and a test become a comparison."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from tellapart.comparison import warnings as cautions
from tellapart.comparison.analysis import Study, claimed_tail, make_study
from tellapart.comparison.options import Options
from tellapart.comparison.pairs import adjusted_p_values, assemble_pairs
from tellapart.comparison.record import Comparison, PairResult, SystemResult
from tellapart.comparison.slices import check_labels, slices
from tellapart.counts import Counts, errors
from tellapart.errors import UsageError
from tellapart.metrics import Function, ItemFunction, Metric, Ratio
from tellapart.metrics.projection import Bound
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import Workers, open_workers
from tellapart.significance import checking
from tellapart.significance.estimation import Estimate, Estimator
from tellapart.significance.groups import groups as find_groups
from tellapart.significance.groups import letters as find_letters
from tellapart.significance.intervals import Interval
from tellapart.significance.multiplicity import experimentwise_error, per_comparison_level
from tellapart.significance.procedures import Machinery, run


def compare(
    counts: Counts,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
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
    by: str | Sequence[str] | None = None,
    force: bool = False,
    lower_is_better: bool | str | Sequence[str] = False,
    workers: int | None = None,
    executor: Executor | None = None,
    cluster_address: str | None = None,
    batch: int | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Tell which of the systems differ, by which metrics, and how sure that is.

    The keywords are the options of the command line. `cluster` names the label whose items are
    exchanged together, `strata` the one within which the bootstrap draws; `family` is ``metric``
    (all pairs of one metric) or ``all``; `intervals` may name a method; `checks` repeats shuffles
    and compares them with what is known exactly; `by` names labels on whose values all pairs are
    compared once more, in `slices`; `lower_is_better` names ready values that count errors, or is
    true where all of them do. `workers`, `executor`, `cluster_address` and
    `batch` say where and how the work runs; the result does not depend on them.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> compare(counts).pair("A", "B").p
    0.03125
    """
    asked = Options.of(
        test=test,
        shuffles=shuffles,
        seed=seed,
        alpha=alpha,
        tail=tail,
        correction=correction,
        family=family,
        baseline=baseline,
        min_confidence=min_confidence,
        margin=margin,
        intervals=intervals,
        checks=checks,
        batch=batch,
        force=force,
    )
    if not isinstance(counts, Counts):
        raise UsageError(
            f"compare takes Counts, not {type(counts).__name__}: make them with tellapart.read or "
            "Counts.from_arrays"
        )
    if isinstance(metrics, str | Ratio | Function | ItemFunction):
        metrics = [metrics]
    if lower_is_better:
        counts = errors(counts, lower_is_better)
    with open_workers(workers, executor, cluster_address) as crew:
        study = make_study(counts, metrics, cluster, strata, asked, Machinery(crew, progress))
        return _compare(study, (by,) if isinstance(by, str) else tuple(dict.fromkeys(by or ())))


def _compare(study: Study, by: tuple[str, ...]) -> Comparison:
    asked, machinery = study.asked, study.machinery
    check_labels(study, by)
    outcomes = run(study.projection, study.questions, study.settings, machinery)
    adjusted = adjusted_p_values(study, outcomes)
    levels = [each.level for each in adjusted]
    systems, estimates = _estimates(study)
    beside = checking.beside(
        checking.Checked(study.projection, study.plain, study.questions, outcomes, levels),
        study.settings,
        machinery,
        asked.checks,
    )
    assembled = assemble_pairs(study, outcomes, adjusted, estimates, beside)
    pairs = [_with_claim(pair, asked) for pair in assembled]
    groups, letters, capped = _groups(study, pairs)
    size = study.settings.family_size
    shown = [pair if pair.tail == asked.tail else pair.mirrored() for pair in pairs]
    warnings = cautions.cautions(study.projection, shown, asked, capped, size)
    names = [bound.metric.name for bound in study.projection.metrics]
    return Comparison(
        tellapart=importlib.metadata.version("tellapart"),
        signature=_signature(study, by),
        alpha=asked.alpha,
        correction=asked.correction,
        seed=asked.seed,
        units=_items(study.counts),
        systems=systems,
        pairs=tuple(pairs),
        groups=groups,
        letters=letters,
        warnings=warnings,
        test=asked.test,
        tail=asked.tail,
        metrics={
            name: _described(bound)
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
        slices=slices(study, by),
        # The crew of workers goes home with this call.
        evidence=replace(study, machinery=Machinery(Workers(1, None), no_progress)),
    )


def _with_claim(pair: PairResult, asked: Options) -> PairResult:
    """Say what a one-sided test was to show; with a baseline that is about the other system."""
    if asked.tail == "two":
        return pair
    one, other = (pair.b, pair.a) if pair.a == asked.baseline else (pair.a, pair.b)
    worded = "better" if asked.tail == "greater" else "worse"
    return replace(pair, tail=claimed_tail(asked, pair.a), claim=f"{one} is {worded} than {other}")


def _estimates(study: Study) -> tuple[tuple[SystemResult, ...], list[Estimate]]:
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


def _groups(
    study: Study, pairs: Sequence[PairResult]
) -> tuple[dict[str, list[list[str]]], dict[str, dict[str, str]], list[str]]:
    """Find the groups and letters of each metric; none where not all pairs were compared."""
    groups: dict[str, list[list[str]]] = {}
    letters: dict[str, dict[str, str]] = {}
    capped: list[str] = []
    asked = study.asked
    # A one-sided test does not say that two systems do not differ.
    if asked.tail != "two" or (asked.baseline is not None and len(study.counts.names) > 2):
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


def _described(bound: Bound) -> dict[str, Any]:
    described = {"higher_is_better": bound.metric.higher_is_better, "class": _class(bound)}
    if not isinstance(bound.metric, ItemFunction) and bound.metric.signature is not None:
        described["signature"] = bound.metric.signature
    return described


def _class(bound: Bound) -> str:
    metric = bound.metric
    if isinstance(metric, Ratio):
        return "mean" if metric.is_mean else "ratio"
    return "function of sums" if isinstance(metric, Function) else "function of units"


def _items(counts: Counts) -> dict[str, Any]:
    clusters = None
    if counts.cluster is not None:
        clusters = {
            "kind": counts.cluster,
            "count": len(counts.items),
            "largest_share": int(counts.sizes.max()) / int(counts.sizes.sum()),
        }
    return {"count": int(counts.sizes.sum()), "kind": counts.kind, "clusters": clusters}


def _named(bound: Bound) -> str:
    metric = bound.metric
    signature = None if isinstance(metric, ItemFunction) else metric.signature
    return metric.name if signature is None else f"{metric.name} {signature}"


def _signature(study: Study, by: Sequence[str]) -> str:
    """Name everything that a figure depends on, in one line."""
    counts, asked = study.counts, study.asked
    digest = hashlib.sha256()
    for part in (counts.names, counts.items, counts.columns, counts.scales):
        digest.update(repr(part).encode())
    present = np.empty(0) if counts.present is None else counts.present
    for array in (counts.values, counts.sizes, present):
        digest.update(np.ascontiguousarray(array.astype("<i8")).tobytes())
    item = counts.kind if counts.cluster is None else counts.cluster
    chosen = {
        "family": None if asked.family == "metric" else asked.family,
        "baseline": asked.baseline,
        "margin": asked.margin,
        "confidence": asked.min_confidence,
        "intervals": asked.intervals if isinstance(asked.intervals, str) else None,
        "strata": study.strata,
        "lower-is-better": "+".join(counts.lower) or None,
        "by": "+".join(by) or None,
    }
    parts = [
        f"tellapart {importlib.metadata.version('tellapart')}",
        "+".join(_named(bound) for bound in study.projection.metrics),
        f"{asked.test} test by {item}" + (f", {asked.shuffles} shuffles" if asked.shuffles else ""),
        f"{asked.tail}-sided" if asked.tail == "two" else f"tail {asked.tail}",
        f"alpha {asked.alpha:g}",
        f"{asked.correction} over {study.settings.family_size}",
        *(f"{name} {value}" for name, value in chosen.items() if value is not None),
        f"seed {asked.seed}",
        f"data {digest.hexdigest()[:12]}",
    ]
    return " | ".join(parts)
