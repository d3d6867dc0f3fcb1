"""The items on which two systems differ, what each contributes to the difference, and its texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.record import decimals_for
from tellapart.comparison.scored import score_metrics
from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.metrics.contributions import contributions, signed_differences
from tellapart.metrics.scores import Scores
from tellapart.stats.result import Flags, Floats, Ints
from tellapart.words import listed, plural

SHOWN = 500
"""The most items that are shown for one pair and metric: those that contribute most"""


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item as reports show it: its name, texts and labels."""

    name: str
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Per system, in the order of the comparison; empty where no outputs are known"""
    labels: tuple[tuple[str, str], ...] = ()
    view: ItemView | None = None
    """What else there is to look at"""


def item_text(counts: Counts, item: int) -> ShownItem:
    """Return name, texts and labels of one item."""
    texts = counts.texts or ItemTexts()
    outputs = [texts.outputs.get(name, ()) for name in counts.names] if texts.outputs else []
    return ShownItem(
        counts.items[item],
        texts.inputs[item] if texts.inputs else "",
        texts.golds[item] if texts.golds else "",
        tuple(own[item] if own else "" for own in outputs),
        tuple((label, values[item]) for label, values in counts.labels.items() if values[item]),
        item_view(counts, item),
    )


def item_view(counts: Counts, item: int) -> ItemView | None:
    """Return what there is to look at behind an item: the reader's view, its runs, its counts.

    >>> counts = Counts.from_arrays({"A": [[2, 1]], "B": [[3, 0]]}, columns=["tp", "fp"])
    >>> for row in item_view(counts, 0).sections[0].rows:
    ...     print(row.label, row.outputs["A"][0].text, row.outputs["B"][0].text)
    tp 2 3
    fp 1 0
    """
    sections: list[ViewSection] = []
    if counts.views is not None:
        sections += counts.views(counts.items[item]).of_systems(counts.names).sections
    runs = tuple(_run_rows(counts, item))
    if runs:
        sections.append(ViewSection(runs, "Run by run"))
    if counts.form == "counts":
        values = counts.values[:, item] / np.array(counts.scales, np.float64)  # systems × columns
        rows = tuple(
            ViewRow(column, outputs=_numbers(counts.names, values[:, c]))
            for c, column in enumerate(counts.columns)
            if values[:, c].any()
        )
        if rows:
            sections.append(ViewSection(rows, "What is counted"))
    return ItemView(tuple(sections)) if sections else None


def _run_rows(counts: Counts, item: int) -> Iterator[ViewRow]:
    """Yield the values of each run, of the columns that runs have; runs are numbered as given."""
    if not counts.runs:
        return
    orders = counts.run_order or [range(len(runs)) for runs in counts.runs]
    columns = counts.runs[0].shape[2]
    for c in range(columns):
        for run in range(max(map(len, counts.runs))):
            values = {
                name: float(runs[order.index(run), item, c])
                for name, runs, order in zip(counts.names, counts.runs, orders, strict=True)
                if run < len(runs) and not np.isnan(runs[order.index(run), item, c])
            }
            label = f"run {run + 1}"
            label = f"{counts.columns[c]}, {label}" if columns > 1 else label
            yield ViewRow(label, outputs=_numbers(values, values.values()))


def _numbers(names: Iterable[str], values: Iterable[float]) -> dict[str, Cell]:
    return {name: (Piece(f"{v:.6g}"),) for name, v in zip(names, values, strict=True)}


@dataclass(frozen=True, slots=True)
class Difference:
    """An item, and the scores of both systems on it."""

    item: ShownItem
    a: float
    b: float
    a_better: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """The items on which two systems differ, those that contribute most first."""

    counts: Counts
    a: str
    b: str
    metric: str
    places: Ints
    """Positions of the items that are shown, of all that differ"""
    first: Floats
    second: Floats
    """The scores of both systems there"""
    a_better: Flags
    in_all: int

    @property
    def kind(self) -> str:
        """What an item is called."""
        return self.counts.kind

    @property
    def better(self) -> int:
        """How many of those shown the first system does better."""
        return int(self.a_better.sum())

    @property
    def worse(self) -> int:
        """On how many of the items that differ it does worse."""
        return self.in_all - self.better

    @property
    def tied(self) -> int:
        """How many items do not differ."""
        return len(self.counts.items) - self.in_all

    @property
    def decimals(self) -> int:
        """With how many decimals their scores are shown, by the largest difference."""
        return decimals_for([float(np.abs(self.first - self.second).max(initial=0.0))])

    @property
    def items(self) -> tuple[Difference, ...]:
        """All items that are shown."""
        return tuple(map(self._item, range(len(self.places))))

    def chosen(
        self, better: str | None = None, most: int | None = None
    ) -> tuple[list[Difference], int]:
        """Return items, all or those that one system does better, and how many there are."""
        order = list(range(len(self.places)))
        if better is not None:
            order = [k for k in order if self.a_better[k] == (better == self.a)]
        return list(map(self._item, order[:most])), len(order)

    def _item(self, k: int) -> Difference:
        first, second = (float(f"{scores[k]:.12g}") for scores in (self.first, self.second))
        item = item_text(self.counts, int(self.places[k]))
        return Difference(item, first, second, bool(self.a_better[k]))


def find_differences(counts: Counts, metric: str | Metric | None = None) -> Differences:
    """Return the items on which two systems differ, by one metric (the first if none is named).

    >>> counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 0.5]}, items=["x", "y", "z"])
    >>> found = find_differences(counts)
    >>> [(each.item.name, each.a, each.b) for each in found.items], found.tied
    ([('x', 1.0, 0.0), ('z', 1.0, 0.5)], 1)
    """
    wanted = None if metric is None else [metric]
    two = counts.systems[two_of(counts.names)]
    scores = score_metrics(two, wanted, Options())[0].scores
    found = differing_items(scores, 0, 1, most=None)
    if found is None:
        raise UsageError(
            f"metric {scores.name!r} has no scores of single {plural(counts.kind)}; name another "
            "with --metric"
        )
    return found


def differing_items(scores: Scores, a: int, b: int, most: int | None = SHOWN) -> Differences | None:
    """Return the items whose scores differ between two systems; None where items have no scores."""
    parts = contributions(scores, a, b)
    if parts is None:
        return None
    apart = signed_differences(scores, a, b)
    differ = np.flatnonzero(apart)
    shown = differ[np.argsort(-np.abs(parts[differ]), kind="stable")][:most]
    sign = 1 if scores.metric.higher_is_better else -1
    return Differences(
        scores.counts, scores.systems[a], scores.systems[b], scores.name, shown,
        scores.item_scores(a)[shown], scores.item_scores(b)[shown], sign * apart[shown] > 0,
        len(differ),
    )  # fmt: skip


def two_of(names: Sequence[str], chosen: Sequence[str] | None = None) -> tuple[str, str]:
    """Return the two systems that are chosen, or the only ones there are."""
    if len(names) < 2:
        raise UsageError(f"there is one system, {names[0]!r}: this takes two; give another")
    if not chosen and len(names) > 2:
        raise UsageError(
            f"there are {len(names)} systems ({listed(names, 8)}): name two with --systems A,B"
        )
    first, second = chosen or names
    return first, second
