"""`--as lm-eval`: samples of lm-eval, files or folders."""

from __future__ import annotations

from tellapart.errors import DataError
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import Reader, whole_reader_format
from tellapart.formats.logs.recognition import looks_like_lm_eval
from tellapart.formats.logs.totals import TotalsError, looks_like_totals


def _refuses(head: Head) -> DataError | None:
    totals = looks_like_totals(head)
    return None if totals is None else TotalsError(totals)


def _reader() -> Reader:
    from tellapart.formats.logs import lm_eval

    return lm_eval


FORMAT = whole_reader_format(
    "lm-eval",
    "samples of lm-eval, files or folders",
    files="samples of lm-eval",
    reader=_reader,
    recognises=looks_like_lm_eval,
    refuses=_refuses,
)
