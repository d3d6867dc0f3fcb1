"""Counts for the significance tests: per message, per template or per slot, for a summary row.

Which observations to take is section 4.4 of Chinchor, Hirschman and Lewis (1993): only messages
are the same for all systems; fewer, larger items assume less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.selections import SelectedSlots, SelectionCounts
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.design import Slot
from tellapart.formats.templates.evaluation import Evaluation
from tellapart.formats.templates.scoring import Run, ScoredPair
from tellapart.formats.templates.selections import (
    SPURIOUS,
    Chooser,
    Rule,
    chooser,
    key_number,
    union,
)
from tellapart.formats.templates.tally import Tally
from tellapart.formats.templates.totals import (
    STATUSES,
    add_up,
    counts_in,
    spans,
    templates_count_in,
    text_filtering,
)
from tellapart.formats.templates.views import TemplateViews
from tellapart.metrics.registry import FILTER_COLUMNS, FILTERING
from tellapart.metrics.runs import averaged

ITEMS: Final = ("message", "template", "slot")
COLUMNS: Final = Tally._fields[:10]

Cell: TypeAlias = tuple[str, ...]
"""Message, then template, then slot, as far as the item needs them"""


def run_counts(
    runs: Mapping[str, Run],
    item: str = "message",
    row: str = "all-templates",
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
    if item not in ITEMS:
        raise UsageError(f"an item is a {', '.join(ITEMS)}, not {item!r}")
    columns = (*COLUMNS, "pie") if row == "set-fills" else COLUMNS
    sums = {system: _sums(run, item, row, len(columns)) for system, run in runs.items()}
    items = _items(runs, sums, item, rules)
    if not items:
        raise DataError(f"no {item} counts in the row {row}; choose another row or selection")
    zero = [0] * len(columns)
    rows = {system: [found.get(cell, zero) for cell in items] for system, found in sums.items()}
    if filtering:
        columns = (*columns, *FILTER_COLUMNS)
        for system, run in runs.items():
            relevance = (text_filtering([run.relevance[cell[0]]]) for cell in items)
            rows[system] = [
                [*row, *each] for row, each in zip(rows[system], relevance, strict=True)
            ]
    whole = "document" if next(iter(runs.values())).design.of_schema else "message"
    counts = Counts.from_arrays(
        {system: np.array(some, dtype=np.int64) for system, some in rows.items()},
        columns=columns,
        items=["/".join(cell) for cell in items],
        labels=_labels(item, items, whole),
        kind=whole if item == "message" else item,
        form="counts",
    )
    if row != "all-templates":
        return counts
    regions = {system: spans(add_up(run.design, run.pairs)) for system, run in runs.items()}
    return replace(counts, regions=regions)


def _labels(item: str, items: Sequence[Cell], whole: str) -> dict[str, list[str]]:
    """Return where each item belongs, so that tests can keep together what belongs together."""
    if item == "message":
        return {}
    labels = {whole: [cell[0] for cell in items]}
    if item == "slot":
        labels["template"] = ["/".join(cell[:2]) for cell in items]
        labels["slot"] = [cell[2] for cell in items]
    return labels


def _items(
    runs: Mapping[str, Run],
    sums: Mapping[str, Mapping[Cell, list[int]]],
    item: str,
    rules: Collection[Rule] | None,
) -> list[Cell]:
    """Return all items of all systems, message by message in the order of the key."""
    by_message: dict[str, dict[Cell, None]] = {
        message: {} for message in next(iter(runs.values())).relevance
    }
    if item == "message":
        for message, cells in by_message.items():
            if rules is None or any(rule.message in ("*", message) for rule in rules):
                cells[message,] = None
    for found in sums.values():
        for cell in found:
            by_message[cell[0]][cell] = None
    return [cell for cells in by_message.values() for cell in sorted(cells, key=_order)]


def _order(cell: Cell) -> tuple[bool, Cell]:
    return SPURIOUS in cell[1:2], cell


def _sums(run: Run, item: str, row: str, width: int) -> dict[Cell, list[int]]:
    sums: dict[Cell, list[int]] = {}
    for pair, slot, tally in counted(run, row):
        if item != "message" and pair.status == "irrelevant":
            continue  # no template, and no slot, of any system
        cell = _cell(pair, slot, item)
        known = sums.get(cell)
        if known is None:
            sums[cell] = [slot.weight * count for count in tally[:width]]
        else:
            for i in range(width):
                known[i] += slot.weight * tally[i]
    return sums


def counted(run: Run, row: str) -> Iterator[tuple[ScoredPair, Slot, Tally]]:
    """Yield every slot that counts in a summary row, with its pair and tally."""
    slots = [(i, slot) for i, slot in enumerate(run.design.scored) if counts_in(row, slot)]
    templates = templates_count_in(row, run.design)
    for pair in run.pairs:
        if templates and pair.status != "optional" and any(pair.template):
            yield pair, run.design.number_slot, pair.template
        if pair.status in STATUSES[row]:
            for i, slot in slots:
                if any(pair.slots[i]):
                    yield pair, slot, pair.slots[i]


def evaluation_counts(
    evaluation: Evaluation,
    runs: Mapping[str, Run],
    item: str,
    row: str,
    metrics: Collection[str] = (),
) -> Counts:
    """Return the counts of an evaluation's scored runs, averaged where a system has several.

    Where a metric of text filtering is named, the counts have its columns, too.
    """
    filtering = any(name.startswith(FILTERING) for name in metrics)
    if filtering and item != "message":
        raise UsageError(f"text filtering is of messages: drop --unit {item}")
    rules = None if evaluation.selections is None else union(evaluation.selections)
    counts = run_counts(runs, item, row, rules, filtering=filtering)
    cells = {name: name.rsplit("/", ITEMS.index(item)) for name in counts.items}
    views = TemplateViews(evaluation.tasks, runs, cells)
    texts = item_texts(evaluation.texts, [cell[0] for cell in cells.values()])
    counts = replace(counts, views=views, texts=texts)
    if item == "message" and texts is not None:
        counts = _with_copies(counts, texts.inputs)
    return averaged(counts, evaluation.runs_of, evaluation.notices)


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


def selection_counts(
    evaluation: Evaluation, row: str, contrast: str | None = None
) -> SelectionCounts:
    """Return what is counted per selection and system, each with the rest beside it.

    With a contrast, `A,B`, there is one selection, and instead of the rest stands the other one;
    slots of both, or of neither, are left out.
    """
    selections = evaluation.selections or {}
    runs = evaluation.score()
    if contrast is None:
        slots = [
            _selected_slots(name, run, row, chooser(rules))
            for name, rules in selections.items()
            for run in runs.values()
        ]
    else:
        first, second = _two(contrast, list(selections))
        own, other = chooser(selections[first]), chooser(selections[second])
        slots = [
            replace(
                _selected_slots(first, run, row, own, lambda *cell: own(*cell) != other(*cell)),
                against=second,
            )
            for run in runs.values()
        ]
    odd = tuple(each.text for each in evaluation.notices)
    return SelectionCounts(row, tuple(slots), odd)


def _two(contrast: str, known: Sequence[str]) -> tuple[str, str]:
    match [name.strip() for name in contrast.split(",")]:
        case [first, second] if first != second and {first, second} <= set(known):
            return first, second
    raise UsageError(f"--contrast {contrast}: name two of {', '.join(known)}, as A,B")


def _selected_slots(
    selection: str, run: Run, row: str, chosen: Chooser, within: Chooser | None = None
) -> SelectedSlots:
    """Return the slots that count anything, of those that are `within`."""
    slots = [
        ((pair.message, key_number(pair), slot.name), tally)
        for pair, slot, tally in counted(run, row)
        if tally.pos or tally.act
        if within is None or within(pair.message, key_number(pair), slot.name)
    ]
    values = [[2 * t.cor + t.par, 2 * t.pos, 2 * t.act] for _, t in slots]
    return SelectedSlots(
        selection,
        run.system,
        np.array(values, dtype=np.int64).reshape(-1, 3),
        np.array([chosen(*cell) for cell, _ in slots], dtype=bool),
        tuple(message for (message, _, _), _ in slots),
        tuple("/".join((m, number or SPURIOUS, name)) for (m, number, name), _ in slots),
    )


def _cell(pair: ScoredPair, slot: Slot, item: str) -> Cell:
    template = key_number(pair) or SPURIOUS
    if item == "message":
        return (pair.message,)
    return (pair.message, template) if item == "template" else (pair.message, template, slot.name)
