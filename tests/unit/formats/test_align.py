"""Pairing of items: duplicates, repeats, runs, conditions and what is missing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.align import Attempts, Axis, align

NAN = np.nan


def attempts(rows: str, *scores: float, **more: Any) -> Attempts:
    """Return attempts of rows such as `A/q1 B/q1`."""
    cells = [row.split("/") for row in rows.split()]
    values = {"score": np.array(scores, np.float64)}
    base = Attempts(
        Axis.of(cell[0] for cell in cells),
        Axis.of(cell[1] for cell in cells),
        values,
        "row {}".format,
    )
    return replace(base, **more)


def real(counts: Counts) -> list[list[float]]:
    return [[value / counts.scales[0] for value in row] for row in counts.values[:, :, 0].tolist()]


def test_an_item_twice_is_an_error() -> None:
    with pytest.raises(DataError, match=r"row 1: item 'q1' appears twice .* first in row 0"):
        align(attempts("A/q1 A/q1", 1, 0))


def test_repeats_are_averaged_within_the_item() -> None:
    twice = attempts("A/q1 A/q1 A/q2 B/q1 B/q2", 1, 0, 1, 1, 0)
    counts = align(replace(twice, repeats=twice.numbered()))
    assert real(counts) == [[0.5, 1], [1, 0]]
    assert counts.cells == ((("", ""), ("", "")), (("", ""),))
    assert [own.shape for own in counts.runs] == [(2, 2, 1), (1, 2, 1)]
    assert "1 to 2 repeats per item were averaged first" in counts.notices[-1].text


def test_what_failed_is_named() -> None:
    rows = attempts("A/q1 A/q2 B/q1 B/q2", 1, 1, 0, NAN, errors={3: "timeout after 60 s"})
    with pytest.raises(DataError, match=r"B \(timeout after 60 s\)"):
        align(rows)
    failed, missing = align(rows, missing="drop").notices
    assert (failed.code, missing.code) == ("failed", "missing")
    assert "B (timeout after 60 s)" in failed.text


def test_a_condition_that_one_system_lacks_is_not_averaged_over() -> None:
    """It is refused by name, or dropped for all systems."""
    prompts, seeds = ["plain", "plain", "cot", "cot", "cot", "cot"], Axis.of("010101")
    rows = attempts(
        "A/q1 A/q1 A/q1 A/q1 B/q1 B/q1", 0, 0, 1, 1, 1, 1, conditions=Axis.of(prompts), runs=seeds
    )
    with pytest.raises(DataError, match=r"^x\.csv: .* plain \(missing in B\); --missing drop"):
        align(rows, where="x.csv: ")
    counts = align(rows, missing="drop")
    assert real(counts) == [[1], [1]]
    assert counts.notices[0].text.endswith(": plain.")


def test_conditions_are_not_called_runs() -> None:
    rows = attempts("A/q1 A/q1 A/q1 A/q1", 0, 0, 1, 1, conditions=Axis.of("xxyy"))
    of_both = align(replace(rows, runs=Axis.of("0101")))
    alone = align(attempts("A/q1 A/q1", 0, 1, conditions=Axis.of("xy")))
    for (notice,), told in ((of_both.notices, "4 combinations"), (alone.notices, "2 conditions")):
        assert notice.text.startswith(told)
