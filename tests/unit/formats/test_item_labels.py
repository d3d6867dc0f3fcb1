"""Labels of items from a file of their own, for every format."""

from __future__ import annotations

from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [f"q{i},{int(i % 3 > 0)},{int(i % 4 > 1)}" for i in range(12)]
    path.write_text("\n".join(["item,A,B", *rows]) + "\n")
    return path


def labels(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


def by_pairs(n: int, key: str = "item") -> str:
    return f"{key},event\n" + "".join(f"q{i},e{i // 2}\n" for i in range(n))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (by_pairs(10), "there is no row for 2 items of 12: q10, q11"),
        (by_pairs(12) + "q3,e9\n", r":14: 'q3' has other labels than on .*:5"),
        ("", "the file is empty"),
    ],
)
def test_bad_files_get_one_sentence(scores: Path, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        ta.read(scores, item_labels=labels(tmp_path, text))


def test_rows_about_no_item_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("item,A,B\nq1,1,0\nq2,0,1\nq3,1,1\n")
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\nq3,b\nq4,b\n")
    assert main(["compare", "t.csv", "--item-labels", "labels.csv", "--format", "tsv"]) == 0
    assert "Rows of labels.csv about no item here: q4" in capsys.readouterr().err
