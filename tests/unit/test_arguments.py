"""What `compare` and `read` take in Python: options that are misspelled, two files, two series."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tellapart as ta

pd = pytest.importorskip("pandas", reason="pandas is not installed")

OLD, NEW = [1, 0, 1, 1, 0], [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        ({"alhpa": 0.1}, "there is no option 'alhpa' here; did you mean 'alpha'"),
        ({"metric": "f1"}, "there is no option 'metric' here; did you mean 'metrics'"),
        ({"missing": "drop"}, "there is no option 'missing' here"),
    ],
)
def test_an_unknown_option_is_one_sentence(options: dict[str, Any], remark: str) -> None:
    with pytest.raises(ta.UsageError, match=remark):
        ta.compare(OLD, NEW, **options)


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
