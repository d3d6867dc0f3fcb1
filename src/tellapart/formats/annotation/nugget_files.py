"""Event nuggets from files: counts, the report of each system, and what is wrong with files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tellapart.counts import Counts
from tellapart.errors import Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.model import one_sided, read_corpus
from tellapart.formats.annotation.nugget_counts import nugget_counts, nugget_metrics
from tellapart.formats.annotation.nugget_report import (
    as_record,
    bar_chart,
    comparison_text,
    report_text,
)
from tellapart.formats.annotation.nuggets import (
    Evaluation,
    Request,
    evaluate,
    read_types,
)
from tellapart.formats.annotation.tbf import TbfFile, TokenFolder, cut, read_text
from tellapart.formats.annotation.validation import Expected, file_findings, read_lengths
from tellapart.formats.contract import Report, Sources, SystemReport
from tellapart.formats.plain_report import plain_report
from tellapart.formats.problems import Findings
from tellapart.metrics.runs import averaged


def read(sources: Sources, options: NuggetOptions) -> Counts:
    """Return the scored systems' counts per document."""
    evaluations, files, notices = _evaluate(sources, options)
    counts = nugget_counts(evaluations)
    if not counts.items:
        raise UsageError(
            f"{sources.gold[0]} has no document with mentions; there is nothing to test"
        )
    metrics = nugget_metrics(sources.metrics, options.profile == "pilot", options.coref)
    return replace(averaged(counts, files, notices), metrics=tuple(metrics))


def report(sources: Sources, options: NuggetOptions) -> Report:
    """Return the scores of the systems, in the layout of the public scorer."""
    evaluations, files, notices = _evaluate(sources, options)
    if len(evaluations) > len(files):
        raise UsageError("score takes one file per system; compare takes several runs")
    written: dict[str, Any] = {}
    if options.comparison:
        written["comparison"] = "".join(
            comparison_text(each.scoring, Path(each.scoring.system.path).name, options.coref)
            for each in evaluations.values()
        )
    if options.svg:
        written["svg"] = {"nuggets.svg": bar_chart(evaluations)}
    return Report(
        tuple(_system_reports(evaluations, sources, options)),
        findings=tuple(Finding(notice.text, fatal=False) for notice in notices),
        files=written,
    )


def _system_reports(
    evaluations: dict[str, Evaluation], sources: Sources, options: NuggetOptions
) -> Iterator[SystemReport]:
    metrics = nugget_metrics(sources.metrics, options.profile == "pilot", options.coref)
    counts = nugget_counts(evaluations)
    scored = plain_report(counts, metrics).systems if counts.items else ()
    plain = {system.name: system for system in scored}
    empty = {metric.name: 0.0 for metric in metrics}
    for name, evaluation in evaluations.items():
        heading = f"System: {name}\n" if len(evaluations) > 1 else ""
        yield replace(
            plain.get(name, SystemReport(name, empty, {})),
            report=as_record(evaluation),
            text=heading + report_text(evaluation),
        )


class _Evaluated(NamedTuple):
    """The evaluation of each run, the paths of each system's runs, and what is odd about files."""

    evaluations: dict[str, Evaluation]
    files: Mapping[str, Sequence[str]]
    notices: tuple[Notice, ...]


def _evaluate(sources: Sources, options: NuggetOptions) -> _Evaluated:
    """Evaluate all files; with several runs of a system each has a name of its own."""
    if sources.item not in (None, "document"):
        raise UsageError(f"the item of event nuggets is the document, not {sources.item!r}")
    request = _request(options)
    request.check()

    def read_and_check(path: str, problems: Findings) -> TbfFile:
        text = read_text(path)
        for finding in file_findings(text, path, Expected(request.tokens)):
            problems.warn(finding.text)
        return cut(text, shown(path))

    corpus = read_corpus(sources.systems, sources.gold, read_and_check, "nuggets")
    evaluations = {
        name: evaluate(corpus.gold, system, request) for name, system in corpus.runs.items()
    }
    of_scoring = (notice for each in evaluations.values() for notice in each.scoring.notices)
    notices = tuple(dict.fromkeys((*corpus.problems.notices(), *of_scoring)))
    return _Evaluated(evaluations, corpus.files, notices)


def _request(options: NuggetOptions) -> Request:
    return Request(
        options.profile,
        _tokens(options),
        None if options.types is None else read_types(options.types),
        options.doc,
        options.mapping == "best",
        options.coref,
        options.coref_mapping,
        options.coref_threshold,
        options.sequencing,
    )


def _tokens(options: NuggetOptions) -> TokenFolder | None:
    if options.tokens is None:
        return None
    folder = TokenFolder(Path(options.tokens), options.token_extension)
    folder.check()
    return folder


def findings(
    files: Sequence[str], gold: Sequence[str], options: NuggetOptions
) -> Iterator[Finding]:
    """Yield all that is wrong with TBF files, and their documents that the gold lacks or they."""
    expected = Expected(
        _tokens(options),
        None if options.types is None else read_types(options.types),
        None if options.lengths is None else read_lengths(options.lengths),
    )
    key: TbfFile | None = None
    for number, path in enumerate([*gold, *files]):
        text = read_text(path)
        problems = list(file_findings(text, path, expected))
        yield from problems
        if any(problem.fatal for problem in problems):
            continue
        file = cut(text, shown(path))
        if number < len(gold):
            key = file if len(gold) == 1 else None
        elif key is not None:
            wanted = sorted(key.blocks)
            for notice in one_sided(file.path, file.blocks, key.path, wanted, key.blocks):
                yield Finding(notice.text.removesuffix("."), fatal=False)
