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


def test_rows_are_paired_by_item_whatever_their_order() -> None:
    counts = align(attempts("A/q1 B/q2 A/q2 B/q1", 1, 0.5, 0, 0.25))
    assert counts.items == ("q1", "q2")
    assert real(counts) == [[1, 0], [0.25, 0.5]]


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


def test_runs_and_conditions_are_axes() -> None:
    rows = attempts("A/q1 A/q1 A/q1 A/q1", 1, 0, 0, 0)
    counts = align(replace(rows, conditions=Axis.of("ccdd"), runs=Axis.of("1212")))
    assert counts.cells == ((("c", "1"), ("c", "2"), ("d", "1"), ("d", "2")),)
    assert real(counts) == [[0.25]]


def test_missing_items_are_settled_as_asked() -> None:
    rows = attempts("A/q1 A/q2 B/q1", 1, 1, 0)
    with pytest.raises(DataError, match="missing in B: q2; --missing drop compares the 1 common"):
        align(rows)
    assert real(align(rows, missing="zero")) == [[1, 1], [0, 0]]
    assert align(rows, missing="drop").items == ("q1",)
    present = align(rows, missing="own").present
    assert present is not None
    assert present.tolist() == [[True, True], [True, False]]


def test_what_failed_is_named() -> None:
    rows = attempts("A/q1 A/q2 B/q1 B/q2", 1, 1, 0, NAN, errors={3: "timeout after 60 s"})
    with pytest.raises(DataError, match=r"1 item failed in B \(timeout after 60 s\)"):
        align(rows)
    assert [notice.text for notice in align(rows, missing="drop").notices] == [
        "1 item failed in B (timeout after 60 s).",
        "Dropped for all systems: 1 item that not every system has; 1 left.",
    ]


def test_a_value_that_items_lack_is_of_the_others() -> None:
    rows = attempts("A/q1 A/q2 B/q1 B/q2", 1, 1, 0, 0)
    rows = replace(rows, values={**rows.values, "style": np.array([1, NAN, 0, NAN])})
    counts = align(rows)
    assert counts.scored is not None
    assert counts.scored[0].tolist() == [[True, True], [True, False]]
    assert counts.notices[0].text == ("style is of 1 item of 2: the others have no such value.")


def test_a_value_that_a_system_has_nowhere_is_an_error() -> None:
    with pytest.raises(DataError, match="no item of B has a value of 'score'"):
        align(attempts("A/q1 B/q1", 1, NAN))


def test_a_condition_that_one_system_lacks_is_not_averaged_over() -> None:
    """It is refused by name, or dropped for all systems."""
    prompts, seeds = ["plain", "plain", "cot", "cot", "cot", "cot"], Axis.of("010101")
    rows = attempts(
        "A/q1 A/q1 A/q1 A/q1 B/q1 B/q1", 0, 0, 1, 1, 1, 1, conditions=Axis.of(prompts), runs=seeds
    )
    with pytest.raises(DataError) as refusal:
        align(rows, where="x.csv: ")
    assert str(refusal.value) == (
        "x.csv: not all systems have the conditions plain (missing in B); --missing drop "
        "compares the 1 condition that all have"
    )
    counts = align(rows, missing="drop")
    assert real(counts) == [[1], [1]]
    assert counts.notices[0].text == "Dropped, since not all systems have these conditions: plain."


def test_conditions_are_not_called_runs() -> None:
    rows = attempts("A/q1 A/q1 A/q1 A/q1", 0, 0, 1, 1, conditions=Axis.of("xxyy"))
    of_both = align(replace(rows, runs=Axis.of("0101")))
    assert [each.text for each in of_both.notices] == [
        "4 combinations of condition and run per item were averaged first."
    ]
    alone = align(attempts("A/q1 A/q1", 0, 1, conditions=Axis.of("xy")))
    assert [each.text for each in alone.notices] == ["2 conditions per item were averaged first."]
