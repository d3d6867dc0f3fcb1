"""A sequential evaluation as text: a line while it goes on, the answer, and the record."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict

from tellapart.comparison.watch import Arrivals
from tellapart.report.text import filled, joined, range_words, size
from tellapart.stats.sequential import Sequential
from tellapart.words import json_text, p_text, plural, several

NOTHING = "Not settled: no item has come yet.\n"


def progress_line(arrivals: Arrivals) -> str:
    """Return what is known by now, in a line."""
    evaluation, look = arrivals.sequential, arrivals.look()
    if evaluation is None or look.interval is None or look.difference is None:
        return NOTHING
    ahead = "even" if look.leader is None else f"{look.leader} ahead by {size(look.difference)}"
    sign = -1 if look.difference < 0 else 1  # so that the interval is of the lead
    interval = f"{_level(evaluation)} {_interval(look.interval, sign)}"
    p = p_text(look.p, arrivals.alpha)
    return f"{several(look.items, arrivals.kind)}: {ahead}, {interval}, p = {p}\n"


def render_watch(arrivals: Arrivals) -> str:
    """Return the answer and how it was found, 80 columns wide."""
    evaluation, look = arrivals.sequential, arrivals.look()
    if evaluation is None or look.interval is None or look.difference is None:
        return NOTHING
    first, second = evaluation.names
    if evaluation.margin is None:
        one, against = look.better or look.leader or first, ""
        asked = f"Is {one} really better than {second if one == first else first}?"
        told = "Not settled" if look.better is None else "Yes"
    else:
        one, within = second, f"within {evaluation.margin:g}"
        against = f"against a loss of {evaluation.margin:g} or more, "
        asked = f"Is {second} as good as {first}?"
        told = f"Yes, {within}" if look.no_worse else f"No, not {within}"
        told = told if look.settled else f"Not settled whether {within}"
    told += ", for these runs only" * (arrivals.these_runs and look.settled)
    after = f": settled after {several(look.settled_at or 0, arrivals.kind)}" * look.settled
    sign = 1 if one == first else -1
    way = "higher" if sign * look.difference > 0 else "lower"
    scores = f"{one} scores {size(look.difference)} {way}" if look.leader else "both score the same"
    waiting = f" {several(arrivals.waiting, 'further item')} could not count yet."
    finding = (
        f"After {several(look.items, arrivals.kind)} {scores} by {arrivals.metric} "
        f"({_level(evaluation)} interval {_interval(look.interval, sign)}); {against}p = "
        f"{p_text(look.p, evaluation.alpha)}: both hold however often you look."
        f"{waiting if arrivals.waiting else ''}"
    )
    answer, method = filled(f"{asked}  {told}{after}."), filled(_method(arrivals, evaluation), "  ")
    return joined([f"{answer}\n{filled(finding)}", method])


def _interval(ends: tuple[float, float], sign: int) -> str:
    """Return the interval of a difference, or of its opposite, in words."""
    low, high = sorted(sign * end for end in ends)
    return range_words((low, high))


def _level(evaluation: Sequential) -> str:
    return f"{100 * (1 - 2 * evaluation.error):g} %"


def _method(arrivals: Arrivals, evaluation: Sequential) -> str:
    low, high = evaluation.bounds
    margin = evaluation.margin
    sides = "two-sided" if margin is None else f"margin {margin:g}, each side"
    together = f"; those of a {arrivals.kind} together, at most {evaluation.cluster_size}"
    together *= arrivals.cluster is not None
    fixed = "; runs taken as they are" * arrivals.these_runs
    return (
        f"Sequential test of paired differences by betting, {sides} at alpha "
        f"{evaluation.alpha:g}; scores between {low:g} and {high:g}; {plural(arrivals.kind)} in "
        f"an order that must not depend on outcomes{together}{fixed}."
    )


def watch_json(arrivals: Arrivals) -> str:
    """Return the record of a sequential evaluation as JSON."""
    evaluation, look = arrivals.sequential, asdict(arrivals.look())
    a, b = (None, None) if evaluation is None else evaluation.names
    record = {
        "tellapart": importlib.metadata.version("tellapart"),
        "a": a,
        "b": b,
        "metric": None if evaluation is None else arrivals.metric,
        "higher_is_better": None if evaluation is None else evaluation.higher_is_better,
        "items": {"count": look.pop("items"), "kind": arrivals.kind, "waiting": arrivals.waiting},
        "b_no_worse": look.pop("no_worse"),
        **look,
        "interval_level": None if evaluation is None else 1 - 2 * evaluation.error,
        "alpha": arrivals.alpha,
        "margin": arrivals.margin,
        "bounds": None if evaluation is None else evaluation.bounds,
        "cluster": arrivals.cluster,
        "conditions": ["these-runs"] if arrivals.these_runs else [],
    }
    return json_text(record)
