"""`--as lm-eval`: samples of lm-eval, files or folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding
from tellapart.formats.head import Head
from tellapart.formats.logs.detection import TotalsError, looks_like_lm_eval, looks_like_totals
from tellapart.formats.logs.options import refuse_unused, scored_as_asked
from tellapart.formats.registry import Format, Sources
from tellapart.options import NoOptions

if TYPE_CHECKING:
    from tellapart.counts import Counts


def _recognises(head: Head) -> bool:
    if head.is_folder:
        return any(Path(head.path).glob("samples_*.jsonl*"))
    return looks_like_lm_eval(head)


def _refuses(head: Head) -> DataError | None:
    totals = looks_like_totals(head)
    return None if totals is None else TotalsError(totals)


def _check(path: str, _: Head) -> object:
    from tellapart.formats.logs.lm_eval_files import TaskFile, read_task

    return read_task(TaskFile(path, "", ""), "")


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Read samples; the values are then called as they were asked for."""
    from tellapart.formats.logs.lm_eval_reader import read_lm_eval

    refuse_unused(sources, "samples of lm-eval")
    counts = read_lm_eval(
        sources.systems, metrics=sources.metrics or None, missing=sources.missing or "error"
    )
    return scored_as_asked(counts, sources)


def _findings(files: Sequence[str], _: Sequence[str], __: NoOptions) -> Iterator[Finding]:
    from tellapart.formats.logs.checking import lm_eval_problems

    return map(Finding.of, lm_eval_problems(files))


FORMAT = Format(
    names=("lm-eval",),
    about="samples of lm-eval, files or folders",
    recognises=_recognises,
    refuses=_refuses,
    check=_check,
    read=_read,
    findings=_findings,
)
