"""A sequential evaluation as text: a line while it goes on, the answer, and the record."""

from __future__ import annotations

import importlib.metadata

from tellapart.comparison.arrivals import Arrivals
from tellapart.report.numbers import range_words, signed, size
from tellapart.report.terminal_text import filled
from tellapart.significance.anytime import Look, Sequential
from tellapart.words import json_text, listed, p_text, plural, several

NOTHING = "Not settled: no item has come yet.\n"


def progress_line(arrivals: Arrivals) -> str:
    """Return what is known by now, in a line."""
    evaluation, look = arrivals.sequential, arrivals.look()
    if evaluation is None or look.difference is None or look.interval is None:
        return NOTHING
    ahead = "even" if look.leader is None else f"{look.leader} ahead"
    return (
        f"{several(look.items, arrivals.kind)}: {ahead}, difference {signed(look.difference)}, "
        f"{_level(evaluation)} {range_words(look.interval)}, "
        f"p = {p_text(look.p, evaluation.alpha)}\n"
    )


def render_watch(arrivals: Arrivals) -> str:
    """Return the answer and how it was found, 80 columns wide."""
    evaluation, look = arrivals.sequential, arrivals.look()
    if evaluation is None or look.difference is None or look.interval is None:
        return NOTHING
    finding = _finding(arrivals, evaluation, look, look.difference, look.interval)
    parts = [_headline(arrivals, evaluation, look), filled(finding), ""]
    return "\n".join([*parts, filled(_method(arrivals, evaluation), "  ")]) + "\n"


def _level(evaluation: Sequential) -> str:
    return f"{100 * (1 - 2 * evaluation.error):g} %"


def _headline(arrivals: Arrivals, evaluation: Sequential, look: Look) -> str:
    first, second = evaluation.names
    after = f"settled after {several(look.settled_at or 0, arrivals.kind)}"
    if evaluation.margin is not None:
        question, within = f"Is {second} as good as {first}?", f"within {evaluation.margin:g}"
        if look.no_worse is None:
            return filled(f"{question}  Not settled whether {within}.")
        return filled(f"{question}  {'Yes,' if look.no_worse else 'No, not'} {within}: {after}.")
    one = look.better or look.leader
    if one is None:
        return filled(f"Is one of {first} and {second} better?  Not settled.")
    question = f"Is {one} really better than {second if one == first else first}?"
    return filled(f"{question}  {'Not settled' if look.better is None else f'Yes: {after}'}.")


def _finding(
    arrivals: Arrivals,
    evaluation: Sequential,
    look: Look,
    difference: float,
    interval: tuple[float, float],
) -> str:
    first, second = evaluation.names
    one, against = look.better or look.leader or first, ""
    if evaluation.margin is not None:
        one, against = second, f"against a loss of {evaluation.margin:g} or more, "
    sign = 1 if one == first else -1
    low, high = sorted(sign * end for end in interval)
    scores = f"{one} scores {size(difference)} {'higher' if sign * difference > 0 else 'lower'}"
    if look.leader is None:
        scores = "both score the same"
    sentence = (
        f"After {several(look.items, arrivals.kind)} {scores} by {arrivals.metric} "
        f"({_level(evaluation)} interval {range_words((low, high))}, at all looks together); "
        f"{against}p = {p_text(look.p, evaluation.alpha)}, however often one looks."
    )
    if arrivals.waiting:
        sentence += f" {several(arrivals.waiting, 'further item')} could not count yet."
    return sentence


def _method(arrivals: Arrivals, evaluation: Sequential) -> str:
    low, high = evaluation.bounds
    margin = evaluation.margin
    sides = "two-sided" if margin is None else f"margin {margin:g}, each side"
    order = f"{plural(arrivals.kind)} in the order in which they came"
    each = "" if arrivals.watched.cluster is None else f"; each {arrivals.kind} counts once"
    others = listed(arrivals.other_metrics, 6)
    more = f" --metric names another: {others}." if others else ""
    if arrivals.tasks:
        more = f" {_tasks_words(arrivals)}{more}"
    return (
        f"Sequential test of paired differences by betting, evenly over all stakes, {sides} at "
        f"alpha {evaluation.alpha:g}; scores between {low:g} and {high:g}; {order}, which must "
        f"not depend on the outcomes{each}.{more}"
    )


def _tasks_words(arrivals: Arrivals) -> str:
    """Return of which tasks the answer is, if items of several count."""
    shown = tuple(arrivals.shown_by)
    if arrivals.settled and 0 < len(shown) < len(arrivals.tasks):
        others = [task for task in arrivals.tasks if task not in shown]
        return (
            f"It was settled by items of {listed(shown, 4)} alone, and is not known for all tasks: "
            f"{listed(others, 4)} came later; mix the items of tasks, or watch one."
        )
    return f"All items of {listed(arrivals.tasks, 4)} count the same; mix those of the tasks."


def watch_json(arrivals: Arrivals) -> str:
    """Return the record of a sequential evaluation as JSON."""
    evaluation, look = arrivals.sequential, arrivals.look()
    names = (None, None) if evaluation is None else evaluation.names
    record = {
        "tellapart": importlib.metadata.version("tellapart"),
        "a": names[0],
        "b": names[1],
        "metric": arrivals.metric or None,
        "higher_is_better": None if evaluation is None else evaluation.higher_is_better,
        "units": {"count": look.items, "kind": arrivals.kind, "waiting": arrivals.waiting},
        "difference": look.difference,
        "interval": look.interval,
        "interval_level": None if evaluation is None else 1 - 2 * evaluation.error,
        "p": look.p,
        "leader": look.leader,
        "settled": look.settled,
        "settled_at": look.settled_at,
        "better": look.better,
        "b_no_worse": look.no_worse,
        "alpha": arrivals.watched.alpha,
        "margin": arrivals.watched.margin,
        "bounds": None if evaluation is None else evaluation.bounds,
        "cluster": arrivals.watched.cluster,
    }
    return json_text(record)
