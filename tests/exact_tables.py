"""Exact p-values of all pairs of a table, as a user asks for them."""

from __future__ import annotations

from typing import Any

import tellapart as ta

COLUMNS = ["pos", "act", "cor", "par"]


def exact_p(
    systems: dict[str, Any], metrics: list[str], tail: str
) -> dict[tuple[str, str, str], float | None]:
    result = ta.compare(
        ta.Counts.from_arrays(systems, COLUMNS),
        metrics=metrics,
        test="exact",
        tail=tail,
        correction="none",
        intervals=False,
    )
    assert {pair.method for pair in result.pairs} <= {"exact", "enumeration"}
    assert all(pair.shuffles is None for pair in result.pairs)
    return {(pair.a, pair.b, pair.metric): pair.p for pair in result.pairs}
