"""Which format the files of the systems have, told by what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.scorers.heads import Head, read_head
from tellapart.scorers.logs.detection import (
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
from tellapart.scorers.tags.detection import looks_like_tags

TABLE: Final = "table"


def guess_format(systems: Sequence[str | Path], with_gold: bool) -> str | None:
    """Return what `--as` would name, or None for tables, which tell counts and items themselves.

    All files must be of one format. Lines of plain text count as text where there is a gold file
    to hold them against.
    """
    paths = [path for system in systems for path in parse_source(system).paths]
    found = {path: _format_of(path, with_gold) for path in paths}
    kinds = dict.fromkeys(kind for path, kind in found.items() if path != STANDARD)
    if len(kinds) > 1:
        one, two = list(kinds)[:2]
        first, second = (next(p for p, kind in found.items() if kind == k) for k in (one, two))
        raise DataError(
            f"{shown(second)}: this looks like {_named(two)}, but {shown(first)} like "
            f"{_named(one)}; give files of one format, or name it with --as"
        )
    kind = next(iter(kinds), TABLE)
    return None if kind == TABLE else kind


def _named(kind: str) -> str:
    return "a table" if kind == TABLE else f"the format {kind!r}"


def _format_of(path: str, with_gold: bool) -> str:
    if Path(path).is_dir():
        return _format_of_folder(Path(path))
    if path.removesuffix(".gz").endswith(".parquet"):
        return TABLE
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise DataError(totals)
    if looks_like_qrels(head):
        raise DataError(
            f"{shown(path)}: these are judgements (qrels), not a system's run; give them as "
            f"--gold {path}"
        )
    for kind, tells in _TELLS.items():
        if tells(head):
            return kind
    return "text" if with_gold and head.data else TABLE


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


def _relations(head: Head) -> bool:
    return "relations" in (head.first_row() or {})


_TELLS: Final[dict[str, Callable[[Head], bool]]] = {
    "inspect": looks_like_inspect,
    "lm-eval": looks_like_lm_eval,
    "muc": _muc,
    "nuggets": _nuggets,
    "conll-coref": _coreference,
    "relations": _relations,
    "spans": looks_like_spans,
    "trec": lambda head: looks_like_run(head) or looks_like_query_scores(head),
    "conll": looks_like_tags,
}
