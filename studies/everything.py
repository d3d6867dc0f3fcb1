"""All studies, one after the other, and one table of all that the papers say."""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from studies.core import Reproduction, Request, Statement
from studies.rendering import WIDTH, render, verdicts
from tellapart.errors import TellapartError
from tellapart.words import several

DATA: Final = {
    "extract": "muc4",
    "muc4": "muc4",
    "templates": "",
    "translate": "verses",
    "yeh": "muc4",
}
"""Where the files of a study are in the folder of all data"""
NEEDS_DATA: Final = ("extract", "templates")
_COLUMNS: Final = (31, 15, 20, 12)  # statement, paper, ours, verdict
_NO_VERSES: Final = "the sample is translated: no verses could be fetched"


def reproduce_all(studies: dict[str, str], request: Request) -> Iterator[str]:
    """Yield each study as text, and at the end the table of all statements."""
    begin = time.perf_counter()
    done: list[Reproduction] = []
    left_out = []
    with TemporaryDirectory() as temporary:
        for name, module in studies.items():
            data = _data(name, request.data, Path(temporary))
            if data is None and name in NEEDS_DATA:
                left_out.append(f"{name}: its files are not at hand")
                continue
            if data is None and name == "translate":
                left_out.append(f"{name}: {_NO_VERSES}")
            start = time.perf_counter()
            try:
                found = import_module(module).reproduce(replace(request, data=data))
            except TellapartError as error:
                left_out.append(f"{name}: {error}")
                continue
            done.append(found)
            yield render(replace(found, statements=()))
            yield f"({name}: {time.perf_counter() - start:.0f} s)\n"
    yield table(once(done), left_out, time.perf_counter() - begin)


def _data(name: str, folder: str | None, temporary: Path) -> str | None:
    """Return where the files of a study are; verses that are not at hand are fetched."""
    whole = Path(folder or os.environ.get("TELLAPART_DATA", "../shared/data"))
    place = whole / DATA[name] if name in DATA else None
    if place is not None and place.is_dir():
        return str(place)
    if name == "translate":
        from studies.riezler.translate import verses

        return str(temporary) if verses.main([str(temporary)]) == 0 else None
    return None


def once(studies: Iterable[Reproduction]) -> list[Statement]:
    """Return each statement once: of several answers one on real systems, if there is any."""
    kept: dict[tuple[str, str], Statement] = {}
    for study in studies:
        for statement in study.statements:
            key = statement.paper, statement.claim
            if key not in kept or _rank(statement) < _rank(kept[key]):
                kept[key] = statement
    return sorted(kept.values(), key=lambda each: each.paper)


def _rank(statement: Statement) -> int:
    """Return 0 for an answer, 1 for one on generated systems, 2 for none."""
    if statement.holds is None and statement.settled_by is None:
        return 2
    return int(statement.qualified == "generated")


def table(statements: list[Statement], left_out: list[str], seconds: float) -> str:
    """Return all statements as one table, with what was not tested and what it took."""
    lines = ["What the papers say, and what comes out", "=" * WIDTH]
    lines += _row("statement", "paper", "ours", "verdict")
    last = ""
    for each in statements:
        if each.paper != last:
            last = each.paper
            lines += ["", each.paper, "-" * len(each.paper)]
        lines += _row(f"{each.claim} ({each.place})", each.published, each.ours, each.verdict)
    lines += ["=" * WIDTH, *textwrap.wrap(verdicts(statements), WIDTH)]
    untested = sum(_rank(each) == 2 for each in statements)
    lines.append(f"Not tested: {several(untested, 'statement')}, above with a dash or a remark.")
    lines += [f"Left out: {each}." for each in left_out]
    lines.append(f"All of it took {seconds / 60:.1f} minutes.")
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> list[str]:
    """Return the lines of a row: the words of each cell below each other."""
    columns = [textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
               for cell, width in zip(cells, _COLUMNS, strict=True)]  # fmt: skip
    rows = zip_longest(*columns, fillvalue="")
    return [
        " ".join(f"{word:<{width}}" for word, width in zip(row, _COLUMNS, strict=True)).rstrip()
        for row in rows
    ]
