"""What the tests of tables share: files of their own, and values as exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from tellapart.counts import Counts

Write = Callable[..., str]
Capture = pytest.CaptureFixture[str]


def real(counts: Counts) -> dict[str, list[list[Fraction]]]:
    """Per system: items × columns, as exact numbers."""
    return {
        name: [
            [Fraction(v, scale) for v, scale in zip(row, counts.scales, strict=True)]
            for row in system.tolist()
        ]
        for name, system in zip(counts.systems, counts.values, strict=True)
    }
