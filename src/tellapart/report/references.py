"""What a paper cites for a comparison: the entries of `data/references.bib` that it used."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from tellapart.comparison.options import RANDOMIZATION
from tellapart.comparison.record import Comparison
from tellapart.report.sentences import is_corrected, is_one_claim

_FOR = "% for: "


def bibtex(record: Comparison) -> str:
    """Return the BibTeX entries of the tests, corrections, intervals and metrics of a record."""
    used = set(_used(record))
    text = (files("tellapart") / "data" / "references.bib").read_text(encoding="utf-8")
    entries = (block.removeprefix(_FOR).partition("\n") for block in text.split("\n\n"))
    return "\n\n".join(entry.strip() for codes, _, entry in entries if used & {*codes.split()})


def _used(record: Comparison) -> Iterator[str]:
    """Yield the codes of what was used, as the entries name them."""
    yield from record.metrics
    if record.judged is not None:
        yield "judged"
    elif record.pairs:
        yield record.test
        if record.test in RANDOMIZATION:
            yield "randomization"
    if record.preferences is not None and record.preferences.scale is not None:
        yield "preferences"
    if is_corrected(record):
        yield record.correction
    if any(is_one_claim(record, metric) for metric in record.metrics if record.pairs):
        yield "best"
    yield from (pair.interval_method or "" for pair in record.pairs)
    yield from (name for system in record.systems for name in system.interval_methods.values())
