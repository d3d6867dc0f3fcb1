"""The matrix of p-values, recall over precision, as text and as a figure."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

import tellapart as ta
from tellapart.report.document import p_matrix
from tellapart.report.text import short_p

RECALL, PRECISION = 2, 1  # the column of tp, fp, fn that counts against the score


@pytest.fixture(scope="module")
def muc() -> ta.Result:
    return ta.compare(
        ta.example("muc4"), metrics=["recall", "precision"], test="exact", alpha=0.1,
        correction="none", intervals=False,
    )  # fmt: skip


def cells(result: ta.Result, metric: str) -> dict[tuple[str, str, str], str]:
    """Return what a matrix has for a row over a column, by metric."""
    two = result.two_metrics
    both = (two.first, two.second) if two and metric in (two.first, two.second) else (metric,)
    table = p_matrix(result.record, both)
    names = [column.head for column in table.columns[2:]]
    return {
        (name, other, metric): "".join(cell.parts)
        for (name, metric), row in zip(product(names, both), table.rows[len(both) :], strict=True)
        for other, cell in zip(names, row.cells[2:], strict=True)
    }


@pytest.mark.slow
def test_all_272_p_values_of_muc4(shared_data: Path, muc: ta.Result) -> None:
    known = json.loads((shared_data / "muc4" / "tst3" / "exact-p-values.json").read_text())
    found = cells(muc, "recall")
    seen = 0
    for each in known:
        a, b, metric = each["a"], each["b"], each["metric"]
        if metric in ("recall", "precision"):
            words = {found[a, b, metric], found[b, a, metric]}
            p = each["p_two_sided"]
            assert words == {"", ("*" if p <= 0.1 else "") + short_p(p, 0.1)}
            seen += 1
    assert seen == 272
