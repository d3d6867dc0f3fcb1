"""Plans for margins: how many items a check needs that a system as good as the old one passes.

`compare --margin` passes a system if a loss of the margin or more is ruled out. A system that loses
nothing passes only if there are enough items; how many depends on the share of items on which it
answers otherwise. Figures are from test sets drawn at random and decided as `compare` decides.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.limits import ALPHA, MARGIN, PLANNED_PAIRS, POWER
from tellapart.metrics import Metric
from tellapart.metrics.projection import project
from tellapart.planning.pilot import Pilot
from tellapart.progress import Progress, no_progress
from tellapart.significance.margins import Evidence, RightOrWrong, evidence
from tellapart.significance.paired_proportions import EXACT_ITEMS, tango_p
from tellapart.significance.questions import Question
from tellapart.words import json_text

CHANGED = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of items that are answered otherwise, for those who know nothing of theirs"""
_LOSSES = (0.0, 0.25, 0.5)  # of the margin: what the new system truly loses
_SETS, _PILOT_SETS = 4000, 400
_STEP = 1.02  # numbers of items are settled to so much
_MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class MarginOptions:
    """What a plan for a margin should answer."""

    margin: float
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1
    items: int | None = None
    """In the test set, if there is one"""
    seed: int = 0

    @property
    def level(self) -> float:
        """The level of one candidate, if several are checked (Bonferroni)."""
        return self.alpha / self.pairs


class Drawn(Protocol):
    """A new system that is as good as the old one, or loses a little: test sets can be drawn."""

    @property
    def deviation(self) -> float:
        """The standard deviation of an item's difference."""

    def passes(self, items: int, margin: float, level: float, seed: int) -> float:
        """Return how often a check on so many items is passed."""


@dataclass(frozen=True, slots=True)
class ChangedItems:
    """Right or wrong items, a share of which is answered otherwise; as many won as lost, or fewer.

    >>> ChangedItems(0.1).passes(5000, margin=0.01, level=0.05, seed=0) > 0.5
    True
    """

    changed: float
    loss: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of an item's difference."""
        return math.sqrt(max(self.changed - self.loss**2, 0.0))

    def passes(self, items: int, margin: float, level: float, seed: int) -> float:
        """Return how often a check on so many items is passed."""
        rng = np.random.default_rng(seed)
        won, lost = (self.changed - self.loss) / 2, (self.changed + self.loss) / 2
        drawn = rng.multinomial(items, [won, lost, 1 - won - lost], size=_SETS)
        if items > EXACT_ITEMS:
            return float((tango_p(drawn[:, 0], drawn[:, 1], items, margin) <= level).mean())
        tables, number = np.unique(drawn[:, :2], axis=0, return_counts=True)
        passed = [RightOrWrong(b, c, items).p_loss(margin) <= level for b, c in tables.tolist()]
        return float(number[passed].sum() / _SETS)


@dataclass(frozen=True, slots=True)
class PilotItems:
    """Pilot items (clusters) of two systems, drawn again, each as likely the one's as the other's.

    So the systems are as good as each other, and differ as often as they do.
    """

    counts: Counts
    metric: str | Metric

    @property
    def deviation(self) -> float:
        """The standard deviation of an item's difference."""
        return Pilot.of(self.counts, self.metric).spread(0.0).deviation

    def evidence(self) -> Evidence:
        """Return what the pilot says of a margin."""
        found = _evidence(self.counts, self.metric)
        if found is None:
            raise UsageError(f"{self.metric!r} has no margin test on this pilot; name another")
        return found

    def passes(self, items: int, margin: float, level: float, seed: int) -> float:
        """Return how often a check on so many items is passed."""
        rng = np.random.default_rng(seed)
        passed = 0
        for _ in range(_PILOT_SETS):
            chosen = rng.integers(len(self.counts.items), size=items)
            turned = rng.random(items) < 0.5
            found = _evidence(self._drawn(chosen, turned), self.metric)
            # Without a score, nothing is shown.
            passed += found is not None and found.p_loss(margin) <= level
        return passed / _PILOT_SETS

    def _drawn(self, chosen: NDArray[np.int64], turned: NDArray[np.bool_]) -> Counts:
        values = self.counts.values[:, chosen]
        values = np.where(turned[None, :, None], values[::-1], values)
        return replace(
            self.counts,
            items=tuple(map(str, range(len(chosen)))),
            values=values,
            sizes=self.counts.sizes[chosen],
            labels={},
            texts=None,
            runs=(),
        )

    def simplest(self) -> Drawn:
        """Return the same as right and wrong items, where they are that."""
        found = self.evidence()
        if not isinstance(found, RightOrWrong):
            return self
        return ChangedItems((found.won + found.lost) / found.items)


def _evidence(counts: Counts, metric: str | Metric) -> Evidence | None:
    projection = project(counts, [metric])
    return evidence(projection, Question(projection.metrics[0], 0, 1, "two"))


@dataclass(frozen=True, slots=True)
class MarginRow:
    """What a check needs under one assumption."""

    changed: float | None
    """The share of items that are answered otherwise; None if a pilot shows more than that"""
    loss: float
    """What the new system truly loses"""
    needed: int | None
    """Items (clusters); None if no number will do"""
    passes: float | None = None
    """How often it passes with the items that there are"""


@dataclass(frozen=True, slots=True)
class MarginPlan:
    """How many items a check of a margin needs, under one assumption or several."""

    options: MarginOptions
    metric: str
    kind: str
    source: str
    rows: tuple[MarginRow, ...]
    items_per_unit: float = 1.0

    def to_json(self) -> str:
        """Return the record."""
        record = {
            "tellapart": importlib.metadata.version("tellapart"),
            **asdict(self.options),
            "metric": self.metric,
            "kind": self.kind,
            "source": self.source,
            "rows": [asdict(row) for row in self.rows],
        }
        return json_text(record)


def plan_margin(
    options: MarginOptions,
    pilot: PilotItems | None = None,
    changed: float | None = None,
    progress: Progress = no_progress,
) -> MarginPlan:
    """Return how many items a margin needs: by a pilot, or by the share of items that change.

    >>> plan = plan_margin(MarginOptions(margin=0.05), changed=0.1)
    >>> 200 < plan.rows[0].needed < 300
    True
    """
    _check(options)
    found = pilot.simplest() if pilot is not None else None
    if isinstance(found, ChangedItems):
        changed = found.changed
    if found is not None and not isinstance(found, ChangedItems):
        rows = [_row(found, None, 0.0, options)]
    elif changed is not None:
        losses = [share * options.margin for share in _LOSSES if share * options.margin <= changed]
        rows = [_row(ChangedItems(changed, loss), changed, loss, options) for loss in losses]
    else:
        rows = []
        for k, share in enumerate(CHANGED):
            progress("planning", k, len(CHANGED))
            rows.append(_row(ChangedItems(share), share, 0.0, options))
    counts = None if pilot is None else pilot.counts
    return MarginPlan(
        options,
        metric="accuracy" if pilot is None else str(pilot.metric),
        kind="item" if counts is None else counts.cluster or counts.kind,
        source="assumed shares of changed items" if counts is None else "a pilot",
        rows=tuple(rows),
        items_per_unit=1.0 if counts is None else float(counts.sizes.mean()),
    )


def _check(options: MarginOptions) -> None:
    MARGIN.checked(options.margin, "margin")
    POWER.checked(options.power, "power")
    ALPHA.checked(options.alpha, "alpha")
    PLANNED_PAIRS.checked(options.pairs, "pairs")


def _row(drawn: Drawn, changed: float | None, loss: float, options: MarginOptions) -> MarginRow:
    def passes(items: int) -> float:
        return drawn.passes(items, options.margin, options.level, options.seed)

    room = options.margin - loss
    z = NormalDist().inv_cdf
    guess = ((z(1 - options.level) + z(options.power)) * drawn.deviation / room) ** 2
    needed = _fewest(passes, options.power, max(5, math.ceil(guess)))
    here = None if options.items is None else passes(options.items)
    return MarginRow(changed, loss, needed, here)


def _fewest(passes: Callable[[int], float], power: float, guess: int) -> int | None:
    """Return the smallest number of items that passes often enough, to a few per cent."""
    low, high = guess, guess
    while passes(high) < power:
        low, high = high, math.ceil(high * 1.3)
        if high > _MOST:
            return None
    while low > 2 and passes(low) >= power:
        low, high = math.floor(low / 1.3), low
    while high > low * _STEP and high > low + 1:
        middle = round(math.sqrt(low * high))
        middle = min(max(middle, low + 1), high - 1)
        if passes(middle) >= power:
            high = middle
        else:
            low = middle
    return high
