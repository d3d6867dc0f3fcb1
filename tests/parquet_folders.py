"""Tables as folders of Parquet files, and what their comparison shares with that in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tellapart.comparison.record import Comparison

Columns = dict[str, Any]


def write_folder(columns: Columns, folder: Path, cuts: Sequence[int] = ()) -> Path:
    """Write columns as Parquet files that are cut at some rows; return their folder."""
    pd: Any = pytest.importorskip("pandas")
    frame = pd.DataFrame(columns)
    folder.mkdir(exist_ok=True)
    for k, (first, last) in enumerate(pairwise([0, *cuts, len(frame)])):
        frame.iloc[first:last].to_parquet(folder / f"part-{k}.parquet", row_group_size=20_000)
    return folder


def leave_out_exact_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shuffles tell all p-values but those of right and wrong answers in parts."""
    monkeypatch.setattr(
        "tellapart.significance.dispatch.exact_tests",
        lambda _, questions, *__, **___: [None] * len(questions),
    )
    data = "tellapart.significance.partition_data.PartitionedData"
    for name in ("_by_sizes", "_by_kinds"):
        monkeypatch.setattr(f"{data}.{name}", lambda *_: None)


def same_numbers(one: Comparison, other: Comparison, *, rough: float = 1e-5) -> None:
    """Check that scores, tests and intervals agree: what is drawn exactly, all else nearly.

    `rough` is for correlations, which parts tell by residuals: of many items they are the same.
    """
    for first, second in zip(one.systems, other.systems, strict=True):
        assert first.exact_scores == second.exact_scores
        for metric, ends in first.intervals.items():
            assert ends == pytest.approx(second.intervals[metric], rel=1e-9)
        assert first.interval_methods == second.interval_methods
    for a, b in zip(one.pairs, other.pairs, strict=True):
        for name in ("p", "p_adjusted", "exceedances", "shuffles", "method", "equal_scores",
                     "exact_difference", "different", "units_a_better",
                     "units_b_better", "units_tied", "discordant", "interval_method",
                     "confidence", "settled"):  # fmt: skip
            assert getattr(a, name) == getattr(b, name), name
        assert (a.interval is None) == (b.interval is None)
        for end, other_end in zip(a.interval or (), b.interval or (), strict=True):
            assert end == (None if other_end is None else pytest.approx(other_end, rel=1e-9))
        error = a.diagnostics.standard_error
        assert error == pytest.approx(b.diagnostics.standard_error, rel=1e-9)
        assert a.diagnostics.r12 == pytest.approx(b.diagnostics.r12, abs=rough)
    assert one.groups == other.groups
