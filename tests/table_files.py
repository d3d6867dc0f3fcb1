"""What many tests share: files of their own, lines of JSON, and values as exact numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest

from tellapart.counts import Counts

Write = Callable[..., str]
Capture = pytest.CaptureFixture[str]


def json_lines(rows: Iterable[Any]) -> str:
    """Return each row as a line of JSON."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def real(counts: Counts) -> dict[str, list[list[Fraction]]]:
    """Per system: items × columns, as exact numbers."""
    return {
        name: [
            [Fraction(v, scale) for v, scale in zip(row, counts.scales, strict=True)]
            for row in system.tolist()
        ]
        for name, system in zip(counts.systems, counts.values, strict=True)
    }
