"""`--as muc`: templates of the Message Understanding Conferences against an answer key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tellapart.errors import Finding, UsageError
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.templates import format as templates
from tellapart.options import READING, SCORING, input_file, option, options_of, output_path

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.counts.selections import SelectionCounts
    from tellapart.formats.templates.evaluation import Evaluation

ROWS = (
    "all-templates", "matched-missing", "matched-spurious", "matched-only", "set-fills",
    "string-fills",
)  # fmt: skip
REPORTS = ("pairs", "messages", "totals", "regions")


@dataclass(frozen=True, slots=True)
class MucOptions:
    """How templates are scored."""

    history: str | None = input_file("human decisions on fills that did not match", SCORING)
    replay: str | None = input_file("score in the historical order, with its decisions", SCORING)
    pairings: str | None = input_file("pairings of templates, instead of automatic ones", SCORING)
    slots: str = option(
        "muc4",
        "template design: muc4, muc3 or a file (default: muc4)",
        metavar="TABLE",
        reads=True,
        verbs=(*READING, "validate"),
    )
    row: str = option(
        ROWS[0],
        f"what counts: {', '.join(ROWS)} (default: {ROWS[0]})",
        choices=ROWS,
        metavar="ROW",
    )
    texts: str | None = input_file(
        "the messages, to be shown with items and questions; by ceaf-tf and its kin, mentions of "
        "the key count that are in them"
    )
    only: str | None = input_file(
        "score only these slots: lines `message template slot [selection]`", SCORING
    )
    contrast: str | None = option(
        None,
        "with --by selection: one selection against another, not against all other slots",
        metavar="A,B",
        verbs=("compare",),
    )
    report: str = option(
        REPORTS[0],
        "a table per pair of templates, per message, totals only, or the region of performance "
        "of every system",
        choices=REPORTS,
        verbs=("score",),
    )
    report_dir: str | None = output_path("write one report per system, NAME.txt", "DIR")


def looks_like_muc(head: Head) -> bool:
    """Return whether a file begins with a template of the conferences."""
    return re.search(r"^0\.[ \t]+MESSAGE:? ID\s", head.text, re.MULTILINE) is not None


def _read(sources: Sources, options: MucOptions) -> Counts:
    """Return the scored systems' counts per message, template or slot."""
    from tellapart.formats.templates.counts import evaluation_counts

    if options.contrast is not None:
        raise UsageError("--contrast is of selections: add --by selection")
    if (modern := _as_templates(sources, options)) is not None:
        return templates.FORMAT.read(*modern)
    evaluation = _evaluate(sources, options)
    runs = evaluation.score_selected()
    item = sources.item or "message"
    return evaluation_counts(evaluation, runs, item, options.row, sources.metrics)


def _report(sources: Sources, options: MucOptions) -> Report:
    """Return the scores of every system, in the layout of the conferences."""
    from tellapart.formats.plain_report import plain_report
    from tellapart.formats.templates.counts import evaluation_counts
    from tellapart.formats.templates.report import conference_report

    if (modern := _as_templates(sources, options)) is not None and templates.FORMAT.report:
        return templates.FORMAT.report(*modern)
    evaluation = _evaluate(sources, options)
    runs = evaluation.score_selected()
    item = sources.item or "message"
    counts = evaluation_counts(evaluation, runs, item, options.row, sources.metrics)
    plain = replace(plain_report(counts, sources.metrics), notices=())
    found = conference_report(plain, runs, evaluation.runs_of, options.report, options.report_dir)
    findings = tuple(Finding(each.text, fatal=False) for each in evaluation.notices_with(runs))
    return replace(found, findings=findings)


def _as_templates(
    sources: Sources, options: MucOptions
) -> tuple[Sources, templates.TemplateOptions] | None:
    """Return what is asked of `--as templates`, whose metrics these files can be scored by, too."""
    modern = [name for name in sources.metrics if name.startswith("ceaf-")]
    if not modern:
        return None
    own = [name for name in sources.metrics if name not in modern]
    if own:
        raise UsageError(
            f"{own[0]} is of the scoring of 1992, and {modern[0]} of templates as JSON; ask for "
            "one kind at a time"
        )
    usual = MucOptions(texts=options.texts, slots=options.slots)
    for each in options_of(MucOptions):
        if getattr(options, each.name) != getattr(usual, each.name):
            raise UsageError(f"{each.flag} is of the scoring of 1992: drop it, or {modern[0]}")
    item = None if sources.item == "message" else sources.item
    return replace(sources, item=item), templates.TemplateOptions(
        texts=options.texts, slots=options.slots
    )


def _selections(sources: Sources, options: MucOptions) -> SelectionCounts:
    """Return the slots of each selection of `--only` and system, to be compared with the rest."""
    from tellapart.formats.templates.counts import selection_counts

    if not options.only:
        raise UsageError("--by selection needs selections: give --only FILE")
    return selection_counts(_evaluate(sources, options), options.row, options.contrast)


def _evaluate(sources: Sources, options: MucOptions) -> Evaluation:
    """Return all files of an evaluation, read and checked."""
    from tellapart.formats.templates.evaluation import Files, read_evaluation

    if len(sources.gold) != 1:
        raise UsageError("templates need one answer key: --gold FILE")
    return read_evaluation(
        Files(
            str(sources.gold[0]),
            tuple(map(str, sources.systems)),
            options.history,
            options.replay,
            options.pairings,
            options.only,
            options.slots,
            options.texts,
        )
    )


def _findings(files: Sequence[str], gold: Sequence[str], options: MucOptions) -> Iterator[Finding]:
    """Yield all that is wrong with files of templates, or of decisions."""
    from tellapart.formats.templates.evaluation import find_problems

    if len(gold) > 1:
        raise UsageError("templates have one answer key: give one --gold FILE")
    for each in find_problems(files, gold[0] if gold else None, options.slots):
        yield Finding(str(each), each.fatal)


FORMAT = Format(
    names=("muc",),
    units=("message", "template", "slot"),
    about="templates of the Message Understanding Conferences against an answer key",
    recognises=looks_like_muc,
    recognises_gold=looks_like_muc,
    read=_read,
    options=MucOptions,
    report=_report,
    findings=_findings,
    selections=_selections,
)
