"""`--as relations`: dependency F, or F over any sets, per segment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import Head, read_head
from tellapart.formats.relations.files import is_conllu, read_file
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts


def looks_like_relations(head: Head) -> bool:
    r"""Return whether these are relations as JSONL, or trees in CoNLL-U.

    >>> looks_like_relations(Head("x", b'{"unit": "s1", "relations": [["subj", "see"]]}', True))
    True
    >>> looks_like_relations(Head("x", b"1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n", True))
    True
    """
    return "relations" in (head.first_row() or {}) or is_conllu(head.lines)


def looks_like_relation_lines(head: Head) -> bool:
    r"""Return whether these are lines `item, relation…`, with tabs in all.

    Items must have several lines, or all relations several fields: one tab alone may be in texts.

    >>> looks_like_relation_lines(Head("x", b"s1\tsubj\tsee\tcat\ns1\tobj\tsee\tdog\ns2\n", True))
    True
    >>> looks_like_relation_lines(Head("x", b"s1\tA sentence.\ns2\tAnother one.\n", True))
    False
    """
    if not has_tabs_throughout(head):
        return False
    rows = [line.split("\t") for line in head.filled_lines()]
    items = [row[0].strip() for row in rows]
    related = [row for row in rows if len(row) > 1]
    return len(set(items)) < len(items) or all(len(row) > 2 for row in related)


def has_tabs_throughout(head: Head) -> bool:
    """Return whether every line has a tab; only a single word may stand without."""
    lines = head.filled_lines()
    alone = [line for line in lines if "\t" not in line]
    return len(alone) < len(lines) and not any(" " in line.strip() for line in alone)


def _check(path: str, _: Head) -> None:
    head = read_head(path)
    if not (head.first_row() or has_tabs_throughout(head)):
        raise DataError(f"{shown(path)}:1: there is no tab between item and relation; give one")
    read_file(path)


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return relations as counts, segment by segment or response by response."""
    from tellapart.formats.relations.reader import read_relations

    if sources.item not in (None, "response"):
        raise UsageError(
            f"the items of relations are segments, or --item response; not {sources.item!r}"
        )
    return read_relations(
        sources.systems,
        sources.gold,
        missing=sources.missing or "error",
        responses=sources.item == "response",
    )


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterable[Finding]:
    from tellapart.formats.relations.reader import findings

    return findings(files, gold)


FORMAT = Format(
    names=("relations",),
    units=("response",),
    about="relations of parses, or any sets, per segment: JSONL, TSV, CoNLL-U",
    recognises=looks_like_relations,
    recognises_gold=looks_like_relations,
    recognises_lines=looks_like_relation_lines,
    check=_check,
    read=_read,
    findings=_findings,
)
