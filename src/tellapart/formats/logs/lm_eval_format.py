"""`--as lm-eval`: samples of lm-eval, files or folders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.totals import TotalsError, looks_like_totals

_RESPONSES: Final = frozenset({"resps", "filtered_resps"})


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


def _refuses(head: Head) -> DataError | None:
    totals = looks_like_totals(head)
    return None if totals is None else TotalsError(totals)


FORMAT = log_format(
    "lm-eval",
    "samples of lm-eval, files or folders",
    files="samples of lm-eval",
    module="lm_eval",
    recognises=looks_like_lm_eval,
    refuses=_refuses,
)
