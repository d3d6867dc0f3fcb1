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
from tellapart.formats.missing import check_policy, find_missing
from tellapart.formats.preferences.judgment import Collected, Judgment
from tellapart.formats.problems import Findings
from tellapart.metrics import ratio

RATE: Final = "win_rate"
KIND: Final = "prompt"


def assemble(found: Collected, missing: str, problems: Findings) -> Counts:
    """Return the counts of all judgments: one column, `win_rate`.

    Of two systems, each has the share of a prompt that it won. Several that were held against one
    reference are compared with each other, by what they won against it. Any others have their
    share of all judgments that they were in; which scale they share, a comparison says.
    """
    check_policy(missing)
    rows = found.judgments
    if not rows:
        raise DataError("there is no judgment to count; give files with at least one")
    names = tuple(dict.fromkeys(name for row in rows for name in (row.first, row.second)))
    if len(names) < 2:
        raise DataError(f"{rows[0].place}: {names[0]!r} is judged against itself; name two systems")
    items = tuple(dict.fromkeys(row.item for row in rows))
    index, places = {n: k for k, n in enumerate(names)}, {n: k for k, n in enumerate(items)}
    star = found.reference if len(names) > 2 else None
    judgments = Judgments(
        names,
        np.array([places[row.item] for row in rows]),
        np.array([index[row.first] for row in rows]),
        np.array([index[row.second] for row in rows]),
        np.array([float(row.points) for row in rows]),
        ordered=found.ordered,
        reference=star,
        agreement=found.agreement,
        lengths=_lengths(rows),
    )
    if any(row.weight != 1 for row in rows):
        counts = _weighted(rows, judgments, items)
    else:
        counts = _rates(judgments, items)
    labels = _labels(rows, items)
    texts = _texts(rows, items, counts.names)
    counts = replace(counts, labels=labels, texts=texts, notices=problems.notices())
    return _settled(counts, judgments, missing)


def _rates(judgments: Judgments, items: Sequence[str]) -> Counts:
    """Return each system's mean of its points on each prompt, and where it was judged at all."""
    names = [name for name in judgments.names if name != judgments.reference]
    rates, there = judgments.rates(names, len(items))
    counts = Counts.from_columns(names, items, {RATE: list(rates)}, {}, KIND, "items")
    return replace(counts, present=there)


def _weighted(rows: Sequence[Judgment], judgments: Judgments, items: Sequence[str]) -> Counts:
    """Return points and weights of each prompt, for a rate in which clear leads count more."""
    systems, n = len(judgments.names), len(items)
    weights = np.array([row.weight for row in rows])
    points, judged = np.zeros((systems, n)), np.zeros((systems, n), np.int64)
    won = ((judgments.first, judgments.points), (judgments.second, 1 - judgments.points))
    for systems_of, share in won:
        np.add.at(points, (systems_of, judgments.items), share * weights)
        np.add.at(judged, (systems_of, judgments.items), weights)
    there = judged > 0
    # Where missing prompts shall count as lost, they count like any other.
    judged[~there] = round(float(np.mean(judged[there])))
    kept = [k for k, name in enumerate(judgments.names) if name != judgments.reference]
    columns: dict[str, Sequence[NDArray[Any]]] = {
        "points": [points[k] for k in kept],
        "judged": [judged[k] for k in kept],
    }
    names = [judgments.names[k] for k in kept]
    counts = Counts.from_columns(names, items, columns, {}, KIND, "counts")
    metric = ratio(RATE, {"points": 1}, {"judged": 1})
    return replace(counts, metrics=(metric,), present=there[kept])


def _settled(counts: Counts, judgments: Judgments, missing: str) -> Counts:
    """Return the counts, with what is asked for done to prompts that a system was not judged on.

    Many systems that meet each other have prompts of their own by design: those are all kept.
    """
    there = counts.present
    if there is None or there.all():
        return replace(counts, present=None, judgments=judgments)
    if len(counts.names) > 2 and judgments.reference is None:
        return replace(counts, judgments=judgments)
    systems, n = there.shape
    found = find_missing(np.flatnonzero(there), systems, n, 1)
    counts = replace(counts, judgments=judgments)
    if missing == "own":
        return counts
    notices = found.settle(missing, "", counts.kind, counts.names, counts.items)
    kept = counts if missing == "zero" else counts.keep(found.common)
    kept = replace(kept, present=None)
    return replace(kept, notices=(*kept.notices, *notices))


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
