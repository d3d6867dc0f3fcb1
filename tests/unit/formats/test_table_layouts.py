"""What the columns of a table are is decided by all of its rows, not by the first thousand."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import tellapart as ta
from tellapart.errors import DataError

N, LATE = 5000, 3000


def wide(late: str = "{i}", early: str = "") -> str:
    """Make a table of two systems, of which the second begins late."""
    rows = [
        f"q{i},{i % 2},{late.format(i=i % 3) if i >= LATE else early},d{i % 5}" for i in range(N)
    ]
    return "item,A,B,domain\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("early", ["", "n/a"])
def test_a_system_that_is_empty_at_first_is_a_system(early: str, tmp_path: Path) -> None:
    """It lacks items, which is told; it does not become a label."""
    path = tmp_path / "a.csv"
    path.write_text(wide(early=early))
    with pytest.raises(
        DataError, match="B" if not early else "'n/a' in column 'B' is not a number"
    ):
        ta.read(path)
    path.write_text(wide())
    counts = ta.read(path, missing="drop")
    assert counts.names == ("A", "B")
    assert len(counts.items) == N - LATE
    assert list(counts.labels) == ["domain"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "pipe"])
def test_so_it_is_in_every_kind_of_table(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"item": f"q{i}", "A": i % 2, "B": i % 3 if i >= LATE else None} for i in range(N)]
    path = str(tmp_path / f"a.{kind}")
    if kind == "jsonl":
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "parquet":
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), path)
    else:
        path = "-"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(wide().encode())))
    counts = ta.read(path, missing="drop")
    assert counts.names == ("A", "B")
    assert len(counts.items) == N - LATE


def test_a_score_that_is_empty_at_first_is_found(tmp_path: Path) -> None:
    """The first rows hold no number at all; the columns are told by the others."""
    path = tmp_path / "a.csv"
    path.write_text("item,x,y\n" + "".join(f"q{i},,\n" for i in range(LATE)) + "r,1,2\n")
    assert ta.read(path, missing="drop").names == ("x", "y")


def test_texts_that_turn_to_numbers_are_no_label(tmp_path: Path) -> None:
    """Most cells are numbers, so that the texts before them are an error, and not a label."""
    path = tmp_path / "a.csv"
    rows = "".join(f"q{i},{i % 2},{'failed' if i < 1500 else i % 3}\n" for i in range(N))
    path.write_text("item,A,B\n" + rows)
    with pytest.raises(DataError, match=r"a\.csv:2: 'failed' in column 'B' is not a number"):
        ta.read(path)
    assert ta.read(path, labels=["B"]).names == ("a",)


def test_percentages_at_first_do_not_make_a_label_a_system(tmp_path: Path) -> None:
    """What looks like numbers in other spellings, and later is mostly text, is a label."""
    path = tmp_path / "a.csv"
    rows = "".join(f"q{i},{i % 2},{1 - i % 2},{'5 %' if i < 1100 else 'none at all'}\n"
                   for i in range(N))  # fmt: skip
    path.write_text("item,A,B,share\n" + rows)
    counts = ta.read(path)
    assert counts.names == ("A", "B")
    assert list(counts.labels) == ["share"]


def test_thousands_of_columns(tmp_path: Path) -> None:
    """Each is a system, in the order of the file; `python -m benchmarks reading` times more."""
    path, columns = tmp_path / "a.csv", 2_000
    names = [f"s{k}" for k in range(columns)]
    rows = [",".join([f"q{i}", *(str((k + i) % 2) for k in range(columns))]) for i in range(3)]
    path.write_text("\n".join([",".join(["item", *names]), *rows]))
    counts = ta.read(path)
    assert counts.names == tuple(names)
    assert counts.summed()[:, 0].tolist() == [1, 2] * (columns // 2)
