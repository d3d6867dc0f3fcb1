"""`--as conll-coref`: coreference in the last column of CoNLL files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tellapart.errors import DataError, UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.errors import Notice
    from tellapart.formats.coref.conll import ConllDocument
    from tellapart.formats.coref.measures import CorefCounts
    from tellapart.formats.registry import Scored

NAMES = ("conll-coref",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options of its own."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Count the coreference of each document."""
    from dataclasses import replace

    from tellapart.formats.coref.counts import coref_metrics

    counted, notices = _count(args)
    known = coref_metrics()
    for name in args.metric or ():
        if name not in known:
            raise UsageError(f"unknown metric {name!r}; there are {', '.join(known)}")
    args.metric = [known[name] for name in args.metric or known]
    return replace(_counts(counted), notices=tuple(notices))


def score(args: argparse.Namespace) -> list[Scored]:
    """Score each system by all metrics."""
    from tellapart.formats.coref.counts import coref_metrics
    from tellapart.formats.coref.scores import CorefScores, as_record, as_text, total
    from tellapart.formats.registry import Scored
    from tellapart.formats.scoring import scored_counts

    counted, notices = _count(args)
    for notice in notices:
        print(f"tellapart: warning: {notice.text}", file=sys.stderr)
    numbers = scored_counts(_counts(counted), list(coref_metrics().values()))
    several = len(counted) > 1
    scored = []
    for each, documents in zip(numbers, counted.values(), strict=True):
        scores = CorefScores(total(documents.values()))
        heading = f"System: {each.name}\n" if several else ""
        scored.append(
            Scored(
                each.name, each.scores, each.counts, as_record(scores), heading + as_text(scores)
            )
        )
    return scored


def _counts(counted: dict[str, dict[str, CorefCounts]]) -> Counts:
    from tellapart.counts import Counts
    from tellapart.formats.coref.counts import coref_columns

    columns = [coref_columns(list(documents.values())) for documents in counted.values()]
    names = list(next(iter(counted.values())))
    return Counts.from_columns(
        tuple(counted),
        [name or "document" for name in names],
        {name: [each[name] for each in columns] for name in columns[0]},
        {},
        "document",
        "counts",
    )


def _count(
    args: argparse.Namespace,
) -> tuple[dict[str, dict[str, CorefCounts]], list[Notice]]:
    """Count the systems' documents, and tell of those that are on one side only."""
    from tellapart.formats.coref.conll import count_files, read_conll
    from tellapart.formats.sources import default_name, parse_source

    if len(args.gold) != 1:
        raise UsageError("coreference needs one --gold file")
    key = read_conll(args.gold[0])
    if not key:
        raise DataError(f"{args.gold[0]}: there is no document in this file; give a CoNLL file")
    counted: dict[str, dict[str, CorefCounts]] = {}
    notices: list[Notice] = []
    for text in args.systems:
        source = parse_source(text)
        if len(source.paths) > 1:
            raise UsageError(f"{text}: coreference takes one file per system")
        name = source.name or default_name(source.paths[0])
        if name in counted:
            raise UsageError(f"two systems are called {name!r}; name them with NAME=path")
        response = read_conll(source.paths[0])
        counted[name] = count_files(key, response)
        notices += _one_sided(key, response, source.paths[0])
    return counted, notices


def _one_sided(
    key: Mapping[str, ConllDocument], response: Mapping[str, ConllDocument], path: str
) -> Iterator[Notice]:
    from tellapart.errors import Notice
    from tellapart.words import listed

    lacking = tuple(name for name in key if name not in response)
    if lacking:
        text = f"{path} lacks documents, scored as an empty response: {listed(lacking, 5)}."
        yield Notice("missing-document", text, lacking)
    extra = tuple(name for name in response if name not in key)
    if extra:
        text = f"{path} has documents that the gold file lacks; not scored: {listed(extra, 5)}."
        yield Notice("extra-document", text, extra)
