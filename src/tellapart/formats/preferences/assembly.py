"""From judgments to counts: each system's rate of wins on each prompt, ties as half a win."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.counts import ItemTexts
from tellapart.counts.judgments import Judgments
from tellapart.errors import DataError
from tellapart.formats.align import Attempts, Axis, align
from tellapart.formats.preferences.format import Collected, Judgment
from tellapart.formats.problems import Findings
from tellapart.metrics import ratio

RATE: Final = "win_rate"
KIND: Final = "prompt"


def assemble(collected: Collected, missing: str, problems: Findings) -> Counts:
    """Return the counts of all judgments: one column, `win_rate`.

    Of two systems, each has the share of a prompt that it won. Several that were held against one
    reference are compared with each other, by what they won against it. Any others have their
    share of all judgments that they were in; which scale they share, a comparison says.
    """
    rows = collected.judgments
    if not rows:
        raise DataError("there is no judgment")
    systems = Axis.of(name for row in rows for name in (row.first, row.second))
    items = Axis.of(row.item for row in rows)
    judgments = Judgments(
        systems.names,
        items.codes.astype(np.int64),
        systems.codes[::2].astype(np.int64),
        systems.codes[1::2].astype(np.int64),
        np.array([float(row.points) for row in rows]),
        ordered=collected.ordered,
        reference=collected.reference if len(systems.names) > 2 else None,
        agreement=collected.agreement,
        lengths=_lengths(rows),
    )
    names = tuple(name for name in systems.names if name != judgments.reference)
    weights = np.array([row.weight for row in rows])
    values, judged = _values(judgments, weights, names, len(items.names))
    at_system, at_item = np.nonzero(judged)
    # Many systems that meet each other have prompts of their own by design.
    meeting = len(names) > 2 and judgments.reference is None
    counts = align(
        Attempts(
            Axis(names, at_system.astype(np.int32)),
            Axis(items.names, at_item.astype(np.int32)),
            {column: array[judged] for column, array in values.items()},
            lambda k: f"{names[at_system[k]]}, prompt {items.names[at_item[k]]}",
            labels=_labels(rows, items.names),
            texts=_texts(rows, items.names, names),
        ),
        missing="own" if meeting else missing,
        kind=KIND,
        form="items" if RATE in values else "counts",
    )
    if RATE not in values:
        counts = _with_weights(counts)
    kept = np.flatnonzero(np.isin(items.names, counts.items))
    return replace(
        counts,
        judgments=judgments.of_items(kept, len(items.names)),
        notices=(*problems.notices(), *counts.notices),
    )


def _values(
    judgments: Judgments, weights: NDArray[np.int64], names: Sequence[str], n_items: int
) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    """Return the columns, systems × items, and where a system was judged at all.

    Where all judgments weigh alike, that is each system's mean of its points on a prompt; else
    points and weights, for a rate in which clear leads count more.
    """
    if (weights == 1).all():
        rates, judged = judgments.rates(names, n_items)
        return {RATE: rates}, judged
    points, total = np.zeros((2, len(judgments.names), n_items))
    for systems, share in (
        (judgments.first, judgments.points),
        (judgments.second, 1 - judgments.points),
    ):
        np.add.at(points, (systems, judgments.items), share * weights)
        np.add.at(total, (systems, judgments.items), weights)
    rows = [judgments.names.index(name) for name in names]
    return {"points": points[rows], "judged": total[rows]}, total[rows] > 0


def _with_weights(counts: Counts) -> Counts:
    """Return counts with their rate; missing prompts that count as lost weigh like any other."""
    column = counts.columns.index("judged")
    weights = counts.values[:, :, column]
    values = counts.values.copy()
    values[:, :, column] = np.where(weights == 0, round(weights[weights > 0].mean()), weights)
    metric = ratio(RATE, {"points": 1}, {"judged": 1})
    return replace(counts, values=values, metrics=(metric,))


def _labels(rows: Iterable[Judgment], items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what all judgments of a prompt say alike, and not each prompt for itself."""
    seen: dict[str, dict[str, str]] = {}
    unequal = set[str]()
    for row in rows:
        for name, text in row.labels.items():
            if seen.setdefault(name, {}).setdefault(row.item, text) != text:
                unequal.add(name)
    return {
        name: tuple(by_item.get(item, "") for item in items)
        for name, by_item in seen.items()
        if name not in unequal and len(set(by_item.values())) < max(2, len(items))
    }


def _texts(
    rows: Iterable[Judgment], items: Sequence[str], names: Sequence[str]
) -> ItemTexts | None:
    inputs: dict[str, str] = {}
    outputs: dict[str, dict[str, str]] = {}
    for row in rows:
        if row.input:
            inputs.setdefault(row.item, row.input)
        for name, text in zip((row.first, row.second), row.outputs or (), strict=False):
            if text and name in names:
                outputs.setdefault(name, {}).setdefault(row.item, text)
    if not inputs and not outputs:
        return None
    return ItemTexts(
        inputs=tuple(inputs.get(item, "") for item in items) if inputs else (),
        outputs={
            name: tuple(by_item.get(item, "") for item in items)
            for name, by_item in outputs.items()
        },
    )


def _lengths(rows: Sequence[Judgment]) -> NDArray[np.float64] | None:
    if not any(row.outputs for row in rows):
        return None
    nothing = (np.nan, np.nan)
    return np.array(
        [tuple(map(len, row.outputs)) if row.outputs else nothing for row in rows], np.float64
    )
