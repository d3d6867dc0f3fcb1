"""Recognising the logs of each harness by how they begin, and refusing those of another."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.logs.totals import TotalsError, looks_like_totals

_ZIP: Final = b"PK\x03\x04"
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = ("_journal/", "header.json", "samples/", "summaries", "reductions.json")
_RESPONSES: Final = frozenset({"resps", "filtered_resps"})


def looks_like_inspect(head: Head) -> bool:
    """Return whether this is a log of Inspect, whole or not: `.eval`, or one JSON object.

    >>> looks_like_inspect(Head("x", b'{"version": 2, "status": "success", "eval": {', False))
    True
    """
    if head.path.endswith(".eval"):
        return True
    if head.data.startswith(_ZIP):
        return head.data[_NAME_AT:].startswith(tuple(name.encode() for name in _FIRST_MEMBERS))
    return {"version", "eval"} <= set(head.keys())


def looks_like_lm_eval(head: Head) -> bool:
    """Return whether these are samples of lm-eval, or a folder of them.

    The first line may be longer than the head.

    >>> looks_like_lm_eval(Head("x", b'{"doc_id": 0, "doc": {"question": "Who', False))
    True
    """
    if head.is_folder:
        return any(Path(head.path).glob("samples_*.jsonl*"))
    row = head.first_row()
    if row is not None:
        return "doc_id" in row and not _RESPONSES.isdisjoint(row)
    keys = head.keys()
    if not {"doc_id", "doc"} <= set(keys):
        return False
    return not _RESPONSES.isdisjoint(keys) or re.search(r'"doc"\s*:\s*\{', head.text) is not None


KINDS: Final[dict[str, tuple[str, Callable[[Head], bool]]]] = {
    "inspect": ("an Inspect log", looks_like_inspect),
    "lm-eval": ("a samples file of lm-eval", looks_like_lm_eval),
}
"""By the name of its format: what one file of a harness is called, and how it is recognised"""


def refuse_other_files(path: str, own: str) -> None:
    """Refuse a file that holds only totals, or that is evidently of another harness."""
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise TotalsError(totals)
    kind, recognises = KINDS[own]
    if not recognises(head):
        for name, (other, recognises_other) in KINDS.items():
            if name != own and recognises_other(head):
                raise DataError(
                    f"{shown(path)}: this is {other}, not {kind}; give files of one format"
                )
