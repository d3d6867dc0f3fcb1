"""Figures of one pair: where things are drawn, and the sentences under them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from quiz import quiz
from small_counts import some_items
from svg_reading import each_of, parsed, words_of
from tellapart.comparison.details import Histogram, PairDetails, details_of
from tellapart.comparison.record import (
    Comparison,
    Diagnostics,
    Items,
    MetricInfo,
    Pair,
    Slice,
)
from tellapart.report.figures.layout import WIDTH, text_width
from tellapart.report.figures.pairs import (
    interval_caption,
    interval_figure,
    items_figure,
    items_words,
    null_figure,
    null_scale,
    null_words,
    slices_by_label,
    slices_figure,
    slices_words,
)

HISTOGRAM = Histogram(-0.5, 0.2, (10, 40, 50, 40, 10), (10, 0, 0, 0, 10), flipped=True)
MANY = replace(HISTOGRAM, counts=(699, 2700, 3201, 2700, 699))


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


def test_extreme_shuffles_are_shaded_on_both_sides() -> None:
    record, pair = one_pair(difference=0.4, p=0.1)
    svg = null_figure(record, pair, behind(HISTOGRAM), "x")
    shaded = [e.get("d", "") for e in each_of(svg, "path") if "worse" in e.get("fill", "")]
    scale = null_scale(pair, HISTOGRAM)
    starts = [int(x) for x in re.findall(r"M(\d+) ", shaded[0])]
    assert starts == [round(scale(-0.5)), round(scale(0.3))]


def test_a_null_distribution_that_is_not_known_is_not_drawn() -> None:
    record, pair = one_pair()
    assert null_figure(record, pair, behind(), "x") == ""
    assert null_words(record, pair, behind()) == ""


@pytest.mark.parametrize(
    ("times", "words"), [(290, "290 times"), (1, "once"), (0, "not once"), (1290, "1,290 times")]
)
def test_shuffles_are_counted_in_words(times: int, words: str) -> None:
    record, pair = one_pair(shuffles=9999, exceedances=times)
    assert null_words(record, pair, behind(MANY)) == (
        f"In 9,999 shuffles the gap was at least this large (shaded, either side) {words}."
    )
    assert words in words_of(null_figure(record, pair, behind(MANY), "x"))


def test_an_exact_test_counts_arrangements() -> None:
    record, pair = one_pair(method="exact", shuffles=None, p=0.0284)

    def of(items: Items) -> Comparison:
        return replace(record, metrics={"mean": replace(record.metrics["mean"], items=items)})

    assert null_words(of(Items(24, "item")), pair, behind(MANY, moving=24)) == (
        "All 16,777,216 arrangements were counted: 2.84 % have a gap at least this large (shaded, "
        "either side); the picture shows 9,999 of them."
    )
    tied = of(Items(72, "item", "passage", 33))
    assert null_words(tied, pair, behind(MANY, moving=24)).startswith(
        "All 16,777,216 arrangements (9 of 33 passages are tied and do not count) were counted: "
    )
    rare = replace(pair, p=1e-12)
    found = null_words(of(Items(10_000, "item")), rare, behind(MANY, moving=10_000))
    assert "All 2^10000 arrangements" in found
    assert "a share of 1.0e-12 has" in found


def test_one_sided_and_other_tests_say_what_is_drawn() -> None:
    record, pair = one_pair(sign=-1, shuffles=150, exceedances=20)
    found = null_words(record, pair, behind(HISTOGRAM))
    assert found == "In 150 shuffles the difference was at least as good for B (shaded) 20 times."
    other, pair = one_pair(method="t", shuffles=None, exceedances=None)
    found = null_words(replace(other, test="t"), pair, behind(HISTOGRAM))
    assert found.startswith("In 150 shuffles")
    assert "p comes from the t test" in found
    runs = null_words(other, replace(pair, method="runs"), behind(HISTOGRAM))
    assert "they are of these runs alone, and p allows for other runs, too" in runs


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


@settings(max_examples=100, deadline=None)
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


def decided(a: bool, b: bool) -> dict[str, Any]:
    return {"a_no_worse": a, "b_no_worse": b}


def test_the_margin_is_a_band_around_zero() -> None:
    record, pair = one_pair(difference=0.01, interval=(-0.01, 0.03), **decided(a=False, b=False))
    record = replace(record, margin=0.05)
    svg = interval_figure(record, pair, "x")
    (band,) = each_of(svg, "rect")
    (zero,) = each_of(svg, "line")
    middle = float(band.get("x", 0)) + float(band.get("width", 0)) / 2
    assert middle == pytest.approx(float(zero.get("x1", 0)), abs=0.02)
    assert {"-0.05", "+0.05"} <= {each.text for each in each_of(svg, "text")}
    assert "a loss beyond the margin of 0.05 is not ruled out" in words_of(svg)
    shown = interval_figure(record, replace(pair, **decided(a=True, b=True)), "x")
    assert "shown to lie within the margin of 0.05" in words_of(shown)


def test_the_margin_is_answered_for_the_system_in_question() -> None:
    record, pair = one_pair(difference=0.01, interval=(-0.01, 0.03))
    record = replace(record, margin=0.05)
    first, last = (system.name for system in record.systems)
    only_first = replace(pair, **decided(a=True, b=False))
    only_last = replace(pair, **decided(a=False, b=True))
    open_for, kept_by = "not ruled out for {}.", "{} is shown to lose less than"
    for baseline, asked, one, other in (
        (None, last, only_last, only_first),
        (first, last, only_last, only_first),
        (last, first, only_first, only_last),
    ):
        about = replace(record, baseline=baseline)
        for shown in (one, one.turned()):
            assert kept_by.format(asked) in interval_caption(about, shown)
        for shown in (other, other.turned()):
            assert interval_caption(about, shown).endswith(open_for.format(asked))
    many = replace(record, systems=(*record.systems, record.systems[0]))
    assert kept_by.format(first) in interval_caption(many, only_first)
    neither = replace(pair, **decided(a=False, b=False))
    assert interval_caption(many, neither).endswith("not ruled out for either.")


def test_open_and_missing_intervals() -> None:
    record, pair = one_pair(interval=(0.1, None))
    svg = interval_figure(record, pair, "x")
    assert "+0.100 or more" in [each.text for each in each_of(svg, "text")]
    assert words_of(svg).endswith(": 0 is not in it.")
    for none in (None, (None, None)):
        assert interval_figure(record, replace(pair, interval=none), "x") == ""
        assert interval_caption(record, replace(pair, interval=none)) == ""


# Items in order


def ladder(svg: str) -> str:
    return next(e.get("d", "") for e in each_of(svg, "path") if "better" in e.get("fill", ""))


def test_many_small_and_few_huge_differences_look_different() -> None:
    record, pair = one_pair()
    few, many = (1.0, 0.0, 0.0, 0.0, 0.0, -0.02), (0.3, 0.2, 0.2, 0.2, 0.08, 0.0)
    svg = items_figure(record, pair, behind(rungs=few), "x")
    first, second, third, _ = re.findall(r"V(\d+)", ladder(svg))
    assert int(first) == 26  # the top: all of the height is one item
    assert int(third) == int(second) + 2  # what differs at all can be seen
    assert ladder(items_figure(record, pair, behind(rungs=many), "x")).count("V") > 3
    counted = f"{pair.items_a_better} better, {pair.items_tied} tied, {pair.items_b_better} worse"
    assert counted in words_of(svg)


def test_a_ladder_of_clusters_says_that_it_counts_items() -> None:
    result = ta.compare(quiz(), cluster="passage")
    details = details_of(result.record, result.scored).pairs[0]
    pair = result.record.pairs[0]
    svg = items_figure(result.record, pair, details, "x")
    texts = [each.text or "" for each in each_of(svg, "text")]
    assert f"▲ {pair.a} better: {pair.items_a_better} items" in texts
    assert f"▼ {pair.b} better: {pair.items_b_better} items" in texts
    assert "drawn is each passage's part in the difference" in words_of(svg)


@pytest.mark.parametrize(("largest", "words"), [(100.0, "+100"), (37.2, "+37"), (1.0, "+1")])
def test_the_axis_of_a_ladder_fits_scores_of_any_size(largest: float, words: str) -> None:
    record, pair = one_pair()
    svg = items_figure(record, pair, behind(rungs=(largest, 0.0, -largest / 2)), "x")
    shown = {each.text: float(each.get("x", 0)) for each in each_of(svg, "text")}
    assert shown[words] >= text_width(words)


def test_few_items_that_make_up_the_difference_are_named() -> None:
    def said(half: int) -> str:
        record, pair = one_pair(diagnostics=Diagnostics(half_items=half))
        return items_words(record, pair, behind())

    assert "; 5 items make up half of the difference." in said(5)
    assert "; 1 item makes up half of the difference." in said(1)
    assert "half of the difference" not in said(6)


def test_a_ladder_goes_up_where_the_first_system_is_better() -> None:
    record, pair = one_pair()
    info = MetricInfo(higher_is_better=False, kind="mean", items=record.items)
    errors = replace(record, metrics={"mean": info})
    falling = items_figure(record, pair, behind(rungs=(0.5, 0.0, -0.25)), "x")
    rising = items_figure(errors, pair, behind(rungs=(-0.5, 0.0, 0.25)), "x")
    heights = [re.findall(r"V(\d+)", ladder(svg)) for svg in (falling, rising)]
    assert heights[0] == heights[1]


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


def test_figures_of_pairs_are_small() -> None:
    rng = np.random.default_rng(0)
    bell = rng.normal(size=9999)
    counts = np.histogram(bell, 41, (-4, 4))[0]
    tails = np.histogram(bell[np.abs(bell) > 1.9], 41, (-4, 4))[0]
    drawn = Histogram(-0.4, 0.8 / 41, tuple(counts.tolist()), tuple(tails.tolist()), flipped=True)
    rungs = tuple(sorted(rng.normal(size=400).tolist(), reverse=True))
    record, pair = one_pair(
        difference=0.19, interval=(-0.01, 0.38), shuffles=9999, exceedances=int(tails.sum())
    )
    assert len(null_figure(record, pair, behind(drawn), "p123-null").encode()) < 2400
    assert len(interval_figure(record, pair, "p123-interval").encode()) < 1500
    assert len(items_figure(record, pair, behind(rungs=rungs), "p123-items").encode()) < 2300
