"""The record of a calibration: rates, verdicts, power, and the quantiles of the p-values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import Notice
from tellapart.words import json_text

LEVELS: Final = (0.10, 0.05, 0.01)
POWER_LEVEL: Final = 0.05
FAR: Final = 0.0027
"""A rate this unlikely under the level is no chance: that of three standard errors, since there are
a dozen tests at three levels"""
FEWEST_PAIRS: Final = 100
"""With fewer, a test is not said to keep its level"""
BINS: Final = 20
KEEPS, OFTEN, SELDOM = "keeps its level", "rejects too often", "keeps it, but conservative"
NEAR: Final = "no departure shown"
"""Rates somewhat above the level, though not so far that chance is ruled out"""
UNSURE: Final = "too few pairs to tell"
NOTHING: Final = "nothing to reject"
ALIKE: Final = 0.05
"""Up to this chance, groups of items are said to be alike"""

_SOMEWHAT = 0.05  # as unlikely as two standard errors
_POINTS = 48  # of a picture; in steps of equal factors, since small p-values matter most
_BAND = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a test rejects at a level."""

    level: float
    rate: float
    standard_error: float
    chance: float | None = None
    """The probability of a rate at least this far from the level, if the test keeps it"""

    @property
    def somewhat_above(self) -> bool:
        """Whether the rate is above the level by more than two standard errors or so."""
        return self.chance is not None and self.chance < _SOMEWHAT and self.rate > self.level

    @property
    def far(self) -> int:
        """1 where the rate is above what the level promises, -1 where it is below, or else 0."""
        if self.chance is None or self.chance >= FAR:
            return 0
        return 1 if self.rate > self.level else -1


@dataclass(frozen=True, slots=True)
class Quantile:
    """One point of a quantile picture, with the band in which an even p would be."""

    expected: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CalibratedTest:
    """One test on all null pairs, and on pairs with planted differences."""

    test: str
    clusters_ignored: bool
    rates: tuple[Rate, ...]
    mean_p: float
    undefined: int
    """Pairs for which the test has no p: they count as not rejected"""
    histogram: tuple[int, ...]
    """How many p-values are in each twentieth from 0 to 1, its upper end included"""
    quantiles: tuple[Quantile, ...]
    power: tuple[Rate, ...]

    @property
    def label(self) -> str:
        """The test's name, and whether it does not know of clusters."""
        return f"{self.test}, items" if self.clusters_ignored else self.test

    @property
    def verdict(self) -> str:
        """Whether the test keeps its level; what rejects too often anywhere is not kept.

        A test that rejects too seldom keeps its level: no more is promised.
        """
        far = {rate.far for rate in self.rates}
        if 1 in far:
            return OFTEN
        if -1 in far:
            return SELDOM
        if sum(self.histogram) < FEWEST_PAIRS:
            return UNSURE
        return NEAR if any(rate.somewhat_above for rate in self.rates) else KEEPS

    @property
    def worst(self) -> Rate:
        """The rate that the verdict is about: at .05, unless another level shows more."""
        sign = {OFTEN: 1, SELDOM: -1}.get(self.verdict, 0)
        shown = [rate for rate in self.rates if rate.far == sign]
        return min(shown, key=lambda rate: (rate.level != POWER_LEVEL, rate.chance or 0.0))

    @property
    def highest(self) -> Rate:
        """The rate that is least likely of those above their level."""
        above = [rate for rate in self.rates if rate.somewhat_above]
        return min(above or self.rates, key=lambda rate: rate.chance or 0.0)


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted difference: in standard errors, and in score, on average over the pairs."""

    size: float
    difference: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """A test that was not made, and why."""

    test: str
    reason: str


@dataclass(frozen=True, slots=True)
class GroupsFound:
    """Groups of items that were suspected to depend on each other."""

    label: str | None
    """The label that names them; None for neighbouring items"""
    size: int | None
    """How many neighbours a group has"""
    chance: float
    """How often items that do not depend on each other would be as alike"""

    @property
    def alike(self) -> bool:
        """Whether the items of a group are more alike than chance makes them."""
        return self.chance <= ALIKE


@dataclass(frozen=True, slots=True)
class MetricCalibration:
    """All tests under one metric."""

    metric: str
    tests: tuple[CalibratedTest, ...]
    planted: tuple[Planted, ...]
    skipped: tuple[Skipped, ...]
    differing: float | None = None
    """How many items of a null pair differ: the median over the pairs"""
    groups: GroupsFound | None = None
    """The groups that were exchanged as wholes, where dependent items were suspected"""

    def verdict(self, test: CalibratedTest) -> str:
        """Return the verdict on a test: none where the outputs hardly ever differ."""
        return NOTHING if self.differing == 0 else test.verdict

    def test(self, name: str) -> CalibratedTest:
        """Return a test by name."""
        return next(each for each in self.tests if each.label == name)


@dataclass(frozen=True, slots=True)
class ClusterCount:
    """How many clusters there are, and what they are called."""

    count: int
    kind: str


@dataclass(frozen=True, slots=True)
class ItemCount:
    """How many items there are, what they are called, and how many of them a pair has."""

    count: int
    kind: str
    clusters: ClusterCount | None
    in_a_pair: int
    """Of clusters, where there are any"""

    @property
    def exchanged(self) -> str:
        """What a test exchanges is called: a cluster, or an item where there are none."""
        return self.kind if self.clusters is None else self.clusters.kind


@dataclass(frozen=True, slots=True)
class OtherNull:
    """All tests on pairs without a difference of another kind."""

    null: str
    """``equal``, ``clusters``, ``run-noise`` or ``runs``"""
    null_pairs: int
    metrics: tuple[MetricCalibration, ...]
    """Without tests where groups of items turned out no more alike than others"""


@dataclass(frozen=True, slots=True)
class Untested:
    """A kind of pairs without a difference that could not be made, and why."""

    null: str
    reason: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """The record of a calibration; the same data, seed and version give the same bytes."""

    tellapart: str
    null: str
    """``swap``, ``equal``, ``clusters``, ``run-noise``, ``split`` (of items) or ``runs`` (split)"""
    seed: int
    items: ItemCount
    systems: tuple[str, ...]
    null_pairs: int
    planted_pairs: int
    shuffles: int
    resamples: int
    metrics: tuple[MetricCalibration, ...]
    warnings: tuple[Notice, ...]
    others: tuple[OtherNull, ...] = ()
    """The same on other kinds of pairs without a difference, where these were tried"""
    untested: tuple[Untested, ...] = ()

    def metric(self, name: str) -> MetricCalibration:
        """Return what was found under a metric."""
        return next(each for each in self.metrics if each.metric == name)

    def to_json(self) -> str:
        """Return the record as JSON."""
        record = {"units" if key == "items" else key: value for key, value in asdict(self).items()}
        record["metrics"] = [_metric_record(each) for each in self.metrics]
        record["others"] = [
            {**asdict(other), "metrics": [_metric_record(each) for each in other.metrics]}
            for other in self.others
        ]
        ordered = {"tellapart": record.pop("tellapart"), "study": "calibrate", **record}
        return json_text(ordered)


def _metric_record(found: MetricCalibration) -> dict[str, Any]:
    tests = [{**asdict(each), "verdict": found.verdict(each)} for each in found.tests]
    return {**asdict(found), "tests": tests}


def calibrated_test(
    test: str,
    p: NDArray[np.float64],
    planted: Sequence[NDArray[np.float64]],
    clusters_ignored: bool = False,
) -> CalibratedTest:
    """Return the summary of a test's p-values: on null pairs, and with each planted difference.

    >>> found = calibrated_test("t", np.arange(1, 1001) / 1000, [])
    >>> [(rate.level, rate.rate) for rate in found.rates], found.verdict
    ([(0.1, 0.1), (0.05, 0.05), (0.01, 0.01)], 'keeps its level')
    """
    undefined = np.isnan(p)
    known = np.where(undefined, 1.0, p)
    edges = np.arange(1, BINS + 1) / BINS
    bins = np.bincount(np.searchsorted(edges, known), minlength=BINS)
    return CalibratedTest(
        test=test,
        clusters_ignored=clusters_ignored,
        rates=tuple(_rate(known, level, null=True) for level in LEVELS),
        mean_p=math.fsum(known) / len(known),
        undefined=int(undefined.sum()),
        histogram=tuple(bins.tolist()),
        quantiles=tuple(_quantiles(np.sort(known))),
        power=tuple(_rate(each, POWER_LEVEL, null=False) for each in planted),
    )


def _rate(p: NDArray[np.float64], level: float, null: bool) -> Rate:
    number = len(p)
    count = int(np.count_nonzero(p <= level))  # an undefined p (NaN) rejects nothing
    rate = count / number
    # None or all would have no error at all: half a pair is taken to be otherwise.
    share = rate if 0 < count < number else (count + 0.5) / (number + 1)
    error = math.sqrt(share * (1 - share) / number)
    return Rate(level, rate, error, _chance(count, number, level) if null else None)


def _chance(count: int, number: int, level: float) -> float:
    """Return twice the smaller tail of a binomial distribution, at most 1."""
    from scipy.special import bdtr, bdtrc

    above = 1.0 if count == 0 else float(bdtrc(count - 1, number, level))
    return min(1.0, 2.0 * min(above, float(bdtr(count, number, level))))


def _quantiles(p: NDArray[np.float64]) -> Iterator[Quantile]:
    from scipy.special import betaincinv

    number = len(p)
    ranks = np.unique(np.rint(np.geomspace(1, number, _POINTS)).astype(np.int64))
    # The k-th smallest of n even p-values has the distribution Beta(k, n - k + 1).
    ends = [betaincinv(ranks, number - ranks + 1, share)
            for share in ((1 - _BAND) / 2, (1 + _BAND) / 2)]  # fmt: skip
    for rank, low, high in zip(ranks.tolist(), *(end.tolist() for end in ends), strict=True):
        yield Quantile((rank - 0.5) / number, float(p[rank - 1]), low, high)
