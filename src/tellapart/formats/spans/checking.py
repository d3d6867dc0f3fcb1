"""All that is wrong with span files, for `tellapart validate`."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import DataError
from tellapart.formats.spans.items import align
from tellapart.formats.spans.lines import SpanFile, read_span_file

_WARNING = "warning:"


def span_problems(files: Sequence[str], gold: Sequence[str]) -> list[str]:
    """List the problems of span files, and whether they fit the gold."""
    problems: list[str] = []
    read: dict[str, SpanFile] = {}
    for path in (*gold, *files):
        try:
            read[path] = read_span_file(path, complain=problems.append)
        except DataError as problem:
            problems.append(str(problem))
    if not problems and gold:
        for path in files:
            try:
                align(read[gold[0]], [read[path]], "error")
            except DataError as problem:
                problems.append(str(problem))
    for file in read.values():
        problems += [
            f"{_WARNING} {file.place(line)}: {line.repeated} of the spans are there twice"
            for line in file.lines
            if line.repeated
        ]
    return problems
