"""Prediction-powered means: a judge scored all items, people some, and the judge is corrected.

The estimate is PPI++ (Angelopoulos, Duchi and Zrnic 2023): the judge's mean on the items that
nobody looked at, times a weight, plus people's mean on the others less as much of the judge's
there. The weight is the one of least variance; with 0, a judge who is worth nothing costs nothing.
Whatever the judge does, the estimate is right if the labelled items are a random part of all items,
or of each stratum.

Beyond PPI++: strata, clusters of items, systems of which people saw different items, and intervals
that hold with twenty labels (docs/judges.md has the figures).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_LABELS: Final = 10
"""With fewer labels nothing is worked out: no interval would hold"""
_IMAGINED: Final = 1.5
_MOST_GRADES: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One value of items: the judge's of all, people's of some, and how the items belong together.

    >>> judged = Judged(np.array([1.0, 0.0, 1.0]), np.array([1.0, np.nan, 0.0]))
    >>> judged.labelled.tolist()
    [True, False, True]
    """

    judge: Floats
    people: Floats  # NaN where nobody looked
    clusters: Codes | None = None  # of each item; None: items are independent
    strata: Codes | None = None  # within which the labelled items were drawn; None: from all
    disagreement: float = 0.0
    """The square of a likely disagreement of judge and people, see `disagreement_of`"""

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items people looked at."""
        return ~np.isnan(self.people)

    @property
    def n_labels(self) -> int:
        """How many items people looked at."""
        return int(self.labelled.sum())

    @property
    def judge_alone(self) -> Judged:
        """The same as if people had given the judge's scores to all items."""
        return Judged(self.judge, self.judge, self.clusters, None, self.disagreement)

    @property
    def people_alone(self) -> Judged:
        """The same as if the judge had said nothing."""
        return replace(self, judge=np.zeros_like(self.judge))


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A mean, or a difference of two, with what its uncertainty is made of."""

    value: float
    variance: float
    freedom: float
    """Degrees of freedom of the variance"""
    weight: float
    """Of the judge: 0 if only people count"""
    labels: int
    bare_variance: float
    """The variance without the imagined disagreements, to compare methods by"""
    influence: Floats
    """What each item adds to the error of the estimate"""

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of a level, by Student's t."""
        half = _quantile(self.freedom, level) * self.error
        return self.value - half, self.value + half

    def proportion_interval(self, level: float, items: int) -> tuple[float, float]:
        """Return Wilson's interval for a share of right items, with the labels that this is worth.

        Shares near 0 or 1 are skewed, and the estimate may lie beyond them.
        """
        labels = max(self.labels, 1)
        share = min(max(self.value, 0.5 / labels), 1 - 0.5 / labels)
        worth = share * (1 - share) / self.variance if self.variance > 0 else float(items)
        worth = min(max(worth, 1.0), float(items))
        t = _quantile(self.freedom, level)
        middle = (share + t * t / 2 / worth) / (1 + t * t / worth)
        spread = math.sqrt(share * (1 - share) / worth + t * t / 4 / worth**2)
        half = t * spread / (1 + t * t / worth)
        low, high = max(0.0, middle - half), min(1.0, middle + half)
        return min(low, max(self.value, 0.0)), max(high, min(self.value, 1.0))

    @property
    def p(self) -> float:
        """The two-sided p-value of "it is 0"; 1 where nothing at all varies and it is 0."""
        from scipy.special import stdtr

        if self.variance <= 0:
            return 1.0 if self.value == 0 else math.ulp(0.0)
        p = 2 * float(stdtr(self.freedom, -abs(self.value) / self.error))
        return min(1.0, max(p, math.ulp(0.0)))


def _quantile(freedom: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2))


def powered_mean(judged: Judged, weight: float | None = None) -> Estimate:
    """Return the prediction-powered mean; `weight` is the judge's, tuned where it is None.

    >>> judge = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0] * 5)
    >>> people = np.where(np.arange(40) < 20, judge, np.nan)
    >>> people[:2] = 0.0, 1.0
    >>> estimate = powered_mean(Judged(judge, people))
    >>> round(estimate.value, 3), round(estimate.weight, 3), estimate.labels
    (0.632, 0.369, 20)
    """
    parts = _strata(judged)
    if weight is None:
        weight = _tuned(judged, parts)
    means = np.array([_stratum_mean(part, weight) for part in parts])
    shares = np.array([part.share for part in parts])
    value = float(shares @ means)
    influence = np.zeros(len(judged.judge))
    for part, mean in zip(parts, means, strict=True):
        influence[part.seen] = part.share * _residuals(part, weight) / len(part.seen)
        if len(part.unseen):
            scaled = part.share * weight / len(part.unseen)
            influence[part.unseen] = scaled * (part.judge_unseen - part.judge_unseen.mean())
        influence[part.items] += (mean - value) / len(judged.judge)
    lost = len(parts) + (weight > 0)
    return _estimate(value, influence, judged, weight, lost)


def powered_difference(first: Judged, second: Judged) -> Estimate:
    """Return the prediction-powered mean of first minus second, item by item.

    Where people saw the same items of both, this is the mean of the differences. Where they did
    not, each mean has its own correction, and what both share of an item still counts as shared.
    """
    if np.array_equal(first.labelled, second.labelled):
        return powered_mean(difference(first, second))
    one, other = powered_mean(first), powered_mean(second)
    both = difference(first, second)
    union = Judged(
        both.judge,
        np.where(first.labelled | second.labelled, 0.0, np.nan),
        both.clusters,
        both.strata,
        both.disagreement,
    )
    lost = len(_strata(first)) + (one.weight > 0 or other.weight > 0)
    influence = one.influence - other.influence
    weight = (one.weight + other.weight) / 2
    return _estimate(one.value - other.value, influence, union, weight, lost)


def difference(first: Judged, second: Judged) -> Judged:
    """Return the differences of two systems, labelled where people saw both."""
    return Judged(
        first.judge - second.judge,
        first.people - second.people,
        first.clusters,
        first.strata,
        (first.disagreement + second.disagreement) / 2,
    )


def variance_of_random_labels(first: Judged, second: Judged | None = None) -> float:
    """Return the variance of people's mean, or difference, by as many labels without any judge.

    Strata that were made of the judge's scores are part of its worth: what would have been drawn
    without it is a random part of all items.
    """
    if second is not None and not np.array_equal(first.labelled, second.labelled):
        return powered_difference(first.people_alone, second.people_alone).bare_variance
    one = first.people_alone if second is None else difference(first, second).people_alone
    found = powered_mean(one)
    if one.strata is None or one.clusters is not None:
        return found.bare_variance
    squares = [
        part.share * float(((part.people - found.value) ** 2).mean()) for part in _strata(one)
    ]
    return math.fsum(squares) / (found.labels - 1)


def disagreement_of(judge: Floats, people: Floats) -> float:
    """Return the square of a likely disagreement between judge and people; 0 for fine scores.

    Twenty labels on which a judge was never wrong do not show that it never is. So intervals of
    graded scores (right or wrong, 1 to 5) suppose a label and a half on which judge and people are
    a step apart; fewer where nearly all items have the same score, so that there is little to
    disagree about. Of fine scores no two are ever equal, and the labels show how far they are.

    >>> disagreement_of(np.array([1.0, 0, 0, 1]), np.array([1.0, 0, np.nan, np.nan]))
    0.7071067811865476
    """
    seen = people[~np.isnan(people)]
    grades = np.unique(seen)
    if len(grades) > _MOST_GRADES or 2 * len(grades) > max(len(seen), 4):
        return 0.0
    values = np.unique(judge) if len(grades) < 2 else grades
    if len(values) < 2:
        return 0.0
    step = float(np.diff(values).min()) if len(values) <= _MOST_GRADES else float(np.ptp(values))
    spread = float(seen.std(ddof=1)) if len(seen) > 1 else 0.0
    # People may have given one score to all of a few items; the judge's spread is that of many.
    same_scale = values[0] <= float(judge.mean()) <= values[-1]
    spread = max(spread, float(judge.std())) if same_scale or len(grades) < 2 else spread
    return step * spread


def imagined_variance(disagreement: float, labels: int, units: int | None = None) -> float:
    """Return what imagined disagreements add to the variance by labels, in so many clusters."""
    return _IMAGINED * disagreement / (labels * (units or labels))


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """The items of a stratum, apart by whether people looked at them."""

    share: float  # of all items
    items: Codes
    seen: Codes
    unseen: Codes
    people: Floats
    judge_seen: Floats
    judge_unseen: Floats


def _strata(judged: Judged) -> list[_Stratum]:
    codes = np.zeros(len(judged.judge), np.intp) if judged.strata is None else judged.strata
    labelled, found = judged.labelled, []
    for code in np.unique(codes):
        items = np.flatnonzero(codes == code)
        seen, unseen = items[labelled[items]], items[~labelled[items]]
        if len(seen) < 2:
            raise DataError(
                f"a stratum of {len(items)} items has {len(seen)} labels; every stratum needs two, "
                "or join it with another"
            )
        found.append(
            _Stratum(
                len(items) / len(codes),
                items,
                seen,
                unseen,
                judged.people[seen],
                judged.judge[seen],
                judged.judge[unseen],
            )
        )
    return found


def _stratum_mean(part: _Stratum, weight: float) -> float:
    mean = float(part.people.mean())
    if not len(part.unseen):  # people saw all: there is nothing that the judge could add
        return mean
    return mean + weight * float(part.judge_unseen.mean() - part.judge_seen.mean())


def _residuals(part: _Stratum, weight: float) -> Floats:
    """Return what people say beyond the weighted judge, about its mean."""
    kept = part.people - (weight if len(part.unseen) else 0.0) * part.judge_seen
    return np.asarray(kept - kept.mean())


def _tuned(judged: Judged, parts: list[_Stratum]) -> float:
    """Return the weight of the judge that gives the least variance, and never less than 0."""
    parts = [part for part in parts if len(part.unseen)]
    if judged.clusters is not None:
        return _tuned_by_clusters(judged, judged.clusters, parts)
    together = spread = 0.0
    for part in parts:
        n, rest = len(part.seen), len(part.unseen)
        seen = part.judge_seen - part.judge_seen.mean()
        together += part.share**2 * float(seen @ (part.people - part.people.mean())) / n**2
        variance = float(np.concatenate([part.judge_seen, part.judge_unseen]).var(ddof=1))
        spread += part.share**2 * variance * (1 / n + 1 / rest)
    return max(0.0, together / spread) if spread > 0 else 0.0


def _tuned_by_clusters(judged: Judged, clusters: Codes, parts: list[_Stratum]) -> float:
    people, judge = np.zeros(len(judged.judge)), np.zeros(len(judged.judge))
    for part in parts:
        n, rest = len(part.seen), len(part.unseen)
        people[part.seen] = part.share * (part.people - part.people.mean()) / n
        judge[part.seen] = part.share * (part.judge_seen - part.judge_seen.mean()) / n
        judge[part.unseen] = -part.share * (part.judge_unseen - part.judge_unseen.mean()) / rest
    mine, its = np.bincount(clusters, people), np.bincount(clusters, judge)
    spread = float(its @ its)
    return max(0.0, float(mine @ its) / spread) if spread > 0 else 0.0


def _estimate(
    value: float, influence: Floats, judged: Judged, weight: float, lost: int
) -> Estimate:
    """Return an estimate with the variance that the items' influences, or the clusters', show.

    Those with labels and those without are two parts, each with its own degrees of freedom
    (Satterthwaite's rule joins them); `lost` degrees go to the means and the weight.
    """
    labelled = judged.labelled
    labels = int(labelled.sum())
    sums, seen = influence, labelled
    if judged.clusters is not None:
        sums = np.bincount(judged.clusters, influence).astype(np.float64)
        seen = np.bincount(judged.clusters, labelled) > 0
    units, others = int(seen.sum()), int((~seen).sum())
    freedom = units - lost
    if freedom < 1:
        raise DataError(
            f"{labels} labels are too few for an interval; label at least {FEWEST_LABELS} items"
        )
    stretch = units / freedom
    squares = float(sums[seen] @ sums[seen])
    rest = float(sums[~seen] @ sums[~seen]) * (others / (others - 1) if others > 1 else 1.0)
    bare = squares * stretch + rest
    with_labels = (squares + imagined_variance(judged.disagreement, labels, units)) * stretch
    variance = with_labels + rest
    spent = with_labels**2 / freedom + rest**2 / max(others - 1, 1)
    joint = variance**2 / spent if spent > 0 else float(freedom)
    return Estimate(value, variance, joint, weight, labels, bare, influence)
