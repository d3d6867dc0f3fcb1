"""`--as wandb`: a table that was logged to Weights & Biases, `*.table.json`.

Columns are what people call them: an id or the prompt names the item, `model` the system; numbers
and truth values are scores, texts are what was asked, right and said.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import INPUTS, Gathered, item_of, plain_text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, as_text
from tellapart.formats.logs.rows import names_in, read_json
from tellapart.formats.problems import Findings

_SUFFIX: Final = ".table.json"
_ITEM: Final = (
    "id", "item", "item_id", "question_id", "task_id", "sample_id", "example_id", "instance_id",
    "prompt_id", "doc_id", "idx", "index",
)  # fmt: skip
_SYSTEM: Final = ("model", "model_name", "system", "system_name")
_INPUT: Final = ("input", "prompt", "question", "query", "instruction")
_OUTPUT: Final = ("output", "prediction", "response", "completion", "generation", "answer")
_GOLD: Final = ("expected", "target", "reference", "ground_truth", "truth", "gold", "label")
_NO_SCORES: Final = frozenset({"epoch", "step", "_step", "global_step", "seed", "_timestamp"})
_CORRECT: Final[Key] = ("correct",)


def _recognises(head: Head) -> bool:
    text = head.text.lstrip()
    return text.startswith("{") and {"columns", "data"} <= names_in(head)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What the columns of a table are, by their names."""

    item: str | None
    system: str | None
    input: str | None
    output: str | None
    gold: str | None
    scores: tuple[str, ...]
    labels: tuple[str, ...]


def _read_file(path: str, problems: Findings) -> list[Log]:
    rows = _rows(path)
    columns = _roles(rows)
    found = Gathered(path, problems)
    judged = not columns.scores
    if judged:
        if columns.output is None or columns.gold is None:
            raise DataError(
                f"{shown(path)}: no column of this table is a score (numbers, or true and false); "
                "log one, such as `correct`"
            )
        problems.warn(
            f"{shown(path)}: there is no column with a score; an item is right where "
            f"{columns.output!r} equals {columns.gold!r}"
        )
    if columns.item is None:
        found.pairing = INPUTS if columns.input else "their places in the table"
    own = os.path.basename(path).removesuffix(_SUFFIX) if path.endswith(_SUFFIX) else ""
    for number, row in enumerate(rows, 1):
        place = f"{shown(path)}, row {number}"
        fields: dict[Key, Any] = {(name,): row[name] for name in columns.scores}
        if judged:
            fields = {_CORRECT: row[str(columns.output)] == row[str(columns.gold)]}
        system = as_text(row[columns.system]) if columns.system else own
        sample = _sample(row, columns, found.values(fields, place), place)
        found.add(sample if sample.item else replace(sample, item=f"row {number}"), system)
    return found.logs()


def _sample(
    row: Mapping[str, Any], columns: _Columns, values: Mapping[Key, float], place: str
) -> Sample:
    asked, gold, said = (
        plain_text(row[name]) if name else ""
        for name in (columns.input, columns.gold, columns.output)
    )
    named = as_text(row[columns.item]) if columns.item else item_of(asked)
    return Sample(
        named,
        values,
        place,
        input=asked,
        gold=gold,
        output=said,
        labels={name: plain_text(row[name]) for name in columns.labels},
        prompt_print=asked,
        gold_print=gold,
    )


def _rows(path: str) -> list[dict[str, Any]]:
    """Return the rows of a table by the names of its columns."""
    tree = read_json(path)
    names, data = (tree.get(key) if isinstance(tree, dict) else None for key in ("columns", "data"))
    if not isinstance(names, list) or not isinstance(data, list):
        raise DataError(
            f"{shown(path)}: this is no table of W&B, with lists `columns` and `data`; download it"
            " again"
        )
    titles = [as_text(name) for name in names]
    if len(set(titles)) < len(titles):
        raise DataError(f"{shown(path)}: two columns have one name; rename one")
    for number, cells in enumerate(data, 1):
        if not isinstance(cells, list) or len(cells) != len(titles):
            raise DataError(
                f"{shown(path)}, row {number}: the row does not have {len(titles)} cells, one per "
                "column; download it again"
            )
    return [dict(zip(titles, cells, strict=True)) for cells in data]


def _roles(rows: Sequence[Mapping[str, Any]]) -> _Columns:
    """Return what each column is."""
    names = list(rows[0]) if rows else []
    item, system, asked, said, gold = (
        _named(names, known) for known in (_ITEM, _SYSTEM, _INPUT, _OUTPUT, _GOLD)
    )
    taken = {item, system, asked, said, gold}
    free = [name for name in names if name not in taken]
    scores = [
        name
        for name in free
        if name.lower() not in _NO_SCORES and _are_numbers(row[name] for row in rows)
    ]
    labels = [name for name in free if name not in scores and _are_words(row[name] for row in rows)]
    return _Columns(item, system, asked, said, gold, tuple(scores), tuple(labels))


def _named(names: Iterable[str], known: Sequence[str]) -> str | None:
    """Return the column that has the first of some names, in letters of any size."""
    small = {name.lower(): name for name in names}
    return next((small[name] for name in known if name in small), None)


def _are_numbers(cells: Iterable[Any]) -> bool:
    given = [cell for cell in cells if cell is not None]
    return bool(given) and all(isinstance(cell, int | float) for cell in given)


def _are_words(cells: Iterable[Any]) -> bool:
    return all(isinstance(cell, str | int | float | None) for cell in cells)


FORMAT = log_format(
    "wandb",
    "tables logged to Weights & Biases, `*.table.json`",
    files="tables of W&B",
    recognises=_recognises,
    read_file=_read_file,
)
