"""`--as text`: outputs and references line by line, for BLEU, NIST, chrF and TER."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.annotation.formats import has_tabs_throughout
from tellapart.formats.contract import Format, Report, Sources, paths_of, run_names, system_files
from tellapart.formats.head import Head
from tellapart.formats.problems import findings_of
from tellapart.limits import Number
from tellapart.options import input_file, option
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.metrics.text.scoring import TextMetric

MOST_CHARACTERS: Final = 1 << 26
"""Of longer texts of all files together, the texts are not kept"""
_BLEU: Final = "bleu"


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How texts are taken apart and scored."""

    tokenize: str = option(
        "13a",
        "13a, none, intl, char, zh or, with sacreBLEU's extras, ja-mecab, ko-mecab, spm or "
        "flores200, for bleu and nist (default: 13a)",
        metavar="NAME",
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
    nist_compat: str | None = option(
        None, "repeat what NIST's script does with a word 0", choices=("mteval",)
    )
    docids: str | None = input_file("the document of each line; use --cluster document")
    source: str | None = input_file(
        "what was translated, a line for each segment, to be shown with it; no score depends on it"
    )


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a file, cut at line feeds only; a carriage return goes with it."""
    with open_text(path) as stream:
        text = stream.read()
    if not text:
        raise DataError(f"{shown(path)}: the file is empty; give one segment a line")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def check_parallel(files: Mapping[str, Sequence[str]]) -> None:
    """Refuse the first file whose number of lines is not that of the first one."""
    first = next(iter(files))
    for path, lines in files.items():
        if len(lines) != len(files[first]):
            there = f"{shown(path)} has {several(len(lines), 'line')}"
            raise DataError(f"{there}, {shown(first)} has {len(files[first])}; give as many")


def text_notices(
    outputs: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]
) -> list[Notice]:
    """Return what is odd about the lines of files, by their paths; blank references are refused."""
    if not any(line.strip() for lines in references.values() for line in lines):
        names = ", ".join(map(shown, references))
        raise DataError(f"{names}: every line is blank; a reference needs text to compare with")
    notices = []
    for path, lines in references.items():
        blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
        if blank:
            text = f"Blank in the reference {shown(path)}: {several(len(blank), 'line')}, the first"
            text += f" is line {blank[0]}; nothing can match there."
            notices.append(Notice("blank-reference", text, (path,)))
    for path, lines in outputs.items():
        if not any(line.strip() for line in lines):
            text = f"Every line of {shown(path)} is blank."
            notices.append(Notice("blank-output", text, (path,)))
        notices += [
            Notice("output-is-reference", f"{shown(path)} is the same as {shown(gold)}.", (path,))
            for gold, said in references.items()
            if lines == said
        ]
    return notices


# Scripts without blanks between words: kana, Chinese characters, Thai, Lao, Khmer and Burmese.
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_LONG_CHUNK: Final = 6  # characters between blanks: words that were set apart have fewer
_LOOKED_AT: Final = 200  # lines


def _tokenizer_notices(lines: Sequence[str], metrics: Sequence[TextMetric]) -> Iterator[Notice]:
    """Yield that a metric of words takes whole sentences for words, where that is so."""
    chunks = " ".join(lines[:_LOOKED_AT]).split()
    text = "".join(chunks)
    unspaced = len(_UNSPACED.findall(text)) * 4 > len(text) >= _LONG_CHUNK * len(chunks)
    for metric in metrics if unspaced else ():
        if getattr(metric, "tokenize", "char") in ("13a", "none", "intl"):
            text = f"The references have no blanks between words, so that {metric.name} takes "
            text += "sentences for words: use --tokenize char, zh, ja-mecab or spm."
            yield Notice("tokenize", text, (metric.name,))


def _read(sources: Sources, options: TextOptions) -> Counts:
    """Return the numbers that the metrics need, segment by segment; runs are averaged."""
    from tellapart.counts import ItemTexts
    from tellapart.metrics.runs import averaged
    from tellapart.metrics.text.scoring import as_metric, text_counts

    if not sources.gold:
        raise UsageError("text needs a reference: --gold FILE, once for each reference")
    if sources.item is not None:
        raise UsageError("the items of texts are segments; --cluster document joins them")
    metrics = _metrics(sources, options)
    files = system_files(sources.systems)
    paths = [path for of_system in files.values() for path in of_system]
    references = {str(path): read_lines(path) for path in sources.gold}
    outputs = {path: read_lines(path) for path in paths}
    beside = {path: read_lines(path) for path in (options.docids, options.source) if path}
    check_parallel({**references, **outputs, **beside})
    notices = text_notices(outputs, references)
    notices += _tokenizer_notices(
        [line for lines in references.values() for line in lines], metrics
    )
    by_run = {name: outputs[path] for name, path in zip(run_names(files), paths, strict=True)}
    counts = text_counts(
        by_run,
        list(references.values()),
        metrics,
        labels={"document": _documents(options.docids, beside)} if options.docids else {},
        progress=sources.progress,
    )
    characters = sum(len(line) for lines in outputs.values() for line in lines)
    if characters <= MOST_CHARACTERS:
        inputs = tuple(beside[options.source]) if options.source else ()
        gold = tuple(next(iter(references.values())))
        said = {name: tuple(lines) for name, lines in by_run.items()}
        counts = replace(counts, texts=ItemTexts(inputs, gold, said))
    signed = tuple(as_metric(metric, str(len(sources.gold))) for metric in metrics)
    return replace(averaged(counts, files, notices), metrics=signed)


def _documents(path: str, beside: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the document of each segment: one id a line."""
    ids = tuple(line.strip() for line in beside[path])
    if "" in ids:
        raise DataError(f"{shown(path)}:{ids.index('') + 1}: no document id; give one to each line")
    return ids


def _metrics(sources: Sources, options: TextOptions) -> list[TextMetric]:
    from tellapart.metrics.text.bleu import Bleu
    from tellapart.metrics.text.chrf import Chrf
    from tellapart.metrics.text.nist import Nist
    from tellapart.metrics.text.scoring import text_metric

    def metric(name: str) -> TextMetric:
        if name == _BLEU:
            return Bleu(
                options.tokenize,
                options.lowercase,
                options.smooth,
                options.smooth_value,
                options.order,
            )
        if name == "nist":
            return Nist(options.tokenize, options.lowercase, options.nist_compat)
        if name in ("chrf", "chrf+", "chrf++"):
            return Chrf(word_order=name.count("+"), lowercase=options.lowercase)
        return text_metric(name)

    return [metric(name) for name in sources.metrics or (_BLEU,)]


def _report(sources: Sources, options: TextOptions) -> Report:
    """Score every system; the report has signatures, and what BLEU is made of."""
    from tellapart.formats.contract import plain_report
    from tellapart.metrics.text.bleu import Bleu
    from tellapart.metrics.text.scoring import as_metric

    counts, metrics = _read(sources, options), _metrics(sources, options)
    signed = [as_metric(metric, str(len(sources.gold))) for metric in metrics]
    plain = plain_report(counts, signed)
    signatures = {metric.name: metric.signature for metric in signed}
    reports: dict[str, dict[str, Any]] = {n: {"signatures": signatures} for n in counts.names}
    for metric in metrics:
        if isinstance(metric, Bleu):
            columns = [counts.columns.index(column) for column in metric.columns]
            scales = [float(counts.scales[column]) for column in columns]
            for name, sums in zip(counts.names, counts.summed()[:, columns] / scales, strict=True):
                reports[name][_BLEU] = metric.details(sums)
    systems = (replace(system, report=reports[system.name]) for system in plain.systems)
    return replace(plain, systems=tuple(systems))


def _recognises_lines(head: Head) -> bool:
    if has_tabs_throughout(head):
        raise DataError(f"{shown(head.path)}: tabs in all lines: say --as relations or text")
    return True


def _findings(files: Sequence[str], gold: Sequence[str], options: TextOptions) -> Iterable[Finding]:
    sources = Sources(tuple(files), tuple(gold))
    return findings_of(
        (*gold, *paths_of(files)),
        lambda path, _: read_lines(path),
        lambda: _read(sources, options).notices if gold else (),
    )


FORMAT = Format(
    names=("text",),
    about="outputs and references line by line, for BLEU, NIST, chrF and TER",
    recognises=lambda _: False,  # any lines are text
    recognises_lines=_recognises_lines,
    read=_read,
    options=TextOptions,
    report=_report,
    findings=_findings,
)
