"""Many systems on one scale: scores, intervals, and whether the scale fits."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from known_answers.golden import GOLDEN, golden_pairs, needs_golden
from tellapart.stats.bradley_terry import (
    bradley_terry,
)


@needs_golden
def test_golden_battles() -> None:
    """On a prompt both orders of a pair weigh alike, however often they were shown."""
    with (GOLDEN / "tables" / "battles.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row[key] for row in rows for key in ("model_a", "model_b")})
    orders: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        won = {"model_a": 1.0, "model_b": 0.0}.get(row["winner"], 0.5)
        orders.setdefault((row["prompt"], row["model_a"], row["model_b"]), []).append(won)
    met: dict[tuple[str, str, str], list[float]] = {}
    for (prompt, one, two), points in orders.items():
        mean = float(np.mean(points)) if one < two else 1 - float(np.mean(points))
        met.setdefault((prompt, min(one, two), max(one, two)), []).append(mean)
    a, b = ([names.index(key[side]) for key in met] for side in (1, 2))
    scores = bradley_terry(a, b, [float(np.mean(points)) for points in met.values()]).scores
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    case = next(each["name"] for each in cases if "battles" in each["command"])
    for (first, second), pair in golden_pairs(case).items():
        apart = scores[names.index(first)] - scores[names.index(second)]
        assert apart == pytest.approx(pair["difference"], rel=1e-9)
