"""The accepted run that a folder keeps, and a new run beside it, paired by item like two files.

The folder holds one file, small enough to be committed: the scores of the accepted run, item by
item. It holds no texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.align import Attempts, Axis, align
from tellapart.words import json_text, listed, several

FILE: Final = "baseline.json"
_SHOWN: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """The scores of one system, as they are kept."""

    name: str
    columns: tuple[str, ...]
    items: tuple[str, ...]
    values: NDArray[np.float64]
    """Attempts × items × columns; NaN where there is no score"""
    cells: tuple[tuple[str, str], ...]
    """The condition and the run of each attempt; those with the same are repeats"""
    accepted: date

    def to_json(self) -> str:
        """Return what the folder's file holds."""
        values = self.values.astype(object)
        values[np.isnan(self.values)] = None
        record = {
            "baseline": 2,
            "accepted": self.accepted.isoformat(),
            "name": self.name,
            "columns": self.columns,
            "items": self.items,
            "values": values.tolist(),
            "cells": self.cells,
        }
        return json_text(record, indent=None)


def accepted(run: Counts, today: date) -> Baseline:
    """Return a run as the baseline of those to come."""
    if len(run.names) > 1:
        raise UsageError(
            f"{len(run.names)} systems beside a baseline ({listed(run.names, _SHOWN)}): give "
            "the new one alone"
        )
    if run.judgments is not None:
        raise UsageError("preferences are of two systems, and a baseline is of one")
    if run.cluster is not None:
        raise UsageError("a baseline is kept item by item; cluster where it is compared")
    values = run.values / np.array(run.scales, np.float64)
    cells: tuple[tuple[str, str], ...] = (("", ""),)
    for there in (run.scored, None if run.present is None else run.present[:, :, None]):
        values = values if there is None else np.where(there, values, np.nan)
    if run.runs:
        values, numbers = run.runs[0], range(len(run.runs[0]))
        cells = run.cells[0] if run.cells else tuple(("", str(k)) for k in numbers)
    return Baseline(run.names[0], run.columns, run.items, values, cells, today)


def read_baseline(folder: str) -> Baseline | None:
    """Return the accepted run that a folder holds; None if there is none yet."""
    path = Path(folder, FILE)
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        columns, items = tuple(record["columns"]), tuple(record["items"])
        cells = tuple((condition, run) for condition, run in record["cells"])
        shape = len(cells), len(items), len(columns)
        values = np.array(record["values"], np.float64).reshape(shape)
        day = date.fromisoformat(record["accepted"])
        return Baseline(record["name"], columns, items, values, cells, day)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
        raise DataError(
            f"{shown(str(path))}: no baseline that --accept wrote ({problem}); use another folder"
        ) from None


def beside(baseline: Baseline, run: Counts, missing: str) -> Counts:
    """Return the baseline and a run as two systems; items that one lacks are settled as always.

    Notices say what has changed since the baseline was accepted.
    """
    old, new = baseline, accepted(run, baseline.accepted)
    columns = [name for name in new.columns if name in old.columns]
    if not columns:
        raise DataError(
            f"the baseline has {listed(old.columns)}, the new run {listed(new.columns)}: accept a "
            "run with these"
        )
    if set(new.items).isdisjoint(old.items):
        raise DataError(
            f"the new run has no {run.kind} of the baseline ({listed(old.items, _SHOWN)})"
        )
    old = replace(old, name=old.name if old.name != new.name else "baseline")
    attempts = _attempts((old, new), columns)
    both = align(attempts, missing=missing, kind=run.kind, form=run.form)
    place = {item: k for k, item in enumerate(run.items)}
    own = [place[item] for item in both.items if item in place]
    if len(own) == len(both.items):
        kept = run.keep(np.array(own, np.intp))
        both = replace(both, labels=kept.labels, texts=kept.texts, suite=kept.suite)
    elif run.suite is not None:
        raise UsageError("a baseline keeps no tasks; --missing drop compares what both runs have")
    found = [notice for notice in run.notices if notice.code != "repeats"]  # those of both follow
    return replace(
        both,
        lower=run.lower,
        metrics=run.metrics,
        files=run.files,
        views=run.views,
        notices=(*found, *_changes(baseline, new, run.kind), *both.notices),
    )


def _attempts(systems: Sequence[Baseline], columns: Sequence[str]) -> Attempts:
    """Return the attempts of some systems by some columns, the new system's items first."""
    items = tuple(dict.fromkeys(item for own in reversed(systems) for item in own.items))
    place = {item: k for k, item in enumerate(items)}
    rows: list[tuple[int, str, str, int]] = []
    values = []
    for k, own in enumerate(systems):
        codes = [place[item] for item in own.items]
        rows += [(k, *cell, code) for cell in own.cells for code in codes]
        chosen = own.values[:, :, [own.columns.index(name) for name in columns]]
        values.append(chosen.reshape(-1, len(columns)))
    system, condition, run, item = zip(*rows, strict=True)
    attempts = Attempts(
        Axis(tuple(own.name for own in systems), np.array(system, np.int32)),
        Axis(items, np.array(item, np.int32)),
        dict(zip(columns, np.concatenate(values).T, strict=True)),
        lambda row: items[item[row]],
        Axis.of(condition),
        Axis.of(run),
    )
    return replace(attempts, repeats=attempts.numbered())


def _changes(baseline: Baseline, run: Baseline, kind: str) -> Iterator[Notice]:
    """Yield what changed between the accepted run and a new one: items and scores."""
    before, now = set(baseline.items), set(run.items)
    came = [item for item in run.items if item not in before]
    went = [item for item in baseline.items if item not in now]
    if came or went:
        changes = " and ".join(
            f"{several(len(items), kind)} {word} ({listed(items, _SHOWN)})"
            for items, word in ((came, "came"), (went, "went"))
            if items
        )
        since = f"since the baseline was accepted ({baseline.accepted.isoformat()})"
        yield Notice("baseline-items", f"The items changed {since}: {changes}.", (*came, *went))
    other = [name for name in run.columns if name not in baseline.columns]
    if other:
        text = f"The baseline has no {listed(other, _SHOWN)}, which was left out."
        yield Notice("baseline-scores", text, tuple(other))
