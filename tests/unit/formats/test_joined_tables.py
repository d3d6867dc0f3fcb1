"""Tables of several files: runs, missing items, ids, and labels from a file of their own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Write, read_tables, real
from tellapart.errors import DataError, UsageError
from tellapart.formats.contract import Source, parse_source


def test_patterns_after_a_name_are_expanded(write: Write) -> None:
    """No shell does it there."""
    for run in "21":
        write(f"run{run}.csv", f"id,score\nu,{run}\n")
    write("b.csv", "id,score\nu,4\n")
    assert parse_source("A=run*.csv") == Source(("run1.csv", "run2.csv"), "A")
    assert parse_source("A=run[1].csv,b.csv") == Source(("run1.csv", "b.csv"), "A")
    assert real(ta.read(["A=run*.csv", "B=b.csv"])) == {"A": [[Fraction(3, 2)]], "B": [[4]]}
    with pytest.raises(DataError, match=r"no file fits the pattern 'x\*\.csv'"):
        parse_source("A=x*.csv")
    strange = write("run[1].csv", "id,score\nu,1\n")
    assert parse_source(f"A={strange}").paths == (strange,)


def test_runs_of_files_and_of_a_column_are_runs(write: Write) -> None:
    for k in "12":
        write(f"{k}.csv", f"id,seed,score\nu,0,{k}\nu,1,0\n")
    counts = read_tables(["A=1.csv,2.csv"])
    assert counts.cells == ((("", "1 0"), ("", "1 1"), ("", "2 0"), ("", "2 1")),)
    assert real(counts) == {"A": [[Fraction(3, 4)]]}


# Missing items


def test_systems_with_items_of_their_own_keep_them(tmp_path: Path) -> None:
    """An unpaired test reads what each system has; nothing is filled in when it is written back."""
    first, second = tmp_path / "A.csv", tmp_path / "B.csv"
    first.write_text("item,score\na1,1\na2,0\n")
    second.write_text("item,score\nb1,1\na2,1\n")
    counts = read_tables([first, second], missing="own")
    assert counts.present.tolist() == [[True, True, False], [False, True, True]]
    counts.to_table(tmp_path / "saved.csv")
    rows = (tmp_path / "saved.csv").read_text().splitlines()
    assert [row.rpartition(",")[0] for row in rows[1:]] == ["A,a1", "A,a2", "B,a2", "B,b1"]
    with pytest.raises(UsageError, match="items of their own cannot be clustered"):
        counts.by("doc")


@pytest.mark.parametrize(
    "second", ["id,question_id,acc\n11,q2,1\n12,q1,0\n", "question_id,acc\nq2,1\nq1,0\n"]
)
def test_the_ids_that_systems_share_decide(write: Write, second: str) -> None:
    """An id that each row has for itself names no item, whichever file has such ids."""
    a = write("a.csv", "id,question_id,acc\n1,q1,0.25\n2,q2,0.5\n")
    b = write("b.csv", second)
    counts = read_tables([a, b])
    assert (counts.kind, counts.items, counts.columns) == ("question", ("q1", "q2"), ("acc",))
    assert (counts.column("acc") / counts.scales[0]).tolist() == [[0.25, 0.5], [0, 1]]
    with pytest.raises(DataError, match="no item in common: check the ids and --item"):
        read_tables([a, write("c.csv", "id,question_id,acc\n11,q8,1\n12,q9,0\n")])
