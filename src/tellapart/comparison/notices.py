"""The notices of a comparison: what users are warned of, a stable code and a sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

import numpy as np

from tellapart.comparison.item_notices import notices_of_items
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.run_notices import all_used_up, notices_of_runs
from tellapart.errors import Notice
from tellapart.metrics import Function
from tellapart.metrics.projection import (
    BoundFunction,
    BoundRatio,
    Projection,
    direction_told_by,
)
from tellapart.significance.corrections import least_shuffles, too_few_shuffles
from tellapart.significance.diagnostics import undefined_chance
from tellapart.significance.options import Options
from tellapart.significance.registry import INDEPENDENT
from tellapart.significance.varying_runs import AskedOfRuns
from tellapart.words import p_text, plural, several, typed

UNEQUAL = 1.75
"""Standard errors of two pairs that are so many times as large as each other do not vary alike"""
RARE = 1e-6
CARRIERS = 5  # that many or fewer carrying half of a difference are worth a look


def find_notices(
    projection: Projection,
    pairs: Sequence[PairResult],
    options: Options,
    capped: Sequence[str],
    family_size: int,
    runs: AskedOfRuns | None = None,
) -> tuple[Notice, ...]:
    """Return every warning of a comparison; pairs are named as reports show them."""
    higher = {bound.metric.name: bound.metric.higher_is_better for bound in projection.metrics}
    pairs = [pair.better_first(higher_is_better=higher[pair.metric]) for pair in pairs]
    found = [
        *(
            notice
            for notice in projection.counts.notices
            if notice.code != "repeats" or not all_used_up(projection)
        ),
        *notices_of_runs(projection, pairs, options, runs),
        *_about_directions(projection),
        *notices_of_items(projection, pairs, options),
        *_about_systems(projection, pairs),
        *_about_p(pairs, options, family_size),
        *_about_test(projection, pairs, options),
        *_about_difference(projection, pairs),
        *_about_margin(projection, pairs, options),
        *_about_capped(capped),
    ]
    return tuple(found)


def _about_capped(capped: Sequence[str]) -> Iterator[Notice]:
    if capped:
        text = (
            f"Too many groups for {', '.join(capped)}: letters are those of stretches of the "
            "ranking within which no two systems are shown to differ; ranks say more."
        )
        yield Notice("groups-capped", text, tuple(capped))


def board_notice(pairs: int, shown: int, intervals: bool) -> Notice:
    """Return what most of so many pairs lack."""
    what = "intervals and diagnostics" if intervals else "diagnostics"
    text = (
        f"Of {pairs:,} pairs, {shown:,} have {what}: those of the best system and of neighbours in "
        "rank. The p-values of all are in the record (--json) and in --format tsv."
    )
    return Notice("many-systems", text)


def _names(pairs: Sequence[PairResult]) -> tuple[str, ...]:
    return tuple(f"{pair.a} - {pair.b}, {pair.metric}" for pair in pairs)


def _some(pairs: Sequence[PairResult], remark: Callable[[PairResult], str] = lambda _: "") -> str:
    """Return the names of the first pairs, a remark on each, and how many more there are."""
    named = zip(_names(pairs[:3]), pairs, strict=False)
    shown = "; ".join(f"{name}{remark(pair)}" for name, pair in named)
    return shown if len(pairs) <= 3 else f"{shown}; and {len(pairs) - 3} more"


def _about_systems(projection: Projection, pairs: Sequence[PairResult]) -> Iterator[Notice]:
    kind = projection.counts.cluster or projection.counts.kind
    same: dict[tuple[str, str], list[bool]] = {}
    for pair in pairs:
        same.setdefault((pair.a, pair.b), []).append(pair.discordant == 0)
    for (a, b), equal in same.items():
        if all(equal):
            text = f"{a} and {b} have the same score on every {kind}; p is 1."
            yield Notice("identical", text, (a, b))
    names = projection.counts.names
    for bound in projection.metrics:
        if isinstance(bound, BoundFunction) and isinstance(bound.metric, Function):
            lost = [name for k, name in enumerate(names) if not _finite(projection, bound, k)]
            if lost:
                text = (
                    f"{bound.metric.name} of {', '.join(lost)} is not a finite number and counts "
                    f"as {bound.metric.undefined:g}."
                )
                yield Notice("undefined", text, tuple(lost))
        if isinstance(bound, BoundRatio):
            lacking = [
                names[k] for k, t in enumerate(projection.totals[bound.denominator]) if t == 0
            ]
            if lacking:
                text = (
                    f"{bound.metric.name} of {', '.join(lacking)} has nothing to divide by and "
                    f"counts as {float(bound.metric.undefined):g}."
                )
                yield Notice("undefined", text, tuple(lacking))


def _finite(projection: Projection, bound: BoundFunction, system: int) -> bool:
    sums = projection.totals[list(bound.forms), system] / bound.scales
    with np.errstate(all="ignore"):
        return bool(np.isfinite(bound.metric.function(sums)))


def _about_p(pairs: Sequence[PairResult], options: Options, family_size: int) -> Iterator[Notice]:
    unreachable = [
        pair for pair in pairs if pair.discordant > 0 and _smallest(pair) > options.alpha
    ]
    if unreachable:
        text = (
            f"No outcome could be significant at {options.alpha:g} where so few items differ: "
            f"{_some(unreachable)}."
        )
        yield Notice("cannot-reach", text, _names(unreachable))
    floor = [p for p in pairs if p.shuffles and p.exceedances == 0 and p.method != "sequential"]
    if floor:
        drawn = floor[0].shuffles or 0
        text = f"p cannot be smaller than {1 / (drawn + 1):.2g} with {drawn:,} shuffles."
        yield Notice("floor", text, _names(floor))
    if options.correction == "none" and family_size > 3:
        yield Notice("many-pairs", f"{family_size} pairs were tested without correction.")
    drawn = next((pair.shuffles for pair in pairs if pair.method == "shuffles"), None) or 0
    strict = ("bonferroni", "sidak", "holm", "holm-sidak", "hochberg")
    if (
        options.correction in strict
        and drawn
        and too_few_shuffles(drawn, family_size, options.alpha)
    ):
        needed = least_shuffles(family_size, options.alpha)
        text = (
            f"With {family_size} pairs and {options.correction}, nothing can be significant below "
            f"{needed:,} shuffles: use --shuffles {needed} or more."
        )
        yield Notice("few-shuffles", text)
    unsettled = [pair for pair in pairs if pair.settled is False]
    for some, told in (
        (
            [pair for pair in unsettled if pair.shuffles],
            "More shuffles are needed to settle on which side of the level p is",
        ),
        (
            [pair for pair in unsettled if not pair.shuffles],
            "The exact p is too near to the level to tell on which side it is; the larger one of "
            "its bounds decides",
        ),
    ):
        if some:
            yield Notice("unsettled", f"{told}: {_some(some, _where_p_is)}.", _names(some))


def _where_p_is(pair: PairResult) -> str:
    if pair.p_interval is not None:
        low, high = pair.p_interval
    elif pair.p is not None:  # in digits that tell the bounds, and the level, apart
        return f" (exact p between {pair.p - pair.error_bound:.6g} and {pair.p:.6g})"
    else:
        return ""
    return f" (exact p between {p_text(low)} and {p_text(high)})" if low else ""


def _smallest(pair: PairResult) -> float:
    return 0.0 if pair.smallest_p is None else pair.smallest_p


def _about_test(
    projection: Projection, pairs: Sequence[PairResult], options: Options
) -> Iterator[Notice]:
    if options.test in INDEPENDENT and projection.counts.present is None:
        factors = [f for pair in pairs if (f := pair.diagnostics.inflation) is not None]
        factor = f" by a factor of up to {max(factors):.2f}" if factors else ""
        text = (
            f"The {options.test} test ignores that the systems saw the same items, which misstates "
            f"the spread of the difference{factor}: use --test auto."
        )
        yield Notice("independent-test", text)
    if options.test == "bootstrap-abs":
        text = (
            "This rule folds differences before shifting them and behaves like a one-sided test: "
            "its p is about half of what it should be."
        )
        yield Notice("folded-bootstrap", text)
    undefined = [pair for pair in pairs if pair.p is None]
    if undefined:
        text = f"The test is undefined for {_some(undefined)}: {undefined[0].note}."
        yield Notice("undefined-test", text, _names(undefined))
    if options.correction in ("maxt", "maxt-single", "minp"):
        text = (
            "The joint null is exact where the differences on an item are symmetric, and "
            "approximate otherwise."
        )
        yield Notice("joint-null", text)
    if options.correction == "tukey":
        yield Notice("complete-null", "The randomized Tukey test supposes that no system differs.")
        yield from _about_spreads(pairs)


def _about_directions(projection: Projection) -> Iterator[Notice]:
    """Yield the values of which nothing tells whether more or less is better."""
    metrics = [bound.metric for bound in projection.metrics]
    names = [
        metric.name
        for metric in metrics
        if metric.higher_is_better and direction_told_by(metric, projection.counts) == "assumed"
    ]
    if names:
        text = (
            f"The name does not tell which way is better, and higher was taken to be: "
            f"{', '.join(names)}; --lower-is-better {typed(names[0])} reverses that."
        )
        yield Notice("direction", text, tuple(names))


def _about_margin(
    projection: Projection, pairs: Sequence[PairResult], options: Options
) -> Iterator[Notice]:
    """Yield where an interval is wide since an item that loses all may not have been seen."""
    if options.margin is None:
        return
    names, kind = projection.counts.names, projection.counts.cluster or projection.counts.kind
    baseline = options.baseline or (names[0] if len(names) == 2 else None)
    wide = [
        pair for pair in pairs if _margin_open(pair, baseline, options.margin) and _much_wider(pair)
    ]
    if wide:
        text = (
            f"With so few {plural(kind)}, one that loses everything could still be missing from "
            f"them; the margin needs more {plural(kind)}: {_some(wide)}."
        )
        yield Notice("margin-needs-more", text, _names(wide))


def _margin_open(pair: PairResult, baseline: str | None, margin: float) -> bool:
    """Return whether what is asked of a margin is neither shown nor shown to be wrong."""
    low, high = pair.interval or (None, None)
    if low is None or high is None or high < -margin or low > margin:
        return False
    if baseline is None:
        return not pair.equivalent
    return not (pair.b_no_worse if pair.a == baseline else pair.a_no_worse)


def _much_wider(pair: PairResult) -> bool:
    """Return whether a margin's interval is over twice as wide as the standard error makes one."""
    error, level = pair.diagnostics.standard_error, pair.interval_level
    low, high = pair.interval or (None, None)
    if pair.interval_method != "bounded score" or error is None or level is None:
        return False
    plain = 2 * NormalDist().inv_cdf((1 + level) / 2) * error
    return low is not None and high is not None and high - low > 2 * plain


def _about_spreads(pairs: Sequence[PairResult]) -> Iterator[Notice]:
    """Yield by which metrics systems vary too unequally for Tukey's test."""
    found = {}
    for metric in dict.fromkeys(pair.metric for pair in pairs):
        own = [pair.diagnostics.standard_error for pair in pairs if pair.metric == metric]
        times = unequal_spreads(own)
        if times is not None:
            found[metric] = times
    if found:
        named = ", ".join(f"{times:.1f} times by {metric}" for metric, times in found.items())
        text = (
            "The randomized Tukey test also supposes that all differences vary alike; the noisiest "
            f"pair varies more than the quietest one, {named}, so that too much is called "
            "different: use --correction maxt."
        )
        yield Notice("unequal-spreads", text, tuple(found))


def unequal_spreads(errors: Sequence[float | None]) -> float | None:
    """Return how many times the largest standard error is the smallest, if that is too unequal.

    >>> unequal_spreads([0.02, 0.05, 0.03])
    2.5
    >>> unequal_spreads([0.02, 0.03, None, 0.0])
    """
    known = [error for error in errors if error]
    times = max(known) / min(known) if known else 1.0
    return round(times, 3) if times > UNEQUAL else None


def _about_difference(projection: Projection, pairs: Sequence[PairResult]) -> Iterator[Notice]:
    kind = projection.counts.cluster or projection.counts.kind
    carried = [
        pair
        for pair in pairs
        if pair.different and _half(pair) <= CARRIERS and 8 * _half(pair) <= pair.discordant
    ]
    if len(carried) > 3:
        text = (
            f"{CARRIERS} {plural(kind)} or fewer make up half of the difference (tellapart diff "
            f"shows them): {_some(carried)}."
        )
        yield Notice("outlier", text, _names(carried))
    else:
        for pair in carried:
            half = _half(pair)
            text = (
                f"{several(half, kind)} {'makes' if half == 1 else 'make'} up half of the "
                f"difference of {pair.a} and {pair.b} by {pair.metric}: see them with tellapart "
                "diff."
            )
            yield Notice("outlier", text, (pair.a, pair.b))
    for pair in pairs:
        influence = pair.diagnostics.influence
        if influence is not None and influence.decision_changes:
            text = (
                f"Without {kind} {influence.item} alone, the answer on {pair.a} and {pair.b} by "
                f"{pair.metric} would change: look at it."
            )
            yield Notice("influence", text, (pair.a, pair.b))
    yield from _undefined_exchanges(projection, pairs)


def _half(pair: PairResult) -> int:
    """Return how few items make up half of a difference."""
    half = pair.diagnostics.half_items
    return pair.discordant if half is None else half


def _undefined_exchanges(projection: Projection, pairs: Sequence[PairResult]) -> Iterator[Notice]:
    names = projection.counts.names
    bounds = {bound.metric.name: bound for bound in projection.metrics}
    found = []
    for pair in pairs:
        place = names.index(pair.a), names.index(pair.b)
        chance = undefined_chance(projection, bounds[pair.metric], *place)
        if chance > RARE and pair.discordant:
            found.append((chance, pair))
    if found:
        worst = max(chance for chance, _ in found)
        touched = [pair for _, pair in found]
        text = (
            f"Up to {worst:.2g} of the exchanges leave a score undefined, which then counts as its "
            f"metric declares: {_some(touched)}."
        )
        yield Notice("undefined-shuffles", text, _names(touched))
