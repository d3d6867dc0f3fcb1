"""Recognising logs of evaluations by how they begin."""

from __future__ import annotations

import re
from typing import Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
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
    """Return whether these are samples of lm-eval, also if the first line is longer than the head.

    >>> looks_like_lm_eval(Head("x", b'{"doc_id": 0, "doc": {"question": "Who', False))
    True
    """
    row = head.first_row()
    if row is not None:
        return "doc_id" in row and not _RESPONSES.isdisjoint(row)
    keys = head.keys()
    if not {"doc_id", "doc"} <= set(keys):
        return False
    return not _RESPONSES.isdisjoint(keys) or re.search(r'"doc"\s*:\s*\{', head.text) is not None


def refuse_others(path: str, expected: str) -> None:
    """Refuse a file that is evidently not of the expected kind."""
    if path == STANDARD:
        return
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise TotalsError(totals)
    kinds = {"an Inspect log": looks_like_inspect, "a samples file of lm-eval": looks_like_lm_eval}
    if not kinds[expected](head):
        for kind, tells in kinds.items():
            if kind != expected and tells(head):
                raise DataError(
                    f"{shown(path)}: this is {kind}, not {expected}; give files of one format"
                )
