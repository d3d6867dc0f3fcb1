"""The p-values of a calibration as a picture."""

from __future__ import annotations

from tellapart.report.figures.quantiles import Panel, Point, quantiles_figure
from tellapart.studies.calibrated import OFTEN, SELDOM, CalibratedTest, MetricCalibration
from tellapart.studies.calibration_text import sentence

_SHORT = {OFTEN: "too often", SELDOM: "conservative"}


def picture(found: MetricCalibration) -> str:
    """Draw the p-values of all tests under one metric as SVG."""
    title = f"{found.metric}: p-values where nothing differs"
    panels = [_panel(each, found.verdict(each)) for each in found.tests]
    return quantiles_figure(title, sentence(found), panels, f"p-values-{found.metric}")


def _panel(test: CalibratedTest, verdict: str) -> Panel:
    worst = test.worst
    level = f"{worst.level:.2f}".removeprefix("0")
    remark = f"{100 * worst.rate:.1f} % at {level}: {_SHORT.get(verdict, verdict)}"
    points = (Point(q.expected, q.observed, q.low, q.high) for q in test.quantiles)
    return Panel(test.label, remark, verdict == OFTEN, tuple(points))
