"""Which format the files of the systems have, told by what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.scorers.heads import Head, read_head
from tellapart.scorers.logs.detection import (
    TotalsError,
    looks_like_inspect,
    looks_like_lm_eval,
    looks_like_totals,
)
from tellapart.scorers.retrieval.detection import (
    looks_like_qrels,
    looks_like_query_scores,
    looks_like_run,
)
from tellapart.scorers.sources import parse_source
from tellapart.scorers.spans.detection import looks_like_spans
from tellapart.scorers.spoiled import what_is_wrong
from tellapart.scorers.table_detection import looks_like_table
from tellapart.scorers.tags.detection import looks_like_tags
from tellapart.scorers.translation.detection import (
    has_tabs_throughout,
    looks_like_relation_lines,
    looks_like_relations,
)
from tellapart.scorers.trials import problem_as

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
