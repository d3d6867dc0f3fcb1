"""`--as templates`: templates and events as JSON, held against gold ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import Finding
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.records import try_json
from tellapart.options import READING, input_file, option, output_path

if TYPE_CHECKING:
    from tellapart.counts import Counts


CHECKED: Final = (*READING, "validate")
REPORTS: Final = ("pairs", "messages", "totals", "regions")


@dataclass(frozen=True)
class TemplateOptions:
    """What files of templates may need beside them."""

    schema: str | None = input_file(
        "which keys are type, roles and id, and how slots match", CHECKED
    )
    report: str = option(
        "totals",
        "of the metrics `muc`: a table per pair of templates, per document, or of totals only",
        choices=REPORTS,
        verbs=("score",),
    )
    report_dir: str | None = output_path("write one report per system, NAME.txt", "DIR")
    write_schema: str | None = output_path(
        "write the schema that was guessed or given, to be changed"
    )
    texts: str | None = input_file(
        "the messages, where gold is a key of the Message Understanding Conferences", CHECKED
    )
    slots: str = option(
        "muc4",
        "template design of such files: muc4, muc3 or a file (default: muc4)",
        metavar="TABLE",
        reads=True,
        verbs=CHECKED,
    )


_DOCUMENT: Final = {"doc", "docid", "doc_id", "id", "doc_key", "sent_id"}
_LISTS: Final = {"templates", "pred_templates", "events", "event_mentions"}
_FILLERS: Final = {"extracts", "pred_extracts"}
_PREDICTED: Final = {"pred_templates", "pred_extracts"}
_TYPES: Final = {"type", "incident_type", "event_type", "template_type"}
_CUT_OFF: Final = re.compile(
    r'\s*\{\s*"[^"]*"\s*:\s*\{.*"(?:pred_templates|pred_extracts)"\s*:', re.S
)
"""One object of documents in one long line, as GTT writes it"""
_LOOKED_AT: Final = 100  # records


def looks_like_templates(head: Head) -> bool:
    r"""Return whether a file begins with a document and its templates.

    >>> looks_like_templates(Head("x", b'{"doc": "d1", "templates": [{"type": "sale"}]}\n', True))
    True
    >>> looks_like_templates(Head("x", b'{"id": "q1", "events": 3}\n', True))
    False
    """
    rows = [row for row in map(try_json, head.filled_lines(_LOOKED_AT)) if isinstance(row, dict)]
    if not rows:
        whole = try_json(head.text) if head.whole else head.first_element()
        several = whole if isinstance(whole, list) else [whole]
        rows = [row for row in several[:_LOOKED_AT] if isinstance(row, dict)]
    if not rows:
        return _CUT_OFF.match(head.text) is not None
    # Documents without templates say nothing: IterX begins with many of them.
    telling = next((row for row in rows if any(each != [] for each in row.values())), None)
    return telling is not None and _is_record(telling)


def _is_record(row: dict[str, Any]) -> bool:
    """Return whether an object is a document with its templates, or has some under their names."""
    if _DOCUMENT.isdisjoint(row):
        return any(map(_is_of_document, row.values()))
    return any(isinstance(row[key], dict) for key in _FILLERS & row.keys()) or any(
        _are_templates(row[key]) for key in _LISTS & row.keys()
    )


def _is_of_document(value: Any) -> bool:
    """Return whether this may stand under the name of a document in an object of documents."""
    if isinstance(value, dict):
        return not _PREDICTED.isdisjoint(value)
    return isinstance(value, list) and any(map(_is_template, value)) and _are_templates(value)


def _are_templates(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_template, value))


def _is_template(value: Any) -> bool:
    return isinstance(value, dict) and not _TYPES.isdisjoint(value)


def _check(path: str, _: Head) -> None:
    """Refuse a file that begins like none of this format by what is wrong with it."""
    from tellapart.formats.problems import Findings
    from tellapart.formats.templates.layouts import read_template_file

    read_template_file(path, Findings(strict=True), TemplateOptions())


def _read(sources: Sources, options: TemplateOptions) -> Counts:
    """Return what the wanted metrics count, document by document."""
    from tellapart.formats.templates.counting import count_templates

    return count_templates(sources, options).counts


def _report(sources: Sources, options: TemplateOptions) -> Report:
    """Return every system's scores; by the categories of MUC, in the layout of their reports."""
    from tellapart.formats.templates.counting import count_templates
    from tellapart.formats.templates.slot_report import slot_report, with_schema_report

    scored = count_templates(sources, options)
    return with_schema_report(slot_report(scored, sources.metrics), scored, options)


def _findings(
    files: Sequence[str], gold: Sequence[str], options: TemplateOptions
) -> Iterable[Finding]:
    from tellapart.formats.templates.counting import template_findings

    return template_findings(files, gold, options)


FORMAT: Final = Format(
    names=("templates",),
    about="templates and events as JSON: GTT, GRIT, IterX, TextEE, or any other",
    recognises=looks_like_templates,
    recognises_gold=looks_like_templates,
    check=_check,
    read=_read,
    report=_report,
    findings=_findings,
    options=TemplateOptions,
)
