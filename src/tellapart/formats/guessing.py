"""Which format the files of the systems have, told by what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError, TellapartError
from tellapart.files import STANDARD, open_text, shown
from tellapart.formats.head import Head, read_head, what_is_wrong
from tellapart.formats.logs.detection import (
    TotalsError,
    looks_like_inspect,
    looks_like_lm_eval,
    looks_like_totals,
)
from tellapart.formats.logs.inspect_files import read_log
from tellapart.formats.logs.lm_eval_files import TaskFile, read_task
from tellapart.formats.relations.detection import (
    has_tabs_throughout,
    looks_like_relation_lines,
    looks_like_relations,
)
from tellapart.formats.relations.files import read_file
from tellapart.formats.sources import parse_source
from tellapart.formats.spans.detection import looks_like_spans
from tellapart.formats.spans.lines import read_span_file
from tellapart.formats.tables.detection import looks_like_table
from tellapart.formats.tags.detection import looks_like_tags
from tellapart.formats.tags.files import read_tag_file
from tellapart.formats.trec.files import read_run
from tellapart.formats.trec.query_scores import read_query_scores
from tellapart.formats.trec.shapes import (
    looks_like_qrels,
    looks_like_query_scores,
    looks_like_run,
)

TABLE: Final = "table"


def guess_format(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), *, checked: bool = True
) -> str | None:
    """Return what `--as` would name, or None for tables, which tell counts and items themselves.

    All files must be of one format. Files that look like none are read in the format of the
    others, or of the gold, and what is wrong with them then is the error; if that looks like none,
    too, they are lines of text. Those who check files themselves (not `checked`) are told the
    format of files with problems, and of judgements.
    """
    paths = [path for system in systems for path in parse_source(system).paths]
    paths = [path for path in dict.fromkeys(paths) if path != STANDARD]
    found = {path: _format_of(path, checked) for path in paths}
    unknown = [path for path, kind in found.items() if kind is None]
    told = {path: kind for path, kind in found.items() if kind is not None}
    if not told and unknown and gold:
        told = _format_of_gold(str(gold[0]))
    if told and checked:
        _refuse_spoiled(unknown)
    kinds = list(dict.fromkeys(told.values()))
    if len(kinds) > 1:
        raise _mixed(told, *kinds[:2])
    if not told:
        return _format_of_lines(unknown) if gold and unknown else None
    if checked:
        _try(unknown, *next(iter(told.items())))
    return None if kinds[0] == TABLE else kinds[0]


def _format_of_gold(path: str) -> dict[str, str]:
    """Tell the format by the gold: of those that are held against one."""
    head = read_head(path)
    if looks_like_qrels(head):
        return {path: "trec"}
    kind = next((kind for kind in _WITH_GOLD if _TELLS[kind](head)), None)
    return {} if kind is None else {path: kind}


def _refuse_spoiled(paths: Sequence[str]) -> None:
    """Say what is wrong with a file rather than that it does not look like the others."""
    for path in paths:
        problem = what_is_wrong(read_head(path))
        if problem is not None:
            raise DataError(problem)


def _try(paths: Sequence[str], like: str, kind: str) -> None:
    """Refuse files that cannot be read in the format of another."""
    for path in paths:
        problem = problem_as(kind, path, like)
        if problem is not None:
            raise DataError(f"{problem} ({shown(like)} looks like {_named(kind)})")


def _mixed(found: Mapping[str, str], one: str, two: str) -> DataError:
    first, second = (next(p for p, kind in found.items() if kind == k) for k in (one, two))
    return DataError(
        f"{shown(second)}: this looks like {_named(two)}, but {shown(first)} like "
        f"{_named(one)}; give files of one format, or name it with --as"
    )


def _named(kind: str) -> str:
    return "a table" if kind == TABLE else f"the format {kind!r}"


def _format_of_lines(paths: Sequence[str]) -> str | None:
    """Tell relations from texts, neither of which begins in a way of its own."""
    heads = [read_head(path) for path in paths]
    for head in heads:
        if not head.data or head.text.lstrip().startswith('{"'):
            problem = what_is_wrong(head)
            if problem is not None:
                raise DataError(problem)
    if all(map(looks_like_relation_lines, heads)):
        return "relations"
    for head in heads:
        if has_tabs_throughout(head):
            raise DataError(
                f"{shown(head.path)}: every line has a tab, so that these may be relations or "
                "texts; say so with --as relations or --as text"
            )
    return "text"


def _format_of(path: str, checked: bool) -> str | None:
    """Tell the format of one file; None if it looks like none."""
    if Path(path).is_dir():
        return _format_of_folder(Path(path))
    if path.removesuffix(".gz").endswith(".parquet"):
        return TABLE
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise TotalsError(totals)
    if looks_like_qrels(head):
        if not checked:
            return "trec"
        raise DataError(
            f"{shown(path)}: these are judgements (qrels), not a system's run; give them as "
            f"--gold {path}"
        )
    return next((kind for kind, tells in _TELLS.items() if tells(head)), None)


def _format_of_folder(folder: Path) -> str:
    if any(folder.glob("samples_*.jsonl*")):
        return "lm-eval"
    logs = sorted(folder.glob("*.eval"))
    if logs:
        raise DataError(f"{folder}: this is a folder of Inspect logs; give {folder}/*.eval")
    raise DataError(f"{folder}: this is a folder; name the files in it")


def _muc(head: Head) -> bool:
    return re.search(r"^0\.\s+MESSAGE: ID\s", head.text, re.MULTILINE) is not None


def _nuggets(head: Head) -> bool:
    return re.search(r"^#BeginOfDocument\b", head.text, re.MULTILINE) is not None


def _coreference(head: Head) -> bool:
    return head.text.lstrip().startswith("#begin document")


_TELLS: Final[dict[str, Callable[[Head], bool]]] = {
    "inspect": looks_like_inspect,
    "lm-eval": looks_like_lm_eval,
    "muc": _muc,
    "nuggets": _nuggets,
    "conll-coref": _coreference,
    "spans": looks_like_spans,
    "trec": lambda head: looks_like_run(head) or looks_like_query_scores(head),
    "conll": looks_like_tags,
    "relations": looks_like_relations,
    TABLE: looks_like_table,
}
_WITH_GOLD: Final = ("muc", "nuggets", "conll-coref", "spans", "conll", "relations")


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
        raise DataError(f"{shown(path)}:1: there is no tab between item and relation; give one")
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
