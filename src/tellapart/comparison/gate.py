"""The accepted run that a folder keeps, and what changed since then.

The folder holds one file, small enough to be committed: the scores of the accepted run, item by
item. It holds no texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.fixed_point import Grid, mean_of_runs
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.stats.result import Flags, Floats
from tellapart.words import json_text, listed, several

FILE: Final = "baseline.json"
_KEPT: Final = ("names", "kind", "form", "lower", "columns", "scales", "exact", "items")
_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Baseline:
    """An accepted run: its scores, and when it was accepted."""

    counts: Counts
    """Of one system"""
    accepted: date

    def to_json(self) -> str:
        """Return what the folder's file holds."""
        counts = self.counts
        runs = counts.runs[0] if counts.runs else np.empty(0)
        if np.isnan(runs).any():
            raise UsageError("a run lacks items that others have; a baseline needs all of them")
        record = {
            "baseline": 1,
            "accepted": self.accepted.isoformat(),
            **{name: getattr(counts, name) for name in _KEPT},
            "values": counts.values[0].tolist(),
            "scored": [] if counts.scored is None else counts.scored[0].astype(int).tolist(),
            "runs": runs.tolist(),
        }
        return json_text(record, indent=None)


def accepted(counts: Counts, today: date) -> Baseline:
    """Return a run as the baseline of those to come."""
    _refuse_more(counts)
    if counts.cluster is not None:
        raise UsageError("a baseline is kept item by item; cluster where it is compared")
    return Baseline(counts, today)


def read_baseline(folder: str) -> Baseline | None:
    """Return the accepted run that a folder holds; None if there is none yet."""
    path = Path(folder, FILE)
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        known: dict[str, Any] = {
            name: tuple(kept) if isinstance(kept := record[name], list) else kept for name in _KEPT
        }
        shape = len(known["items"]), len(known["columns"])
        runs, scored = np.array(record["runs"], np.float64), np.array([record["scored"]], np.bool_)
        counts = Counts(
            **known,
            values=np.array(record["values"], np.int64).reshape(1, *shape),
            sizes=np.ones(shape[0], np.int64),
            runs=(runs,) if runs.size else (),
            scored=scored if scored.size else None,
        )
        day = date.fromisoformat(record["accepted"])
        return Baseline(counts, day)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
        raise DataError(
            f"{shown(str(path))}: no baseline that --accept wrote ({problem}); use another folder"
        ) from None


Settle: TypeAlias = Callable[
    [Flags, Sequence[str], Sequence[str], str], tuple[NDArray[np.intp], list[Notice]]
]
"""Takes which system has which items, systems, items and what these are called; returns the items
to compare and what was done, or raises the error that says what is missing"""


def against(baseline: Baseline, run: Counts, settle: Settle | None) -> Counts:
    """Return the baseline and a run as two systems, with the items that `settle` keeps.

    An item that one lacks is 0; without `settle`, it is open. Notices say what has changed since
    the baseline was accepted.
    """
    _refuse_more(run)
    old = baseline.counts
    columns = [name for name in run.columns if name in old.columns]
    if not columns:
        raise DataError(
            f"the baseline has {listed(old.columns)}, the new run {listed(run.columns)}: accept a "
            "run with these"
        )
    names = (old.names[0] if old.names != run.names else "baseline", run.names[0])
    items = tuple(dict.fromkeys((*run.items, *old.items)))
    there = np.array([[item in own for item in items] for own in map(set, (old.items, run.items))])
    if not there.all(axis=0).any():
        raise DataError(
            f"the new run has no {run.kind} of the baseline ({listed(old.items, _SHOWN)})"
        )
    notices, present = list(_changes(baseline, run)), None
    if not there.all() and settle is None:
        present = there
    elif not there.all() and settle is not None:
        kept, done = settle(there, names, items, run.kind)
        items, notices = tuple(items[k] for k in kept.tolist()), [*notices, *done]
    if run.suite is not None and not set(items) <= set(run.items):
        raise UsageError("a baseline keeps no tasks; --missing drop compares what both runs have")
    old, new = (_on(own.of_columns(columns), items) for own in (old, run))
    grids = [
        mean_of_runs(
            [[Grid(run.values[:, :, c], run.scales[c], run.exact[c])] for run in (old, new)], column
        )
        for c, column in enumerate(columns)
    ]
    scored = np.array([run.scored for run in (old, new) if run.scored is not None])
    # A value that one lacks counts for neither.
    both = np.repeat(scored.all(axis=0), 2, axis=0) if len(scored) else None
    return replace(
        new,
        names=names,
        values=np.stack([grid.values for grid in grids], axis=2),
        scales=tuple(grid.scale for grid in grids),
        exact=tuple(grid.exact for grid in grids),
        runs=(_runs(old), _runs(new)) if old.runs or new.runs else (),
        present=present,
        scored=both if both is None or present is None else both & present[:, :, None],
        notices=(*run.notices, *notices),
    )


def _on(counts: Counts, items: Sequence[str]) -> Counts:
    """Return the counts of a run on some items: 0 where it lacks one, whose labels are unknown."""
    place = {item: k for k, item in enumerate(counts.items)}
    kept = counts.keep(np.array([place.get(item, 0) for item in items]))
    there = np.array([item in place for item in items])
    if there.all():
        return kept
    return replace(
        kept,
        items=tuple(items),
        values=kept.values * there[:, None],
        runs=tuple(runs * there[:, None] for runs in kept.runs),
        scored=None if kept.scored is None else kept.scored | ~there[:, None],
        labels={},
        texts=None,
    )


def _runs(counts: Counts) -> Floats:
    """Return the runs of a system, of which there may be one."""
    return counts.runs[0] if counts.runs else counts.values / np.array(counts.scales, np.float64)


def _changes(baseline: Baseline, run: Counts) -> Iterator[Notice]:
    """Yield what changed between the accepted run and a new one: items and scores."""
    before, now = set(baseline.counts.items), set(run.items)
    came = [item for item in run.items if item not in before]
    went = [item for item in baseline.counts.items if item not in now]
    if came or went:
        changes = " and ".join(
            f"{several(len(items), run.kind)} {word} ({listed(items, _SHOWN)})"
            for items, word in ((came, "came"), (went, "went"))
            if items
        )
        since = f"since the baseline was accepted ({baseline.accepted.isoformat()})"
        yield Notice("baseline-items", f"The items changed {since}: {changes}.", (*came, *went))
    other = [name for name in run.columns if name not in baseline.counts.columns]
    if other:
        text = f"The baseline has no {listed(other, _SHOWN)}, which was left out."
        yield Notice("baseline-scores", text, tuple(other))


def _refuse_more(counts: Counts) -> None:
    """Refuse what is not one run of one system on all items."""
    if len(counts.names) > 1:
        raise UsageError(
            f"{len(counts.names)} systems beside a baseline ({listed(counts.names, _SHOWN)}): give "
            "the new one alone"
        )
    if counts.judgments is not None:
        raise UsageError("preferences are of two systems, and a baseline is of one")
    if counts.present is not None:
        raise UsageError("a baseline needs a score of every item; use --missing drop or zero")
