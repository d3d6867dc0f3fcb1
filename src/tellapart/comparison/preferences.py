"""Preferences as an adapter: two systems by their wins, many on Bradley and Terry's scale.

Two systems, and systems that were held against one reference, are compared by their rates of wins
like any others. Three or more that met each other are put on one scale first; what each prompt adds
to a score is then an item score whose mean is the score itself, so that tests, corrections, groups
and ranks are the same as everywhere. What the judge likes beside the answer is a diagnostic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.record import HeadToHead, Notice, Preferences
from tellapart.comparison.scored import Compare, Extras, Scored, check_labels, score_metrics
from tellapart.comparison.testing import Pairs
from tellapart.counts import Counts
from tellapart.counts.judgments import Judgments
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric, mean
from tellapart.stats.bradley_terry import (
    Matches,
    Scale,
    check_fit,
    put_on_scale,
)
from tellapart.stats.judges import length_bias, position_bias
from tellapart.stats.result import Flags, Ints
from tellapart.words import listed

SCALES: Final = {"bradley_terry": (0.0, 1.0), "elo": (1000.0, 400 / math.log(10))}
"""The mean of all scores, and what a unit of log-odds is worth, by the name of the scale"""
RATE: Final = "win_rate"
_UNBALANCED: Final = 3.0
"""Standard deviations by which one order may come up more often than the other by chance"""


@dataclass(frozen=True)
class PreferenceScored(Scored):
    """Rates of wins, or scores on one scale, and what was judged."""

    found: Preferences = field(kw_only=True)
    notices: tuple[Notice, ...] = field(kw_only=True)
    """Of the scale, and of the places of outputs"""

    def extras(self, compare: Compare) -> Extras:  # noqa: ARG002
        """Return what was judged, and its notices."""
        return Extras(self.notices, preferences=self.found)


@dataclass(frozen=True)
class ScaleScored(PreferenceScored):
    """Scores of three or more systems on one scale."""

    judged: Counts = field(kw_only=True)
    above: Flags = field(kw_only=True)
    """Of which pairs one always won, directly or through others: systems × systems"""

    @property
    def labelled(self) -> Counts:
        """What slices are parts of."""
        return self.judged

    def part(self, counts: Counts) -> ScaleScored | None:
        """Return the systems on a scale of their own; None where no scale holds all of them."""
        matches = _matches(counts)
        if len(matches.components()) > 1:
            return None
        items = _as_items(counts, put_on_scale(matches), self.scores.name, self.options)
        own = super().part(items)
        assert own is not None
        return replace(own, above=matches.dominance())

    @property
    def has_intervals(self) -> bool:
        """Whether scores have intervals: none where one system always beat another."""
        return super().has_intervals and not self.above.any()

    def has_no_bound(self, a: int, b: int) -> bool:
        """Return whether one of a pair always won, directly or through others."""
        return bool(self.above[a, b] or self.above[b, a])

    def items_won(self, pairs: Pairs) -> tuple[Ints, ...]:
        """Return on how many prompts each of a pair won when they met, and on how many neither."""
        names, differing = self.scores.systems, super().items_won(pairs)[3]
        # In the order given, as pairs are.
        met = {(one.a, one.b): (one.wins, one.losses, one.ties) for one in self.found.head_to_head}
        won = [met.get((names[a], names[b]), (0, 0, 0)) for a, b, _ in pairs]
        return (*np.array(won, np.int64).reshape(-1, 3).T, differing)


def score_preferences(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return rates of wins, or scores on one scale, with what was judged."""
    counts = in_order(counts)
    scale = _wanted_scale(counts, metrics)
    if scale is not None:
        return (_on_scale(counts, scale, options),)
    found = _summary(counts)
    notices = tuple(_notices(found, counts, options))
    return tuple(
        PreferenceScored(
            own.scores, own.unclustered, own.options, own.runs, own.cost,
            found=found, notices=notices,
        )
        for own in score_metrics(counts, metrics, options)
    )  # fmt: skip


def _wanted_scale(counts: Counts, metrics: Sequence[str | Metric] | None) -> str | None:
    """Return the scale that all systems are put on; None where rates are compared."""
    assert counts.judgments is not None
    named = [name for name in metrics or () if name in SCALES]
    many = len(counts.names) > 2 and counts.judgments.reference is None
    if not named:
        return "bradley_terry" if many and not metrics else None
    if not many:
        raise UsageError(
            f"{named[0]} takes three or more systems that met; these are compared by {RATE}"
        )
    if len(metrics or ()) > 1:
        raise UsageError(f"{named[0]} is asked for alone: drop the other metrics")
    return str(named[0])


def _on_scale(counts: Counts, scale: str, options: Options) -> ScaleScored:
    """Return scores on one scale."""
    check_labels(counts, options)
    matches = _matches(counts)
    _refuse_unconnected(matches, counts)
    above = matches.dominance()
    items = _as_items(counts, put_on_scale(matches), scale, options)
    (scored,) = score_metrics(items, [scale], replace(options, by=()))
    found = replace(_summary(counts), scale=scale)
    notices = *_of_scale(counts, matches, above, options), *_notices(found, counts, options)
    return ScaleScored(
        scored.scores, scored.unclustered, options,
        found=found, notices=notices, judged=counts, above=above,
    )  # fmt: skip


def _matches(counts: Counts) -> Matches:
    """Return what was won on each prompt."""
    assert counts.judgments is not None
    pairs = counts.judgments.of_pairs()
    # By their places among the systems that are compared.
    place = {name: k for k, name in enumerate(counts.names)}
    places = np.array([place.get(name, -1) for name in counts.judgments.names])
    a, b, k = places[pairs.a], places[pairs.b], len(counts.names)
    return Matches.of(a, b, pairs.points, pairs.items, (len(counts.items), k))


def _refuse_unconnected(matches: Matches, counts: Counts) -> None:
    groups = matches.components()
    if len(groups) > 1:
        named = [listed([counts.names[k] for k in group]) for group in groups]
        raise DataError(
            f"{' | '.join(named[:4])}{' | …' if len(named) > 4 else ''}: systems on different "
            "sides never met, directly or through others: compare each side by itself"
        )


def _as_items(counts: Counts, fitted: Scale, scale: str, options: Options) -> Counts:
    """Return what each prompt adds to the scores as item scores, whose means are the scores."""
    middle, worth = SCALES[scale]
    values = middle + worth * fitted.contributions
    labels = {name: texts for name, texts in counts.labels.items() if name == options.cluster}
    items = Counts.from_columns(
        counts.names, counts.items, {scale: list(values.T)}, labels, counts.kind, "items"
    )
    own = (mean(scale, scale),)  # which knows its direction: who wins more has the higher score
    return replace(
        items, metrics=own, notices=counts.notices, texts=counts.texts, files=counts.files
    )


def _summary(counts: Counts) -> Preferences:
    """Return what was judged."""
    judgments = counts.judgments
    assert judgments is not None
    j = judgments
    first_place = position_bias(j.items, j.first, j.second, j.points) if j.ordered else None
    longer = None if j.lengths is None else length_bias(j.items, j.points, j.lengths)
    return Preferences(
        judgments=len(judgments),
        items=len(counts.items),
        orders=_orders(judgments),
        head_to_head=tuple(_head_to_head(counts, judgments)),
        reference=judgments.reference,
        first_place=first_place,
        longer=longer,
    )


def _orders(judgments: Judgments) -> str:
    """Return whether both orders were shown: on every prompt, of every pair, or not."""
    if not judgments.ordered:
        return "unknown"
    if judgments.of_pairs().both_orders.all():
        return "both"
    return "one" if any(0 in shown for shown in _shown_first(judgments).values()) else "mixed"


def _shown_first(judgments: Judgments) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how often the one and the other of each pair was shown first."""
    names = judgments.names
    shown = Counter(zip(judgments.first.tolist(), judgments.second.tolist(), strict=True))
    pairs = sorted({(min(both), max(both)) for both in shown})
    return {(names[a], names[b]): (shown[a, b], shown[b, a]) for a, b in pairs}


def _head_to_head(counts: Counts, judgments: Judgments) -> Iterator[HeadToHead]:
    """Yield the outcomes of all pairs that met."""
    pairs = judgments.of_pairs()
    names = [*counts.names, *([judgments.reference] if judgments.reference else [])]
    for a, b in combinations(names, 2):
        items, points = pairs.of(judgments.names.index(a), judgments.names.index(b))
        if len(items):
            wins, losses = (int(np.count_nonzero(own)) for own in (points > 0.5, points < 0.5))
            ties = len(items) - wins - losses
            yield HeadToHead(a, b, len(items), wins, ties, losses, float(points.mean()))


def _notices(found: Preferences, counts: Counts, options: Options) -> Iterator[Notice]:
    """Yield what is to be said of the order in which outputs were shown."""
    if found.orders in ("unknown", "both") or counts.judgments is None:
        return
    shown, place = _shown_first(counts.judgments), found.first_place
    most = math.sqrt(_UNBALANCED**2 + 2 * math.log(len(shown)))  # of many pairs, one is farther
    uneven = {
        pair: times
        for pair, times in shown.items()
        if 0 in times or abs(times[0] - times[1]) > most * math.sqrt(sum(times))
    }
    if uneven:
        pair, times = next(iter(uneven.items()))
        often, seldom = (int(np.argmax(times)), int(np.argmin(times)))
        about = dict.fromkeys(name for own in uneven for name in own)
        numbers = {"a": pair[often], "b": pair[seldom], "a_first": max(times),
                   "b_first": min(times), "more": len(uneven) - 1}  # fmt: skip
        yield Notice("orders-unbalanced", tuple(about), numbers)
    elif place is not None and place.p is not None and place.p <= options.alpha:
        yield Notice("first-place", (), {"rate": place.rate, "p": place.p})


def _of_scale(counts: Counts, matches: Matches, above: Flags, options: Options) -> Iterator[Notice]:
    """Yield whether some systems always won, and that one scale does not fit."""
    if above.any():
        yield _always_won(counts.names, above)
    if options.cluster is not None:
        codes = counts.codes(options.cluster)
        matches = replace(matches, units=codes[matches.units], n_units=int(codes.max()) + 1)
    fit = check_fit(matches, rng=options.seed)
    if fit is not None and fit.p is not None and fit.p <= options.alpha:
        yield Notice("one-scale", (), {"p": fit.p})


def _always_won(names: Sequence[str], above: Flags) -> Notice:
    """Return the remark on systems that always won, or always lost, or are parted otherwise."""
    others = len(names) - 1
    winners = [name for name, below in zip(names, above, strict=True) if below.sum() == others]
    losers = [name for name, over in zip(names, above.T, strict=True) if over.sum() == others]
    return Notice("always-won", (*winners, *losers), {"winners": winners, "losers": losers})
