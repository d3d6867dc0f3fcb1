"""The format `marks`: lines such as `q1 ++-`, three tries at an item, two of them hits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import tellapart as ta
from tellapart.files import open_text
from tellapart.formats.align import Attempts, Axis, align
from tellapart.formats.contract import Format, Sources, system_files
from tellapart.formats.head import Head
from tellapart.options import option

HIT_RATE = ta.ratio("hit-rate", {"hits": 1}, {"hits": 1, "misses": 1})


@dataclass(frozen=True)
class MarksOptions:
    """What `--as marks` adds to the command line, and keywords of `ta.read`."""

    first_try: bool = option(False, "count the first try at an item alone")


def recognises(head: Head) -> bool:
    """Return whether a file is of this format, by how it begins."""
    return head.text.startswith("#marks\n")


def read(sources: Sources, options: MarksOptions) -> ta.Counts:
    """Return the hits and misses of every system, item and run."""
    rows = [
        (system, path, *row)
        for system, paths in system_files(sources.systems).items()
        for path in paths  # one for each run
        for row in _rows(path, options)
    ]
    systems, runs, places, items, hits, misses = zip(*rows, strict=True)
    attempts = Attempts(
        Axis.of(systems),
        Axis.of(items),
        {"hits": np.array(hits, float), "misses": np.array(misses, float)},
        place=places.__getitem__,
        runs=Axis.of(runs),
    )
    counts = align(attempts, missing=sources.missing or "error", form="counts")
    return counts if sources.metrics else replace(counts, metrics=(HIT_RATE,))


def _rows(path: str, options: MarksOptions) -> Iterator[tuple[str, str, int, int]]:
    """Yield place, item, hits and misses of each line."""
    number = 0
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            item, _, marks = line.strip().partition(" ")
            if number == 1 or not item:
                continue
            if not marks or set(marks) - {"+", "-"}:
                raise ta.DataError(f"{path}:{number}: {line.strip()!r} is no item with marks")
            marks = marks[:1] if options.first_try else marks
            yield f"{path}:{number}", item, marks.count("+"), marks.count("-")
    if number < 2:
        raise ta.DataError(f"{path}: there are no items; give a finished run")


MARKS = Format(
    names=("marks",),
    about="hits and misses as + and -, one item a line",
    recognises=recognises,
    read=read,
    options=MarksOptions,
)
