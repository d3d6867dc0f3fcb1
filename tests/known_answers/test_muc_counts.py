"""The exact p-values of all pairs of 1992."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from exact_tables import COLUMNS, exact_p


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
