"""Tables as people have them: by one command, right at the first try.

Means are those of the csv module.
"""

from __future__ import annotations

import csv
import statistics
from pathlib import Path
from typing import Any

import pytest

from log_files import compared


def scores(record: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {each["name"]: each["scores"] for each in record["systems"]}


# Every file of the shared folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize(
    ("files", "system", "item", "values"),
    [
        (("m1.csv",), "model", "id", {"score": "mean"}),
        (("m2.csv",), "model", "id", {"score": "score", "latency_ms": "latency_ms"}),
        (("m5a.csv", "m5b.csv"), None, "id", {"accuracy": "accuracy", "latency_ms": "latency_ms"}),
        (("m6.csv",), "system_name", "question_id", {"score": "mean"}),
        (("m7.csv",), "model", "id", {"is_correct": "is_correct"}),
        (("m8a.csv", "m8b.csv"), None, "id", {"accuracy": "accuracy"}),
        (("m9.csv",), "system", "sample_id", {"score": "mean"}),
    ],
)
def test_every_everyday_table(
    shared_data: Path,
    capsys: pytest.CaptureFixture[str],
    files: tuple[str, ...],
    system: str | None,
    item: str,
    values: dict[str, str],
) -> None:
    folder = shared_data / "harnesses" / "everyday"
    found: dict[str, dict[str, dict[str, float]]] = {}  # value → system → item → number
    for name in files:
        for row in rows_of(folder / name):
            owner = row[system] if system else Path(name).stem
            for value in values:
                found.setdefault(value, {}).setdefault(owner, {})[row[item]] = float(row[value])
    record = compared(capsys, *(str(folder / name) for name in files))
    for value, metric in values.items():
        (a, first), (b, second) = found[value].items()
        assert scores(record)[a][metric] == pytest.approx(statistics.fmean(first.values()))
        assert scores(record)[b][metric] == pytest.approx(statistics.fmean(second.values()))
        lower = metric == "latency_ms"
        assert record["metrics"][metric]["higher_is_better"] is not lower
