"""`--as text`: outputs and references line by line, for BLEU, NIST, chrF and TER."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.relations.format import has_tabs_throughout
from tellapart.limits import Number
from tellapart.options import input_file, option, output_path

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.text.reader import TextScores
    from tellapart.metrics.text.scoring import TextMetric


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How texts are taken apart and scored."""

    tokenize: str = option(
        "13a", "13a, none, intl, char or zh, for bleu and nist (default: 13a)", metavar="NAME"
    )
    lowercase: bool = option(False, "ignore case (nist: of ASCII letters)")
    smooth: str = option(
        "exp", "exp, floor, add-k or none, for bleu (default: exp)", metavar="NAME"
    )
    smooth_value: float | None = option(
        None,
        "for floor (0.1) and add-k (1)",
        metavar="X",
        number=Number(least=0, most=1e6),
    )
    order: int = option(
        4,
        "longest n-grams of bleu (default: 4)",
        metavar="N",
        number=Number(whole=True, least=1, most=9),
    )
    effective_order: bool = option(False, "bleu of as many orders as a text is long enough for")
    nist_compat: str | None = option(
        None, "repeat what NIST's script does with a word 0", choices=("mteval",)
    )
    docids: str | None = input_file("the document of each line; use --cluster document")
    source: str | None = input_file(
        "what was translated, a line for each segment, to be shown with it; no score depends on it"
    )
    strip_bom: bool = option(False, "take off byte-order marks")
    segments: str | None = output_path(
        "write the scores of single segments as a table that compare reads"
    )


def _recognises(_: Head) -> bool:
    return False  # any lines are text


def _recognises_lines(head: Head) -> bool:
    if has_tabs_throughout(head):
        raise DataError(
            f"{shown(head.path)}: every line has a tab, so that these may be relations or "
            "texts; say so with --as relations or --as text"
        )
    return True


def _read(sources: Sources, options: TextOptions) -> Counts:
    found = _scores(sources, options)
    return replace(found.counts, metrics=found.metrics)


def _report(sources: Sources, options: TextOptions) -> Report:
    """Score every system; the report has signatures and the scores of runs."""
    from tellapart.formats.plain_report import plain_report

    found = _scores(sources, options)
    signatures = {metric.name: metric.signature for metric in found.metrics}
    plain = plain_report(found.counts, found.metrics)
    systems = tuple(
        replace(
            each,
            report={
                "signatures": signatures,
                "runs": found.runs.get(each.name, {}),
                **found.details[each.name],
            },
        )
        for each in plain.systems
    )
    files = {"segments": _segment_table(found)} if options.segments else {}
    return replace(plain, systems=systems, files=files)


def _scores(sources: Sources, options: TextOptions) -> TextScores:
    from tellapart.formats.text.reader import read_text

    if not sources.gold:
        raise UsageError("text needs a reference: --gold FILE, once for each reference")
    if sources.item is not None:
        raise UsageError(
            "the items of texts are segments; --docids FILE --cluster document joins them"
        )
    return read_text(
        sources.systems,
        sources.gold,
        [_metric(name, options) for name in sources.metrics or ("bleu",)],
        docids=options.docids,
        source=options.source,
        strip_bom=options.strip_bom,
        segments=options.segments is not None,
        progress=sources.progress,
    )


def _metric(name: str, options: TextOptions) -> TextMetric:
    from tellapart.metrics.text.bleu import Bleu
    from tellapart.metrics.text.chrf import Chrf
    from tellapart.metrics.text.nist import Nist
    from tellapart.metrics.text.scoring import text_metric

    if name == "bleu":
        return Bleu(
            options.tokenize,
            options.lowercase,
            options.smooth,
            options.smooth_value,
            options.order,
            options.effective_order,
        )
    if name == "nist":
        return Nist(options.tokenize, options.lowercase, options.nist_compat)
    if name in ("chrf", "chrf+", "chrf++"):
        return Chrf(word_order=name.count("+"), lowercase=options.lowercase)
    return text_metric(name)


def _segment_table(found: TextScores) -> str:
    rows = ["system\tsegment\tmetric\tscore"]
    for system, metrics in found.segments.items():
        for metric, scores in metrics.items():
            rows += [
                f"{system}\t{item}\t{metric}\t{value!r}"
                for item, value in zip(found.counts.items, scores, strict=True)
            ]
    return "\n".join(rows) + "\n"


def _findings(files: Sequence[str], gold: Sequence[str], _: TextOptions) -> Iterable[Finding]:
    from tellapart.formats.text.files import findings

    return findings(files, gold)


FORMAT = Format(
    names=("text",),
    about="outputs and references line by line, for BLEU, NIST, chrF and TER",
    recognises=_recognises,
    recognises_lines=_recognises_lines,
    read=_read,
    options=TextOptions,
    report=_report,
    findings=_findings,
)
