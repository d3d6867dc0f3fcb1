"""Slices: the same differences on parts of the items, by topic, length, or any other label.

Exploratory: each label has its own correction, over its values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis, families
from tellapart.comparison.pair_record import Slice
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
from tellapart.significance.intervals import (
    allowing_for_unseen,
    in_range,
    right_worth,
    share_differences,
)
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
"""Above so many pairs and slices p is by t, which takes no shuffles, unless items are right or
wrong."""
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


def labels_to_slice(analysis: Analysis) -> tuple[str, ...]:
    """Return the labels that slices are made by: those asked for, and before them the tasks."""
    suite, asked = analysis.counts.suite, analysis.options.by
    if suite is None or suite.label == analysis.counts.cluster:
        return tuple(asked)
    several = len(set(_items(analysis).labels[suite.label])) > 1
    return tuple(dict.fromkeys([*([suite.label] if several else []), *asked]))


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
        if values > MOST_VALUES and (counts.suite is None or label != counts.suite.label):
            raise UsageError(
                f"label {label!r} has {values:,} values, and slices are for {MOST_VALUES} at most; "
                "compare by another label"
            )


def slices(analysis: Analysis, labels: Sequence[str]) -> tuple[Slice, ...]:
    """Return every pair under every metric on the items of each value of some labels.

    Clusters stay together within a slice. p is by randomization, exact where that is quick,
    otherwise from 9,999 shuffles. Intervals are Tango's for right and wrong answers, and invert
    that test for other means. All others are by t over items (clusters), with the standard error
    of the residuals for ratios and of the jackknife for other functions of sums, and no wider than
    the values allow; with more than 200 questions in all, everything is by t, but for right and
    wrong answers. Functions of items
    get neither. Holm's correction is over the values of a label, for each pair and metric, and so
    their intervals hold for all values at once; for the tasks of a suite, which are looked at
    unasked, it is over all pairs as well.
    """
    check_labels(analysis, labels)
    counts = replace(_items(analysis), texts=None)
    single = analysis.unclustered or analysis.projection
    spans = [_span(single, bound) for bound in single.metrics]
    values = {label: tuple(dict.fromkeys(counts.labels[label])) for label in labels}
    questions = analysis.questions
    options = len(questions) * sum(map(len, values.values()))
    found: list[Slice] = []
    pairs = len(analysis.questions) // len(analysis.projection.metrics)
    for label in labels:
        tasks = counts.suite is not None and label == counts.suite.label
        number = len(values[label]) * (pairs if tasks else 1)
        parts = [
            _part(
                analysis,
                counts.where({label: {value}}),
                spans,
                analysis.options.alpha / number,
                options <= SHUFFLED_QUESTIONS,
            )
            for value in values[label]
        ]
        for family in families(analysis) if tasks else [[k] for k in range(len(questions))]:
            adjusted = iter(_holm([part.p[k] for k in family for part in parts]))
            found += [
                _slice(analysis, questions[k], (label, value), part, k, next(adjusted))
                for k in family
                for value, part in zip(values[label], parts, strict=True)
            ]
    return tuple(found)


def _items(analysis: Analysis) -> Counts:
    """Return the counts before clusters were summed."""
    return analysis.counts if analysis.unclustered is None else analysis.unclustered.counts


@dataclass(frozen=True, slots=True)
class _Part:
    """The outcomes of all questions on one slice."""

    items: int
    clusters: int | None
    differences: list[float]
    intervals: list[Interval | None]
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


def _part(
    analysis: Analysis, counts: Counts, spans: Sequence[float], miss: float, shuffled: bool
) -> _Part:
    """Return all questions on one slice, with intervals that miss that often."""
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
        for k, by_signs in _sign_p(projection, questions).items():
            p[k] = by_signs
    limits = {id(b): span for b, span in zip(projection.metrics, spans, strict=True)}
    intervals: list[Interval | None] = [None] * len(questions)
    shares = dict[int, Interval]()
    if analysis.options.intervals is True and not shuffled:
        shares = _share_intervals(projection, questions, miss)
    if analysis.options.intervals:
        for k, (q, d, error) in enumerate(zip(questions, differences, errors, strict=True)):
            level = max(0.0, 1 - (miss if q.tail == "two" else 2 * miss))
            found = _of_mean(analysis, projection, q, level) if shuffled else shares.get(k)
            found = found or _t_interval(projection, d, error, level, limits[id(q.bound)])
            intervals[k] = None if found is None else found.one_sided(q.tail)
    if analysis.settings.runs_vary:
        _let_runs_vary(projection, questions, miss, p, intervals)
    clusters = None if analysis.counts.cluster is None else len(counts.items)
    return _Part(items, clusters, differences, intervals, p)


def _let_runs_vary(
    projection: Projection,
    questions: Sequence[Question],
    miss: float,
    p_values: list[float | None],
    intervals: list[Interval | None],
) -> None:
    """Put p-values and intervals for runs that could be others in the place of these runs'."""
    for k, (q, p) in enumerate(zip(questions, p_values, strict=True)):
        noise = pair_noise(projection, q.bound, q.a, q.b)
        if noise is None:
            continue
        p_values[k] = None if p is None else max(p, noise.p(q.tail))
        found = intervals[k]
        if found is not None:
            low, high = noise.ends(max(0.0, 1 - (miss if q.tail == "two" else 2 * miss)))
            found = replace(found.reaching(low).reaching(high), method="runs")
            intervals[k] = found.within(-1.0, 1.0) if in_range(q.bound, projection) else found


def _t_interval(
    projection: Projection, difference: float, error: float | None, level: float, span: float
) -> Interval | None:
    """Return the interval of a difference, within what is possible at all."""
    from scipy.special import stdtrit

    df = len(projection.counts.items) - 1
    if error is None or df < 1:
        return None
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    return Interval(max(difference - reach, -span), min(difference + reach, span), "t")


def _of_mean(
    analysis: Analysis, projection: Projection, question: Question, level: float
) -> Interval | None:
    """Return the interval of a difference of means, made as the comparison itself makes it."""
    bound, a, b = question.bound, question.a, question.b
    if analysis.options.intervals is not True or not isinstance(bound, BoundRatio):
        return None
    if not bound.metric.is_mean:
        return None
    shares = share_differences(projection, bound, [(a, b)], level)
    if shares is not None:
        return shares[0]
    found = invert(projection, bound, a, b, SHUFFLES, analysis.options.seed).interval(level)
    return allowing_for_unseen(found, projection, question, level)


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
        counts = count_exceedances(job, SHUFFLES, pool)
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


def _sign_p(projection: Projection, questions: Sequence[Question]) -> dict[int, float]:
    """Return the exact p of right and wrong items, by the numbers of the questions.

    Exchanging them is flipping the signs of the differing ones.
    """
    from scipy.special import bdtr

    found: dict[int, float] = {}
    for bound in projection.metrics:
        if projection.counts.present is not None or right_worth(projection, bound) is None:
            continue
        assert isinstance(bound, BoundRatio)
        right = projection.forms[bound.numerator] > 0
        for k, q in enumerate(questions):
            if q.bound is not bound:
                continue
            won, lost = (
                int(np.count_nonzero(right[x] & ~right[y])) for x, y in ((q.a, q.b), (q.b, q.a))
            )
            fewer = {"two": min(won, lost), "greater": lost, "less": won}[q.tail]
            p = float(bdtr(fewer, won + lost, 0.5)) * (2 if q.tail == "two" else 1)
            found[k] = max(min(1.0, p), smallest_p(won + lost, q.tail)) if won + lost else 1.0
    return found


def _share_intervals(
    projection: Projection, questions: Sequence[Question], miss: float
) -> dict[int, Interval]:
    """Return the intervals of right and wrong items, by the numbers of the questions."""
    groups: dict[tuple[int, str], list[int]] = {}
    for k, q in enumerate(questions):
        groups.setdefault((id(q.bound), q.tail), []).append(k)
    found: dict[int, Interval] = {}
    for (_, tail), members in groups.items():
        level = max(0.0, 1 - (miss if tail == "two" else 2 * miss))
        pairs = [(questions[k].a, questions[k].b) for k in members]
        shares = share_differences(projection, questions[members[0]].bound, pairs, level)
        found.update(zip(members, shares or (), strict=False))
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
    names, interval = analysis.counts.names, part.intervals[k]
    different = p_adjusted is not None and p_adjusted <= analysis.options.alpha
    if interval is not None and p_adjusted is not None:
        interval = interval.deciding(different, part.differences[k])
    return Slice(
        by=kind[0],
        value=kind[1] or "(none)",
        a=names[question.a],
        b=names[question.b],
        metric=question.bound.metric.name,
        units=part.items,
        difference=part.differences[k],
        interval=None if interval is None else interval.ends,
        p=part.p[k],
        p_adjusted=p_adjusted,
        different=different,
        clusters=part.clusters,
        interval_method=None if interval is None else interval.method,
        interval_for=None if interval is None else "all",
        interval_level=None if interval is None else 1 - analysis.options.alpha,
    )
