"""Convergence: whether work on one test set also helped on another that nobody looked at.

A proposal reported by Chinchor, Hirschman and Lewis (1993, section 7.4): score a system on two test
sets, let its makers work with the first one for a while, and score it on both again. The gain on
the unseen set relative to the gain on the seen one tells how well the system converges.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, Notice, UsageError
from tellapart.limits import RESAMPLES as RESAMPLES_GIVEN
from tellapart.limits import SEED
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import Projection, project
from tellapart.metrics.runs import average_runs
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import open_pool
from tellapart.significance.bootstrap_tests import RESAMPLES, resample, scores
from tellapart.significance.diagnostics import round_off
from tellapart.significance.interval_formulas import quantiles
from tellapart.words import json_text, listed, plural, several

LEVEL = 0.95
FEWEST_ITEMS = 6
"""With fewer, even items that all move one way could be so by chance: 2/2^5 is above .05"""
_FEW_ITEMS = 20


@dataclass(frozen=True, slots=True)
class Gain:
    """The score of a system before and after, on one test set."""

    items: int
    kind: str
    before: float
    after: float
    gain: float
    """What was gained: positive is better, also where lower scores are"""
    interval: tuple[float, float] | None
    """None where the items are too few for one"""
    changed: bool
    """Whether any item has another score after than before"""

    def to_record(self) -> dict[str, Any]:
        """Return what the JSON record says of it."""
        return {"units" if name == "items" else name: own for name, own in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Convergence:
    """The gains on a seen and on an unseen test set, and their ratio where it can be told."""

    metric: str
    seen: Gain
    unseen: Gain
    ratio: float | None
    """Unseen over seen; None where nothing was gained on the seen set"""
    interval: tuple[float, float] | None
    """None where the gain on the seen set is not clearly above zero, so that any ratio is possible,
    or where items are too few"""
    no_gain: float
    """The share of resamples in which nothing was gained on the seen set"""
    resamples: int
    seed: int
    notices: tuple[Notice, ...] = ()

    def to_json(self) -> str:
        """Return the record as JSON."""
        record = {
            "tellapart": importlib.metadata.version("tellapart"),
            "level": LEVEL,
            "metric": self.metric,
            "seen": self.seen.to_record(),
            "unseen": self.unseen.to_record(),
            "ratio": self.ratio,
            "interval": self.interval,
            "no_gain": self.no_gain,
            "resamples": self.resamples,
            "seed": self.seed,
            "warnings": [{"code": each.code, "text": each.text} for each in self.notices],
        }
        return json_text(record)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One test set: the gain that was measured, and what it was in resamples of the items."""

    metric: str
    gain: Gain
    resampled: NDArray[np.float64]


def converge(
    seen: Sequence[Counts],
    unseen: Sequence[Counts],
    metric: str | Metric,
    *,
    cluster: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Convergence:
    """Return the gains on two test sets, each given as the counts before and after.

    Items are drawn with replacement, before and after together; the two sets independently.

    >>> before, after = ({"A": [0, 0, 0, 1] * 10}, {"A": [1, 1, 0, 1] * 10})
    >>> seen = [Counts.from_arrays(each) for each in (before, after)]
    >>> unseen = [Counts.from_arrays({"A": [0, 0, 1, 1] * 10}), seen[1]]
    >>> found = converge(seen, unseen, "mean", resamples=999)
    >>> found.seen.gain, found.unseen.gain, found.ratio
    (0.5, 0.25, 0.5)
    """
    resamples = RESAMPLES_GIVEN.checked(resamples, "--resamples")
    seed = SEED.checked(seed, "--seed")
    # The same draws on both sets would make them dependent.
    second = int(np.random.SeedSequence((seed, 1)).generate_state(1, np.uint64)[0] >> np.uint64(1))
    options = _Options(metric, cluster, resamples, progress)
    first, other = _drawn(seen, "seen", seed, options), _drawn(unseen, "unseen", second, options)
    no_gain = float((first.resampled <= 0).mean())
    ratio = other.gain.gain / first.gain.gain if first.gain.gain > 0 else None
    enough = min(first.gain.items, other.gain.items) >= FEWEST_ITEMS
    return Convergence(
        first.metric,
        first.gain,
        other.gain,
        None if ratio is None else round_off(ratio),
        _interval(first, other, no_gain) if enough and ratio is not None else None,
        no_gain,
        resamples,
        seed,
        (*_few_items("seen", first.gain), *_few_items("unseen", other.gain)),
    )


def _few_items(name: str, gain: Gain) -> Iterator[Notice]:
    """Yield a warning if the items of a set are few, and what that means."""
    size = f"The {name} set has only {several(gain.items, gain.kind)}"
    if gain.items < FEWEST_ITEMS:
        chance = f"{2.0 ** (1 - gain.items):.2g}".removeprefix("0")
        yield Notice(
            "few-units",
            f"{size}: no interval is given. Even if all of them moved the same way, chance alone "
            f"would do that with a probability of {chance}; with {FEWEST_ITEMS} it is below .05.",
        )
    elif gain.items < _FEW_ITEMS:
        yield Notice("few-units", f"{size}: the interval is rough.")


@dataclass(frozen=True, slots=True)
class _Options:
    """What holds for both test sets."""

    metric: str | Metric
    cluster: str | None
    resamples: int
    progress: Progress


def _drawn(sets: Sequence[Counts], name: str, seed: int, options: _Options) -> _Drawn:
    """Return the gain on one test set, measured and in resamples of its items."""
    before, after = sets
    counts = _joined(before, after, name)
    if options.cluster is not None:
        counts = counts.by(options.cluster)
    projection = project(counts, [options.metric])
    bound = projection.metrics[0]
    if isinstance(bound.metric, ItemFunction):
        raise UsageError(f"metric {bound.metric.name!r} is no function of sums: no bootstrap of it")
    sums = _resampled(projection, seed, options)
    sign = 1 if bound.metric.higher_is_better else -1
    gains = sign * (scores(bound, sums[:, :, 1]) - scores(bound, sums[:, :, 0]))
    scored = [round_off(float(projection.score(bound, system))) for system in (0, 1)]
    tail = (1 - LEVEL) / 2
    low, high = (round_off(end) for end in quantiles(gains, [tail, 1 - tail], None))
    interval = (low, high) if len(counts.items) >= FEWEST_ITEMS else None
    changed = bool((projection.forms[:, 0] != projection.forms[:, 1]).any())
    kind = counts.kind if counts.cluster is None else counts.cluster
    gain = round_off(sign * (scored[1] - scored[0]))
    measured = Gain(len(counts.items), kind, scored[0], scored[1], gain, interval, changed)
    return _Drawn(bound.metric.name, measured, gains)


def _resampled(projection: Projection, seed: int, options: _Options) -> NDArray[np.int64]:
    """Return sums over items drawn with replacement: resamples × forms × (before, after)."""
    with open_pool() as pool:
        drawn = resample(projection, options.resamples, seed, pool, progress=options.progress)
    if drawn.times is None:
        return drawn.sums
    # All resamples of a few items, each once: draw from them as many as are wanted.
    generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    shares = drawn.times / drawn.times.sum()
    return drawn.sums[generator.choice(len(drawn.sums), options.resamples, p=shares)]


def _joined(before: Counts, after: Counts, name: str) -> Counts:
    """Return the two tables of one test set together, item by item."""
    lost = [item for item in before.items if item not in set(after.items)]
    lost += [item for item in after.items if item not in set(before.items)]
    if lost:
        raise DataError(
            f"the tables before and after of the {name} set do not have the same "
            f"{plural(before.kind)} ({listed(lost, most=5)}); score the same ones twice"
        )
    if before.columns != after.columns or before.form != after.form:
        raise DataError(
            f"the tables before and after of the {name} set have different columns: "
            f"{listed(before.columns)}, and {listed(after.columns)}"
        )
    if len(before.items) < 2:
        raise DataError(f"the {name} set has {several(len(before.items), before.kind)}; give more")
    return in_order(average_runs({"before": [before], "after": [after]}))


def _interval(seen: _Drawn, unseen: _Drawn, no_gain: float) -> tuple[float, float] | None:
    """Return the ratios left when the tails of the directions of the two gains are cut off.

    Directions have the gain on the seen set across and that on the unseen one up. Where nearly all
    gains on the seen set are positive this is the percentile interval of the ratio, and it is also
    the set of ratios that the resamples do not rule out (as Fieller's is). Where they are not,
    steep directions turn over, and no ratio can be ruled out.
    """
    tail = (1 - LEVEL) / 2
    if no_gain > tail:
        return None
    measured = math.atan2(unseen.gain.gain, seen.gain.gain)
    turned = np.arctan2(unseen.resampled, seen.resampled) - measured
    turned = (turned + np.pi) % (2 * np.pi) - np.pi
    ends = [measured + turn for turn in quantiles(turned, [tail, 1 - tail], None)]
    if max(map(abs, ends)) >= math.pi / 2:
        return None
    return round_off(math.tan(ends[0])), round_off(math.tan(ends[1]))
