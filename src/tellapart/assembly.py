"""Outcomes, intervals and diagnostics of each pair, put together into one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from tellapart.comparison import PairResult
from tellapart.projection import BoundRatio
from tellapart.significance import checking
from tellapart.significance.confidence import confidence, p_interval
from tellapart.significance.diagnostics import Diagnostics, UnitView
from tellapart.significance.estimation import Estimate
from tellapart.significance.outcome import Outcome
from tellapart.significance.randomization import Question, smallest_p
from tellapart.study import Study


def assemble_pairs(
    study: Study,
    outcomes: Sequence[Outcome],
    adjusted: Sequence[float | None],
    levels: Sequence[float],
    estimates: Sequence[Estimate],
    beside: Sequence[checking.Beside],
) -> list[PairResult]:
    """Put together the record of every question."""
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
                a_no_worse=estimates[k].a_no_worse,
                b_no_worse=estimates[k].b_no_worse,
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
    study: Study,
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
    study: Study, outcomes: Sequence[Outcome], levels: Sequence[float]
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
