"""Columns of a wide table that hardly are systems: their values are of another size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tellapart.notices import Notice

CODE: Final = "odd-column"
_FAR: Final = 10  # times as large as the largest of all others


def odd_columns(extremes: Mapping[str, float]) -> Iterator[Notice]:
    """Warn of columns that are far from all others, by their values that are farthest from 0.

    Small ones tell something only where several others agree.

    >>> [notice.text for notice in odd_columns({"A": 1.0, "B": 0.75, "length": 412.0})]
    ["The column 'length' has values as far as 412, all others stay within 1: if it is a label and \
no system, --labels length says so."]
    >>> list(odd_columns({"A": 1.0, "B": 9.5}))
    []
    """
    for name, extreme in extremes.items():
        others = [abs(other) for each, other in extremes.items() if each != name]
        if not others:
            return
        size, least, most = abs(extreme), min(others), max(others)
        if size > _FAR * most > 0:
            finding = f"has values as far as {extreme:g}, all others stay within {most:g}"
        elif len(others) > 1 and least > _FAR * size > 0:
            finding = f"stays within {size:g}, all others have values as far as {least:g}"
        else:
            continue
        remedy = f"if it is a label and no system, --labels {name} says so"
        yield Notice(CODE, f"The column {name!r} {finding}: {remedy}.", (name,))
