"""The matrix of p-values, recall over precision, as text and as a figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from p_matrices import cells, muc4
from tellapart.report.text import short_p


@pytest.mark.slow
def test_all_272_p_values_of_muc4(shared_data: Path) -> None:
    known = json.loads((shared_data / "muc4" / "tst3" / "exact-p-values.json").read_text())
    found = cells(muc4(), "recall")
    seen = 0
    for each in known:
        a, b, metric = each["a"], each["b"], each["metric"]
        if metric in ("recall", "precision"):
            words = {found[a, b, metric], found[b, a, metric]}
            p = each["p_two_sided"]
            assert words == {"", ("*" if p <= 0.1 else "") + short_p(p, 0.1)}
            seen += 1
    assert seen == 272
