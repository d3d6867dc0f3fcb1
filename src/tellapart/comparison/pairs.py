"""Pairs: the outcome, adjusted p-value, interval and diagnostics of each, as one record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tellapart.comparison.analysis import Analysis, families
from tellapart.comparison.power import PairPower, pair_powers
from tellapart.comparison.record import (
    Noise,
    PairDiagnostics,
    PairResult,
)
from tellapart.metrics.projection import BoundRatio
from tellapart.significance.corrections import adjust, implied_levels, simultaneous_error
from tellapart.significance.cross_checks import CrossChecks
from tellapart.significance.diagnostics import Diagnostics, ItemAnalysis, round_off
from tellapart.significance.dispatch import SHUFFLES
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import Estimate
from tellapart.significance.joint_corrections import enumerable, joint_adjusted
from tellapart.significance.margins import MarginDecision
from tellapart.significance.options import Options
from tellapart.significance.p_value_confidence import confidence, p_interval
from tellapart.significance.questions import Outcome, Question, as_tested, smallest_p, unscored
from tellapart.significance.registry import JOINT, RANDOMIZATION


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An adjusted p-value, and what its decision rests on."""

    p: float | None
    level: float
    """The level that the raw p is compared with"""
    exceedances: int | None = None
    shuffles: int | None = None
    """Of the shared shuffles, where the adjusted p itself was drawn"""
    interval_error: float = 0.05
    """How often the interval of the pair may miss"""
    simultaneous: bool = False
    """Whether the intervals of all pairs of the family then hold at once"""


def adjusted_p_values(
    analyses: Sequence[Analysis], outcomes: Sequence[Sequence[Outcome]]
) -> list[list[Adjusted]]:
    """Return adjusted p-values, family by family; a test that is undefined counts, with p = 1."""
    if len(analyses) > 1 and analyses[0].options.family == "all":
        together = [each for some in outcomes for each in some]
        every = _plain(analyses[0].options, together, list(range(len(together))))
        places = iter(range(len(together)))
        return [[every[next(places)] for _ in some] for some in outcomes]
    return [_adjusted(*each) for each in zip(analyses, outcomes, strict=True)]


def _adjusted(analysis: Analysis, outcomes: Sequence[Outcome]) -> list[Adjusted]:
    found: dict[int, Adjusted] = {}
    options = analysis.options
    for family in families(analysis):
        joint = options.correction in JOINT
        found.update(
            _joint(analysis, outcomes, family) if joint else _plain(options, outcomes, family)
        )
    return [found[k] for k in range(len(outcomes))]


def _plain(options: Options, outcomes: Sequence[Outcome], family: list[int]) -> dict[int, Adjusted]:
    correction, alpha = options.correction, options.alpha
    raw = [p if (p := outcomes[k].p) is not None else 1.0 for k in family]
    values, levels = adjust(raw, correction), implied_levels(raw, correction, alpha)
    error = simultaneous_error(correction, alpha, len(family))
    return {
        k: Adjusted(
            None if outcomes[k].p is None else float(value),
            float(level),
            interval_error=alpha if error is None else error,
            simultaneous=error is not None and len(family) > 1,
        )
        for k, value, level in zip(family, values, levels, strict=True)
    }


def _joint(
    analysis: Analysis, outcomes: Sequence[Outcome], family: list[int]
) -> dict[int, Adjusted]:
    options = analysis.options
    shuffles = options.shuffles or SHUFFLES
    questions = as_tested(
        analysis.projection, [analysis.questions[k] for k in family], options.test
    )
    joint = joint_adjusted(
        analysis.projection,
        questions,
        options.correction,
        shuffles,
        options.seed,
        analysis.execution.pool,
        progress=analysis.execution.progress,
        alpha=options.alpha,
    )
    certain = options.correction != "tukey" and enumerable(analysis.projection, questions)
    counts = np.rint(joint.p_values * (shuffles + 1)).astype(int) - 1
    found = {}
    for k, value, count in zip(family, joint.p_values.tolist(), counts.tolist(), strict=True):
        raw = outcomes[k].p or 1.0
        level = options.alpha * raw / value if value < 1 else options.alpha / len(family)
        found[k] = Adjusted(
            # the raw p may be exact, and above what the shuffles give
            None if outcomes[k].p is None else max(value, raw),
            min(level, options.alpha),
            None if certain else count,
            None if certain else shuffles,
            joint.error,
            len(family) > 1,
        )
    return found


def assemble_pairs(
    analysis: Analysis,
    outcomes: Sequence[Outcome],
    adjusted: Sequence[Adjusted],
    estimates: Sequence[Estimate],
    margins: Sequence[MarginDecision | None],
    cross_checks: Sequence[CrossChecks],
) -> list[PairResult]:
    """Return the record of every question."""
    views = {
        id(bound): ItemAnalysis.of(analysis.projection, bound)
        for bound in analysis.projection.metrics
    }
    single = {view.bound.metric.name: view for view in _single_items(analysis, views)}
    certainties = _certainties(analysis, outcomes, adjusted)
    powers = pair_powers(analysis, views, outcomes)
    return [
        _pair(
            analysis,
            question,
            _Found(
                outcomes[k],
                adjusted[k],
                estimates[k],
                margins[k],
                cross_checks[k],
                certainties[k],
                powers[k],
            ),
            (views[id(question.bound)], single[question.bound.metric.name]),
        )
        for k, question in enumerate(analysis.questions)
    ]


def _single_items(analysis: Analysis, views: Mapping[int, ItemAnalysis]) -> Iterable[ItemAnalysis]:
    """Return the views of single items, also where whole clusters are compared."""
    if analysis.unclustered is None:
        return views.values()
    return [
        ItemAnalysis.of_scores(analysis.unclustered, bound)
        for bound in analysis.unclustered.metrics
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """All that was worked out for one question."""

    outcome: Outcome
    adjusted: Adjusted
    estimate: Estimate
    margin: MarginDecision | None
    cross_checks: CrossChecks
    certainty: _Certainty
    power: PairPower


def _different(found: _Found, options: Options) -> bool:
    p, enough = found.adjusted.p, options.min_confidence
    return (
        p is not None
        and p <= options.alpha
        and (enough is None or found.certainty.decision_confidence >= enough)
    )


def _agreeing(found: _Found, difference: float, options: Options) -> Interval | None:
    """Return the interval, which says of 0 what the decision says, whatever the two are made by.

    A test of signs or ranks may speak for the lower score; the interval is then left as it is.
    A test that is undefined decides nothing.
    """
    interval, direction = found.estimate.interval, found.outcome.direction
    if interval is None:
        return None
    against = direction is not None and direction * difference < 0
    return interval.deciding(_different(found, options), 0.0 if against else difference)


def _pair(
    analysis: Analysis, question: Question, found: _Found, views: tuple[ItemAnalysis, ItemAnalysis]
) -> PairResult:
    view, single = views
    names, bound, options = analysis.counts.names, question.bound, analysis.options
    outcome, cross_checks, estimate = found.outcome, found.cross_checks, found.estimate
    a, b = (analysis.projection.score(bound, system) for system in (question.a, question.b))
    difference = a - b
    figures = view.diagnose(question.a, question.b, float(difference))
    better, worse, tied = single.outcomes(question.a, question.b)
    interval = _agreeing(found, float(difference), options)
    if outcome.p is None and unscored(analysis.projection, question):
        interval = None  # of a score that is none
    shared = _shared_fields(outcome, estimate, found.certainty)
    shared |= {
        "interval_for": "all" if found.adjusted.simultaneous else "pair",
        "interval_level": 1 - options.alpha,
    }
    if found.margin is not None:
        interval = found.margin.interval
        shared |= {**_shared_fields(found.margin), "interval_for": "margin"}
    if interval is None:
        shared |= {"interval_for": None, "interval_level": None}
    return PairResult(
        **shared,
        a=names[question.a],
        b=names[question.b],
        metric=bound.metric.name,
        difference=float(difference),
        exact_difference=str(difference) if isinstance(difference, Fraction) else None,
        interval=None if interval is None else interval.ends,
        interval_method=None if interval is None else interval.method,
        p_adjusted=found.adjusted.p,
        tail=options.tail,
        favours=_favoured(names, question, outcome, float(difference)),
        error_bound=outcome.error,
        different=_different(found, options),
        units_a_better=better,
        units_b_better=worse,
        units_tied=tied,
        comparison="integer" if isinstance(bound, BoundRatio) and bound.exact else "tolerance",
        p_ignoring_clusters=cross_checks.p_ignoring_clusters,
        discordant=figures.discordant,
        smallest_p=_smallest(figures.discordant, options),
        noise=_noise(outcome),
        diagnostics=_diagnostics(figures, found),
        checks=cross_checks.checks,
    )


_SET_HERE = {"interval", "noise"}  # which the record has in another form


def _shared_fields(*records: Outcome | Estimate | _Certainty | MarginDecision) -> dict[str, Any]:
    """Return the fields of some records that the record of a pair has by the same name.

    A later record has the say: whether p is settled depends on the correction, too.
    """
    known = {each.name for each in fields(PairResult)} - _SET_HERE
    return {
        each.name: getattr(record, each.name)
        for record in records
        for each in fields(record)
        if each.name in known
    }


def _noise(outcome: Outcome) -> Noise | None:
    """Return where the noise of a difference comes from, if items and runs could be others."""
    noise = outcome.noise
    if noise is None:
        return None
    parts = (noise.items, noise.runs, noise.chance)
    items, runs, chance = (round_off(math.sqrt(part)) for part in parts)
    return Noise(items, runs, chance, noise.helps)


def _diagnostics(figures: Diagnostics, found: _Found) -> PairDiagnostics:
    """Return the diagnostics that have no field of their own."""
    influence, cross_checks = figures.influence, found.cross_checks
    if influence is not None:
        influence = replace(influence, decision_changes=cross_checks.decision_changes)
    error, noise = figures.standard_error, found.outcome.noise
    if noise is not None:
        error = round_off(noise.error)
    return PairDiagnostics(
        r12=figures.r12,
        inflation=figures.inflation,
        influence=influence,
        half_items=figures.half_items,
        detectable=found.power.alone.difference,
        standard_error=error,
        detectable_corrected=found.power.corrected.difference,
        detectable_missing=found.power.corrected.reason,
        clusters=cross_checks.clusters,
        resamples_won_by_a=found.outcome.wins,
    )


def _smallest(discordant: int, options: Options) -> float | None:
    """Return the smallest p that the test could give, where that depends on items alone."""
    if options.test not in (*RANDOMIZATION, "sign", "mcnemar"):
        return None
    return smallest_p(discordant, options.tail)


def _favoured(
    names: Sequence[str], question: Question, outcome: Outcome, difference: float
) -> str | None:
    direction = outcome.direction if outcome.direction is not None else difference
    if direction == 0:
        return None
    first = (direction > 0) == question.bound.metric.higher_is_better
    return names[question.a if first else question.b]


@dataclass(frozen=True, slots=True)
class _Certainty:
    """The certainty of a decision."""

    confidence: float | None = None
    """The probability that the exact test rejects at alpha"""
    decision_confidence: float = 0.0
    """The same at the level that the correction implies"""
    p_interval: tuple[float, float] | None = None
    settled: bool | None = None


def _certainties(
    analysis: Analysis, outcomes: Sequence[Outcome], adjusted: Sequence[Adjusted]
) -> list[_Certainty]:
    """Return how sure each p is: confidence, interval for the exact p, settled or not."""
    alpha = analysis.options.alpha
    drawn = [k for k, o in enumerate(outcomes) if o.method in ("shuffles", "sequential")]
    result = [
        _Certainty(float(o.p <= alpha), float(o.p <= each.level), None, True)
        if o.exact and o.p is not None
        else _Certainty()
        for o, each in zip(outcomes, adjusted, strict=True)
    ]
    if drawn:
        counts = np.array([outcomes[k].exceedances for k in drawn])
        shuffles = np.array([outcomes[k].shuffles for k in drawn])
        levels = np.array([adjusted[k].level for k in drawn])
        low, high = p_interval(counts, shuffles)
        figures = zip(
            drawn,
            confidence(counts, shuffles, alpha).tolist(),
            confidence(counts, shuffles, levels).tolist(),
            zip(low.tolist(), high.tolist(), strict=True),
            strict=True,
        )
        for k, at_alpha, of_decision, ends in figures:
            settled = outcomes[k].settled
            if settled is None:
                settled = not ends[0] <= adjusted[k].level <= ends[1]
            result[k] = _Certainty(at_alpha, of_decision, ends, settled)
    for k, each in enumerate(adjusted):
        if each.shuffles is not None and each.exceedances is not None:
            low_end, high_end = p_interval(each.exceedances, each.shuffles)
            sure = confidence(each.exceedances, each.shuffles, alpha)
            settled = not low_end <= alpha <= high_end
            result[k] = replace(result[k], decision_confidence=sure, settled=settled)
    return result
