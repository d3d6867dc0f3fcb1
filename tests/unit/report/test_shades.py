"""Shades of heat maps are the sizes of differences, and what may be chance is pale."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tellapart as ta
from tellapart.comparison.record import Comparison
from tellapart.report.figures.matrices import PALE, STRONGEST, matrix_figure


def shades(svg: str) -> list[float]:
    return [float(each) for each in re.findall(r'class="cell".*?fill-opacity="([\d.]+)"', svg)]


def compared(*shares: float, n: int = 400, scale: float = 1.0) -> Comparison:
    """Systems that lose those shares of the items, against one that loses none."""
    lost = np.arange(n) < np.array([0.0, *shares])[:, None] * n
    values = dict(zip("ABCD", np.where(lost, 0.0, scale), strict=False))
    return ta.compare(ta.Counts.from_arrays(values), intervals=False).record


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_shade_is_the_size_of_the_difference_and_the_picture_says_its_scale(scale: float) -> None:
    """The largest difference is the deepest, whether scores go to 1 or to 100."""
    record = compared(0.1, 0.4, scale=scale)
    svg = matrix_figure(record, "mean", "x")
    assert sorted(shades(svg)) == pytest.approx(
        sorted(2 * [round(STRONGEST * share, 2) for share in (0.25, 0.75, 1.0)])
    )
    said = {1.0: "0.400", 100.0: "40.000"}[scale]
    assert f"the deepest shade is {said}" in svg


def test_a_large_difference_that_may_be_chance_is_pale() -> None:
    record = compared(0.5, 1.0, n=4)
    assert [pair.different for pair in record.pairs] == [False] * 3
    assert shades(matrix_figure(record, "mean", "x")) == [PALE] * 6
