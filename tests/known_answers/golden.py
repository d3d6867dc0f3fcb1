"""Answers of version 0.1, where the folder of them is at hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"

needs_golden = pytest.mark.skipif(
    not (GOLDEN / "cases.json").is_file(), reason=f"no golden answers at {GOLDEN}"
)


def golden_pairs(case: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the answers to the pairs of a case."""
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    (answer,) = (each["answer"] for each in cases if each["name"] == case)
    pairs = {}
    for key, pair in answer["pairs"].items():
        a, b, _ = key.split("\t")
        pairs[a, b] = pair
    return pairs


def golden_columns(table: str) -> dict[str, NDArray[np.float64]]:
    """Return the scores of the systems of a wide table; the first column names the items."""
    with (GOLDEN / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    values = np.array(rows)[:, 1:].astype(np.float64)
    return dict(zip(header[1:], values.T, strict=True))
