"""Figures of one pair: where things are drawn, and the sentences under them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from small_counts import some_items
from svg_reading import each_of, parsed, words_of
from tellapart.comparison.details import Histogram, PairDetails
from tellapart.comparison.record import (
    Comparison,
    Pair,
    Slice,
)
from tellapart.report.figures.layout import WIDTH, text_width
from tellapart.report.figures.pairs import (
    interval_caption,
    interval_figure,
    null_figure,
    null_scale,
    null_words,
    slices_by_label,
    slices_figure,
    slices_words,
)

HISTOGRAM = Histogram(-0.5, 0.2, (10, 40, 50, 40, 10), (10, 0, 0, 0, 10), flipped=True)


def one_pair(**changes: Any) -> tuple[Comparison, Pair]:
    """Compare two systems on items, and change what the record says of the pair."""
    record = ta.compare(some_items(), test="shuffle", shuffles=99).record
    pair = replace(record.pairs[0], **changes)
    return replace(record, pairs=(pair,)), pair


def behind(
    histogram: Histogram | None = None,
    rungs: tuple[float, ...] = (),
    parts: tuple[Slice, ...] = (),
    moving: int = 0,
) -> PairDetails:
    return PairDetails(0, histogram, rungs, len(rungs), parts, moving=moving)


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


# The interval


def test_the_interval_is_where_the_scale_says() -> None:
    """0 and the ends are drawn on one scale, and the words say whether 0 is inside."""
    record, pair = one_pair(difference=0.1, interval=(-0.05, 0.25))
    svg = interval_figure(record, pair, "x")
    (bar,) = [path.get("d", "") for path in each_of(svg, "path") if path.get("stroke-width") == "7"]
    low, high = map(float, re.findall(r"M(\S+) 40H(\S+)", bar)[0])
    circle = parsed(svg).find("{*}circle")
    assert circle is not None
    assert float(circle.get("cx", 0)) == pytest.approx((low + high) / 2, abs=0.02)
    (zero,) = each_of(svg, "line")
    assert float(zero.get("x1", 0)) == pytest.approx(low + (high - low) / 6, abs=0.02)
    assert words_of(svg) == "+0.100, 95 % confidence interval -0.050 to +0.250: 0 is in it."


ONE_PAIR = one_pair()


@given(
    low=st.floats(-1, 1).map(lambda x: round(x, 3)),
    wide=st.floats(0, 1),
    share=st.floats(0, 1),
    margin=st.sampled_from([None, 0.02, 0.5]),
)
def test_numbers_of_an_interval_stay_inside_and_off_each_other(
    low: float, wide: float, share: float, margin: float | None
) -> None:
    high = low + wide + 0.001
    record, pair = ONE_PAIR
    pair = replace(pair, difference=low + share * (high - low), interval=(low, high))
    texts = each_of(interval_figure(replace(record, margin=margin), pair, "x"), "text")
    places = [(float(t.get("x", 0)), float(t.get("y", 0)), text_width(t.text or "")) for t in texts]
    for x, _, width in places:
        assert -1 <= x - width / 2 <= x + width / 2 <= WIDTH + 1
    for (x1, y1, w1), (x2, y2, w2) in combinations(places, 2):
        assert abs(y1 - y2) > 12 or abs(x1 - x2) > (w1 + w2) / 2


def test_open_and_missing_intervals() -> None:
    record, pair = one_pair(interval=(0.1, None))
    svg = interval_figure(record, pair, "x")
    assert "+0.100 or more" in [each.text for each in each_of(svg, "text")]
    assert words_of(svg).endswith(": 0 is not in it.")
    for none in (None, (None, None)):
        assert interval_figure(record, replace(pair, interval=none), "x") == ""
        assert interval_caption(record, replace(pair, interval=none)) == ""


# Items in order


# Slices, judge and people


def _part(value: str, items: int, difference: float, different: bool = False) -> Slice:
    ends = (difference - 0.1, difference + 0.1)
    return Slice(
        "kind", value, "A", "B", "mean", items, difference, 0.03, 0.06, different,
        (0.5 + difference, 0.5), ends,
    )  # fmt: skip


def test_slices_are_exploratory_and_small_ones_grey() -> None:
    record, pair = one_pair(difference=0.2)
    parts = (_part("sum", 24, 0.4, True), _part("name", 9, 0.1), _part("lookup", 10, 0.0))
    (of_label,) = slices_by_label(behind(parts=parts)).values()
    svg = slices_figure(record, pair, of_label, "x")
    words = slices_words(record, of_label)
    assert words_of(svg).startswith(words)
    assert "sum +0.400 (+0.300 to +0.500, 24 items, adjusted p .0600)" in words_of(svg)
    assert words.startswith("Exploratory")
    assert "grey: fewer than 10 items" in words
    rows = [each for each in parsed(svg).findall("{*}g") if each.find("{*}circle") is not None]
    assert [row.get("opacity") is not None for row in rows] == [False, True, False]
    places = [float(row.find("{*}circle").get("cx")) for row in rows]  # type: ignore[union-attr, arg-type]
    assert places[0] - places[1] == pytest.approx(3 * (places[1] - places[2]), abs=0.05)
    open_ends = tuple(replace(part, interval=(None, None)) for part in parts)
    assert "no interval where there are too few items" in slices_words(record, open_ends)
