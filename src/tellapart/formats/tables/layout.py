"""What the columns of a table are: systems, items, counts, ready values or labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tellapart.counts.arrays import KNOWN_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.tables.cells import is_truth, looks_like_number, looks_numeric
from tellapart.formats.tables.files import ALIASES, ITEM_COLUMNS, Batch, if_text
from tellapart.words import listed

CODE: Final = "odd-column"
_FAR: Final = 10  # times as large as the largest of all others


def odd_columns(extremes: Mapping[str, float]) -> Iterator[Notice]:
    """Yield warnings of columns that are far from all others, by their values farthest from 0.

    Small ones tell something only where several others agree.

    >>> [notice.text for notice in odd_columns({"A": 1.0, "B": 0.75, "length": 412.0})]
    ["The column 'length' has values as far as 412, all others stay within 1: if it is a label and \
no system, --labels length says so."]
    >>> list(odd_columns({"A": 1.0, "B": 9.5}))
    []
    """
    for name, extreme in extremes.items():
        others = [abs(other) for each, other in extremes.items() if each != name]
        if not others:
            return
        size, least, most = abs(extreme), min(others), max(others)
        if size > _FAR * most > 0:
            finding = f"has values as far as {extreme:g}, all others stay within {most:g}"
        elif len(others) > 1 and least > _FAR * size > 0:
            finding = f"stays within {size:g}, all others have values as far as {least:g}"
        else:
            continue
        remedy = f"if it is a label and no system, --labels {name} says so"
        yield Notice(CODE, f"The column {name!r} {finding}: {remedy}.", (name,))


# Names that a column of texts may have as well; only numbers make it a count.
_EVERYDAY: Final = frozenset({"sys", "gold", "match", *ALIASES})
# Of these, true and false can only mean right and wrong.
_VERDICTS: Final = ("correct", "match")
# How tools mark a number that is not there: no help in telling numbers from labels.
_NOTHING: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "inf", "-inf"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user says about the tables; None is for "tell it from the table"."""

    item: str | None = None
    columns: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of one file are."""

    item: str
    values: dict[str, str]  # column in the file → name in the counts (wide: the system's name)
    labels: tuple[str, ...]
    form: str  # "counts" or "items"
    wide: bool = False
    system: str | None = None
    run: str | None = None
    metric: str | None = None
    ignored: bool = False  # a column `score` stands beside the count columns that were taken


def find_layout(batch: Batch, wanted: Wanted) -> Layout:
    """Return what the columns are, by a table's first batch and by what the user says."""
    names = tuple(batch.columns)
    item = _item_column(batch, wanted.item)
    rest = [name for name in names if name != item]
    values = _value_columns(batch, rest, wanted.columns)
    if not values:
        return _wide_layout(batch, item, rest, wanted.labels)
    items = tuple(values.values()) == ("score",)
    metric = "metric" if items and "metric" in rest else None
    taken = {"system", "run", metric, *values}
    labels = tuple(name for name in rest if name not in taken)
    ignored = not items and wanted == Wanted(wanted.item) and "score" in labels
    if wanted.labels is not None:
        labels = tuple(name for name in wanted.labels if name in labels)
    elif ignored:
        labels = tuple(name for name in labels if name not in ("score", "metric"))
    elif wanted.columns is not None:  # what else is counted was not asked for
        labels = tuple(name for name in labels if name != "score" and not _is_count(batch, name))
    return Layout(
        item,
        values,
        labels,
        "items" if items else "counts",
        system="system" if "system" in rest else None,
        run="run" if "run" in rest else None,
        metric=metric,
        ignored=ignored,
    )


def _item_column(batch: Batch, wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in batch.columns:
            raise _no_column(batch, wanted, "--item")
        return wanted
    for name in ITEM_COLUMNS:
        if name in batch.columns:
            return name
    raise DataError(
        f"{shown(batch.path)}: no item column ({', '.join(ITEM_COLUMNS)}) among the columns "
        f"{listed(tuple(batch.columns))}; name it with --item{if_text(batch.path)}"
    )


def _value_columns(batch: Batch, rest: list[str], wanted: tuple[str, ...] | None) -> dict[str, str]:
    """Return the value columns of a long table with their names in the counts; {} if it is wide."""
    if wanted is not None:
        return {_spelled(batch, rest, name): name for name in wanted}
    known: dict[str, str] = {}
    for column in rest:
        name = ALIASES.get(column, column)
        if _is_count(batch, column):
            if name in known.values():
                raise DataError(
                    f"{shown(batch.path)}: the columns {name!r} and its other spelling are both "
                    "there; rename one, or name the value columns with --columns"
                )
            known[column] = name
    # One everyday word beside a score, as in "item, score, match", is no table of counts.
    if "score" in rest and len(known) < 2:
        return {"score": "score"}
    # Nor is one alone, as in "item, correct": that is a score of 0 or 1.
    if len(known) == 1 and _EVERYDAY.issuperset(known):
        return dict.fromkeys(known, "score")
    if not known and (verdict := _verdict(batch, rest)) is not None:
        return {verdict: "score"}
    if not known and "system" in rest:
        raise DataError(
            f"{shown(batch.path)}: no count columns and no 'score' among the columns "
            f"{listed(tuple(batch.columns))}; name count columns with --columns, or give ready "
            "values in a column 'score' (with a column 'metric' where there are several)"
        )
    return known


def _is_count(batch: Batch, column: str) -> bool:
    return ALIASES.get(column, column) in KNOWN_COLUMNS and (
        column not in _EVERYDAY or _is_numeric(batch, column)
    )


def _verdict(batch: Batch, rest: list[str]) -> str | None:
    """Return the column that says true or false of what each system did."""
    truths = [name for name in rest if _is_truth(batch, name)]
    for name in _VERDICTS:
        if name in truths:
            return name
    others = [name for name in rest if name not in ("system", "run", *truths)]
    alone = "system" in rest and len(truths) == 1
    return truths[0] if alone and not any(_is_numeric(batch, name) for name in others) else None


def _spelled(batch: Batch, rest: list[str], name: str) -> str:
    spellings = (name, *(alias for alias, known in ALIASES.items() if known == name))
    for spelling in spellings:
        if spelling in rest:
            return spelling
    raise _no_column(batch, name, "--columns")


def _wide_layout(
    batch: Batch, item: str, rest: list[str], wanted: tuple[str, ...] | None
) -> Layout:
    values = {name for name in rest if _is_numeric(batch, name)}
    if not values or wanted is not None:  # beside numbers, true and false are more likely labels
        values |= {name for name in rest if _is_truth(batch, name)}
    labels = tuple(name for name in rest if name in (wanted or ()) or name not in values)
    systems = {name: name for name in rest if name not in labels}
    if len(systems) == 1:  # scores of one system, which is called like its file
        return Layout(item, dict.fromkeys(systems, "score"), labels, "items")
    if not systems:
        raise DataError(
            f"{shown(batch.path)}: no count columns, no 'score' and no numeric column per system "
            f"among the columns {listed(tuple(batch.columns))}; name the value columns with "
            "--columns"
        )
    return Layout(item, systems, labels, "items", wide=True)


def _is_numeric(batch: Batch, column: str) -> bool:
    """Return whether a column holds numbers: its first cell is one, or most look like one."""
    if looks_numeric(next(_filled(batch, column), None)):
        return True
    cells = list(_filled(batch, column))
    return 2 * sum(map(looks_like_number, cells)) > len(cells)


def _is_truth(batch: Batch, column: str) -> bool:
    cells = list(_filled(batch, column))
    return bool(cells) and all(map(is_truth, cells))


def _filled(batch: Batch, column: str) -> Iterator[Any]:
    """Yield the cells that are no mark for "nothing"."""
    for cell in batch.columns[column]:
        if not (cell is None or str(cell).strip().lower() in _NOTHING):
            yield cell


def _no_column(batch: Batch, name: str, option: str) -> DataError:
    return DataError(
        f"{shown(batch.path)}: there is no column {name!r} ({option}); the table has "
        f"{listed(tuple(batch.columns))}"
    )
