"""`--as counts` and `--as items`: tables of counts, or of ready values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.formats.contract import Format, Sources, when_called
from tellapart.formats.head import Head, first_rows
from tellapart.options import SCORING, names_in, option

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.tables.frames import Frame


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What columns are, where their names do not tell."""

    system: Sequence[str] | None = option(
        None,
        "the column that names the systems; several: columns that are systems, or name them "
        "together (model,prompt)",
        metavar="COLUMN",
        kind=names_in,
        verbs=SCORING,
    )
    columns: Sequence[str] | None = option(
        None, "the columns that are counts or scores", metavar="A,B,C", kind=names_in, verbs=SCORING
    )
    labels: Sequence[str] | None = option(
        None,
        "the columns that are labels, in a wide table",
        metavar="A,B",
        kind=names_in,
        verbs=SCORING,
    )
    condition: str | None = option(
        None,
        "the column of conditions, such as prompts, under which systems were run",
        metavar="COLUMN",
        verbs=SCORING,
    )

    def __post_init__(self) -> None:
        """Take one name for a list of it."""
        for name in ("system", "columns", "labels"):
            if isinstance(one := getattr(self, name), str):
                object.__setattr__(self, name, (one,))


def looks_like_table(head: Head) -> bool:
    r"""Return whether this is a table: the first line names columns that are known.

    One is an item, or two are others.

    >>> looks_like_table(Head("x", b"item,old,new\nq1,0,1\n", whole=True))
    True
    >>> looks_like_table(Head("x", b'{"item": "q1", "score": 1}\n', whole=True))
    True
    >>> looks_like_table(Head("x", b"One item, a second one,\nand more.\n", whole=True))
    False
    """
    return head.kind == "parquet" or names_columns(header_of(head))


def header_of(head: Head) -> list[str]:
    """Return the names of columns, in small letters."""
    return [name.lower() for row in first_rows(head)[:1] for name in row]


def names_columns(names: list[str]) -> bool:
    """Return whether columns are those of a table: one names the item, or two are known."""
    from tellapart.counts.arrays import ITEM_COLUMNS
    from tellapart.formats.tables.columns import KNOWN_NAMES

    return not set(ITEM_COLUMNS).isdisjoint(names) or len(KNOWN_NAMES.intersection(names)) > 1


def read(
    sources: Sources, options: TableOptions, tables: Mapping[str, Frame] | None = None
) -> Counts:
    """Read tables, which tell themselves whether they hold counts or ready values.

    `tables` stand in no file.
    """
    from tellapart.formats.tables.reader import read_tables

    in_memory = None
    if tables is not None:
        from tellapart.formats.tables.frames import as_tables, named_index

        if sources.item is None:
            sources = replace(sources, item=named_index(tables))
        in_memory = as_tables(tables, sources.item, long=len(options.system or ()) == 1)
    counts = read_tables(sources, options, in_memory)
    if sources.form not in (None, counts.form):
        columns = ", ".join(counts.columns)
        raise UsageError(f"the tables hold {counts.form}, not {sources.form}: {columns}")
    return counts


FORMAT = Format(
    names=("counts", "items"),
    about="tables of counts, or of ready values: CSV, TSV, JSON, Parquet",
    recognises=looks_like_table,
    read=read,
    options=TableOptions,
    findings=when_called("tables.reader:findings"),
    item_column=True,
)
