"""`--as conll-coref`: coreference in the last column of CoNLL files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.sources import system_files
from tellapart.options import NoOptions
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.coref.conll import ConllDocument
    from tellapart.formats.coref.measures import CorefCounts

Documents = dict[str, "ConllDocument"]


@dataclass(frozen=True, slots=True)
class _Read:
    """Key and responses, read and counted."""

    key: Documents
    responses: dict[str, Documents]
    counted: dict[str, dict[str, CorefCounts]]
    """System → document → what its coreference scores are made of"""
    notices: tuple[Notice, ...]


def _recognises(head: Head) -> bool:
    return head.text.lstrip().startswith("#begin document")


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return the coreference counts of each document."""
    from tellapart.formats.coref.counts import coref_metrics

    found = _count(sources)
    known = coref_metrics()
    for name in sources.metrics:
        if name not in known:
            raise UsageError(f"unknown metric {name!r}; there are {', '.join(known)}")
    metrics = tuple(known[name] for name in sources.metrics or known)
    return replace(_counts(found), notices=found.notices, metrics=metrics)


def _report(sources: Sources, _: NoOptions) -> Report:
    """Return the scores of each system by all metrics."""
    from tellapart.formats.coref.counts import coref_metrics
    from tellapart.formats.coref.measures import CorefScores, as_record, as_text, total
    from tellapart.formats.plain_report import plain_report

    found = _count(sources)
    plain = plain_report(_counts(found), list(coref_metrics().values()))
    systems = []
    for each, documents in zip(plain.systems, found.counted.values(), strict=True):
        scores = CorefScores(total(documents.values()))
        heading = f"System: {each.name}\n" if len(found.counted) > 1 else ""
        systems.append(replace(each, report=as_record(scores), text=heading + as_text(scores)))
    findings = tuple(Finding(each.text, fatal=False) for each in found.notices)
    return Report(tuple(systems), findings=findings)


def _counts(found: _Read) -> Counts:
    from tellapart.counts import Counts
    from tellapart.formats.coref.counts import ClusterViews, coref_columns

    columns = [coref_columns(list(documents.values())) for documents in found.counted.values()]
    names = {name or "document": name for name in found.key}
    counts = Counts.from_columns(
        tuple(found.counted),
        list(names),
        {name: [each[name] for each in columns] for name in columns[0]},
        {},
        "document",
        "counts",
    )
    return replace(counts, views=ClusterViews(found.key, found.responses, names))


def _count(sources: Sources) -> _Read:
    """Return the systems' counts by document; notices name those that are on one side only."""
    from tellapart.formats.coref.conll import check_lengths, count_files, read_conll
    from tellapart.formats.problems import Findings

    if len(sources.gold) != 1:
        raise UsageError("coreference needs one --gold file")
    gold = str(sources.gold[0])
    findings = Findings(strict=True)
    key = read_conll(gold, findings)
    if not key:
        raise DataError(f"{gold}: there is no document in this file; give a CoNLL file")
    counted: dict[str, dict[str, CorefCounts]] = {}
    responses: dict[str, Documents] = {}
    notices: list[Notice] = []
    for name, paths in system_files(sources.systems).items():
        if len(paths) > 1:
            raise UsageError(f"{name}={','.join(paths)}: coreference takes one file per system")
        response = read_conll(paths[0], findings)
        check_lengths(paths[0], key, response, findings)
        counted[name], responses[name] = count_files(key, response), response
        notices += _one_sided(key, response, paths[0], gold)
    return _Read(key, responses, counted, (*findings.notices(), *notices))


def _one_sided(
    key: Mapping[str, ConllDocument], response: Mapping[str, ConllDocument], path: str, gold: str
) -> Iterator[Notice]:
    lacking = tuple(name for name in key if name not in response)
    if lacking:
        text = (
            f"{path} lacks documents of {gold}, scored as an empty response: {listed(lacking, 5)}."
        )
        yield Notice("missing-document", text, lacking)
    extra = tuple(name for name in response if name not in key)
    if extra:
        text = f"{path} has documents that {gold} lacks; not scored: {listed(extra, 5)}."
        yield Notice("extra-document", text, extra)


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterable[Finding]:
    """Return all that is wrong with files, by themselves and beside the key."""
    from tellapart.formats.coref.conll import check_lengths, read_conll
    from tellapart.formats.problems import Findings

    found = Findings()
    key: dict[str, ConllDocument] = {}
    for path in (*gold, *files):
        with found.of_file():
            documents = read_conll(path, found)
            if not documents:
                found.complain(f"{shown(path)}: there is no document in this file")
            if path in gold:
                key |= documents
                continue
            check_lengths(path, key, documents, found)
            for notice in _one_sided(key, documents, path, gold[0]) if key else ():
                found.warn(notice.text)
    return found.found


FORMAT = Format(
    names=("conll-coref",),
    about="coreference in the last column of CoNLL files",
    recognises=_recognises,
    recognises_gold=_recognises,
    read=_read,
    report=_report,
    findings=_findings,
)
