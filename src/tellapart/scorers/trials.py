"""Reading a file that looks like nothing in the format of the others, to say what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tellapart.errors import DataError, TellapartError
from tellapart.files import open_text, shown
from tellapart.scorers.heads import read_head
from tellapart.scorers.logs.inspect_files import read_log
from tellapart.scorers.logs.lm_eval_files import TaskFile, read_task
from tellapart.scorers.retrieval.detection import looks_like_query_scores
from tellapart.scorers.retrieval.files import read_run
from tellapart.scorers.retrieval.query_scores import read_query_scores
from tellapart.scorers.spans.lines import read_span_file
from tellapart.scorers.tags.columns import read_tag_file
from tellapart.scorers.translation.detection import has_tabs_throughout
from tellapart.scorers.translation.relation_files import read_file


def problem_as(kind: str, path: str, like: str) -> str | None:
    """Return the first problem of a file as one of a kind, such as the file `like` is; or None.

    Formats that no file is mistaken in are not tried: there it is a problem not to look like one.
    """
    if kind == "trec" and looks_like_query_scores(read_head(like)):
        kind = "scores"
    if kind == "table":  # its reader says what is wrong
        return None
    if kind not in _READERS:
        return f"{shown(path)}: this looks like another format; give files of one"
    try:
        _READERS[kind](path)
    except TellapartError as problem:
        return str(problem)
    return None


def _spans(path: str) -> None:
    read_span_file(path)
    with open_text(path) as stream:
        if not any('"spans"' in line for line in stream):
            raise DataError(f'{shown(path)}: no line has "spans"; give those of each text')


def _relations(path: str) -> None:
    head = read_head(path)
    if not (head.first_row() or has_tabs_throughout(head)):
        raise DataError(f"{shown(path)}:1: there is no tab between unit and relation; give one")
    read_file(path)


def _samples(path: str) -> None:
    read_task(TaskFile(path, "", ""), "")


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "inspect": read_log,
    "lm-eval": _samples,
    "trec": read_run,
    "scores": read_query_scores,
    "conll": read_tag_file,
    "spans": _spans,
    "relations": _relations,
}
