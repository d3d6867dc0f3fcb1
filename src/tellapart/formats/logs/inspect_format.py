"""`--as inspect`: logs of Inspect, `.eval` or `.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format

_ZIP: Final = b"PK\x03\x04"
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = ("_journal/", "header.json", "samples/", "summaries", "reductions.json")


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


def _refuses(head: Head) -> DataError | None:
    if head.is_folder and any(Path(head.path).glob("*.eval")):
        return DataError(f"{head.path}: this is a folder of Inspect logs; give {head.path}/*.eval")
    return None


FORMAT = log_format(
    "inspect",
    "logs of Inspect, `.eval` or `.json`",
    files="logs of Inspect",
    module="inspect",
    recognises=looks_like_inspect,
    refuses=_refuses,
)
