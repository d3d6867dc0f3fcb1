"""What columns turn out to be once all rows are there: labels of items, metrics, or texts.

A label is the same for all systems. Numbers in which systems differ are metrics, and texts in which
they differ are what the systems wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS, SYSTEM_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.tables.names import (
    GOLDS,
    INPUTS,
    NUMBERING,
    OUTPUTS,
    RUN_COLUMNS,
    SHARED,
    first_of,
)
from tellapart.metrics.directions import is_measure
from tellapart.words import listed, several

if TYPE_CHECKING:
    from tellapart.formats.tables.joining import JoinedTables, Part


@dataclass(frozen=True, slots=True)
class Decided:
    """The columns beside the values that are sure."""

    metrics: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    input: str | None = None
    gold: str | None = None
    output: str | None = None
    notices: tuple[Notice, ...] = ()


def decide(tables: JoinedTables, shared: Collection[str]) -> Decided:
    """Return what the columns are; labels that differ and must not are told in `tables.problems`.

    `shared` are those that the user calls labels.
    """
    numbers = _numbers(tables)
    several_systems = tables.n_systems > 1
    metrics, labels, texts = list[str](), list[str](), list[str]()
    left_out, prompts = list[str](), list[Notice]()
    for name in tables.labels:
        rows = differing(tables.parts, name, len(tables.items))
        first = next(rows, None)
        named = name in shared
        if name in numbers and not named and (is_measure(name) or (first and several_systems)):
            metrics.append(name)
        elif first is None:
            (texts if _is_output(name) and not named else labels).append(name)
        elif name in INPUTS and not named:
            prompts.append(_prompts_differ(name, first, rows))
        elif name in SHARED or named:
            for part, row in (first, *rows):
                tables.problems.complain(_different(tables, name, part, row))
        elif _is_text(tables, name):
            texts.append(name)
        else:
            left_out.append(name)
    output = first_of(OUTPUTS, texts) or next(iter(texts), None)
    left_out += [name for name in texts if name != output]
    _check_values(tables, metrics)
    asked = [name for name in labels if any(name in each.labels for each in tables.layouts)]
    metrics = [name for name in tables.labels if name in metrics]
    notices = (*prompts, *_left_out(left_out, output), *_gaps(tables, numbers))
    return Decided(
        tuple(metrics),
        tuple(asked),
        first_of(INPUTS, tables.labels),
        first_of(GOLDS, labels),
        output,
        notices,
    )


def _numbers(tables: JoinedTables) -> set[str]:
    """Return the columns of numbers, of which all systems have one on some item."""
    found = [set(part.maybe) for part in tables.parts]
    return {name for name in set.intersection(*found) if _somewhere(tables, name)}


def _somewhere(tables: JoinedTables, name: str) -> bool:
    whole = np.ones(len(tables.items), np.bool_)
    for part in tables.parts:
        whole[part.items[np.isnan(part.maybe[name])]] = False
    return bool(whole.any())


def _is_output(name: str) -> bool:
    return name in OUTPUTS and name not in GOLDS


def _is_text(tables: JoinedTables, name: str) -> bool:
    """Return whether a column in which systems differ may be what they wrote."""
    if name in OUTPUTS:
        return True
    bystanders = (*ITEM_COLUMNS, *SYSTEM_COLUMNS, *RUN_COLUMNS, *NUMBERING)
    return name not in bystanders and not any(name in each.maybe for each in tables.layouts)


def _check_values(tables: JoinedTables, metrics: Sequence[str]) -> None:
    """Refuse tables none of whose numbers says how well systems did."""
    layout = tables.layouts[0]
    if not layout.values and not metrics:
        path = tables.parts[0].file.path
        raise DataError(
            f"{shown(path)}: no column is called score, and in {listed(layout.maybe)} systems do "
            "not differ, so that they were taken for labels; --columns names the values"
        )


def _prompts_differ(name: str, first: tuple[Part, int], rows: Iterator[tuple[Part, int]]) -> Notice:
    items = {int(part.items[row]) for part, row in (first, *rows)}
    text = (
        f"The systems did not get the same texts in {name!r} ({several(len(items), 'item')} "
        "differ); those of the first are shown."
    )
    return Notice("prompts-differ", text, (name,))


def _left_out(names: Sequence[str], output: str | None) -> Iterator[Notice]:
    if names:
        shown_text = f" ({output!r} is shown as what they wrote)" if output else ""
        text = (
            f"No labels, since they differ between systems or runs: {listed(names, 6)}{shown_text}."
        )
        yield Notice("labels-differ", text, tuple(names))


def _gaps(tables: JoinedTables, numbers: Collection[str]) -> Iterator[Notice]:
    """Tell which measures are no metrics here, since they are not numbers of all systems."""
    maybe = dict.fromkeys(name for layout in tables.layouts for name in layout.maybe)
    gaps = [name for name in maybe if name not in numbers and is_measure(name)]
    if gaps:
        text = f"Not compared, since not all systems have a number there: {listed(gaps, 6)}."
        yield Notice("no-score", text, tuple(gaps))


def differing(parts: Sequence[Part], label: str, n_items: int) -> Iterator[tuple[Part, int]]:
    """Yield the rows that give an item another label than its first row did."""
    codes = np.zeros(n_items, np.int32)
    for part in parts:
        if label not in part.labels:
            continue
        mine = _take(codes, part, label)
        for row in np.flatnonzero((codes[part.items] != mine) & (mine != 0)).tolist():
            yield part, row


def first_codes(parts: Sequence[Part], label: str, n_items: int) -> NDArray[np.int32]:
    """Return the label of each item by its code: that of the first row that has one."""
    codes = np.zeros(n_items, np.int32)
    for part in parts:
        if label in part.labels:
            _take(codes, part, label)
    return codes


def _take(codes: NDArray[np.int32], part: Part, label: str) -> NDArray[Any]:
    """Take the labels of a part for items that have none, and return those of all its rows."""
    mine = part.labels[label]
    new = np.flatnonzero((codes[part.items] == 0) & (mine != 0))[::-1]
    codes[part.items[new]] = mine[new]  # the first row, being the last here, counts
    return mine


def _different(tables: JoinedTables, label: str, part: Part, row: int) -> str:
    """Return the problem that names two rows that give an item different labels."""
    item, code, texts = part.items[row], part.labels[label][row], tables.labels[label].texts
    for other in tables.parts:
        if label in other.labels:
            codes = other.labels[label]
            at = np.flatnonzero((other.items == item) & (codes != code) & (codes != 0))
            if at.size:
                break
    here = part.file.place(int(part.lines[row]))
    there = other.file.place(int(other.lines[at[0]]))
    return (
        f"{here}: the {label!r} of {tables.kind} {tables.items.texts[item]!r} is "
        f"{texts[code]!r}, but {texts[codes[at[0]]]!r} in {there}; make them equal, or name "
        "the columns that are labels of items with --labels"
    )
