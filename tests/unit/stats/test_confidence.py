"""How sure a p-value by shuffles is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tellapart.errors import UsageError
from tellapart.stats.shuffles import confidence, p_interval


def test_reference(reference_data: Path) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)["confidence_level"]
    for case in expected["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)
    for row in expected["table"]:
        for wanted in (0.9, 0.95, 0.99):
            sure = confidence(np.arange(row["ns"] + 1), row["ns"], row["alpha"]) >= wanted
            most = int(np.flatnonzero(sure)[-1]) if sure.any() else None
            assert most == row[f"largest_nge_conf_{wanted}_posterior"]
    for case in expected["clopper_pearson"]:
        ends = p_interval(case["nge"], case["ns"], case["level"])
        assert ends == pytest.approx((case["lower"], case["upper"]), abs=1e-9)


def test_bad_input_is_refused() -> None:
    for exceedances, shuffles in ((-1, 9), (10, 9), (0, 0)):
        with pytest.raises(UsageError, match="exceedances"):
            confidence(exceedances, shuffles, 0.05)
        with pytest.raises(UsageError, match="exceedances"):
            p_interval(exceedances, shuffles)
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(UsageError, match="level"):
            confidence(1, 9, level)
