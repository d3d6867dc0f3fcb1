"""The matrix of p-values of MUC-4, cell by cell."""

from __future__ import annotations

from functools import cache
from itertools import product

import tellapart as ta
from tellapart.report.document import p_matrix


@cache
def muc4() -> ta.Result:
    """Compare the systems of 1992 by recall and precision, as their matrix does."""
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
