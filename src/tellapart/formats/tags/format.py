"""`--as conll`: tags in the last column of CoNLL files, as entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tellapart.errors import Finding, UsageError
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.tags.files import DOCUMENT, TAG
from tellapart.options import option

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.entities import EntityScores


@dataclass(frozen=True, slots=True)
class TagOptions:
    """How tags are read as entities."""

    scheme: str = option(
        "lenient",
        "whether a stray I tag begins an entity, or loses it (default: lenient)",
        choices=("lenient", "strict"),
    )


def looks_like_tags(head: Head) -> bool:
    r"""Return whether every line is a token with a tag, and some tag is not O.

    >>> looks_like_tags(Head("x", b"Anna B-PER\nsings O\n", whole=True))
    True
    >>> looks_like_tags(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    lines = head.filled_lines()
    found = bool(lines) and lines[0].startswith(DOCUMENT)
    for line in lines:
        fields = line.split("\t") if "\t" in line else line.split(" ")
        tag = fields[-1].strip()
        if fields[0] == DOCUMENT or (line.startswith("#") and not TAG.fullmatch(tag)):
            continue
        if len(fields) < 2 or not TAG.fullmatch(tag):
            return False
        found = found or "-" in tag
    return found


def _check(path: str, _: Head) -> object:
    from tellapart.formats.tags.files import read_tag_file

    return read_tag_file(path)


def _read(sources: Sources, options: TagOptions) -> Counts:
    """Return the counts of entities, sentence by sentence."""
    return _scores(sources, options).counts


def _report(sources: Sources, options: TagOptions) -> Report:
    """Return every system's scores, type by type, in the layout of conlleval."""
    from tellapart.formats.entities import entity_report

    found = _scores(sources, options)
    return entity_report(found, sources.metrics)


def _scores(sources: Sources, options: TagOptions) -> EntityScores:
    from tellapart.formats.tags.reader import score_tags

    if sources.item not in (None, "sentence"):
        raise UsageError("the items of tags are sentences; --cluster document joins them")
    return score_tags(sources.systems, sources.gold, scheme=options.scheme)


def _findings(files: Sequence[str], gold: Sequence[str], options: TagOptions) -> Iterable[Finding]:
    from tellapart.formats.tags.reader import findings

    return findings(files, gold, options.scheme)


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
