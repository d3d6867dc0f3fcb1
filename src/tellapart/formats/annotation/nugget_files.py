"""Event nuggets from files: counts and metrics, reports, and what is wrong with files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.annotation.clusters import coref_columns, coref_metrics
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.model import read_corpus
from tellapart.formats.annotation.nugget_report import as_record, comparison_text, report_text
from tellapart.formats.annotation.nuggets import (
    BOTH,
    PLAIN,
    REALIS,
    TYPE,
    Evaluation,
    evaluate,
    read_types,
)
from tellapart.formats.annotation.tbf import TbfFile, cut, read_text
from tellapart.formats.annotation.validation import check_tbf
from tellapart.formats.contract import Report, Sources, SystemReport, plain_report
from tellapart.formats.problems import Findings, check_files
from tellapart.metrics import Metric, ratio
from tellapart.metrics.runs import averaged
from tellapart.words import nearest

_SETS: Final = {"span": PLAIN, "type": TYPE, "realis": REALIS, "type+realis": BOTH}
"""Attribute sets by the short names that metrics have"""

_MATCH: Final = {PLAIN: "match", TYPE: "type_match", REALIS: "realis_match", BOTH: "both_match"}
_MEASURES: Final = {"f1": 2, "recall": 1, "precision": 1}
"""By name, how often what is right counts in the numerator"""
_RIGHT: Final = {"type-accuracy": "type_right", "realis-accuracy": "realis_right"}


def read(sources: Sources, options: NuggetOptions) -> Counts:
    """Return the scored systems' counts per document."""
    evaluations, files, notices = _evaluate(sources, options)
    counts = nugget_counts(evaluations)
    if not counts.items:
        raise UsageError(f"{sources.gold[0]} has no document with mentions; check --gold")
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
    _check(options)

    def read_and_check(path: str, problems: Findings) -> TbfFile:
        text, findings = read_text(path), Findings()
        check_tbf(text, shown(path), findings, options.tokens)
        for finding in findings.found:
            problems.warn(finding.text)
        return cut(text, shown(path))

    corpus = read_corpus(sources, read_and_check, "nuggets")
    evaluations = {
        name: evaluate(corpus.gold, system, options) for name, system in corpus.runs.items()
    }
    of_scoring = (notice for each in evaluations.values() for notice in each.notices)
    notices = tuple(dict.fromkeys((*corpus.problems.notices(), *of_scoring)))
    return _Evaluated(evaluations, corpus.files, notices)


def _check(options: NuggetOptions) -> None:
    """Refuse what makes no sense, in one sentence."""
    if options.tokens is not None and not os.path.isdir(options.tokens):
        raise UsageError(f"{options.tokens}: there is no such folder of token tables")
    if options.profile != "kbp" and (options.coref or options.mapping == "best"):
        raise UsageError("--coref and --mapping best need --profile kbp")


def findings(systems: Sequence[str], gold: Sequence[str], options: NuggetOptions) -> list[Finding]:
    """Return all that is wrong with TBF files, and what scoring them says of their documents."""
    _check(options)
    types = read_types(options.types)

    def check(path: str, problems: Findings) -> None:
        check_tbf(read_text(path), shown(path), problems, options.tokens, types)

    return check_files(check, _evaluate, systems, gold, options)


# Counts and metrics


def nugget_counts(evaluations: dict[str, Evaluation]) -> Counts:
    """Return the counts of systems that were scored against the same gold file.

    Documents without gold mentions are left out, as they are of the averages; coreference counts
    them, so that with it they stay, with zeros for the mentions.
    """
    first = next(iter(evaluations.values()))
    kept = [
        i
        for i, document in enumerate(first.documents)
        if document.n_gold or first.clusters is not None
    ]
    columns: dict[str, list[NDArray[Any]]] = {}
    for evaluation in evaluations.values():
        for name, values in _columns(evaluation, kept).items():
            columns.setdefault(name, []).append(values)
    return Counts.from_columns(
        tuple(evaluations),
        [first.documents[i].id for i in kept],
        columns,
        {},
        "document",
        "counts",
    )


def _columns(evaluation: Evaluation, kept: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return the columns of one system, over the documents that are kept."""
    documents = [evaluation.documents[i] for i in kept]
    columns: dict[str, list[float]] = {
        "gold": [each.n_gold for each in documents],
        "sys": [each.n_system if each.n_gold else 0 for each in documents],
    }
    if not evaluation.pilot:
        for attributes, name in _MATCH.items():
            columns[name] = [each.mappings[attributes].true_positives for each in documents]
    else:
        columns["fp"] = [each.false_positives for each in documents]
        columns["match"] = [each.mappings[PLAIN].true_positives for each in documents]
        for k, name in enumerate(_RIGHT.values()):
            columns[name] = [each.right[k] for each in documents]
    arrays = {name: np.array(values) for name, values in columns.items()}
    if evaluation.clusters is not None:
        arrays |= coref_columns([evaluation.clusters[i] for i in kept])
    return arrays


def nugget_metrics(names: Sequence[str] | None, pilot: bool, coref: bool) -> list[Metric]:
    """Return metrics by name; without names F1 of all attribute sets, and of coreference.

    `type-f1` is F1 with the right type; `span-recall`, `type+realis-precision` and so on likewise,
    and a measure alone is that of spans. In the 2015 paper each attribute has an accuracy instead.

    >>> nugget_metrics(["type-f1", "recall"], pilot=False, coref=False)
    [type-f1, recall]
    """
    others = coref_metrics(average="coref-average") if coref else {}
    if not names:
        scores = [f"{short}-f1" for short in _SETS] if not pilot else ["span-f1", *_RIGHT]
        names = [*scores, *others]
    return [others[name] if name in others else _metric(name, pilot) for name in names]


def _metric(name: str, pilot: bool) -> Metric:
    if pilot and name in _RIGHT:
        return ratio(name, {_RIGHT[name]: 1}, {"gold": 1})
    short, dash, measure = name.rpartition("-")
    sets = ("span",) if pilot else tuple(_SETS)
    if measure not in _MEASURES or (dash and short not in sets):
        known = [f"{each}-{own}" for each in sets for own in _MEASURES]
        known += list(_RIGHT) if pilot else []
        raise UsageError(f"unknown metric {name!r}; {nearest(name, known)}")
    # The 2015 paper divides precision by TP + FP, where the others have all system mentions.
    given = {"match": 1, "fp": 1} if pilot else {"sys": 1}
    wholes = {"recall": {"gold": 1}, "precision": given, "f1": {"gold": 1, **given}}
    right = {_MATCH[_SETS[short or "span"]]: _MEASURES[measure]}
    return ratio(name, right, wholes[measure])
