"""Slices: the same differences on parts of the items, by topic, length, or any other label.

Exploratory: each label has its own correction, over its values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.record import Ends, Slice
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics import Function, ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection, project
from tellapart.resampling.ratios import sign_of
from tellapart.significance.bootstrap_tests import jackknife
from tellapart.significance.corrections import adjust
from tellapart.significance.diagnostics import error_terms, standard_error
from tellapart.significance.dispatch import SHUFFLES
from tellapart.significance.exact_tests import exact_tests
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.inversion import invert
from tellapart.significance.questions import Question, as_tested, smallest_p, unscored
from tellapart.significance.shuffle_tests import ShuffleJob, count_exceedances
from tellapart.significance.varying_runs import pair_noise
from tellapart.words import plural

MOST_VALUES = 100
"""A label with more values does not tell kinds of items apart."""
AUTOMATIC_VALUES = 12
AUTOMATIC_LABELS = 3
SHUFFLED_QUESTIONS = 200
"""Above so many pairs and slices p is by t, which takes no shuffles."""
_PATIENCE = 0.01  # a hundredth of what the exact test of a comparison may take


def automatic_labels(analysis: Analysis) -> tuple[str, ...]:
    """Return the labels by which a report shows slices when none were asked for.

    The first three with 2 to 12 values that are neither the clusters nor one for each item.
    """
    counts = _items(analysis)
    found = []
    for label, texts in counts.labels.items():
        values = len(set(texts))
        few = 2 <= values <= AUTOMATIC_VALUES and values < len(texts)
        if few and label != analysis.counts.cluster:
            found.append(label)
    return tuple(found[:AUTOMATIC_LABELS])


def check_labels(analysis: Analysis, labels: Sequence[str]) -> None:
    """Refuse labels that cannot tell slices apart, in one sentence."""
    counts = _items(analysis)
    for label in labels:
        if label not in counts.labels:
            known = ", ".join(counts.labels) or "none"
            raise UsageError(f"there is no label {label!r} to compare by; the labels are: {known}")
        if label == analysis.counts.cluster:
            raise UsageError(
                f"{plural(label)} are exchanged as wholes, so that none can be compared by itself; "
                "compare by another label"
            )
        values = len(set(counts.labels[label]))
        if values > MOST_VALUES:
            raise UsageError(
                f"label {label!r} has {values:,} values, and slices are for {MOST_VALUES} at most; "
                "compare by another label"
            )


def slices(analysis: Analysis, labels: Sequence[str]) -> tuple[Slice, ...]:
    """Return every pair under every metric on the items of each value of some labels.

    Clusters stay together within a slice. p is by randomization, exact where that is quick,
    otherwise from 9,999 shuffles, and intervals of means invert that test. All other intervals are
    by t over items (clusters), with the standard error of the residuals for ratios and of the
    jackknife for other functions of sums, and no wider than the values allow; with more than 200
    questions in all, everything is by t. Functions of items get neither. Holm's correction is over
    the values of a label, for each pair and metric.
    """
    check_labels(analysis, labels)
    counts = replace(_items(analysis), texts=None)
    single = analysis.unclustered or analysis.projection
    spans = [_span(single, bound) for bound in single.metrics]
    values = {label: tuple(dict.fromkeys(counts.labels[label])) for label in labels}
    options = len(analysis.questions) * sum(map(len, values.values()))
    found: list[Slice] = []
    for label in labels:
        parts = [
            _part(analysis, counts.where({label: {value}}), spans, options <= SHUFFLED_QUESTIONS)
            for value in values[label]
        ]
        for k, question in enumerate(analysis.questions):
            adjusted = _holm([part.p[k] for part in parts])
            found += [
                _slice(analysis, question, (label, value), part, k, p)
                for value, part, p in zip(values[label], parts, adjusted, strict=True)
            ]
    return tuple(found)


def _items(analysis: Analysis) -> Counts:
    """Return the counts before clusters were summed."""
    return analysis.counts if analysis.unclustered is None else analysis.unclustered.counts


_Ended: TypeAlias = tuple[Ends | None, str | None]
"""An interval, and the method that gave it"""


@dataclass(frozen=True, slots=True)
class _Part:
    """The outcomes of all questions on one slice."""

    items: int
    clusters: int | None
    differences: list[float]
    intervals: list[_Ended]
    p: list[float | None]


def _span(projection: Projection, bound: Bound) -> float:
    """Return how far two scores can lie apart, as far as the values of single items tell.

    A ratio of sums lies between the smallest and the largest ratio of an item.
    """
    if not isinstance(bound, BoundRatio):
        return math.inf
    num, den = projection.forms[bound.numerator], projection.forms[bound.denominator]
    values = num[den != 0] / den[den != 0]
    return float(bound.factor) * float(np.ptp(values)) if values.size else math.inf


def _part(analysis: Analysis, counts: Counts, spans: Sequence[float], shuffled: bool) -> _Part:
    items = len(counts.items)
    if analysis.counts.cluster is not None:
        counts = counts.by(analysis.counts.cluster)
    projection = project(counts, [bound.metric for bound in analysis.projection.metrics])
    bounds = dict(zip(map(id, analysis.projection.metrics), projection.metrics, strict=True))
    questions = [Question(bounds[id(q.bound)], q.a, q.b, q.tail) for q in analysis.questions]
    differences = [
        float(projection.score(q.bound, q.a) - projection.score(q.bound, q.b)) for q in questions
    ]
    errors = _standard_errors(projection, questions)
    shuffled = shuffled and counts.present is None
    if shuffled:
        p = _shuffled_p(analysis, projection, questions)
    else:
        p = _t_p(projection, questions, differences, errors)
    reach = (
        _reach(len(counts.items) - 1, analysis.options.alpha)
        if analysis.options.intervals
        else None
    )
    limits = {id(b): span for b, span in zip(projection.metrics, spans, strict=True)}
    by_t: list[_Ended] = [
        _t_interval(d, error, reach, limits[id(q.bound)])
        for q, d, error in zip(questions, differences, errors, strict=True)
    ]
    inverted = _inverted(analysis, projection, questions, p) if shuffled else {}
    intervals = [inverted.get(k, ended) for k, ended in enumerate(by_t)]
    if analysis.settings.runs_vary:
        _let_runs_vary(projection, questions, analysis.options.alpha, p, intervals)
    clusters = None if analysis.counts.cluster is None else len(counts.items)
    return _Part(items, clusters, differences, intervals, p)


def _let_runs_vary(
    projection: Projection,
    questions: Sequence[Question],
    alpha: float,
    p_values: list[float | None],
    intervals: list[_Ended],
) -> None:
    """Put p-values and intervals for runs that could be others in the place of these runs'."""
    for k, (q, p) in enumerate(zip(questions, p_values, strict=True)):
        noise = pair_noise(projection, q.bound, q.a, q.b)
        if noise is None:
            continue
        p_values[k] = None if p is None else max(p, noise.p(q.tail))
        ends = intervals[k][0]
        if ends is not None:
            one_sided = None in ends
            low, high = noise.ends(1 - 2 * alpha if one_sided else 1 - alpha)
            reached = Interval(*ends, method="runs").reaching(low).reaching(high)
            intervals[k] = reached.ends, "runs"


def _t_interval(difference: float, error: float | None, reach: float | None, span: float) -> _Ended:
    """Return the interval of a difference, within what is possible at all."""
    if error is None or reach is None:
        return None, None
    low, high = difference - reach * error, difference + reach * error
    return (max(low, -span), min(high, span)), "t"


def _inverted(
    analysis: Analysis,
    projection: Projection,
    questions: Sequence[Question],
    p_values: Sequence[float | None],
) -> dict[int, _Ended]:
    """Return intervals that invert the tests of means, as the comparison itself does."""
    found: dict[int, _Ended] = {}
    if analysis.options.intervals is not True:
        return found
    alpha, seed = analysis.options.alpha, analysis.options.seed
    for k, (q, p) in enumerate(zip(questions, p_values, strict=True)):
        if not isinstance(q.bound, BoundRatio) or not q.bound.metric.is_mean:
            continue
        inversion = invert(projection, q.bound, q.a, q.b, SHUFFLES, seed)
        interval = inversion.interval(1 - alpha if q.tail == "two" else 1 - 2 * alpha)
        if p is not None:
            # One may be exact and the other from shuffles: near the level, p decides.
            rejected = p <= alpha
            interval = inversion.without_zero(interval) if rejected else interval.reaching(0.0)
        interval = interval.one_sided(q.tail)
        found[k] = interval.ends, interval.method
    return found


def _standard_errors(projection: Projection, questions: Sequence[Question]) -> list[float | None]:
    terms = {}
    for bound in projection.metrics:
        left_out = None
        if isinstance(bound.metric, Function) and len(projection.counts.items) > 1:
            systems = range(len(projection.counts.names))
            left_out = np.stack([jackknife(projection, bound, system) for system in systems])
        terms[id(bound)] = error_terms(projection, bound, left_out)
    return [standard_error(terms[id(q.bound)], q.a, q.b) for q in questions]


def _shuffled_p(
    analysis: Analysis, projection: Projection, questions: Sequence[Question]
) -> list[float | None]:
    """Return the p-values of randomization tests: exact where quick, shuffles for the rest."""
    found: list[float | None] = [None] * len(questions)
    options = [k for k, q in enumerate(questions) if not isinstance(q.bound.metric, ItemFunction)]
    asked = as_tested(projection, questions, analysis.options.test)
    if analysis.options.test == "auto":  # which tests no system without a score
        options = [k for k in options if not unscored(projection, asked[k])]
    pool = analysis.execution.pool
    exact = exact_tests(projection, [asked[k] for k in options], pool, patience=_PATIENCE)
    rest = []
    for k, each in zip(options, exact, strict=True):
        if each is None:
            rest.append(k)
        else:
            found[k] = each.p
    if rest:
        job = ShuffleJob.of(projection, [asked[k] for k in rest], analysis.options.seed)
        counts = count_exceedances(job, SHUFFLES, pool, analysis.options.batch)
        for k, count in zip(rest, counts.tolist(), strict=True):
            found[k] = (count + 1) / (SHUFFLES + 1)
    return found


def _t_p(
    projection: Projection,
    questions: Sequence[Question],
    differences: Sequence[float],
    errors: Sequence[float | None],
) -> list[float | None]:
    """Return every p by t over items."""
    from scipy.special import stdtr

    known = [k for k, error in enumerate(errors) if error is not None]
    signs = np.array([sign_of(questions[k].tail) for k in known])
    apart = np.array([differences[k] for k in known])
    toward = np.where(signs == 0, np.abs(apart), signs * apart)
    error = np.array([errors[k] for k in known], np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(toward == 0, 0.0, toward / error)
    p = stdtr(len(projection.counts.items) - 1, -t) * np.where(signs == 0, 2, 1)
    # No exchange of so few items is rarer than this, whatever the spread suggests.
    discordant = {id(bound): _discordant(projection, bound) for bound in projection.metrics}
    found: list[float | None] = [None] * len(questions)
    for k, by_t in zip(known, p.tolist(), strict=True):
        options = questions[k]
        items = int(discordant[id(options.bound)][options.a, options.b])
        found[k] = max(by_t, smallest_p(items, options.tail))
    return found


def _discordant(projection: Projection, bound: Bound) -> NDArray[np.int64]:
    """Return the number of items on which systems differ in what a metric uses."""
    systems = range(len(projection.counts.names))
    counts = np.zeros((len(systems), len(systems)), np.int64)
    used = (bound.numerator, bound.denominator) if isinstance(bound, BoundRatio) else bound.forms
    rows = projection.forms[list(used)]
    for a in systems:
        counts[a] = (rows[:, [a]] != rows).any(axis=0).sum(axis=1)
    return counts


def _reach(df: int, alpha: float) -> float | None:
    """Return how many standard errors an interval reaches to either side."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - alpha / 2)) if df > 0 else None


def _holm(p_values: Sequence[float | None]) -> list[float | None]:
    tested = {k: p for k, p in enumerate(p_values) if p is not None}
    adjusted = adjust(list(tested.values()), "holm").tolist() if tested else []
    found = dict(zip(tested, adjusted, strict=True))
    return [found.get(k) for k in range(len(p_values))]


def _slice(
    analysis: Analysis,
    question: Question,
    kind: tuple[str, str],
    part: _Part,
    k: int,
    p_adjusted: float | None,
) -> Slice:
    names = analysis.counts.names
    interval, method = part.intervals[k]
    return Slice(
        by=kind[0],
        value=kind[1] or "(none)",
        a=names[question.a],
        b=names[question.b],
        metric=question.bound.metric.name,
        units=part.items,
        difference=part.differences[k],
        interval=interval,
        p=part.p[k],
        p_adjusted=p_adjusted,
        different=p_adjusted is not None and p_adjusted <= analysis.options.alpha,
        clusters=part.clusters,
        interval_method=method,
        interval_for=None if interval is None else "pair",
        interval_level=None if interval is None else 1 - analysis.options.alpha,
    )
