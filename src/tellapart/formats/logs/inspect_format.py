"""`--as inspect`: logs of Inspect, `.eval` or `.json`."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import DataError
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import Reader, whole_reader_format
from tellapart.formats.logs.recognition import looks_like_inspect


def _refuses(head: Head) -> DataError | None:
    if head.is_folder and any(Path(head.path).glob("*.eval")):
        return DataError(f"{head.path}: this is a folder of Inspect logs; give {head.path}/*.eval")
    return None


def _reader() -> Reader:
    from tellapart.formats.logs import inspect

    return inspect


FORMAT = whole_reader_format(
    "inspect",
    "logs of Inspect, `.eval` or `.json`",
    files="logs of Inspect",
    reader=_reader,
    recognises=looks_like_inspect,
    refuses=_refuses,
)
