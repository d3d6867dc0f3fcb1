"""Systems in the plane of two scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from muc_files import attack, score
from tellapart.comparison.details import Plane, planes
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.formats.templates.counts import run_counts
from tellapart.report.figures.planes import plane_figure


def planes_of(counts: Counts, *metrics: str, **options: Any) -> tuple[Plane, ...]:
    result = ta.compare(counts, metrics=metrics or None, **options)
    return planes(result.record, result.scored)


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
    """Two of three templates are found, without fault, and one is made up: in record and page."""
    result = ta.compare(templates, intervals=False)
    by_precision, *_, regions = planes_of(templates)
    half, whole = by_precision.points
    assert half.region == ((half.x, 1.0), (half.y, 1.0))
    assert max(half.x, half.y) < 1
    assert whole.region == ((1.0, 1.0), (1.0, 1.0)) == by_precision.region
    assert result.systems[0].region["recall"] == half.region[0]
    assert result.systems[1].region["overgeneration"] == (0.0, 0.0)
    assert Comparison.from_json(result.to_json()).systems == result.systems
    svg = plane_figure(regions, "regions")
    assert svg.count('class="region"') == 2
    assert f"half: recall {half.x:.3f} to 1.000, precision {half.y:.3f} to 1.000" in svg
    page = result.to_html()
    assert f'<td class="number">{half.x:.3f}</td><td class="number">1.000</td>' in page
