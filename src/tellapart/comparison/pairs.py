"""Pairs: the outcome, adjusted p-value, interval and diagnostics of each, in columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis, families, tail_of_pair
from tellapart.comparison.columns import Columns, column, constant
from tellapart.comparison.pair_record import Noise, PairDiagnostics, PairResult
from tellapart.comparison.power import PairPower, pair_powers
from tellapart.metrics.projection import BoundRatio
from tellapart.significance.corrections import adjust, implied_levels, simultaneous_error
from tellapart.significance.diagnostics import Diagnostics, ItemAnalysis, discordant, round_off
from tellapart.significance.dispatch import SHUFFLES
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.joint_corrections import Joint, joint_adjusted
from tellapart.significance.margins import MarginDecision
from tellapart.significance.options import Options
from tellapart.significance.p_value_confidence import confidence, p_interval
from tellapart.significance.questions import Outcome, Questions, as_tested, smallest_p, unscored
from tellapart.significance.registry import JOINT, RANDOMIZATION

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The adjusted p-values of all questions, and what their decisions rest on."""

    p: Floats
    """NaN where a test is undefined"""
    level: Floats
    """The levels that raw p-values are compared with"""
    interval_error: Floats
    """How often the interval of each pair may miss"""
    simultaneous: NDArray[np.bool_]
    """Whether the intervals of all pairs of a family then hold at once"""
    exceedances: NDArray[np.int64]
    """Of the shared shuffles, where an adjusted p itself was drawn; elsewhere -1"""
    shuffles: int = 0

    @classmethod
    def empty(cls, length: int) -> Adjusted:
        """Return what is to be filled in, family by family."""
        p, level, error = (np.full(length, np.nan) for _ in range(3))
        return cls(p, level, error, np.zeros(length, np.bool_), np.full(length, -1))


def _joint(analysis: Analysis, questions: Questions, shuffles: int) -> Joint:
    """Return adjusted p-values of a family by so many shuffles that its pairs share."""
    options, execution = analysis.options, analysis.execution
    return joint_adjusted(
        analysis.projection,
        as_tested(analysis.projection, questions, options.test),
        options.correction,
        shuffles,
        options.seed,
        execution.pool,
        progress=execution.progress,
        alpha=options.alpha,
    )


def adjusted_p_values(
    analyses: Sequence[Analysis], outcomes: Sequence[Sequence[Outcome]]
) -> list[Adjusted]:
    """Return adjusted p-values, family by family; a test that is undefined counts, with p = 1."""
    return [_adjusted(*each) for each in zip(analyses, outcomes, strict=True)]


def _p_values(outcomes: Sequence[Outcome]) -> Floats:
    return np.array([each.p for each in outcomes], np.float64)


def _adjusted(analysis: Analysis, outcomes: Sequence[Outcome]) -> Adjusted:
    options, raw = analysis.options, _p_values(outcomes)
    found = Adjusted.empty(len(raw))
    for family in map(np.array, families(analysis)):
        if options.correction in JOINT:
            shuffles = options.shuffles or SHUFFLES
            together = _joint(analysis, analysis.questions.take(family), shuffles)
            _fill_joint(options, raw, family, found, together, shuffles)
            found = replace(found, shuffles=shuffles)
        else:
            _plain(options, raw, family, found)
    return found


def _plain(options: Options, raw: Floats, family: NDArray[np.int64], found: Adjusted) -> None:
    """Fill in a family by a correction of p-values alone."""
    known = ~np.isnan(raw[family])
    p = np.where(known, raw[family], 1.0)
    found.p[family] = np.where(known, adjust(p, options.correction), np.nan)
    found.level[family] = implied_levels(p, options.correction, options.alpha)
    error = simultaneous_error(options.correction, options.alpha, len(family))
    found.interval_error[family] = options.alpha if error is None else error
    found.simultaneous[family] = error is not None and len(family) > 1


def _fill_joint(
    options: Options,
    raw: Floats,
    family: NDArray[np.int64],
    found: Adjusted,
    joint: Joint,
    shuffles: int,
) -> None:
    """Fill in a family by shuffles that its pairs share."""
    values, own = joint.p_values, raw[family]
    p = np.where(np.isnan(own) | (own == 0), 1.0, own)
    level = np.where(values < 1, options.alpha * p / values, options.alpha / len(family))
    # The raw p may be exact, and above what the shuffles give.
    found.p[family] = np.where(np.isnan(own), np.nan, np.maximum(values, p))
    found.level[family] = np.minimum(level, options.alpha)
    found.interval_error[family] = joint.error
    found.simultaneous[family] = len(family) > 1
    if not joint.enumerated:
        found.exceedances[family] = np.rint(values * (shuffles + 1)).astype(np.int64) - 1


_FROM_OUTCOME = tuple(
    each.name
    for each in fields(Outcome)
    if each.name in {known.name for known in fields(PairResult)} - {"noise", "settled"}
)
"""What the record of a pair has by the same name; whether p is settled depends on the correction"""


@dataclass(frozen=True, slots=True)
class ItemsWon:
    """On how many items pairs differ, and on how many the first one wins, loses and ties."""

    differing: NDArray[np.int64]
    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    tied: NDArray[np.int64]

    @classmethod
    def of(cls, analysis: Analysis) -> ItemsWon:
        """Return those of all questions; items are won and lost one by one, in clusters too."""
        questions, length = analysis.questions, len(analysis.questions)
        found = cls(*(np.zeros(length, np.int64) for _ in range(4)))
        single = analysis.unclustered or analysis.projection
        for k, bound in enumerate(questions.bounds):
            own = np.flatnonzero(questions.metric == k)
            pair = questions.a[own], questions.b[own]
            found.differing[own] = discordant(analysis.projection, bound, *pair)
            view = ItemAnalysis.of_scores(single, single.metrics[k])
            found.better[own], found.worse[own], found.tied[own] = view.outcomes(*pair)
        return found


def tested_pairs(
    analysis: Analysis, outcomes: Sequence[Outcome], adjusted: Adjusted, won: ItemsWon
) -> Columns[PairResult]:
    """Return what the tests found of every question; intervals and diagnostics are added later."""
    questions, options = analysis.questions, analysis.options
    names, length = np.array(analysis.counts.names, object), len(analysis.questions)
    bounds = questions.bounds
    difference, exact = _differences(analysis)
    sure = _certainties(analysis, outcomes, adjusted)
    enough = options.min_confidence
    different = adjusted.p <= options.alpha
    if enough is not None:
        different &= sure.decision >= enough
    kinds = ["integer" if isinstance(each, BoundRatio) and each.exact else "tolerance"
             for each in bounds]  # fmt: skip
    columns = {name: column(map(attrgetter(name), outcomes)) for name in _FROM_OUTCOME}
    columns |= {
        "a": names[questions.a],
        "b": names[questions.b],
        "metric": _by_metric(analysis, [each.metric.name for each in bounds]),
        "difference": difference,
        "exact_difference": exact,
        "interval": constant(None, length),
        "p_adjusted": adjusted.p,
        "confidence": sure.confidence,
        "p_interval": sure.p_interval,
        "settled": sure.settled,
        "tail": constant(options.tail, length),
        "favours": _favoured(analysis, outcomes, difference),
        "error_bound": column([each.error for each in outcomes]),
        "different": different,
        "units_a_better": won.better,
        "units_b_better": won.worse,
        "units_tied": won.tied,
        "comparison": _by_metric(analysis, kinds),
        "discordant": won.differing,
        "smallest_p": _smallest(won.differing, options),
        "noise": column([_noise(each) for each in outcomes]),
    }
    return Columns(PairResult, columns | _claims(analysis), length)


def _by_metric(analysis: Analysis, values: Sequence[Any]) -> NDArray[Any]:
    return np.array(values, object)[analysis.questions.metric]


def _differences(analysis: Analysis) -> tuple[Floats, NDArray[Any]]:
    """Return first minus second of all questions, and as fractions where scores are such."""
    projection, questions = analysis.projection, analysis.questions
    systems = range(len(projection.counts.names))
    scores = [[projection.score(bound, k) for k in systems] for bound in questions.bounds]
    columns = (questions.metric, questions.a, questions.b)
    found = [
        scores[metric][a] - scores[metric][b]
        for metric, a, b in zip(*(each.tolist() for each in columns), strict=True)
    ]
    exact = [str(each) if isinstance(each, Fraction) else None for each in found]
    return np.array(list(map(float, found))), column(exact)


def _claims(analysis: Analysis) -> dict[str, NDArray[Any]]:
    """Return the tails and claims of one-sided tests; with a baseline about the other system."""
    options, names = analysis.options, analysis.counts.names
    if options.tail == "two":
        return {}
    worded = "better" if options.tail == "greater" else "worse"
    tails, claims = [], []
    for question in analysis.questions:
        a, b = names[question.a], names[question.b]
        one, other = (b, a) if a == options.baseline else (a, b)
        tails.append(tail_of_pair(options, a))
        claims.append(f"{one} is {worded} than {other}")
    return {"tail": column(tails), "claim": column(claims)}


def with_diagnostics(
    pairs: Columns[PairResult],
    analysis: Analysis,
    numbers: NDArray[np.int64],
    outcomes: Sequence[Outcome],
    decision_changes: Sequence[bool | None],
) -> Columns[PairResult]:
    """Return pairs with the diagnostics of some of them, given by the numbers of questions."""
    projection, questions = analysis.projection, analysis.questions.take(numbers)
    views = [ItemAnalysis.of(projection, bound) for bound in questions.bounds]
    powers = pair_powers(replace(analysis, questions=questions), views, outcomes)
    difference = pairs.column("difference")[numbers].tolist()
    diagnostics = pairs.column("diagnostics").copy()
    for k, number in enumerate(numbers.tolist()):
        view = views[questions.metric[k]]
        figures = view.diagnose(int(questions.a[k]), int(questions.b[k]), difference[k])
        diagnostics[number] = _pair_diagnostics(
            figures, outcomes[k], decision_changes[k], powers[k]
        )
    return pairs.replaced({"diagnostics": diagnostics})


def with_intervals(
    pairs: Columns[PairResult],
    analysis: Analysis,
    outcomes: Sequence[Outcome],
    intervals: Mapping[int, Interval | None],
    simultaneous: NDArray[np.bool_],
) -> Columns[PairResult]:
    """Return pairs with their intervals, given by the numbers of questions.

    An interval says of 0 what the decision says, whatever the two are made by. A test of signs or
    ranks may speak for the lower score; the interval is then left as it is. A test that is
    undefined decides nothing.
    """
    empty: dict[str, list[Any]] = {name: [None] * len(pairs) for name in _OF_INTERVALS}
    difference, different = pairs.column("difference"), pairs.column("different")
    for k, interval in intervals.items():
        direction = outcomes[k].direction
        if interval is None:
            continue
        if outcomes[k].p is None and unscored(analysis.projection, analysis.questions[k]):
            continue  # of a score that is none
        against = direction is not None and direction * difference[k] < 0
        interval = interval.deciding(bool(different[k]), 0.0 if against else float(difference[k]))
        empty["interval"][k], empty["interval_method"][k] = interval.ends, interval.method
        empty["interval_for"][k] = "all" if simultaneous[k] else "pair"
        empty["interval_level"][k] = 1 - analysis.options.alpha
    return pairs.replaced({name: column(values) for name, values in empty.items()})


_OF_INTERVALS = ("interval", "interval_method", "interval_for", "interval_level")


def with_margins(
    pairs: Columns[PairResult], decisions: Sequence[MarginDecision | None]
) -> Columns[PairResult]:
    """Return pairs with what is shown of them and the margin."""
    names = [each.name for each in fields(MarginDecision) if each.name != "interval"]
    found = [each or MarginDecision() for each in decisions]
    intervals = [each.interval for each in found]
    columns = {name: column([getattr(each, name) for each in found]) for name in names}
    columns |= {
        "interval": column([None if each is None else each.ends for each in intervals]),
        "interval_method": column([None if each is None else each.method for each in intervals]),
        "interval_for": column([None if each is None else "margin" for each in intervals]),
        "interval_level": column(
            [None if each.interval is None else each.interval_level for each in found]
        ),
    }
    return pairs.replaced(columns)


def _noise(outcome: Outcome) -> Noise | None:
    """Return where the noise of a difference comes from, if items and runs could be others."""
    noise = outcome.noise
    if noise is None:
        return None
    parts = (noise.items, noise.runs, noise.chance)
    items, runs, chance = (round_off(math.sqrt(part)) for part in parts)
    return Noise(items, runs, chance, noise.helps)


def _pair_diagnostics(
    figures: Diagnostics, outcome: Outcome, decision_changes: bool | None, power: PairPower
) -> PairDiagnostics:
    """Return the diagnostics that have no field of their own."""
    influence = figures.influence
    if influence is not None:
        influence = replace(influence, decision_changes=decision_changes)
    error, noise = figures.standard_error, outcome.noise
    if noise is not None:
        error = round_off(noise.error)
    return PairDiagnostics(
        r12=figures.r12,
        inflation=figures.inflation,
        influence=influence,
        half_items=figures.half_items,
        detectable=power.alone.difference,
        standard_error=error,
        detectable_corrected=power.corrected.difference,
        detectable_missing=power.corrected.reason,
        resamples_won_by_a=outcome.wins,
    )


def _smallest(differing: NDArray[np.int64], options: Options) -> NDArray[Any]:
    """Return the smallest p that the test could give, where that depends on items alone."""
    if options.test not in (*RANDOMIZATION, "sign", "mcnemar"):
        return constant(None, len(differing))
    numbers, place = np.unique(differing, return_inverse=True)
    return np.array([smallest_p(k, options.tail) for k in numbers.tolist()], np.float64)[place]


def _favoured(analysis: Analysis, outcomes: Sequence[Outcome], difference: Floats) -> NDArray[Any]:
    """Return the system that each test speaks for; None where it leans to neither."""
    questions = analysis.questions
    names = np.array([*analysis.counts.names, None], object)
    direction = np.array([each.direction for each in outcomes], np.float64)
    leaning = np.where(np.isnan(direction), difference, direction)
    higher = np.array([each.metric.higher_is_better for each in questions.bounds])
    first = (leaning > 0) == higher[questions.metric]
    return np.asarray(names[np.where(leaning == 0, -1, np.where(first, questions.a, questions.b))])


@dataclass(frozen=True, slots=True)
class _Certainties:
    """The certainty of all decisions."""

    confidence: Floats
    """The probability that the exact test rejects at alpha; NaN where that is not known"""
    decision: Floats
    """The same at the level that the correction implies; 0 where it is not known"""
    p_interval: NDArray[Any]
    """For the exact p, where p was drawn"""
    settled: NDArray[Any]


def _certainties(
    analysis: Analysis, outcomes: Sequence[Outcome], adjusted: Adjusted
) -> _Certainties:
    """Return how sure each p is: confidence, interval for the exact p, settled or not."""
    alpha, p, length = analysis.options.alpha, _p_values(outcomes), len(outcomes)
    exact = np.array([each.exact for each in outcomes], np.bool_) & ~np.isnan(p)
    least = p - np.array([each.error for each in outcomes])
    sure = np.where(exact & ~((least <= alpha) & (alpha < p)), p <= alpha, np.nan)
    decision = np.where(exact, p <= adjusted.level, 0.0)
    ends = np.full(length, None, object)
    settled = np.full(length, None, object)
    # Bounds on both sides of the level do not tell on which one the exact p is.
    settled[exact] = ~((least <= adjusted.level) & (adjusted.level < p))[exact]
    methods = ("shuffles", "sequential")
    drawn = [k for k, each in enumerate(outcomes) if each.method in methods]
    if drawn:
        counts = np.array([outcomes[k].exceedances for k in drawn])
        shuffles = np.array([outcomes[k].shuffles for k in drawn])
        levels = adjusted.level[drawn]
        low, high = p_interval(counts, shuffles)
        sure[drawn] = confidence(counts, shuffles, alpha)
        decision[drawn] = confidence(counts, shuffles, levels)
        ends[drawn] = column(zip(low.tolist(), high.tolist(), strict=True))
        outside = ~((low <= levels) & (levels <= high))
        told = (outcomes[k].settled for k in drawn)
        settled[drawn] = [
            own if own is not None else far for own, far in zip(told, outside.tolist(), strict=True)
        ]
    joint = np.flatnonzero(adjusted.exceedances >= 0)
    if len(joint):
        counts = adjusted.exceedances[joint]
        low, high = p_interval(counts, adjusted.shuffles)
        decision[joint] = confidence(counts, adjusted.shuffles, alpha)
        settled[joint] = ~((low <= alpha) & (alpha <= high))
    return _Certainties(sure, decision, ends, settled)
