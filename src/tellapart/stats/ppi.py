"""Prediction-powered means: a judge scored all items, people some, and the judge is corrected.

The estimate is PPI++ (Angelopoulos, Duchi and Zrnic 2023): the judge's mean on the items that
nobody looked at, times a weight, plus people's mean on the others less as much of the judge's
there. The weight is the one of least variance; with 0, a judge who is worth nothing costs nothing.
Whatever the judge does, the estimate is right if the labelled items are a random part of all items.

Beyond PPI++: clusters of items, systems of which people saw different items, and intervals
that hold with twenty labels (docs/how-sure.md has the figures).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import DataError, UsageError
from tellapart.stats.intervals import BoundedMean
from tellapart.stats.result import (
    SMALLEST_P,
    Flags,
    Floats,
    Interval,
    Ints,
    Test,
    codes,
    sample,
    sign_of,
    t_p,
    t_quantile,
)

FEWEST_LABELS = 10
"""With fewer labels nothing is worked out: no interval would hold"""
MOST_GRADES = 12
"""Scores with more values than that are fine ones, not grades"""
_IMAGINED = 1.5  # labels on which judge and people are imagined to be a step apart


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One value of items: the judge's of all, people's of some, and how the items belong together.

    >>> judged = Judged.of([1, 0, 1, 0], [1, np.nan, 0, np.nan])
    >>> judged.labelled.tolist(), round(judged.disagreement, 3)
    ([True, False, True, False], 0.707)
    """

    judge: Floats
    people: Floats  # NaN where nobody looked
    clusters: Ints | None = None  # of each item; None: items are independent
    disagreement: float = 0.0
    """A likely squared disagreement of judge and people, see `likely_disagreement`"""
    bounds: tuple[float, float] | None = None
    """Between which people's scores lie; None where that is not evident"""

    @classmethod
    def of(cls, judge: ArrayLike, people: ArrayLike, clusters: ArrayLike | None = None) -> Judged:
        """Return the values of items; `people` is NaN where nobody looked."""
        values = sample(judge, "judge").astype(np.float64)
        labels = np.asarray(people, np.float64)
        if labels.shape != values.shape or np.isinf(labels).any():
            raise UsageError(f"people must have a score, or NaN, for each of {len(values)} items")
        units = None if clusters is None else codes(clusters, len(values))
        likely, bounds = likely_disagreement(values, labels), evident_bounds(values, labels)
        return cls(values, labels, units, likely, bounds)

    @property
    def labelled(self) -> Flags:
        """Which items people looked at."""
        return ~np.isnan(self.people)

    @property
    def n_labels(self) -> int:
        """How many items people looked at."""
        return int(self.labelled.sum())

    @property
    def people_alone(self) -> Judged:
        """As if the judge had said nothing."""
        return replace(self, judge=np.zeros_like(self.judge))

    @property
    def excess(self) -> Judged:
        """What the judge gives beyond people, where they looked."""
        nothing = np.zeros_like(self.judge)
        ends = self.bounds and (self.bounds[0] - self.bounds[1], self.bounds[1] - self.bounds[0])
        return replace(self, judge=nothing, people=self.judge - self.people, bounds=ends)

    def minus(self, other: Judged) -> Judged:
        """Return the differences of two systems, labelled where people saw both."""
        return replace(
            self,
            judge=self.judge - other.judge,
            people=self.people - other.people,
            disagreement=(self.disagreement + other.disagreement) / 2,
            bounds=None
            if self.bounds is None or other.bounds is None
            else (self.bounds[0] - other.bounds[1], self.bounds[1] - other.bounds[0]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A mean, or a difference of two, with what its uncertainty is made of."""

    value: float
    variance: float
    df: float
    """Degrees of freedom of the variance"""
    weight: float
    """Of the judge: 0 if only people count"""
    n_labels: int
    bare_variance: float
    """The variance without the imagined disagreements, to compare methods by"""
    influence: Floats
    """What each item adds to the error of the estimate"""
    labelled: BoundedMean | None = None
    """What each labelled item adds to the estimate, and what another might have added"""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    """Between which the value lies"""

    @property
    def standard_error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval by Student's t, which allows for labels unlike all that were seen.

        Rare failures that the judge misses may not be among some twenty labels: the interval also
        has all means that the score test of a bounded mean does not reject.
        """
        t = t_quantile(self.df, confidence_level)
        half = t * self.standard_error
        interval = Interval(self.value - half, self.value + half, "t")
        if self.labelled is None:
            return Interval(None, None, "t") if self.variance <= 0 else interval
        low, high = self.labelled.interval(t).ends
        assert low is not None
        assert high is not None
        return interval.reaching(low).reaching(high).within(*self.bounds)

    def test(self, alternative: str = "two-sided") -> Test:
        """Test whether the value is 0; p = 1 where nothing at all varies and it is 0."""
        sign = sign_of(alternative)
        if self.variance <= 0:
            none = self.value == 0 if sign == 0 else sign * self.value <= 0
            return Test(1.0 if none else SMALLEST_P, "t", df=self.df, n=self.n_labels)
        t = self.value / self.standard_error
        return Test(t_p(t, self.df, sign), "t", t, self.df, n=self.n_labels)


def ppi_mean(judge: ArrayLike, people: ArrayLike, *, clusters: ArrayLike | None = None) -> Estimate:
    """Return the mean of people's scores, made surer by a judge who scored all items.

    Args:
        judge: the judge's score of each item.
        people: people's score of each item, NaN where nobody looked; the others are a random part
            of all items.
        clusters: which items belong together, such as those of one document.

    >>> judge = np.array([1, 0, 1, 1, 0, 1, 0, 1] * 5)
    >>> people = np.where(np.arange(40) < 20, judge, np.nan)
    >>> people[:2] = 0, 1
    >>> found = ppi_mean(judge, people)
    >>> round(found.value, 3), round(found.weight, 3), found.n_labels
    (0.632, 0.369, 20)

    """
    return powered_mean(Judged.of(judge, people, clusters))


def powered_mean(judged: Judged, weight: float | None = None) -> Estimate:
    """Return the prediction-powered mean; `weight` is the judge's, tuned where it is None."""
    seen, n = judged.labelled, judged.n_labels
    if n < 2:
        raise DataError(f"{n} of {len(seen)} items are labelled; it takes two or more")
    if weight is None:
        weight = _tuned(judged)
    used = 0.0 if seen.all() else weight  # where people saw all, the judge has nothing to add
    residuals = judged.people[seen] - used * judged.judge[seen]
    influence, value = np.zeros(len(seen)), float(residuals.mean())
    influence[seen] = (residuals - value) / n
    if used:
        unseen = used * judged.judge[~seen]
        value += float(unseen.mean())
        influence[~seen] = (unseen - unseen.mean()) / len(unseen)
    return _estimate(value, influence, judged, weight, 1 + (weight > 0))


def powered_difference(first: Judged, second: Judged) -> Estimate:
    """Return the prediction-powered mean of first minus second, item by item.

    Where people saw the same items of both, this is the mean of the differences. Where they did
    not, each mean has its own correction, and what both share of an item still counts as shared.
    """
    both = first.minus(second)
    if np.array_equal(first.labelled, second.labelled):
        return powered_mean(both)
    one, other = powered_mean(first), powered_mean(second)
    union = replace(both, people=np.where(first.labelled | second.labelled, 0.0, np.nan))
    lost = 1 + (one.weight > 0 or other.weight > 0)
    influence, weight = one.influence - other.influence, (one.weight + other.weight) / 2
    return _estimate(one.value - other.value, influence, union, weight, lost)


def likely_disagreement(judge: Floats, people: Floats) -> float:
    """Return a likely squared disagreement between judge and people; 0 for fine scores.

    Twenty labels on which a judge was never wrong do not show that it never is. So intervals of
    graded scores (right or wrong, 1 to 5) suppose a label and a half on which judge and people are
    a step apart. The square is taken to be the step times the spread of the scores, which is less
    where nearly all items have the same score, so that there is little to disagree about. Of fine
    scores no two are ever equal, and the labels show how far they are.
    """
    seen = people[~np.isnan(people)]
    grades = np.unique(seen)
    if len(grades) > MOST_GRADES or 2 * len(grades) > max(len(seen), 4):
        return 0.0
    values = np.unique(judge) if len(grades) < 2 else grades
    if len(values) < 2:
        return 0.0
    step = float(np.diff(values).min()) if len(values) <= MOST_GRADES else float(np.ptp(values))
    spread = float(seen.std(ddof=1)) if len(seen) > 1 else 0.0
    # People may have given one score to all of a few items; the judge's spread is that of many.
    same_scale = values[0] <= float(judge.mean()) <= values[-1]
    spread = max(spread, float(judge.std())) if same_scale or len(grades) < 2 else spread
    return step * spread


def evident_bounds(judge: Floats, people: Floats) -> tuple[float, float] | None:
    """Return the lowest and the highest score of people's scale, as far as scores show it.

    Scores between 0 and 1 have these ends; grades end where those end that judge and people gave.
    """
    seen = people[~np.isnan(people)]
    if not len(seen):
        return None
    given = np.concatenate([seen, judge]) if judge.min() <= seen.mean() <= judge.max() else seen
    values = np.unique(given)
    if values[0] >= 0 and values[-1] <= 1:
        return 0.0, 1.0
    return (float(values[0]), float(values[-1])) if 1 < len(values) <= MOST_GRADES else None


def imagined_variance(disagreement: float, n_labels: int, n_units: int | None = None) -> float:
    """Return what imagined disagreements add to the variance by labels, in so many clusters."""
    return _IMAGINED * disagreement / (n_labels * (n_units or n_labels))


def _tuned(judged: Judged) -> float:
    """Return the weight of the judge that gives the least variance, and never less than 0."""
    seen, judge = judged.labelled, judged.judge
    n, rest = judged.n_labels, int((~seen).sum())
    if not rest:
        return 0.0
    people, agreed = (values[seen] - values[seen].mean() for values in (judged.people, judge))
    if judged.clusters is None:
        together = float(agreed @ people) / n**2
        spread = float(judge.var(ddof=1)) * (1 / n + 1 / rest)
    else:
        by_people, by_judge = np.zeros((2, len(judge)))
        by_people[seen], by_judge[seen] = people / n, agreed / n
        by_judge[~seen] = (judge[~seen].mean() - judge[~seen]) / rest
        of_people, of_judge = (np.bincount(judged.clusters, own) for own in (by_people, by_judge))
        together, spread = float(of_people @ of_judge), float(of_judge @ of_judge)
    return max(0.0, together / spread) if spread > 0 else 0.0


def _estimate(
    value: float, influence: Floats, judged: Judged, weight: float, lost: int
) -> Estimate:
    """Return an estimate with the variance that the items' influences, or the clusters', show.

    Those with labels and those without are two parts, each with its own degrees of freedom
    (Satterthwaite's rule joins them); `lost` degrees go to the means and the weight.
    """
    labelled, n_labels = judged.labelled, judged.n_labels
    sums, seen = influence, labelled
    if judged.clusters is not None:
        sums = np.bincount(judged.clusters, influence).astype(np.float64)
        seen = np.bincount(judged.clusters, labelled) > 0
    units, others = int(seen.sum()), int((~seen).sum())
    df = units - lost
    if df < 1:
        raise DataError(
            f"{n_labels} labels are too few for an interval; label at least {FEWEST_LABELS} items"
        )
    squares = float(sums[seen] @ sums[seen])
    rest = float(sums[~seen] @ sums[~seen]) * (others / (others - 1) if others > 1 else 1.0)
    imagined = imagined_variance(judged.disagreement, n_labels, units)
    with_labels = (squares + imagined) * units / df
    variance = with_labels + rest
    spent = with_labels**2 / df + rest**2 / max(others - 1, 1)
    joint = variance**2 / spent if spent > 0 else float(df)
    bare = squares * units / df + rest
    unseen = None
    if judged.bounds is not None:
        people = float(np.nanmean(judged.people))
        away = [value + bound - people for bound in judged.bounds]
        unseen = BoundedMean.of(value + units * sums[seen], away[0], away[1])
    bounds = judged.bounds or (-math.inf, math.inf)
    return Estimate(value, variance, joint, weight, n_labels, bare, influence, unseen, bounds)


def worth_in_labels(both: Estimate, people: Estimate, labels: int, items: int) -> float:
    """Return how many labels would do as well without the judge: the ratio of the variances."""
    if both.bare_variance <= 0:
        return float(labels)
    return min(float(items), labels * people.bare_variance / both.bare_variance)


def unlike_p(judged: Judged) -> float:
    """Return the p-value of "the judge gives labelled items no other scores than the others".

    Were people to repeat the judge, his mean on the labelled items is one estimate, and his mean on
    the others another.
    """
    seen = judged.labelled
    if seen.all():
        return 1.0
    own = replace(judged, people=np.where(seen, judged.judge, np.nan), disagreement=0.0)
    estimate, alone = powered_mean(own, 1.0), powered_mean(own, 0.0)
    influence = alone.influence - estimate.influence
    sums = influence if judged.clusters is None else np.bincount(judged.clusters, influence)
    error = math.sqrt(float(sums @ sums))
    if error == 0:
        return 1.0
    units = len(seen) if judged.clusters is None else len(np.unique(judged.clusters))
    return t_p((alone.value - estimate.value) / error, max(1, units - 2))
