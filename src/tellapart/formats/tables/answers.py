"""Tables of what systems wrote, to be judged by people: items with their outputs; no scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.arrays import ITEM_COLUMNS, SYSTEM_COLUMNS
from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.sources import default_name, parse_source
from tellapart.formats.tables.columns import Table, first_of, read_table
from tellapart.formats.tables.names import (
    GOLDS,
    INPUTS,
    NUMBERING,
    OTHER_ITEMS,
    OUTPUTS,
    REPEAT_COLUMNS,
    RUN_COLUMNS,
)
from tellapart.metrics.directions import is_measure
from tellapart.words import listed

ANSWERED: Final = "answered"
"""The one column of the counts: 1 where a system has an output"""
_LONGEST_LABEL: Final = 80


class _Answers(NamedTuple):
    """The table of one system, what its columns are, and the row of each item."""

    table: Table
    roles: Mapping[str, str]
    """Column by role: item, output, input, gold, and `label NAME`"""
    rows: Mapping[str, int]

    def text(self, role: str, item: str) -> str | None:
        """Return what the table says of an item; None if it says nothing of the kind."""
        if role not in self.roles or item not in self.rows:
            return None
        return self.table.columns[self.roles[role]][self.rows[item]]


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
    for source in map(parse_source, sources):
        (path,) = source.paths
        systems[source.name or default_name(path)] = _read(path, item)
    items = tuple(
        dict.fromkeys(item for own in systems.values() for item in own.rows
                      if own.text("output", item))
    )  # fmt: skip
    outputs = {
        system: tuple(own.text("output", item) or "" for item in items)
        for system, own in systems.items()
    }
    present = np.array([[text != "" for text in texts] for texts in outputs.values()])
    columns = {ANSWERED: list(present.astype(np.int64))}
    counts = Counts.from_columns(
        list(systems), items, columns, _labels(systems, items), "item", "items"
    )
    inputs, golds = (_shared(role, systems, items) for role in ("input", "gold"))
    return replace(
        counts,
        texts=ItemTexts(inputs, golds, outputs),
        present=None if present.all() else present,
    )


def _read(path: str, item: str | None) -> _Answers:
    table = read_table(path, Findings(strict=True))
    named = first_of(SYSTEM_COLUMNS, list(table.columns))
    if named is not None and len(table.columns[named].texts) > 1:
        raise DataError(
            f"{shown(path)}: the column {named!r} names several systems; give each system a file "
            "of its own"
        )
    roles = _roles(table, item)
    rows: dict[str, int] = {}
    for row in range(len(table)):
        name = table.columns[roles["item"]][row].strip()
        if not name:
            raise DataError(
                f"{table.place(row)}: the row has no {roles['item']!r}; give each item its own"
            )
        if name in rows:
            raise DataError(
                f"{table.place(row)}: item {name!r} is there for the second time, after "
                f"{table.place(rows[name])}; give each item once"
            )
        rows[name] = row
    return _Answers(table, roles, rows)


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


def _shared(role: str, systems: Mapping[str, _Answers], items: Sequence[str]) -> tuple[str, ...]:
    """Return inputs or gold answers, in which all tables that have them must agree."""
    texts = []
    for item in items:
        told = [(own, text) for own in systems.values()
                if (text := own.text(role, item)) is not None]  # fmt: skip
        for own, text in told if role == "gold" else ():
            first, known = told[0]
            if text != known:
                raise DataError(
                    f"{own.table.place(own.rows[item])}: the gold answer is {text[:60]!r}, but "
                    f"{known[:60]!r} in {first.table.place(first.rows[item])}; judge systems on "
                    "the same version of the data"
                )
        texts.append(told[0][1] if told else "")
    return tuple(texts) if any(texts) else ()


def _labels(systems: Mapping[str, _Answers], items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what all tables say of the items alike, in few words."""
    labels = {}
    roles = dict.fromkeys(role for own in systems.values() for role in own.roles)
    for role in (role for role in roles if role.startswith("label ")):
        told = [{own.text(role, item) for own in systems.values()} - {None} for item in items]
        texts = [next(iter(own or {""})) or "" for own in told]
        if all(len(own) <= 1 for own in told) and max(map(len, texts), default=0) <= _LONGEST_LABEL:
            labels[role.removeprefix("label ")] = tuple(texts)
    return labels
