"""A judge's scores of all items, and people's of some beside them: `Counts.people`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tellapart.counts.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, nearest, plural, several

_SHOWN = 5  # items in a message


def with_people(judge: Counts, people: Mapping[str, Any]) -> Counts:
    """Return a judge's scores with those of people, an array per system; NaN or None: not seen."""
    unseen = [None] * len(judge.items)
    try:
        scores = np.array([people.get(name, unseen) for name in judge.names], np.float64)
    except (TypeError, ValueError):
        scores = np.empty(0)
    sound = scores.shape == judge.values.shape[:2] and not np.isinf(scores).any()
    if not sound or not set(people) <= set(judge.names):
        raise DataError(
            "people's scores go by the judge's systems: a number for each item, None where nobody "
            "looked"
        )
    return replace(judge, people=scores)


def join_people(judge: Counts, human: Counts, metric: str | None = None) -> Counts:
    """Return the judge's scores of all items with people's of some, from two readings.

    Systems and items are matched by name. `metric` names the judge's value where there are several.
    The human counts are read with ``missing="own"``, so that they know which items of which system
    people saw.

    >>> judge = Counts.from_arrays({"A": [1, 0, 1]}, items=["q1", "q2", "q3"])
    >>> people = Counts.from_arrays({"A": [0, 1]}, items=["q3", "q1"])
    >>> join_people(judge, people).people.tolist()
    [[1.0, nan, 0.0]]
    """
    flips = list(_flips(judge, metric or judge.columns[0]))
    judge = _of_value(judge, metric, "the judge")
    human = _of_value(human, None, "people")
    if len(judge.names) == len(human.names) == 1:  # whatever their files are called
        human = replace(human, names=judge.names)
    missing = [name for name in judge.names if name not in human.names]
    if missing:
        raise DataError(
            f"people scored {listed(human.names)}, not {listed(missing)}: use the same names"
        )
    place = {item: k for k, item in enumerate(judge.items)}
    unknown = [item for item in human.items if item not in place]
    if len(unknown) == len(human.items):
        theirs, its = listed(human.items, _SHOWN), listed(judge.items, _SHOWN)
        raise DataError(f"no {judge.kind} in common: people scored {theirs}, the judge {its}")
    human = human.systems[judge.names].keep(
        np.array([k for k, item in enumerate(human.items) if item in place])
    )
    seen = human.values[:, :, 0] / float(human.scales[0])
    people = np.full(judge.values.shape[:2], np.nan)
    at = [place[item] for item in human.items]
    people[:, at] = seen if human.present is None else np.where(human.present, seen, np.nan)
    labels = {}
    for label, values in human.labels.items():  # items that nobody looked at have none
        known = dict(zip(human.items, values, strict=True))
        labels[label] = tuple(known.get(item, "") for item in judge.items)
    return replace(
        judge,
        people=people,
        people_name=human.columns[0],
        labels={**labels, **judge.labels},
        notices=(*judge.notices, *human.notices, *_left_out(judge, unknown), *flips),
        files=tuple(dict.fromkeys((*judge.files, *human.files))),
        suite=None,
    )


def _of_value(counts: Counts, name: str | None, who: str) -> Counts:
    """Return the one value of a judge or of people, runs averaged."""
    if counts.form != "items":
        raise UsageError(f"{who} must give one score for each {counts.kind}, and these are counts")
    if name is None and len(counts.columns) > 1:
        raise UsageError(
            f"the scores of {who} are {listed(counts.columns)}; name one, with --metric or --human"
        )
    if name is not None and name not in counts.columns:
        raise UsageError(f"there is no value {name!r}; {nearest(name, counts.columns)}")
    return replace(counts, runs=(), cells=(), run_order=()).of_columns([name or counts.columns[0]])


def _flips(judge: Counts, name: str) -> Iterator[Notice]:
    """Yield by system the items to which the judge gave another score in another run."""
    if name not in judge.columns:
        return
    for system, runs in zip(judge.names, judge.runs, strict=False):
        scores = runs[:, :, judge.columns.index(name)]  # runs × items, NaN where a run lacks one
        apart = (np.fmax.reduce(scores) != np.fmin.reduce(scores)) & ~np.isnan(scores).all(axis=0)
        flipped = tuple(judge.items[k] for k in np.flatnonzero(apart).tolist())
        if flipped:
            text = f"The runs of {name} differ on {several(len(flipped), judge.kind)} of {system}: "
            yield Notice("judge-flips", f"{text}{listed(flipped, _SHOWN)}.", flipped)


def _left_out(judge: Counts, unknown: Sequence[str]) -> Iterator[Notice]:
    """Yield the items that only people scored, and that tasks of a suite do not count here."""
    if unknown:
        items = several(len(unknown), judge.kind)
        text = f"People scored {items} that the judge did not: {listed(unknown, _SHOWN)}; left out."
        yield Notice("not-judged", text, tuple(unknown))
    if judge.suite is not None and judge.suite.weights(judge.sizes) is not None:
        text = f"All {plural(judge.kind)} count the same here, whatever their task."
        yield Notice("items-alike", text)
