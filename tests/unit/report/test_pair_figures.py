"""Figures of one pair: where things are drawn, and the sentences under them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tellapart as ta
from small_counts import some_items
from svg_reading import each_of
from tellapart.comparison.details import Histogram, PairDetails
from tellapart.comparison.record import (
    Comparison,
    Pair,
)
from tellapart.report.figures.layout import WIDTH
from tellapart.report.figures.pairs import (
    null_figure,
    null_scale,
    null_words,
)

HISTOGRAM = Histogram(-0.5, 0.2, (10, 40, 50, 40, 10), (10, 0, 0, 0, 10), flipped=True)


def one_pair(**changes: Any) -> tuple[Comparison, Pair]:
    """Compare two systems on items, and change what the record says of the pair."""
    record = ta.compare(some_items(), test="shuffle", shuffles=99).record
    pair = replace(record.pairs[0], **changes)
    return replace(record, pairs=(pair,)), pair


def behind(histogram: Histogram | None = None) -> PairDetails:
    return PairDetails(0, histogram)


# The null distribution


def test_the_measured_difference_is_where_the_scale_says() -> None:
    record, pair = one_pair(difference=0.4, p=0.1)
    svg = null_figure(record, pair, behind(HISTOGRAM), "x")
    scale = null_scale(pair, HISTOGRAM)
    (measured,) = each_of(svg, "line")
    assert float(measured.get("x1", 0)) == pytest.approx(scale(0.4), abs=0.01)
    assert scale(0) == pytest.approx(WIDTH / 2)
    assert "measured +0.400" in svg
    assert "A minus B, signs flipped by chance" in svg
    exchanged = replace(HISTOGRAM, flipped=False)
    assert "A minus B, names exchanged by chance" in null_figure(
        record, pair, behind(exchanged), "x"
    )


def test_a_null_distribution_that_is_not_known_is_not_drawn() -> None:
    record, pair = one_pair()
    assert null_figure(record, pair, behind(), "x") == ""
    assert null_words(record, pair, behind()) == ""
