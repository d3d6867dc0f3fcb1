"""Exact p-values of whole tables, as a user asks for them: five systems, and all pairs of MUC-4."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exact_tables import exact_p

NAMES = {"f_equal": "f1", "f_p_twice": "f0.5", "f_p_half": "f2"}


@pytest.mark.parametrize(
    ("tail", "key"), [("two", "p_two_sided"), ("greater", "p_greater"), ("less", "p_less")]
)
def test_five_systems(reference_data: Path, tail: str, key: str) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    table = json.loads(text)["multi_system_exact"]
    rows = table["pairwise"]
    metrics = [NAMES.get(row["metric"], row["metric"]) for row in rows]
    found = exact_p(table["systems"], sorted(set(metrics)), tail)
    named = [found[*row["pair"], metric] for row, metric in zip(rows, metrics, strict=True)]
    assert named == pytest.approx([row[key] for row in rows], rel=1e-10)
