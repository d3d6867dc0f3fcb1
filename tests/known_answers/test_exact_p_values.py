"""Exact p-values of all pairs of tables, as a user asks for them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta

COLUMNS = ["pos", "act", "cor", "par"]


def exact_p(
    systems: dict[str, Any], metrics: list[str], tail: str
) -> dict[tuple[str, str, str], float | None]:
    counts = ta.Counts.from_arrays(systems, COLUMNS)
    result = ta.compare(
        counts, metrics=metrics, test="exact", tail=tail, correction="none", intervals=False
    )
    assert {pair.method for pair in result.pairs} <= {"exact", "enumeration"}
    assert all(pair.shuffles is None for pair in result.pairs)
    return {(pair.a, pair.b, pair.metric): pair.p for pair in result.pairs}


@pytest.mark.parametrize(
    ("tail", "key"), [("two", "p_two_sided"), ("greater", "p_greater"), ("less", "p_less")]
)
def test_five_systems(reference_data: Path, tail: str, key: str) -> None:
    names = {"f_equal": "f1", "f_p_twice": "f0.5", "f_p_half": "f2"}
    text = (reference_data / "significance/expected.json").read_text()
    table = json.loads(text)["multi_system_exact"]
    rows = table["pairwise"]
    metrics = [names.get(row["metric"], row["metric"]) for row in rows]
    found = exact_p(table["systems"], sorted(set(metrics)), tail)
    named = [found[*row["pair"], metric] for row, metric in zip(rows, metrics, strict=True)]
    assert named == pytest.approx([row[key] for row in rows], rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("tail", "key"), [("two", "p_two_sided"), ("greater", "p_one_sided")])
def test_all_pairs_of_muc4(shared_data: Path, tail: str, key: str) -> None:
    systems: dict[str, list[list[int]]] = {}
    with (shared_data / "muc4/tst3/counts.csv").open() as file:
        for row in csv.DictReader(file):
            systems.setdefault(row["system"], []).append([int(row[name]) for name in COLUMNS])
    known = json.loads((shared_data / "muc4/tst3/exact-p-values.json").read_text())
    assert len(known) == 408
    found = exact_p(dict(sorted(systems.items())), ["recall", "precision", "f1"], tail)
    assert len(found) == 408
    expected = {(row["a"], row["b"], row["metric"]): row[key] for row in known}
    assert found == pytest.approx(expected, rel=1e-9, abs=0)
