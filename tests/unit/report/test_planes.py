"""Systems in the plane of two scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from muc_files import attack, score
from small_counts import some_counts, some_items
from tellapart.comparison.details import Plane, PlanePoint, ellipse, planes
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.formats.templates.counts import run_counts
from tellapart.report.figures.planes import plane_figure


def planes_of(counts: Counts, *metrics: str, **options: Any) -> tuple[Plane, ...]:
    result = ta.compare(counts, metrics=metrics or None, **options)
    return planes(result.record, result.scored)


def test_marks_are_the_scores_of_the_systems() -> None:
    counts = some_counts()
    result = ta.compare(counts)
    plane = planes(result.record, result.scored)[0]

    assert (plane.x_name, plane.y_name) == ("recall", "precision")
    assert [(mark.system, mark.x, mark.y) for mark in plane.points] == [
        (each.name, each.scores["recall"], each.scores["precision"]) for each in result.systems
    ]


def test_recall_and_precision_are_shown_also_where_only_f_was_compared() -> None:
    plane, *others = planes_of(some_counts(), "f2")

    assert (plane.x_name, plane.y_name, plane.metric) == ("recall", "precision", "f2")
    assert others == []


def test_groups_are_those_of_f1_and_the_same_plane_is_not_drawn_again() -> None:
    result = ta.compare(some_counts(60), correction="none")
    (plane,) = planes(result.record, result.scored)

    assert plane.metric == "f1"
    assert [list(group) for group in plane.groups] == result.groups["f1"]


@pytest.mark.parametrize(
    ("metrics", "by"),
    [
        (("recall", "precision", "f1"), "f1"),
        (("f2", "f1"), "f2"),
        (("precision", "recall"), "precision"),
        (("recall",), "recall"),
    ],
)
def test_groups_are_those_of_the_metric_that_is_named_first(
    metrics: tuple[str, ...], by: str
) -> None:
    """Recall and precision are the axes: their groups are shown where nothing else is named."""
    (plane,) = planes_of(some_counts(), *metrics, intervals=False)
    assert plane.metric == by


def test_with_a_baseline_there_are_no_groups() -> None:
    (plane,) = planes_of(some_counts(), baseline="A")

    assert (plane.groups, plane.metric) == ((), None)


def test_means_have_no_plane() -> None:
    assert planes_of(some_items()) == ()


def test_ready_values_that_are_called_recall_and_precision_have_one() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 10, (20, 2)) / 10 for name in "AB"}
    counts = Counts.from_arrays(values, columns=["precision", "recall"], form="items")

    assert planes_of(counts)[0].x_name == "recall"


def test_without_intervals_there_are_no_ellipses() -> None:
    assert {mark.ellipse for mark in planes_of(some_counts(), intervals=False)[0].points} == {None}


def inside(mark: PlanePoint, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    assert mark.ellipse is not None
    long, short, degrees = mark.ellipse
    turned = math.radians(degrees)
    along = (x - mark.x) * math.cos(turned) + (y - mark.y) * math.sin(turned)
    across = (y - mark.y) * math.cos(turned) - (x - mark.x) * math.sin(turned)
    return np.asarray((along / long) ** 2 + (across / short) ** 2 <= 1)


@pytest.mark.parametrize("alpha", [0.05, 0.32])
def test_ellipses_hold_the_bootstrap_cloud(alpha: float) -> None:
    counts = some_counts(400, "AB")
    mark = planes_of(counts, alpha=alpha)[0].points[1]
    rng = np.random.default_rng(0)
    tp, fp, fn = counts.values[1][rng.integers(0, 400, (4_000, 400))].sum(axis=1).T

    share = inside(mark, tp / (tp + fn), tp / (tp + fp)).mean()
    assert share == pytest.approx(1 - alpha, abs=0.02)


def test_an_ellipse_follows_what_goes_together() -> None:
    """Along the diagonal, wider by the root of the ratio of the variances."""
    long, short, degrees = ellipse(np.array([[5.0, 3.0], [3.0, 5.0]]), 1_000, 0.9)

    assert degrees == 45.0
    assert long / short == pytest.approx(2.0, rel=1e-5)


def test_ellipses_of_few_items_are_wider() -> None:
    few, many = (ellipse(np.eye(2), n, 0.95)[0] for n in (5, 10**7))

    assert many == pytest.approx(math.sqrt(-2 * math.log(0.05)), rel=1e-4)
    # 2 (n-1)/(n-2) times the quantile of F with 2 and n-2 degrees of freedom: 9.5521 for n = 5
    assert few == pytest.approx(math.sqrt(2 * 4 / 3 * 9.5521), rel=1e-4)


@pytest.fixture
def templates(tmp_path: Path) -> Counts:
    key = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack(number="2", hum_tgt_desc='"X"'),
        attack("M2", inc_loc="CHILE"),
    ]
    response = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack("M2", inc_loc="CHILE"),
        attack("M2", number="2", inc_loc="PERU"),
    ]
    runs = {"half": score(tmp_path, key, response), "whole": score(tmp_path, key, key)}
    return run_counts(runs)


def test_the_region_lies_between_all_templates_and_those_that_are_matched(
    templates: Counts,
) -> None:
    """Two of three templates are found, without fault, and one is made up."""
    by_precision, overgeneration, *_ = planes_of(templates)
    half, whole = by_precision.points

    assert half.region == ((half.x, 1.0), (half.y, 1.0))
    assert max(half.x, half.y) < 1
    assert whole.region == ((1.0, 1.0), (1.0, 1.0)) == by_precision.region
    assert (overgeneration.x_name, overgeneration.y_name) == ("recall", "overgeneration")
    mark = overgeneration.points[0]
    assert mark.region == ((half.x, 1.0), (0.0, mark.y))
    assert mark.y > 0


def test_every_system_has_its_region(templates: Counts) -> None:
    """In the record, in a figure of its own, and in the page's table."""
    result = ta.compare(templates, intervals=False)
    *_, regions = planes_of(templates)
    half, _ = regions.points

    assert half.region is not None
    assert result.systems[0].region["recall"] == half.region[0] == (half.x, 1.0)
    assert result.systems[1].region["overgeneration"] == (0.0, 0.0)
    assert Comparison.from_json(result.to_json()).systems == result.systems
    assert regions.regions
    svg = plane_figure(regions, "regions")
    assert svg.count('class="region"') == 2
    assert f"half: recall {half.x:.3f} to 1.000, precision {half.y:.3f} to 1.000" in svg
    page = result.to_html()
    assert "Region of performance of every system" in page
    assert f'<td class="number">{half.x:.3f}</td><td class="number">1.000</td>' in page


def test_a_page_of_other_counts_has_no_regions() -> None:
    result = ta.compare(some_counts(), intervals=False)
    assert all(system.region == {} for system in result.systems)
    assert "Region of performance" not in result.to_html()


def test_regions_are_of_all_messages_and_all_templates(templates: Counts) -> None:
    assert templates.where({}).regions == {}
    assert templates.systems["half"].regions["half"] == templates.regions["half"]


def test_counts_of_other_kinds_have_no_region() -> None:
    (plane, *_) = planes_of(some_counts())

    assert plane.region is None
    assert all(mark.region is None for mark in plane.points)
