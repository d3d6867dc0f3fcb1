"""Counts for the significance tests: per message, per template or per slot, for a summary row.

Which observations to take is section 4.4 of Chinchor, Hirschman and Lewis (1993): only messages
are the same for all systems; fewer, larger items assume less.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.selections import SelectedSlots, SelectionCounts
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.evaluation import Evaluation
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.selections import (
    ANY,
    SPURIOUS,
    Cell,
    Chooser,
    Rule,
    cell_of,
    chooser,
    union,
)
from tellapart.formats.templates.tally import ALL, Tally
from tellapart.formats.templates.totals import add_up, counted, spans, text_filtering
from tellapart.formats.templates.views import TemplateViews
from tellapart.metrics.registry import FILTER_COLUMNS, FILTERING
from tellapart.metrics.runs import averaged

ITEMS: Final = ("message", "template", "slot")
COLUMNS: Final = Tally._fields[:10]


def run_counts(
    runs: Mapping[str, Run],
    item: str = "message",
    row: str = ALL,
    rules: Collection[Rule] | None = None,
    *,
    filtering: bool = False,
) -> Counts:
    """Return the counts of scored runs; `rules` leave only the items that they could choose.

    Items of templates are those of the key; a system's spurious templates of a message are one
    item, since no system has the others' templates. The possible incorrect fills, which fallout
    needs, are counted for set fills only; `filtering` adds which messages were rightly taken for
    relevant.
    """
    depth = 1 + ITEMS.index(item)
    columns = (*COLUMNS, "pie") if row == "set-fills" else COLUMNS
    sums = {system: _sums(run, row, depth, len(columns)) for system, run in runs.items()}
    first = next(iter(runs.values()))
    place = {message: k for k, message in enumerate(first.relevance)}
    cells = {cell for found in sums.values() for cell in found}
    if depth == 1:
        named = {ANY, *place} if rules is None else {rule.message for rule in rules}
        cells |= {(message,) for message in place if ANY in named or message in named}
    items = sorted(cells, key=lambda cell: (place[cell[0]], SPURIOUS in cell[1:2], cell))
    if not items:
        raise DataError(f"no {item} counts in the row {row}; choose another row or selection")
    zero = [0] * len(columns)
    rows = {name: [[*found.get(cell, zero)] for cell in items] for name, found in sums.items()}
    if filtering:
        columns = (*columns, *FILTER_COLUMNS)
        for system, run in runs.items():
            for cell, own in zip(items, rows[system], strict=True):
                own += text_filtering([run.relevance[cell[0]]])
    whole = "document" if first.design.of_schema else ITEMS[0]
    labels = {}  # where each belongs, so that tests can keep together what belongs together
    if depth > 1:
        labels[whole] = [cell[0] for cell in items]
    if depth > 2:
        labels["template"] = ["/".join(cell[:2]) for cell in items]
        labels["slot"] = [cell[2] for cell in items]
    counts = Counts.from_arrays(
        {system: np.array(some, dtype=np.int64) for system, some in rows.items()},
        columns=columns,
        items=["/".join(cell) for cell in items],
        labels=labels,
        kind=whole if depth == 1 else item,
        form="counts",
    )
    if row != ALL:
        return counts
    regions = {system: spans(add_up(run.design, run.pairs)) for system, run in runs.items()}
    return replace(counts, regions=regions)


def _sums(run: Run, row: str, depth: int, width: int) -> dict[Cell, list[int]]:
    """Return the weighted counts of each item, whose cell has that depth."""
    found: dict[Cell, list[list[int]]] = {}
    for pair, slot, tally in counted(run.design, run.pairs, row):
        if depth > 1 and pair.status == "irrelevant":
            continue  # no template, and no slot, of any system
        weighted = [slot.weight * count for count in tally[:width]]
        found.setdefault(cell_of(pair, slot.name)[:depth], []).append(weighted)
    return {cell: [*map(sum, zip(*rows, strict=True))] for cell, rows in found.items()}


def evaluation_counts(
    evaluation: Evaluation, runs: Mapping[str, Run], item: str, metrics: Collection[str] = ()
) -> Counts:
    """Return the counts of an evaluation's scored runs, averaged where a system has several.

    Where a metric of text filtering is named, the counts have its columns, too.
    """
    filtering = any(name.startswith(FILTERING) for name in metrics)
    if filtering and item != "message":
        raise UsageError(f"text filtering is of messages: drop --unit {item}")
    rules = None if evaluation.selections is None else union(evaluation.selections)
    counts = run_counts(runs, item, evaluation.row, rules, filtering=filtering)
    cells = {name: name.rsplit("/", ITEMS.index(item)) for name in counts.items}
    views = TemplateViews(evaluation.tasks, runs, cells)
    texts = item_texts(evaluation.corpus.texts(), [cell[0] for cell in cells.values()])
    counts = replace(counts, views=views, texts=texts)
    if item == "message" and texts is not None:
        counts = _with_copies(counts, texts.inputs)
    return averaged(counts, evaluation.corpus.runs_of, evaluation.notices)


def item_texts(texts: Mapping[str, str], messages: Sequence[str]) -> ItemTexts | None:
    """Return the texts that items are of, where any is given."""
    return ItemTexts(tuple(texts.get(each, "") for each in messages)) if texts else None


def _with_copies(counts: Counts, texts: Sequence[str]) -> Counts:
    """Return counts with a label that names the first message of the same text, if any has one."""
    first: dict[str, str] = {}
    same = [
        first.setdefault(" ".join(text.split()) or name, name)
        for name, text in zip(counts.items, texts, strict=True)
    ]
    if len(first) == len(same):
        return counts
    return replace(counts, labels={**counts.labels, "text": tuple(same)})


def selection_counts(evaluation: Evaluation) -> SelectionCounts:
    """Return what is counted per selection and system, each with the rest beside it.

    With a contrast, `A,B`, there is one selection, and instead of the rest stands the other one;
    slots of both, or of neither, are left out.
    """
    choosers = {name: chooser(rules) for name, rules in (evaluation.selections or {}).items()}
    asked: list[tuple[str, Chooser, str | None, Chooser | None]]
    asked = [(*each, None, None) for each in choosers.items()]
    row, contrast = evaluation.row, evaluation.corpus.reading.options.contrast
    if contrast is not None:
        names = [name.strip() for name in contrast.split(",")]
        if len({*names} & choosers.keys()) != 2 or len(names) != 2:
            known = ", ".join(choosers)
            raise UsageError(f"--contrast {contrast}: name two of {known}, as A,B")
        first, second = names
        asked = [(first, choosers[first], second, choosers[second])]
    runs = evaluation.score().values()
    slots = tuple(selected_slots(run, row, *each) for each in asked for run in runs)
    return SelectionCounts(row, slots, tuple(each.text for each in evaluation.notices))


def selected_slots(
    run: Run, row: str, selection: str, chosen: Chooser, against: str | None, other: Chooser | None
) -> SelectedSlots:
    """Return the slots that count anything; beside another selection, those of only one."""
    slots = [
        (cell, tally)
        for pair, slot, tally in counted(run.design, run.pairs, row)
        for cell in [cell_of(pair, slot.name)]
        if (tally.pos or tally.act) and (other is None or chosen(cell) != other(cell))
    ]
    values = [[2 * t.cor + t.par, 2 * t.pos, 2 * t.act] for _, t in slots]
    return SelectedSlots(
        selection,
        run.system,
        np.array(values, dtype=np.int64).reshape(-1, 3),
        np.array([chosen(cell) for cell, _ in slots], dtype=bool),
        tuple(cell[0] for cell, _ in slots),
        tuple("/".join(cell) for cell, _ in slots),
        against,
    )
