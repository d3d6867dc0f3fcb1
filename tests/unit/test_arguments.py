"""What `compare` and `read` take in Python: options that are misspelled, two files, two series."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tellapart as ta

OLD, NEW = [1, 0, 1, 1, 0], [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        ({"alhpa": 0.1}, "there is no option 'alhpa' here; did you mean 'alpha'"),
        ({"metric": "f1"}, "there is no option 'metric' here; did you mean 'metrics'"),
        ({"missing": "drop"}, "missing: arrays have no such thing; give a table: {'item': "),
    ],
)
def test_an_unknown_option_is_one_sentence(options: dict[str, Any], remark: str) -> None:
    with pytest.raises(ta.UsageError, match=remark):
        ta.compare(OLD, NEW, **options)


def test_arrays_that_are_not_two_are_one_sentence() -> None:
    scores = np.array(OLD)
    for data in (scores, pd.Series(OLD), (scores, scores), [OLD, NEW], OLD):
        with pytest.raises(ta.UsageError, match=r"^give two arrays: ta\.compare\(a, b\), or \D+$"):
            ta.compare(data)


def test_gaps_in_arrays_lead_to_a_table() -> None:
    gaps = [1, 0, float("nan"), 1, 0]
    with pytest.raises(ta.DataError, match=r"item '3'.*; to leave it out, give a table: \{'item'"):
        ta.compare(gaps, NEW)
    with pytest.raises(ta.DataError, match=r"inf is not a finite number$"):
        ta.compare([float("inf"), 0], [1, 0])
    table = {"item": [1, 2, 3, 4, 5], "a": gaps, "b": NEW}
    assert "mean, 4 items" in str(ta.compare(table, missing="drop"))


def test_systems_may_be_one_text() -> None:
    data = {"old": OLD, "new": NEW, "more, or less": OLD}
    assert [each.name for each in ta.compare(data, systems="new,old").systems] == ["new", "old"]
    chosen = ta.compare(data, systems=["more, or less", "old"])
    assert [each.name for each in chosen.systems] == ["more, or less", "old"]
    with pytest.raises(ta.UsageError, match="no system 'nwe'; did you mean 'new'"):
        ta.compare(data, systems="old,nwe")


def _write(path: Path, scores: list[int]) -> str:
    rows = "".join(f"q{k},{score}\n" for k, score in enumerate(scores))
    path.write_text(f"item,score\n{rows}")
    return str(path)


def test_two_files_are_two_systems(tmp_path: Path) -> None:
    old, new = _write(tmp_path / "old.csv", OLD), _write(tmp_path / "new.csv", NEW)
    assert ta.compare(old, new) == ta.compare([old, new])
    with pytest.raises(ta.UsageError, match=r"files compare\(\[…\]\)"):
        ta.compare(old, "none.csv")
    with pytest.raises(ta.UsageError, match=r"no option 'mising'; did you mean 'missing'\?"):
        ta.read(old, mising="drop")
    with pytest.raises(ta.UsageError, match="no option 'alhpa' here; did you mean 'alpha'"):
        ta.compare([old, new], alhpa=0.1)


def test_two_series_are_matched_by_their_index() -> None:
    old = pd.Series(OLD, index=list("vwxyz"))
    turned = pd.Series(OLD[::-1], index=list("zyxwv"))
    assert ta.compare(old, turned).pair("a", "b").differing == 0
    with pytest.raises(ta.DataError, match="missing in a: "):
        ta.compare(pd.Series(OLD), pd.Series(NEW, index=range(1, 6)))
