"""`--as templates` and `--as muc`: templates against gold ones, as JSON or as files of 1992."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from tellapart.formats.contract import Format, when_called
from tellapart.formats.head import Head
from tellapart.formats.records import try_json
from tellapart.formats.templates.tally import ALL, ROWS
from tellapart.options import READING, SCORING, input_file, option, output_path

CHECKED: Final = (*READING, "validate")
REPORTS: Final = ("pairs", "messages", "totals")


@dataclass(frozen=True)
class TemplateOptions:
    """How templates are read and scored."""

    schema: str | None = input_file("of JSON: where things stand, and how slots match", CHECKED)
    history: str | None = input_file("human decisions on fills that did not match", SCORING)
    replay: str | None = input_file("score in the historical order, with its decisions", SCORING)
    slots: str | None = option(
        None,
        "of files of 1992, the template design (default: muc4)",
        choices=("muc4", "muc3"),
        verbs=CHECKED,
    )
    row: str | None = option(
        None,
        f"what counts: {', '.join(ROWS)} (default: {ALL}; of muc3, matched-missing)",
        choices=tuple(ROWS),
        metavar="ROW",
    )
    texts: str | None = input_file(
        "the texts, shown with items and questions; ceaf-* of 1992 files leave out mentions that "
        "are not there"
    )
    only: str | None = input_file(
        "score only these slots: lines `message template slot [selection]`", SCORING
    )
    contrast: str | None = option(
        None,
        "with --by selection: one selection against another",
        metavar="A,B",
        verbs=("compare",),
    )
    report: str | None = option(
        None,
        "tables per pair of templates, per message or of all (default: pairs; of JSON, totals)",
        choices=REPORTS,
        verbs=("score",),
    )
    report_dir: str | None = output_path("write one report per system, NAME.txt", "DIR")


_CUT_OFF: Final = re.compile(
    r'\s*\{\s*"[^"]*"\s*:\s*\{.*"(?:pred_templates|pred_extracts)"\s*:', re.S
)
"""One object of documents in one long line, as GTT writes it"""
_LOOKED_AT: Final = 100  # records


def looks_like_templates(head: Head) -> bool:
    r"""Return whether a file begins with a document and its templates, as JSON.

    >>> looks_like_templates(Head("x", b'{"doc": "d1", "templates": [{"type": "sale"}]}\n', True))
    True
    >>> looks_like_templates(Head("x", b'{"id": "q1", "events": 3}\n', True))
    False
    """
    from tellapart.formats.templates.layouts import is_telling
    from tellapart.formats.templates.model import records_of

    rows = [row for row in map(try_json, head.filled_lines(_LOOKED_AT)) if isinstance(row, dict)]
    if not rows:
        whole = try_json(head.text) if head.whole else head.rows(_LOOKED_AT)
        several = whole if isinstance(whole, list) else [whole]
        rows = [row for row in several[:_LOOKED_AT] if isinstance(row, dict)]
    if not rows:
        return _CUT_OFF.match(head.text) is not None
    # Documents without templates say nothing: IterX begins with many of them.
    telling = next((row for row in rows if any(each != [] for each in row.values())), {})
    return any(map(is_telling, records_of(telling)))


FORMAT: Final = Format(
    names=("templates",),
    units=("document", "template", "slot"),
    about="templates and events as JSON: GTT, GRIT, IterX, TextEE, or any other",
    recognises=looks_like_templates,
    recognises_gold=looks_like_templates,
    read=when_called("templates.requests:read_counts"),
    report=when_called("templates.requests:read_report"),
    findings=when_called("templates.requests:find_problems"),
    selections=when_called("templates.requests:read_selected"),
    options=TemplateOptions,
)

MUC: Final = replace(
    FORMAT,
    names=("muc",),
    units=("message", "template", "slot"),
    about="templates of the Message Understanding Conferences against an answer key",
    recognises=when_called("templates.muc_reader:looks_like_muc"),
    recognises_gold=when_called("templates.muc_reader:looks_like_muc"),
    findings=partial(when_called("templates.requests:find_problems"), of_1992=True),
)
