"""The study of 1992 from its raw files, and the exact p-values of all its pairs."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from exact_tables import COLUMNS, exact_p


@pytest.mark.slow
def test_the_study_of_1992_from_raw_files(shared_data: Path, tmp_path: Path) -> None:
    """Replayed counts are the published ones, and F of GE and UMASS has p = 0.098674."""
    tst3 = shared_data / "muc4" / "tst3"
    responses = sorted(map(str, (tst3 / "responses").glob("*.txt")))
    saved, record = tmp_path / "counts.csv", tmp_path / "record.json"
    done = subprocess.run(
        [sys.executable, "-m", "tellapart", "compare", "--as", "muc",
         "--gold", str(tst3 / "key.txt"), "--history", str(tst3 / "history.txt"),
         "--replay", str(tst3 / "replay.json"), *responses, "--metric", "f1", "--test", "exact",
         "--alpha", "0.10", "--correction", "none", "--no-intervals",
         "--save-counts", str(saved), "--json", str(record)],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with saved.open() as ours, (tst3 / "counts.csv").open() as theirs:
        rows = [
            {(row["system"], row["message"]): row for row in csv.DictReader(stream)}
            for stream in (ours, theirs)
        ]
    assert rows[0] == rows[1]
    pairs = json.loads(record.read_text())["pairs"]
    pair = next(p for p in pairs if {p["a"], p["b"]} == {"GE", "UMASS"})
    assert round(pair["p"], 6) == 0.098674
    known = json.loads((tst3 / "exact-p-values.json").read_text())
    exact = {(p["a"], p["b"]): p["p_two_sided"] for p in known if p["metric"] == "f1"}
    for found in pairs:
        key = (found["a"], found["b"])
        expected = exact.get(key) or exact[key[::-1]]
        assert found["p"] == pytest.approx(expected, rel=1e-6)


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
