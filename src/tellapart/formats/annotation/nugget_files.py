"""Event nuggets from files: counts, the report of each system, and what is wrong with files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tellapart.counts import Counts
from tellapart.errors import Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.model import check_files, read_corpus
from tellapart.formats.annotation.nugget_counts import nugget_counts, nugget_metrics
from tellapart.formats.annotation.nugget_report import as_record, comparison_text, report_text
from tellapart.formats.annotation.nuggets import (
    Evaluation,
    Request,
    evaluate,
    read_types,
)
from tellapart.formats.annotation.tbf import TbfFile, TokenFolder, cut, read_text
from tellapart.formats.annotation.validation import check_tbf
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
    comparison = "".join(
        comparison_text(each.documents, Path(shown(path)).name, options.coref)
        for each, (path,) in zip(evaluations.values(), files.values(), strict=True)
        if options.comparison
    )
    return Report(
        tuple(_system_reports(evaluations, sources, options)),
        notices,
        files={"comparison": comparison} if options.comparison else {},
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
        text, findings = read_text(path), Findings()
        check_tbf(text, shown(path), findings, request.tokens)
        for finding in findings.found:
            problems.warn(finding.text)
        return cut(text, shown(path))

    corpus = read_corpus(sources.systems, sources.gold, read_and_check, "nuggets")
    evaluations = {
        name: evaluate(corpus.gold, system, request) for name, system in corpus.runs.items()
    }
    of_scoring = (notice for each in evaluations.values() for notice in each.notices)
    notices = tuple(dict.fromkeys((*corpus.problems.notices(), *of_scoring)))
    return _Evaluated(evaluations, corpus.files, notices)


def _request(options: NuggetOptions) -> Request:
    tokens = None
    if options.tokens is not None:
        tokens = TokenFolder(Path(options.tokens))
        tokens.check()
    return Request(
        options.profile,
        tokens,
        None if options.types is None else read_types(options.types),
        options.doc,
        options.mapping == "best",
        options.coref,
        options.coref_mapping,
        options.coref_threshold,
        options.sequencing,
    )


def findings(systems: Sequence[str], gold: Sequence[str], options: NuggetOptions) -> list[Finding]:
    """Return all that is wrong with TBF files, and what scoring them says of their documents."""
    request = _request(options)

    def check(path: str, problems: Findings) -> None:
        check_tbf(read_text(path), shown(path), problems, request.tokens, request.types)

    sources = Sources(tuple(systems), tuple(gold))
    return check_files(systems, gold, check, lambda: _evaluate(sources, options).notices)
