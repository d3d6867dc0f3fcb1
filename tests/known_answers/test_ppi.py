"""Prediction-powered means: PPI++ to the last digits, and what goes beyond it by hand."""

from __future__ import annotations

import csv
import json

import pytest

from known_answers.golden import GOLDEN, needs_golden
from tellapart.stats.ppi import (
    Judged,
    powered_difference,
)


@needs_golden
def test_golden_difference() -> None:
    with (GOLDEN / "tables" / "judged.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["item"])
    new, old = (
        Judged.of(
            [float(row["judge"]) for row in rows if row["system"] == name],
            [float(row["human"] or "nan") for row in rows if row["system"] == name],
        )
        for name in ("new", "old")
    )
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    (answer,) = (case["answer"] for case in cases if case["name"] == "judged")
    expected = answer["pairs"]["new\told\t"]["p_adjusted"]
    assert powered_difference(new, old).test().p == pytest.approx(expected, rel=1e-9)
