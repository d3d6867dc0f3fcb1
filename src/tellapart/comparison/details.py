"""Details: the data of figures and of the page that the record of a comparison does not hold.

Null distributions drawn again, differences item by item, planes of two scores. All of it follows
from the record and its scores; reports only draw it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tellapart.comparison.answers import as_reported, headline, ranking
from tellapart.comparison.items import (
    Differences,
    ShownItem,
    differing_items,
    item_text,
)
from tellapart.comparison.options import DEFAULT_SHUFFLES, RANDOMIZATION, Options
from tellapart.comparison.preferences import RATE, ScaleScored, score_preferences
from tellapart.comparison.record import Comparison, Diagnostics, Ends, Pair
from tellapart.comparison.scored import Scored, numbers_of
from tellapart.comparison.testing import DETAILED_SYSTEMS, Pairs, linear_tests
from tellapart.errors import UsageError
from tellapart.metrics import metric
from tellapart.metrics.scores import RatioScores, Scores, score_counts
from tellapart.stats import streams
from tellapart.stats.exchange import SystemSums
from tellapart.stats.histogram import Histogram, binned, step_of
from tellapart.stats.result import tie_slack
from tellapart.stats.shuffles import reaches, thresholds_of

RECALL, PRECISION = "recall", "precision"


@dataclass(frozen=True, slots=True)
class PairDetails:
    """What figures and the page show of one pair, first minus second as reports show it."""

    number: int
    """The place of the pair in the record"""
    null: Histogram | None = None
    """None where the test exchanges nothing, or nothing differs"""
    items: tuple[tuple[int, float, float], ...] = ()
    """Those that contribute most, at most 500: their places in `Details.items`, and both scores"""
    differing: int = 0
    """The number of all items whose scores differ"""


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """A system by two scores."""

    system: str
    x: float
    y: float
    region: tuple[Ends, Ends] | None = None
    """Of templates, the ends of x and of y between strict and lenient counting"""


@dataclass(frozen=True, slots=True)
class Plane:
    """Systems by two scores, such as recall and precision."""

    x_name: str
    y_name: str
    points: tuple[PlanePoint, ...]
    metric: str | None = None
    """The metric whose groups the letters are of"""
    letters: Mapping[str, str] = field(default_factory=dict)
    """Of the groups that each system is in"""
    region: tuple[Ends, Ends] | None = None
    """The region of performance of the best system"""
    regions: bool = False
    """Whether the figure is of the regions of all systems"""


@dataclass(frozen=True, slots=True)
class Details:
    """All that a page shows beside the record."""

    pairs: tuple[PairDetails, ...]
    """Of those shown in detail, in the order of the record"""
    items: tuple[ShownItem, ...]
    planes: tuple[Plane, ...] = ()


def details_of(
    record: Comparison,
    scored: Sequence[Scored],
    asked: Iterable[tuple[str, str]] = (),
) -> Details:
    """Return the details of a comparison; of many systems, those of the pairs near the best.

    `asked` names pairs that are shown in any case.
    """
    if not scored:
        raise UsageError(
            "a record read back from JSON has no items or shuffles; run `compare` again for this "
            "report"
        )
    pictured = _pictured(record, asked)
    by_metric = {own.scores.name: own for own in scored}
    items: dict[str, ShownItem] = {}
    details: list[PairDetails] = []
    for k, pair in enumerate(record.pairs):
        if not (k in pictured or pair.diagnostics != Diagnostics()):
            continue
        own, shown = by_metric[pair.metric], as_reported(record, pair)
        differences = None
        if own.unclustered.times is None:
            differences = _differences(own, shown)
        details.append(
            PairDetails(
                k,
                null_histogram(own, shown) if k in pictured else None,
                () if differences is None else _placed(differences, items),
                0 if differences is None else differences.in_all,
            )
        )
    return Details(tuple(details), tuple(items.values()), planes(record, scored))


def _differences(scored: Scored, pair: Pair) -> Differences | None:
    """Return the items on which a pair differs; of systems on one scale, where one of them won."""
    if not isinstance(scored, ScaleScored):
        return differing_items(scored.unclustered, *numbers_of(scored.scores, pair))
    two = scored.judged.systems[(pair.a, pair.b)]
    if two.judgments is None or not len(two.judgments.points):  # they never met
        return None
    found = differing_items(score_preferences(two, [RATE], Options())[0].scores, 0, 1)
    return found and replace(found, counts=scored.unclustered.counts)


def _pictured(record: Comparison, asked: Iterable[tuple[str, str]]) -> Collection[int]:
    """Return the places of pairs with a picture: all of few systems, or those that matter."""
    if len(record.systems) <= DETAILED_SYSTEMS:
        return range(len(record.pairs))
    wanted = {(name, frozenset(pair)) for name in record.metrics for pair in asked}
    headlines = (headline(record, name) for name in record.metrics)
    wanted |= {(pair.metric, frozenset((pair.a, pair.b))) for pair in headlines}
    return {
        k
        for k, pair in enumerate(record.pairs)
        if (pair.metric, frozenset((pair.a, pair.b))) in wanted
    }


def _as_tested(scores: Scores, pair: Pair) -> Pairs:
    """Return a pair by the numbers of its systems, with the sign that its test has."""
    a, b = numbers_of(scores, pair)
    sign = pair.sign if scores.metric.higher_is_better else -pair.sign
    return Pairs(np.array([a]), np.array([b]), np.array([sign]))


def _placed(
    differences: Differences, items: dict[str, ShownItem]
) -> tuple[tuple[int, float, float], ...]:
    """Return the place of each item, which is added if it is new, and both scores."""
    counts, places = differences.counts, differences.places.tolist()
    for k in places:
        if counts.items[k] not in items:
            items[counts.items[k]] = item_text(counts, k)
    number = {name: k for k, name in enumerate(items)}
    own = [number[counts.items[k]] for k in places]
    both = differences.first.tolist(), differences.second.tolist()
    return tuple(zip(own, *both, strict=True))


def null_histogram(scored: Scored, pair: Pair) -> Histogram | None:
    """Return the null distribution of a pair.

    Where the test itself drew shuffles these are the same, at most the first 9,999: with no more
    than that the extreme ones are the record's exceedances. There is none where nothing differs or
    is exchanged.
    """
    scores, options = scored.scores, scored.options
    exchanged = scores.counts.present is None and options.test != "unpaired" and scored.of_items
    if not exchanged or not pair.differing or scores.times is not None:
        return None
    tested = _as_tested(scores, pair)
    ((a, b, sign),) = tested
    drawn = pair.shuffles if options.test in RANDOMIZATION else None
    shares = streams.shares(min(drawn or DEFAULT_SHUFFLES, DEFAULT_SHUFFLES))
    whole = options.test in RANDOMIZATION and options.test != "auto"  # outputs are exchanged
    linear = not whole or (isinstance(scores, RatioScores) and scores.same_denominators(a, b))
    terms = scores.terms(a, b) if linear else None
    if terms is not None:
        tests = linear_tests(scores, tested, [terms])
        sums = np.hstack([tests.sums.sums(options.seed, shard, n) for shard, n in shares])
        values, extreme = tests.shuffled(0, sums)
        return binned(values, extreme, terms.worth, step_of(terms.values), flipped=not whole)
    both = SystemSums.of(scores.columns[:, [a, b]])
    sums = np.hstack([both.sums.sums(options.seed, shard, n) for shard, n in shares])
    moved = np.stack([both.exchanged(sums, column, 0, 1) for column in range(len(scores.columns))])
    first, second = scores.totals[:, [a, b], None].swapaxes(0, 1)
    values = scores.of_sums((first + moved).T) - scores.of_sums((second - moved).T)
    one, other = scores.values[[a, b]].tolist()
    limit = thresholds_of(one - other, tie_slack(one, other), sign)
    return binned(values, reaches(values, float(limit), sign), 1.0, None, flipped=False)


def planes(
    record: Comparison, scored: Sequence[Scored], by: str | None = None
) -> tuple[Plane, ...]:
    """Return the systems by recall and precision, where the columns allow it.

    Groups are those of the metric `by`: if none is named, of the first beside these two, or of the
    first of all. Templates have one of the regions of performance of all systems, too.
    """
    across, up = _axis(scored, RECALL), _axis(scored, PRECISION)
    if across is None or up is None:
        return ()
    by = by or next((name for name in record.metrics if name not in (RECALL, PRECISION)), None)
    by = by or next(iter(record.metrics))
    points = []
    for k, system in enumerate(record.systems):
        region = None
        if RECALL in system.region and PRECISION in system.region:
            region = system.region[RECALL], system.region[PRECISION]
        points.append(PlanePoint(system.name, float(across.values[k]), float(up.values[k]), region))
    best = ranking(record, by)[0].name
    region = next(point.region for point in points if point.system == best)
    letters = record.letters.get(by, {})
    both = RECALL, PRECISION
    plane = Plane(*both, tuple(points), by if letters else None, letters, region)
    if all(system.region for system in record.systems):
        return plane, Plane(*both, plane.points, regions=True)
    return (plane,)


def _axis(scored: Sequence[Scored], name: str) -> Scores | None:
    """Return the scores of a metric as it was compared, or else as the columns define it."""
    for one in scored:
        if one.scores.name == name:
            return one.scores
    counts = scored[0].scores.counts
    try:
        return score_counts(counts, metric(name, counts.columns, items=counts.form == "items"))
    except UsageError:  # these columns have no such metric
        return None
