"""`--as trec`: retrieval runs with judgements, or scores of single queries, told by their lines.

They become one value per query and measure. What stands behind a query is what each run ranked
first, and which documents are relevant.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import gt
from typing import Any, Final, TypeAlias

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.align import Attempts, Axis, align, check_policy
from tellapart.formats.contract import Format, Report, Sources, paths_of, run_name, system_files
from tellapart.formats.head import Head, read_head
from tellapart.formats.problems import Findings, findings_of
from tellapart.formats.records import read_json
from tellapart.formats.retrieval.measures import Judgements, find_measure, parse_measure
from tellapart.options import NoOptions
from tellapart.words import listed, nearest, plural, typed

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
_NO_RUN: Final = f"these are judgements ({_QRELS}), no run; give them with --gold"
_RELEVANCE: Final = re.compile(r"[+-]?[0-9]{1,9}")
_VALUE: Final = {_RUN: "score", _QRELS: "relevance"}
"""What of a line is the number"""
_SCORES: Final = "qid, measure and value, or measure, qid and value"


ALL: Final = "all"
"""What stands for the query in rows that sum up"""
WORDS: Final = "relstring"
"""What trec_eval prints of a query that is no number"""
JUDGED: Final = ["query-id", "corpus-id", "score"]
"""The header of judgements of BEIR"""

_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.I)
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
# Measures that tools print beside those that are computed here.
_OTHER: Final = re.compile(
    r"(num_\w+|num(q|ret|rel|relret)|runid|gm_\w+|iprec\w*|11pt_avg|inf_?ap|set_?\w+|"
    r"rndcg|bing|g|utility|err|n?rbp|judged|insq|inst|accuracy|compat|sdcg|nerr\d*|bpm|"
    r"\w+_ia|(alpha|α)_n?dcg|strecall|rprec_mult|relative|unj|relstring|ndcg_rel)([(@_.].*)?",
    re.I,
)
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
# Scores by class, which are objects of numbers as well.
_SCORE_WORDS: Final = re.compile(r'"(precision|recall|f1|f1-score|support|accuracy)"\s*:')
# Objects of numbers in one object, without blanks and strings; the end may be cut off.
_NESTED: Final = re.compile(r"\{(?::\{[:,\d.eE+-]*\}?,?)+:?\}?")


def is_run_line(fields: Sequence[str]) -> bool:
    """Return whether the fields are `qid Q0 docid rank score tag`; words may follow the tag.

    >>> is_run_line("q1 Q0 d7 1 2.5 mine".split()), is_run_line("a b c d e f".split())
    (True, False)
    """
    return (
        len(fields) >= 6
        and _INTEGER.fullmatch(fields[3]) is not None
        and (is_number(fields[4]) or fields[4].lower() in ("nan", "inf", "-inf"))
        and (fields[1].upper() == "Q0" or _INTEGER.fullmatch(fields[1]) is not None)
    )


def is_qrels_line(fields: Sequence[str]) -> bool:
    """Return whether the fields are `qid iteration docid relevance`.

    >>> is_qrels_line("q1 0 d7 2".split()), is_qrels_line("q1 Q0 d7 0.5".split())
    (True, False)
    """
    return (
        len(fields) == 4
        and (_INTEGER.fullmatch(fields[1]) is not None or fields[1].upper() == "Q0")
        and _INTEGER.fullmatch(fields[3]) is not None
    )


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number in ASCII digits."""
    return _NUMBER.fullmatch(text) is not None


def measure_column(rows: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Return which column of `qid measure value` or `measure qid value` names measures.

    Also returns whether it names nothing else.

    >>> measure_column([["q1", "AP", "0.5"], ["all", "AP", "0.5"]])
    (1, True)
    >>> measure_column([["map", "7", "0.5"], ["mine", "all", "0.5"]])
    (0, False)
    """
    known = [sum(map(_is_measure, (row[c] for row in rows))) for c in (0, 1)]
    column = 0 if known[0] > known[1] else 1
    return column, known[column] == len(rows)


def _is_measure(name: str) -> bool:
    return find_measure(name) is not None or _OTHER.fullmatch(name) is not None


def looks_like_run(head: Head) -> bool:
    r"""Return whether this is a TREC run, or one in JSON.

    In JSON it is {"qid": {"docid": score}}, and some score is no whole number.

    >>> looks_like_run(Head("x", b"# by BM25\nq1 Q0 d7 1 2.5 mine\n", whole=True))
    True
    >>> looks_like_run(Head("x", b'{"q1": {"d7": 2.5, "d1"', whole=False))
    True
    """
    return _all_lines(head, is_run_line) or _json_numbers(head) == "fractions"


def looks_like_qrels(head: Head) -> bool:
    r"""Return whether these are judgements, also in JSON.

    In JSON they are {"qid": {"docid": relevance}}, all whole numbers.

    >>> looks_like_qrels(Head("x", b"q1 0 d7 2\n", whole=True))
    True
    >>> looks_like_qrels(Head("x", b"query-id\tcorpus-id\tscore\nq1\td7\t2\n", whole=True))
    True
    """
    if head.text.split("\n")[0].split() == JUDGED:
        return True
    return _all_lines(head, is_qrels_line) or _json_numbers(head) == "whole"


def looks_like_query_scores(head: Head) -> bool:
    r"""Return whether these are scores of queries: `qid measure value` or `measure qid value`.

    >>> looks_like_query_scores(Head("x", b"q1\tAP\t0.5\nall\tAP\t0.5\n", whole=True))
    True
    >>> looks_like_query_scores(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    rows = [line.split() for line in head.filled_lines()]
    if not rows or any(len(row) != 3 for row in rows):
        return False
    column, only_measures = measure_column(rows)
    values = (row[2] for row in rows if ALL not in row[:2] and row[column] != WORDS)
    return only_measures and all(map(is_number, values))


def _all_lines(head: Head, accepts: Callable[[Sequence[str]], bool]) -> bool:
    lines = [line for line in head.filled_lines() if not line.startswith("#")]
    return bool(lines) and all(accepts(line.split()) for line in lines)


def _json_numbers(head: Head) -> str | None:
    """Return "whole" or "fractions" for an object of objects of numbers; None for others."""
    if not head.text.lstrip().startswith("{") or _SCORE_WORDS.search(head.text):
        return None
    bare = re.sub(r"\s+", "", _STRING.sub("", head.text))
    if not _NESTED.fullmatch(bare) or not re.search(r"\d", bare):
        return None
    return "fractions" if re.search(r"[.eE]", bare) else "whole"


def _recognises(head: Head) -> bool:
    return looks_like_run(head) or looks_like_query_scores(head)


def _refuses(head: Head) -> DataError | None:
    """Return why judgements are no system's run."""
    if not looks_like_qrels(head):
        return None
    gold = f"--gold {typed(head.path)}"
    return DataError(f"{shown(head.path)}: these are judgements, no run; give {gold}")


def _lines(path: str) -> Iterator[tuple[int | str, list[str]]]:
    """Yield the fields of lines with their numbers; a line that begins with # is a comment."""
    with open_text(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.startswith("#") and (fields := line.split()):
                yield number, fields


def _documents(path: str, line: str) -> Iterator[tuple[int | str, list[str]]]:
    """Yield the lines of a run or of judgements; JSON, by its queries, in the shape of a `line`."""
    if not read_head(path).text.lstrip().startswith("{"):
        yield from _lines(path)
        return
    for query, documents in read_json(path).items():
        if not isinstance(documents, dict):
            finding = f"{query!r} has no documents"
            raise DataError(f'{shown(path)}: {finding}; give {{"qid": {{"docid": number}}}}')
        for document, value in documents.items():
            known = {"qid": query, "docid": document, _VALUE[line]: json.dumps(value)}
            yield repr(query), [known.get(name, "0") for name in line.split()]


def read_run(path: str, problems: Findings) -> Documents:
    """Return the documents of a run with their scores, which rank them as in trec_eval.

    Ranks that say otherwise bring a warning; words after the tag are passed over.
    """
    ends: dict[str, list[Sequence[str]]] = {}  # the first and the last line of each query

    def parsed(fields: Sequence[str]) -> tuple[str, str, float]:
        if is_qrels_line(fields):
            raise DataError(_NO_RUN)
        if len(fields) < 6:
            raise DataError(f"{len(fields)} fields instead of 6: {_RUN}")
        score = _finite(fields[4])
        if score is None:
            raise DataError(f"the score is {fields[4]!r}, no finite number; give {_RUN}")
        ends.setdefault(fields[0], [fields, fields])[1] = fields
        return fields[0], fields[2], score

    run = _numbers(
        path, _documents(path, _RUN), parsed, f"no document in this file; give {_RUN}", problems
    )
    disagreeing = [query for query, lines in ends.items() if _ranked_otherwise(*lines)]
    if disagreeing:
        finding = f"ranks and scores disagree for {_counted(disagreeing)}"
        problems.warn(f"{shown(path)}: {finding}; documents were ranked by their scores")
    return run


def read_qrels(path: str, problems: Findings) -> Documents:
    """Return the relevance of judged documents."""
    lines = list(_documents(path, _QRELS))
    wanted = 4
    if lines and lines[0][1] == JUDGED:
        wanted = len(lines.pop(0)[1])

    def parsed(fields: Sequence[str]) -> tuple[str, str, int]:
        if is_run_line(fields):
            raise DataError(f"this is a run ({_RUN}); --gold takes judgements: {_QRELS}")
        if len(fields) != wanted:
            raise DataError(f"{len(fields)} fields instead of {wanted}: {_QRELS}")
        if not _RELEVANCE.fullmatch(fields[-1]):
            raise DataError(f"the relevance is {fields[-1]!r}, no whole number of nine digits")
        return fields[0], fields[-2], int(fields[-1])

    return _numbers(path, lines, parsed, f"no judgements in this file; give {_QRELS}", problems)


def _numbers(
    path: str,
    lines: Iterable[tuple[int | str, Sequence[str]]],
    parsed: Callable[[Sequence[str]], tuple[str, str, float] | None],
    if_empty: str,
    problems: Findings,
) -> dict[str, dict[str, Any]]:
    """Return the numbers of lines by two names, such as query and document, each there once."""
    numbers: dict[str, dict[str, Any]] = {}
    for number, fields in lines:
        try:
            line = parsed(fields)
        except DataError as problem:
            problems.complain(f"{shown(path)}:{number}: {problem}")
            continue
        if line is not None:
            outer, inner, value = line
            if inner in numbers.setdefault(outer, {}):
                problems.complain(f"{shown(path)}:{number}: {inner!r} appears twice for {outer!r}")
            numbers[outer][inner] = value
    if not numbers:
        problems.complain(f"{shown(path)}: {if_empty}")
    return numbers


def _finite(text: str) -> float | None:
    """Return a finite number; None for what is none, or what only Python takes for one.

    >>> _finite("2.5"), _finite("nan"), _finite("1_000")
    (2.5, None, None)
    """
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) and "_" not in text else None


def _ranked_otherwise(first: Sequence[str], last: Sequence[str]) -> bool:
    """Return whether of two lines of a query the one of the lower score has the better rank."""
    if not (first[3].isdecimal() and last[3].isdecimal()):
        return False
    ranks, scores = (float(last[k]) - float(first[k]) for k in (3, 4))
    return ranks * scores > 0


def read_query_scores(path: str, problems: Findings) -> dict[str, dict[str, float]]:
    """Return the values of one file: measure → query → value; rows of the query `all` sum up."""
    lines = list(_lines(path))
    column, _ = measure_column([fields for _, fields in lines if len(fields) == 3])

    def parsed(fields: Sequence[str]) -> tuple[str, str, float] | None:
        if len(fields) != 3:
            raise DataError(f"{len(fields)} fields instead of 3: {_SCORES}")
        measure, query = common_name(fields[column]), fields[1 - column]
        if query == ALL or measure == WORDS:
            return None
        value = _finite(fields[2])
        if value is None:
            raise DataError(f"the value is {fields[2]!r}, no number")
        return measure, query, value

    return _numbers(path, lines, parsed, f"there is no value of a query; give {_SCORES}", problems)


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return the values of runs held against judgements, or of scores of single queries.

    With gold the systems are runs, and the metrics (by default ndcg@10 and ap) are computed as
    trec_eval does; a query that a run lacks counts 0. Without, they are files of scores per query,
    as ir_measures and `trec_eval -q` print them.
    """
    if sources.item not in (None, "query"):
        raise UsageError("the items of retrieval are queries")
    if len(sources.gold) > 1:
        raise UsageError(f"retrieval takes one file of judgements, not {len(sources.gold)}")
    check_policy(sources.missing or "zero")
    problems = Findings(strict=True)
    read = _read_runs if sources.gold else _read_scores
    counts = read(sources, list(dict.fromkeys(sources.metrics)), problems)
    return replace(counts, notices=(*problems.notices(), *counts.notices))


_Row: TypeAlias = tuple[str, int, str, str, Sequence[float]]
"""The system, the number of its run, its file, the query, and the values"""


def _files(systems: Sequence[Any]) -> Iterator[tuple[str, int, str]]:
    """Yield the system, the number of the run, and the path of every file."""
    for name, paths in system_files(systems).items():
        for run, path in enumerate(paths, 1):
            yield name, run, path


def _aligned(
    rows: Sequence[_Row], queries: Sequence[str], columns: Sequence[str], missing: str
) -> Counts:
    """Return the counts of the values of all files; `queries` are all that there are."""
    places = {query: k for k, query in enumerate(queries)}
    values = np.array([row for *_, row in rows], np.float64).reshape(len(rows), len(columns))
    attempts = Attempts(
        Axis.of(name for name, *_ in rows),
        Axis(tuple(queries), np.array([places[query] for *_, query, _ in rows], np.int32)),
        {column: values[:, c] for c, column in enumerate(columns)},
        lambda k: shown(rows[k][2]),
        runs=Axis.of(str(run) for _, run, *_ in rows),
    )
    return align(attempts, missing=missing, kind="query")


def _read_runs(sources: Sources, metrics: Sequence[str], problems: Findings) -> Counts:
    metrics = metrics or DEFAULT
    missing = sources.missing or "zero"
    measures = [parse_measure(name) for name in metrics]
    judged = read_qrels(str(sources.gold[0]), problems)
    queries = {query: Judgements.of(relevance) for query, relevance in judged.items()}
    notices = _without_relevant(queries)
    rows, rankings = list[_Row](), dict[str, dict[str, Ranking]]()
    for name, run, path in _files(sources.systems):
        if looks_like_query_scores(read_head(path)):
            raise UsageError(f"{shown(path)}: these are scores of queries; leave --gold out")
        documents = read_run(path, problems)
        ranked = _rankings(path, documents, queries)
        notices += _run_notices(name, documents, queries, missing)
        for query, ranking in ranked.items():
            if missing == "zero" or documents.get(query):
                own = [measure.value(ranking.hits, queries[query]) for measure in measures]
                rows.append((name, run, path, query, [round(value, _DECIMALS) for value in own]))
        rankings[run_name(name, run) if run > 1 else name] = ranked
    counts = _aligned(rows, [*queries], metrics, missing)
    counts = replace(counts, notices=(*notices, *counts.notices))
    return _with_views(counts, queries, rankings)


def _rankings(path: str, run: Documents, queries: Mapping[str, Judgements]) -> dict[str, Ranking]:
    """Return what a run ranks for every judged query, by score, equal scores by id descending."""
    if run.keys().isdisjoint(queries):
        raise DataError(
            f"{shown(path)}: no query of this run was judged (it has {listed(list(run), 3)}; the "
            f"judgements have {listed(list(queries), 3)}); check the ids"
        )
    rankings = {}
    for query, judged in queries.items():
        documents = run.get(query, {})
        ranked, scores = list(documents), list(documents.values())
        if not all(map(gt, scores, scores[1:])):  # most runs are written by rank
            ranked = [d for _, d in sorted(zip(scores, ranked, strict=True), reverse=True)]
        hits = [(k, judged.relevance[d]) for k, d in enumerate(ranked, 1) if d in judged.relevance]
        rankings[query] = Ranking(tuple(ranked[:TOP]), hits)
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


def _read_scores(sources: Sources, metrics: Sequence[str], problems: Findings) -> Counts:
    scores = {}
    for name, run, path in _files(sources.systems):
        head = read_head(path)
        if looks_like_qrels(head):
            raise DataError(f"{shown(path)}: {_NO_RUN}")
        if looks_like_run(head):
            raise UsageError(f"{shown(path)}: a run needs judgements; give --gold")
        scores[name, run, path] = read_query_scores(path, problems)
    chosen, notices = _chosen_measures(scores, metrics)
    rows = [
        (*file, query, [values[measure].get(query, math.nan) for measure in chosen])
        for file, values in scores.items()
        for query in dict.fromkeys(query for measure in chosen for query in values[measure])
    ]
    queries = list(dict.fromkeys(query for *_, query, _ in rows))
    counts = _aligned(rows, queries, metrics or chosen, sources.missing or "error")
    return replace(counts, notices=(*notices, *counts.notices))


def _chosen_measures(
    scores: Mapping[tuple[str, int, str], Mapping[str, Any]], metrics: Sequence[str]
) -> tuple[list[str], list[Notice]]:
    """Return the measures to compare: those asked for, or all that every file has."""
    every = dict.fromkeys(measure for values in scores.values() for measure in values)
    common = [name for name in every if all(name in values for values in scores.values())]
    for name in metrics:
        if common_name(name) not in common:
            raise UsageError(f"not every file has the measure {name!r}; {nearest(name, common)}")
    if metrics:
        return [common_name(name) for name in metrics], []
    chosen = [name for name in common if not name.startswith("num")]  # counts of documents
    if not chosen:
        raise DataError(f"no measure is in all files; there are {listed([*every], 8)}")
    ignored = tuple(name for name in every if name not in common)
    text = f"Left out, since not every file has them: {listed(ignored, 5)}."
    return chosen, [Notice("ignored", text, ignored)] if ignored else []


def common_name(measure: str) -> str:
    """Return the name under which all spellings of a measure meet.

    >>> common_name("nDCG@10"), common_name("ndcg_cut_10"), common_name("ERR@20")
    ('ndcg@10', 'ndcg@10', 'err@20')
    """
    known = find_measure(measure)
    return measure.lower() if known is None else str(known)


def _findings(files: Sequence[str], gold: Sequence[str], options: NoOptions) -> list[Finding]:
    """Return the problems of runs, judgements and scores, and the queries that a run lacks."""
    heads = {path: read_head(path) for path in paths_of(files)}

    def read(path: str, problems: Findings) -> object:
        if path not in heads or looks_like_qrels(heads[path]):
            return read_qrels(path, problems)
        is_run = bool(gold) or looks_like_run(heads[path])
        return (read_run if is_run else read_query_scores)(path, problems)

    compared = gold or not any(looks_like_run(h) or looks_like_qrels(h) for h in heads.values())
    sources = Sources(tuple(files), tuple(gold))
    return findings_of(
        [*gold, *heads], read, lambda: _read(sources, options).notices if compared else ()
    )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first documents of a run for a query, and where judged documents stand."""

    top: tuple[str, ...]
    hits: Sequence[tuple[int, int]]
    """Rank and relevance of all judged documents that it has"""


def _with_views(
    counts: Counts, queries: Mapping[str, Judgements], runs: Mapping[str, Mapping[str, Ranking]]
) -> Counts:
    """Return the counts with what is shown of a query: relevant documents, and rankings."""
    golds = tuple(" ".join(_relevant(queries[query])) for query in counts.items)
    tops = {
        name: tuple(" ".join(rankings[query].top) for query in counts.items)
        for name, rankings in runs.items()
        if name in counts.names
    }
    return replace(
        counts,
        texts=ItemTexts(golds=golds, outputs=tops),
        views=lambda query: _view(queries[query], {n: own[query] for n, own in runs.items()}),
    )


def _relevant(judged: Judgements) -> list[str]:
    """Return the relevant documents, those of the highest grade first."""
    relevant = (document for document, grade in judged.relevance.items() if grade > 0)
    return sorted(relevant, key=lambda document: -judged.relevance[document])


def _view(judged: Judgements, rankings: Mapping[str, Ranking]) -> ItemView:
    """Return the relevant documents of a query, and what stands at each rank of the runs."""
    gold = tuple(
        Piece(f"{document} ", "", f"grade {judged.relevance[document]}")
        for document in _relevant(judged)[:MOST_RELEVANT]
    )
    depth = max(len(ranking.top) for ranking in rankings.values())
    ranked = (
        ViewRow(
            f"rank {k + 1}",
            outputs={
                name: tuple(_marked(document, judged) for document in ranking.top[k : k + 1])
                for name, ranking in rankings.items()
            },
        )
        for k in range(depth)
    )
    title = f"The first {depth} documents" if depth else "No document"
    return ItemView((ViewSection((ViewRow("relevant", gold), *ranked), title),))


def _marked(document: str, judged: Judgements) -> Piece:
    grade = judged.relevance.get(document)
    if grade is None:
        return Piece(document, "", "not judged")
    return Piece(document, "right" if grade > 0 else "wrong", f"grade {grade}")


def _report(sources: Sources, options: NoOptions) -> Report:
    """Return every system's scores; the report has the values of single queries."""
    from tellapart.formats.contract import plain_report

    counts = _read(sources, options)
    values = counts.values / [float(scale) for scale in counts.scales]
    queries = {
        name: {
            query: dict(zip(counts.columns, row, strict=True))
            for query, row in zip(counts.items, rows, strict=True)
        }
        for name, rows in zip(counts.names, values.tolist(), strict=True)
    }
    plain = plain_report(counts, sources.metrics)
    systems = (replace(each, report={"queries": queries[each.name]}) for each in plain.systems)
    return replace(plain, systems=tuple(systems))


FORMAT = Format(
    names=("trec",),
    about="retrieval runs with judgements, or scores of single queries",
    recognises=_recognises,
    recognises_gold=looks_like_qrels,
    refuses=_refuses,
    read=_read,
    missing=None,  # a query that a run lacks counts 0
    report=_report,
    findings=_findings,
)
