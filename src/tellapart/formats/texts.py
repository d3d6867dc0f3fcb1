"""`--as text`: outputs and references line by line, for BLEU, NIST, chrF and TER."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.contract import (
    Format,
    Report,
    Sources,
    SystemReport,
    run_names,
    system_files,
)
from tellapart.formats.head import Head
from tellapart.formats.problems import check_files
from tellapart.options import Number, input_file, option
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.metrics.text.scoring import TextMetric

MOST_CHARACTERS: Final = 1 << 26
"""Of longer texts of all files together, the texts are not kept"""


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


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a file, cut at line feeds only; a carriage return goes with it."""
    with open_text(path) as stream:
        text = stream.read()
    if not text:
        raise DataError(f"{shown(path)}: the file is empty")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def check_parallel(files: Mapping[str, Sequence[str]]) -> None:
    """Refuse the first file whose number of lines is not that of the first one."""
    first = next(iter(files))
    for path, lines in files.items():
        if len(lines) != len(files[first]):
            there = f"{shown(path)} has {several(len(lines), 'line')}"
            raise DataError(f"{there}, {shown(first)} has {len(files[first])}; give as many")


def text_notices(references: Mapping[str, Sequence[str]]) -> list[Notice]:
    """Return which lines of references are blank, by their paths; all blank ones are refused."""
    if not any(line.strip() for lines in references.values() for line in lines):
        names = ", ".join(map(shown, references))
        raise DataError(f"{names}: every line is blank")
    notices = []
    for path, lines in references.items():
        blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
        if blank:
            text = f"Blank in the reference {shown(path)}: {several(len(blank), 'line')}, the first"
            text += f" is line {blank[0]}."
            notices.append(Notice("blank-reference", text, (path,)))
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
        raise UsageError("text needs --gold FILE, once for each reference")
    metrics = _metrics(sources, options)
    files = system_files(sources.systems)
    paths = [path for of_system in files.values() for path in of_system]
    references = {str(path): read_lines(path) for path in sources.gold}
    outputs = {path: read_lines(path) for path in paths}
    labels = {"document": _documents(options.docids)} if options.docids else {}
    documents = {options.docids: labels["document"]} if options.docids else {}
    check_parallel({**references, **outputs, **documents})
    notices = text_notices(references)
    notices += _tokenizer_notices(
        [line for lines in references.values() for line in lines], metrics
    )
    by_run = {name: outputs[path] for name, path in zip(run_names(files), paths, strict=True)}
    counts = text_counts(
        by_run,
        list(references.values()),
        metrics,
        labels=labels,
        progress=sources.progress,
    )
    characters = sum(len(line) for lines in outputs.values() for line in lines)
    if characters <= MOST_CHARACTERS:
        gold = tuple(next(iter(references.values())))
        said = {name: tuple(lines) for name, lines in by_run.items()}
        counts = replace(counts, texts=ItemTexts((), gold, said))
    signed = tuple(as_metric(metric, str(len(sources.gold))) for metric in metrics)
    return replace(averaged(counts, files, notices), metrics=signed)


def _documents(path: str) -> tuple[str, ...]:
    """Return the document of each segment: one id a line."""
    ids = tuple(line.strip() for line in read_lines(path))
    if "" in ids:
        raise DataError(f"{shown(path)}:{ids.index('') + 1}: no document id")
    return ids


def _metrics(sources: Sources, options: TextOptions) -> list[TextMetric]:
    """Return the metrics that are named, each with those of the options that it has."""
    from tellapart.metrics.text.scoring import text_metric

    given = {**asdict(options), "compat": options.nist_compat}

    metrics = map(text_metric, sources.metrics or ("bleu",))
    return [
        replace(each, **{f.name: given[f.name] for f in fields(each) if f.name in given})
        for each in metrics
    ]


def _report(sources: Sources, options: TextOptions) -> Report:
    """Score every system; the report has the signatures of the metrics, and the parts of BLEU."""
    import numpy as np

    from tellapart.formats.contract import plain_report
    from tellapart.metrics.text.bleu import Bleu

    counts = _read(sources, options)
    signatures = {metric.name: metric.signature for metric in counts.metrics}
    bleus = [metric for metric in _metrics(sources, options) if isinstance(metric, Bleu)]

    def more(system: SystemReport) -> dict[str, Any]:
        parts = {
            bleu.name: bleu.parts(np.array([system.counts[c] for c in bleu.columns]))
            for bleu in bleus
        }
        return {"report": {"signatures": signatures, **parts}}

    return plain_report(counts, more=more)


def _refuses(head: Head) -> DataError | None:
    """Return the refusal of lines that may be relations."""
    lines = head.filled_lines()
    if not lines or not all("\t" in line for line in lines):
        return None
    return DataError(f"{shown(head.path)}: tabs in all lines; say --as text if this is text")


FORMAT = Format(
    names=("text",),
    about="outputs and references line by line, for BLEU, NIST, chrF and TER",
    recognises=lambda _: False,  # any lines are text
    recognises_gold=lambda _: False,
    refuses=_refuses,
    read=_read,
    options=TextOptions,
    report=_report,
    findings=partial(check_files, lambda path, _: read_lines(path), _read),
)
