"""`--as conll`: tags in the last column of CoNLL files, as entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tellapart.errors import Finding, UsageError
from tellapart.formats.head import Head
from tellapart.formats.registry import Format, Report, Sources
from tellapart.formats.tags.detection import looks_like_tags
from tellapart.options import option

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.tags.reader import TagScores


@dataclass(frozen=True, slots=True)
class TagOptions:
    """How tags are read as entities."""

    scheme: str = option(
        "lenient",
        "whether a stray I tag begins an entity, or loses it (default: lenient)",
        choices=("lenient", "strict"),
    )


def _check(path: str, _: Head) -> object:
    from tellapart.formats.tags.files import read_tag_file

    return read_tag_file(path)


def _read(sources: Sources, options: TagOptions) -> Counts:
    """Count the entities of each sentence."""
    return _scores(sources, options).counts


def _report(sources: Sources, options: TagOptions) -> Report:
    """Score every system, type by type, in the layout of conlleval."""
    from tellapart.formats.entities import entity_report

    found = _scores(sources, options)
    return entity_report(found.counts, found.reports, sources.metrics)


def _scores(sources: Sources, options: TagOptions) -> TagScores:
    from tellapart.formats.tags.reader import score_tags

    if sources.item not in (None, "sentence"):
        raise UsageError("the items of tags are sentences; --cluster document joins them")
    return score_tags(sources.systems, sources.gold, scheme=options.scheme)


def _findings(files: Sequence[str], gold: Sequence[str], _: TagOptions) -> Iterator[Finding]:
    from tellapart.formats.tags.reader import findings

    return map(Finding.of, findings(files, gold))


FORMAT = Format(
    names=("conll",),
    about="tags in the last column of CoNLL files, as entities",
    recognises=looks_like_tags,
    recognises_gold=looks_like_tags,
    check=_check,
    read=_read,
    options=TagOptions,
    report=_report,
    findings=_findings,
)
