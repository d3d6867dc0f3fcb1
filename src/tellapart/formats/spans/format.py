"""`--as spans`: labelled spans of texts, as annotation tools export them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.head import Head
from tellapart.formats.registry import Format, Report, Sources
from tellapart.formats.spans.detection import looks_like_spans
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.spans.reader import SpanScores


def _check(path: str, _: Head) -> None:
    from tellapart.formats.spans.lines import read_span_file

    read_span_file(path)
    with open_text(path) as stream:
        if not any('"spans"' in line for line in stream):
            raise DataError(f'{shown(path)}: no line has "spans"; give those of each text')


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Count the spans of each text."""
    return _scores(sources).counts


def _report(sources: Sources, _: NoOptions) -> Report:
    """Score every system, label by label."""
    from tellapart.formats.entities import entity_report

    found = _scores(sources)
    return entity_report(found.counts, found.reports, sources.metrics)


def _scores(sources: Sources) -> SpanScores:
    from tellapart.formats.spans.reader import score_spans

    if sources.item not in (None, "text"):
        raise UsageError("the items of spans are texts; --cluster names a key of their meta")
    return score_spans(sources.systems, sources.gold, missing=sources.missing or "error")


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterator[Finding]:
    from tellapart.formats.spans.checking import span_problems

    return map(Finding.of, span_problems(files, gold))


FORMAT = Format(
    names=("spans",),
    about="labelled spans of texts, as annotation tools export them",
    recognises=looks_like_spans,
    recognises_gold=looks_like_spans,
    check=_check,
    read=_read,
    report=_report,
    findings=_findings,
)
