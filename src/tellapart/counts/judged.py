"""A judge's scores of all items, and people's of some beside them: `Counts.people`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, nearest, plural, several

Floats = NDArray[np.float64]
_SHOWN = 5  # items in a message


def with_people(judge: Counts, people: Mapping[str, Any]) -> Counts:
    """Return a judge's scores with those of people, an array per system; NaN or None: not seen."""
    scores = np.full((len(judge.names), len(judge.items)), np.nan)
    for name, values in people.items():
        if name not in judge.names:
            raise DataError(
                f"people scored the system {name!r}, which the judge did not; "
                f"{nearest(name, judge.names)}"
            )
        scores[judge.names.index(name)] = _with_gaps(name, values, len(judge.items))
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
            f"people scored nothing of {listed(missing)}: their scores are of "
            f"{listed(human.names)}; give the systems the same names"
        )
    place = {item: k for k, item in enumerate(judge.items)}
    unknown = [item for item in human.items if item not in place]
    if len(unknown) == len(human.items):
        raise DataError(
            f"people and the judge scored no {judge.kind} in common: people "
            f"{listed(human.items, _SHOWN)}, the judge {listed(judge.items, _SHOWN)}; check the ids"
        )
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
        notices=(
            *judge.notices,
            *human.notices,
            *_unjudged(unknown, judge.kind),
            *_alike(judge),
            *flips,
        ),
        files=tuple(dict.fromkeys((*judge.files, *human.files))),
        suite=None,
    )


def _of_value(counts: Counts, name: str | None, who: str) -> Counts:
    """Return the one value of a judge or of people, runs averaged."""
    if counts.form != "items":
        raise UsageError(
            f"the scores of {who} must be ready values, one per {counts.kind}, and these are counts"
        )
    if name is None and len(counts.columns) > 1:
        raise UsageError(
            f"the scores of {who} are {listed(counts.columns)}; name the judge's with --metric, "
            "people's with --human"
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


def _with_gaps(name: str, values: Any, n_items: int) -> Floats:
    try:
        given = np.asarray([np.nan if v is None else float(v) for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"people's scores of {name!r} are not all numbers or None") from None
    if given.shape != (n_items,):
        raise DataError(
            f"there are {given.size} human scores of {name!r} for {n_items} items; give one per "
            "item, None where nobody looked"
        )
    if np.isinf(given).any():
        raise DataError(f"people's scores of {name!r} are not all finite")
    return given


def _alike(judge: Counts) -> list[Notice]:
    """Return a remark where tasks of different sizes would count the same elsewhere."""
    if judge.suite is None or judge.suite.weights(judge.sizes) is None:
        return []
    text = f"All {plural(judge.kind)} count the same here, whatever their task."
    return [Notice("items-alike", text)]


def _unjudged(items: Sequence[str], kind: str) -> list[Notice]:
    if not items:
        return []
    text = (
        f"People scored {several(len(items), kind)} that the judge did not: "
        f"{listed(items, _SHOWN)}; left out."
    )
    return [Notice("not-judged", text, tuple(items))]
