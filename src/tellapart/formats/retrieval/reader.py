"""`--as trec`: retrieval runs, held against judgements as trec_eval does.

They become one value per query and measure. What stands behind a query is what each run ranked
first, and which documents are relevant.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import gt
from typing import Any, Final, TypeAlias

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.align import Attempts, Axis, align
from tellapart.formats.contract import Format, Sources, system_files
from tellapart.formats.head import Head, read_head
from tellapart.formats.problems import Findings, check_files
from tellapart.formats.retrieval.measures import Judgements, parse_measure
from tellapart.options import NoOptions
from tellapart.words import listed, plural

Documents: TypeAlias = dict[str, dict[str, Any]]
"""Query → document → its score in a run, or its relevance"""

DEFAULT: Final = ("ndcg@10", "ap")
TOP: Final = 10
"""Documents that reports show"""
MOST_RELEVANT: Final = 50
"""Of more relevant documents, those of the highest grades are shown"""
_DECIMALS: Final = 12  # beyond, equal scores that were summed in another order differ
_SHOWN: Final = 5
_RUN: Final = "qid Q0 docid rank score tag"
_QRELS: Final = "qid iteration docid relevance"
_BEIR: Final = ["query-id", "corpus-id", "score"]  # the header of judgements of BEIR
_SCORE: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.I)
_INTEGER: Final = re.compile(r"[+-]?\d{1,9}", re.ASCII)


# Telling runs and judgements by their lines


def looks_like_run(head: Head) -> bool:
    r"""Return whether all lines are `qid Q0 docid rank score tag`; words may follow the tag.

    >>> looks_like_run(Head("x", b"# by BM25\nq1 Q0 d7 1 2.5 mine\n", whole=True))
    True
    """
    return _all_lines(head, lambda f: len(f) >= 6 and _is_iteration(f[1]) and _is_integer(f[3]))


def looks_like_qrels(head: Head) -> bool:
    r"""Return whether all lines are `qid iteration docid relevance`, or as BEIR has them.

    >>> looks_like_qrels(Head("x", b"q1 0 d7 2\n", whole=True))
    True
    >>> looks_like_qrels(Head("x", b"query-id\tcorpus-id\tscore\nq1\td7\t2\n", whole=True))
    True
    """
    if head.text.split("\n")[0].split() == _BEIR:
        return True
    return _all_lines(head, lambda f: len(f) == 4 and _is_iteration(f[1]) and _is_integer(f[3]))


def _all_lines(head: Head, accepts: Callable[[Sequence[str]], bool]) -> bool:
    lines = [line for line in head.filled_lines() if not line.startswith("#")]
    return bool(lines) and all(accepts(line.split()) for line in lines)


def _is_iteration(text: str) -> bool:
    return text.upper() == "Q0" or _is_integer(text)


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None


def _refuses(head: Head) -> DataError | None:
    """Return why judgements are no system's run."""
    if not looks_like_qrels(head):
        return None
    gold = f"--gold {shlex.quote(head.path)}"
    return DataError(f"{shown(head.path)}: these are judgements, no run; give {gold}")


# Reading


def _lines(path: str, shape: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields of lines with their places; a line that begins with # is a comment."""
    if read_head(path).kind == "json":
        raise DataError(f"{shown(path)}: this is JSON; give lines: {shape}")
    with open_text(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.startswith("#") and (fields := line.split()):
                yield f"{shown(path)}:{number}", fields


def read_run(path: str, problems: Findings) -> Documents:
    """Return the documents of a run with their scores; words after the tag are passed over."""
    if refusal := _refuses(read_head(path)):
        raise refusal
    run: Documents = {}
    first = dict[str, tuple[float, float]]()
    """Rank and score of the first line of a query"""
    disagreeing = dict[str, None]()
    for place, fields in _lines(path, _RUN):
        if len(fields) < 6:
            problems.complain(f"{place}: {len(fields)} fields instead of 6: {_RUN}")
        elif not _SCORE.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
            problems.complain(f"{place}: the score is {fields[4]!r}, no finite number")
        else:
            query, score = fields[0], float(fields[4])
            rank = int(fields[3]) if _is_integer(fields[3]) else math.nan
            best, top = first.setdefault(query, (rank, score))
            if (rank - best) * (score - top) > 0:
                disagreeing[query] = None
            _add(run, query, fields[2], score, place, problems)
    if disagreeing:
        finding = f"ranks and scores disagree for {_counted(list(disagreeing))}"
        problems.warn(f"{shown(path)}: {finding}; documents were ranked by their scores")
    if not run:
        problems.complain(f"{shown(path)}: no document in this file; give {_RUN}")
    return run


def read_qrels(path: str, problems: Findings) -> Documents:
    """Return the relevance of judged documents."""
    if looks_like_run(read_head(path)):
        raise DataError(f"{shown(path)}: this is a run; --gold takes judgements: {_QRELS}")
    judged: Documents = {}
    wanted = 4
    for place, fields in _lines(path, _QRELS):
        if fields == _BEIR and not judged:
            wanted = len(_BEIR)
        elif len(fields) != wanted:
            problems.complain(f"{place}: {len(fields)} fields instead of {wanted}: {_QRELS}")
        elif not _is_integer(fields[-1]):
            problems.complain(f"{place}: the relevance is {fields[-1]!r}, no whole number")
        else:
            _add(judged, fields[0], fields[-2], int(fields[-1]), place, problems)
    if not judged:
        problems.complain(f"{shown(path)}: no judgements in this file; give {_QRELS}")
    return judged


def _add(
    known: Documents, query: str, document: str, value: float, place: str, problems: Findings
) -> None:
    documents = known.setdefault(query, {})
    if document in documents:
        problems.complain(f"{place}: {document!r} appears twice for {query!r}")
    documents[document] = value


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return the values of runs; a query that a run lacks counts 0."""
    if len(sources.gold) != 1:
        raise UsageError("a run needs judgements; give one --gold FILE")
    metrics = list(dict.fromkeys(sources.metrics or DEFAULT))
    measures = [parse_measure(name) for name in metrics]
    missing = sources.missing or "zero"
    problems = Findings(strict=True)
    judged = read_qrels(str(sources.gold[0]), problems)
    queries = {query: Judgements.of(relevance) for query, relevance in judged.items()}
    notices = _without_relevant(queries)
    place = {query: k for k, query in enumerate(queries)}
    rows = list[tuple[str, str, str, int, list[float]]]()
    tops = dict[str, tuple[str, ...]]()
    for name, files in system_files(sources.systems).items():
        for run, path in enumerate(files, 1):
            documents = read_run(path, problems)
            rankings = _rankings(path, documents, queries)
            notices += _run_notices(name, documents, queries, missing)
            tops.setdefault(name, tuple(" ".join(ranked[:TOP]) for ranked in rankings.values()))
            for query, ranked in rankings.items():
                if missing == "zero" or ranked:
                    judgements = queries[query]
                    hits = judgements.hits(ranked)
                    own = [round(m.value(hits, judgements), _DECIMALS) for m in measures]
                    rows.append((name, str(run), path, place[query], own))
    names, runs, paths, items, values = zip(*rows, strict=True)
    attempts = Attempts(
        Axis.of(names),
        Axis(tuple(queries), np.array(items, np.int32)),
        dict(zip(metrics, np.array(values, np.float64).T, strict=True)),
        lambda row: shown(paths[row]),
        runs=Axis.of(runs),
        texts=ItemTexts(
            golds=tuple(" ".join(each.best_first()) for each in queries.values()), outputs=tops
        ),
    )
    counts = align(attempts, missing=missing, kind="query")

    def view(query: str) -> ItemView:
        rankings = {name: own[place[query]].split() for name, own in tops.items()}
        return _view(queries[query], rankings)

    return replace(counts, views=view, notices=(*problems.notices(), *notices, *counts.notices))


def _view(judged: Judgements, rankings: Mapping[str, Sequence[str]]) -> ItemView:
    """Return the relevant documents of a query, and what stands at each rank of the runs."""

    def piece(document: str) -> Piece:
        grade = judged.relevance.get(document)
        if grade is None:
            return Piece(document, "", "not judged")
        return Piece(document, "right" if grade > 0 else "wrong", f"grade {grade}")

    relevant = judged.best_first()[:MOST_RELEVANT]
    rows = [ViewRow("relevant", tuple(replace(piece(d), text=f" {d}") for d in relevant))]
    for k in range(TOP):
        cells = {name: tuple(map(piece, top[k : k + 1])) for name, top in rankings.items()}
        rows.append(ViewRow(f"rank {k + 1}", outputs=cells))
    return ItemView((ViewSection(tuple(rows), "The first documents"),))


def _rankings(path: str, run: Documents, queries: Collection[str]) -> dict[str, list[str]]:
    """Return what a run ranks for every judged query, by score, equal scores by id descending."""
    if run.keys().isdisjoint(queries):
        raise DataError(
            f"{shown(path)}: no query of this run was judged (it has {listed(list(run), 3)}; the "
            f"judgements have {listed(list(queries), 3)}); check the ids"
        )
    rankings = {}
    for query in queries:
        documents = run.get(query, {})
        ranked, scores = list(documents), list(documents.values())
        if not all(map(gt, scores, scores[1:])):  # most runs are written by rank
            ranked = [d for _, d in sorted(zip(scores, ranked, strict=True), reverse=True)]
        rankings[query] = ranked
    return rankings


def _run_notices(
    name: str, run: Documents, queries: Mapping[str, Judgements], missing: str
) -> list[Notice]:
    """Return notices of queries that a run lacks, or that were not judged."""
    lacking = tuple(query for query in queries if not run.get(query))
    extra = tuple(query for query in run if query not in queries)
    notices = []
    if lacking and missing == "zero":
        text = f"{name} has no document for {_counted(lacking)}: counted as 0."
        notices.append(Notice("missing", text, lacking))
    if extra:
        text = f"Not judged, so not scored, of {name}: {_counted(extra)}."
        notices.append(Notice("not-judged", text, extra))
    return notices


def _without_relevant(queries: Mapping[str, Judgements]) -> list[Notice]:
    """Return a notice of the queries that nobody can score on."""
    empty = tuple(query for query, judged in queries.items() if not judged.levels)
    if not empty:
        return []
    text = f"No relevant document was judged for {_counted(empty)}: 0 for all, as in trec_eval."
    return [Notice("no-relevant", text, empty)]


def _counted(queries: Sequence[str]) -> str:
    noun = "query" if len(queries) == 1 else plural("query")
    number = f"{len(queries)} " if len(queries) > _SHOWN else ""
    return f"{number}{noun} {listed(queries, _SHOWN)}"


def _findings(systems: Sequence[str], gold: Sequence[str], options: Any) -> list[Finding]:
    def read_file(path: str, problems: Findings) -> Documents:
        judged = path in gold or looks_like_qrels(read_head(path))
        return (read_qrels if judged else read_run)(path, problems)

    return check_files(read_file, _read, systems, gold, options)


FORMAT = Format(
    names=("trec",),
    about="retrieval runs with judgements",
    recognises=looks_like_run,
    recognises_gold=looks_like_qrels,
    refuses=_refuses,
    read=_read,
    missing=None,  # a query that a run lacks counts 0
    findings=_findings,
)
