"""Tables of what systems wrote, to be judged by people: items with their outputs; no scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.arrays import ITEM_COLUMNS, SYSTEM_COLUMNS
from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.sources import default_name, parse_source
from tellapart.formats.tables.columns import Table, read_table
from tellapart.formats.tables.names import (
    GOLDS,
    INPUTS,
    NUMBERING,
    OTHER_ITEMS,
    OUTPUTS,
    REPEAT_COLUMNS,
    RUN_COLUMNS,
    first_of,
)
from tellapart.metrics.directions import is_measure
from tellapart.words import listed

ANSWERED: Final = "answered"
"""The one column of the counts: 1 where a system has an output"""
_LONGEST_LABEL: Final = 80


@dataclass(slots=True)
class _Answers:
    """The rows of one table, by item."""

    outputs: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    others: dict[str, dict[str, str]] = field(default_factory=dict)
    """By column: texts by item; `input` and `gold` by these names"""


def read_answers(sources: Sequence[str | Path], *, item: str | None = None) -> Counts:
    r"""Return the outputs in tables, one system each, as texts of counts that say who answered.

    A table has a column that names the item, or is asked for by `item`, and one of outputs (output,
    response, prediction …); it may have inputs, gold answers and labels. Scores are not looked at.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.csv")
    ...     _ = path.write_text("id,question,output\nq1,2+2?,4\n")
    ...     read_answers([f"A={path}"]).texts
    ItemTexts(inputs=('2+2?',), golds=(), outputs={'A': ('4',)})
    """
    systems: dict[str, _Answers] = {}
    for each in sources:
        source = parse_source(each)
        (path,) = source.paths
        systems[source.name or default_name(path)] = _read(path, item)
    items = tuple(dict.fromkeys(name for read in systems.values() for name in read.outputs))
    there = [np.array([name in read.outputs for name in items]) for read in systems.values()]
    shared = {name: _shared(name, systems, items) for name in ("input", "gold")}
    labels = _labels(systems, items)
    columns = {ANSWERED: [each.astype(np.int64) for each in there]}
    counts = Counts.from_columns(list(systems), items, columns, labels, "item", "items")
    outputs = {
        system: tuple(read.outputs.get(name, "") for name in items)
        for system, read in systems.items()
    }
    present = np.stack(there)
    return replace(
        counts,
        texts=ItemTexts(shared["input"], shared["gold"], outputs),
        present=None if present.all() else present,
    )


def _read(path: str, item: str | None) -> _Answers:
    table = read_table(path, Findings(strict=True))
    _refuse_several(table)
    roles = _roles(table, item)
    read = _Answers()
    for row in range(len(table)):
        name, place = table.columns[roles["item"]][row].strip(), table.place(row)
        if not name:
            raise DataError(f"{place}: the row has no {roles['item']!r}; give each item its own")
        if name in read.places:
            raise DataError(
                f"{place}: item {name!r} is there for the second time, after {read.places[name]}; "
                "give each item once"
            )
        read.places[name] = place
        for role, column in roles.items():
            text = table.columns[column][row]
            if role == "output" and text:
                read.outputs[name] = text
            elif role != "output":
                read.others.setdefault(role, {})[name] = text
    return read


def _roles(table: Table, item: str | None) -> dict[str, str]:
    """Return the columns by what they are: item, output, input, gold, and `label NAME`."""
    columns = {name.lower(): name for name in table.columns}
    names, where = list(columns), shown(table.path)
    if item is not None and item not in table.columns:
        raise DataError(
            f"{where}: there is no column {item!r} (--item) among {listed(list(table.columns))}"
        )
    own = item.lower() if item is not None else first_of((*ITEM_COLUMNS, *OTHER_ITEMS), names)
    output = first_of(OUTPUTS, [name for name in names if name != own])
    for column, kind, remedy in (
        (own, "item column (such as id, item or question_id)", "name it with --item"),
        (output, "column of outputs (such as output, response or answer)",
         "call the one that people are to judge so"),
    ):  # fmt: skip
        if column is None:
            known = listed(list(table.columns))
            raise DataError(f"{where}: no {kind} among the columns {known}; {remedy}")
    rest = [name for name in names if name not in (own, output)]
    gold, asked = first_of(GOLDS, rest), first_of(INPUTS, rest)
    if asked is None and own in INPUTS:
        asked = own
    roles = {"item": own, "output": output, "input": asked, "gold": gold}
    bystanders = {gold, asked, *SYSTEM_COLUMNS, *RUN_COLUMNS, *REPEAT_COLUMNS, *NUMBERING}
    labels = (n for n in rest if n not in bystanders and not is_measure(n))
    roles |= {f"label {columns[name]}": name for name in labels}
    return {role: columns[name] for role, name in roles.items() if name is not None}


def _refuse_several(table: Table) -> None:
    """Refuse a table of several systems: here each has a file of its own."""
    named = first_of(SYSTEM_COLUMNS, list(table.columns))
    if named is not None and len(table.columns[named].texts) > 1:
        raise DataError(
            f"{shown(table.path)}: the column {named!r} names several systems; give each system a "
            "file of its own"
        )


def _shared(column: str, systems: Mapping[str, _Answers], items: Sequence[str]) -> tuple[str, ...]:
    """Return inputs or gold answers, in which all tables that have them must agree."""
    found: dict[str, tuple[str, str]] = {}
    for read in systems.values():
        for item, text in read.others.get(column, {}).items():
            known, place = found.setdefault(item, (text, read.places[item]))
            if known != text and column == "gold":
                raise DataError(
                    f"{read.places[item]}: the gold answer is {text[:60]!r}, but {known[:60]!r} in "
                    f"{place}; judge systems on the same version of the data"
                )
    texts = tuple(found.get(item, ("", ""))[0] for item in items)
    return texts if any(texts) else ()


def _labels(systems: Mapping[str, _Answers], items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what all tables say of the items alike, in few words."""
    labels = {}
    columns = dict.fromkeys(name for read in systems.values() for name in read.others)
    for column in columns:
        if not column.startswith("label "):
            continue
        told: dict[str, set[str]] = {}
        for read in systems.values():
            for item, text in read.others.get(column, {}).items():
                told.setdefault(item, set()).add(text)
        texts = [next(iter(told.get(item, {""}))) for item in items]
        if all(len(each) == 1 for each in told.values()) and (
            max(map(len, texts), default=0) <= _LONGEST_LABEL
        ):
            labels[column.removeprefix("label ")] = tuple(texts)
    return labels
