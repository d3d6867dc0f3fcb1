"""Baselines: the last accepted run, kept in a folder, and what changed since then.

The folder holds one file, small enough to be committed: the scores of the accepted run, item by
item, prints of the prompts, and which runs have been checked on these items. It holds no texts.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.fixed_point import LIMIT, Grid, put_on_grid
from tellapart.counts.ordering import digest
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.words import json_text, listed, several

FILE: Final = "baseline.json"
_PRINT: Final = 16  # hexadecimal digits of a prompt's print
_LARGEST_SCALE: Final = 1 << 62
_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Baseline:
    """An accepted run: its scores, when it was accepted, and what was checked on its items."""

    counts: Counts
    """Of one system"""
    accepted: date
    prompts: tuple[str, ...] = ()
    """A print of the prompt of each item; none where the prompts are not known"""
    checked: tuple[str, ...] = ()
    """Digests of the runs that were checked on these items, each once"""

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.counts.names[0]

    def age(self, today: date) -> str:
        """Return how long ago it was accepted, in words.

        >>> from tellapart import Counts
        >>> run = Baseline(Counts.from_arrays({"old": [1, 0]}), date(2026, 11, 4))
        >>> run.age(date(2026, 11, 16)), run.age(date(2026, 11, 4))
        ('12 days ago', 'today')
        """
        days = (today - self.accepted).days
        return "today" if days == 0 else f"{several(days, 'day')} ago"

    def to_json(self) -> str:
        """Return what the folder's file holds."""
        counts = self.counts
        record = {
            "baseline": 1,
            "system": self.name,
            "accepted": self.accepted.isoformat(),
            "kind": counts.kind,
            "form": counts.form,
            "lower": counts.lower,
            "columns": counts.columns,
            "scales": counts.scales,
            "exact": counts.exact,
            "checked": self.checked,
            "items": counts.items,
            "prompts": self.prompts,
            "values": counts.values[0].tolist(),
            "scored": [] if counts.scored is None else counts.scored[0].astype(int).tolist(),
            "runs": [_filled(run).tolist() for run in counts.runs[0]] if counts.runs else [],
        }
        return json_text(record, indent=None)


def accepted(counts: Counts, today: date, checked: Sequence[str] = ()) -> Baseline:
    """Return a run as the baseline of those to come."""
    _one_system(counts)
    if counts.cluster is not None:
        raise UsageError("a baseline is kept item by item; cluster where it is compared")
    inputs = counts.texts.inputs if counts.texts is not None else ()
    return Baseline(counts, today, tuple(map(_print, inputs)), tuple(checked))


def read_baseline(folder: str) -> Baseline | None:
    """Return the accepted run that a folder holds; None if there is none yet."""
    path = Path(folder, FILE)
    if not os.path.exists(path):
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        runs = np.array(record["runs"], np.float64)
        scored = np.array([record["scored"]], np.bool_)
        values = np.array([record["values"]], np.int64)
        columns, items = tuple(record["columns"]), tuple(record["items"])
        if values.shape != (1, len(items), len(columns)):
            raise ValueError("values do not fit items and columns")
        counts = Counts(
            names=(str(record["system"]),),
            items=items,
            columns=columns,
            values=values,
            scales=tuple(record["scales"]),
            exact=tuple(record["exact"]),
            sizes=np.ones(len(items), np.int64),
            kind=record["kind"],
            form=record["form"],
            lower=tuple(record["lower"]),
            runs=(runs,) if runs.size else (),
            scored=scored if scored.size else None,
        )
        day = date.fromisoformat(record["accepted"])
        return Baseline(counts, day, tuple(record["prompts"]), tuple(record["checked"]))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
        raise DataError(
            f"{shown(str(path))}: this is no baseline that --accept wrote ({problem}); accept a "
            "run anew in another folder"
        ) from None


def checked_again(baseline: Baseline, run: Counts) -> tuple[Baseline, int]:
    """Return the baseline with a run among those checked on it, and the how-manieth this is.

    The same scores once more are no further look.
    """
    own = digest(run)
    if own in baseline.checked:
        return baseline, baseline.checked.index(own) + 1
    return replace(baseline, checked=(*baseline.checked, own)), len(baseline.checked) + 1


def against(baseline: Baseline, run: Counts) -> Counts:
    """Return the baseline and a run as two systems on the items that both have.

    Notices say what has changed since the baseline was accepted.
    """
    _one_system(run)
    old = baseline.counts
    columns = [name for name in run.columns if name in old.columns]
    if not columns:
        raise DataError(
            f"the baseline has the scores {listed(old.columns)}, and the new run "
            f"{listed(run.columns)}: none is the same; accept a run with these"
        )
    place = {item: k for k, item in enumerate(old.items)}
    kept = [k for k, item in enumerate(run.items) if item in place]
    if not kept:
        raise DataError(
            f"the new run has no {run.kind} of the baseline ({listed(old.items, _SHOWN)}); accept "
            "a run on the new ones"
        )
    new = run.keep(np.array(kept))
    before = old.keep(np.array([place[item] for item in new.items]))
    name = old.names[0] if old.names != new.names else "baseline"
    grids = [_together(before, new, column) for column in columns]
    return replace(
        new,
        names=(name, new.names[0]),
        columns=tuple(columns),
        values=np.stack([grid.values for grid in grids], axis=2),
        scales=tuple(grid.scale for grid in grids),
        exact=tuple(grid.exact for grid in grids),
        runs=_runs(before, new, columns),
        scored=_scored(before, new, columns),
        notices=(*run.notices, *_changes(baseline, run)),
    )


def _together(before: Counts, new: Counts, column: str) -> Grid:
    """Return a column of both runs on one grid."""
    pair = before, new
    places = [each.columns.index(column) for each in pair]
    scales = [each.scales[c] for each, c in zip(pair, places, strict=True)]
    scale = math.lcm(*scales)
    values = [each.values[0, :, c] for each, c in zip(pair, places, strict=True)]
    largest = max(
        float(np.abs(row).sum(dtype=np.float64)) * (scale // own)
        for row, own in zip(values, scales, strict=True)
    )
    if scale < _LARGEST_SCALE and largest < LIMIT:
        rows = [row * (scale // own) for row, own in zip(values, scales, strict=True)]
        exact = all(each.exact[c] for each, c in zip(pair, places, strict=True))
        return Grid(np.stack(rows), scale, exact)
    return put_on_grid([row / own for row, own in zip(values, scales, strict=True)], column)


def _runs(before: Counts, new: Counts, columns: Sequence[str]) -> tuple[NDArray[np.float64], ...]:
    """Return the runs of both systems, where one has several."""
    if not before.runs and not new.runs:
        return ()
    return tuple(
        _runs_of(each)[:, :, [each.columns.index(c) for c in columns]] for each in (before, new)
    )


def _scored(before: Counts, new: Counts, columns: Sequence[str]) -> NDArray[np.bool_] | None:
    """Return which values there are: those that both have, where one lacks some."""
    both = np.ones((len(new.items), len(columns)), np.bool_)
    for each in (before, new):
        if each.scored is not None:
            both &= each.scored[0][:, [each.columns.index(column) for column in columns]]
    return None if both.all() else np.stack([both, both])


def _runs_of(counts: Counts) -> NDArray[np.float64]:
    return counts.runs[0] if counts.runs else counts.values / np.array(counts.scales, np.float64)


def _filled(run: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.isnan(run).any():
        raise UsageError("a run lacks items that others have; a baseline needs all of them")
    return run


def _changes(baseline: Baseline, run: Counts) -> Iterator[Notice]:
    """Yield what changed between the accepted run and a new one: items, prompts, scores."""
    since = f"since the baseline was accepted ({baseline.accepted.isoformat()})"
    there, now = dict.fromkeys(baseline.counts.items), dict.fromkeys(run.items)
    gone, new = [i for i in there if i not in now], [i for i in now if i not in there]
    if gone or new:
        told = [
            f"{several(len(items), run.kind)} {word} ({listed(items, _SHOWN)})"
            for items, word in ((new, "came"), (gone, "went"))
            if items
        ]
        common = several(len(now) - len(new), run.kind)
        text = f"The items changed {since}: {' and '.join(told)}; compared on the {common} of both."
        yield Notice("baseline-items", text, (*new, *gone))
    changed = list(_changed_prompts(baseline, run))
    if changed:
        text = (
            f"The prompts of {several(len(changed), run.kind)} changed {since} "
            f"({listed(changed, _SHOWN)}): a difference may be of the prompts, not of the systems."
        )
        yield Notice("baseline-prompts", text, tuple(changed))
    other = [name for name in run.columns if name not in baseline.counts.columns]
    if other:
        text = f"The baseline has no {listed(other, _SHOWN)}, which was left out."
        yield Notice("baseline-scores", text, tuple(other))


def _changed_prompts(baseline: Baseline, run: Counts) -> Iterator[str]:
    if not baseline.prompts or run.texts is None or not run.texts.inputs:
        return
    before: Mapping[str, str] = dict(zip(baseline.counts.items, baseline.prompts, strict=True))
    for item, text in zip(run.items, run.texts.inputs, strict=True):
        if before.get(item, "") not in ("", _print(text)):
            yield item


def _print(text: str) -> str:
    return (
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_PRINT] if text else ""
    )


def _one_system(counts: Counts) -> None:
    if len(counts.names) > 1:
        raise UsageError(
            f"the baseline is kept in its folder, and here are {len(counts.names)} systems "
            f"({listed(counts.names, _SHOWN)}): give the new one alone"
        )
    if counts.judgments is not None:
        raise UsageError("preferences are of two systems already; a baseline is a run of one")
    if counts.present is not None:
        raise UsageError("a baseline needs every item; drop --test unpaired")
