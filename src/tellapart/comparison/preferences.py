"""Comparing preferences: two systems by their wins, many on one scale, and what the judge likes.

Two systems, and systems that were held against one reference, are compared by their rates of wins
like any others. Three or more that met each other are put on Bradley and Terry's scale first; what
each prompt adds to a score is then an item score whose mean is the score itself, so that tests,
corrections, groups and ranks are the same as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.answers import answers
from tellapart.comparison.pair_record import PairResult, Slice
from tellapart.comparison.preference_record import HeadToHead, Preferences
from tellapart.comparison.record import Comparison, SystemResult
from tellapart.counts import Counts
from tellapart.counts.judgments import Judgments
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, Notice, UsageError
from tellapart.metrics import Metric, mean
from tellapart.metrics.projection import project
from tellapart.progress import no_progress
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bradley_terry import (
    RESAMPLES,
    Matches,
    Scale,
    check_fit,
    cycles,
    put_on_scale,
    score_intervals,
)
from tellapart.significance.corrections import adjust
from tellapart.significance.dispatch import Execution, Settings, run
from tellapart.significance.judged_places import (
    liking_of_first_place,
    liking_of_length,
    p_in_even_places,
)
from tellapart.significance.options import Options
from tellapart.significance.questions import Question
from tellapart.words import listed, several

SCALES: Final = {"bradley_terry": (0.0, 1.0), "elo": (1000.0, 400 / math.log(10))}
"""The mean of all scores, and what a unit of log-odds is worth, by the name of the scale"""
RATE: Final = "win_rate"
_MOST_EXACT: Final = 500
"""Pairs whose outcomes are tested exactly; those of more, by the normal distribution"""
_UNBALANCED: Final = 3.0
"""Standard deviations by which one order may come up more often than the other by chance"""

Compare = Callable[[Options, Counts, Sequence[str | Metric] | None], Comparison]


def compare_preferences(
    compare: Compare,
    options: Options,
    counts: Counts,
    metrics: Sequence[str | Metric] | None,
) -> Comparison:
    """Return the comparison of preferences; `compare` makes that of any item scores."""
    judgments = counts.judgments
    assert judgments is not None
    counts = in_order(counts)
    scale = _wanted_scale(counts, judgments, metrics)
    if scale is None:
        result = compare(options, counts, metrics)
        found = _summary(counts, options)
    else:
        result, found = _on_scale(compare, options, counts, scale)
    found = replace(found, place_or_system=tuple(_place_or_system(result, found, counts, options)))
    notices = _notices(found, counts, options)
    result = replace(result, preferences=found, warnings=(*result.warnings, *notices))
    return replace(result, answers=answers(result))


def _wanted_scale(
    counts: Counts, judgments: Judgments, metrics: Sequence[str | Metric] | None
) -> str | None:
    """Return the scale that all systems are put on; None where rates are compared."""
    named = [each for each in metrics or () if each in SCALES]
    many = len(counts.names) > 2 and judgments.reference is None
    if not named:
        return "bradley_terry" if many and not metrics else None
    if not many:
        raise UsageError(
            f"{named[0]} puts three or more systems that met each other on one scale; these are "
            f"compared by {RATE}"
        )
    if len(metrics or ()) > 1:
        raise UsageError(
            f"{named[0]} is asked for alone: of {RATE}, and of the other scale, ask by themselves"
        )
    return str(named[0])


def _on_scale(
    compare: Compare, options: Options, counts: Counts, scale: str
) -> tuple[Comparison, Preferences]:
    """Return the comparison of scores on one scale, with intervals by resampling prompts."""
    matches, of_units = _matches(counts, options.cluster)
    _refuse_unconnected(matches, counts)
    found = put_on_scale(matches)
    result = compare(replace(options, by=()), _as_items(counts, found, scale, options), [scale])
    summary = _summary(counts, options)
    fit = check_fit(of_units, found, options.seed)
    leads = [
        (each.a, each.b) if each.win_rate > 0.5 else (each.b, each.a)
        for each in summary.head_to_head
        if each.different
    ]
    above = matches.above()
    bounded = options.intervals and not found.separated and of_units.n_units > 1
    intervals = _resampled(of_units, scale, options) if bounded else None
    summary = replace(
        summary,
        scale=scale,
        resamples=None if intervals is None else RESAMPLES,
        fit=fit,
        cycles=tuple(cycles(counts.names, leads)),
    )
    separated = [_always(counts, summary)] if found.separated else []
    result = replace(
        result,
        systems=tuple(_with_interval(s, scale, k, intervals) for k, s in enumerate(result.systems)),
        pairs=tuple(
            _with_outcomes(pair, summary, parted=found.separated and _parted(above, counts, pair))
            for pair in result.pairs
        ),
        warnings=(*result.warnings, *separated),
        slices=tuple(_slices(compare, options, counts, scale)),
    )
    return result, summary


def _matches(counts: Counts, cluster: str | None) -> tuple[Matches, Matches]:
    """Return what was won on each prompt, and the same by what is resampled, such as clusters."""
    assert counts.judgments is not None
    pairs = counts.judgments.of_pairs()
    # By their places among the systems that are compared.
    place = {name: k for k, name in enumerate(counts.names)}
    places = np.array([place.get(name, -1) for name in counts.judgments.names])
    a, b = places[pairs.a], places[pairs.b]
    low, high = np.minimum(a, b), np.maximum(a, b)
    points = np.where(a < b, pairs.points, 1 - pairs.points)
    k = len(counts.names)
    by_prompt = Matches.of(pairs.items, low, high, points, (len(counts.items), k))
    if cluster is None:
        return by_prompt, by_prompt
    if cluster not in counts.labels:
        raise UsageError(
            f"there is no label {cluster!r}; the labels are: {listed([*counts.labels]) or 'none'}"
        )
    number: dict[str, int] = {}
    units = np.array([number.setdefault(text, len(number)) for text in counts.labels[cluster]])
    return by_prompt, Matches.of(units[pairs.items], low, high, points, (len(number), k))


def _refuse_unconnected(matches: Matches, counts: Counts) -> None:
    groups = matches.components()
    if len(groups) > 1:
        named = [listed([counts.names[k] for k in group]) for group in groups]
        raise DataError(
            f"{' | '.join(named[:4])}{' | …' if len(named) > 4 else ''}: systems on different "
            "sides never met, directly or through others, so that no scale holds them all; compare "
            "each side by itself, or judge pairs across"
        )


def _as_items(counts: Counts, found: Scale, scale: str, options: Options) -> Counts:
    """Return what each prompt adds to the scores as item scores, whose means are the scores."""
    middle, unit = SCALES[scale]
    values = middle + unit * found.contributions
    items = Counts.from_columns(
        counts.names,
        counts.items,
        {scale: list(values.T)},
        {name: texts for name, texts in counts.labels.items() if name == options.cluster},
        counts.kind,
        "items",
    )
    own = (mean(scale, scale),)  # which knows its direction: who wins more has the higher score
    return replace(
        items, metrics=own, notices=counts.notices, texts=counts.texts, files=counts.files
    )


def _resampled(matches: Matches, scale: str, options: Options) -> NDArray[np.float64]:
    """Return both ends of each score by resampling, 2 × systems."""
    middle, unit = SCALES[scale]
    return np.asarray(middle + unit * score_intervals(matches, options.alpha, options.seed))


def _with_interval(
    system: SystemResult, scale: str, place: int, intervals: NDArray[np.float64] | None
) -> SystemResult:
    if intervals is None:  # not asked for, or without bound
        return replace(system, intervals={}, interval_methods={})
    low, high = intervals[:, place].tolist()
    return replace(system, intervals={scale: (low, high)}, interval_methods={scale: "refits"})


def _parted(above: NDArray[np.bool_], counts: Counts, pair: PairResult) -> bool:
    """Return whether one of a pair always won, directly or through others."""
    a, b = counts.names.index(pair.a), counts.names.index(pair.b)
    return bool(above[a, b] or above[b, a])


def _with_outcomes(pair: PairResult, summary: Preferences, *, parted: bool) -> PairResult:
    """Return a pair with the prompts that each of the two won when they met."""
    if parted:
        pair = _without_bound(pair)
    met = summary.between(pair.a, pair.b)
    won, tied, lost = (0, 0, 0) if met is None else (met.wins, met.ties, met.losses)
    return replace(pair, units_a_better=won, units_tied=tied, units_b_better=lost)


def _without_bound(pair: PairResult) -> PairResult:
    """Return a pair whose difference has no bound: without an interval, and within no margin.

    What the prompts add to it does not vary as it should where one system always won.
    """
    if pair.interval is not None:
        pair = replace(pair, interval=(None, None), interval_method="none (no bound)")
    if pair.equivalent is None:
        return pair
    return replace(
        pair,
        equivalent=False,
        a_no_worse=False,
        b_no_worse=False,
        p_a_no_worse=None,
        p_b_no_worse=None,
        p_a_no_worse_adjusted=None,
        p_b_no_worse_adjusted=None,
    )


def _slices(compare: Compare, options: Options, counts: Counts, scale: str) -> Iterator[Slice]:
    """Yield the pairs on the prompts of each value of a label, on a scale of their own."""
    for label in options.by:
        if label not in counts.labels:
            known = ", ".join(counts.labels) or "none"
            raise UsageError(f"there is no label {label!r} to compare by; the labels are: {known}")
        values = list(dict.fromkeys(counts.labels[label]))
        alone = replace(options, by=(), correction="none")
        parts = {}
        for value in values:
            part = counts.where({label: {value}})
            matches, _ = _matches(part, None)
            if len(matches.components()) == 1:  # otherwise no scale holds all of them
                items = _as_items(part, put_on_scale(matches), scale, options)
                parts[value] = compare(alone, items, [scale]), len(part.items)
        for k in range(len(next(iter(parts.values()))[0].pairs) if parts else 0):
            pairs = {value: result.pairs[k] for value, (result, _) in parts.items()}
            adjusted = adjust([1.0 if p.p is None else p.p for p in pairs.values()], "holm")
            for (value, pair), p in zip(pairs.items(), adjusted.tolist(), strict=True):
                yield Slice(
                    by=label,
                    value=value,
                    a=pair.a,
                    b=pair.b,
                    metric=scale,
                    units=parts[value][1],
                    difference=pair.difference,
                    interval=pair.interval,
                    p=pair.p,
                    p_adjusted=None if pair.p is None else p,
                    different=pair.p is not None and p <= options.alpha,
                    interval_method=pair.interval_method,
                    interval_for=pair.interval_for,
                    interval_level=pair.interval_level,
                )


# What was judged


def _summary(counts: Counts, options: Options) -> Preferences:
    judgments = counts.judgments
    assert judgments is not None
    return Preferences(
        judgments=len(judgments),
        units=len(counts.items),
        orders=_orders(judgments),
        head_to_head=tuple(_head_to_head(counts, judgments, options)),
        reference=judgments.reference,
        first_place=liking_of_first_place(judgments),
        longer=liking_of_length(judgments),
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
    size = len(names)
    codes, times = np.unique(judgments.first * size + judgments.second, return_counts=True)
    seen = dict(zip(codes.tolist(), times.tolist(), strict=True))
    pairs = sorted({(min(divmod(c, size)), max(divmod(c, size))) for c in seen})
    return {
        (names[a], names[b]): (seen.get(a * size + b, 0), seen.get(b * size + a, 0))
        for a, b in pairs
    }


def _head_to_head(counts: Counts, judgments: Judgments, options: Options) -> Iterator[HeadToHead]:
    """Yield the outcomes of all pairs that met, each tested by itself."""
    pairs = judgments.of_pairs()
    names = [*counts.names, *([judgments.reference] if judgments.reference else [])]
    met = []
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            items, points = pairs.of(judgments.names.index(a), judgments.names.index(b))
            if len(items):
                met.append((a, b, items, points))
    exact = len(met) <= _MOST_EXACT
    raw = [_p_of_exchange(counts, items, points, options, exact) for _, _, items, points in met]
    adjusted = adjust([1.0 if p is None else p for p in raw], "holm").tolist() if met else []
    for (a, b, items, points), p, p_adjusted in zip(met, raw, adjusted, strict=True):
        yield HeadToHead(
            a,
            b,
            len(items),
            int(np.count_nonzero(points > 0.5)),
            int(np.count_nonzero(points == 0.5)),
            int(np.count_nonzero(points < 0.5)),
            float(points.mean()),
            p,
            None if p is None else p_adjusted,
            p is not None and p_adjusted <= options.alpha,
        )


def _p_of_exchange(
    counts: Counts,
    items: NDArray[np.int64],
    points: NDArray[np.float64],
    options: Options,
    exact: bool,
) -> float | None:
    """Return the two-sided p of equal chances, whole clusters exchanged where there are any."""
    cluster = options.cluster
    labels = {} if cluster is None else {cluster: [counts.labels[cluster][i] for i in items]}
    if not exact:
        x = 2 * points - 1
        if cluster is not None:
            codes = np.unique(np.array(labels[cluster]), return_inverse=True)[1]
            x = np.bincount(codes, x).astype(np.float64)
        size = math.sqrt(float((x**2).sum()))
        return math.erfc(abs(float(x.sum())) / size / math.sqrt(2)) if size else 1.0
    pair = Counts.from_arrays(
        {"a": points, "b": np.round(1 - points, 12)},
        items=[counts.items[i] for i in items],
        labels=labels,
    )
    projection = project(pair if cluster is None else pair.by(cluster), None)
    question = Question(projection.metrics[0], 0, 1, "two")
    settings = Settings(Options(seed=options.seed, alpha=options.alpha))
    return run(projection, [question], settings, Execution(WorkerPool(), no_progress))[0].p


# What is remarked


def _notices(found: Preferences, counts: Counts, options: Options) -> Iterator[Notice]:
    judgments = counts.judgments
    assert judgments is not None
    if found.fit is not None and found.fit.p <= options.alpha:
        ring = f": {_ring(found.cycles[0])}" if found.cycles else ""
        yield Notice(
            "one-scale",
            f"One scale does not fit these judgments (p = {found.fit.p:.2g}): how a pair comes out "
            f"cannot be told from two scores{ring}. Look at the pairs that met.",
            tuple(name for cycle in found.cycles for name in cycle),
        )
    elif found.cycles:
        rings = "; ".join(map(_ring, found.cycles[:3]))
        yield Notice("one-scale", f"No scale has room for this: {rings}.", found.cycles[0])
    yield from _places(found, judgments, options)


def _ring(names: Sequence[str]) -> str:
    following = [*names[1:], names[0]]
    return ", ".join(f"{a} beats {b}" for a, b in zip(names, following, strict=True))


def _places(found: Preferences, judgments: Judgments, options: Options) -> Iterator[Notice]:
    """Yield what is to be said of the order in which outputs were shown."""
    if found.orders in ("unknown", "both"):
        return
    shown = _shown_first(judgments)
    always = [pair[0] if not times[1] else pair[1] for pair, times in shown.items() if 0 in times]
    liking = found.first_place
    measured = "" if liking is None or liking.p is None else (
        f" (where both orders are there, the first place won {100 * liking.rate:.0f} %, p = "
        f"{liking.p:.2g})"
    )  # fmt: skip
    if always and len(always) == len(shown):
        which = f"{always[0]} was" if len(shown) == 1 else "of every pair, one system was"
        yield Notice(
            "one-order",
            f"Only one order was judged: {which} always first (or the columns do not tell the "
            "order), and a judge's liking for a place cannot be told from a better system. Judge "
            "both orders.",
            tuple(dict.fromkeys(always)),
        )
        return
    weighed = ""
    if found.place_or_system:
        named = listed([f"{a} - {b}" for a, b in found.place_or_system])
        weighed = f" With both places weighed alike, {named} cannot be told apart."
    uneven = _uneven(shown)
    if uneven:
        a, b = uneven[0]
        one, other = shown[a, b]
        if one < other:
            (a, one), (b, other) = (b, other), (a, one)
        more = f", and so for {several(len(uneven) - 1, 'other pair')}" if len(uneven) > 1 else ""
        yield Notice(
            "orders-unbalanced",
            f"{a} was shown first {one:,} times and {b} {other:,} times{more}: a judge's liking "
            f"for a place does not cancel{measured}.{weighed} Judge both orders.",
            tuple(dict.fromkeys(name for pair in uneven for name in pair)),
        )
    elif liking is not None and liking.p is not None and liking.p <= options.alpha:
        yield Notice(
            "first-place",
            f"The first place won {100 * liking.rate:.0f} %, whoever stood there (p = "
            f"{liking.p:.2g}); not every prompt was judged in both orders, which adds noise."
            f"{weighed} Judge both.",
        )


def _uneven(shown: dict[tuple[str, str], tuple[int, int]]) -> list[tuple[str, str]]:
    """Return the pairs of which one was shown first more often than chance would have it."""
    most = math.sqrt(_UNBALANCED**2 + 2 * math.log(len(shown)))  # of many pairs, one is farther
    return [
        pair
        for pair, (one, other) in shown.items()
        if abs(one - other) > most * math.sqrt(one + other)
    ]


def _place_or_system(
    result: Comparison, found: Preferences, counts: Counts, options: Options
) -> list[tuple[str, str]]:
    """Return the pairs told apart that are not with both places weighed alike.

    Orders that are balanced, and a judge who is not seen to care, leave nothing to ask.
    """
    judgments = counts.judgments
    assert judgments is not None
    if found.orders in ("unknown", "both"):
        return []
    liking = found.first_place
    cares = liking is None or liking.p is None or liking.p <= options.alpha
    if not cares and not _uneven(_shown_first(judgments)):
        return []
    pairs = list(dict.fromkeys((p.a, p.b) for p in result.pairs if p.different))
    if not pairs:
        return []
    units = judgments.items
    if options.cluster is not None:
        texts = np.array(counts.labels[options.cluster])
        units = np.unique(texts, return_inverse=True)[1][units]
    place = judgments.names.index
    alike = p_in_even_places(judgments, units, [(place(a), place(b)) for a, b in pairs])
    adjusted = adjust([1.0 if p is None else p for p in alike], "holm").tolist()
    return [pair for pair, p in zip(pairs, adjusted, strict=True) if p > options.alpha]


def _always(counts: Counts, summary: Preferences) -> Notice:
    """Return the remark on systems that never lost, or never won, or are parted otherwise."""
    wins = dict.fromkeys(counts.names, 0.0)
    games = dict.fromkeys(counts.names, 0)
    for each in summary.head_to_head:
        wins[each.a] += each.win_rate * each.units
        wins[each.b] += (1 - each.win_rate) * each.units
        for name in (each.a, each.b):
            games[name] += each.units
    winners = [name for name in counts.names if wins[name] >= games[name] - 1e-9]
    losers = [name for name in counts.names if wins[name] <= 1e-9]
    said = [f"{listed(winners)} won always"] if winners else []
    said += [f"{listed(losers)} lost always"] if losers else []
    what = " and ".join(said) or "Some systems won always against some others"
    return Notice(
        "always-won",
        f"{what}: how far that puts them apart has no bound. To keep scores finite, one tie was "
        "added to every pair that met; read these scores as at least so far apart.",
        (*winners, *losers),
    )
