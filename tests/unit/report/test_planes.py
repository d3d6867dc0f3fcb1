"""Systems in the plane of two scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from muc_files import attack, score
from small_counts import some_counts
from tellapart.comparison.details import Plane, planes
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.formats.templates.counts import run_counts
from tellapart.report.figures.planes import plane_figure


def planes_of(counts: Counts, *metrics: str, **options: Any) -> tuple[Plane, ...]:
    result = ta.compare(counts, metrics=metrics or None, **options)
    return planes(result.record, result.scored)


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
