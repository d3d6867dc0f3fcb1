"""Figures of one pair: where things are drawn, and the sentences under them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from quiz import quiz
from small_counts import some_items
from svg_reading import each_of, parsed, words_of
from tellapart.comparison.details import PairDetails, details_of
from tellapart.comparison.null_histograms import Histogram
from tellapart.comparison.pair_record import PairDiagnostics, PairResult, Slice
from tellapart.comparison.record import Clusters, ComparedMetric, Comparison, Items
from tellapart.report.figures import interval, item_differences, null_distribution, slices
from tellapart.report.figures.names import text_width
from tellapart.report.figures.svg import WIDTH
from tellapart.report.numbers import signed


def one_pair(**changes: object) -> tuple[Comparison, PairResult]:
    """Compare two systems on items, and change what the record says of the pair."""
    result = ta.compare(some_items(), test="shuffle", shuffles=99)
    pair = replace(result.pairs[0], **changes)  # type: ignore[arg-type]
    return replace(result, pairs=(pair,)), pair


def behind(
    histogram: Histogram | None = None,
    rungs: tuple[float, ...] = (),
    parts: tuple[Slice, ...] = (),
) -> PairDetails:
    return PairDetails("A", "B", "mean", histogram, rungs, len(rungs), parts, (), 0)


# The null distribution


HISTOGRAM = Histogram(-0.5, 0.2, (10, 40, 50, 40, 10), (10, 0, 0, 0, 10), 150)


def test_the_measured_difference_is_where_the_scale_says() -> None:
    result, pair = one_pair(difference=0.4, p=0.1)
    svg = null_distribution.draw(result, pair, behind(HISTOGRAM), "x")
    scale = null_distribution.scale_of(pair, HISTOGRAM)
    marked = re.search(r'd="M(\d+) 8h2V', svg)
    assert marked is not None
    assert int(marked[1]) + 1 == round(scale(0.4))
    assert scale(0) == pytest.approx(WIDTH / 2)
    assert "measured +0.400" in svg


def test_extreme_shuffles_are_hatched_on_both_sides() -> None:
    result, pair = one_pair(difference=0.4, p=0.1)
    svg = null_distribution.draw(result, pair, behind(HISTOGRAM), "x")
    hatched = [e.get("d", "") for e in each_of(svg, "path") if e.get("fill") == "url(#x-h)"]
    scale = null_distribution.scale_of(pair, HISTOGRAM)
    starts = [int(x) for x in re.findall(r"M(\d+) ", hatched[0])]
    assert starts == [round(scale(-0.5)), round(scale(0.3))]
    assert "patternTransform" in svg


def test_a_null_distribution_that_is_not_known_is_not_drawn() -> None:
    result, pair = one_pair()
    assert null_distribution.draw(result, pair, behind(), "x") == ""
    assert null_distribution.sentence(result, pair, behind()) == ""


@pytest.mark.parametrize(
    ("times", "words"), [(290, "290 times"), (1, "once"), (0, "not once"), (1290, "1,290 times")]
)
def test_shuffles_are_counted_in_words(times: int, words: str) -> None:
    result, pair = one_pair(shuffles=9999, exceedances=times)
    drawn = replace(HISTOGRAM, shuffles=9999)
    assert null_distribution.sentence(result, pair, behind(drawn)) == (
        f"In 9,999 shuffles the gap was at least this large (shaded, either side) {words}."
    )
    assert words in words_of(null_distribution.draw(result, pair, behind(drawn), "x"))


def test_an_exact_test_counts_arrangements() -> None:
    result, pair = one_pair(
        method="exact", shuffles=None, arrangements=2**24, p=0.0284, discordant=24
    )
    metrics = {name: replace(each, units=None) for name, each in result.metrics.items()}
    result = replace(result, units=Items(24, "item"), metrics=metrics)
    drawn = replace(HISTOGRAM, shuffles=9999)
    assert null_distribution.sentence(result, pair, behind(drawn)) == (
        "All 16,777,216 arrangements were counted: 2.84 % have a gap at least this large (shaded, "
        "either side); the picture shows 9,999 of them."
    )
    passages = Clusters("passage", 33, 0.1)
    tied = replace(result, units=Items(72, "item", passages))
    assert null_distribution.sentence(tied, pair, behind(drawn)).startswith(
        "All 16,777,216 arrangements (9 of 33 passages are tied and do not count) were counted: "
    )
    many = replace(pair, arrangements=None, discordant=10_000, p=1e-12)
    found = null_distribution.sentence(result, many, behind(drawn))
    assert "All 2^10000 (about 2.0 × 10^3010) arrangements" in found
    assert "a share of 1.0e-12 has" in found


def test_one_sided_and_other_tests_say_what_is_drawn() -> None:
    result, pair = one_pair(tail="less", shuffles=150, exceedances=20)
    found = null_distribution.sentence(result, pair, behind(HISTOGRAM))
    assert found == "In 150 shuffles the difference was at least as good for B (shaded) 20 times."
    other, pair = one_pair(method="t", shuffles=None, exceedances=None)
    found = null_distribution.sentence(replace(other, test="t"), pair, behind(HISTOGRAM))
    assert found.startswith("In 150 shuffles")
    assert "p comes from the t test" in found


# One pair: interval, ladder, slices


def test_the_interval_is_where_the_scale_says() -> None:
    result, pair = one_pair(difference=0.1, interval=(-0.05, 0.25))
    svg = interval.draw(result, pair, "x")
    scale = interval.scale_of(result, pair)
    bar = re.search(rf'd="M(\d+) {interval.BAR}H(\d+)"', svg)
    assert bar is not None
    assert [int(end) for end in bar.groups()] == [round(scale(-0.05)), round(scale(0.25))]
    assert f'd="M{round(scale(0))} 22h1' in svg
    assert words_of(svg) == "+0.100, 95 % interval -0.050 to +0.250: 0 is in it."


@settings(max_examples=200, deadline=None)
@given(
    low=st.floats(-1, 1).map(lambda x: round(x, 3)),
    wide=st.floats(0, 1),
    share=st.floats(0, 1),
    margin=st.sampled_from([None, 0.02, 0.5]),
)
def test_numbers_of_an_interval_never_cross_zero_or_each_other(
    low: float, wide: float, share: float, margin: float | None
) -> None:
    """What is above 0 stands right of its line, what is below stands left of it."""
    high = low + wide + 0.001
    result, pair = ONE_PAIR
    pair = replace(pair, difference=low + share * (high - low), interval=(low, high))
    result = replace(result, margin=margin)
    scale = interval.scale_of(result, pair)
    zero = scale(0)
    for values in ([pair.difference], [low, high]):
        halves = [text_width(signed(value)) / 2 for value in values]
        found = interval.places(values, scale)
        for value, x, half in zip(values, found, halves, strict=True):
            assert x - half >= zero if value >= 0 else x + half <= zero
            assert -1 <= x - half <= x + half <= WIDTH + 1
        if len(values) == 2:
            assert found[0] + halves[0] < found[1] - halves[1]


ONE_PAIR = one_pair()


def test_the_margin_is_a_band_around_zero() -> None:
    result, pair = one_pair(difference=0.01, interval=(-0.01, 0.03))
    result = replace(result, margin=0.05)
    svg = interval.draw(result, pair, "x")
    scale = interval.scale_of(result, pair)
    left, right = round(scale(-0.05)), round(scale(0.05))
    assert f"M{left} 22h{right - left}" in svg
    assert {"-0.05", "+0.05"} <= {each.text for each in each_of(svg, "text")}
    assert "a loss beyond the margin of 0.05 is not ruled out" in words_of(svg)
    shown = interval.draw(result, replace(pair, equivalent=True), "x")
    assert "shown to lie within the margin of 0.05" in words_of(shown)


def test_the_margin_is_answered_for_the_system_in_question() -> None:
    result, pair = one_pair(difference=0.01, interval=(-0.01, 0.03))
    result = replace(result, margin=0.05)
    first, last = (system.name for system in result.systems)
    assert (pair.a, pair.b) == (first, last)
    only_first = replace(pair, a_no_worse=True, b_no_worse=False)
    only_last = replace(pair, a_no_worse=False, b_no_worse=True)
    open_for, kept_by = "not ruled out for {}.", "{} is shown to lose less than"
    for baseline, asked, one, other in (
        (None, last, only_last, only_first),
        (first, last, only_last, only_first),
        (last, first, only_first, only_last),
    ):
        about = replace(result, baseline=baseline)
        for shown in (one, one.mirrored()):
            assert kept_by.format(asked) in interval.sentence(about, shown)
        for shown in (other, other.mirrored()):
            assert interval.sentence(about, shown).endswith(open_for.format(asked))
    many = replace(result, systems=(*result.systems, result.systems[0]))
    assert kept_by.format(first) in interval.sentence(many, only_first)
    neither = replace(pair, a_no_worse=False, b_no_worse=False)
    assert interval.sentence(many, neither).endswith("not ruled out for either.")


def test_open_and_missing_intervals() -> None:
    result, pair = one_pair(interval=(0.1, None))
    assert "+0.100 and more: 0 is not in it" in words_of(interval.draw(result, pair, "x"))
    assert interval.draw(result, replace(pair, interval=None), "x") == ""
    assert interval.sentence(result, replace(pair, interval=None)) == ""


def test_many_small_and_few_huge_differences_look_different() -> None:
    result, pair = one_pair()
    few, many = (1.0, 0.0, 0.0, 0.0, 0.0, -0.02), (0.3, 0.2, 0.2, 0.2, 0.08, 0.0)
    tall = re.findall(r"V(\d+)", item_differences.outline(few, item_differences.scale_of(few)))
    assert [int(y) for y in tall[:2]] == [
        item_differences.TOP,
        round(item_differences.scale_of(few)(0)),
    ]
    assert len(re.findall("V", item_differences.outline(many, item_differences.scale_of(many)))) > 3
    svg = item_differences.draw(result, pair, behind(rungs=few), "x")
    counted = f"{pair.units_a_better} better, {pair.units_tied} tied, {pair.units_b_better} worse"
    assert counted in words_of(svg)


def test_a_ladder_of_clusters_says_that_it_counts_items() -> None:
    counts = quiz()
    result = ta.compare(counts, cluster="passage")
    details = details_of(result).pairs[0]
    pair = result.pairs[0]
    texts = [
        each.text or ""
        for each in each_of(item_differences.draw(result, pair, details, "x"), "text")
    ]
    assert f"▲ {pair.a} better: {pair.units_a_better} items" in texts
    assert f"▼ {pair.b} better: {pair.units_b_better} items" in texts


@pytest.mark.parametrize(("largest", "words"), [(100.0, "+100"), (37.2, "+37"), (1.0, "+1")])
def test_the_axis_of_a_ladder_fits_scores_of_any_size(largest: float, words: str) -> None:
    result, pair = one_pair()
    svg = item_differences.draw(result, pair, behind(rungs=(largest, 0.0, -largest / 2)), "x")
    shown = {each.text: float(each.get("x", 0)) for each in each_of(svg, "text")}
    assert shown[words] >= text_width(words)


def test_few_items_that_carry_the_difference_are_named() -> None:
    result, pair = one_pair(diagnostics=PairDiagnostics(half_items=5))
    assert "; 5 items carry half of the difference." in item_differences.sentence(
        result, pair, behind()
    )
    one = replace(pair, diagnostics=PairDiagnostics(half_items=1))
    assert "; 1 item carries half of the difference." in item_differences.sentence(
        result, one, behind()
    )
    some = replace(pair, diagnostics=PairDiagnostics(half_items=6))
    assert "half of the difference" not in item_differences.sentence(result, some, behind())


def test_a_ladder_goes_up_where_the_first_system_is_better() -> None:
    result, pair = one_pair()
    worse = replace(result, metrics={"mean": ComparedMetric(higher_is_better=False, kind="mean")})
    falling = item_differences.draw(result, pair, behind(rungs=(0.5, 0.0, -0.25)), "x")
    rising = item_differences.draw(worse, pair, behind(rungs=(-0.5, 0.0, 0.25)), "x")
    outlines = [[e.get("d") for e in each_of(svg, "path")] for svg in (falling, rising)]
    assert outlines[0] == outlines[1]


def _part(value: str, items: int, difference: float, different: bool = False) -> Slice:
    ends = (difference - 0.1, difference + 0.1)
    return Slice("kind", value, "A", "B", "mean", items, difference, ends, 0.03, 0.06, different)


def test_slices_are_exploratory_and_small_ones_grey() -> None:
    result, pair = one_pair(difference=0.2)
    parts = (_part("sum", 24, 0.4, True), _part("name", 9, 0.1), _part("lookup", 10, 0.0))
    (of_label,) = slices.by_label(behind(parts=parts)).values()
    svg = slices.draw(result, pair, of_label, "x")
    words = slices.sentence(result, pair, of_label)
    assert words == words_of(svg)
    assert "sum +0.400 (+0.300 to +0.500, n 24, adjusted p .0600)" in words
    assert "Exploratory" in words
    rows = [each for each in parsed(svg).findall("{*}g") if each.find("{*}circle") is not None]
    assert [row.get("opacity") is not None for row in rows] == [False, True, False]
    places = [float(row.find("{*}circle").get("cx")) for row in rows]  # type: ignore[union-attr, arg-type]
    assert places[0] - places[1] == pytest.approx(3 * (places[1] - places[2]), abs=0.05)


def test_slices_are_grey_by_the_clusters_that_are_exchanged() -> None:
    result, pair = one_pair()
    passages = Clusters("passage", 20, 0.1)
    result = replace(result, units=Items(60, "item", passages))
    parts = tuple(
        replace(_part(value, 3 * count, 0.1), clusters=count, interval_method="t")
        for value, count in (("sea", 15), ("land", 5))
    )
    svg = slices.draw(result, pair, parts, "x")
    rows = [each for each in parsed(svg).findall("{*}g") if each.find("{*}circle") is not None]
    assert [row.get("opacity") is not None for row in rows] == [False, True]
    assert {"passages", "15", "5"} <= {each.text for each in each_of(svg, "text")}
    words = slices.sentence(result, pair, parts)
    assert "land +0.100 (0.000 to +0.200, n 15 in 5 passages)" in words
    assert "95 % intervals by t over passages" in words
    assert "grey: fewer than 10 passages" in words
    open_ends = tuple(replace(part, interval=(None, None)) for part in parts)
    assert "no interval where there are too few passages" in slices.how(result, open_ends)


def test_figures_of_pairs_are_small() -> None:
    rng = np.random.default_rng(0)
    bell = rng.normal(size=9999)
    counts = np.histogram(bell, 41, (-4, 4))[0]
    tails = np.histogram(bell[np.abs(bell) > 1.9], 41, (-4, 4))[0]
    drawn = Histogram(-0.4, 0.8 / 41, tuple(counts.tolist()), tuple(tails.tolist()), 9999)
    rungs = tuple(sorted(rng.normal(size=400).tolist(), reverse=True))
    result, pair = one_pair(
        difference=0.19, interval=(-0.01, 0.38), shuffles=9999, exceedances=int(tails.sum())
    )
    assert len(null_distribution.draw(result, pair, behind(drawn), "p123-null").encode()) < 1500
    assert len(interval.draw(result, pair, "p123-interval").encode()) < 800
    assert (
        len(item_differences.draw(result, pair, behind(rungs=rungs), "p123-ladder").encode()) < 2000
    )
