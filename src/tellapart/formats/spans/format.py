"""`--as spans`: labelled spans of texts, as annotation tools export them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.entities import EntityScores


def looks_like_spans(head: Head) -> bool:
    r"""Return whether the first line is an object with a text and a list of spans.

    >>> looks_like_spans(Head("x", b'{"text": "Anna", "spans": []}\n', whole=True))
    True
    >>> looks_like_spans(Head("x", b'{"item": "q1", "score": 1}\n', whole=True))
    False
    """
    if not any(line.strip() for line in head.lines):  # one long line, cut off
        return {"text", "spans"} <= set(head.keys())
    row = head.first_row()
    if row is None or not isinstance(row.get("text"), str):
        return False
    spans = row.get("spans")
    if not isinstance(spans, list):
        return False
    return all(isinstance(span, dict) and "label" in span for span in spans)


def _check(path: str, _: Head) -> None:
    from tellapart.formats.spans.files import read_span_file

    read_span_file(path)
    with open_text(path) as stream:
        if not any('"spans"' in line for line in stream):
            raise DataError(f'{shown(path)}: no line has "spans"; give those of each text')


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return the counts of spans, text by text."""
    return _scores(sources).counts


def _report(sources: Sources, _: NoOptions) -> Report:
    """Return every system's scores, label by label."""
    from tellapart.formats.entities import entity_report

    found = _scores(sources)
    return entity_report(found, sources.metrics)


def _scores(sources: Sources) -> EntityScores:
    from tellapart.formats.spans.reader import score_spans

    if sources.item not in (None, "text"):
        raise UsageError("the items of spans are texts; --cluster names a key of their meta")
    return score_spans(sources.systems, sources.gold, missing=sources.missing or "error")


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterable[Finding]:
    from tellapart.formats.spans.reader import findings

    return findings(files, gold)


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
