"""Shades of heat maps mean the same in every comparison, and what may be chance is pale."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tellapart as ta
from tellapart.report.figures import matrix
from tellapart.report.figures.svg import PALE, STRONGEST, deepest_from, opacity


def shades(svg: str) -> list[float]:
    return [float(each) for each in re.findall(r'class="cell".*?fill-opacity="([\d.]+)"', svg)]


def compared(share: float, *, n: int = 400, scale: float = 1.0) -> ta.Comparison:
    """Two systems of which the second loses that share of the items, and wins none."""
    first = np.full(n, scale)
    second = np.where(np.arange(n) < share * n, 0.0, scale)
    return ta.compare(ta.Counts.from_arrays({"A": first, "B": second}), intervals=False)


@pytest.mark.parametrize(("share", "shade"), [(0.05, 0.15), (0.1, 0.3), (0.25, 0.75), (0.9, 0.75)])
def test_a_shade_is_the_size_of_the_difference(share: float, shade: float) -> None:
    assert shades(matrix.draw(compared(share), "mean", "x")) == pytest.approx([shade, shade])


def test_the_scale_is_that_of_the_scores_and_the_picture_says_so() -> None:
    """A tenth of the scale has the same shade, whether scores go to 1 or to 100."""
    for scale, deepest in ((1.0, "0.25"), (100.0, "25")):
        svg = matrix.draw(compared(0.1, scale=scale), "mean", "x")
        assert shades(svg) == pytest.approx([0.3, 0.3])
        assert f"deepest shade: {deepest} or more" in svg


def test_a_small_lead_is_pale_though_it_is_the_largest_and_told() -> None:
    """The shade of +.02 does not depend on whether another difference is larger."""
    result = compared(0.02)
    assert result.pairs[0].different
    assert max(shades(matrix.draw(result, "mean", "x"))) == pytest.approx(0.06)


def test_a_large_difference_that_may_be_chance_is_pale() -> None:
    result = compared(0.5, n=4)
    assert (result.pairs[0].difference, result.pairs[0].different) == (0.5, False)
    assert shades(matrix.draw(result, "mean", "x")) == [PALE, PALE]


def test_scales_hold_all_scores_whatever_their_sign() -> None:
    assert deepest_from([-3.2, -120.0]) == 250
    assert deepest_from([1.0, 0.0]) == 0.25
    assert deepest_from([10.0]) == 2.5
    assert deepest_from([]) == deepest_from([float("inf")]) == 0.25
    assert opacity(1e9, 0.25, told=True) == STRONGEST
