"""The items on which two systems differ: found, chosen, and written for people and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.contributions import contributions
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.items import Items
from tellapart.metrics import Metric
from tellapart.projection import project
from tellapart.report.fitting import (
    WIDTH,
    clean,
    columns,
    cut,
    cut_middle,
    filled,
    left,
    short_names,
)
from tellapart.report.numbers import plain
from tellapart.significance.diagnostics import UnitView
from tellapart.words import listed, nearest, plural, several

_LONGEST_NAME = 16
_LONGEST_ID = 46


@dataclass(frozen=True, slots=True)
class Difference:
    """One item: the scores of both systems, and its texts where they are known."""

    unit: str
    a: float
    b: float
    a_better: bool
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Of both systems, or nothing"""
    labels: dict[str, str] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """Give all that can be searched."""
        yield from (self.unit, self.input, self.gold, *self.outputs, *self.labels.values())


@dataclass(frozen=True, slots=True)
class Differences:
    """Two systems item by item: how many differ, and which, largest differences first."""

    a: str
    b: str
    metric: str
    kind: str
    better: int
    tied: int
    worse: int
    _counts: Counts
    _order: NDArray[np.intp]  # positions of the units that differ
    _ahead: NDArray[np.float64]  # per unit: by sign, which system is better
    _alone: NDArray[np.float64]  # systems × units

    @property
    def items(self) -> tuple[Difference, ...]:
        """All items that differ."""
        return tuple(map(self._item, self._order.tolist()))

    def chosen(self, wanted: Wanted) -> tuple[list[Difference], int]:
        """Return the wanted items, and how many there would be without a limit."""
        order = self._order
        if wanted.better is not None:
            order = order[(self._ahead[order] > 0) == (wanted.better == self.a)]
        if not wanted.find:
            return list(map(self._item, order[: wanted.most].tolist())), len(order)
        found, sought = [], wanted.find.casefold()
        number = 0
        for item in map(self._item, order.tolist()):
            if any(sought in text.casefold() for text in item.texts()):
                number += 1
                if wanted.most is None or number <= wanted.most:
                    found.append(item)
        return found, number

    def _item(self, u: int) -> Difference:
        items = self._counts.items or Items()
        both = [items.outputs.get(name, ()) for name in self._counts.names]
        return Difference(
            self._counts.units[u],
            float(self._alone[0, u]),
            float(self._alone[1, u]),
            bool(self._ahead[u] > 0),
            items.inputs[u] if items.inputs else "",
            items.golds[u] if items.golds else "",
            tuple(texts[u] if texts else "" for texts in both) if any(both) else (),
            {label: texts[u] for label, texts in self._counts.labels.items() if texts[u]},
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the items are shown."""

    better: str | None = None
    find: str | None = None
    most: int | None = None


def find(
    counts: Counts, names: Sequence[str] = (), metric: str | Metric | None = None
) -> Differences:
    """Find the items on which two systems differ, by one metric (the first if none is named).

    Those that contribute most to the difference come first.

    >>> counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 0.5]}, units=["x", "y", "z"])
    >>> found = find(counts)
    >>> [(item.unit, item.a, item.b) for item in found.items], found.tied
    ([('x', 1.0, 0.0), ('z', 1.0, 0.5)], 1)
    """
    counts = _two_systems(counts, names)
    if counts.present is not None:
        raise UsageError(f"the systems do not have the same {plural(counts.kind)}")
    projection = project(counts, None if metric is None else [metric])
    bound = projection.metrics[0]
    view = UnitView.of_scores(projection, bound)
    parts = contributions(projection, bound, 0, 1)
    if view.alone is None or parts is None:
        raise UsageError(
            f"metric {bound.metric.name!r} has no scores of single {plural(counts.kind)}; name "
            "another with --metric"
        )
    ahead = view.ahead(0, 1)
    differ = np.flatnonzero(ahead)
    order = differ[np.argsort(-np.abs(parts[differ]), kind="stable")]
    better, worse, tied = view.outcomes(0, 1)
    return Differences(
        counts.names[0],
        counts.names[1],
        bound.metric.name,
        counts.kind,
        better,
        tied,
        worse,
        counts,
        order,
        ahead,
        view.alone,
    )


def _two_systems(counts: Counts, names: Sequence[str]) -> Counts:
    if len(counts.names) < 2:
        raise UsageError(f"there is one system, {counts.names[0]!r}; give the files of two")
    if names:
        return counts.systems[tuple(names)]
    if len(counts.names) > 2:
        raise UsageError(
            f"there are {len(counts.names)} systems ({listed(counts.names, 8)}): name two of them "
            "before the files"
        )
    return counts


def render(found: Differences, wanted: Wanted | None = None, form: str = "text") -> str:
    """Write the wanted items as ``text``, ``tsv`` or ``jsonl``."""
    wanted = wanted or Wanted()
    names = (found.a, found.b)
    if wanted.better is not None and wanted.better not in names:
        raise UsageError(
            f"--better names one of the two systems, not {wanted.better!r}; "
            f"{nearest(wanted.better, names)}"
        )
    shown, number = found.chosen(wanted)
    if form == "tsv":
        return _tsv(found, shown)
    if form == "jsonl":
        return "".join(f"{json.dumps(_row(found, i), ensure_ascii=False)}\n" for i in shown)
    parts = ["\n".join(_summary(found, wanted, number, len(shown)))]
    with_texts = any(item.input or item.gold or item.outputs for item in shown)
    parts += _blocks(found, shown) if with_texts else _table(found, shown)
    return "\n\n".join(parts) + "\n"


def _summary(found: Differences, wanted: Wanted, chosen: int, shown: int) -> Iterator[str]:
    total = several(found.better + found.tied + found.worse, found.kind)
    yield filled(
        f"{clean(found.a)} against {clean(found.b)} by {clean(found.metric)}: {found.better} "
        f"better, {found.tied} tied, {found.worse} worse of {total}"
    )
    conditions = []
    if wanted.better is not None:
        conditions.append(f"{clean(wanted.better)} is better")
    if wanted.find:
        conditions.append(f"{wanted.find!r} is found")
    if conditions:
        yield filled(f"{several(chosen, found.kind)} where {' and '.join(conditions)}")
    if shown < chosen:
        first = "only the first" if shown == 1 else f"the first {shown}"
        yield f"{first} of {chosen} {'is' if shown == 1 else 'are'} shown; --most 0 shows all"


def _table(found: Differences, shown: Sequence[Difference]) -> list[str]:
    if not shown:
        return []
    names = short_names([found.a, found.b], _LONGEST_NAME)
    units = [cut(clean(item.unit), _LONGEST_ID) for item in shown]
    width = max(columns(clean(found.kind)), *map(columns, units))
    scores = [[plain(item.a), plain(item.b)] for item in shown]
    widths = [
        max(columns(names[name]), *(len(row[k]) for row in scores))
        for k, name in enumerate((found.a, found.b))
    ]
    rows = [(found.kind, [names[found.a], names[found.b]]), *zip(units, scores, strict=True)]
    lines = []
    for unit, cells in rows:
        figures = "  ".join(
            " " * (w - columns(cell)) + cell for cell, w in zip(cells, widths, strict=True)
        )
        lines.append(f"  {left(clean(unit), width)}  {figures}")
    return ["\n".join(lines)]


def _blocks(found: Differences, shown: Sequence[Difference]) -> list[str]:
    names = short_names([found.a, found.b], _LONGEST_NAME)
    width = max(5, *map(columns, names.values()))
    blocks = []
    for item in shown:
        scores = f"{names[found.a]} {plain(item.a)}  {names[found.b]} {plain(item.b)}"
        room = WIDTH - 4 - columns(scores)
        lines = [f"  {cut(clean(item.unit), room)}  {scores}"]
        room = WIDTH - width - 6
        # The question often stands at the end of what a system was given.
        texts = [("asked", cut_middle(clean(item.input), room))] if item.input else []
        texts += [("gold", cut(clean(item.gold), room))] if item.gold else []
        outputs = [cut(clean(text), room) for text in item.outputs]
        texts += list(zip((names[found.a], names[found.b]), outputs, strict=False))
        lines += [f"    {left(head, width)}  {text}".rstrip() for head, text in texts]
        blocks.append("\n".join(lines))
    return blocks


def _tsv(found: Differences, shown: Sequence[Difference]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(
        [found.kind, found.a, found.b, "better", "input", "gold",
         f"output of {found.a}", f"output of {found.b}"]
    )  # fmt: skip
    for item in shown:
        better = found.a if item.a_better else found.b
        outputs = item.outputs or ("", "")
        writer.writerow([item.unit, item.a, item.b, better, item.input, item.gold, *outputs])
    return stream.getvalue()


def _row(found: Differences, item: Difference) -> dict[str, Any]:
    """Return one item as an object; what is not known is left out."""
    row: dict[str, Any] = {
        found.kind: item.unit,
        "scores": {found.a: item.a, found.b: item.b},
        "better": found.a if item.a_better else found.b,
    }
    texts = {"input": item.input, "gold": item.gold}
    row |= {name: text for name, text in texts.items() if text}
    if item.outputs:
        row["outputs"] = dict(zip((found.a, found.b), item.outputs, strict=True))
    return row | ({"labels": item.labels} if item.labels else {})
