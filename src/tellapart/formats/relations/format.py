"""`--as relations`: dependency F, or F over any sets, per segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.registry import Format, Sources
from tellapart.formats.relations.detection import (
    has_tabs_throughout,
    looks_like_relation_lines,
    looks_like_relations,
)
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts


def _check(path: str, _: Head) -> None:
    from tellapart.formats.relations.files import read_file

    head = read_head(path)
    if not (head.first_row() or has_tabs_throughout(head)):
        raise DataError(f"{shown(path)}:1: there is no tab between item and relation; give one")
    read_file(path)


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Read relations as JSONL, TSV or CoNLL-U."""
    from tellapart.formats.relations.files import read_relations

    if sources.item not in (None, "response"):
        raise UsageError(
            f"the items of relations are segments, or --unit response; not {sources.item!r}"
        )
    return read_relations(
        sources.systems,
        sources.gold,
        missing=sources.missing or "error",
        responses=sources.item == "response",
    )


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterator[Finding]:
    from tellapart.formats.text.checking import relation_problems

    return map(Finding.of, relation_problems(files, gold))


FORMAT = Format(
    names=("relations",),
    about="relations of parses, or any sets, per segment: JSONL, TSV, CoNLL-U",
    recognises=looks_like_relations,
    recognises_gold=looks_like_relations,
    recognises_lines=looks_like_relation_lines,
    check=_check,
    read=_read,
    findings=_findings,
)
